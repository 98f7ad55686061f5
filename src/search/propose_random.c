/* SPDX-License-Identifier: BSD-3-Clause */
/* Points that are drawn evenly. */
#include "search/proposal.h"

static void at(double *u, int32_t n_axes, uint32_t index, const struct rng *rng)
{
    for (int32_t a = 0; a < n_axes; a++)
        u[a] = rng_uniform(rng, (uint32_t)a, index);
}

static int first(struct grid_rows *out, const struct proposing *proposing, int32_t n,
                 struct err *err)
{
    return proposal_sequence_rows(out, proposing, n, at, err);
}

const struct proposer propose_random = {
    .name = "random", .words = "drawn at random", .takes_ranges = true, .first = first};
