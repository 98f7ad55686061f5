/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/grid_rows.h"

#include <math.h>
#include <stdlib.h>

void grid_rows_release(struct grid_rows *rows)
{
    free(rows->v);
    arena_release(&rows->texts);
    *rows = (struct grid_rows){.n = 0};
}

double grid_points(const struct sweep *sweep)
{
    double n = 1; /* a double holds 10^30 */

    for (size_t i = 0; i < sweep->n_axes; i++) {
        const struct axis_range *range = &sweep->axes[i].range;

        n *= !range->name      ? sweep->axes[i].n
             : range->is_whole ? range->high - range->low + 1
                               : (double)INFINITY;
    }
    return n;
}

static void point_settings(const struct sweep *sweep, int64_t point, struct settings *out)
{
    for (size_t i = sweep->n_axes; i-- > 0;) {
        const struct axis *axis = &sweep->axes[i];

        out->v[axis->id] = axis->values[point % axis->n];
        point /= axis->n;
    }
}

/* Take the values from axes whose condition does not hold, in the order of the axes, so that each
 * condition sees the values of those before it. */
static int decide_conditions(bool *is_whole, const struct sweep *sweep,
                             const struct predicate *predicate, struct settings *point,
                             struct err *err)
{
    *is_whole = true;
    for (size_t i = 0; predicate && predicate->holds && i < sweep->n_axes; i++) {
        void *condition = predicate->conditions[i];
        int holds = condition ? predicate->holds(condition, sweep, point, err) : 1;

        if (holds < 0)
            return -1;
        if (!holds)
            point->v[sweep->axes[i].id].s = NULL;
        *is_whole = *is_whole && holds;
    }
    return 0;
}

int grid_decide(bool *is_kept, bool *has_all, const struct sweep *sweep,
                const struct predicate *predicate, struct settings *point, struct err *err)
{
    int keep = 1;

    if (decide_conditions(has_all, sweep, predicate, point, err))
        return -1;
    if (predicate && predicate->keep)
        keep = predicate->keep(predicate->arg, sweep, point, err);
    *is_kept = keep > 0;
    return keep < 0 ? -1 : 0;
}

/* The point that stands for all with the same model: axes that the model type lacks are at their
 * first values. */
static int64_t model_of(const struct sweep *sweep, int64_t point, const struct settings *settings)
{
    int64_t model = point, stride = 1;

    for (size_t i = sweep->n_axes; i-- > 0;) {
        const struct axis *axis = &sweep->axes[i];

        if (!settings_has(settings, axis->id))
            model -= point % axis->n * stride;
        point /= axis->n;
        stride *= axis->n;
    }
    return model;
}

/* is_there [n_points] false on entry: points whose model has a row */
static int add_points(struct grid_rows *out, bool *is_there, int32_t n_points,
                      const struct sweep *sweep, const struct settings *fixed,
                      const struct predicate *predicate, struct err *err)
{
    struct settings settings = *fixed;

    for (int32_t point = 0; point < n_points; point++) {
        union value *row = out->v + (size_t)out->n * sweep->n_axes;
        bool is_kept, is_whole, *is_repeat;

        point_settings(sweep, point, &settings);
        if (grid_decide(&is_kept, &is_whole, sweep, predicate, &settings, err))
            return -1;
        if (!is_kept)
            continue;
        is_repeat = &is_there[model_of(sweep, point, &settings)];
        out->n_repeats += *is_repeat && is_whole;
        for (size_t a = 0; !*is_repeat && a < sweep->n_axes; a++)
            row[a] = settings.v[sweep->axes[a].id];
        out->n += !*is_repeat;
        *is_repeat = true;
    }
    return out->n ? 0
                  : err_set(err, "%s: 'where' leaves none of the grid's %d points", sweep->path,
                            (int)n_points);
}

static int refuse_range(const struct sweep *sweep, size_t a, struct err *err)
{
    const struct axis *axis = &sweep->axes[a];
    struct buf place = {0}, range = {0};

    sweep_put_place(&place, sweep, (int)axis->id);
    axis_put_range(&range, axis);
    err_set(
        err,
        "%s: %s = %s: a grid needs lists of values: list them, or set [search] propose = sobol, "
        "random or model",
        buf_text(&place), axis->row->key, buf_text(&range));
    buf_release(&place);
    buf_release(&range);
    return -1;
}

int grid_rows_make(struct grid_rows *out, const struct sweep *sweep, const struct settings *fixed,
                   const struct predicate *predicate, struct err *err)
{
    const double n_points = grid_points(sweep);
    const size_t row = (sweep->n_axes ? sweep->n_axes : 1) * sizeof *out->v;
    bool *is_there;
    int rc;

    *out = (struct grid_rows){.is_whole = true};
    for (size_t i = 0; i < sweep->n_axes; i++)
        if (axis_is_range(&sweep->axes[i]))
            return refuse_range(sweep, i, err);
    if (n_points > GRID_MAX_POINTS)
        return err_set(err, "%s: the grid has %.15g points; at most %d are allowed", sweep->path,
                       n_points, GRID_MAX_POINTS);
    out->v = malloc((size_t)n_points * row);
    is_there = calloc((size_t)n_points, sizeof *is_there);
    rc = out->v && is_there
             ? add_points(out, is_there, (int32_t)n_points, sweep, fixed, predicate, err)
             : err_nomem(err, "grid", (size_t)n_points * row);
    free(is_there);
    if (rc)
        grid_rows_release(out);
    return rc;
}
