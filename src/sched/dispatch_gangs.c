/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/dispatch_state.h"

/* A gang waits for one host for up to this share of its own seconds. */
#define PATIENCE 0.1
#define SOON_S 1e-3
#define FIRST 1e9

/* Workers of some kind. */
struct room {
    int32_t n, most_here; /* most_here: on one host */
};

struct candidate {
    int64_t trial;
    int32_t width;
    double seconds, priority;
};

/* ---- life ---- */

struct gangs *gangs_create(const int32_t *widths, int32_t n_groups, int32_t n_workers,
                           const int32_t *hosts, struct err *err)
{
    struct gangs *g = calloc(1, sizeof *g);
    size_t n = (size_t)n_workers + 1;

    if (g && placement_init(&g->placement, n_workers, hosts, err)) {
        free(g);
        return NULL;
    }
    if (g) {
        g->of = calloc(n, sizeof(struct gang *));
        g->free_s = calloc(n, sizeof *g->free_s);
        g->chosen = calloc(n, sizeof *g->chosen);
        g->idle_here = calloc(n, sizeof *g->idle_here);
        g->spare_here = calloc(n, sizeof *g->spare_here);
        g->reserved.has = calloc(n, sizeof *g->reserved.has);
        g->widths = malloc((size_t)n_groups * sizeof *g->widths);
    }
    if (!g || !g->widths || !g->of || !g->free_s || !g->chosen || !g->idle_here || !g->spare_here ||
        !g->reserved.has) {
        gangs_destroy(g, 0);
        err_nomem(err, "gangs", n * sizeof *g->free_s);
        return NULL;
    }
    g->reserved.trial = NOWHERE;
    g->slowest_at = -1;
    memcpy(g->widths, widths, (size_t)n_groups * sizeof *widths);
    return g;
}

void gangs_destroy(struct gangs *g, int32_t n_workers)
{
    if (!g)
        return;
    for (int32_t worker = 0; worker < n_workers; worker++)
        if (g->of[worker] && !--g->of[worker]->n_here)
            free(g->of[worker]);
    placement_release(&g->placement);
    free((void *)g->of);
    free(g->free_s);
    free(g->chosen);
    free(g->idle_here);
    free(g->spare_here);
    free(g->reserved.has);
    free(g->widths);
    free(g);
}

/* ---- widths ---- */

/* Half of a width is tried before a quarter, so that there are few different ones. */
static int32_t fit(const struct gangs *g, int32_t group, int32_t n_alive)
{
    int32_t width = g->widths[group];

    while (g->can_shrink && width > n_alive && width > 1)
        width /= 2;
    return width;
}

int gangs_allow_widths(struct dispatch *d, struct err *err)
{
    int32_t n_groups = ledger_n_groups(d->ledger), most = 1, n = 0, *widths;
    bool *is_allowed;
    int rc;

    for (int32_t g = 0; g < n_groups; g++)
        most = d->gangs->widths[g] > most ? d->gangs->widths[g] : most;
    widths = calloc((size_t)most + 1, sizeof *widths);
    is_allowed = calloc((size_t)most + 1, sizeof *is_allowed);
    if (!widths || !is_allowed) {
        free(widths);
        free(is_allowed);
        return err_nomem(err, "widths", (size_t)most * sizeof *widths);
    }
    for (int32_t g = 0; g < n_groups; g++)
        for (int32_t width = d->gangs->widths[g]; width && !is_allowed[width];
             width = d->gangs->can_shrink ? width / 2 : 0)
            is_allowed[width] = true;
    for (int32_t width = 2; width <= most; width++)
        if (is_allowed[width])
            widths[n++] = width;
    rc = ledger_allow_widths(d->ledger, widths, n, err);
    for (int32_t g = 0; !rc && g < n_groups; g++)
        ledger_set_width(d->ledger, g, fit(d->gangs, g, d->n_alive));
    free(widths);
    free(is_allowed);
    return rc;
}

void gangs_count_alive(struct dispatch *d)
{
    int32_t n = d->gangs && d->gangs->can_shrink ? ledger_n_groups(d->ledger) : 0;

    for (int32_t g = 0; g < n; g++) {
        int32_t width = fit(d->gangs, g, d->n_alive);

        if (width == ledger_group_width(d->ledger, g))
            continue;
        ledger_set_width(d->ledger, g, width);
        dispatch_set_price(d, g);
    }
}

/* ---- reservation ---- */

static void cancel(struct dispatch *d)
{
    struct reservation *r = &d->gangs->reserved;

    if (r->trial == NOWHERE)
        return;
    r->trial = NOWHERE;
    memset(r->has, 0, (size_t)d->n_workers * sizeof *r->has);
    dispatch_offer_again(d);
}

static bool has_all(const struct reservation *r, const int32_t *workers, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (!r->has[workers[i]])
            return false;
    return true;
}

static void reserve(struct dispatch *d, const struct candidate *c, const int32_t *workers,
                    double at_s)
{
    const int32_t *host_of = d->gangs->placement.host_of;
    struct reservation *r = &d->gangs->reserved;

    if (r->trial == c->trial && r->width == c->width && r->at_s >= at_s &&
        has_all(r, workers, c->width))
        return;
    cancel(d);
    r->trial = c->trial;
    r->width = c->width;
    r->at_s = at_s;
    r->is_together = host_of[workers[0]] == host_of[workers[c->width - 1]];
    for (int32_t i = 0; i < c->width; i++)
        r->has[workers[i]] = true;
    dispatch_offer_again(d);
}

double gangs_most_s(const struct dispatch *d, int32_t worker, double left_s)
{
    const struct reservation *r = &d->gangs->reserved;

    return r->has[worker] ? fmin(left_s, r->at_s - d->now_s) : left_s;
}

/* ---- members ---- */

void gangs_end(struct dispatch *d, struct gang *gang)
{
    gang->is_over = true;
    for (int32_t i = 0; i < gang->n; i++) {
        struct worker_load *load = &d->loads[gang->workers[i]];

        if (gang_of(d, gang->workers[i]) != gang)
            continue;
        d->held_s -= load->held_s;
        load->held_s = 0;
        load->began_s = d->now_s;
    }
    if (!ledger_counts(d->ledger).leased)
        d->held_s = 0; /* leaves no rounding error */
}

void gangs_remove(struct dispatch *d, int32_t worker)
{
    struct gang *gang = gang_of(d, worker);

    if (!gang)
        return;
    d->gangs->of[worker] = NULL;
    d->held_s -= d->loads[worker].held_s;
    d->loads[worker].held_s = 0;
    if (!--gang->n_here)
        free(gang);
    dispatch_become_idle(d, worker);
}

void gangs_forget(struct dispatch *d, int32_t worker)
{
    if (!d->gangs)
        return;
    gangs_remove(d, worker);
    d->gangs->slowest_at = -1;
    if (d->gangs->reserved.has[worker])
        cancel(d);
}

void dispatch_end_member(struct dispatch *d, int32_t worker, int64_t number)
{
    const struct gang *gang = gang_of(d, worker);

    if (gang && gang->number == number && (gang->is_over || gang->workers[0] != worker))
        gangs_remove(d, worker);
}

int32_t dispatch_width(const struct dispatch *d, int64_t trial)
{
    int32_t lessee = ledger_lessee(d->ledger, trial);
    const struct gang *gang = lessee < 0 ? NULL : gang_of(d, lessee);

    if (lessee < 0)
        return ledger_width(d->ledger, trial);
    return gang ? gang->n : 1;
}

const struct gang *dispatch_gang(const struct dispatch *d, int32_t worker)
{
    return gang_of(d, worker);
}

int32_t dispatch_host(const struct dispatch *d, int32_t worker)
{
    return d->gangs ? d->gangs->placement.host_of[worker] : 0;
}

/* ---- candidates ---- */

/* Near the end of the time a gang must fit its slowest member. */
static double slowest(struct dispatch *d)
{
    struct gangs *g = d->gangs;

    if (g->slowest_at >= 0 && d->n_results - g->slowest_at < d->n_workers)
        return g->slowest;
    g->slowest_at = d->n_results;
    g->slowest = 0;
    for (int32_t worker = 0; worker < d->n_workers; worker++)
        if (d->loads[worker].presence == PRESENT)
            g->slowest = fmax(g->slowest, cost_slowness(d->cost, worker));
    return g->slowest;
}

/* Return the longest trial of a tier; updates outdated prices. */
static int64_t longest(struct dispatch *d, int32_t tier, bool suspect, double most_s)
{
    int64_t next;

    while ((next = ledger_next_wide(d->ledger, tier, suspect, most_s)) >= 0) {
        if (isinf(most_s) || resumes_seconds(d->resumes, next) <= most_s)
            break;
        dispatch_set_price(d, ledger_group(d->ledger, next));
    }
    return next;
}

static void consider(struct dispatch *d, struct candidate *best, int64_t trial, double priority)
{
    if (trial < 0)
        return;
    *best = (struct candidate){.trial = trial,
                               .width = ledger_width(d->ledger, trial),
                               .seconds = resumes_seconds(d->resumes, trial),
                               .priority = priority};
}

/* Wide gangs go before narrow ones, which fill the gaps. Gangs wider than half of the workers run one
 * after another, so time without one is lost: they go before all. Suspects go late, where the longest
 * may delay the end. */
static double priority_of(const struct dispatch *d, int64_t trial)
{
    int32_t width = ledger_is_suspect(d->ledger, trial) ? 1 : ledger_width(d->ledger, trial);

    double area = resumes_seconds(d->resumes, trial) * width;

    return 2 * width > d->n_alive ? area * FIRST : area;
}

/* Find the first gang in order that can run with the live workers in most_s. */
static bool find_first(struct dispatch *d, bool suspect, double most_s, struct candidate *first)
{
    *first = (struct candidate){.trial = NOWHERE, .priority = -1};
    if (!suspect)
        consider(d, first, resumes_find(d->resumes, 2, d->n_alive, most_s), INFINITY);
    for (int32_t tier = 1; tier < ledger_n_widths(d->ledger); tier++) {
        int64_t trial;

        if (ledger_tier_width(d->ledger, tier) > d->n_alive)
            break;
        trial = longest(d, tier, suspect, most_s);
        if (trial >= 0 && priority_of(d, trial) > first->priority)
            consider(d, first, trial, priority_of(d, trial));
    }
    return first->trial >= 0;
}

static int64_t clear_single(const struct dispatch *d, double most_s)
{
    int64_t single = ledger_next(d->ledger, NOWHERE, most_s);

    return single >= 0 && !ledger_is_suspect(d->ledger, single) ? single : NOWHERE;
}

/* A single trial goes first if it comes before the gang in order. */
static bool is_single_first(const struct dispatch *d, const struct candidate *gang, double most_s)
{
    int64_t single = clear_single(d, most_s);

    return single >= 0 && priority_of(d, single) > gang->priority;
}

/* Choose the gang that goes first, unless a single trial does. Suspects go last, or if all others
 * would wait for them. */
static bool choose_first(struct dispatch *d, double left_s, struct candidate *first)
{
    double most_s = isinf(left_s) ? left_s : left_s / slowest(d);
    double safe_s = most_s / dispatch_margin(d);

    if (find_first(d, true, most_s, first) && first->seconds >= dispatch_left_each_s(d))
        return true;
    if (find_first(d, false, safe_s, first))
        return !is_single_first(d, first, safe_s);
    if (find_first(d, false, most_s, first))
        return true;
    return clear_single(d, most_s) < 0 && find_first(d, true, most_s, first);
}

bool gangs_any_fits(struct dispatch *d, double most_s)
{
    struct candidate first;

    return d->gangs &&
           (find_first(d, false, most_s, &first) || find_first(d, true, most_s, &first));
}

static bool tier_needs_parts(const struct dispatch *d, int32_t tier, bool suspect)
{
    int64_t next = ledger_next_wide(d->ledger, tier, suspect, (double)INFINITY);

    return next >= 0 && dispatch_needs_parts(d, next);
}

bool gangs_need_parts(const struct dispatch *d)
{
    if (!d->gangs)
        return false;
    if (resumes_find(d->resumes, 2, d->n_alive, (double)INFINITY) >= 0)
        return true;
    for (int32_t tier = 1; tier < ledger_n_widths(d->ledger); tier++)
        if (ledger_tier_width(d->ledger, tier) <= d->n_alive &&
            (tier_needs_parts(d, tier, false) || tier_needs_parts(d, tier, true)))
            return true;
    return false;
}

bool gangs_can_begin(struct dispatch *d, bool suspect, double left_s)
{
    struct candidate first;
    double most_s;

    if (!d->gangs)
        return false;
    if (suspect) /* asked before the run ends: be exact */
        d->gangs->slowest_at = -1;
    left_s = dispatch_most_s(d, left_s, slowest(d));
    most_s = isinf(left_s) ? left_s : left_s / slowest(d);
    return find_first(d, false, most_s, &first) || (suspect && find_first(d, true, most_s, &first));
}

int32_t dispatch_lacks(const struct dispatch *d)
{
    if (!d->gangs || ledger_next(d->ledger, NOWHERE, INFINITY) >= 0)
        return 0;
    for (int32_t tier = 1; tier < ledger_n_widths(d->ledger); tier++) {
        int32_t width = ledger_tier_width(d->ledger, tier);

        if (ledger_next_wide(d->ledger, tier, false, INFINITY) >= 0 ||
            ledger_next_wide(d->ledger, tier, true, INFINITY) >= 0)
            return width > d->n_alive ? width : 0;
    }
    return 0;
}

/* ---- placing ---- */

static void add_worker(struct gangs *g, struct room *room, int32_t *here, int32_t worker)
{
    int32_t n = ++here[g->placement.host_of[worker]];

    room->most_here = n > room->most_here ? n : room->most_here;
    room->n++;
}

/* Count the idle workers, and those of them that are not reserved. */
static void count_rooms(const struct dispatch *d, struct room *idle, struct room *spare)
{
    struct gangs *g = d->gangs;
    size_t bytes = (size_t)g->placement.n_hosts * sizeof *g->idle_here;

    *idle = *spare = (struct room){0};
    memset(g->idle_here, 0, bytes);
    memset(g->spare_here, 0, bytes);
    for (int32_t i = 0; i < d->n_idle; i++) {
        add_worker(g, idle, g->idle_here, d->idle[i]);
        if (!g->reserved.has[d->idle[i]])
            add_worker(g, spare, g->spare_here, d->idle[i]);
    }
}

/* True if a gang that may not wait may fit. */
static bool has_room(const struct dispatch *d, const struct room *room, int32_t width)
{
    return width <= room->most_here ||
           (width > d->gangs->placement.largest_host && width <= room->n);
}

/* A trial that is late by x is expected to take x more. */
static double free_in(const struct dispatch *d, int32_t worker)
{
    const struct worker_load *load = &d->loads[worker];

    if (load->presence != PRESENT)
        return INFINITY;
    if (load->idle_place != NOWHERE)
        return 0;
    return fmax(fabs(load->began_s + load->held_s - d->now_s), SOON_S);
}

/* Choose workers for a gang; returns the seconds until they are free. Losing worker 0, the
 * scheduler, would lose everything. backfills: reserved workers are not chosen, unless the gang ends
 * before they are needed. */
static double choose_workers(struct dispatch *d, const struct candidate *c, bool backfills)
{
    struct gangs *g = d->gangs;
    const struct reservation *r = &g->reserved;
    bool spares_reserved = backfills && c->seconds > r->at_s - d->now_s;

    for (int32_t worker = 0; worker < d->n_workers; worker++) {
        bool is_spared = spares_reserved && r->has[worker];

        g->free_s[worker] = is_spared ? INFINITY : free_in(d, worker);
    }
    if (!d->is_isolated && ledger_is_suspect(d->ledger, c->trial) && d->n_alive > c->width)
        g->free_s[0] = INFINITY;
    return placement_choose(&g->placement, g->chosen, g->free_s, c->width,
                            backfills ? (double)INFINITY : PATIENCE * c->seconds);
}

static struct gang *form(struct dispatch *d, const struct candidate *c)
{
    struct gang *gang = malloc(sizeof *gang + (size_t)c->width * sizeof *gang->workers);
    double slowness = 0;

    if (!gang)
        return NULL;
    *gang = (struct gang){
        .number = ++d->gangs->n_placed, .trial = c->trial, .n = c->width, .n_here = c->width};
    for (int32_t i = 0; i < c->width; i++) {
        gang->workers[i] = d->gangs->chosen[i];
        slowness = fmax(slowness, cost_slowness(d->cost, gang->workers[i]));
    }
    gang->seconds = c->seconds * slowness;
    return gang;
}

static int place(struct dispatch *d, const struct candidate *c, const struct gang **out,
                 struct err *err)
{
    struct gang *gang = form(d, c);

    if (!gang)
        return err_nomem(err, "gang", (size_t)c->width * sizeof *gang->workers);
    if (ledger_lease(d->ledger, gang->workers[0], gang->trial, err)) {
        free(gang);
        return -1;
    }
    d->predicted_s[gang->trial] = (float)(cost_is_known(d->cost) ? gang->seconds : -gang->seconds);
    for (int32_t i = 0; i < gang->n; i++) {
        struct worker_load *load = &d->loads[gang->workers[i]];

        d->gangs->of[gang->workers[i]] = gang;
        load->held_s = (float)gang->seconds;
        load->began_s = d->now_s;
        d->held_s += load->held_s;
        dispatch_become_busy(d, gang->workers[i]);
    }
    if (d->gangs->reserved.trial == gang->trial)
        cancel(d);
    dispatch_offer_again(d); /* nothing else may fit now, and parts begin */
    *out = gang;
    return 1;
}

static bool fits(struct dispatch *d, int64_t trial, struct candidate *c)
{
    if (trial < 0)
        return false;
    consider(d, c, trial, 0);
    return choose_workers(d, c, true) <= 0;
}

/* Place a gang that does not delay the first one: on workers that are not reserved, or for a short
 * time. The widest goes first. */
static int backfill(struct dispatch *d, double left_s, const struct gang **out, struct err *err)
{
    const struct reservation *r = &d->gangs->reserved;
    double safe_s = isinf(left_s) ? left_s : left_s / slowest(d) / dispatch_margin(d);
    double window_s = r->trial == NOWHERE ? safe_s : fmin(safe_s, r->at_s - d->now_s);
    struct room idle, spare;
    struct candidate c;

    count_rooms(d, &idle, &spare);
    for (int32_t tier = ledger_n_widths(d->ledger) - 1; tier > 0; tier--) {
        int32_t width = ledger_tier_width(d->ledger, tier);

        if ((has_room(d, &spare, width) && fits(d, longest(d, tier, false, safe_s), &c)) ||
            (has_room(d, &idle, width) && fits(d, longest(d, tier, false, window_s), &c)))
            return place(d, &c, out, err);
    }
    return 0;
}

/* The reserved gang stays the first, unless it can no longer run. */
static bool find_reserved(struct dispatch *d, double left_s, struct candidate *first)
{
    const struct reservation *r = &d->gangs->reserved;

    if (r->trial == NOWHERE)
        return false;
    consider(d, first, r->trial, 0);
    if (ledger_state(d->ledger, r->trial) == TRIAL_PENDING && first->width == r->width &&
        first->width <= d->n_alive && first->seconds * slowest(d) <= left_s)
        return true;
    cancel(d);
    return false;
}

/* True if the first gang may fit now, or its reservation is wanting. */
static bool is_due(const struct dispatch *d, int32_t width)
{
    const struct reservation *r = &d->gangs->reserved;
    struct room idle, spare;

    if (r->trial == NOWHERE || r->at_s <= d->now_s)
        return true;
    if (d->n_idle < width)
        return false;
    count_rooms(d, &idle, &spare);
    return idle.most_here >= width || !r->is_together;
}

int dispatch_place(struct dispatch *d, double left_s, const struct gang **out, struct err *err)
{
    struct candidate first;
    double wait_s;

    if (!d->gangs)
        return 0;
    left_s = dispatch_most_s(d, left_s, slowest(d));
    if (!find_reserved(d, left_s, &first) &&
        (!ledger_n_wide(d->ledger) || !choose_first(d, left_s, &first)))
        return 0;
    if (is_due(d, first.width)) {
        wait_s = choose_workers(d, &first, false);
        if (wait_s <= 0)
            return place(d, &first, out, err);
        if (wait_s + first.seconds * slowest(d) * dispatch_margin(d) <= left_s)
            reserve(d, &first, d->gangs->chosen, d->now_s + wait_s);
        else
            cancel(d);
    }
    return backfill(d, left_s, out, err);
}

/* ---- invariants ---- */

static int check_gang(const struct dispatch *d, const struct gang *gang, struct err *err)
{
    int32_t n_here = 0;

    for (int32_t i = 0; i < gang->n; i++) {
        n_here += gang_of(d, gang->workers[i]) == gang;
        for (int32_t j = 0; j < i; j++)
            if (gang->workers[i] == gang->workers[j])
                return err_set(err, "worker %d is in it twice", gang->workers[i]);
    }
    if (n_here != gang->n_here)
        return err_set(err, "%d members are here, counted as %d", n_here, gang->n_here);
    if (gang->is_over)
        return 0;
    if (gang->n < 2 || ledger_lessee(d->ledger, gang->trial) != gang->workers[0] ||
        gang_of(d, gang->workers[0]) != gang)
        return err_set(err, "trial %ld of %d workers is leased to %d", (long)gang->trial, gang->n,
                       ledger_lessee(d->ledger, gang->trial));
    return 0;
}

static int check_worker(const struct dispatch *d, int32_t worker, struct err *err)
{
    const struct gang *gang = gang_of(d, worker);
    bool leads = gang && !gang->is_over && gang->workers[0] == worker;

    if (gang && check_gang(d, gang, err))
        return err_wrap(err, "gang %ld", (long)gang->number);
    if (gang && ledger_held(d->ledger, worker) != leads)
        return err_set(err, "worker %d is in gang %ld and holds %ld trials", worker,
                       (long)gang->number, (long)ledger_held(d->ledger, worker));
    if (d->gangs->reserved.has[worker] &&
        (d->gangs->reserved.trial == NOWHERE || d->loads[worker].presence != PRESENT))
        return err_set(err, "worker %d is reserved for %ld", worker,
                       (long)d->gangs->reserved.trial);
    return 0;
}

int gangs_check(const struct dispatch *d, struct err *err)
{
    int64_t n = d->gangs ? ledger_counts(d->ledger).total : 0;

    for (int32_t worker = 0; d->gangs && worker < d->n_workers; worker++)
        if (check_worker(d, worker, err))
            return -1;
    for (int64_t trial = 0; trial < n; trial++) {
        int32_t lessee = ledger_lessee(d->ledger, trial);
        const struct gang *gang = lessee < 0 ? NULL : gang_of(d, lessee);

        if (gang && gang->trial != trial)
            return err_set(err, "trial %ld is leased to the leader of the gang of %ld", (long)trial,
                           (long)gang->trial);
    }
    for (int32_t g = 0; d->gangs && g < ledger_n_groups(d->ledger); g++)
        if (ledger_group_width(d->ledger, g) != fit(d->gangs, g, d->n_alive))
            return err_set(err, "group %d has width %d of %d, %d alive", g,
                           ledger_group_width(d->ledger, g), d->gangs->widths[g], d->n_alive);
    return 0;
}
