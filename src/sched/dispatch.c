#include "sched/dispatch.h"

#include <math.h>
#include <stdlib.h>

/* What lies ready at a worker beside its running trial: so many seconds' worth. With nothing ready
 * a trial of 0.25 s on another rank waited 5 to 7 ms (both ends sleep between looks, and rank 0
 * trains on the core that schedules). From half a second on that is little more than one percent,
 * and trials go out one by one: none lies idle behind a long one as the sweep ends. */
#define AHEAD_S 0.1
#define ALONE_S 0.5
/* Prices of all configurations are set anew after so many results for each: at 20 ns a price this
 * is about 1 us a result. */
#define PRICES_PER_RESULT 64
#define NOWHERE (-1)

struct seat {
    double held_s;      /* predicted, of all it holds */
    int32_t idle_place; /* in dispatch.idle; NOWHERE: it holds something, or has left */
    bool is_late;       /* its running trial takes longer than expected */
    bool has_left;
};

struct dispatch {
    struct ledger *ledger;
    struct cost *cost;
    struct seat *seats; /* [n_workers] */
    int32_t *idle;      /* [n_idle] workers that hold nothing */
    int32_t n_workers, n_idle, n_left;
    float *predicted_s; /* [n_trials] */
    double held_s;      /* of all seats */
    bool is_stale;      /* the ledger's expectations are not those of the coefficients */
    int64_t n_results;  /* that taught */
    int64_t reprice_at; /* so many of them */
};

/* ---- seats ---- */

static void become_idle(struct dispatch *d, int32_t worker)
{
    struct seat *seat = &d->seats[worker];

    if (seat->idle_place != NOWHERE || seat->has_left)
        return;
    seat->idle_place = d->n_idle;
    d->idle[d->n_idle++] = worker;
}

static void become_busy(struct dispatch *d, int32_t worker)
{
    int32_t place = d->seats[worker].idle_place;

    if (place == NOWHERE)
        return;
    d->idle[place] = d->idle[--d->n_idle];
    d->seats[d->idle[place]].idle_place = place;
    d->seats[worker].idle_place = NOWHERE;
}

static void take_away(struct dispatch *d, int32_t worker, int64_t trial)
{
    struct seat *seat = &d->seats[worker];
    bool is_empty = ledger_held(d->ledger, worker) == 0;
    double s = is_empty ? seat->held_s : d->predicted_s[trial]; /* no rest of rounding stays */

    seat->held_s -= s;
    d->held_s -= s;
    if (is_empty)
        become_idle(d, worker);
}

/* ---- prices ---- */

static void set_price(struct dispatch *d, int32_t config)
{
    ledger_expect(d->ledger, config, cost_seconds(d->cost, config));
}

static void set_prices(struct dispatch *d)
{
    int32_t n = ledger_n_groups(d->ledger);

    for (int32_t config = 0; config < n; config++)
        set_price(d, config);
    d->is_stale = false;
}

/* Early prices are corrected when the results have become four times as many. */
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
        set_price(d, config);
    }
}

/* ---- life ---- */

struct dispatch *dispatch_create(struct ledger *ledger, struct cost *cost, int32_t n_workers,
                                 struct err *err)
{
    struct dispatch *d = calloc(1, sizeof *d);
    size_t n = (size_t)ledger_counts(ledger).total, w = (size_t)n_workers;

    if (d) {
        d->seats = calloc(w, sizeof *d->seats);
        d->idle = calloc(w, sizeof *d->idle);
        d->predicted_s = calloc(n + 1, sizeof *d->predicted_s);
    }
    if (!d || !d->seats || !d->idle || !d->predicted_s) {
        dispatch_destroy(d);
        err_nomem(err, "dispatch", n * sizeof *d->predicted_s + w * sizeof *d->seats);
        return NULL;
    }
    d->ledger = ledger;
    d->cost = cost;
    d->n_workers = n_workers;
    for (size_t i = 0; i < n; i++)
        d->predicted_s[i] = NAN;
    for (int32_t worker = n_workers - 1; worker >= 0; worker--) {
        d->seats[worker].idle_place = NOWHERE;
        become_idle(d, worker);
    }
    set_prices(d);
    return d;
}

void dispatch_destroy(struct dispatch *d)
{
    if (!d)
        return;
    free(d->seats);
    free(d->idle);
    free(d->predicted_s);
    free(d);
}

/* ---- to the workers ---- */

static double predict(const struct dispatch *d, int32_t worker, int64_t trial)
{
    return cost_seconds(d->cost, ledger_group(d->ledger, trial)) * cost_slowness(d->cost, worker);
}

/* Whether a worker that holds trials should have the next one too, of so many seconds. */
static bool has_room(const struct dispatch *d, int32_t worker, double next_s)
{
    const struct seat *seat = &d->seats[worker];
    int64_t held = ledger_held(d->ledger, worker);
    double running_s = seat->held_s / (double)held;
    double ready_s = seat->held_s - running_s;
    double share_s = ledger_pending_s(d->ledger) / (2 * d->n_workers);

    if (seat->is_late || fmax(next_s, running_s) >= ALONE_S || held >= DISPATCH_MAX)
        return false;
    if (!cost_is_measured(d->cost))
        return held < 2;
    return ready_s < AHEAD_S && ready_s + next_s <= share_s;
}

int32_t dispatch_assign(struct dispatch *d, int32_t worker, int64_t out[DISPATCH_MAX],
                        struct err *err)
{
    struct seat *seat = &d->seats[worker];
    int32_t n = 0;
    int64_t next;

    while (n < DISPATCH_MAX && !seat->has_left && (next = ledger_next(d->ledger)) >= 0) {
        double next_s = predict(d, worker, next);

        if (ledger_held(d->ledger, worker) && !has_room(d, worker, next_s))
            break;
        if (ledger_lease(d->ledger, worker, 1, &out[n], err) < 0)
            return -1;
        d->predicted_s[out[n++]] = (float)next_s;
        seat->held_s += (float)next_s;
        d->held_s += (float)next_s;
        become_busy(d, worker);
    }
    return n;
}

int32_t dispatch_idle(const struct dispatch *d)
{
    return d->n_idle && ledger_counts(d->ledger).pending ? d->idle[d->n_idle - 1] : NOWHERE;
}

/* ---- from the workers ---- */

enum ledger_verdict dispatch_finish(struct dispatch *d, int32_t worker, int64_t trial,
                                    enum trial_state state, double seconds)
{
    int32_t lessee = ledger_lessee(d->ledger, trial);
    enum ledger_verdict verdict = ledger_finish(d->ledger, trial, state);

    d->seats[worker].is_late = false;
    if (lessee >= 0)
        take_away(d, lessee, trial);
    if (verdict == LEDGER_ACCEPTED && state == TRIAL_DONE)
        learn(d, ledger_group(d->ledger, trial), worker, seconds);
    return verdict;
}

void dispatch_give_back(struct dispatch *d, int32_t worker, int64_t trial)
{
    int32_t lessee = ledger_lessee(d->ledger, trial);

    d->seats[worker].is_late = true;
    if (lessee < 0)
        return;
    ledger_give_back(d->ledger, trial);
    take_away(d, lessee, trial);
}

void dispatch_leave(struct dispatch *d, int32_t worker)
{
    if (d->seats[worker].has_left)
        return;
    become_busy(d, worker);
    d->seats[worker].has_left = true;
    d->n_left++;
}

/* ---- views ---- */

double dispatch_predicted(const struct dispatch *d, int64_t trial)
{
    return d->predicted_s[trial];
}

const struct ledger *dispatch_ledger(const struct dispatch *d)
{
    return d->ledger;
}

int32_t dispatch_n_busy(const struct dispatch *d)
{
    return d->n_workers - d->n_idle - d->n_left;
}

double dispatch_left_s(const struct dispatch *d)
{
    return (ledger_pending_s(d->ledger) + fmax(d->held_s, 0)) / d->n_workers;
}
