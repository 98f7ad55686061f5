/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/cost.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/rng.h"
#include "gcn/train.h"

/* ---- a sum of terms with positive coefficients, fitted by relative error ---- */

enum { FIT_TERMS = 4, FIT_ROWS = 256 };

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

/* ---- the model ----
 *
 * The fit uses an even sample of FIT_ROWS measured configurations (reservoir sampling): expensive
 * ones, which run first, and cheap ones both count, and its time does not grow. */

/* Weight of the formula beside one measurement: trials vary by a few percent, the formula errs by
 * tens. */
#define FORMULA_WEIGHT 0.1
#define MAX_WEIGHT 16 /* later trials still move the mean */
/* Measurements at which a rank's slowness counts half, and after which its mean moves on. */
#define RANK_DOUBT 2.0
#define RANK_MEMORY 30.0
/* Largest factor by which one measurement moves a mean. */
#define SURPRISE 3.0
#define ENOUGH 16             /* measurements before the formula judges a rank */
#define FORMULA_JUDGEMENT 0.3 /* its weight then; a configuration's mean has 1 */
/* Most results between two fits. */
#define LONGEST_WAIT 1024

/* Least change (in the logarithm) that is reported. */
#define MOVED 0.02

struct known {
    float log_s; /* mean logarithm on an average rank */
    int32_t n;   /* in the mean, up to MAX_WEIGHT */
};

struct rank {
    float log_ratio; /* mean logarithm of measured / predicted */
    float n;
};

struct cost {
    const struct gcn_cost *work; /* [n_configs] borrowed */
    struct known *known;         /* [n_configs] */
    struct rank *ranks;          /* [n_workers] */
    double sum_log_ratio;
    int32_t n_ranks_known;
    double coefficients[FIT_TERMS];
    double reported[FIT_TERMS]; /* at the last true cost_refit() */
    int32_t sample[FIT_ROWS];
    int32_t n_sample;
    int64_t n_configs_known;
    struct rng rng;             /* equal trials in equal order give the same sample */
    int64_t n_observed, n_next; /* measurements; at the next fit */
};

/* Coefficients before the first fit: 100 GFLOP/s, 50 GB/s (most operands are in a cache), 30 us a
 * step, 0.3 ms a trial. FT10 on an AMD EPYC: 247, 91, 47 us. */
static const double usual[FIT_TERMS] = {1e-11, 2e-11, 3e-5, 3e-4};

struct cost *cost_create(const struct gcn_cost *work, int32_t n_configs, int32_t n_workers,
                         struct err *err)
{
    struct cost *cost = calloc(1, sizeof *cost);

    if (cost) {
        cost->known = calloc((size_t)n_configs + 1, sizeof *cost->known);
        cost->ranks = calloc((size_t)n_workers + 1, sizeof *cost->ranks);
    }
    if (!cost || !cost->known || !cost->ranks) {
        cost_destroy(cost);
        err_nomem(err, "cost model", (size_t)n_configs * sizeof *cost->known);
        return NULL;
    }
    cost->work = work;
    rng_init(&cost->rng, hash_text("cost"), RNG_SIMULATE);
    cost->n_next = 1;
    memcpy(cost->coefficients, usual, sizeof usual);
    memcpy(cost->reported, usual, sizeof usual);
    return cost;
}

void cost_destroy(struct cost *cost)
{
    if (!cost)
        return;
    free(cost->known);
    free(cost->ranks);
    free(cost);
}

/* ---- predictions ---- */

static void terms(double out[FIT_TERMS], const struct gcn_cost *work)
{
    out[0] = work->flops;
    out[1] = work->bytes;
    out[2] = work->steps;
    out[3] = 1;
}

double cost_of_work(const struct cost *cost, const struct gcn_cost *work)
{
    double x[FIT_TERMS];

    terms(x, work);
    return fit_predict(cost->coefficients, x);
}

double cost_seconds(const struct cost *cost, int32_t config)
{
    const struct known *known = &cost->known[config];
    double formula_s = cost_of_work(cost, &cost->work[config]);

    if (!known->n)
        return formula_s;
    return exp((known->n * known->log_s + FORMULA_WEIGHT * log(formula_s)) /
               (known->n + FORMULA_WEIGHT));
}

bool cost_is_measured(const struct cost *cost)
{
    return cost->n_observed > 0;
}

static double log_slowness(const struct cost *cost, int32_t worker)
{
    const struct rank *rank = worker < 0 ? NULL : &cost->ranks[worker];

    if (!rank || rank->n == 0)
        return 0;
    return rank->n / (rank->n + RANK_DOUBT) *
           (rank->log_ratio - cost->sum_log_ratio / cost->n_ranks_known);
}

double cost_slowness(const struct cost *cost, int32_t worker)
{
    return exp(log_slowness(cost, worker));
}

/* ---- measurements ---- */

static double clamp(double value, double limit)
{
    return fmin(fmax(value, -limit), limit);
}

static void learn_rank(struct cost *cost, int32_t worker, double log_ratio, double weight)
{
    struct rank *rank = &cost->ranks[worker];
    double step = clamp(log_ratio - rank->log_ratio, log(SURPRISE));

    cost->n_ranks_known += rank->n == 0;
    rank->n = (float)fmin(rank->n + weight, RANK_MEMORY);
    step *= fmin(weight / rank->n, 1);
    rank->log_ratio += (float)step;
    cost->sum_log_ratio += step;
}

/* Algorithm R: Vitter 1985, ACM TOMS 11:37. */
static void sample_config(struct cost *cost, int32_t config)
{
    int64_t row = cost->n_configs_known++;

    if (row >= FIT_ROWS)
        row = (int64_t)(rng_uniform(&cost->rng, 0, (uint32_t)row) * (double)(row + 1));
    if (row >= FIT_ROWS)
        return;
    if (row == cost->n_sample)
        cost->n_sample++;
    cost->sample[row] = config;
}

static void learn_config(struct cost *cost, int32_t config, double log_s)
{
    struct known *known = &cost->known[config];
    double step = log_s - known->log_s;

    if (!known->n)
        sample_config(cost, config);
    else
        step = clamp(step, log(SURPRISE));
    if (known->n < MAX_WEIGHT)
        known->n++;
    known->log_s += (float)(step / known->n);
}

/* A formula without data would blame its own error on the rank. */
static double judgement(const struct cost *cost, int32_t config)
{
    if (cost->known[config].n)
        return 1;
    return cost->n_observed < ENOUGH ? 0 : FORMULA_JUDGEMENT;
}

void cost_observe(struct cost *cost, int32_t config, int32_t worker, double seconds)
{
    double log_ratio, weight, log_s = log(seconds);

    if (!(seconds > 0) || !isfinite(log_s))
        return;
    log_ratio = log_s - log(cost_seconds(cost, config));
    log_s -= log_slowness(cost, worker);
    weight = judgement(cost, config);
    if (worker >= 0 && weight > 0)
        learn_rank(cost, worker, log_ratio, weight);
    learn_config(cost, config, log_s);
    cost->n_observed++;
}

static bool has_moved(const struct cost *cost, const struct fit_row *rows)
{
    for (int32_t i = 0; i < cost->n_sample; i++)
        if (fabs(log(fit_predict(cost->coefficients, rows[i].x) /
                     fit_predict(cost->reported, rows[i].x))) > MOVED)
            return true;
    return false;
}

bool cost_refit(struct cost *cost)
{
    struct fit_row rows[FIT_ROWS];
    int64_t wait;

    if (cost->n_observed < cost->n_next || !cost->n_sample)
        return false;
    for (int32_t i = 0; i < cost->n_sample; i++) {
        int32_t config = cost->sample[i];

        terms(rows[i].x, &cost->work[config]);
        rows[i].log_y = cost->known[config].log_s;
    }
    memcpy(cost->coefficients, usual, sizeof usual);
    fit(cost->coefficients, rows, cost->n_sample);
    wait = cost->n_observed / 2 < LONGEST_WAIT ? cost->n_observed / 2 : LONGEST_WAIT;
    cost->n_next = cost->n_observed + (wait > 1 ? wait : 1);
    if (!has_moved(cost, rows))
        return false;
    memcpy(cost->reported, cost->coefficients, sizeof cost->reported);
    return true;
}
