/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/search_replay.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"
#include "search/search.h"

struct stored {
    struct result_table decisions, scores;
    int64_t *config_ids; /* [n] ascending, as proposed */
    int32_t n;
    struct plan plan;
    double sign;
};

/* The number of a configuration; -1: none. */
static int32_t number_of(const struct stored *s, int64_t config_id)
{
    int32_t i = 0;

    while (i < s->n && s->config_ids[i] != config_id)
        i++;
    return i < s->n ? i : -1;
}

/* The scores are in the order of configuration, rung, replicate and fold. */
static double score(void *arg, int64_t trial, int32_t rung)
{
    const struct stored *s = arg;
    const struct plan_trial where = plan_trial(&s->plan, trial);
    int64_t low = 0, high = s->scores.n_rows;

    while (low < high) {
        const int64_t at = (low + high) / 2;
        const int64_t there[] = {result_table_integer(&s->scores, at, "ordinal"),
                                 result_table_integer(&s->scores, at, "rung"),
                                 result_table_integer(&s->scores, at, "replicate"),
                                 result_table_integer(&s->scores, at, "fold")};
        const int64_t here[] = {s->config_ids[where.config], rung, where.replicate, where.fold};
        int i = 0;

        while (i < 3 && there[i] == here[i])
            i++;
        if (there[i] == here[i]) {
            const struct cell *ended = result_table_find(&s->scores, at, "ended");

            return ended->i ? -(double)INFINITY
                            : s->sign * result_table_real(&s->scores, at, "value");
        }
        *(there[i] < here[i] ? &low : &high) = there[i] < here[i] ? at + 1 : at;
    }
    return NAN;
}

static double seconds(void *arg, int64_t trial)
{
    (void)arg;
    (void)trial;
    return NAN;
}

static bool is_same(const struct stored *s, int64_t row, const struct search_decision *d)
{
    const double value = result_table_real(&s->decisions, row, "value");
    const double threshold = result_table_real(&s->decisions, row, "threshold");

    return number_of(s, result_table_integer(&s->decisions, row, "ordinal")) == d->config &&
           result_table_integer(&s->decisions, row, "rung") == d->rung &&
           !strcmp(result_table_text(&s->decisions, row, "action"),
                   search_action_name(d->action)) &&
           real_is_same(value, isfinite(d->value) ? s->sign * d->value : (double)NAN) &&
           real_is_same(threshold, isfinite(d->threshold) ? s->sign * d->threshold : (double)NAN);
}

static void compare(struct search_replay *out, const struct stored *s, const struct search *search)
{
    const struct search_decision *made;
    int64_t n_made, at = 0;

    made = search_decisions(search, &n_made);
    for (int64_t row = 0; row < s->decisions.n_rows; row++) {
        if (!strcmp(result_table_text(&s->decisions, row, "action"), "propose"))
            continue;
        while (at < n_made && made[at].action == SEARCH_PROPOSE)
            at++;
        out->n++;
        if (at < n_made && is_same(s, row, &made[at++]))
            continue;
        if (!out->n_different++)
            err_set(&out->first, "step %lld, c%lld: %s, %.17g",
                    (long long)result_table_integer(&s->decisions, row, "step"),
                    (long long)result_table_integer(&s->decisions, row, "config"),
                    result_table_text(&s->decisions, row, "action"),
                    result_table_real(&s->decisions, row, "value"));
    }
}

static int replay(struct search_replay *out, struct stored *s, struct err *err)
{
    const struct search_scores scores = {score, seconds, s};
    int64_t last = result_table_integer(&s->decisions, s->decisions.n_rows - 1, "step"), first = 0;
    struct search *search;
    int rc = 1;

    s->config_ids = malloc((size_t)s->decisions.n_rows * sizeof *s->config_ids);
    if (!s->config_ids)
        return err_nomem(err, "decisions", (size_t)s->decisions.n_rows);
    for (int64_t row = 0; row < s->decisions.n_rows; row++)
        if (!strcmp(result_table_text(&s->decisions, row, "action"), "propose")) {
            s->config_ids[s->n++] = result_table_integer(&s->decisions, row, "ordinal");
            first = result_table_integer(&s->decisions, row, "step");
        }
    s->plan.n_configs = s->plan.rows.n = s->n;
    s->plan.n_trials = (int64_t)s->n * s->plan.replicates * s->plan.folds;
    search = search_create(&s->plan, NULL, err);
    if (!search)
        return -1;
    for (int64_t step = first; rc > 0 && step <= last; step++)
        rc = search_next(search, &scores, err);
    if (rc >= 0)
        compare(out, s, search);
    search_destroy(search);
    return rc < 0 ? -1 : 0;
}

int search_replay(struct search_replay *out, struct store *store, const struct query_sweep *sweep,
                  const struct settings *settings, struct err *err)
{
    struct stored s = {
        .plan = {.fixed = *settings,
                 .replicates = (int32_t)settings->v[P_REPLICATES].i,
                 .folds = settings->v[P_FOLDS].i > 0 ? (int32_t)settings->v[P_FOLDS].i : 1},
        .sign = sweep->maximize ? 1 : -1};
    int rc = query_table(&s.decisions, store, QUERY_DECISIONS, sweep->sweep_id, err) ||
                     query_table(&s.scores, store, QUERY_RUNG_SCORES, sweep->sweep_id, err)
                 ? -1
                 : 0;

    *out = (struct search_replay){.n = 0};
    s.plan.fixed.v[P_PROPOSE].i = 0; /* all at once */
    s.plan.fixed.v[P_BUDGET].f = 0;
    if (!rc && s.decisions.n_rows)
        rc = replay(out, &s, err);
    result_table_release(&s.decisions);
    result_table_release(&s.scores);
    free(s.config_ids);
    return rc;
}
