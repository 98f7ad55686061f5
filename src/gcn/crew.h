/* SPDX-License-Identifier: BSD-3-Clause */
/* The workers of a training, and how they add and share what each has computed.
 *
 * A training with W workers divides every step among them (trainer.h). R ranks run it together:
 * each runs consecutive workers. W alone sets the order of every sum, so R never changes a bit:
 *
 *     node(0, w) = part of worker w
 *     node(k, i) = node(k-1, 2i) + node(k-1, 2i+1), or node(k-1, 2i) if that is the last
 *
 * Every rank makes the same calls in the same order. A call that fails (a rank is gone) sets
 * has_failed and returns at once, as do all later ones; the numbers are then worthless, and the
 * training must end. */
#ifndef GCN_CREW_H
#define GCN_CREW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hash.h"

struct crew {
    int32_t n_workers; /* W */
    int32_t first, n;  /* this rank runs workers first ... first + n - 1 */
    bool has_failed;
    const struct crew_calls *calls;
    void *self;
};

/* A call that fails sets has_failed, and leaves what it would write as it was, or partly written. */
struct crew_calls {
    /* Take zeroed memory that lasts as long as the crew, and that the other calls reach without
     * copying. NULL and err: out of memory.
     *   parts  (W, count): each rank writes the rows of its workers
     *   common [count]: the same on all ranks after share(), one copy on each host */
    float *(*take_parts)(struct crew *crew, size_t count, struct err *err);
    float *(*take_common)(struct crew *crew, size_t count, struct err *err);

    /* total [count] out: sum of the parts (W, count), from take_parts(), elements begin ... end - 1
     * of each. When it returns, no rank reads the parts any more. */
    void (*sum)(struct crew *crew, float *total, const float *parts, size_t count, size_t begin,
                size_t end);
    /* The same for a few numbers of ordinary memory: parts (n, count) of this rank's workers. */
    void (*sum_few)(struct crew *crew, double *total, const double *parts, size_t count);

    /* Let every rank see all of common, from take_common(). Worker w's rank has written elements
     * bounds[w] ... bounds[w + 1] - 1. Before the next write, every rank must have read: call
     * share() or sum() on something else between, or alternate two buffers. */
    void (*share)(struct crew *crew, float *common, const size_t *bounds);

    /* True if any rank passes wants = true. All ranks must pass the same hash, or has_failed. */
    bool (*agree)(struct crew *crew, bool wants, struct hash hash);
};

/* One rank that runs all workers. Do not move it after crew_alone_init(). */
struct crew_alone {
    struct crew crew;
    struct arena *scratch; /* borrowed: the crew's memory */
};
void crew_alone_init(struct crew_alone *alone, int32_t n_workers, struct arena *scratch);

/* out [count] = the tree's sum of rows parts + w * stride, w = 0 ... n_workers - 1. out must not
 * overlap the parts. */
void crew_tree_sum(float *out, const float *parts, size_t stride, int32_t n_workers, size_t count);
void crew_tree_sum_doubles(double *out, const double *parts, size_t stride, int32_t n_workers,
                           size_t count);

#endif
