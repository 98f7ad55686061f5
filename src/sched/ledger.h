/* Who has which trial: a pure state machine.
 *
 *     pending -> leased -> done | diverged | failed
 *                   \-> pending (the worker was lost or gave it back)
 *
 * Fed by events. It knows neither MPI nor SQLite nor threads nor time, so that every fault is
 * tested in milliseconds and ten thousand workers can be simulated. All operations are O(1) or
 * O(trials touched), times the logarithm of the groups where a group becomes empty or its place
 * in the order changes.
 *
 * Trials come in groups of equal cost (the trials of a configuration). The group expected to take
 * longest is leased first, within a group as numbered; expectations may change at any time
 * (ledger_expect) and later leases follow them. What comes back to pending goes to the front (it is
 * the longest that is left), except a trial that took its worker down: it goes last, so that it
 * cannot take the others down before their work is done. */
#ifndef SCHED_LEDGER_H
#define SCHED_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "trial/result.h"

struct ledger;

struct ledger_counts {
    int64_t pending, leased, done, diverged, failed;
    int64_t total;
};

enum ledger_verdict {
    LEDGER_ACCEPTED,  /* first result of this trial: store it */
    LEDGER_DUPLICATE, /* known already: drop it */
    LEDGER_UNKNOWN    /* no such trial */
};

/* n_trials pending trials in groups of group_size neighbours (the last may be smaller).
 * expected_s: [n_groups] seconds of one trial of each, copied; NULL: all alike, so that trials are
 * leased as numbered. crash_limit: losses of a worker while running a trial after which the trial
 * has failed, at least 1. NULL and err when memory is short. */
struct ledger *ledger_create(int64_t n_trials, int64_t group_size, const double *expected_s,
                             int32_t crash_limit, struct err *err);
void ledger_destroy(struct ledger *ledger);

/* A trial that is finished already (from the database). Before any lease. */
void ledger_mark(struct ledger *ledger, int64_t trial, enum trial_state state);

/* A trial of this group is now expected to take so long. */
void ledger_expect(struct ledger *ledger, int32_t group, double seconds);

/* Lease up to max pending trials to a worker (any number from 0 on); fills out[] and returns how
 * many. -1 and err when memory is short for a worker not seen before. */
int32_t ledger_lease(struct ledger *ledger, int32_t worker, int32_t max, int64_t *out,
                     struct err *err);

/* The worker is running this trial now. Ignored where it does not hold it (any more). */
void ledger_start(struct ledger *ledger, int32_t worker, int64_t trial);

/* A result came: DONE, DIVERGED or FAILED. One of a trial that is leased to another worker
 * meanwhile, or pending again, is accepted all the same: equal key, equal work. */
enum ledger_verdict ledger_finish(struct ledger *ledger, int64_t trial, enum trial_state state);

/* A leased trial comes back unfinished. Ignored in any other state. */
void ledger_give_back(struct ledger *ledger, int64_t trial);

/* The worker is gone: what it held is pending again; the trial it was running counts one crash.
 * Trials that reached the crash limit become failed: up to max of their numbers are written to
 * failed[] and counted in the return value, so that the caller can record the reason. */
int32_t ledger_lose_worker(struct ledger *ledger, int32_t worker, int32_t max, int64_t *failed);

/* The trial that is leased next; -1 where none is pending. */
int64_t ledger_next(const struct ledger *ledger);
/* Who has leased a trial; -1: nobody, or no such trial. */
int32_t ledger_lessee(const struct ledger *ledger, int64_t trial);
int32_t ledger_group(const struct ledger *ledger, int64_t trial);
int32_t ledger_n_groups(const struct ledger *ledger);
double ledger_pending_s(const struct ledger *ledger); /* expected, of all pending trials together */
/* Trials that the worker holds. */
int64_t ledger_held(const struct ledger *ledger, int32_t worker);
struct ledger_counts ledger_counts(const struct ledger *ledger);
bool ledger_is_finished(const struct ledger *ledger); /* nothing pending or leased */
enum trial_state ledger_state(const struct ledger *ledger, int64_t trial); /* RUNNING: leased */

/* Walk every invariant; false and a reason in err. For tests. */
bool ledger_check(const struct ledger *ledger, struct err *err);

#endif
