/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/elastic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Few trials are pending: at most this many for each rank, or this many in all. */
#define FEW_EACH 2
#define FEW 64
/* While many are pending, a trial may take this share of the time that is left: predictions err. */
#define SHARE 0.7
/* Widths are chosen again when this part of the pending trials has ended. */
#define CHOICES 8
/* A choice takes about this for each pending trial, and for each rank. All together may take this
 * share of the time that is left: very short trials stay narrow. */
#define CHOICE_S 20e-6
#define CHOICE_RANK_S 1e-6
#define CHOICE_SHARE 0.01

/* ---- life ---- */

static int64_t n_finished(const struct elastic *e)
{
    struct ledger_counts counts = ledger_counts(e->ledger);

    return counts.total - counts.pending - counts.leased;
}

/* Return the width of a group when n ranks are alive: wanted, or the most that make a difference. */
static int32_t fit(const struct elastic_rule *rule, int32_t wanted, int32_t n)
{
    int32_t width = wanted <= n ? wanted : speedup_enough(&rule->speedup, n > 0 ? n : 1);

    return width > rule->fewest ? width : rule->fewest;
}

/* Mark each width that a group may have. */
static void mark(bool *is_allowed, const struct elastic_rule *rule)
{
    int32_t width;

    for (int32_t n = rule->most; n > 0 && n >= rule->fewest; n = width - 1) {
        width = fit(rule, rule->most, n);
        is_allowed[width] = true;
    }
}

static bool has_same_widths(const struct elastic_rule *a, const struct elastic_rule *b)
{
    return a->fewest == b->fewest && a->most == b->most && a->speedup.parts == b->speedup.parts;
}

static int allow_widths(struct elastic *e, int32_t n_groups, struct err *err)
{
    int32_t most = 1, n = 0, rc, *widths;
    bool *is_allowed;

    for (int32_t g = 0; g < n_groups; g++)
        most = e->rules[g].most > most ? e->rules[g].most : most;
    widths = calloc((size_t)most + 1, sizeof *widths);
    is_allowed = calloc((size_t)most + 1, sizeof *is_allowed);
    if (!widths || !is_allowed) {
        free(widths);
        free(is_allowed);
        return err_nomem(err, "widths", (size_t)most * sizeof *widths);
    }
    for (int32_t g = 0; g < n_groups; g++)
        if (!g || !has_same_widths(&e->rules[g], &e->rules[g - 1]))
            mark(is_allowed, &e->rules[g]);
    for (int32_t width = 2; width <= most; width++)
        if (is_allowed[width])
            widths[n++] = width;
    rc = ledger_allow_widths(e->ledger, widths, n, err);
    free(widths);
    free(is_allowed);
    return rc;
}

static int init(struct elastic *e, const struct elastic_rule *rules, int32_t n_ranks,
                int32_t per_host, struct err *err)
{
    int32_t n_groups = ledger_n_groups(e->ledger);
    int32_t few = FEW_EACH * n_ranks > FEW ? FEW_EACH * n_ranks : FEW;

    if (allot_init(&e->allot, few, n_ranks, per_host, err))
        return -1;
    e->rules = malloc(((size_t)n_groups + 1) * sizeof *e->rules);
    if (!e->rules)
        return err_nomem(err, "widths", (size_t)n_groups * sizeof *e->rules);
    memcpy(e->rules, rules, (size_t)n_groups * sizeof *rules);
    if (allow_widths(e, n_groups, err))
        return -1;
    for (int32_t g = 0; g < n_groups; g++) {
        const struct elastic_rule *rule = &rules[g];

        if (rule->fewest < rule->most && rule->most > e->widest)
            e->widest = rule->most;
        e->has_chosen |= rule->is_chosen;
        ledger_set_width(e->ledger, g, rule->is_chosen ? rule->fewest : rule->most);
    }
    e->n_before = e->n_chosen = n_finished(e);
    elastic_set_alive(e, n_ranks);
    return 0;
}

struct elastic *elastic_create(struct ledger *ledger, const struct cost *cost,
                               const struct elastic_rule *rules, int32_t n_ranks, int32_t per_host,
                               struct err *err)
{
    struct elastic *e = calloc(1, sizeof *e);

    if (!e) {
        err_nomem(err, "widths", sizeof *e);
        return NULL;
    }
    e->ledger = ledger;
    e->cost = cost;
    if (init(e, rules, n_ranks, per_host, err)) {
        elastic_destroy(e);
        return NULL;
    }
    return e;
}

void elastic_destroy(struct elastic *e)
{
    if (!e)
        return;
    allot_release(&e->allot);
    free(e->rules);
    free(e);
}

/* ---- seconds ---- */

double elastic_seconds(const struct elastic *e, int32_t group, int32_t ranks)
{
    return speedup_seconds(&e->rules[group].speedup, cost_seconds(e->cost, group), ranks,
                           e->allot.per_host);
}

double elastic_one_s(const struct elastic *e, int32_t group, double seconds, int32_t ranks)
{
    const struct elastic_rule *rule = &e->rules[group];

    if (ranks <= 0)
        return rule->fewest == rule->most ? seconds : (double)NAN;
    return speedup_one_s(&rule->speedup, seconds, ranks, e->allot.per_host);
}

/* ---- widths ---- */

static bool set_width(struct elastic *e, int32_t group, int32_t width)
{
    if (width == ledger_group_width(e->ledger, group))
        return false;
    ledger_set_width(e->ledger, group, width);
    ledger_expect(e->ledger, group, elastic_seconds(e, group, width));
    return true;
}

void elastic_set_alive(struct elastic *e, int32_t n_alive)
{
    int32_t n = ledger_n_groups(e->ledger);
    bool is_short = n_alive < e->widest, was_short = e->n_alive < e->widest;

    e->is_stale = true;
    e->n_alive = n_alive;
    if (!is_short && !was_short)
        return;
    for (int32_t g = 0; g < n; g++) {
        const struct elastic_rule *rule = &e->rules[g];

        if (rule->fewest == rule->most)
            continue;
        set_width(
            e, g,
            fit(rule, rule->is_chosen ? ledger_group_width(e->ledger, g) : rule->most, n_alive));
    }
}

/* ---- choice ---- */

bool elastic_is_due(const struct elastic *e)
{
    int64_t pending = ledger_counts(e->ledger).pending;

    int64_t since = n_finished(e) - e->n_chosen;

    return e->has_chosen && pending &&
           (e->is_stale || CHOICES * since >= pending || since > e->n_chosen - e->n_before);
}

bool elastic_is_end(const struct elastic *e, double each_s)
{
    int64_t pending = ledger_counts(e->ledger).pending;
    int32_t few = FEW_EACH * e->n_alive;
    double choice_s = (double)pending * CHOICE_S + e->n_alive * CHOICE_RANK_S;
    bool is_worth_it = CHOICES * choice_s < CHOICE_SHARE * each_s;

    return pending <= (few > FEW ? few : FEW) && is_worth_it;
}

static struct allot_task task_of(const struct elastic *e, int32_t group)
{
    const struct elastic_rule *rule = &e->rules[group];
    int32_t width = ledger_group_width(e->ledger, group);

    return (struct allot_task){.group = group,
                               .fewest = rule->is_chosen ? rule->fewest : width,
                               .most = rule->is_chosen ? fit(rule, rule->most, e->n_alive) : width,
                               .one_s = cost_seconds(e->cost, group),
                               .speedup = &rule->speedup};
}

/* While many trials are pending, only those that would end late get more ranks. */
static bool choose_late(struct elastic *e, int32_t tier, bool suspect, double most_s)
{
    int32_t next = ledger_next_group(e->ledger, tier, suspect, -1), group;
    bool has_changed = false;

    while ((group = next) >= 0) {
        struct allot_task task = task_of(e, group);

        if (!tier && task.one_s <= most_s)
            break;
        next = ledger_next_group(e->ledger, tier, suspect, group);
        allot_limit(&e->allot, &task, most_s);
        has_changed |= set_width(e, group, task.width);
    }
    return has_changed;
}

/* A group that has moved to a tier still to be visited keeps its width there. */
static bool choose_many(struct elastic *e, double most_s)
{
    bool has_changed = false;

    for (int32_t tier = ledger_n_widths(e->ledger) - 1; tier >= 0; tier--) {
        has_changed |= choose_late(e, tier, false, most_s);
        has_changed |= choose_late(e, tier, true, most_s);
    }
    return has_changed;
}

static void add_tasks(struct elastic *e, int32_t tier, bool suspect)
{
    int32_t group = -1;

    while ((group = ledger_next_group(e->ledger, tier, suspect, group)) >= 0) {
        struct allot_task task = task_of(e, group);

        task.n = (int32_t)ledger_n_waiting(e->ledger, group, suspect);
        e->allot.tasks[e->allot.n_tasks++] = task;
    }
}

static bool choose_few(struct elastic *e, double most_s)
{
    bool has_changed = false;

    e->allot.n_tasks = 0;
    for (int32_t tier = 0; tier < ledger_n_widths(e->ledger); tier++) {
        if (ledger_tier_width(e->ledger, tier) > e->n_alive)
            break; /* programs that cannot run */
        add_tasks(e, tier, false);
        add_tasks(e, tier, true);
    }
    allot_choose(&e->allot, most_s);
    for (int32_t i = 0; i < e->allot.n_tasks; i++)
        has_changed |= set_width(e, e->allot.tasks[i].group, e->allot.tasks[i].width);
    return has_changed;
}

bool elastic_choose(struct elastic *e, double each_s, double most_s)
{
    e->n_chosen = n_finished(e);
    e->is_stale = false;
    return elastic_is_end(e, each_s) ? choose_few(e, most_s)
                                     : choose_many(e, fmin(SHARE * each_s, most_s));
}

/* ---- invariants ---- */

int elastic_check(const struct elastic *e, struct err *err)
{
    int32_t n = ledger_n_groups(e->ledger);

    for (int32_t g = 0; g < n; g++) {
        const struct elastic_rule *rule = &e->rules[g];
        int32_t width = ledger_group_width(e->ledger, g), most = fit(rule, rule->most, e->n_alive);

        if (width < rule->fewest || width > most || (!rule->is_chosen && width != most))
            return err_set(err, "group %d has width %d of %d to %d, %d alive", g, width,
                           rule->fewest, most, e->n_alive);
    }
    return 0;
}
