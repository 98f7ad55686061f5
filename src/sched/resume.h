/* Trials that go on from a checkpoint: how much of each is left, and which waits. Pure. */
#ifndef SCHED_RESUME_H
#define SCHED_RESUME_H

#include "sched/cost.h"
#include "sched/ledger.h"

struct resumes;

/* ledger and cost are borrowed. NULL and err when memory is short. */
struct resumes *resumes_create(const struct ledger *ledger, const struct cost *cost,
                               struct err *err);
void resumes_destroy(struct resumes *resumes); /* takes NULL */

/* From now on this trial goes on from a checkpoint, with a share in [0, 1) of its time left. */
void resumes_set(struct resumes *resumes, int64_t trial, double left);
bool resumes_has(const struct resumes *resumes, int64_t trial);
/* Expected of a trial on a rank of average speed, of what is left of it. */
double resumes_seconds(const struct resumes *resumes, int64_t trial);

/* The trial is pending again: if it has a checkpoint, it waits for its turn. (Short of memory,
 * among all others.) */
void resumes_wait(struct resumes *resumes, int64_t trial);
/* For a worker that holds nothing and has time for most_s seconds: one with a checkpoint that is
 * pending and no suspect, else what ledger_next() says. O(1), or O(those that wait) while none of
 * them is so short. */
int64_t resumes_next(struct resumes *resumes, double most_s);

#endif
