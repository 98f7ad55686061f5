/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose which trials a worker is given, and how many, with the ledger and the cost model. The
 * scheduler drives this with messages, the simulation without.
 *
 * No worker should wait for the scheduler, and none should sit on work as the sweep ends. So a
 * worker has some work ready beside the trial it runs: a short time's worth by the predicted
 * seconds on this worker, but at most its share of half of what is left (guided self-scheduling,
 * Polychronopoulos & Kuck 1987, IEEE Trans Comput C-36:1425), and none beside a trial so long that
 * fetching the next one does not count. The trials currently expected to be longest go first
 * (Graham 1969, SIAM J Appl Math 17:416: at most a third above the best schedule).
 *
 * With limited time, a trial is handed out only if it ends in time. Its predicted seconds and those
 * of the worker's other trials count, times a margin, because predictions are sometimes wrong by a
 * factor and a trial that is cut off wastes its time. The margin is three mean deviations of this
 * run's trials from their predictions (99 of 100 stay below it if errors are normal). It is a
 * factor of 2 before any trial has ended, and at least 1.1. The longest trial that fits goes first,
 * so shorter ones fill the remaining time. A worker for which nothing fits gets a trial that fits
 * the bare prediction: otherwise it would sleep, and the trial ends in time more likely than not.
 *
 * Suspects, which may have taken a worker down (sched/ledger.h), go to worker 0, the scheduler,
 * only if no other worker is alive. They wait for all other trials. The exception is a suspect that
 * takes longer than all that is left, split evenly: the sweep would wait for it.
 *
 * A trial with a checkpoint takes the share of its time that is left. It is handed out before all
 * others, alone, as soon as it fits.
 *
 * Pure: no clock, no I/O. Every call is O(1) or O(trials touched), except dispatch_can_begin().
 * Updates of all prices are so rare that they add less than that. */
#ifndef SCHED_DISPATCH_H
#define SCHED_DISPATCH_H

#include "sched/cost.h"
#include "sched/ledger.h"

enum { DISPATCH_MAX = 256 }; /* most trials a worker holds; an assignment fits one small message */

struct dispatch;

/* ledger and cost are borrowed; the ledger's groups are the configurations of cost. Sets all
 * expected seconds of the ledger. Workers 0 .. n_workers - 1 hold nothing. NULL and err if memory
 * runs out. */
struct dispatch *dispatch_create(struct ledger *ledger, struct cost *cost, int32_t n_workers,
                                 struct err *err);
void dispatch_destroy(struct dispatch *dispatch); /* takes NULL */

/* Choose the trials to send to this worker now: fills out[] and returns their number, often 0.
 * left_s: seconds until everything must end; INFINITY: no limit. -1 and err if memory runs out. */
int32_t dispatch_assign(struct dispatch *dispatch, int32_t worker, double left_s,
                        int64_t out[DISPATCH_MAX], struct err *err);

/* Return a worker that holds nothing while trials are pending, for dispatch_assign(); -1: none. A
 * worker that was assigned none of them (too little time left, or only suspects) is returned again
 * only after trials came back or workers went. */
int32_t dispatch_idle(const struct dispatch *dispatch);

/* True if some worker that is alive can still begin a pending trial with left_s seconds left, once
 * it holds nothing. False while no worker is busy means that nothing more will happen. O(workers)
 * if left_s is finite and nothing fits, so call it when no worker is busy. If it is true then,
 * dispatch_idle() returns all idle workers again. */
bool dispatch_can_begin(struct dispatch *dispatch, double left_s);

/* Record that the worker runs this trial now, like ledger_start(). */
void dispatch_start(struct dispatch *dispatch, int32_t worker, int64_t trial);

/* Take a result from a worker, like ledger_finish(). Seconds of a DONE trial teach the cost model;
 * NaN: unknown. */
enum ledger_verdict dispatch_finish(struct dispatch *dispatch, int32_t worker, int64_t trial,
                                    enum trial_state state, double seconds);

/* Like ledger_reopen(); idle workers may then be given the trial. */
void dispatch_reopen(struct dispatch *dispatch, int64_t trial);

/* Take back a trial because the worker's running one takes longer than expected. The worker is
 * given nothing more until that one has ended. Ignores a trial that the worker does not hold. */
void dispatch_give_back(struct dispatch *dispatch, int32_t worker, int64_t trial);

/* Remove a worker that has left for good and holds nothing. */
void dispatch_leave(struct dispatch *dispatch, int32_t worker);

/* Remove a lost worker, like ledger_lose_worker(). It is given nothing more, unless
 * dispatch_return() says that it only seemed lost. Results of a lost worker may come at any
 * time. */
int32_t dispatch_lose(struct dispatch *dispatch, int32_t worker, int32_t max, int64_t *failed);
void dispatch_return(struct dispatch *dispatch, int32_t worker);

/* Return the seconds predicted for a trial when it was handed out, on its worker; NaN if it never
 * was. */
double dispatch_predicted(const struct dispatch *dispatch, int64_t trial);

/* Let a trial resume from a checkpoint, with a share in [0, 1) of its time left. */
void dispatch_resume(struct dispatch *dispatch, int64_t trial, double left);
bool dispatch_resumes(const struct dispatch *dispatch, int64_t trial);

/* Return the expected seconds of what is left of a trial, on a rank of average speed. */
double dispatch_expected_s(const struct dispatch *dispatch, int64_t trial);

const struct ledger *dispatch_ledger(const struct dispatch *dispatch);
int32_t dispatch_n_busy(const struct dispatch *dispatch);  /* workers that hold a trial */
int32_t dispatch_n_alive(const struct dispatch *dispatch); /* workers that neither left nor were
                                                            * lost */
double dispatch_margin(const struct dispatch *dispatch);   /* the current factor of safety */

/* Return the expected seconds until all is done, if the work were split evenly. */
double dispatch_left_s(const struct dispatch *dispatch);

/* Check every invariant, including the ledger's; -1 and err names a broken one. For tests. */
int dispatch_check(const struct dispatch *dispatch, struct err *err);

#endif
