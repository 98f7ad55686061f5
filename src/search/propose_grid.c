/* SPDX-License-Identifier: BSD-3-Clause */
/* Every point of the lists, in their order. */
#include "search/proposal.h"

static int order_rows(struct grid_rows *out, const struct grid_rows *grid,
                      const struct proposing *proposing, int32_t n, struct err *err)
{
    struct proposal proposal;
    int32_t number;
    int rc;

    if (proposal_begin(&proposal, out, 0, proposing, err))
        return -1;
    rc = proposal_start(&proposal, err);
    for (int32_t c = 0; !rc && c < grid->n && out->n < n; c++)
        rc = proposal_take(&number, &proposal, grid->v + (size_t)c * proposing->sweep->n_axes, err);
    proposal_end(&proposal);
    return rc;
}

static int first(struct grid_rows *out, const struct proposing *proposing, int32_t n,
                 struct err *err)
{
    struct grid_rows grid;
    int rc;

    if (grid_rows_make(&grid, proposing->sweep, proposing->fixed, proposing->predicate, err))
        return -1;
    n = n < 0 || n > grid.n ? grid.n : n;
    if (!*proposing->fixed->v[P_START].s) {
        grid.is_whole &= n == grid.n;
        grid.n = n;
        *out = grid;
        return 0;
    }
    *out = (struct grid_rows){.n_repeats = grid.n_repeats, .is_whole = n == grid.n};
    rc = order_rows(out, &grid, proposing, n, err);
    grid_rows_release(&grid);
    if (rc)
        grid_rows_release(out);
    return rc;
}

const struct proposer propose_grid = {.name = "grid", .first = first};
