/* SPDX-License-Identifier: BSD-3-Clause */
/* Effects, marginal means and Pareto fronts of a sweep whose configurations and values are read. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/sweep/statistics.h"
#include "report/sweep/sweep_read.h"

static int32_t level_at(const struct sweep_data *data, int32_t config, int32_t axis)
{
    return data->level[(size_t)config * (size_t)data->n_axes + (size_t)axis];
}

/* ---- effects ---- */

/* Axes with at least two levels; the others explain nothing. */
struct varied {
    int32_t *axis, *levels; /* [n] */
    int32_t n;
    double n_cells;
};

static int find_varied(struct varied *v, struct sweep_data *data, struct err *err)
{
    size_t n = (size_t)data->n_axes;

    *v = (struct varied){.axis = sweep_take(data, n, sizeof *v->axis, err),
                         .levels = sweep_take(data, n, sizeof *v->levels, err),
                         .n_cells = 1};
    if (!v->axis || !v->levels)
        return -1;
    for (int32_t a = 0; a < data->n_axes; a++)
        if (data->axes[a].n > 1) {
            v->axis[v->n] = a;
            v->levels[v->n++] = data->axes[a].n;
            v->n_cells *= data->axes[a].n;
        }
    return 0;
}

static int explain(struct sweep_data *data, struct err *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static int explain(struct sweep_data *data, struct err *err, const char *format, ...)
{
    char text[200];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    data->effects.why = sweep_copy(data, text, err);
    return data->effects.why ? 0 : -1;
}

static bool has_levels(const struct sweep_data *data, const struct varied *v, int32_t config)
{
    for (int32_t i = 0; i < v->n; i++)
        if (level_at(data, config, v->axis[i]) < 0)
            return false;
    return true;
}

/* Explain in effects.why, if so, why the grid has no exact analysis. */
static int find_gaps(struct sweep_data *data, const struct varied *v, struct err *err)
{
    int32_t n_complete = 0, n_without = 0;

    for (int32_t c = 0; c < data->n_configs; c++) {
        n_complete += data->configs[c].is_complete;
        n_without += !has_levels(data, v, c);
    }
    if (data->search.n_stopped)
        return explain(data, err, "the search stopped %d of %d configurations before their end",
                       (int)data->search.n_stopped, (int)data->n_configs);
    if (!data->search.is_grid)
        return explain(data, err, "the %d configurations are no grid", (int)data->n_configs);
    if (!v->n || data->n_configs < 2)
        return explain(data, err, "only one configuration");
    if (n_without)
        return explain(data, err,
                       "some settings do not apply to every model type, so %d of %d "
                       "configurations lack a value of some axis",
                       n_without, data->n_configs);
    if (v->n_cells > data->n_configs)
        return explain(data, err, "the grid has %.0f combinations, of which %d are configurations",
                       v->n_cells, data->n_configs);
    if (v->n_cells < data->n_configs)
        return explain(data, err, "%d configurations share %.0f combinations of levels",
                       data->n_configs, v->n_cells);
    if (n_complete < data->n_configs)
        return explain(data, err, "%d of %d configurations lack trials",
                       data->n_configs - n_complete, data->n_configs);
    return 0;
}

static int compare_effects(const void *a, const void *b)
{
    const struct sweep_effect *x = a, *y = b;

    if ((x->with < 0) != (y->with < 0))
        return x->with < 0 ? -1 : 1;
    if (x->share != y->share)
        return x->share > y->share ? -1 : 1;
    return x->axis != y->axis ? x->axis - y->axis : x->with - y->with;
}

/* A mean is a sum of at most so many values, each rounded. */
#define ROUNDINGS 64
/* Smaller shares are rounding errors. */
#define LEAST_SHARE 1e-12

static double share_of(double share)
{
    return share < LEAST_SHARE ? 0 : share;
}

static void add_effect(struct sweep_effects *e, int32_t axis, int32_t with, int32_t df, double ss)
{
    double share = share_of(ss / e->total);

    e->of[e->n++] = (struct sweep_effect){.axis = axis, .with = with, .df = df, .share = share};
    e->residual -= share;
}

/* main [n] and pair (n, n): sums of squares. */
static int take_effects(struct sweep_data *data, const struct varied *v, const double *main,
                        const double *pair, struct err *err)
{
    struct sweep_effects *e = &data->effects;

    e->of = sweep_take(data, (size_t)(v->n * (v->n + 1) / 2), sizeof *e->of, err);
    if (!e->of)
        return -1;
    e->residual = 1;
    for (int32_t a = 0; a < v->n; a++) {
        add_effect(e, v->axis[a], -1, v->levels[a] - 1, main[a]);
        for (int32_t b = a + 1; b < v->n; b++)
            add_effect(e, v->axis[a], v->axis[b], (v->levels[a] - 1) * (v->levels[b] - 1),
                       pair[a * v->n + b]);
    }
    e->residual = share_of(e->residual);
    qsort(e->of, (size_t)e->n, sizeof *e->of, compare_effects);
    return 0;
}

static int analyse(struct sweep_data *data, const struct varied *v, struct err *err)
{
    size_t n = (size_t)data->n_configs, k = (size_t)v->n;
    double *y = sweep_take(data, n, sizeof *y, err), *main = sweep_take(data, k, sizeof *main, err);
    double *pair = sweep_take(data, k * k, sizeof *pair, err), most = 0;

    if (!y || !main || !pair)
        return -1;
    for (size_t i = 0; i < n; i++)
        y[i] = NAN;
    for (int32_t c = 0; c < data->n_configs; c++) {
        int32_t cell = 0; /* of the complete grid, in row-major order */

        for (int32_t i = 0; i < v->n; i++)
            cell = cell * v->levels[i] + level_at(data, c, v->axis[i]);
        y[cell] = data->configs[c].mean;
    }
    for (size_t i = 0; i < n; i++)
        if (isnan(y[i])) /* so another combination occurs twice */
            return explain(data, err, "some configurations share a combination of levels");
    data->effects.total = anova_grid(main, pair, y, v->levels, v->n, &data->memory, err);
    if (data->effects.total < 0)
        return -1;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(y[i]));
    /* The most that rounding of n means can add to their sum of squares around the grand mean. */
    if (data->effects.total <= (double)n * pow(ROUNDINGS * DBL_EPSILON * most, 2))
        return explain(data, err, "all configurations have the same score");
    data->effects.is_complete = true;
    return take_effects(data, v, main, pair, err);
}

/* ---- marginal means ---- */

/* Scratch for one axis. */
struct sums {
    double *of_slot;   /* (levels, n_slots) sums, then means, of the level's configurations */
    double *deviation; /* [n_slots] */
    bool *is_full;     /* [n_slots] each complete configuration has a value */
};

/* The interval of a level is that of its deviation from the mean of the levels on the same folds,
 * so what the folds have in common does not widen it. */
static void put_intervals(struct sums *sums, struct sweep_marginal *marginal,
                          const struct sweep_data *data, int32_t n_levels)
{
    size_t n_slots = (size_t)data->n_slots;
    int32_t n_used = 0;

    for (int32_t l = 0; l < n_levels; l++)
        n_used += marginal[l].n > 0;
    for (int32_t l = 0; l < n_levels; l++) {
        struct sweep_marginal *m = &marginal[l];
        int32_t n = 0;
        double half;

        for (size_t s = 0; s < n_slots; s++) {
            double all = 0;

            if (!sums->is_full[s] || !m->n)
                continue;
            for (int32_t i = 0; i < n_levels; i++)
                if (marginal[i].n)
                    all += sums->of_slot[(size_t)i * n_slots + s] / marginal[i].n / n_used;
            sums->deviation[n++] = sums->of_slot[(size_t)l * n_slots + s] / m->n - all;
        }
        half = n_used > 1 ? resampled_half_width(sums->deviation, n, data->share) : (double)NAN;
        m->mean = m->n ? m->mean / m->n : (double)NAN;
        m->best = m->n ? m->best : (double)NAN;
        m->low = m->mean - half;
        m->high = m->mean + half;
    }
}

static int find_marginal(struct sums *sums, struct sweep_data *data, int32_t axis, struct err *err)
{
    int32_t n = data->axes[axis].n;
    struct sweep_marginal *marginal = sweep_take(data, (size_t)n, sizeof *marginal, err);

    sums->of_slot = sweep_take(data, (size_t)n * (size_t)data->n_slots, sizeof *sums->of_slot, err);
    if (!marginal || !sums->of_slot)
        return -1;
    data->marginal[axis] = marginal;
    for (int32_t c = 0; c < data->n_configs; c++) {
        const struct sweep_config *config = &data->configs[c];
        int32_t level = level_at(data, c, axis);
        struct sweep_marginal *m = &marginal[level < 0 ? 0 : level];

        if (level < 0 || !config->is_complete)
            continue;
        m->best = m->n ? m->best : config->mean; /* by place */
        m->mean += config->mean;
        m->n++;
        for (int32_t s = 0; s < data->n_slots; s++)
            sums->of_slot[(size_t)level * (size_t)data->n_slots + (size_t)s] +=
                data->value[(size_t)s * (size_t)data->n_configs + (size_t)c];
    }
    put_intervals(sums, marginal, data, n);
    return 0;
}

static int find_marginals(struct sweep_data *data, struct err *err)
{
    size_t n_slots = (size_t)data->n_slots;
    struct sums sums = {.deviation = sweep_take(data, n_slots, sizeof *sums.deviation, err),
                        .is_full = sweep_take(data, n_slots, sizeof *sums.is_full, err)};

    data->marginal = sweep_take(data, (size_t)data->n_axes, sizeof(struct sweep_marginal *), err);
    if (!data->marginal || !sums.deviation || !sums.is_full)
        return -1;
    for (int32_t s = 0; s < data->n_slots; s++) {
        const double *value = &data->value[(size_t)s * (size_t)data->n_configs];

        sums.is_full[s] = true;
        for (int32_t c = 0; c < data->n_configs; c++)
            sums.is_full[s] &= !data->configs[c].is_complete || !isnan(value[c]);
    }
    for (int32_t a = 0; a < data->n_axes; a++)
        if (find_marginal(&sums, data, a, err))
            return -1;
    return 0;
}

/* ---- Pareto fronts ---- */

static int find_fronts(struct sweep_data *data, struct err *err)
{
    size_t n = (size_t)data->n_configs;
    double *score = sweep_take(data, n, sizeof *score, err);
    double *seconds = sweep_take(data, n, sizeof *seconds, err);
    double *flops = sweep_take(data, n, sizeof *flops, err);
    int32_t n_complete = 0;

    data->pareto_seconds = sweep_take(data, n, sizeof *data->pareto_seconds, err);
    data->pareto_flops = sweep_take(data, n, sizeof *data->pareto_flops, err);
    if (!score || !seconds || !flops || !data->pareto_seconds || !data->pareto_flops)
        return -1;
    for (; n_complete < data->n_configs && data->configs[n_complete].is_complete; n_complete++) {
        score[n_complete] = data->configs[n_complete].mean;
        seconds[n_complete] = data->configs[n_complete].seconds;
        flops[n_complete] = data->configs[n_complete].flops;
    }
    data->n_pareto_seconds = pareto_front(data->pareto_seconds, score, seconds, n_complete);
    data->n_pareto_flops = pareto_front(data->pareto_flops, score, flops, n_complete);
    return 0;
}

/* ---- order of the axes ---- */

/* The share of the variance that an axis explains alone; NaN: unknown. */
static double explained_by(const struct sweep_data *data, int32_t axis)
{
    for (int32_t i = 0; i < data->effects.n; i++)
        if (data->effects.of[i].axis == axis && data->effects.of[i].with < 0)
            return data->effects.of[i].share;
    return NAN;
}

static int32_t count_having(const struct sweep_data *data, int32_t axis)
{
    int32_t n = 0;

    for (int32_t c = 0; c < data->n_configs; c++)
        n += level_at(data, c, axis) >= 0;
    return n;
}

static bool matters_more(const struct sweep_data *data, int32_t a, int32_t b)
{
    if (data->effects.is_complete)
        return explained_by(data, a) > explained_by(data, b);
    return count_having(data, a) > count_having(data, b);
}

/* By insertion: there are few axes. */
static int find_order(struct sweep_data *data, struct err *err)
{
    int32_t *order = sweep_take(data, (size_t)data->n_axes, sizeof *order, err), at;

    data->axis_order = order;
    for (int32_t axis = 0; order && axis < data->n_axes; axis++) {
        if (data->axes[axis].n < 2)
            continue;
        for (at = data->n_varied++; at > 0 && matters_more(data, axis, order[at - 1]); at--)
            order[at] = order[at - 1];
        order[at] = axis;
    }
    return order ? 0 : -1;
}

int sweep_find_statistics(struct sweep_data *data, struct err *err)
{
    struct varied v;

    data->effects.why = "";
    if (find_varied(&v, data, err) || find_gaps(data, &v, err) ||
        (!*data->effects.why && analyse(data, &v, err)))
        return -1;
    return find_marginals(data, err) || find_fronts(data, err) || find_order(data, err) ? -1 : 0;
}
