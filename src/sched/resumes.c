/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/resumes.h"

#include <stdlib.h>

struct resumes *resumes_create(const struct ledger *ledger, const struct cost *cost,
                               const int32_t *widths, struct err *err)
{
    size_t n = (size_t)ledger_counts(ledger).total + 1;
    struct resumes *resumes = calloc(1, sizeof *resumes);

    if (resumes)
        resumes->done = calloc(n, sizeof *resumes->done);
    if (!resumes || !resumes->done) {
        free(resumes);
        err_nomem(err, "checkpoints", n * sizeof(float));
        return NULL;
    }
    resumes->ledger = ledger;
    resumes->cost = cost;
    resumes->widths = widths;
    return resumes;
}

void resumes_destroy(struct resumes *resumes)
{
    if (!resumes)
        return;
    free(resumes->done);
    free(resumes->waiting);
    free(resumes);
}

bool resumes_has(const struct resumes *resumes, int64_t trial)
{
    return resumes->done[trial] > 0;
}

void resumes_wait(struct resumes *resumes, int64_t trial)
{
    size_t capacity = resumes->capacity ? 2 * resumes->capacity : 16;
    int64_t *grown;

    if (!resumes_has(resumes, trial))
        return;
    if (resumes->n == resumes->capacity) {
        grown = realloc(resumes->waiting, capacity * sizeof *grown);
        if (!grown)
            return;
        resumes->waiting = grown;
        resumes->capacity = capacity;
    }
    resumes->waiting[resumes->n++] = trial;
}

void resumes_set(struct resumes *resumes, int64_t trial, double left)
{
    resumes->done[trial] = (float)(1 - left);
    resumes_wait(resumes, trial);
}

double resumes_group_seconds(const struct resumes *resumes, int32_t group)
{
    double seconds = cost_seconds(resumes->cost, group);

    return resumes->widths
               ? seconds * resumes->widths[group] / ledger_group_width(resumes->ledger, group)
               : seconds;
}

double resumes_seconds(const struct resumes *resumes, int64_t trial)
{
    return (1 - (double)resumes->done[trial]) *
           resumes_group_seconds(resumes, ledger_group(resumes->ledger, trial));
}

static bool waits(const struct resumes *resumes, int64_t trial)
{
    return ledger_state(resumes->ledger, trial) == TRIAL_PENDING &&
           !ledger_is_suspect(resumes->ledger, trial);
}

int64_t resumes_find(struct resumes *resumes, int32_t least, int32_t most, double most_s)
{
    size_t i = 0;

    while (i < resumes->n) {
        int64_t trial = resumes->waiting[i];
        int32_t width = ledger_width(resumes->ledger, trial);

        if (!waits(resumes, trial))
            resumes->waiting[i] = resumes->waiting[--resumes->n];
        else if (width >= least && width <= most && resumes_seconds(resumes, trial) <= most_s)
            return trial;
        else
            i++;
    }
    return -1;
}

int64_t resumes_next(struct resumes *resumes, double most_s)
{
    int64_t next = resumes_find(resumes, 1, 1, most_s);

    return next >= 0 ? next : ledger_next(resumes->ledger, -1, most_s);
}
