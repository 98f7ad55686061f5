/* SPDX-License-Identifier: BSD-3-Clause */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sched/cost_formula.h"

/* ---- a sum of terms with positive coefficients, fitted by relative error ---- */

enum { FIT_TERMS = 4, FIT_ROWS = COST_ROWS };

struct fit_row {
    double x[FIT_TERMS]; /* >= 0, not all 0 */
    double log_y;        /* natural logarithm */
};

#define ROUNDS 12
#define HUBER 0.1
#define LARGEST_STEP 1.0
/* Prior knowledge of a coefficient, to a factor of about 5, against noise of 0.1 in the
 * logarithm. */
#define PULL (0.1 * 0.1 / (1.6 * 1.6))

struct normal {
    double a[FIT_TERMS][FIT_TERMS]; /* J^T W J */
    double b[FIT_TERMS];            /* -J^T W r */
};

static double fit_predict(const double c[FIT_TERMS], const double x[FIT_TERMS])
{
    double sum = 0;

    for (int j = 0; j < FIT_TERMS; j++)
        sum += c[j] * x[j];
    return sum;
}

static int ascending(const void *a_, const void *b_)
{
    const double *a = a_, *b = b_;

    return (*a > *b) - (*a < *b);
}

static double common_factor(const double c[FIT_TERMS], const struct fit_row *rows, int32_t n)
{
    double ratios[FIT_ROWS] = {0};

    assert(n > 0 && n <= FIT_ROWS);
    for (int32_t i = 0; i < n; i++)
        ratios[i] = rows[i].log_y - log(fit_predict(c, rows[i].x));
    qsort(ratios, (size_t)n, sizeof *ratios, ascending);
    return exp(ratios[n / 2]);
}

/* d log(c x) / d u_j is the share of term j in the prediction. */
static void add_row(struct normal *normal, const double c[FIT_TERMS], const struct fit_row *row)
{
    double sum = fit_predict(c, row->x);
    double residual = log(sum) - row->log_y;
    double weight = fmin(1, HUBER / fmax(fabs(residual), 1e-12));

    for (int j = 0; j < FIT_TERMS; j++) {
        double share = c[j] * row->x[j] / sum;

        normal->b[j] -= weight * share * residual;
        for (int k = 0; k <= j; k++)
            normal->a[j][k] += weight * share * c[k] * row->x[k] / sum;
    }
}

/* Solve by Cholesky decomposition. a: lower triangle, positive definite. b becomes the solution. */
static void solve(struct normal *normal)
{
    double(*a)[FIT_TERMS] = normal->a, *b = normal->b;

    for (int j = 0; j < FIT_TERMS; j++) {
        for (int k = 0; k < j; k++) {
            for (int l = 0; l < k; l++)
                a[j][k] -= a[j][l] * a[k][l];
            a[j][k] /= a[k][k];
            a[j][j] -= a[j][k] * a[j][k];
            b[j] -= a[j][k] * b[k];
        }
        a[j][j] = sqrt(fmax(a[j][j], 1e-12));
        b[j] /= a[j][j];
    }
    for (int j = FIT_TERMS - 1; j >= 0; j--) {
        for (int k = j + 1; k < FIT_TERMS; k++)
            b[j] -= a[k][j] * b[k];
        b[j] /= a[j][j];
    }
}

static void improve(double c[FIT_TERMS], const double start[FIT_TERMS], const struct fit_row *rows,
                    int32_t n)
{
    struct normal normal;

    memset(&normal, 0, sizeof normal);
    for (int j = 0; j < FIT_TERMS; j++) {
        normal.a[j][j] = PULL;
        normal.b[j] = -PULL * log(c[j] / start[j]);
    }
    for (int32_t i = 0; i < n; i++)
        add_row(&normal, c, &rows[i]);
    solve(&normal);
    for (int j = 0; j < FIT_TERMS; j++)
        c[j] *= exp(fmin(fmax(normal.b[j], -LARGEST_STEP), LARGEST_STEP));
}

/* Minimise the sum over the rows of Huber(log(c x) - log_y), k = 0.1, in u = log c, by Gauss-Newton
 * with weights and bounded steps. A weak pull draws each u_j to the initial log(c_j) times one
 * common factor, so coefficients that the rows do not determine keep their proportions. 1 ..
 * FIT_ROWS rows.
 *   c  inout  above 0
 * Source: Huber 1964, Ann Math Stat 35:73; Holland & Welsch 1977, Comm Stat A6:813 (weights). */
static void fit(double c[FIT_TERMS], const struct fit_row *rows, int32_t n)
{
    double factor = common_factor(c, rows, n);
    double start[FIT_TERMS];

    for (int j = 0; j < FIT_TERMS; j++)
        start[j] = c[j] * factor;
    memcpy(c, start, sizeof start);
    for (int round = 0; round < ROUNDS; round++)
        improve(c, start, rows, n);
}

/* ---- the formula ---- */

struct cost_formula {
    const struct gcn_cost *work; /* [n_configs] borrowed */
    double coefficients[FIT_TERMS];
    double reported[FIT_TERMS]; /* at the last true fit() */
};

/* Coefficients before the first fit: 100 GFLOP/s, 50 GB/s (most operands are in a cache), 30 us a
 * step, 0.3 ms a trial. FT10 on an AMD EPYC: 247, 91, 47 us. */
static const double usual[FIT_TERMS] = {1e-11, 2e-11, 3e-5, 3e-4};

static void terms(double out[FIT_TERMS], const struct gcn_cost *work)
{
    out[0] = work->flops;
    out[1] = work->bytes;
    out[2] = work->steps;
    out[3] = 1;
}

double cost_formula_seconds(const struct cost_formula *formula, int32_t config)
{
    double x[FIT_TERMS];

    terms(x, &formula->work[config]);
    return fit_predict(formula->coefficients, x);
}

static bool has_moved(const struct cost_formula *formula, const struct fit_row *rows, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        if (fabs(log(fit_predict(formula->coefficients, rows[i].x) /
                     fit_predict(formula->reported, rows[i].x))) > COST_MOVED)
            return true;
    return false;
}

bool cost_formula_fit(struct cost_formula *formula, const struct cost_row *sample, int32_t n)
{
    struct fit_row rows[FIT_ROWS];

    for (int32_t i = 0; i < n; i++) {
        terms(rows[i].x, &formula->work[sample[i].config]);
        rows[i].log_y = sample[i].log_s;
    }
    memcpy(formula->coefficients, usual, sizeof usual);
    fit(formula->coefficients, rows, n);
    if (!has_moved(formula, rows, n))
        return false;
    memcpy(formula->reported, formula->coefficients, sizeof formula->reported);
    return true;
}

struct cost_formula *cost_formula_create(const struct gcn_cost *work, struct err *err)
{
    struct cost_formula *formula = calloc(1, sizeof *formula);

    if (!formula) {
        err_nomem(err, "cost model", sizeof *formula);
        return NULL;
    }
    formula->work = work;
    memcpy(formula->coefficients, usual, sizeof usual);
    memcpy(formula->reported, usual, sizeof usual);
    return formula;
}

void cost_formula_destroy(struct cost_formula *formula)
{
    free(formula);
}
