/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/allot.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Limits are from this share of the bound to the best end found, in steps of this factor. */
#define LEAST_LIMIT 0.1
#define LIMIT_STEP 1.05
/* Ranks are used well if this share of their time is not lost to sharing. */
#define WELL 0.95
/* A trial on ranks that are used well may take this share of the best end found. */
#define LONG 0.9
/* A width counts as fastest if it is slower by at most this: more ranks would gain nothing. */
#define NEARLY 1.02

int allot_init(struct allot *a, int32_t n_trials, int32_t n_ranks, int32_t per_host,
               struct err *err)
{
    size_t n = (size_t)n_trials + (size_t)n_ranks + 1;

    *a = (struct allot){.per_host = per_host};
    a->tasks = calloc(n, sizeof *a->tasks);
    a->free = calloc(n, sizeof *a->free);
    a->heap = calloc(n, sizeof *a->heap);
    a->taken = calloc(n, sizeof *a->taken);
    if (!a->tasks || !a->free || !a->heap || !a->taken) {
        allot_release(a);
        return err_nomem(err, "widths of trials", n * sizeof *a->tasks);
    }
    return 0;
}

void allot_release(struct allot *a)
{
    free(a->tasks);
    free(a->free);
    free(a->heap);
    free(a->taken);
    *a = (struct allot){.n_tasks = 0};
}

/* ---- widths ---- */

static double seconds_on(const struct allot *a, const struct allot_task *task, int32_t ranks)
{
    return speedup_seconds(task->speedup, task->one_s, ranks, a->per_host);
}

/* Return the next smaller number of ranks that makes a difference. */
static int32_t narrower(const struct allot_task *task, int32_t ranks)
{
    int32_t next = speedup_enough(task->speedup, ranks - 1);

    return next > task->fewest ? next : task->fewest;
}

static void widen(const struct allot *a, struct allot_task *task)
{
    double least_s = INFINITY;

    for (int32_t ranks = task->most; ranks > task->fewest; ranks = narrower(task, ranks))
        least_s = fmin(least_s, seconds_on(a, task, ranks));
    least_s = NEARLY * fmin(least_s, seconds_on(a, task, task->fewest));
    task->width = task->fewest;
    for (int32_t ranks = task->most; ranks > task->fewest; ranks = narrower(task, ranks))
        if (seconds_on(a, task, ranks) <= least_s)
            task->width = ranks;
    if (seconds_on(a, task, task->fewest) <= least_s)
        task->width = task->fewest;
}

static bool is_wasteful(const struct allot *a, const struct allot_task *task)
{
    return task->work_s < WELL * task->width * seconds_on(a, task, task->width);
}

/* Fewer ranks than the fastest take longer, so the first that do not fit end the search. */
static void narrow(const struct allot *a, struct allot_task *task, double most_s, double long_s)
{
    while (task->width > task->fewest) {
        int32_t next = narrower(task, task->width);
        double seconds = seconds_on(a, task, next);

        if (seconds > most_s && (seconds > long_s || !is_wasteful(a, task)))
            return;
        task->width = next;
    }
}

void allot_limit(const struct allot *a, struct allot_task *task, double most_s)
{
    widen(a, task);
    narrow(a, task, most_s, 0);
}

/* ---- packing ---- */

static void put(struct allot *a, double at_s, int32_t n)
{
    int32_t i = a->n_heap++;

    for (; i && a->heap[(i - 1) / 2].at_s > at_s; i = (i - 1) / 2)
        a->heap[i] = a->heap[(i - 1) / 2];
    a->heap[i] = (struct allot_free){at_s, n};
}

static struct allot_free pop(struct allot *a)
{
    struct allot_free first = a->heap[0], last = a->heap[--a->n_heap];
    int32_t i = 0, next;

    while ((next = 2 * i + 1) < a->n_heap) {
        next += next + 1 < a->n_heap && a->heap[next + 1].at_s < a->heap[next].at_s;
        if (a->heap[next].at_s >= last.at_s)
            break;
        a->heap[i] = a->heap[next];
        i = next;
    }
    a->heap[i] = last;
    return first;
}

/* Take n ranks; return when they are free. The last to be free are taken. */
static double take(struct allot *a, int32_t n)
{
    int32_t n_taken = 0, surplus = -n;
    double at_s;

    while (surplus < 0) {
        a->taken[n_taken] = pop(a);
        surplus += a->taken[n_taken++].n;
    }
    at_s = a->taken[n_taken - 1].at_s;
    for (int32_t i = 0; surplus > 0; i++) {
        int32_t back = a->taken[i].n < surplus ? a->taken[i].n : surplus;

        put(a, a->taken[i].at_s, back);
        surplus -= back;
    }
    return at_s;
}

/* Return the seconds until all tasks have ended. Free ranks, in order of time, are a heap. */
static double pack(struct allot *a)
{
    double end_s = 0;

    memcpy(a->heap, a->free, (size_t)a->n_free * sizeof *a->heap);
    a->n_heap = a->n_free;
    for (int32_t t = 0; t < a->n_tasks; t++) {
        const struct allot_task *task = &a->tasks[t];
        double seconds = seconds_on(a, task, task->width);

        for (int32_t i = 0; i < task->n; i++) {
            double trial_end_s = take(a, task->width) + seconds;

            put(a, trial_end_s, task->width);
            end_s = fmax(end_s, trial_end_s);
        }
    }
    return end_s;
}

/* ---- choice ---- */

struct found {
    double limit_s, long_s; /* of narrow() */
    double end_s;
};

static int soonest_first(const void *a_, const void *b_)
{
    const struct allot_free *a = a_, *b = b_;

    return (a->at_s > b->at_s) - (a->at_s < b->at_s);
}

static int most_work_first(const void *a_, const void *b_)
{
    const struct allot_task *a = a_, *b = b_;

    if (a->work_s != b->work_s)
        return (a->work_s < b->work_s) - (a->work_s > b->work_s);
    return (a->group > b->group) - (a->group < b->group);
}

/* Return a bound on the end: no schedule ends before all ranks together have done all work. */
static double bound_s(const struct allot *a)
{
    double work_s = 0, free_s = 0;
    int32_t n = 0;

    for (int32_t t = 0; t < a->n_tasks; t++)
        work_s += a->tasks[t].work_s * a->tasks[t].n;
    for (int32_t i = 0; i < a->n_free; i++) {
        if (n && (work_s + free_s) / n <= a->free[i].at_s)
            break;
        free_s += a->free[i].at_s * a->free[i].n;
        n += a->free[i].n;
    }
    return (work_s + free_s) / n;
}

/* Members of a gang are free at one time: joined, they cost no more than one rank. */
static void order_free(struct allot *a)
{
    int32_t n = 0;

    qsort(a->free, (size_t)a->n_free, sizeof *a->free, soonest_first);
    for (int32_t i = 0; i < a->n_free; i++) {
        if (n && a->free[n - 1].at_s == a->free[i].at_s)
            a->free[n - 1].n += a->free[i].n;
        else
            a->free[n++] = a->free[i];
    }
    a->n_free = n;
}

static void order(struct allot *a)
{
    for (int32_t t = 0; t < a->n_tasks; t++) {
        struct allot_task *task = &a->tasks[t];

        widen(a, task);
        task->fastest = task->width;
        task->work_s = seconds_on(a, task, task->fewest) * task->fewest;
    }
    qsort(a->tasks, (size_t)a->n_tasks, sizeof *a->tasks, most_work_first);
    order_free(a);
}

static void fit_all(struct allot *a, double most_s, double long_s)
{
    for (int32_t t = 0; t < a->n_tasks; t++) {
        a->tasks[t].width = a->tasks[t].fastest;
        narrow(a, &a->tasks[t], most_s, long_s);
    }
}

/* Try all limits, from short trials on many ranks to long ones on few. */
static void search(struct allot *a, double most_s, double long_s, struct found *best)
{
    double limit_s = LEAST_LIMIT * bound_s(a);

    do {
        struct found found = {.limit_s = fmin(limit_s, most_s), .long_s = fmin(long_s, most_s)};

        fit_all(a, found.limit_s, found.long_s);
        found.end_s = pack(a);
        if (found.end_s < best->end_s)
            *best = found;
        limit_s *= LIMIT_STEP;
    } while (limit_s < fmin(best->end_s, most_s));
}

double allot_choose(struct allot *a, double most_s)
{
    struct found best = {.end_s = INFINITY};

    if (!a->n_tasks)
        return 0;
    order(a);
    search(a, most_s, 0, &best);
    search(a, most_s, LONG * best.end_s, &best);
    fit_all(a, best.limit_s, best.long_s);
    return best.end_s;
}
