/* SPDX-License-Identifier: BSD-3-Clause */
/* Points that a Gaussian process of the scores so far expects to improve most (search/gp.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "search/gp.h"
#include "search/proposal.h"
#include "search/sobol.h"

/* Candidates where axes are ranges or the grid is large: points of the Sobol sequence, and the neighbours of the best. */
enum { N_POINTS = 4096, N_BEST = 8 };

static int first(struct grid_rows *out, const struct proposing *proposing, int32_t n,
                 struct err *err)
{
    const int32_t initial = proposer_initial(proposing);

    return proposal_sequence_rows(out, proposing, n < initial ? n : initial, sobol_point, err);
}

/* ---- candidates ---- */

/* Add the row that has another value of one axis: for a list the value `step` places on, for a range the one that is
 * `step` on the axis from 0 to 1. */
static int add_neighbour(struct proposal *c, const union value *row, int32_t a, double step,
                         struct err *err)
{
    const struct axis *axis = &c->of->sweep->axes[a];
    const double u = space_place(&c->space, row, a) + (axis_is_range(axis) ? step : step / axis->n);
    int32_t number;
    bool is_kept;

    if (u < 0 || u >= 1)
        return 0;
    arena_reset(&c->texts);
    memcpy(c->row, row, (size_t)c->space.n_axes * sizeof *row);
    for (int32_t b = 0; b < c->space.n_axes; b++)
        if ((b == a || (param_is_text(c->of->sweep->axes[b].id) && !row[b].s)) &&
            space_decode(c->row, &c->space, b, b == a ? u : 0, &c->texts))
            return err_nomem(err, "candidates", 0);
    return proposal_add(&number, &is_kept, c, c->row, err);
}

/* Lists: their values in the order of the file; words: all of them. */
static int add_neighbours(struct proposal *c, const union value *row, struct err *err)
{
    static const double steps[] = {-0.125, -0.03125, 0.03125, 0.125};

    for (int32_t a = 0; a < c->space.n_axes; a++) {
        const struct axis *axis = &c->of->sweep->axes[a];
        const int32_t far = c->space.is_word[a] ? axis->n - 1 : 1;

        if (!space_has(&c->space, row, a))
            continue;
        for (int32_t i = 0; axis_is_range(axis) && i < 4; i++)
            if (add_neighbour(c, row, a, steps[i], err))
                return -1;
        for (int32_t step = -far; !axis_is_range(axis) && step <= far; step++)
            if (step && add_neighbour(c, row, a, step, err))
                return -1;
    }
    return 0;
}

/* z [rows->n]: their scores. */
static int add_best_neighbours(struct proposal *c, const struct grid_rows *rows, const double *z,
                               struct err *err)
{
    int32_t best[N_BEST], n_best = 0;

    while (n_best < N_BEST && n_best < rows->n) {
        int32_t most = -1;

        for (int32_t i = 0; i < rows->n; i++) {
            bool is_taken = false;

            for (int32_t k = 0; k < n_best; k++)
                is_taken |= best[k] == i;
            if (!is_taken && (most < 0 || z[i] > z[most]))
                most = i;
        }
        best[n_best++] = most;
    }
    for (int32_t k = 0; k < n_best; k++)
        if (add_neighbours(c, rows->v + (size_t)best[k] * c->of->sweep->n_axes, err))
            return -1;
    return 0;
}

/* Points of the sequence that no earlier batch saw. */
static int add_points(struct proposal *c, uint32_t first_index, struct err *err)
{
    const struct rng rng = proposal_rng(c->of);
    double u[P_MAX];

    for (uint32_t i = 0; i < N_POINTS; i++) {
        sobol_point(u, c->space.n_axes, first_index + i, &rng);
        if (proposal_add_point(c, u, err))
            return -1;
    }
    return 0;
}

static int add_grid(struct proposal *c, struct err *err)
{
    const struct proposing *of = c->of;
    struct grid_rows grid;
    int32_t number;
    int rc = 0;

    if (grid_rows_make(&grid, of->sweep, of->fixed, of->predicate, err))
        return -1;
    for (int32_t i = 0; !rc && i < grid.n; i++)
        rc = proposal_take(&number, c, grid.v + (size_t)i * of->sweep->n_axes, err);
    grid_rows_release(&grid);
    return rc;
}

/* Rows that were not proposed. */
static int find_candidates(struct grid_rows *out, const struct grid_rows *rows,
                           const struct proposing *of, const double *z, struct err *err)
{
    struct proposal c;
    int rc;

    *out = (struct grid_rows){.n = 0};
    if (proposal_begin(&c, out, 0, of, err))
        return -1;
    rc = proposal_exclude(&c, rows, err);
    if (!rc && proposal_is_small_grid(of))
        rc = add_grid(&c, err);
    else if (!rc)
        rc = add_points(&c, (uint32_t)rows->n * N_POINTS, err) ||
                     add_best_neighbours(&c, rows, z, err)
                 ? -1
                 : 0;
    proposal_end(&c);
    return rc;
}

/* ---- the choice ---- */

/* (rows->n, n_columns) owned by the caller. NULL and err: memory is short. */
static double *encode(const struct space *space, const struct grid_rows *rows, struct err *err)
{
    const size_t columns = (size_t)space->n_columns;
    double *u = malloc((size_t)rows->n * columns * sizeof *u + 1);

    if (!u)
        err_nomem(err, "points", (size_t)rows->n * columns * sizeof *u);
    for (size_t i = 0; u && i < (size_t)rows->n; i++)
        space_encode(u + i * columns, space, rows->v + i * space->sweep->n_axes);
    return u;
}

/* Append the n best candidates to p->rows. points: u is missing. unit: of z, in scores. */
static int choose(struct proposal *p, const struct grid_rows *candidates, int32_t n,
                  struct gp_points *points, double unit, double *value, struct err *err)
{
    double *seen = encode(&p->space, p->rows, err);
    double *u = seen ? encode(&p->space, candidates, err) : NULL;
    bool *is_seen = calloc((size_t)candidates->n + 1, sizeof *is_seen);
    int32_t *chosen = malloc((size_t)n * sizeof *chosen + 1), number;
    struct gp gp = {.n = 0};
    int rc = u ? 0 : -1;

    points->u = seen;
    if (!rc && (!is_seen || !chosen))
        rc = err_nomem(err, "candidates", (size_t)candidates->n);
    if (!rc)
        rc = gp_fit(&gp, points, err);
    if (!rc)
        rc = gp_choose(chosen, value, n, &gp, u, candidates->n, is_seen, err);
    for (int32_t i = 0; !rc && i < n; i++) {
        value[i] *= unit;
        rc = proposal_take(&number, p, candidates->v + (size_t)chosen[i] * p->of->sweep->n_axes,
                           err);
    }
    gp_release(&gp);
    free(chosen);
    free(is_seen);
    free(u);
    free(seen);
    return rc;
}

/* Without two scores that differ, the sequence goes on. */
static int next(struct grid_rows *rows, const struct proposing *proposing, int32_t n,
                const double *scores, int32_t each, double *value, struct err *err)
{
    const size_t size = (size_t)rows->n * sizeof *scores + 1;
    struct gp_points points = {.n = rows->n};
    struct grid_rows candidates = {.n = 0};
    double *z = malloc(size), unit = z ? gp_targets(z, &points.noise, scores, rows->n, each) : -1;
    struct proposal p;
    int rc = unit < 0 ? err_nomem(err, "scores", size)
                      : proposal_begin(&p, rows, rows->n + n, proposing, err);

    if (rc) {
        free(z);
        return -1;
    }
    for (int32_t i = 0; i < n; i++)
        value[i] = NAN;
    points.axis = p.space.axis;
    points.z = z;
    points.n_columns = p.space.n_columns;
    points.n_axes = p.space.n_axes;
    if (unit > 0 && rows->n >= 2) {
        rc = find_candidates(&candidates, rows, proposing, z, err);
        if (!rc && candidates.n)
            rc = choose(&p, &candidates, n < candidates.n ? n : candidates.n, &points, unit, value,
                        err);
    } else {
        rc = proposal_draw(&p, rows->n + n, sobol_point, err);
    }
    grid_rows_release(&candidates);
    proposal_end(&p);
    free(z);
    return rc;
}

const struct proposer propose_model = {
    .name = "model", .takes_ranges = true, .is_adaptive = true, .first = first, .next = next};
