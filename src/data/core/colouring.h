/* SPDX-License-Identifier: BSD-3-Clause */
/* Colours that recognise equal graphs in data whose samples are graphs.
 *
 * Graphs get the same colour if 8 rounds of colour refinement by features and neighbours' colours
 * (Weisfeiler & Leman 1968) do not distinguish them, whatever the order of nodes. No model of up to
 * 8 layers distinguishes them then (Xu et al. 2019, arXiv:1810.00826). Graphs that are alike are
 * compared node by node. */
#ifndef DATA_CORE_COLOURING_H
#define DATA_CORE_COLOURING_H

#include "data/core/dataset.h"

struct colouring {
    const struct dataset *data; /* borrowed */
    struct mat row;             /* (1, F) */
    uint64_t *now, *next;       /* [nodes of the largest graph] */
};

/* Pair with colouring_release(), also after a failure. */
int colouring_init(struct colouring *c, const struct dataset *data, struct err *err);
void colouring_release(struct colouring *c);

uint64_t colouring_graph(struct colouring *c, int32_t i);

#endif
