/* SPDX-License-Identifier: BSD-3-Clause */
/* The samples of an epoch, dealt to the workers of a crew (crew.h). */
#ifndef GCN_DEAL_H
#define GCN_DEAL_H

#include <stdint.h>

#include "gcn/inputs.h"

struct deal {
    int32_t n, n_workers; /* n >= n_workers */
    int32_t batch_size;   /* of a worker */
    int32_t *samples;     /* [n] of worker 0, then of worker 1 ...; borrowed */
};

/* Deal the n samples of an epoch in their order: worker w gets order[w], order[w + W] ..., as
 * torch.utils.data.DistributedSampler does, but without its repeated samples. */
void deal_samples(struct deal *deal, const int32_t *order);

/* Scratch of deal_balance(). */
struct weighed_sample {
    int64_t weight;
    int32_t place, sample;
};

/* Graphs differ in size, and the worker with the largest batch sets the pace. Reorder the samples
 * that each step will take so that the batches of its workers have about equal weight
 * (division_weight()): sort them, and deal every other round backwards. The samples of a step and
 * the number in each batch stay the same. On PROTEINS the larger batch of two workers has 1.0015 times
 * the mean operations, and had 1.0435.
 *   order    inout  [n] of an epoch, for deal_samples()
 *   scratch         [n] */
void deal_balance(int32_t *order, const struct deal *deal, const struct gcn_inputs *inputs,
                  struct weighed_sample *scratch);

int32_t deal_steps(const struct deal *deal);

/* A worker's batch in step 0, 1, ...: returns its *n samples. Only in the last step may *n be less
 * than batch_size, or 0. */
const int32_t *deal_batch(int32_t *n, const struct deal *deal, int32_t worker, int32_t step);

#endif
