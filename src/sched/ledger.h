/* SPDX-License-Identifier: BSD-3-Clause */
/* The ledger: which worker has which trial. A pure state machine:
 *
 *     pending -> leased -> done | diverged | failed
 *                   \-> pending (the worker was lost or gave it back)
 *
 * Events drive it. It uses no MPI, SQLite, threads or time, so tests cover every fault in
 * milliseconds and simulate ten thousand workers. Operations are O(1) or O(trials touched).
 *
 * Trials come in groups of equal cost (a configuration's). The group expected to take longest is
 * leased first (to within the 3 percent of sched/pending.h); within a group, returned trials, then
 * by number. Expectations may change at any time (ledger_expect).
 *
 * Crashes. A trial whose worker is lost while it runs gets a crash and becomes a suspect. Suspects
 * are leased after all others (or earlier on demand, ledger_next_suspect), and alone, so that they
 * take no other trial with them and a second loss is certainly their own. If the running trial is
 * unknown (short ones are not reported), all trials that the worker held become suspects with a
 * crash. Leasing them alone finds the culprit; the others finish normally. With crash_limit crashes
 * a trial has failed: a bad trial costs that many workers and no other trial. With a limit of 1, an
 * unknown running trial makes suspects without a crash, so that no innocent one fails; such a bad
 * trial costs two workers. */
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

/* Create n_trials pending trials in groups of group_size neighbours (the last may be smaller).
 * expected_s: [n_groups] seconds of one trial, copied; NULL: all equal, so leases go by number.
 * crash_limit: crashes after which a trial has failed, at least 1. */
struct ledger *ledger_create(int64_t n_trials, int64_t group_size, const double *expected_s,
                             int32_t crash_limit, struct err *err);
void ledger_destroy(struct ledger *ledger);

/* Mark a trial as finished (from the database). Before any lease. */
void ledger_mark(struct ledger *ledger, int64_t trial, enum trial_state state);

/* Add crashes of earlier sessions. Before any lease; ignored for a finished trial. True if the
 * trial has failed by that: the caller records the reason. */
bool ledger_blame(struct ledger *ledger, int64_t trial, int32_t crashes);

/* Make a trial a suspect without a crash: a run ended while it was under way. Before any lease;
 * ignored for a finished trial. */
void ledger_suspect(struct ledger *ledger, int64_t trial);

/* Set the expected seconds of a trial of this group. */
void ledger_expect(struct ledger *ledger, int32_t group, double seconds);

/* Return a worker's next trial, among those expected to take at most most_s seconds (INFINITY:
 * any); -1: none. A suspect only if no other is left and the worker holds nothing; none while it
 * holds a suspect. Worker -1: one that holds nothing. */
int64_t ledger_next(const struct ledger *ledger, int32_t worker, double most_s);
/* Return the next suspect for a worker that holds nothing, even if others are left. */
int64_t ledger_next_suspect(const struct ledger *ledger, double most_s);

/* Lease a pending trial, returned by one of these two, to a worker (any number from 0). */
int ledger_lease(struct ledger *ledger, int32_t worker, int64_t trial, struct err *err);

/* Record that the worker runs this trial. Ignored if it does not hold the trial. */
void ledger_start(struct ledger *ledger, int32_t worker, int64_t trial);

/* Take a result: DONE, DIVERGED or FAILED. Accepted even if the trial is now pending or leased to
 * another worker: equal key, equal work. A result other than FAILED is also accepted for a trial
 * that failed by its crashes: the worker was silent, not dead. */
enum ledger_verdict ledger_finish(struct ledger *ledger, int64_t trial, enum trial_state state);

/* Make a done trial pending again, for something that was not kept. Ignored in any other state. */
void ledger_reopen(struct ledger *ledger, int64_t trial);

/* Return a leased trial unfinished. Ignored in any other state. */
void ledger_give_back(struct ledger *ledger, int64_t trial);

/* Remove a worker that is gone or seems so; it may come back, lease again and send results. Its
 * trials become pending. A crash goes to the trial it reported as running or the only one it held,
 * else to all. First take results sent before: a trial with a result is not blamed. Writes trials
 * that reached the crash limit to failed[] (up to max, never more than one) and returns their
 * number, so that the caller can record the reason. */
int32_t ledger_lose_worker(struct ledger *ledger, int32_t worker, int32_t max, int64_t *failed);

/* Write the trials that would get a crash if the worker were lost now to out[] (up to max); return
 * their number. Record them before ledger_lose_worker(). */
int32_t ledger_blames(const struct ledger *ledger, int32_t worker, int32_t max, int64_t *out);

/* Return the worker that leased a trial; -1: none, or no such trial. */
int32_t ledger_lessee(const struct ledger *ledger, int64_t trial);
int32_t ledger_group(const struct ledger *ledger, int64_t trial);
int32_t ledger_n_groups(const struct ledger *ledger);
bool ledger_is_suspect(const struct ledger *ledger, int64_t trial);
double ledger_expected(const struct ledger *ledger, int32_t group); /* seconds */
double ledger_pending_s(const struct ledger *ledger); /* expected seconds of all pending trials
                                                       * together */
/* Return the number of trials that the worker holds. */
int64_t ledger_held(const struct ledger *ledger, int32_t worker);
struct ledger_counts ledger_counts(const struct ledger *ledger);
bool ledger_is_finished(const struct ledger *ledger); /* nothing pending or leased */
enum trial_state ledger_state(const struct ledger *ledger, int64_t trial); /* RUNNING: leased */

/* Check every invariant; -1 and err names a broken one. For tests. */
int ledger_check(const struct ledger *ledger, struct err *err);

#endif
