/* SPDX-License-Identifier: BSD-3-Clause */
/* Trials with a checkpoint, which go before others. Part of dispatch. */
#ifndef SCHED_RESUMES_H
#define SCHED_RESUMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/cost.h"
#include "sched/ledger.h"

struct resumes {
    const struct ledger *ledger;
    const struct cost *cost;
    const int32_t *widths; /* [n_groups] for which cost has the seconds; NULL: 1 */
    float *done;           /* [n_trials] share already run; 0: no checkpoint */
    int64_t *waiting;      /* [n] with a checkpoint; some may no longer be pending */
    size_t n, capacity;
};

/* All but err are borrowed; widths may be NULL. */
struct resumes *resumes_create(const struct ledger *ledger, const struct cost *cost,
                               const int32_t *widths, struct err *err);
void resumes_destroy(struct resumes *resumes);

/* left: share in [0, 1) of the trial's time. */
void resumes_set(struct resumes *resumes, int64_t trial, double left);
bool resumes_has(const struct resumes *resumes, int64_t trial);

/* Note a trial that is pending again. If memory runs out, it stays among the others. */
void resumes_wait(struct resumes *resumes, int64_t trial);

/* Return the expected seconds of a trial at the present width of its group: of fewer ranks than
 * widths[group], it takes in proportion longer. */
double resumes_group_seconds(const struct resumes *resumes, int32_t group);
/* The same of the rest of a trial. */
double resumes_seconds(const struct resumes *resumes, int64_t trial);

/* Return a pending trial with a checkpoint, of a width in [least, most] and of at most most_s; -1:
 * none. O(1), or O(trials waiting) if none fits. */
int64_t resumes_find(struct resumes *resumes, int32_t least, int32_t most, double most_s);

/* Return a trial for a worker that holds nothing: one with a checkpoint, else ledger_next(). */
int64_t resumes_next(struct resumes *resumes, double most_s);

#endif
