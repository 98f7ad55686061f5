/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/dispatch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/fleet.h"

/* Seconds of work ready at a worker beside its running trial. With nothing ready, a worker waits
 * for a few ms, because rank 0 sleeps between polls. For trials from half a second that is one
 * percent, so they go out one by one. */
#define AHEAD_S 0.1
#define ALONE_S 0.5
/* All prices are updated once in (configurations / this) results: about 1 us a result. */
#define PRICES_PER_RESULT 64
/* A part of a trial needs this share of a run, or it ends before it has saved anything. */
#define LEAST_PART 0.1
/* A gang waits for one host for up to this share of its own seconds. */
#define PATIENCE 0.1
#define FIRST 1e9

struct dispatch {
    struct ledger *ledger;
    struct cost *cost;
    struct fleet fleet;
    float *predicted_s; /* [n_trials] at hand-out; below 0: a guess */
    float *done;        /* [n_trials] share already run, by a checkpoint; 0: none */
    int64_t *waiting;   /* [n_waiting] with a checkpoint; some may no longer be pending */
    size_t n_waiting, waiting_room;
    int32_t *widths;             /* [n_groups] workers that run one trial together, */
    bool can_shrink;             /* or fewer, if fewer are alive */
    struct gang **gang_of;       /* [n_workers] NULL: in none */
    struct gang *ended;          /* all members have; freed by dispatch_set_time() */
    int64_t n_placed;            /* gangs so far */
    double slowest;              /* largest slowness of a live worker */
    int64_t slowest_at;          /* n_results at which it was found */
    double left_s;               /* as in the last dispatch_assign() */
    double whole_s;              /* of a run; INFINITY: no limit */
    double rung_end, rung_share; /* dispatch_set_rung() */
    bool is_isolated;            /* trials cannot take their workers down */
    bool is_stale;               /* expectations are older than the coefficients */
    int64_t n_results;
    int64_t reprice_at; /* n_results at which prices are updated */
};

/* ---- seconds ---- */

/* The seconds of a trial of the group at its present width: on fewer ranks than widths[group], for which cost has
 * the seconds, it takes in proportion longer. */
static double group_seconds(const struct dispatch *d, int32_t group)
{
    return cost_seconds(d->cost, group) * d->widths[group] / ledger_group_width(d->ledger, group);
}

/* The seconds that the rest of a trial takes, up to its rung. */
static double seconds_of(const struct dispatch *d, int64_t trial)
{
    return fmax(d->rung_end - (double)d->done[trial], 0) *
           group_seconds(d, ledger_group(d->ledger, trial));
}

static void set_price(struct dispatch *d, int32_t group)
{
    ledger_expect(d->ledger, group, d->rung_share * group_seconds(d, group));
}

static void set_prices(struct dispatch *d)
{
    d->is_stale = false;
    for (int32_t group = 0; group < ledger_n_groups(d->ledger); group++)
        set_price(d, group);
}

/* The first updates of all prices come when the results have become four times as many. */
static void learn(struct dispatch *d, int32_t group, int32_t worker, double seconds)
{
    int64_t most = ledger_n_groups(d->ledger) / PRICES_PER_RESULT;

    cost_observe(d->cost, group, worker, seconds);
    d->is_stale |= cost_refit(d->cost);
    d->n_results++;
    if (d->is_stale && d->n_results >= d->reprice_at) {
        set_prices(d);
        d->reprice_at = d->n_results + (3 * d->n_results < most ? 3 * d->n_results : most);
    } else {
        set_price(d, group);
    }
}

/* Near the end of the time a gang must fit its slowest member. */
static double slowest(struct dispatch *d)
{
    if (d->slowest_at >= 0 && d->n_results - d->slowest_at < d->fleet.n)
        return d->slowest;
    d->slowest_at = d->n_results;
    d->slowest = 0;
    for (int32_t worker = 0; worker < d->fleet.n; worker++)
        if (d->fleet.of[worker].presence == PRESENT)
            d->slowest = fmax(d->slowest, cost_slowness(d->cost, worker));
    return d->slowest;
}

/* Seconds of work left for each worker. */
static double left_each_s(const struct dispatch *d)
{
    int32_t n = d->fleet.n_alive;

    return (ledger_pending_s(d->ledger) + fmax(d->fleet.held_s, 0)) / (n ? n : 1);
}

/* ---- trials with a checkpoint ---- */

bool dispatch_resumes(const struct dispatch *d, int64_t trial)
{
    return d->done[trial] > 0;
}

/* Note a trial that is pending again. If memory runs out, it stays among the others. */
static void let_wait(struct dispatch *d, int64_t trial)
{
    size_t room = d->waiting_room ? 2 * d->waiting_room : 16;
    int64_t *grown;

    if (!dispatch_resumes(d, trial))
        return;
    if (d->n_waiting == d->waiting_room) {
        grown = realloc(d->waiting, room * sizeof *grown);
        if (!grown)
            return;
        d->waiting = grown;
        d->waiting_room = room;
    }
    d->waiting[d->n_waiting++] = trial;
}

void dispatch_resume(struct dispatch *d, int64_t trial, double left)
{
    d->done[trial] = (float)(1 - left);
    let_wait(d, trial);
}

/* Return a pending trial with a checkpoint, of a width in [least, most] and of at most most_s;
 * NOWHERE: none. O(1), or O(trials waiting) if none fits. */
static int64_t find_resuming(struct dispatch *d, int32_t least, int32_t most, double most_s)
{
    size_t i = 0;

    while (i < d->n_waiting) {
        int64_t trial = d->waiting[i];
        int32_t width = ledger_width(d->ledger, trial);

        if (ledger_state(d->ledger, trial) != TRIAL_PENDING || ledger_is_suspect(d->ledger, trial))
            d->waiting[i] = d->waiting[--d->n_waiting];
        else if (width >= least && width <= most && seconds_of(d, trial) <= most_s)
            return trial;
        else
            i++;
    }
    return NOWHERE;
}

/* Return a trial for a worker that holds nothing. */
static int64_t next_single(struct dispatch *d, double most_s)
{
    int64_t next = find_resuming(d, 1, 1, most_s);

    return next >= 0 ? next : ledger_next(d->ledger, NOWHERE, most_s);
}

/* ---- widths ---- */

/* Half of a width is tried before a quarter, so that there are few different ones. */
static int32_t fit(const struct dispatch *d, int32_t group)
{
    int32_t width = d->widths[group];

    while (d->can_shrink && width > d->fleet.n_alive && width > 1)
        width /= 2;
    return width;
}

static bool has_gangs(const struct dispatch *d)
{
    return ledger_n_widths(d->ledger) > 1;
}

/* Set the widths for the present number of live workers. O(groups) with gangs. */
static void adapt_widths(struct dispatch *d)
{
    int32_t n = has_gangs(d) ? ledger_n_groups(d->ledger) : 0;

    for (int32_t g = 0; g < n; g++) {
        int32_t width = fit(d, g);

        if (width != ledger_group_width(d->ledger, g)) {
            ledger_set_width(d->ledger, g, width);
            set_price(d, g);
        }
    }
}

/* Let the ledger have all widths that groups may get, and set them. */
static int allow_widths(struct dispatch *d, struct err *err)
{
    int32_t n_groups = ledger_n_groups(d->ledger), most = 1, n = 0, *widths;
    int rc;

    for (int32_t g = 0; g < n_groups; g++)
        most = d->widths[g] > most ? d->widths[g] : most;
    if (most == 1)
        return 0;
    widths = calloc((size_t)most + 1, sizeof *widths);
    if (!widths)
        return err_nomem(err, "widths", (size_t)most * sizeof *widths);
    for (int32_t g = 0; g < n_groups; g++)
        for (int32_t width = d->widths[g]; width && !widths[width];
             width = d->can_shrink ? width / 2 : 0)
            widths[width] = 1;
    for (int32_t width = 2; width <= most; width++)
        if (widths[width])
            widths[n++] = width;
    rc = ledger_allow_widths(d->ledger, widths, n, err);
    free(widths);
    adapt_widths(d);
    return rc;
}

int32_t dispatch_width(const struct dispatch *d, int64_t trial)
{
    int32_t lessee = ledger_lessee(d->ledger, trial);

    if (lessee < 0)
        return ledger_width(d->ledger, trial);
    return d->gang_of[lessee] ? d->gang_of[lessee]->n : 1;
}

/* The part of its workers on which a trial runs. */
static double width_share(const struct dispatch *d, int64_t trial)
{
    return (double)dispatch_width(d, trial) / d->widths[ledger_group(d->ledger, trial)];
}

/* ---- members of gangs ---- */

const struct gang *dispatch_gang(const struct dispatch *d, int32_t worker)
{
    return d->gang_of[worker];
}

int32_t dispatch_host(const struct dispatch *d, int32_t worker)
{
    return d->fleet.host_of[worker];
}

static void drop_all(struct dispatch *d, int32_t worker)
{
    fleet_drop(&d->fleet, worker, d->fleet.of[worker].held_s);
}

/* The trial has a result or went back; the ledger knows. */
static void end_gang(struct dispatch *d, struct gang *gang)
{
    gang->is_over = true;
    for (int32_t i = 0; i < gang->n; i++)
        if (d->gang_of[gang->workers[i]] == gang)
            drop_all(d, gang->workers[i]);
    if (!ledger_counts(d->ledger).leased)
        d->fleet.held_s = 0; /* leaves no rounding error */
}

/* A worker is no longer in its gang, if it was in one. */
static void leave_gang(struct dispatch *d, int32_t worker)
{
    struct gang *gang = d->gang_of[worker];

    if (!gang)
        return;
    d->gang_of[worker] = NULL;
    drop_all(d, worker);
    if (!--gang->n_here) {
        gang->next = d->ended;
        d->ended = gang;
    }
    fleet_become_idle(&d->fleet, worker);
}

void dispatch_end_member(struct dispatch *d, int32_t worker, int64_t number)
{
    const struct gang *gang = d->gang_of[worker];

    if (gang && gang->number == number && (gang->is_over || gang->workers[0] != worker))
        leave_gang(d, worker);
}

/* The ledger has the trial of a gang in its leader's name. */
static int32_t answers_for(const struct dispatch *d, int32_t worker)
{
    const struct gang *gang = d->gang_of[worker];

    return gang && !gang->is_over ? gang->workers[0] : worker;
}

/* ---- life ---- */

struct dispatch *dispatch_create(struct ledger *ledger, struct cost *cost, int32_t n_workers,
                                 const int32_t *widths, bool can_shrink, const int32_t *hosts,
                                 struct err *err)
{
    struct dispatch *d = calloc(1, sizeof *d);
    size_t n = (size_t)ledger_counts(ledger).total, n_groups = (size_t)ledger_n_groups(ledger);

    if (!d) {
        err_nomem(err, "dispatch", sizeof *d);
        return NULL;
    }
    *d = (struct dispatch){.ledger = ledger,
                           .cost = cost,
                           .can_shrink = can_shrink,
                           .slowest_at = -1,
                           .rung_end = 1,
                           .rung_share = 1,
                           .whole_s = (double)INFINITY};
    d->predicted_s = calloc(n + 1, sizeof *d->predicted_s);
    d->done = calloc(n + 1, sizeof *d->done);
    d->widths = calloc(n_groups + 1, sizeof *d->widths);
    d->gang_of = calloc((size_t)n_workers + 1, sizeof(struct gang *));
    for (size_t g = 0; d->widths && g < n_groups; g++)
        d->widths[g] = widths ? widths[g] : 1;
    if (!d->predicted_s || !d->done || !d->widths || !d->gang_of ||
        fleet_init(&d->fleet, n_workers, hosts, err) || allow_widths(d, err)) {
        dispatch_destroy(d);
        err_nomem(err, "dispatch", n * (sizeof *d->predicted_s + sizeof *d->done));
        return NULL;
    }
    for (size_t i = 0; i < n; i++)
        d->predicted_s[i] = NAN;
    set_prices(d);
    return d;
}

void dispatch_destroy(struct dispatch *d)
{
    if (!d)
        return;
    for (int32_t worker = 0; worker < d->fleet.n; worker++)
        leave_gang(d, worker);
    dispatch_set_time(d, 0);
    fleet_release(&d->fleet);
    free(d->predicted_s);
    free(d->done);
    free(d->waiting);
    free(d->widths);
    free((void *)d->gang_of);
    free(d);
}

void dispatch_isolate(struct dispatch *d)
{
    d->is_isolated = true;
}

void dispatch_set_whole(struct dispatch *d, double whole_s)
{
    d->whole_s = whole_s;
}

void dispatch_set_time(struct dispatch *d, double now_s)
{
    d->fleet.now_s = now_s;
    while (d->ended) {
        struct gang *gang = d->ended;

        d->ended = gang->next;
        free(gang);
    }
}

/* ---- which gang is next ---- */

struct candidate {
    int64_t trial;
    int32_t width;
    double seconds, priority;
};

/* Return the longest trial of a tier; updates outdated prices. */
static int64_t longest(struct dispatch *d, int32_t tier, bool suspect, double most_s)
{
    int64_t next;

    while ((next = ledger_next_wide(d->ledger, tier, suspect, most_s)) >= 0) {
        if (isinf(most_s) || seconds_of(d, next) <= most_s)
            break;
        set_price(d, ledger_group(d->ledger, next));
    }
    return next;
}

static void consider(struct dispatch *d, struct candidate *best, int64_t trial, double priority)
{
    if (trial >= 0)
        *best = (struct candidate){.trial = trial,
                                   .width = ledger_width(d->ledger, trial),
                                   .seconds = seconds_of(d, trial),
                                   .priority = priority};
}

/* Wide gangs go before narrow ones, which fill the gaps. Gangs wider than half of the workers run one
 * after another, so time without one is lost: they go before all. Suspects go late, where the longest
 * may delay the end. */
static double priority_of(const struct dispatch *d, int64_t trial)
{
    int32_t width = ledger_is_suspect(d->ledger, trial) ? 1 : ledger_width(d->ledger, trial);
    double area = seconds_of(d, trial) * width;

    return 2 * width > d->fleet.n_alive ? area * FIRST : area;
}

/* Find the first gang in order that can run with the live workers in most_s. */
static bool find_first(struct dispatch *d, bool suspect, double most_s, struct candidate *first)
{
    int32_t n_alive = d->fleet.n_alive;

    *first = (struct candidate){.trial = NOWHERE, .priority = -1};
    if (!suspect && has_gangs(d))
        consider(d, first, find_resuming(d, 2, n_alive, most_s), INFINITY);
    for (int32_t tier = 1;
         tier < ledger_n_widths(d->ledger) && ledger_tier_width(d->ledger, tier) <= n_alive;
         tier++) {
        int64_t trial = longest(d, tier, suspect, most_s);

        if (trial >= 0 && priority_of(d, trial) > first->priority)
            consider(d, first, trial, priority_of(d, trial));
    }
    return first->trial >= 0;
}

/* True if a pending trial has a checkpoint or does not end within a whole run. */
static bool needs_parts(const struct dispatch *d, int64_t trial)
{
    return trial >= 0 && (dispatch_resumes(d, trial) || seconds_of(d, trial) > d->whole_s);
}

static bool any_needs_parts(struct dispatch *d)
{
    int32_t n_alive = d->fleet.n_alive;

    if (has_gangs(d) && find_resuming(d, 2, n_alive, (double)INFINITY) >= 0)
        return true;
    for (int32_t tier = 1;
         tier < ledger_n_widths(d->ledger) && ledger_tier_width(d->ledger, tier) <= n_alive; tier++)
        for (int suspect = 0; suspect < 2; suspect++)
            if (needs_parts(d, ledger_next_wide(d->ledger, tier, suspect, (double)INFINITY)))
                return true;
    return needs_parts(d, next_single(d, (double)INFINITY));
}

/* Return the limit for expected seconds on a worker of this slowness: left_s, or INFINITY if nothing
 * is known of seconds, so that a trial begins whatever time is left, or if a trial that needs parts may
 * begin, since nothing fits. */
static double limit_s(struct dispatch *d, double left_s, double slowness)
{
    double most_s = left_s / slowness;
    struct candidate first;

    if (left_s > 0 && !cost_is_known(d->cost))
        return (double)INFINITY;
    if (isinf(left_s) || left_s < LEAST_PART * d->whole_s || !any_needs_parts(d))
        return left_s;
    if (next_single(d, most_s) >= 0 || find_first(d, false, most_s, &first) ||
        find_first(d, true, most_s, &first))
        return left_s;
    return (double)INFINITY;
}

/* True if a gang, no suspect unless `suspect`, can begin with all live workers. */
static bool gang_can_begin(struct dispatch *d, bool suspect, double left_s)
{
    struct candidate first;
    double most_s;

    if (!has_gangs(d))
        return false;
    if (suspect) /* asked before the run ends: be exact */
        d->slowest_at = -1;
    most_s = limit_s(d, left_s, slowest(d)) / slowest(d);
    return find_first(d, false, most_s, &first) || (suspect && find_first(d, true, most_s, &first));
}

/* Choose the gang that goes first, unless a single trial comes before it in order. Suspects go last, or
 * if all others would wait for them. */
static bool choose_first(struct dispatch *d, double left_s, struct candidate *first)
{
    double most_s = left_s / slowest(d), safe_s = most_s / cost_margin(d->cost);
    int64_t single = ledger_next(d->ledger, NOWHERE, safe_s);

    if (find_first(d, true, most_s, first) && first->seconds >= left_each_s(d))
        return true;
    if (find_first(d, false, safe_s, first))
        return single < 0 || ledger_is_suspect(d->ledger, single) ||
               priority_of(d, single) <= first->priority;
    if (find_first(d, false, most_s, first))
        return true;
    single = ledger_next(d->ledger, NOWHERE, most_s);
    return (single < 0 || ledger_is_suspect(d->ledger, single)) &&
           find_first(d, true, most_s, first);
}

int32_t dispatch_lacks(const struct dispatch *d)
{
    if (ledger_next(d->ledger, NOWHERE, INFINITY) >= 0)
        return 0;
    for (int32_t tier = 1; tier < ledger_n_widths(d->ledger); tier++) {
        int32_t width = ledger_tier_width(d->ledger, tier);

        if (ledger_next_wide(d->ledger, tier, false, INFINITY) >= 0 ||
            ledger_next_wide(d->ledger, tier, true, INFINITY) >= 0)
            return width > d->fleet.n_alive ? width : 0;
    }
    return 0;
}

/* ---- placing gangs ---- */

/* Choose workers for a gang; returns the seconds until they are free. Losing worker 0, the
 * scheduler, would lose everything. backfills: reserved workers are not chosen, unless the gang ends
 * before they are needed. */
static double choose_workers(struct dispatch *d, const struct candidate *c, bool backfills)
{
    struct fleet *f = &d->fleet;
    bool spares_reserved = backfills && c->seconds > f->reserved.at_s - f->now_s;

    for (int32_t worker = 0; worker < f->n; worker++) {
        bool is_spared = spares_reserved && f->reserved.has[worker];

        f->free_s[worker] = is_spared ? INFINITY : fleet_free_in(f, worker);
    }
    if (!d->is_isolated && ledger_is_suspect(d->ledger, c->trial) && f->n_alive > c->width)
        f->free_s[0] = INFINITY;
    return fleet_choose(f, c->width, backfills ? (double)INFINITY : PATIENCE * c->seconds);
}

/* On the chosen workers. */
static int place(struct dispatch *d, const struct candidate *c, const struct gang **out,
                 struct err *err)
{
    size_t n = (size_t)c->width;
    struct gang *gang = malloc(sizeof *gang + n * sizeof *gang->workers);
    double slowness = 0;

    if (!gang)
        return err_nomem(err, "gang", n * sizeof *gang->workers);
    *gang = (struct gang){
        .number = ++d->n_placed, .trial = c->trial, .n = c->width, .n_here = c->width};
    memcpy(gang->workers, d->fleet.chosen, n * sizeof *gang->workers);
    for (int32_t i = 0; i < gang->n; i++)
        slowness = fmax(slowness, cost_slowness(d->cost, gang->workers[i]));
    gang->seconds = c->seconds * slowness;
    if (ledger_lease(d->ledger, gang->workers[0], gang->trial, err)) {
        free(gang);
        return -1;
    }
    d->predicted_s[gang->trial] = (float)(cost_is_known(d->cost) ? gang->seconds : -gang->seconds);
    for (int32_t i = 0; i < gang->n; i++) {
        d->gang_of[gang->workers[i]] = gang;
        fleet_hold(&d->fleet, gang->workers[i], (double)(float)gang->seconds);
    }
    if (d->fleet.reserved.trial == gang->trial)
        fleet_cancel(&d->fleet);
    fleet_offer_again(&d->fleet); /* nothing else may fit now, and parts begin */
    *out = gang;
    return 1;
}

static bool fits(struct dispatch *d, int64_t trial, struct candidate *c)
{
    consider(d, c, trial, 0);
    return trial >= 0 && choose_workers(d, c, true) <= 0;
}

/* Place a gang that does not delay the first one: on workers that are not reserved, or for a short
 * time. The widest goes first. */
static int backfill(struct dispatch *d, double left_s, const struct gang **out, struct err *err)
{
    const struct reservation *r = &d->fleet.reserved;
    double safe_s = left_s / slowest(d) / cost_margin(d->cost);
    double window_s = r->trial == NOWHERE ? safe_s : fmin(safe_s, r->at_s - d->fleet.now_s);
    struct room idle = fleet_room(&d->fleet, true), spare = fleet_room(&d->fleet, false);
    struct candidate c;

    for (int32_t tier = ledger_n_widths(d->ledger) - 1; tier > 0; tier--) {
        int32_t width = ledger_tier_width(d->ledger, tier);

        if ((fleet_may_fit(&d->fleet, spare, width) &&
             fits(d, longest(d, tier, false, safe_s), &c)) ||
            (fleet_may_fit(&d->fleet, idle, width) &&
             fits(d, longest(d, tier, false, window_s), &c)))
            return place(d, &c, out, err);
    }
    return 0;
}

/* The reserved gang stays the first, unless it can no longer run. */
static bool find_reserved(struct dispatch *d, double left_s, struct candidate *first)
{
    const struct reservation *r = &d->fleet.reserved;

    if (r->trial == NOWHERE)
        return false;
    consider(d, first, r->trial, 0);
    if (ledger_state(d->ledger, r->trial) == TRIAL_PENDING && first->width == r->width &&
        first->width <= d->fleet.n_alive && first->seconds * slowest(d) <= left_s)
        return true;
    fleet_cancel(&d->fleet);
    return false;
}

/* True if the first gang may fit now, or its reservation is wanting. */
static bool is_due(struct dispatch *d, int32_t width)
{
    const struct reservation *r = &d->fleet.reserved;

    if (r->trial == NOWHERE || r->at_s <= d->fleet.now_s)
        return true;
    return d->fleet.n_idle >= width &&
           (!r->is_together || fleet_room(&d->fleet, true).most_here >= width);
}

int dispatch_place(struct dispatch *d, double left_s, const struct gang **out, struct err *err)
{
    struct candidate first;
    double wait_s;

    if (!has_gangs(d))
        return 0;
    left_s = limit_s(d, left_s, slowest(d));
    if (!find_reserved(d, left_s, &first) && !choose_first(d, left_s, &first))
        return 0;
    if (is_due(d, first.width)) {
        wait_s = choose_workers(d, &first, false);
        if (wait_s <= 0)
            return place(d, &first, out, err);
        if (wait_s + first.seconds * slowest(d) * cost_margin(d->cost) <= left_s)
            fleet_reserve(&d->fleet, first.trial, first.width, d->fleet.now_s + wait_s);
        else
            fleet_cancel(&d->fleet);
    }
    return backfill(d, left_s, out, err);
}

/* ---- single trials ---- */

/* True if a worker that holds trials may also get one of next_s seconds. */
static bool has_room(const struct dispatch *d, int32_t worker, double next_s)
{
    const struct worker_load *load = &d->fleet.of[worker];
    int64_t held = ledger_held(d->ledger, worker);
    double running_s = load->held_s / (double)held;
    double ready_s = load->held_s - running_s;
    double share_s = ledger_pending_s(d->ledger) / (2 * d->fleet.n_alive);

    if (load->is_late || fmax(next_s, running_s) >= ALONE_S || held >= DISPATCH_MAX)
        return false;
    if (!cost_is_measured(d->cost))
        return held < 2;
    return ready_s < AHEAD_S && ready_s + next_s <= share_s;
}

/* Losing worker 0, the scheduler, would lose everything. */
static bool may_run(const struct dispatch *d, int32_t worker, int64_t trial)
{
    return trial >= 0 && (worker != 0 || d->fleet.n_alive == 1 || d->is_isolated ||
                          !ledger_is_suspect(d->ledger, trial));
}

/* While a suspect is urgent, no worker gets other trials: the first that becomes empty takes it. All
 * workers would wait for it at the end. (Those running when a host dies are long, and most are
 * innocent.) */
static int64_t next_trial(struct dispatch *d, int32_t worker, double most_s)
{
    int64_t suspect = ledger_next_suspect(d->ledger, most_s), next;
    bool is_urgent = may_run(d, worker, suspect) &&
                     ledger_expected(d->ledger, ledger_group(d->ledger, suspect)) >= left_each_s(d);

    if (ledger_held(d->ledger, worker))
        return is_urgent ? NOWHERE : ledger_next(d->ledger, worker, most_s);
    if (is_urgent)
        return suspect;
    next = next_single(d, most_s);
    /* Gangs need the ranks that a suspect may take down. */
    if (ledger_is_suspect(d->ledger, next) && gang_can_begin(d, false, d->left_s))
        return NOWHERE;
    return next;
}

/* Return the next trial of at most most_s; updates outdated prices. */
static int64_t next_fitting(struct dispatch *d, int32_t worker, double most_s)
{
    int64_t next;

    while ((next = next_trial(d, worker, most_s)) >= 0) {
        if (isinf(most_s) || seconds_of(d, next) <= most_s)
            break;
        set_price(d, ledger_group(d->ledger, next));
    }
    return may_run(d, worker, next) ? next : NOWHERE;
}

int32_t dispatch_assign(struct dispatch *d, int32_t worker, double left_s,
                        int64_t out[DISPATCH_MAX], struct err *err)
{
    const struct worker_load *load = &d->fleet.of[worker];
    double slowness = cost_slowness(d->cost, worker);
    int32_t n = 0;

    if (d->gang_of[worker])
        return 0;
    d->left_s = left_s;
    left_s = limit_s(d, left_s, slowness);
    if (d->fleet.reserved.has[worker])
        left_s = fmin(left_s, d->fleet.reserved.at_s - d->fleet.now_s);
    while (n < DISPATCH_MAX && load->presence == PRESENT) {
        double safe_s = left_s / cost_margin(d->cost) - load->held_s, next_s;
        int64_t next = next_fitting(d, worker, safe_s / slowness);

        if (next < 0 && !isinf(left_s) && !ledger_held(d->ledger, worker))
            next = next_fitting(d, worker, left_s / slowness);
        if (next < 0)
            break;
        next_s = seconds_of(d, next) * slowness;
        if (ledger_held(d->ledger, worker) &&
            (dispatch_resumes(d, next) || !has_room(d, worker, next_s)))
            break;
        if (ledger_lease(d->ledger, worker, next, err))
            return -1;
        d->predicted_s[next] = (float)(cost_is_known(d->cost) ? next_s : -next_s);
        fleet_hold(&d->fleet, worker, (double)(float)next_s);
        out[n++] = next;
        if (dispatch_resumes(d, next))
            break;
    }
    if (load->idle_place != NOWHERE)
        fleet_pass_over(&d->fleet, worker);
    return n;
}

int32_t dispatch_idle(const struct dispatch *d)
{
    const struct fleet *f = &d->fleet;
    bool is_any = f->n_idle > f->n_passed && ledger_counts(d->ledger).pending;

    return is_any ? f->idle[f->n_idle - 1] : NOWHERE;
}

bool dispatch_can_begin(struct dispatch *d, double left_s)
{
    bool can = false;

    if (d->is_stale)
        set_prices(d);
    if (ledger_counts(d->ledger).pending)
        can = gang_can_begin(d, true, left_s);
    for (int32_t worker = 0; worker < d->fleet.n && !can; worker++) {
        double slowness = cost_slowness(d->cost, worker);

        can = d->fleet.of[worker].presence == PRESENT &&
              may_run(d, worker, next_single(d, limit_s(d, left_s, slowness) / slowness));
    }
    if (can && !dispatch_n_busy(d))
        fleet_offer_again(&d->fleet);
    return can;
}

/* ---- from the workers ---- */

static void take_away(struct dispatch *d, int32_t worker, int64_t trial)
{
    if (ledger_held(d->ledger, worker)) {
        fleet_drop(&d->fleet, worker, (double)fabsf(d->predicted_s[trial]));
        return;
    }
    drop_all(d, worker); /* leaves no rounding error */
    fleet_become_idle(&d->fleet, worker);
}

void dispatch_start(struct dispatch *d, int32_t worker, int64_t trial)
{
    ledger_start(d->ledger, worker, trial);
}

bool dispatch_finish(struct dispatch *d, int32_t worker, int64_t trial, enum trial_state state,
                     double seconds)
{
    int32_t lessee = ledger_lessee(d->ledger, trial);
    struct gang *gang = lessee < 0 ? NULL : d->gang_of[lessee];
    double share = lessee == worker ? width_share(d, trial) : 1;
    bool is_first = ledger_finish(d->ledger, trial, state);

    d->fleet.of[worker].is_late = false;
    if (gang)
        end_gang(d, gang);
    else if (lessee >= 0)
        take_away(d, lessee, trial);
    if (is_first && (state == TRIAL_DONE || state == TRIAL_HELD)) {
        if (lessee == worker && seconds > 0 && d->predicted_s[trial] > 0 &&
            !dispatch_resumes(d, trial))
            cost_compare(d->cost, seconds / (double)d->predicted_s[trial]);
        learn(d, ledger_group(d->ledger, trial), worker,
              seconds * share / (state == TRIAL_HELD ? d->rung_end : 1));
    }
    return is_first;
}

void dispatch_give_back(struct dispatch *d, int32_t worker, int64_t trial)
{
    struct gang *gang = d->gang_of[worker];

    d->fleet.of[worker].is_late = !gang;
    if (ledger_lessee(d->ledger, trial) != worker)
        return;
    ledger_give_back(d->ledger, trial);
    if (gang)
        end_gang(d, gang);
    else
        take_away(d, worker, trial);
    let_wait(d, trial);
    fleet_offer_again(&d->fleet);
}

void dispatch_suspect(struct dispatch *d, int64_t trial)
{
    ledger_blame(d->ledger, trial, 1);
    fleet_offer_again(&d->fleet);
}

void dispatch_reopen(struct dispatch *d, int64_t trial)
{
    ledger_reopen(d->ledger, trial);
    let_wait(d, trial);
    fleet_offer_again(&d->fleet);
}

void dispatch_set_rung(struct dispatch *d, double end, double share)
{
    d->rung_end = end;
    d->rung_share = share;
    set_prices(d);
}

static void go(struct dispatch *d, int32_t worker, enum presence presence)
{
    leave_gang(d, worker);
    d->slowest_at = -1;
    fleet_go(&d->fleet, worker, presence);
    adapt_widths(d);
}

void dispatch_leave(struct dispatch *d, int32_t worker)
{
    const struct gang *gang = d->gang_of[worker];

    if (gang && !gang->is_over)
        dispatch_give_back(d, gang->workers[0], gang->trial);
    go(d, worker, LEFT);
}

int32_t dispatch_blames(const struct dispatch *d, int32_t worker, int32_t max, int64_t *out)
{
    return ledger_blames(d->ledger, answers_for(d, worker), max, out);
}

int64_t dispatch_lose(struct dispatch *d, int32_t worker)
{
    struct gang *gang = d->gang_of[worker];
    int64_t failed = ledger_lose_worker(d->ledger, answers_for(d, worker));

    if (gang && !gang->is_over)
        end_gang(d, gang);
    drop_all(d, worker);
    d->fleet.of[worker].is_late = false;
    if (d->fleet.of[worker].presence == PRESENT)
        go(d, worker, LOST);
    return failed;
}

void dispatch_return(struct dispatch *d, int32_t worker)
{
    if (d->fleet.of[worker].presence != LOST)
        return;
    d->fleet.of[worker].presence = PRESENT;
    d->fleet.n_alive++;
    adapt_widths(d);
    fleet_become_idle(&d->fleet, worker);
}

/* ---- views ---- */

double dispatch_predicted(const struct dispatch *d, int64_t trial)
{
    return d->predicted_s[trial] > 0 ? d->predicted_s[trial] : (double)NAN;
}

void dispatch_ran_in_vain(struct dispatch *d, int64_t trial, double seconds)
{
    int32_t group = ledger_group(d->ledger, trial);

    cost_at_least(d->cost, group, 2 * seconds * width_share(d, trial));
    set_price(d, group);
}

bool dispatch_was_handed_out(const struct dispatch *d, int64_t trial)
{
    return !isnan(d->predicted_s[trial]);
}

double dispatch_expected_s(const struct dispatch *d, int64_t trial)
{
    return cost_is_known(d->cost) ? seconds_of(d, trial) : (double)NAN;
}

const struct ledger *dispatch_ledger(const struct dispatch *d)
{
    return d->ledger;
}

int32_t dispatch_n_busy(const struct dispatch *d)
{
    return d->fleet.n_alive - d->fleet.n_idle;
}

int32_t dispatch_n_alive(const struct dispatch *d)
{
    return d->fleet.n_alive;
}

double dispatch_left_s(const struct dispatch *d)
{
    return cost_is_known(d->cost) ? left_each_s(d) : (double)NAN;
}

/* ---- invariants ---- */

static int check_worker(const struct dispatch *d, int32_t worker, struct err *err)
{
    const struct gang *gang = d->gang_of[worker];
    int64_t held = ledger_held(d->ledger, worker);
    bool leads = gang && !gang->is_over && gang->workers[0] == worker;
    bool is_here = d->fleet.of[worker].presence == PRESENT;
    bool is_idle = d->fleet.of[worker].idle_place != NOWHERE;
    int32_t n_here = 0;

    if (is_here ? is_idle != (!held && !gang) : held || gang)
        return err_set(err, "worker %d holds %ld trials: it is gone or idle", worker, (long)held);
    for (int32_t i = 0; gang && i < gang->n; i++)
        n_here += d->gang_of[gang->workers[i]] == gang;
    if (gang && (held != leads || n_here != gang->n_here || gang->n < 2 ||
                 (leads && ledger_lessee(d->ledger, gang->trial) != worker)))
        return err_set(err, "worker %d holds %ld trials, and is in gang %ld of %d, %d here", worker,
                       (long)held, (long)gang->number, gang->n, n_here);
    return 0;
}

int dispatch_check(const struct dispatch *d, struct err *err)
{
    double *held_s = calloc((size_t)d->fleet.n + 1, sizeof *held_s);
    int64_t n = ledger_counts(d->ledger).total;
    int rc = 0;

    if (!held_s)
        return err_nomem(err, "workers", (size_t)d->fleet.n * sizeof *held_s);
    for (int64_t trial = 0; trial < n && !rc; trial++) {
        int32_t lessee = ledger_lessee(d->ledger, trial);
        const struct gang *gang = lessee < 0 ? NULL : d->gang_of[lessee];

        if (gang && gang->trial != trial)
            rc = err_set(err, "trial %ld is leased to the leader of the gang of %ld", (long)trial,
                         (long)gang->trial);
        for (int32_t i = 0; lessee >= 0 && i < (gang ? gang->n : 1); i++) {
            int32_t worker = gang ? gang->workers[i] : lessee;

            if (d->gang_of[worker] == gang)
                held_s[worker] += (double)fabsf(d->predicted_s[trial]);
        }
    }
    for (int32_t worker = 0; worker < d->fleet.n && !rc; worker++)
        rc = check_worker(d, worker, err);
    for (int32_t g = 0; g < ledger_n_groups(d->ledger) && !rc; g++)
        if (ledger_group_width(d->ledger, g) != fit(d, g))
            rc = err_set(err, "group %d has width %d of %d", g, ledger_group_width(d->ledger, g),
                         d->widths[g]);
    rc = rc || fleet_check(&d->fleet, held_s, err) || ledger_check(d->ledger, err) ? -1 : 0;
    free(held_s);
    return rc;
}
