/* SPDX-License-Identifier: BSD-3-Clause */
/* Which trials a worker is given, and how many: ledger and cost model put to use. What the
 * scheduler does with messages, the simulation does without.
 *
 * A worker shall never wait for the scheduler, and none shall sit on work as the sweep ends. So
 * something lies ready beside the trial it runs: a short time's worth by the predicted seconds on
 * this worker, never more than its share of half of what is left (guided self-scheduling,
 * Polychronopoulos & Kuck 1987, IEEE Trans Comput C-36:1425), and nothing beside a trial so long
 * that fetching the next one does not count. Longest expected first, in the order of the moment
 * (Graham 1969, SIAM J Appl Math 17:416: at most a third above the best schedule).
 *
 * Where time is limited a trial is handed out only if it ends in time, by its predicted seconds and
 * those of what the worker holds, times a margin: predictions are wrong by a factor now and then,
 * and a trial that is cut off has cost its time for nothing. The margin is that of three mean
 * deviations of the trials of this run from what was expected (99 of 100 stay below where errors
 * are normal); a factor of 2 before any has ended, 1.1 at least. The longest that fits goes first,
 * so shorter ones fill the time that is left. A worker for whom nothing fits so is given what fits
 * by the bare prediction: it would sleep otherwise, and the trial more likely ends in time than
 * not.
 *
 * Trials that may have taken a worker down (sched/ledger.h: suspects) go to worker 0, which
 * schedules too, only where no other worker lives. They wait for all others, but for those that
 * take longer than all that is left, split evenly: the sweep would wait for them.
 *
 * A trial with a checkpoint takes the share of its time that is left, and is handed out before all
 * others, alone, as soon as that fits.
 *
 * Pure: no clock, no I/O. Every call is O(1) or O(trials touched) but for dispatch_can_begin();
 * prices of all configurations are set anew so rarely that it adds up to less than that. */
#ifndef SCHED_DISPATCH_H
#define SCHED_DISPATCH_H

#include "sched/cost.h"
#include "sched/ledger.h"

enum { DISPATCH_MAX = 256 }; /* trials a worker holds; an assignment fits one small message */

struct dispatch;

/* ledger and cost are borrowed; the ledger's groups are the configurations of cost. All expected
 * seconds of the ledger are set. Workers 0 .. n_workers - 1 hold nothing. NULL and err when memory
 * is short. */
struct dispatch *dispatch_create(struct ledger *ledger, struct cost *cost, int32_t n_workers,
                                 struct err *err);
void dispatch_destroy(struct dispatch *dispatch); /* takes NULL */

/* What this worker should be sent now: fills out[] and returns how many, often 0. left_s: seconds
 * from now until all must be over; INFINITY: no limit. -1 and err when memory is short. */
int32_t dispatch_assign(struct dispatch *dispatch, int32_t worker, double left_s,
                        int64_t out[DISPATCH_MAX], struct err *err);

/* A worker that holds nothing though there are pending trials, to be assigned some; -1: none. One
 * that was assigned none of what there is (too little time is left, or only suspects are) is not
 * named again before trials came back or workers went. */
int32_t dispatch_idle(const struct dispatch *dispatch);

/* Whether any pending trial can still be begun with left_s seconds left, by some worker that lives,
 * once it holds nothing. False while no worker is busy: nothing more will happen. O(workers) while
 * left_s is finite and nothing fits: to be asked when nobody is busy. Where it is true then,
 * dispatch_idle() names all idle workers again. */
bool dispatch_can_begin(struct dispatch *dispatch, double left_s);

/* The worker is running this trial now: what ledger_start() says. */
void dispatch_start(struct dispatch *dispatch, int32_t worker, int64_t trial);

/* A result came from a worker after so many seconds (those of a trial that is DONE teach; NaN: not
 * known). What ledger_finish() says. */
enum ledger_verdict dispatch_finish(struct dispatch *dispatch, int32_t worker, int64_t trial,
                                    enum trial_state state, double seconds);

/* ledger_reopen(), and workers that had nothing to do may be given it. */
void dispatch_reopen(struct dispatch *dispatch, int64_t trial);

/* The worker returns a trial because the one it runs takes longer than expected: it is given
 * nothing more until that has ended. Nothing becomes of a trial that it does not hold (any more).
 */
void dispatch_give_back(struct dispatch *dispatch, int32_t worker, int64_t trial);

/* The worker has left, for good, and holds nothing. */
void dispatch_leave(struct dispatch *dispatch, int32_t worker);

/* The worker was lost: what ledger_lose_worker() says and does. It is given nothing more, unless it
 * returns: it seemed lost only. Results of a lost worker may come at any time. */
int32_t dispatch_lose(struct dispatch *dispatch, int32_t worker, int32_t max, int64_t *failed);
void dispatch_return(struct dispatch *dispatch, int32_t worker);

/* Seconds that were expected of a trial when it was handed out, on the worker that got it; NaN
 * where it never was. */
double dispatch_predicted(const struct dispatch *dispatch, int64_t trial);

/* From now on this trial goes on from a checkpoint, with a share in [0, 1) of its time left. */
void dispatch_resume(struct dispatch *dispatch, int64_t trial, double left);
bool dispatch_resumes(const struct dispatch *dispatch, int64_t trial);

/* Expected of a trial on a rank of average speed, of what is left of it. */
double dispatch_expected_s(const struct dispatch *dispatch, int64_t trial);

const struct ledger *dispatch_ledger(const struct dispatch *dispatch);
int32_t dispatch_n_busy(const struct dispatch *dispatch);  /* workers that hold a trial */
int32_t dispatch_n_alive(const struct dispatch *dispatch); /* that neither left nor were lost */
double dispatch_margin(const struct dispatch *dispatch);   /* the factor of safety of the moment */

/* Expected seconds until all is done, were the work split evenly. */
double dispatch_left_s(const struct dispatch *dispatch);

/* Walk every invariant, the ledger's too; -1 and a reason in err where one is broken. For tests. */
int dispatch_check(const struct dispatch *dispatch, struct err *err);

#endif
