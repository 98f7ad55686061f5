/* SPDX-License-Identifier: BSD-3-Clause */
/* Choose which trials a worker is given, and how many (doc/decisions/0012).
 *
 * - Order: the trials now expected to be longest go first (Graham 1969, SIAM J Appl Math 17:416: at
 *   most a third above the best schedule).
 * - Amount: a worker that runs short trials holds a short time's worth more, at most its share of
 *   half of what is left (guided self-scheduling, Polychronopoulos & Kuck 1987, IEEE Trans Comput
 *   C-36:1425).
 * - Limited time: the predicted seconds of the trial and of the worker's others, times a margin,
 *   must fit. The margin is three mean deviations of this run's trials from prediction, at least
 *   1.1 (cost_margin()). If nothing fits, an idle worker gets a trial that fits without it.
 *   A trial that would not even end in a whole run can be finished only in parts, by its checkpoints:
 *   it begins on an idle worker if nothing fits, as does a trial that has a checkpoint.
 * - Suspects (sched/ledger.h) wait for all others, unless they take longer than all that is left,
 *   split evenly. Worker 0, the scheduler, gets them only if no other is alive.
 * - Unknown seconds (cost_is_known()): each worker gets one trial at a time, whatever time is left,
 *   so that a long one delays none.
 * - A trial with a checkpoint takes the share of its time that is left. It goes first, alone, as
 *   soon as it fits.
 *
 * - Gangs (doc/decisions/0051): a trial of width w > 1 is handed to w idle workers at one moment, so
 *   gangs never wait for each other. The order is by seconds times width. If the first gang does not
 *   fit, the workers that are free soonest are reserved for it; they run only what ends in time
 *   (EASY backfilling: Lifka 1995, LNCS 949:295; Mu'alem & Feitelson 2001, IEEE Trans Parallel
 *   Distrib Syst 12:529). One host is preferred.
 *   Example: of four workers, worker 0 runs a single trial for 60 s more, and a gang of 4 is first.
 *   All four are reserved for it in 60 s. A gang of 2 that takes 30 s runs meanwhile on workers 1 and
 *   2; a single trial of 90 s may not begin on worker 3, since the gang of 4 would wait for it.
 * - Widths are fixed. Trainings, whose numbers do not depend on them, get a half, a quarter ... of
 *   theirs if fewer workers are alive.
 *
 * Pure: no clock, no I/O. Calls are O(1) or O(trials touched), except dispatch_can_begin(), and
 * dispatch_place() with gangs: O(workers) if a gang may fit. */
#ifndef SCHED_DISPATCH_H
#define SCHED_DISPATCH_H

#include "sched/cost.h"
#include "sched/ledger.h"

enum { DISPATCH_MAX = 256 }; /* most trials a worker holds; fits one small message */

struct dispatch;

/* A trial that several workers run together. */
struct gang {
    int64_t number; /* from 1 on, in the order of placement */
    int64_t trial;
    double seconds;    /* expected */
    bool is_over;      /* the trial has a result or went back; some members may not have ended */
    int32_t n_here;    /* members that have not ended */
    struct gang *next; /* for dispatch */
    int32_t n;
    int32_t workers[]; /* [n] members, grouped by host; the first leads */
};

/* Create a dispatcher and set all expected seconds; groups are configurations. ledger and cost are
 * borrowed.
 *
 *   widths      [n_groups] how many workers run one trial of the group together, copied; NULL: one.
 *               cost has the seconds on so many
 *   can_shrink  fewer may run it if fewer are alive
 *   hosts       [n_workers] numbers from 0 (world_hosts()); NULL: one host */
struct dispatch *dispatch_create(struct ledger *ledger, struct cost *cost, int32_t n_workers,
                                 const int32_t *widths, bool can_shrink, const int32_t *hosts,
                                 struct err *err);
void dispatch_destroy(struct dispatch *dispatch);

/* No trial can take its worker down (struct runner): worker 0 runs suspects, too. Call before trials
 * run. */
void dispatch_isolate(struct dispatch *dispatch);

/* Set how long such a run lasts in all; INFINITY, as at first: it has no limit. */
void dispatch_set_whole(struct dispatch *dispatch, double whole_s);

/* Choose the trials to send to a worker now; returns their number, often 0. left_s: seconds until
 * everything must end, or INFINITY. */
int32_t dispatch_assign(struct dispatch *dispatch, int32_t worker, double left_s,
                        int64_t out[DISPATCH_MAX], struct err *err);

/* Set the time, by any clock that never goes back, and free the gangs whose members have all ended.
 * Only gangs need it. */
void dispatch_set_time(struct dispatch *dispatch, double now_s);

/* Place a gang on idle workers: 1 and *out, valid until the dispatch_set_time() after its last member
 * has ended; 0: none fits now. Call it before dispatch_assign(), until it returns 0. The ledger leases the trial to the leader;
 * dispatch_finish() and dispatch_give_back() for the leader end the gang. */
int dispatch_place(struct dispatch *dispatch, double left_s, const struct gang **out,
                   struct err *err);
/* Return how many workers run a trial; of a pending one, how many would now. */
int32_t dispatch_width(const struct dispatch *dispatch, int64_t trial);
/* Return the gang of a worker; NULL: it is in none. */
const struct gang *dispatch_gang(const struct dispatch *dispatch, int32_t worker);
/* Return the number of a worker's host, from 0. */
int32_t dispatch_host(const struct dispatch *dispatch, int32_t worker);
/* A member has ended its part: it is idle. Ignored if it is not in this gang. */
void dispatch_end_member(struct dispatch *dispatch, int32_t worker, int64_t gang);
/* Return the least width of pending trials if fewer workers are alive; 0: some trial can run, or
 * none is pending. */
int32_t dispatch_lacks(const struct dispatch *dispatch);

/* Return a worker that holds nothing while trials are pending; -1: none. One that was assigned none
 * is returned again only after trials came back or workers went. */
int32_t dispatch_idle(const struct dispatch *dispatch);

/* True if a live worker, once it holds nothing, can begin some pending trial in left_s seconds;
 * dispatch_idle() then returns all idle workers again. O(workers) if nothing fits, so call it when
 * no worker is busy. */
bool dispatch_can_begin(struct dispatch *dispatch, double left_s);

/* Like ledger_start(). */
void dispatch_start(struct dispatch *dispatch, int32_t worker, int64_t trial);

/* Like ledger_finish(). Seconds of a DONE trial teach the cost model; NaN: unknown. */
bool dispatch_finish(struct dispatch *dispatch, int32_t worker, int64_t trial,
                     enum trial_state state, double seconds);

/* Like ledger_reopen(); a trial with a checkpoint resumes. */
void dispatch_reopen(struct dispatch *dispatch, int64_t trial);

/* Pending trials wait (HELD) after `end` of their epochs, of which `share` is left to those that have a
 * checkpoint; both 1 at first. */
void dispatch_set_rung(struct dispatch *dispatch, double end, double share);

/* Take back a trial because the worker's running one takes too long. The worker gets nothing more
 * until that has ended. Ignored if it does not hold the trial. */
void dispatch_give_back(struct dispatch *dispatch, int32_t worker, int64_t trial);

/* Add a crash that does not reach the limit (ledger_is_last_attempt()) to a trial that was given
 * back. */
void dispatch_suspect(struct dispatch *dispatch, int64_t trial);

void dispatch_leave(struct dispatch *dispatch, int32_t worker);

/* Like ledger_blames(); a member answers for its gang's trial. */
int32_t dispatch_blames(const struct dispatch *dispatch, int32_t worker, int32_t max, int64_t *out);

/* Remove a lost worker, like ledger_lose_worker(). Its results may still come; dispatch_return()
 * takes it back. Its gang is over, and the other members are busy until they have ended. */
int64_t dispatch_lose(struct dispatch *dispatch, int32_t worker);
void dispatch_return(struct dispatch *dispatch, int32_t worker);

/* Return the prediction at hand-out; NaN: never handed out, or nothing was known. */
double dispatch_predicted(const struct dispatch *dispatch, int64_t trial);

/* Let a trial resume from a checkpoint; left: share in [0, 1) of its time. */
void dispatch_resume(struct dispatch *dispatch, int64_t trial, double left);
bool dispatch_resumes(const struct dispatch *dispatch, int64_t trial);

/* The trial ran for so many seconds and had to begin again: expect it to take twice as long. */
void dispatch_ran_in_vain(struct dispatch *dispatch, int64_t trial, double seconds);

/* True if the trial was handed out at least once. */
bool dispatch_was_handed_out(const struct dispatch *dispatch, int64_t trial);

/* Return the expected seconds of the rest of a trial on an average rank; NaN: unknown. */
double dispatch_expected_s(const struct dispatch *dispatch, int64_t trial);

const struct ledger *dispatch_ledger(const struct dispatch *dispatch);
int32_t dispatch_n_busy(const struct dispatch *dispatch);  /* workers that hold a trial */
int32_t dispatch_n_alive(const struct dispatch *dispatch); /* workers neither gone nor lost */

/* Return the expected seconds until all is done, if the running trials began now; NaN: unknown. */
double dispatch_left_s(const struct dispatch *dispatch);

/* Check every invariant, including the ledger's. For tests. */
int dispatch_check(const struct dispatch *dispatch, struct err *err);

#endif
