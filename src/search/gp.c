/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/gp.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "search/paired.h"

static const double scales[] = {0.2, 0.4, 0.8, 1.6}, noises[] = {1e-3, 1e-2, 5e-2, 0.2};

enum { N_SCALES = sizeof scales / sizeof *scales, N_NOISES = sizeof noises / sizeof *noises };

/* Measured on nine grids (make bench PARTS=regret): 64 configurations lose less by the expected noise. These changes made
 * no difference beyond the error of measurement: four rounds of search, twice the penalty, noise up to 0.8, targets
 * clipped at the median, a batch whose signal keeps its variance, improvement over observed values, and 1.5 or 3
 * times (axes + 1) first points. */
#define FIRST_SCALE 0.4
#define FIRST_NOISE 0.05
#define PENALTY 0.5
#define LEAST_NOISE 1e-3 /* equal scores on the folds are no proof of none */
#define LEAST_VARIANCE 1e-12

/* Candidates that are solved for together. */
enum { BLOCK = 8 };
/* Candidates of which a batch is chosen, if they are enough. */
enum { FIRST_TOP = 1024 };

static int compare_values(const void *a_, const void *b_)
{
    const double *a = a_, *b = b_;

    return (*a > *b) - (*a < *b);
}

/* Quartile of n >= 1 values, which are sorted; between two of them by linear interpolation. */
static double lower_quartile(double *values, int32_t n)
{
    const double at = 0.25 * (n - 1);
    const int32_t low = (int32_t)at;

    qsort(values, (size_t)n, sizeof *values, compare_values);
    return low + 1 < n ? values[low] + (at - low) * (values[low + 1] - values[low]) : values[low];
}

/* Subtract from each fold of scores (n, folds) its mean over the configurations that did not fail. */
static void centre_folds(double *scores, int32_t n, int32_t folds)
{
    for (int32_t f = 0; f < folds; f++) {
        double sum = 0;
        int32_t count = 0;

        for (int32_t i = 0; i < n; i++)
            if (isfinite(scores[(size_t)i * (size_t)folds + (size_t)f])) {
                sum += scores[(size_t)i * (size_t)folds + (size_t)f];
                count++;
            }
        for (int32_t i = 0; i < n && count; i++)
            scores[(size_t)i * (size_t)folds + (size_t)f] -= sum / count;
    }
}

/* The mean of the squared standard errors of those with a mean of at least `low`; NaN: there are none. */
static double noise_of(const double *scores, int32_t n, int32_t folds, double low)
{
    double sum = 0;
    int32_t count = 0;

    for (int32_t i = 0; i < n; i++) {
        const struct paired own =
            paired_difference(scores + (size_t)i * (size_t)folds, NULL, folds);

        if (own.n < 2 || !(own.mean >= low))
            continue;
        sum += own.sd * own.sd / own.n;
        count++;
    }
    return sum / count;
}

double gp_targets(double *z, double *noise, const double *scores, int32_t n, int32_t folds)
{
    const size_t all = (size_t)n * (size_t)folds;
    double *values = malloc((all + (size_t)n) * sizeof *values), *sorted, low, mean = 0, sd = 0;
    int32_t n_whole = 0;

    if (!values)
        return -1;
    sorted = values + all;
    memcpy(values, scores, all * sizeof *values);
    centre_folds(values, n, folds);
    for (int32_t i = 0; i < n; i++) {
        z[i] = paired_mean(values + (size_t)i * (size_t)folds, folds);
        if (z[i] > -INFINITY)
            sorted[n_whole++] = z[i];
    }
    low = n_whole ? lower_quartile(sorted, n_whole) : 0;
    for (int32_t i = 0; i < n; i++) {
        z[i] = fmax(z[i], low);
        mean += z[i] / n;
    }
    for (int32_t i = 0; i < n; i++)
        sd += (z[i] - mean) * (z[i] - mean) / n;
    /* Rounding is no difference. */
    sd = n_whole && sorted[n_whole - 1] > low ? sqrt(sd) : 0;
    for (int32_t i = 0; i < n; i++)
        z[i] = sd > 0 ? (z[i] - mean) / sd : 0;
    *noise = noise_of(values, n, folds, low) / (sd * sd);
    if (*noise < LEAST_NOISE)
        *noise = LEAST_NOISE;
    if (sd == 0)
        *noise = NAN;
    free(values);
    return sd;
}

static double matern(double square)
{
    const double r = sqrt(5 * square);

    return (1 + r + r * r / 3) * exp(-r);
}

static const double *row_of(const struct gp *gp, const double *u, int32_t i)
{
    return u + (size_t)i * (size_t)gp->n_columns;
}

/* The covariance of two rows, in units of the signal's variance. */
static double kernel(const struct gp *gp, const double *a, const double *b)
{
    double square = 0;

    for (int32_t c = 0; c < gp->n_columns; c++) {
        const double d = (a[c] - b[c]) * gp->inverse[c];

        square += d * d;
    }
    return matern(square);
}

/* l (n, n): row i of a lower Cholesky factor, of a kernel whose row i is `row` [i + 1]. */
static void add_row(double *l, const double *row, int32_t i, int32_t stride)
{
    double *own = l + (size_t)i * (size_t)stride;

    for (int32_t j = 0; j <= i; j++) {
        const double *other = l + (size_t)j * (size_t)stride;
        double sum = row[j];

        for (int32_t k = 0; k < j; k++)
            sum -= own[k] * other[k];
        own[j] = j < i ? sum / other[j] : sqrt(fmax(sum, DBL_MIN));
    }
}

/* Make inverse, factor and weights for the current scales and noise. Returns the negative logarithm of the
 * likelihood, but for a constant, and the penalties. */
static double condition(struct gp *gp, const double *z, double expected_noise)
{
    const int32_t n = gp->n;
    double *row = gp->weights; /* scratch until the solution */
    double square = 0, cost = 0;

    for (int32_t c = 0; c < gp->n_columns; c++)
        gp->inverse[c] = 1 / gp->scale[gp->axis[c]];
    for (int32_t i = 0; i < n; i++) {
        for (int32_t j = 0; j <= i; j++)
            row[j] = kernel(gp, row_of(gp, gp->u, i), row_of(gp, gp->u, j));
        row[i] += gp->noise;
        add_row(gp->factor, row, i, n);
    }
    for (int32_t i = 0; i < n; i++) {
        const double *l = gp->factor + (size_t)i * (size_t)n;
        double sum = z[i];

        for (int32_t k = 0; k < i; k++)
            sum -= l[k] * gp->weights[k];
        gp->weights[i] = sum / l[i];
        square += gp->weights[i] * gp->weights[i];
        cost += log(l[i]);
    }
    for (int32_t i = n; i-- > 0;) {
        for (int32_t k = i + 1; k < n; k++)
            gp->weights[i] -= gp->factor[(size_t)k * (size_t)n + (size_t)i] * gp->weights[k];
        gp->weights[i] /= gp->factor[(size_t)i * (size_t)n + (size_t)i];
    }
    gp->variance = fmax(square / n, DBL_MIN); /* equal values leave the sd to choose by */
    for (int32_t a = 0; a < gp->n_axes; a++)
        cost += PENALTY * pow(log(gp->scale[a] / FIRST_SCALE), 2);
    if (!isnan(expected_noise))
        cost += PENALTY * pow(log(gp->noise * gp->variance / expected_noise), 2);
    return cost + n / 2.0 * log(gp->variance);
}

/* Set *value to the choice of the least cost, the first among equals. */
static void search(double *value, const double *choices, int n_choices, struct gp *gp,
                   const struct gp_points *points)
{
    double best = choices[0], least = INFINITY;

    for (int i = 0; i < n_choices; i++) {
        double cost;

        *value = choices[i];
        cost = condition(gp, points->z, points->noise);
        if (cost < least) {
            least = cost;
            best = choices[i];
        }
    }
    *value = best;
}

int gp_fit(struct gp *gp, const struct gp_points *points, struct err *err)
{
    const size_t n = (size_t)points->n;

    assert(n >= 2);
    *gp = (struct gp){.n_columns = points->n_columns,
                      .n_axes = points->n_axes,
                      .axis = points->axis,
                      .noise = FIRST_NOISE,
                      .u = points->u,
                      .n = points->n};
    gp->scale = malloc((size_t)gp->n_axes * sizeof *gp->scale);
    gp->inverse = malloc((size_t)gp->n_columns * sizeof *gp->inverse);
    gp->factor = calloc(n * n, sizeof *gp->factor);
    gp->weights = malloc(n * sizeof *gp->weights);
    gp->work = malloc(n * BLOCK * sizeof *gp->work);
    if (!gp->scale || !gp->inverse || !gp->factor || !gp->weights || !gp->work) {
        gp_release(gp);
        return err_nomem(err, "Gaussian process", n * n * sizeof *gp->factor);
    }
    for (int32_t a = 0; a < gp->n_axes; a++)
        gp->scale[a] = FIRST_SCALE;
    for (int round = 0; round < 2; round++) {
        for (int32_t a = 0; a < gp->n_axes; a++)
            search(&gp->scale[a], scales, N_SCALES, gp, points);
        search(&gp->noise, noises, N_NOISES, gp, points);
    }
    condition(gp, points->z, points->noise);
    return 0;
}

void gp_release(struct gp *gp)
{
    if (!gp)
        return;
    free(gp->scale);
    free(gp->inverse);
    free(gp->factor);
    free(gp->weights);
    free(gp->work);
    *gp = (struct gp){.n = 0};
}

/* sum -= l v, with l [n] and v (n, BLOCK). Each sum has its own order whatever the instructions are. -O3 vectorises over
 * n, which takes twice the time. */
CLONES __attribute__((optimize("O2"))) static void
subtract_product(double sum[BLOCK], const double *l, const double *v, int32_t n)
{
    double rest[BLOCK];

    memcpy(rest, sum, sizeof rest);
    for (int32_t k = 0; k < n; k++, v += BLOCK)
        for (int b = 0; b < BLOCK; b++)
            rest[b] -= l[k] * v[b];
    memcpy(sum, rest, sizeof rest);
}

/* mean [n_block]; v (n, BLOCK) out: L^-1 times the kernel between the points that were seen and n_block rows.
 * rest [n_block]: what they leave of a variance of 1. */
static void solve_block(double mean[BLOCK], double *v, double rest[BLOCK], const struct gp *gp,
                        const double *const *rows, int32_t n_block)
{
    for (int b = 0; b < BLOCK; b++) {
        mean[b] = 0;
        rest[b] = 1;
    }
    for (int32_t i = 0; i < gp->n; i++) {
        const double *l = gp->factor + (size_t)i * (size_t)gp->n;
        double sum[BLOCK] = {0};

        for (int b = 0; b < n_block; b++) {
            sum[b] = kernel(gp, rows[b], row_of(gp, gp->u, i));
            mean[b] += sum[b] * gp->weights[i];
        }
        subtract_product(sum, l, v, i);
        for (int b = 0; b < BLOCK; b++) {
            sum[b] /= l[i];
            rest[b] -= sum[b] * sum[b];
            v[(size_t)i * BLOCK + (size_t)b] = sum[b];
        }
    }
}

static double sd_of(double rest, double variance)
{
    return sqrt(fmax(rest, LEAST_VARIANCE) * variance);
}

/* The rows of u (m, n_columns) from `at` on. Returns their number, at most BLOCK. */
static int32_t rows_of(const double *rows[BLOCK], const struct gp *gp, const double *u, int32_t at,
                       int32_t m)
{
    const int32_t n = m - at < BLOCK ? m - at : BLOCK;

    for (int32_t b = 0; b < n; b++)
        rows[b] = row_of(gp, u, at + b);
    return n;
}

void gp_predict(double *mean, double *sd, const struct gp *gp, const double *u, int32_t m)
{
    for (int32_t at = 0; at < m; at += BLOCK) {
        double block_mean[BLOCK], rest[BLOCK];
        const double *rows[BLOCK];
        const int32_t n_block = rows_of(rows, gp, u, at, m);

        solve_block(block_mean, gp->work, rest, gp, rows, n_block);
        for (int32_t b = 0; b < n_block; b++) {
            mean[at + b] = block_mean[b];
            sd[at + b] = sd_of(rest[b], gp->variance);
        }
    }
}

double gp_improvement(double mean, double sd, double best)
{
    const double g = (mean - best) / sd;

    return sd * (g * 0.5 * erfc(-g * M_SQRT1_2) + exp(-g * g / 2) / sqrt(2 * M_PI));
}

/* ---- batches ---- */

struct gp_candidate {
    double improvement; /* before the first choice: later it is smaller, for each is */
    double mean, rest;
    int32_t number; /* row of u */
    bool is_chosen;
};

static int compare_candidates(const void *a_, const void *b_)
{
    const struct gp_candidate *a = a_, *b = b_;

    if (a->improvement != b->improvement)
        return a->improvement > b->improvement ? -1 : 1;
    return (a->number > b->number) - (a->number < b->number);
}

static int compare_numbers(const void *a_, const void *b_)
{
    const struct gp_candidate *a = a_, *b = b_;

    return (a->number > b->number) - (a->number < b->number);
}

/* The largest posterior mean of the points that were seen: kernel times weights is z less noise times weights. */
static double best_mean(const struct gp *gp)
{
    double best = -INFINITY;

    for (int32_t i = 0; i < gp->n; i++) {
        double mean = 0;

        for (int32_t j = 0; j < gp->n; j++)
            mean += gp->weights[j] * kernel(gp, row_of(gp, gp->u, i), row_of(gp, gp->u, j));
        best = fmax(best, mean);
    }
    return best;
}

/* out [m]. Returns how many are not seen. */
static int32_t improvements(struct gp_candidate *out, const struct gp *gp, const double *u,
                            int32_t m, const bool *is_seen, double best)
{
    int32_t n = 0;

    for (int32_t at = 0; at < m; at += BLOCK) {
        double mean[BLOCK], rest[BLOCK];
        const double *rows[BLOCK];
        const int32_t n_block = rows_of(rows, gp, u, at, m);

        solve_block(mean, gp->work, rest, gp, rows, n_block);
        for (int32_t b = 0; b < n_block; b++)
            if (!is_seen[at + b])
                out[n++] = (struct gp_candidate){
                    .improvement = gp_improvement(mean[b], sd_of(rest[b], gp->variance), best),
                    .mean = mean[b],
                    .rest = rest[b],
                    .number = at + b};
    }
    return n;
}

/* Choose among `top` [n_top], by number; v (n_top, gp->n + n_out) is filled. Others have at most the improvement
 * `bound`. Returns how many choices are certain. */
static int32_t choose_among(int32_t *out, double *improvement, int32_t n_out, const struct gp *gp,
                            const double *u, struct gp_candidate *top, int32_t n_top, double *v,
                            double best, double bound)
{
    const size_t stride = (size_t)gp->n + (size_t)n_out;

    for (int32_t step = 0; step < n_out; step++) {
        const size_t n = (size_t)gp->n + (size_t)step;
        const double variance = gp->variance * gp->n / (double)n;
        double most = -INFINITY, diagonal;
        int32_t at = -1;

        for (int32_t c = 0; c < n_top; c++) {
            double now;

            if (top[c].is_chosen)
                continue;
            now = gp_improvement(top[c].mean, sd_of(top[c].rest, variance), best);
            if (now > most) {
                most = now;
                at = c;
            }
        }
        if (at < 0 || most < bound)
            return step;
        out[step] = top[at].number;
        improvement[step] = most;
        top[at].is_chosen = true;
        best = fmax(best, top[at].mean);
        diagonal = sqrt(fmax(top[at].rest, 0) + gp->noise);
        for (int32_t c = 0; c < n_top; c++) {
            double *own = v + (size_t)c * stride;
            double sum = kernel(gp, row_of(gp, u, top[at].number), row_of(gp, u, top[c].number));

            for (size_t k = 0; k < n; k++)
                sum -= own[k] * v[(size_t)at * stride + k];
            own[n] = sum / diagonal;
        }
        for (int32_t c = 0; c < n_top; c++)
            top[c].rest -= v[(size_t)c * stride + n] * v[(size_t)c * stride + n];
    }
    return n_out;
}

/* Fill v for the points that were seen. */
static void solve_top(double *v, size_t stride, const struct gp *gp, const double *u,
                      const struct gp_candidate *top, int32_t n_top)
{
    for (int32_t at = 0; at < n_top; at += BLOCK) {
        const int32_t n_block = n_top - at < BLOCK ? n_top - at : BLOCK;
        double mean[BLOCK], rest[BLOCK];
        const double *rows[BLOCK];

        for (int32_t b = 0; b < n_block; b++)
            rows[b] = row_of(gp, u, top[at + b].number);
        solve_block(mean, gp->work, rest, gp, rows, n_block);
        for (int32_t i = 0; i < gp->n; i++)
            for (int32_t b = 0; b < n_block; b++)
                v[(size_t)(at + b) * stride + (size_t)i] = gp->work[i * BLOCK + b];
    }
}

/* Improvements only shrink while a batch is chosen, so that the best candidates at its begin are enough, as long as
 * what is chosen is above those that were left out. */
int gp_choose(int32_t *out, double *improvement, int32_t n_out, const struct gp *gp,
              const double *u, int32_t m, const bool *is_seen, struct err *err)
{
    const size_t stride = (size_t)gp->n + (size_t)n_out;
    const double best = best_mean(gp);
    struct gp_candidate *all = malloc(2 * (size_t)m * sizeof *all), *top = all + m;
    int32_t n = 0, n_done = 0;

    if (!all)
        return err_nomem(err, "candidates", 2 * (size_t)m * sizeof *all);
    n = improvements(all, gp, u, m, is_seen, best);
    assert(n_out <= n);
    qsort(all, (size_t)n, sizeof *all, compare_candidates);
    for (int32_t most = FIRST_TOP; n_done < n_out; most *= 4) {
        const int32_t n_top = most < n ? most : n;
        const double bound = n_top < n ? all[n_top].improvement : -INFINITY;
        double *v = malloc((size_t)n_top * stride * sizeof *v);

        if (!v) {
            free(all);
            return err_nomem(err, "candidates", (size_t)n_top * stride * sizeof *v);
        }
        memcpy(top, all, (size_t)n_top * sizeof *top);
        qsort(top, (size_t)n_top, sizeof *top, compare_numbers);
        solve_top(v, stride, gp, u, top, n_top);
        n_done = choose_among(out, improvement, n_out, gp, u, top, n_top, v, best, bound);
        free(v);
    }
    free(all);
    return 0;
}
