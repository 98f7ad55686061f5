/* SPDX-License-Identifier: BSD-3-Clause */
/* Points that fill the space evenly (search/sobol.h). */
#include "search/proposal.h"
#include "search/sobol.h"

static int first(struct grid_rows *out, const struct proposing *proposing, int32_t n,
                 struct err *err)
{
    return proposal_sequence_rows(out, proposing, n, sobol_point, err);
}

const struct proposer propose_sobol = {.name = "sobol",
                                       .words = "taken from a scrambled Sobol sequence",
                                       .takes_ranges = true,
                                       .first = first};
