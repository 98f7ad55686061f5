#include "sched/fit.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ROUNDS 12
#define HUBER 0.1
#define LARGEST_STEP 1.0
/* Against the noise of a measurement (0.1 in the logarithm) a coefficient is known to a factor of
 * about 5 beforehand. */
#define PULL (0.1 * 0.1 / (1.6 * 1.6))

struct normal {
    double a[FIT_TERMS][FIT_TERMS]; /* J^T W J */
    double b[FIT_TERMS];            /* -J^T W r */
};

double fit_predict(const double c[FIT_TERMS], const double x[FIT_TERMS])
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

/* The factor that centres the prediction. */
static double common_factor(const double c[FIT_TERMS], const struct fit_row *rows, int32_t n)
{
    double ratios[FIT_MAX_ROWS] = {0};

    assert(n > 0 && n <= FIT_MAX_ROWS);
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

/* a is symmetric and positive definite (the pull is on its diagonal); lower triangle given. b
 * becomes the solution. Cholesky's way. */
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

void fit(double c[FIT_TERMS], const struct fit_row *rows, int32_t n)
{
    double factor = common_factor(c, rows, n);
    double start[FIT_TERMS];

    for (int j = 0; j < FIT_TERMS; j++)
        start[j] = c[j] * factor;
    memcpy(c, start, sizeof start);
    for (int round = 0; round < ROUNDS; round++)
        improve(c, start, rows, n);
}
