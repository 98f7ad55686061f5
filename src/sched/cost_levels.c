/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cost_formula.h"

/* log seconds = mean + sum over the axes of the effect of the level.
 *
 * The effects are fitted axis by axis (backfitting: Breiman & Friedman 1985, JASA 80:580), with
 * Huber's weights. Effects of levels that are numbers are a line in log number plus deviations
 * whose differences between neighbours are small, so levels that were never measured lie on the
 * curve. All effects are drawn to 0, as normal ones of the deviations below would be. */

enum { MOST_ROWS = 1024, SPREAD_ROWS = 128, CURVE_EFFECTS = 3 };

/* Each fit goes on from the last. With few rows the axes resemble each other, which takes more
 * sweeps, and time is left for them. */
enum { LEAST_SWEEPS = 4, MOST_SWEEPS = 32, ROW_SWEEPS = 4096 };

#define HUBER 1.5       /* in deviations of the noise */
#define FIRST_NOISE 0.3 /* expected sd of the logarithm; weighs as many rows as there are effects */
#define LEAST_NOISE 0.05
#define SLOPE_SD 1.0    /* of the exponent of a number */
#define LEVEL_SD 1.0    /* of a level that is no number, and of a deviation from the line */
#define CURVE_SD 0.5    /* of the difference of two deviations a factor of e apart */
#define ROUGH_SD 0.15   /* of a deviation, where the line is fitted */
#define LEAST_STEP 1e-6 /* between two numbers; 1 and 1.0 may be equal */
#define GUESS_S 1.0     /* the shortest guess, before the first trial is measured */
#define GUESS_OCTAVES 8
#define GOLDEN 0.6180339887498949
#define NORMAL_MAD 1.4826 /* sd of a normal distribution by its median absolute deviation */

struct level {
    double effect, reported;
    double weight, sum; /* of the rows with this level; of their weighted residuals */
};

struct place {
    double x; /* logarithm of the number; NAN: none */
    int32_t level;
};

struct equation {
    double pivot, value;
};

struct axis {
    struct level *levels; /* [n] */
    struct place *order;  /* [n] the n_numbers by x, then the other levels */
    int32_t n, n_numbers;
    int32_t period;             /* points between neighbouring levels */
    int32_t *rows;              /* [MOST_ROWS] level of each row */
    struct equation *equations; /* [n] scratch */
};

struct formula {
    const int32_t *points; /* borrowed */
    struct axis *axes;     /* [n_axes] */
    int32_t n_axes, n_effects;
    double mean, reported_mean;
    bool is_fitted;
    double residual[MOST_ROWS], weight[MOST_ROWS];
};

static int32_t level_of(const struct axis *axis, int32_t point)
{
    return point / axis->period % axis->n;
}

/* ---- predictions ---- */

/* Differs, so that the first trials to run, the longest, are an even choice of the configurations:
 * the fractional parts of a sequence are even if its step is the golden ratio. Not short, so that
 * each worker gets one trial. */
static double guess(int32_t config)
{
    double turns = config * GOLDEN;

    return GUESS_S * exp2(GUESS_OCTAVES * (turns - floor(turns)));
}

static double formula_seconds(const void *self, int32_t config)
{
    const struct formula *f = self;
    double log_s = f->mean;

    if (!f->is_fitted)
        return guess(config);
    for (int32_t a = 0; a < f->n_axes; a++)
        log_s += f->axes[a].levels[level_of(&f->axes[a], f->points[config])].effect;
    return exp(log_s);
}

/* ---- one axis ---- */

static double square(double x)
{
    return x * x;
}

/* The exponent of a number; *centre: the mean x of the rows. noise: its variance. */
static double fit_slope(double *centre, const struct axis *axis, double noise)
{
    double w = 0, wx = 0, wy = 0, wxx = 0, wxy = 0;

    for (int32_t i = 0; i < axis->n_numbers; i++) {
        const struct level *level = &axis->levels[axis->order[i].level];
        double u = level->weight / (1 + level->weight * square(ROUGH_SD) / noise);
        double y = level->weight > 0 ? level->sum / level->weight : 0, x = axis->order[i].x;

        w += u;
        wx += u * x;
        wy += u * y;
        wxx += u * square(x);
        wxy += u * x * y;
    }
    if (!(w > 0))
        return 0;
    *centre = wx / w;
    return (wxy - wx * wy / w) / (fmax(wxx - wx * wx / w, 0) + noise / square(SLOPE_SD));
}

/* Strength of the bond between the i-th number and the next; 0 after the last. */
static double bond(const struct axis *axis, int32_t i, double noise)
{
    if (i + 1 >= axis->n_numbers)
        return 0;
    return noise / square(CURVE_SD) / fmax(axis->order[i + 1].x - axis->order[i].x, LEAST_STEP);
}

/* The deviations solve a tridiagonal system. */
static void fit_numbers(struct axis *axis, double noise)
{
    double centre = 0, slope = fit_slope(&centre, axis, noise), after = 0;

    for (int32_t i = 0; i < axis->n_numbers; i++) {
        const struct level *level = &axis->levels[axis->order[i].level];
        struct equation *row = &axis->equations[i];
        double before = i ? bond(axis, i - 1, noise) : 0;

        row->pivot = level->weight + noise / square(LEVEL_SD) + before + bond(axis, i, noise);
        row->value = level->sum - level->weight * slope * (axis->order[i].x - centre);
        if (i) {
            row->pivot -= square(before) / axis->equations[i - 1].pivot;
            row->value += before * axis->equations[i - 1].value / axis->equations[i - 1].pivot;
        }
    }
    for (int32_t i = axis->n_numbers - 1; i >= 0; i--) {
        struct level *level = &axis->levels[axis->order[i].level];
        struct equation *row = &axis->equations[i];

        after = (row->value + bond(axis, i, noise) * after) / row->pivot;
        level->effect = slope * (axis->order[i].x - centre) + after;
    }
}

/* Fit the effects of an axis to what the other axes leave. The mean of its rows is 0. */
static void fit_axis(struct formula *f, struct axis *axis, int32_t n, double noise)
{
    double w = 0, sum = 0;

    for (int32_t l = 0; l < axis->n; l++)
        axis->levels[l].weight = axis->levels[l].sum = 0;
    for (int32_t i = 0; i < n; i++) {
        struct level *level = &axis->levels[axis->rows[i]];

        f->residual[i] += level->effect;
        level->weight += f->weight[i];
        level->sum += f->weight[i] * f->residual[i];
    }
    fit_numbers(axis, noise);
    for (int32_t i = axis->n_numbers; i < axis->n; i++) {
        struct level *level = &axis->levels[axis->order[i].level];

        level->effect = level->sum / (level->weight + noise / square(LEVEL_SD));
    }
    for (int32_t l = 0; l < axis->n; l++) {
        w += axis->levels[l].weight;
        sum += axis->levels[l].weight * axis->levels[l].effect;
    }
    for (int32_t l = 0; l < axis->n; l++)
        axis->levels[l].effect -= sum / w;
    for (int32_t i = 0; i < n; i++)
        f->residual[i] -= axis->levels[axis->rows[i]].effect;
}

/* ---- all axes ---- */

/* Variance of the logarithm, from the residuals of an even choice of rows. Few rows fit themselves
 * too well, so the expected noise counts, too. */
static double find_noise(const struct formula *f, int32_t n)
{
    double spread[SPREAD_ROWS];
    int32_t step = (n + SPREAD_ROWS - 1) / SPREAD_ROWS, n_chosen = 0;
    double sd;

    for (int32_t i = 0; i < n; i += step)
        spread[n_chosen++] = fabs(f->residual[i]);
    sd = fmax(NORMAL_MAD * cost_median(spread, n_chosen), LEAST_NOISE);
    return (n * square(sd) + f->n_effects * square(FIRST_NOISE)) / (n + f->n_effects);
}

static void fit_mean(struct formula *f, int32_t n)
{
    double w = 0, sum = 0;

    for (int32_t i = 0; i < n; i++) {
        w += f->weight[i];
        sum += f->weight[i] * f->residual[i];
    }
    f->mean += sum / w;
    for (int32_t i = 0; i < n; i++)
        f->residual[i] -= sum / w;
}

static void sweep(struct formula *f, int32_t n)
{
    double noise = find_noise(f, n), most = HUBER * sqrt(noise);

    for (int32_t i = 0; i < n; i++)
        f->weight[i] = fmin(1, most / fmax(fabs(f->residual[i]), 1e-12));
    fit_mean(f, n);
    for (int32_t a = 0; a < f->n_axes; a++)
        fit_axis(f, &f->axes[a], n, noise);
}

static void begin(struct formula *f, const struct cost_row *rows, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        f->residual[i] = rows[i].log_s - f->mean;
    for (int32_t a = 0; a < f->n_axes; a++) {
        struct axis *axis = &f->axes[a];

        for (int32_t i = 0; i < n; i++) {
            axis->rows[i] = level_of(axis, f->points[rows[i].config]);
            f->residual[i] -= axis->levels[axis->rows[i]].effect;
        }
    }
}

static bool has_moved(const struct formula *f, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        double moved = f->mean - f->reported_mean;

        for (int32_t a = 0; a < f->n_axes; a++) {
            const struct level *level = &f->axes[a].levels[f->axes[a].rows[i]];

            moved += level->effect - level->reported;
        }
        if (fabs(moved) > COST_MOVED)
            return true;
    }
    return false;
}

static void report(struct formula *f)
{
    f->reported_mean = f->mean;
    for (int32_t a = 0; a < f->n_axes; a++)
        for (int32_t l = 0; l < f->axes[a].n; l++)
            f->axes[a].levels[l].reported = f->axes[a].levels[l].effect;
}

static bool formula_fit(void *self, const struct cost_row *rows, int32_t n)
{
    struct formula *f = self;

    f->is_fitted = true;
    begin(f, rows, n);
    for (int i = 0; i < LEAST_SWEEPS || (i < MOST_SWEEPS && i * n < ROW_SWEEPS); i++)
        sweep(f, n);
    if (!has_moved(f, n))
        return false;
    report(f);
    return true;
}

/* ---- life ---- */

/* Numbers are compared by their logarithms. If an axis has a number of at most 0, asinh takes the
 * place of the logarithm: nearly the same above the smallest. */
static void find_x(struct axis *axis, const double *numbers)
{
    double least = INFINITY;
    bool is_positive = true;

    for (int32_t l = 0; l < axis->n; l++) {
        double x = numbers && isfinite(numbers[l]) ? numbers[l] : (double)NAN;

        axis->order[l] = (struct place){x, l};
        is_positive = is_positive && !(x <= 0);
        if (fabs(x) > 0)
            least = fmin(least, fabs(x));
    }
    for (int32_t l = 0; l < axis->n; l++)
        axis->order[l].x = is_positive ? log(axis->order[l].x) : asinh(axis->order[l].x / least);
}

static int by_x(const void *a_, const void *b_)
{
    const struct place *a = a_, *b = b_;

    if (isnan(a->x) || isnan(b->x))
        return isnan(a->x) - isnan(b->x);
    return (a->x > b->x) - (a->x < b->x);
}

static int axis_init(struct axis *axis, const struct cost_axis *from, int32_t period)
{
    *axis = (struct axis){.n = from->n,
                          .period = period,
                          .levels = calloc((size_t)from->n, sizeof *axis->levels),
                          .order = calloc((size_t)from->n, sizeof *axis->order),
                          .equations = calloc((size_t)from->n, sizeof *axis->equations),
                          .rows = calloc(MOST_ROWS, sizeof *axis->rows)};
    if (!axis->levels || !axis->order || !axis->equations || !axis->rows)
        return -1;
    find_x(axis, from->numbers);
    qsort(axis->order, (size_t)axis->n, sizeof *axis->order, by_x);
    while (axis->n_numbers < axis->n && !isnan(axis->order[axis->n_numbers].x))
        axis->n_numbers++;
    return 0;
}

/* Numbers lie on a smooth curve. */
static int32_t free_effects(const struct axis *axis)
{
    int32_t curve = axis->n_numbers < CURVE_EFFECTS ? axis->n_numbers : CURVE_EFFECTS;

    return axis->n - axis->n_numbers + curve - 1;
}

static void formula_destroy(void *self)
{
    struct formula *f = self;

    for (int32_t a = 0; a < f->n_axes; a++) {
        free(f->axes[a].levels);
        free(f->axes[a].order);
        free(f->axes[a].equations);
        free(f->axes[a].rows);
    }
    free(f->axes);
    free(f);
}

int cost_formula_levels(struct cost_formula *out, const struct cost_levels *levels, struct err *err)
{
    struct formula *f = calloc(1, sizeof *f);
    int32_t period = 1;

    if (f)
        f->axes = calloc((size_t)levels->n_axes + 1, sizeof *f->axes);
    if (!f || !f->axes) {
        free(f);
        return err_nomem(err, "cost model", sizeof *f);
    }
    f->points = levels->points;
    f->mean = f->reported_mean = log(GUESS_S);
    f->n_axes = levels->n_axes;
    for (int32_t a = f->n_axes - 1; a >= 0; a--) {
        if (axis_init(&f->axes[a], &levels->axes[a], period)) {
            formula_destroy(f);
            return err_nomem(err, "cost model", (size_t)levels->axes[a].n * sizeof(struct level));
        }
        period *= levels->axes[a].n;
        f->n_effects += free_effects(&f->axes[a]);
    }
    *out = (struct cost_formula){.self = f,
                                 .seconds = formula_seconds,
                                 .fit = formula_fit,
                                 .destroy = formula_destroy,
                                 .most_rows = MOST_ROWS,
                                 .is_blind = true};
    return 0;
}
