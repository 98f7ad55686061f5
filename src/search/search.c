/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/buf.h"
#include "search/allocator.h"

struct search {
    struct plan *plan;
    const struct proposing *proposing;
    const struct proposer *proposer;
    const struct allocator *allocator;
    int32_t each;       /* trials of a configuration */
    int32_t n_proposed; /* configurations 0 .. n_proposed - 1 */
    int32_t begin;      /* the first configuration of the step */
    int32_t step, n_stages, stage;
    bool is_proposing; /* stage 0 */
    double *scores;    /* (n_configs, each) as in struct allocation */
    bool *is_left;     /* [n_configs] */
    double *value;     /* [n_configs] scratch, of the decision */
    double *threshold; /* [n_configs] likewise */
    struct buf decisions;
};

const char *search_action_name(enum search_action action)
{
    static const char *const names[] = {
#define SEARCH_NAME(id, name) name,
        SEARCH_ACTIONS(SEARCH_NAME)
#undef SEARCH_NAME
    };

    return names[action];
}

int search_check(const struct plan *plan, struct err *err)
{
    const struct allocator *allocator = allocator_of(&plan->fixed);
    int64_t least = 0;

    for (int32_t c = 0; c < plan->rows.n; c++) {
        struct settings s;
        int64_t epochs;

        plan_settings(plan, c, &s);
        epochs = settings_epochs(&s);
        if (epochs && (!least || epochs < least))
            least = epochs;
    }
    return allocator->check ? allocator->check(&plan->fixed, plan->n_configs,
                                               plan->replicates * plan->folds, least, err)
                            : 0;
}

bool search_is_wanted(const struct settings *fixed)
{
    return proposer_of(fixed)->is_adaptive || allocator_of(fixed)->decide ||
           fixed->v[P_BUDGET].f > 0;
}

struct search *search_create(struct plan *plan, const struct proposing *proposing, struct err *err)
{
    struct search *search = calloc(1, sizeof *search);
    const size_t n = (size_t)plan->n_configs + 1, n_trials = (size_t)plan->n_trials + 1;

    if (search) {
        *search = (struct search){.plan = plan,
                                  .proposing = proposing,
                                  .proposer = proposer_of(&plan->fixed),
                                  .allocator = allocator_of(&plan->fixed),
                                  .each = plan->replicates * plan->folds,
                                  .is_proposing = true};
        search->n_stages = allocator_n_stages(&plan->fixed, search->each);
        search->scores = malloc(n_trials * sizeof *search->scores);
        search->is_left = calloc(n, sizeof *search->is_left);
        search->value = malloc(n * sizeof *search->value);
        search->threshold = malloc(n * sizeof *search->threshold);
        for (size_t t = 0; search->scores && t < n_trials; t++)
            search->scores[t] = NAN;
    }
    if (search && search->scores && search->is_left && search->value && search->threshold)
        return search;
    search_destroy(search);
    err_nomem(err, "search", n_trials * sizeof *search->scores);
    return NULL;
}

void search_destroy(struct search *search)
{
    if (!search)
        return;
    free(search->scores);
    free(search->is_left);
    free(search->value);
    free(search->threshold);
    buf_release(&search->decisions);
    free(search);
}

static struct search_stage stage_of(const struct search *search)
{
    return allocator_stage(&search->plan->fixed, search->each, search->stage);
}

static void note(struct search *search, int32_t config, enum search_action action)
{
    const struct search_stage stage = stage_of(search);
    const struct search_decision decision = {
        .step = search->step,
        .config = config,
        .action = action,
        .rung = action == SEARCH_PROPOSE       ? 0
                : search->allocator->has_rungs ? search->stage + 1
                                               : stage.end,
        .value = search->value[config],
        .threshold = action == SEARCH_PROPOSE ? (double)NAN : search->threshold[config]};

    buf_add(&search->decisions, &decision, sizeof decision);
}

/* ---- proposing ---- */

/* The core-seconds of all configurations so far, and of one to its end, expected: the mean of those that ran. */
static double spent_s(const struct search *search, const struct search_scores *scores,
                      double *each_s)
{
    const double all = search_cost(search->plan).expected / search->plan->n_configs;
    double sum = 0;
    int64_t n = 0;

    for (int64_t t = 0; t < (int64_t)search->n_proposed * search->each; t++) {
        const double seconds = scores->seconds(scores->arg, t);

        sum += isnan(seconds) ? 0 : seconds;
        n += !isnan(seconds);
    }
    *each_s = n ? sum / (double)n * all / search_share(search) : (double)NAN;
    return sum;
}

/* How many configurations may be proposed now. */
static int32_t batch(const struct search *search, const struct search_scores *scores)
{
    const union value *v = search->plan->fixed.v;
    const int32_t left = search->plan->n_configs - search->n_proposed;
    const bool has_budget = v[P_BUDGET].f > 0;
    int32_t n = left;
    double each_s;

    if (!search->n_proposed && search->proposer->is_adaptive)
        n = search->plan->rows.n;
    else if (search->proposer->is_adaptive || has_budget)
        n = v[P_BATCH].i < left ? (int32_t)v[P_BATCH].i : left;
    if (has_budget && search->n_proposed) {
        spent_s(search, scores, &each_s);
        while (n && (search->n_proposed + n) * each_s > v[P_BUDGET].f)
            n--;
    }
    return n;
}

/* 1: there is more; 0: no more. */
static int propose(struct search *search, const struct search_scores *scores, struct err *err)
{
    struct grid_rows *rows = &search->plan->rows;
    int32_t n = batch(search, scores);

    search->begin = search->n_proposed;
    for (int32_t c = search->begin; c < search->plan->n_configs; c++)
        search->value[c] = NAN;
    if (n && search->proposer->is_adaptive && search->n_proposed) {
        if (search->proposer->next(rows, search->proposing, n, search->scores, search->each,
                                   search->value + search->begin, err))
            return -1;
        n = rows->n - search->begin;
    }
    search->n_proposed += n;
    search->step += n > 0;
    for (int32_t c = search->begin; c < search->n_proposed; c++) {
        search->is_left[c] = true;
        note(search, c, SEARCH_PROPOSE);
    }
    return n > 0;
}

/* ---- allocating ---- */

/* 1: there is a next stage; 0: this was the last. */
static int decide(struct search *search, struct err *err)
{
    const int32_t n = search->n_proposed;
    bool *was_left = malloc((size_t)n + 1);
    const struct allocation allocation = {.fixed = &search->plan->fixed,
                                          .n = n,
                                          .each = search->each,
                                          .stage = search->stage,
                                          .end = stage_of(search).end,
                                          .scores = search->scores,
                                          .is_left = search->is_left,
                                          .value = search->value,
                                          .threshold = search->threshold};
    int rc;

    if (!was_left)
        return err_nomem(err, "search", (size_t)n);
    for (int32_t c = 0; c < n; c++)
        was_left[c] = search->is_left[c];
    rc = search->allocator->decide(&allocation, err);
    search->step++;
    for (int32_t c = 0; !rc && c < n; c++)
        if (was_left[c])
            note(search, c, search->is_left[c] ? SEARCH_KEEP : SEARCH_STOP);
    free(was_left);
    search->stage++;
    return rc ? -1 : 1;
}

int search_next(struct search *search, const struct search_scores *scores, struct err *err)
{
    int rc = 0;

    for (int64_t t = 0; t < search->plan->n_trials; t++)
        if (search_runs(search, t))
            search->scores[t] = scores->score(scores->arg, t, search_rung(search));
    if (search->is_proposing)
        rc = propose(search, scores, err);
    if (!rc) {
        search->is_proposing = false;
        search->begin = 0;
        rc = search->stage + 1 < search->n_stages ? decide(search, err) : 0;
    }
    if (rc >= 0 && buf_failed(&search->decisions))
        return err_nomem(err, "decisions", search->decisions.size);
    return rc;
}

bool search_runs(const struct search *search, int64_t trial)
{
    const int32_t config = (int32_t)(trial / search->each);

    return config >= search->begin && config < search->n_proposed && search->is_left[config] &&
           trial % search->each < stage_of(search).end;
}

int32_t search_rung(const struct search *search)
{
    return stage_of(search).rung;
}

double search_share(const struct search *search)
{
    return allocator_share(&search->plan->fixed, search->each, search->stage);
}

enum search_fate search_fate(const struct search *search, int32_t config)
{
    return config >= search->n_proposed ? SEARCH_UNPROPOSED
           : search->is_left[config]    ? SEARCH_LEFT
                                        : SEARCH_STOPPED;
}

const struct search_decision *search_decisions(const struct search *search, int64_t *n)
{
    *n = (int64_t)(search->decisions.size / sizeof(struct search_decision));
    return (const struct search_decision *)(const void *)search->decisions.data;
}

double search_expected_share(const struct settings *fixed, int32_t each)
{
    const struct allocator *allocator = allocator_of(fixed);

    return allocator->expected_share ? allocator->expected_share(fixed, each) : 1;
}

struct search_cost search_cost(const struct plan *plan)
{
    const double all = (double)plan->n_trials;

    return (struct search_cost){
        all, all * search_expected_share(&plan->fixed, plan->replicates * plan->folds)};
}
