/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/dispatch.h"

#include <math.h>
#include <stdlib.h>

#include "sched/cost.h"
#include "sched/dispatch_state.h"
#include "sched/ledger.h"
#include "sched/resumes.h"

/* Seconds of work ready at a worker beside its running trial. With nothing ready, a worker waits
 * for a few ms, because rank 0 sleeps between polls. For trials from half a second that is one
 * percent, so they go out one by one. */
#define AHEAD_S 0.1
#define ALONE_S 0.5
/* All prices are updated once in (configurations / this) results: about 1 us a result. */
#define PRICES_PER_RESULT 64
/* The margin, in mean deviations (of the logarithm); 99 in 100 normal errors are within it. At
 * first a factor of 2, which tens of results replace. */
#define DEVIATIONS 3
#define FIRST_DEVIATION (log(2) / DEVIATIONS)
#define FIRST_WEIGHT 4
#define DEVIATION_MEMORY 200
#define MOST_DEVIATION log(10) /* limit of one result */
#define LEAST_MARGIN 1.1
/* A part of a trial needs this share of a run, or it ends before it has saved anything. */
#define LEAST_PART 0.1

/* ---- idle workers ---- */

static void put_idle(struct dispatch *d, int32_t place, int32_t worker)
{
    d->idle[place] = worker;
    d->loads[worker].idle_place = place;
}

void dispatch_become_idle(struct dispatch *d, int32_t worker)
{
    if (d->loads[worker].idle_place == NOWHERE && d->loads[worker].presence == PRESENT)
        put_idle(d, d->n_idle++, worker);
}

/* The last of those passed over, then the last of all, move into the free places. */
void dispatch_become_busy(struct dispatch *d, int32_t worker)
{
    int32_t place = d->loads[worker].idle_place;

    if (place == NOWHERE)
        return;
    if (place < d->n_passed) {
        put_idle(d, place, d->idle[--d->n_passed]);
        place = d->n_passed;
    }
    if (place != --d->n_idle)
        put_idle(d, place, d->idle[d->n_idle]);
    d->loads[worker].idle_place = NOWHERE;
}

static void pass_over(struct dispatch *d, int32_t worker)
{
    int32_t place = d->loads[worker].idle_place;

    if (place < d->n_passed)
        return;
    put_idle(d, place, d->idle[d->n_passed]);
    put_idle(d, d->n_passed++, worker);
}

void dispatch_offer_again(struct dispatch *d)
{
    d->n_passed = 0;
}

static void take_away(struct dispatch *d, int32_t worker, int64_t trial)
{
    struct worker_load *load = &d->loads[worker];
    bool is_empty = ledger_held(d->ledger, worker) == 0;
    double s = is_empty ? load->held_s : fabsf(d->predicted_s[trial]); /* no rounding error */

    load->held_s -= s;
    load->began_s = d->now_s;
    d->held_s -= s;
    if (is_empty)
        dispatch_become_idle(d, worker);
}

/* ---- prices ---- */

void dispatch_set_price(struct dispatch *d, int32_t config)
{
    ledger_expect(d->ledger, config, resumes_group_seconds(d->resumes, config));
}

static void set_prices(struct dispatch *d)
{
    int32_t n = ledger_n_groups(d->ledger);

    for (int32_t config = 0; config < n; config++)
        dispatch_set_price(d, config);
    d->is_stale = false;
}

/* The first updates of all prices come when the results have become four times as many. */
static void learn(struct dispatch *d, int32_t config, int32_t worker, double seconds)
{
    int64_t most = ledger_n_groups(d->ledger) / PRICES_PER_RESULT;

    cost_observe(d->cost, config, worker, seconds);
    d->is_stale |= cost_refit(d->cost);
    d->n_results++;
    if (d->is_stale && d->n_results >= d->reprice_at) {
        set_prices(d);
        d->reprice_at = d->n_results + (3 * d->n_results < most ? 3 * d->n_results : most);
    } else {
        dispatch_set_price(d, config);
    }
}

static void learn_deviation(struct dispatch *d, double log_ratio)
{
    d->deviation_n += d->deviation_n < DEVIATION_MEMORY;
    d->deviation += (fmin(fabs(log_ratio), MOST_DEVIATION) - d->deviation) / d->deviation_n;
}

/* ---- life ---- */

static bool is_any_wide(const int32_t *widths, int32_t n_groups)
{
    for (int32_t g = 0; widths && g < n_groups; g++)
        if (widths[g] > 1)
            return true;
    return false;
}

static int create_gangs(struct dispatch *d, const int32_t *widths, bool can_shrink,
                        const int32_t *hosts, struct err *err)
{
    d->gangs = gangs_create(widths, ledger_n_groups(d->ledger), d->n_workers, hosts, err);
    if (!d->gangs)
        return -1;
    d->gangs->can_shrink = can_shrink;
    return gangs_allow_widths(d, err);
}

struct dispatch *dispatch_create(struct ledger *ledger, struct cost *cost, int32_t n_workers,
                                 const int32_t *widths, bool can_shrink, const int32_t *hosts,
                                 struct err *err)
{
    bool has_gangs = is_any_wide(widths, ledger_n_groups(ledger));
    struct dispatch *d = calloc(1, sizeof *d);
    size_t n = (size_t)ledger_counts(ledger).total, w = (size_t)n_workers;

    if (d) {
        d->ledger = ledger;
        d->cost = cost;
        d->loads = calloc(w, sizeof *d->loads);
        d->idle = calloc(w, sizeof *d->idle);
        d->predicted_s = calloc(n + 1, sizeof *d->predicted_s);
        d->n_workers = d->n_alive = n_workers;
        if (!has_gangs || !create_gangs(d, widths, can_shrink, hosts, err))
            d->resumes = resumes_create(ledger, cost, d->gangs ? d->gangs->widths : NULL, err);
    }
    if (!d || !d->loads || !d->idle || !d->predicted_s || !d->resumes) {
        dispatch_destroy(d);
        err_nomem(err, "dispatch", n * sizeof *d->predicted_s + w * sizeof *d->loads);
        return NULL;
    }
    d->whole_s = (double)INFINITY;
    d->deviation = FIRST_DEVIATION;
    d->deviation_n = FIRST_WEIGHT;
    for (size_t i = 0; i < n; i++)
        d->predicted_s[i] = NAN;
    for (int32_t worker = n_workers - 1; worker >= 0; worker--) {
        d->loads[worker].idle_place = NOWHERE;
        dispatch_become_idle(d, worker);
    }
    set_prices(d);
    return d;
}

void dispatch_destroy(struct dispatch *d)
{
    if (!d)
        return;
    free(d->loads);
    free(d->idle);
    free(d->predicted_s);
    gangs_destroy(d->gangs, d->n_workers);
    resumes_destroy(d->resumes);
    free(d);
}

/* ---- to the workers ---- */

/* True if a worker that holds trials may also get one of next_s seconds. */
static bool has_room(const struct dispatch *d, int32_t worker, double next_s)
{
    const struct worker_load *load = &d->loads[worker];
    int64_t held = ledger_held(d->ledger, worker);
    double running_s = load->held_s / (double)held;
    double ready_s = load->held_s - running_s;
    double share_s = ledger_pending_s(d->ledger) / (2 * d->n_alive);

    if (load->is_late || fmax(next_s, running_s) >= ALONE_S || held >= DISPATCH_MAX)
        return false;
    if (!cost_is_measured(d->cost))
        return held < 2;
    return ready_s < AHEAD_S && ready_s + next_s <= share_s;
}

void dispatch_isolate(struct dispatch *d)
{
    d->is_isolated = true;
}

void dispatch_set_whole(struct dispatch *d, double whole_s)
{
    d->whole_s = whole_s;
}

/* Losing worker 0, the scheduler, would lose everything. */
static bool may_run(const struct dispatch *d, int32_t worker, int64_t trial)
{
    return worker != 0 || d->n_alive == 1 || d->is_isolated || !ledger_is_suspect(d->ledger, trial);
}

double dispatch_left_each_s(const struct dispatch *d)
{
    return (ledger_pending_s(d->ledger) + fmax(d->held_s, 0)) / (d->n_alive ? d->n_alive : 1);
}

/* Return a suspect that all workers would wait for at the end. Those running when a host dies are
 * long, and most are innocent. */
static int64_t urgent_suspect(const struct dispatch *d, int32_t worker, double most_s)
{
    int64_t suspect = ledger_next_suspect(d->ledger, most_s);
    bool is_urgent;

    if (suspect < 0 || !may_run(d, worker, suspect))
        return NOWHERE;
    is_urgent =
        ledger_expected(d->ledger, ledger_group(d->ledger, suspect)) >= dispatch_left_each_s(d);
    return is_urgent ? suspect : NOWHERE;
}

/* While a suspect is urgent, no worker gets other trials: the first that becomes empty takes it. */
static int64_t next_trial(struct dispatch *d, int32_t worker, double most_s)
{
    int64_t suspect = urgent_suspect(d, worker, most_s), next;

    if (ledger_held(d->ledger, worker))
        return suspect < 0 ? ledger_next(d->ledger, worker, most_s) : NOWHERE;
    if (suspect >= 0)
        return suspect;
    next = resumes_next(d->resumes, most_s);
    /* Gangs need the ranks that a suspect may take down. */
    if (d->gangs && ledger_is_suspect(d->ledger, next) && gangs_can_begin(d, false, d->left_s))
        return NOWHERE;
    return next;
}

/* Return the next trial of at most most_s; updates outdated prices. */
static int64_t next_fitting(struct dispatch *d, int32_t worker, double most_s)
{
    int64_t next;

    while ((next = next_trial(d, worker, most_s)) >= 0) {
        int32_t config = ledger_group(d->ledger, next);

        if (isinf(most_s) || resumes_seconds(d->resumes, next) <= most_s)
            break;
        dispatch_set_price(d, config);
    }
    return next >= 0 && may_run(d, worker, next) ? next : NOWHERE;
}

static int hand_out(struct dispatch *d, int32_t worker, int64_t trial, double seconds,
                    struct err *err)
{
    if (ledger_lease(d->ledger, worker, trial, err))
        return -1;
    d->predicted_s[trial] = cost_is_known(d->cost) ? (float)seconds : -(float)seconds;
    if (d->loads[worker].idle_place != NOWHERE)
        d->loads[worker].began_s = d->now_s;
    d->loads[worker].held_s += (float)seconds;
    d->held_s += (float)seconds;
    dispatch_become_busy(d, worker);
    return 0;
}

bool dispatch_is_guess(const struct dispatch *d, double left_s)
{
    return left_s > 0 && !cost_is_known(d->cost);
}

/* True if no pending trial that the live workers can run takes at most most_s. */
static bool nothing_fits(struct dispatch *d, double most_s)
{
    return resumes_next(d->resumes, most_s) < 0 && !gangs_any_fits(d, most_s);
}

/* True if a pending trial can be finished only in parts, or has been begun. */
static bool needs_parts(const struct dispatch *d)
{
    int64_t next = resumes_next(d->resumes, (double)INFINITY);

    return gangs_need_parts(d) || (next >= 0 && dispatch_needs_parts(d, next));
}

bool dispatch_needs_parts(const struct dispatch *d, int64_t trial)
{
    return resumes_has(d->resumes, trial) || resumes_seconds(d->resumes, trial) > d->whole_s;
}

double dispatch_most_s(struct dispatch *d, double left_s, double slowness)
{
    if (dispatch_is_guess(d, left_s))
        return (double)INFINITY;
    if (isinf(left_s) || left_s < LEAST_PART * d->whole_s || !needs_parts(d))
        return left_s;
    return nothing_fits(d, left_s / slowness) ? (double)INFINITY : left_s;
}

static int64_t next_in_time(struct dispatch *d, int32_t worker, double left_s)
{
    double slowness = cost_slowness(d->cost, worker);
    double safe_s = left_s / dispatch_margin(d) - d->loads[worker].held_s;
    int64_t next = next_fitting(d, worker, safe_s / slowness);

    if (next >= 0 || isinf(left_s) || ledger_held(d->ledger, worker))
        return next;
    return next_fitting(d, worker, left_s / slowness);
}

int32_t dispatch_assign(struct dispatch *d, int32_t worker, double left_s,
                        int64_t out[DISPATCH_MAX], struct err *err)
{
    struct worker_load *load = &d->loads[worker];
    double slowness = cost_slowness(d->cost, worker);
    int32_t n = 0;

    if (d->gangs && gang_of(d, worker))
        return 0;
    d->left_s = left_s;
    left_s = dispatch_most_s(d, left_s, slowness);
    if (d->gangs)
        left_s = gangs_most_s(d, worker, left_s);
    while (n < DISPATCH_MAX && load->presence == PRESENT) {
        int64_t next = next_in_time(d, worker, left_s);
        double next_s;

        if (next < 0)
            break;
        next_s = resumes_seconds(d->resumes, next) * slowness;
        if (ledger_held(d->ledger, worker) &&
            (resumes_has(d->resumes, next) || !has_room(d, worker, next_s)))
            break;
        if (hand_out(d, worker, next, next_s, err))
            return -1;
        out[n++] = next;
        if (resumes_has(d->resumes, next))
            break;
    }
    if (load->idle_place != NOWHERE)
        pass_over(d, worker);
    return n;
}

int32_t dispatch_idle(const struct dispatch *d)
{
    bool is_any = d->n_idle > d->n_passed && ledger_counts(d->ledger).pending;

    return is_any ? d->idle[d->n_idle - 1] : NOWHERE;
}

bool dispatch_can_begin(struct dispatch *d, double left_s)
{
    if (d->is_stale)
        set_prices(d);
    if (gangs_can_begin(d, true, left_s)) {
        if (!dispatch_n_busy(d))
            dispatch_offer_again(d);
        return true;
    }
    for (int32_t worker = 0; worker < d->n_workers && ledger_counts(d->ledger).pending; worker++) {
        double slowness = cost_slowness(d->cost, worker);
        int64_t next;

        if (d->loads[worker].presence != PRESENT)
            continue;
        next = resumes_next(d->resumes, dispatch_most_s(d, left_s, slowness) / slowness);
        if (next < 0 || !may_run(d, worker, next))
            continue;
        if (!dispatch_n_busy(d))
            dispatch_offer_again(d);
        return true;
    }
    return false;
}

/* ---- from the workers ---- */

void dispatch_start(struct dispatch *d, int32_t worker, int64_t trial)
{
    ledger_start(d->ledger, worker, trial);
}

/* The part of its workers on which a trial runs. */
static double width_share(const struct dispatch *d, int64_t trial)
{
    int32_t group = ledger_group(d->ledger, trial);

    return d->gangs ? (double)dispatch_width(d, trial) / d->gangs->widths[group] : 1;
}

enum ledger_answer dispatch_finish(struct dispatch *d, int32_t worker, int64_t trial,
                                   enum trial_state state, double seconds)
{
    int32_t lessee = ledger_lessee(d->ledger, trial);
    struct gang *gang = lessee < 0 ? NULL : gang_of(d, lessee);
    double share = lessee == worker ? width_share(d, trial) : 1;
    enum ledger_answer answer = ledger_finish(d->ledger, trial, state);

    d->loads[worker].is_late = false;
    if (gang)
        gangs_end(d, gang);
    else if (lessee >= 0)
        take_away(d, lessee, trial);
    if (answer == LEDGER_ACCEPTED && state == TRIAL_DONE) {
        if (lessee == worker && seconds > 0 && d->predicted_s[trial] > 0 &&
            !resumes_has(d->resumes, trial))
            learn_deviation(d, log(seconds / d->predicted_s[trial]));
        learn(d, ledger_group(d->ledger, trial), worker, seconds * share);
    }
    return answer;
}

void dispatch_give_back(struct dispatch *d, int32_t worker, int64_t trial)
{
    struct gang *gang = gang_of(d, worker);

    d->loads[worker].is_late = !gang;
    if (ledger_lessee(d->ledger, trial) != worker)
        return;
    ledger_give_back(d->ledger, trial);
    if (gang)
        gangs_end(d, gang);
    else
        take_away(d, worker, trial);
    resumes_wait(d->resumes, trial);
    dispatch_offer_again(d);
}

bool dispatch_is_last_attempt(const struct dispatch *d, int64_t trial)
{
    return ledger_is_last_attempt(d->ledger, trial);
}

void dispatch_suspect(struct dispatch *d, int64_t trial)
{
    ledger_blame(d->ledger, trial, 1);
    dispatch_offer_again(d);
}

void dispatch_reopen(struct dispatch *d, int64_t trial)
{
    ledger_reopen(d->ledger, trial);
    dispatch_offer_again(d);
}

static void go(struct dispatch *d, int32_t worker, enum presence presence)
{
    gangs_forget(d, worker);
    d->n_alive -= d->loads[worker].presence == PRESENT;
    dispatch_become_busy(d, worker);
    d->loads[worker].presence = (uint8_t)presence;
    gangs_count_alive(d);
    dispatch_offer_again(d);
}

void dispatch_leave(struct dispatch *d, int32_t worker)
{
    const struct gang *gang = gang_of(d, worker);

    if (gang && !gang->is_over)
        dispatch_give_back(d, gang->workers[0], gang->trial);
    go(d, worker, LEFT);
}

/* The ledger has the trial of a gang in its leader's name. */
static int32_t answers_for(const struct dispatch *d, int32_t worker)
{
    const struct gang *gang = gang_of(d, worker);

    return gang && !gang->is_over ? gang->workers[0] : worker;
}

int32_t dispatch_blames(const struct dispatch *d, int32_t worker, int32_t max, int64_t *out)
{
    return ledger_blames(d->ledger, answers_for(d, worker), max, out);
}

int32_t dispatch_lose(struct dispatch *d, int32_t worker, int32_t max, int64_t *failed)
{
    struct worker_load *load = &d->loads[worker];
    struct gang *gang = gang_of(d, worker);
    int32_t n = ledger_lose_worker(d->ledger, answers_for(d, worker), max, failed);

    if (gang && !gang->is_over)
        gangs_end(d, gang);
    d->held_s -= load->held_s;
    load->held_s = 0;
    load->is_late = false;
    if (load->presence == PRESENT)
        go(d, worker, LOST);
    return n;
}

void dispatch_return(struct dispatch *d, int32_t worker)
{
    if (d->loads[worker].presence != LOST)
        return;
    d->loads[worker].presence = PRESENT;
    d->n_alive++;
    gangs_count_alive(d);
    dispatch_become_idle(d, worker);
}

void dispatch_set_time(struct dispatch *d, double now_s)
{
    d->now_s = now_s;
}

/* ---- views ---- */

double dispatch_predicted(const struct dispatch *d, int64_t trial)
{
    return d->predicted_s[trial] > 0 ? d->predicted_s[trial] : (double)NAN;
}

void dispatch_resume(struct dispatch *d, int64_t trial, double left)
{
    resumes_set(d->resumes, trial, left);
}

bool dispatch_resumes(const struct dispatch *d, int64_t trial)
{
    return resumes_has(d->resumes, trial);
}

void dispatch_ran_in_vain(struct dispatch *d, int64_t trial, double seconds)
{
    int32_t config = ledger_group(d->ledger, trial);

    cost_at_least(d->cost, config, 2 * seconds * width_share(d, trial));
    dispatch_set_price(d, config);
}

bool dispatch_was_handed_out(const struct dispatch *d, int64_t trial)
{
    return !isnan(d->predicted_s[trial]);
}

double dispatch_expected_s(const struct dispatch *d, int64_t trial)
{
    return cost_is_known(d->cost) ? resumes_seconds(d->resumes, trial) : (double)NAN;
}

const struct ledger *dispatch_ledger(const struct dispatch *d)
{
    return d->ledger;
}

int32_t dispatch_n_busy(const struct dispatch *d)
{
    return d->n_alive - d->n_idle;
}

int32_t dispatch_n_alive(const struct dispatch *d)
{
    return d->n_alive;
}

double dispatch_margin(const struct dispatch *d)
{
    return fmax(exp(DEVIATIONS * d->deviation), LEAST_MARGIN);
}

double dispatch_left_s(const struct dispatch *d)
{
    return cost_is_known(d->cost) ? dispatch_left_each_s(d) : (double)NAN;
}

/* ---- invariants ---- */

static int check_load(const struct dispatch *d, int32_t worker, double held_s, struct err *err)
{
    const struct worker_load *load = &d->loads[worker];
    bool is_idle =
        load->presence == PRESENT && !ledger_held(d->ledger, worker) && !gang_of(d, worker);
    int32_t place = load->idle_place;

    if (is_idle != (place != NOWHERE))
        return err_set(err, "it holds %ld trials, and is idle at %d",
                       (long)ledger_held(d->ledger, worker), place);
    if (place != NOWHERE && (place >= d->n_idle || d->idle[place] != worker))
        return err_set(err, "it is not idle at %d", place);
    if (fabs(held_s - load->held_s) > 1e-5 * (1 + held_s))
        return err_set(err, "it holds %g s, counted as %g s", held_s, load->held_s);
    if (load->presence != PRESENT && ledger_held(d->ledger, worker))
        return err_set(err, "it is gone and holds trials");
    return 0;
}

static int check_loads(const struct dispatch *d, const double *held_s, struct err *err)
{
    int32_t n_idle = 0, n_alive = 0;
    double all_s = 0;

    for (int32_t worker = 0; worker < d->n_workers; worker++) {
        if (check_load(d, worker, held_s[worker], err))
            return err_wrap(err, "worker %d", worker);
        all_s += held_s[worker];
        n_idle += d->loads[worker].idle_place != NOWHERE;
        n_alive += d->loads[worker].presence == PRESENT;
    }
    if (n_idle != d->n_idle || n_alive != d->n_alive || d->n_passed > n_idle)
        return err_set(err, "%d workers live and %d are idle, counted as %d and %d", n_alive,
                       n_idle, d->n_alive, d->n_idle);
    if (fabs(all_s - d->held_s) > 1e-4 * (1 + all_s))
        return err_set(err, "all workers hold %g s, counted as %g s", all_s, d->held_s);
    return 0;
}

/* Leaders have their seconds from the ledger. */
static void add_members(const struct dispatch *d, double *held_s)
{
    for (int32_t worker = 0; worker < d->n_workers; worker++) {
        const struct gang *gang = gang_of(d, worker);

        if (gang && !gang->is_over && gang->workers[0] != worker)
            held_s[worker] += fabsf(d->predicted_s[gang->trial]);
    }
}

int dispatch_check(const struct dispatch *d, struct err *err)
{
    double *held_s = calloc((size_t)d->n_workers + 1, sizeof *held_s);
    int64_t n = ledger_counts(d->ledger).total;
    int rc;

    if (!held_s)
        return err_nomem(err, "workers", (size_t)d->n_workers * sizeof *held_s);
    for (int64_t trial = 0; trial < n; trial++)
        if (ledger_lessee(d->ledger, trial) >= 0)
            held_s[ledger_lessee(d->ledger, trial)] += fabsf(d->predicted_s[trial]);
    add_members(d, held_s);
    rc =
        ledger_check(d->ledger, err) || check_loads(d, held_s, err) || gangs_check(d, err) ? -1 : 0;
    free(held_s);
    return rc;
}
