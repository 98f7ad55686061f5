/* SPDX-License-Identifier: BSD-3-Clause */
/* Who has which trial: a pure state machine.
 *
 *     pending -> leased -> done | diverged | failed
 *                   \-> pending (the worker was lost or gave it back)
 *
 * Fed by events. It knows neither MPI nor SQLite nor threads nor time, so that every fault is
 * tested in milliseconds and ten thousand workers can be simulated. All operations are O(1) or
 * O(trials touched).
 *
 * Trials come in groups of equal cost (the trials of a configuration). The group expected to take
 * longest is leased first (to within the 3 percent of sched/pending.h), within a group as numbered,
 * what came back before the others; expectations may change at any time (ledger_expect) and later
 * leases follow them.
 *
 * Crashes. A worker that is lost while a trial runs is held against that trial. It is a suspect
 * from then on: leased after all others (or when there is reason, ledger_next_suspect), and alone,
 * so that it takes nothing with it and a second loss is surely its own. Nobody may know which trial
 * was running (short ones do not say). Then all that the worker held are suspects, each with a
 * crash, and the one that did it is found by leasing them alone; the others end as if nothing had
 * been. A trial with crash_limit crashes has failed: that many workers a bad trial costs, and no
 * other trial. (With a limit of 1, not knowing makes suspects of them without a crash, lest
 * innocent trials fail; such a bad one then costs two.) */
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
 * leased as numbered. crash_limit: crashes after which a trial has failed, at least 1. NULL and err
 * when memory is short. */
struct ledger *ledger_create(int64_t n_trials, int64_t group_size, const double *expected_s,
                             int32_t crash_limit, struct err *err);
void ledger_destroy(struct ledger *ledger);

/* A trial that is finished already (from the database). Before any lease. */
void ledger_mark(struct ledger *ledger, int64_t trial, enum trial_state state);

/* So many crashes of earlier sessions are held against a trial. Before any lease; ignored for a
 * trial that is finished. True where it has failed by that: the caller records the reason. */
bool ledger_blame(struct ledger *ledger, int64_t trial, int32_t crashes);

/* A run ended while it was under way, for whatever reason: a suspect, without a crash. Before any
 * lease; ignored for a trial that is finished. */
void ledger_suspect(struct ledger *ledger, int64_t trial);

/* A trial of this group is now expected to take so long. */
void ledger_expect(struct ledger *ledger, int32_t group, double seconds);

/* The trial that a worker is leased next, of those expected to take most_s seconds at most
 * (INFINITY: any); -1: none. A suspect only where no other is left and the worker holds nothing;
 * nothing for a worker that holds a suspect. Worker -1: one that holds nothing. */
int64_t ledger_next(const struct ledger *ledger, int32_t worker, double most_s);
/* The same of suspects alone, whatever else is left, for a worker that holds nothing. */
int64_t ledger_next_suspect(const struct ledger *ledger, double most_s);

/* Lease a pending trial (that one of the two named) to a worker, any number from 0 on. -1 and err
 * when memory is short for a worker not seen before. */
int ledger_lease(struct ledger *ledger, int32_t worker, int64_t trial, struct err *err);

/* The worker is running this trial now. Ignored where it does not hold it (any more). */
void ledger_start(struct ledger *ledger, int32_t worker, int64_t trial);

/* A result came: DONE, DIVERGED or FAILED. One of a trial that is leased to another worker
 * meanwhile, or pending again, is accepted all the same: equal key, equal work. So is one that is
 * not FAILED of a trial that failed by its crashes: whoever delivers it was silent, not dead. */
enum ledger_verdict ledger_finish(struct ledger *ledger, int64_t trial, enum trial_state state);

/* A trial that is done is to be run once more, for what was not kept of it. Ignored in any other
 * state. */
void ledger_reopen(struct ledger *ledger, int64_t trial);

/* A leased trial comes back unfinished. Ignored in any other state. */
void ledger_give_back(struct ledger *ledger, int64_t trial);

/* The worker is gone (or seems so; it may come back and lease again, and send what it had). What it
 * held is pending again. A crash is held against the trial it said it was running, or the only one
 * it held; else against all of them. Take the results that it had sent before: what has a result is
 * not blamed. A trial that reached the crash limit has failed: up to max of their numbers (there is
 * never more than one) are written to failed[] and counted in the return value, so that the caller
 * can record the reason. */
int32_t ledger_lose_worker(struct ledger *ledger, int32_t worker, int32_t max, int64_t *failed);

/* The trials against which a crash would be held were the worker lost now: up to max of them are
 * written to out[]; how many. To be recorded before ledger_lose_worker(). */
int32_t ledger_blames(const struct ledger *ledger, int32_t worker, int32_t max, int64_t *out);

/* Who has leased a trial; -1: nobody, or no such trial. */
int32_t ledger_lessee(const struct ledger *ledger, int64_t trial);
int32_t ledger_group(const struct ledger *ledger, int64_t trial);
int32_t ledger_n_groups(const struct ledger *ledger);
bool ledger_is_suspect(const struct ledger *ledger, int64_t trial);
double ledger_expected(const struct ledger *ledger, int32_t group); /* seconds */
double ledger_pending_s(const struct ledger *ledger); /* expected, of all pending trials together */
/* Trials that the worker holds. */
int64_t ledger_held(const struct ledger *ledger, int32_t worker);
struct ledger_counts ledger_counts(const struct ledger *ledger);
bool ledger_is_finished(const struct ledger *ledger); /* nothing pending or leased */
enum trial_state ledger_state(const struct ledger *ledger, int64_t trial); /* RUNNING: leased */

/* Walk every invariant; -1 and a reason in err where one is broken. For tests. */
int ledger_check(const struct ledger *ledger, struct err *err);

#endif
