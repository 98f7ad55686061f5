/* SPDX-License-Identifier: BSD-3-Clause */
/* The ledger: which worker has which trial. A pure state machine without MPI, SQLite, threads or
 * time:
 *
 *     pending -> leased -> done | diverged | failed
 *                   |-> pending (the worker was lost or gave it back)
 *                   \-> held (waits for a decision of the search) -> pending | stopped
 *
 * Operations are O(1) or O(trials touched), and cost a few ns for any number of trials and groups.
 *
 * Trials come in groups of equal cost (a configuration's). The group expected to take longest is
 * leased first, to within 3 percent (predictions err more): groups are in buckets by their seconds,
 * 32 to a factor of two. Within a group, returned trials go first, then by number.
 * Source: Masmano, Ripoll, Crespo & Real 2004, Proc ECRTS 79 ("two-level segregated fit").
 *
 * A group's pending trials have a width, the number of workers that will run one together
 * (doc/decisions/0051). The ledger leases a wide trial to its leader, alone; sched/dispatch
 * knows the other members.
 *
 * Crashes: a trial whose worker is lost while it runs gets a crash and becomes a suspect. If the
 * running trial is unknown (short ones are not reported), all trials that the worker held do.
 * Suspects are leased after all others (or earlier, ledger_next_suspect), and alone: a second loss
 * is certainly their own. With crash_limit crashes a trial has failed. With a limit of 1, an
 * unknown running trial makes suspects without a crash, so that no innocent one fails.
 *
 * Example, with a limit of 2: rank 3 holds trials 7, 8 and 9, has reported that 7 runs, and dies. 7 gets
 * its first crash and waits until nothing else is pending; 8 and 9 go to other ranks at once. If 7
 * then takes rank 5 down, it has failed; if it ends well, its crash is forgotten. */
#ifndef SCHED_LEDGER_H
#define SCHED_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "trial/result.h"

struct ledger;

struct ledger_counts {
    int64_t pending, leased, done, diverged, failed, held, stopped;
    int64_t total;
};

/* Create pending trials in groups of group_size neighbours (the last may be smaller). expected_s:
 * [n_groups] seconds of one trial, copied; NULL: all equal. crash_limit: at least 1. */
struct ledger *ledger_create(int64_t n_trials, int64_t group_size, const double *expected_s,
                             int32_t crash_limit, struct err *err);
void ledger_destroy(struct ledger *ledger);

/* Mark a trial as finished, or let it wait (HELD); before any lease. */
void ledger_mark(struct ledger *ledger, int64_t trial, enum trial_state state);

/* Add crashes, of earlier sessions or seen by others, to a trial that is not leased, unless it is
 * finished. True if it has failed by that: the caller records the reason. */
bool ledger_blame(struct ledger *ledger, int64_t trial, int32_t crashes);

/* Make a trial, unless finished, a suspect without a crash: a run ended while it was under way, or
 * runs stopped it more often than others. Before any lease. */
void ledger_suspect(struct ledger *ledger, int64_t trial);

/* Set the expected seconds of a trial of this group. */
void ledger_expect(struct ledger *ledger, int32_t group, double seconds);

/* Let groups have these widths beside 1: [n] ascending, from 2 on; before any lease. */
int ledger_allow_widths(struct ledger *ledger, const int32_t *widths, int32_t n, struct err *err);
/* Set the width of a group, 1 at first, to one of these. Leased trials go on as they began. */
void ledger_set_width(struct ledger *ledger, int32_t group, int32_t width);

/* Return a worker's next trial of width 1 and of at most most_s expected seconds; -1: none. A
 * suspect only if no other is left and the worker holds nothing; none while it holds a suspect.
 * Worker -1 holds nothing. */
int64_t ledger_next(const struct ledger *ledger, int32_t worker, double most_s);
/* Return the next suspect of width 1 for a worker that holds nothing, even if others are left. */
int64_t ledger_next_suspect(const struct ledger *ledger, double most_s);
/* Return the next trial of a tier above 0, a suspect or not; -1: none. The tiers are the
 * different widths in ascending order; tier 0 has width 1. */
int64_t ledger_next_wide(const struct ledger *ledger, int32_t tier, bool suspect, double most_s);

/* Lease a pending trial, returned by one of these, to a worker (any number from 0). */
int ledger_lease(struct ledger *ledger, int32_t worker, int64_t trial, struct err *err);

/* Ignored if the worker does not hold the trial. */
void ledger_start(struct ledger *ledger, int32_t worker, int64_t trial);

/* Take a result: DONE, DIVERGED, FAILED or HELD. True if it is the trial's first, even if the trial is now
 * pending or leased to another worker: equal key, equal work. A result other than FAILED also
 * replaces a failure by crashes: the worker was silent, not dead. */
bool ledger_finish(struct ledger *ledger, int64_t trial, enum trial_state state);

/* Make a done, held or stopped trial pending again. Ignored in any other state. */
void ledger_reopen(struct ledger *ledger, int64_t trial);

/* Stop a held trial. Ignored in any other state. */
void ledger_stop(struct ledger *ledger, int64_t trial);

/* Return a leased trial unfinished. Ignored in any other state. */
void ledger_give_back(struct ledger *ledger, int64_t trial);

/* Remove a worker that is gone or seems so; it may come back. Its trials become pending. A crash
 * goes to the trial it reported as running or the only one it held, else to all. Take its results
 * first, so that their trials are not blamed. Returns the trial that reached the crash limit, whose
 * reason the caller records; -1: none. */
int64_t ledger_lose_worker(struct ledger *ledger, int32_t worker);

/* Write the trials that losing the worker now would blame to out[] (up to max); return their
 * number. */
int32_t ledger_blames(const struct ledger *ledger, int32_t worker, int32_t max, int64_t *out);

/* -1: not leased, or no such trial */
int32_t ledger_lessee(const struct ledger *ledger, int64_t trial);
int32_t ledger_group(const struct ledger *ledger, int64_t trial);
int32_t ledger_n_groups(const struct ledger *ledger);
int32_t ledger_group_width(const struct ledger *ledger, int32_t group);
int32_t ledger_width(const struct ledger *ledger, int64_t trial); /* of its group */
int32_t ledger_n_widths(const struct ledger *ledger);             /* tiers */
int32_t ledger_tier_width(const struct ledger *ledger, int32_t tier);
bool ledger_is_suspect(const struct ledger *ledger, int64_t trial);
bool ledger_is_last_attempt(const struct ledger *ledger,
                            int64_t trial);                         /* one more crash fails it */
double ledger_expected(const struct ledger *ledger, int32_t group); /* seconds */
double ledger_pending_s(const struct ledger *ledger); /* expected, of all pending trials, times
                                                        * their widths */
int64_t ledger_held(const struct ledger *ledger, int32_t worker);
struct ledger_counts ledger_counts(const struct ledger *ledger);
bool ledger_is_finished(const struct ledger *ledger); /* nothing pending or leased */
enum trial_state ledger_state(const struct ledger *ledger, int64_t trial); /* RUNNING: leased */

/* Check every invariant. For tests. */
int ledger_check(const struct ledger *ledger, struct err *err);

#endif
