/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose which trials a worker is given, and how many, from ledger and cost model. The scheduler
 * drives this with messages, the simulation without.
 *
 * No worker should wait for the scheduler, or sit on work as the sweep ends. So some work is ready
 * beside the trial that a worker runs: a short time's worth by the predicted seconds on this
 * worker, at most its share of half of what is left (guided self-scheduling, Polychronopoulos &
 * Kuck 1987, IEEE Trans Comput C-36:1425), and none beside a trial so long that fetching the next
 * one does not count. The trials now expected to be longest go first (Graham 1969, SIAM J Appl Math
 * 17:416: at most a third above the best schedule).
 *
 * With limited time a trial is handed out only if it ends in time: its predicted seconds and those
 * of the worker's other trials, times a margin, since predictions are sometimes wrong by a factor
 * and a trial that is cut off wastes its time. The margin is three mean deviations of this run's
 * trials from prediction (99 of 100 are below it if errors are normal); 2 before any has ended, at
 * least 1.1. The longest trial that fits goes first, so shorter ones fill the rest. If none fits, a
 * worker gets one that fits the bare prediction: it would sleep otherwise, and the trial more
 * likely ends in time than not.
 *
 * Suspects, which may have crashed a worker (sched/ledger.h), go to worker 0, the scheduler, only
 * if no other is alive. They wait for all other trials, unless they take longer than all that is
 * left, split evenly: the sweep would wait for them.
 *
 * A trial with a checkpoint takes the share of its time that is left. It goes before all others,
 * alone, as soon as it fits.
 *
 * Pure: no clock, no I/O. Calls are O(1) or O(trials touched), except dispatch_can_begin(); updates
 * of all prices are so rare that they add less. */
#ifndef SCHED_DISPATCH_H
#define SCHED_DISPATCH_H

#include "sched/cost.h"
#include "sched/ledger.h"

enum { DISPATCH_MAX = 256 }; /* most trials a worker holds; an assignment fits one small message */

struct dispatch;

/* ledger and cost are borrowed; the ledger's groups are cost's configurations. Sets all expected
 * seconds of the ledger. Workers 0 .. n_workers - 1 hold nothing. */
struct dispatch *dispatch_create(struct ledger *ledger, struct cost *cost, int32_t n_workers,
                                 struct err *err);
void dispatch_destroy(struct dispatch *dispatch); /* takes NULL */

/* Choose the trials to send to a worker now: fills out[] and returns their number, often 0. left_s:
 * seconds until everything must end; INFINITY: no limit. */
int32_t dispatch_assign(struct dispatch *dispatch, int32_t worker, double left_s,
                        int64_t out[DISPATCH_MAX], struct err *err);

/* Return a worker that holds nothing while trials are pending, for dispatch_assign(); -1: none. One
 * that was assigned none of them (too little time, or only suspects) is returned again only after
 * trials came back or workers went. */
int32_t dispatch_idle(const struct dispatch *dispatch);

/* True if a live worker, once it holds nothing, can begin some pending trial with left_s seconds
 * left. O(workers) if left_s is finite and nothing fits, so call it when no worker is busy. True
 * then makes dispatch_idle() return all idle workers again; false means that nothing more will
 * happen. */
bool dispatch_can_begin(struct dispatch *dispatch, double left_s);

/* Record that the worker runs this trial, like ledger_start(). */
void dispatch_start(struct dispatch *dispatch, int32_t worker, int64_t trial);

/* Take a worker's result, like ledger_finish(). Seconds of a DONE trial teach the cost model; NaN:
 * unknown. */
enum ledger_verdict dispatch_finish(struct dispatch *dispatch, int32_t worker, int64_t trial,
                                    enum trial_state state, double seconds);

/* Like ledger_reopen(); idle workers may get the trial. */
void dispatch_reopen(struct dispatch *dispatch, int64_t trial);

/* Take back a trial because the worker's running one takes longer than expected. The worker gets
 * nothing more until that has ended. Ignores a trial that the worker does not hold. */
void dispatch_give_back(struct dispatch *dispatch, int32_t worker, int64_t trial);

/* Remove a worker that has left for good and holds nothing. */
void dispatch_leave(struct dispatch *dispatch, int32_t worker);

/* Remove a lost worker, like ledger_lose_worker(). It gets nothing more, unless dispatch_return()
 * reports that it only seemed lost. Its results may still come at any time. */
int32_t dispatch_lose(struct dispatch *dispatch, int32_t worker, int32_t max, int64_t *failed);
void dispatch_return(struct dispatch *dispatch, int32_t worker);

/* Return the seconds predicted for a trial when it was handed out, on its worker; NaN: never handed
 * out. */
double dispatch_predicted(const struct dispatch *dispatch, int64_t trial);

/* Let a trial resume from a checkpoint, with a share in [0, 1) of its time left. */
void dispatch_resume(struct dispatch *dispatch, int64_t trial, double left);
bool dispatch_resumes(const struct dispatch *dispatch, int64_t trial);

/* Return the expected seconds of the rest of a trial on a rank of average speed. */
double dispatch_expected_s(const struct dispatch *dispatch, int64_t trial);

const struct ledger *dispatch_ledger(const struct dispatch *dispatch);
int32_t dispatch_n_busy(const struct dispatch *dispatch);  /* workers that hold a trial */
int32_t dispatch_n_alive(const struct dispatch *dispatch); /* workers that neither left nor were
                                                            * lost */
double dispatch_margin(const struct dispatch *dispatch);   /* the current factor of safety */

/* Return the expected seconds until all is done, with work split evenly. */
double dispatch_left_s(const struct dispatch *dispatch);

/* Check every invariant, including the ledger's; -1 and err names a broken one. For tests. */
int dispatch_check(const struct dispatch *dispatch, struct err *err);

#endif
