/* SPDX-License-Identifier: BSD-3-Clause */
/* Pieces of a batch of graphs.
 *
 * The arrays of a large batch do not fit in a processor's cache, and every step of a pass would read
 * them from memory. Graphs do not depend on each other, so a batch is computed piece by piece, forward and
 * backward, and the gradients of the pieces are added up. Batch normalisation needs the whole batch, and
 * workers that divide a full batch have pieces of their own (division.h). */
#ifndef GCN_PIECE_H
#define GCN_PIECE_H

#include "data/core/dataset.h"
#include "gcn/spec.h"

/* Most nodes that are computed together, in steps and in scoring: room for a piece, for the largest graph,
 * and for any batch that is not divided into pieces. It depends on the settings and the data alone, and so
 * do the sums.
 *   n_batch  graphs of a batch
 *   is_full  a batch has all training graphs */
int32_t piece_capacity(const struct gcn_spec *spec, const struct dataset *data, int32_t n_batch,
                       bool is_full);

#endif
