/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"

/* The fit uses an even sample of the measured configurations (reservoir sampling): expensive ones,
 * which run first, and cheap ones both count, and its time does not grow. */

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
/* Most results between two fits. A result that the formula missed by more than a factor of SURPRISE
 * halves the wait: other values of an axis have begun. */
#define LONGEST_WAIT 1024
#define GUESS_S 1.0 /* the shortest guess, before the first trial is measured */
#define GUESS_OCTAVES 8
#define GOLDEN 0.6180339887498949
/* Least change in the logarithm of predictions that cost_refit() reports. */
#define MOVED 0.02
/* The margin, in mean deviations (of the logarithm); 99 in 100 normal errors are within it. At
 * first a factor of 2, which tens of results replace. */
#define DEVIATIONS 3
#define FIRST_DEVIATION (log(2) / DEVIATIONS)
#define FIRST_WEIGHT 4
#define DEVIATION_MEMORY 200
#define MOST_DEVIATION log(10) /* limit of one result */
#define LEAST_MARGIN 1.1

enum { TERMS = 4, ROWS = 256 };

/* Coefficients before the first fit: 100 GFLOP/s, 50 GB/s (most operands are in a cache), 30 us a
 * step, 0.3 ms a trial. FT10 on an AMD EPYC: 247, 91, 47 us. */
static const double usual[TERMS] = {1e-11, 2e-11, 3e-5, 3e-4};

struct known {
    float log_s;   /* mean logarithm on an average rank */
    float least_s; /* from cost_at_least() */
    int32_t n;     /* in the mean, up to MAX_WEIGHT */
};

struct rank {
    float log_ratio; /* mean logarithm of measured / predicted */
    float n;
};

struct cost {
    const struct gcn_cost *work; /* [n_configs] borrowed; NULL: of programs */
    double coefficients[TERMS];
    double reported[TERMS];     /* when cost_refit() was last true */
    double mean, reported_mean; /* of programs: logarithm of seconds */
    bool has_mean;
    struct known *known; /* [n_configs] */
    struct rank *ranks;  /* [n_workers] */
    double sum_log_ratio;
    int32_t n_ranks_known;
    int32_t sample[ROWS]; /* [n_sample] configurations */
    int32_t n_sample;
    int64_t n_configs_known;
    struct rng rng;             /* equal trials in equal order give the same sample */
    int64_t n_observed, n_next; /* measurements; at the next fit */
    double deviation;           /* mean |log(seconds / predicted)| over deviation_n results */
    int32_t deviation_n;
};

struct cost *cost_create(const struct gcn_cost *work, int32_t n_configs, int32_t n_workers,
                         struct err *err)
{
    struct cost *cost = calloc(1, sizeof *cost);

    if (!cost) {
        err_nomem(err, "cost model", sizeof *cost);
        return NULL;
    }
    cost->known = calloc((size_t)n_configs + 1, sizeof *cost->known);
    cost->ranks = calloc((size_t)n_workers + 1, sizeof *cost->ranks);
    if (!cost->known || !cost->ranks) {
        cost_destroy(cost);
        err_nomem(err, "cost model", (size_t)n_configs * sizeof *cost->known);
        return NULL;
    }
    rng_init(&cost->rng, hash_text("cost"), RNG_SIMULATE);
    cost->work = work;
    memcpy(cost->coefficients, usual, sizeof usual);
    memcpy(cost->reported, usual, sizeof usual);
    cost->n_next = 1;
    cost->deviation = FIRST_DEVIATION;
    cost->deviation_n = FIRST_WEIGHT;
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

/* Differs, so that the first trials to run, the longest, are an even choice of the configurations:
 * the fractional parts of a sequence are even if its step is the golden ratio. Not short, so that
 * each worker gets one trial. */
static double guess(int32_t config)
{
    double turns = config * GOLDEN;

    return GUESS_S * exp2(GUESS_OCTAVES * (turns - floor(turns)));
}

static double sum_of(const double c[TERMS], const double x[TERMS])
{
    double sum = 0;

    for (int j = 0; j < TERMS; j++)
        sum += c[j] * x[j];
    return sum;
}

static void terms(double out[TERMS], const struct gcn_cost *work)
{
    out[0] = work->flops;
    out[1] = work->bytes;
    out[2] = work->steps;
    out[3] = 1;
}

static double predict(const struct cost *cost, int32_t config)
{
    const struct known *known = &cost->known[config];
    double formula_s, x[TERMS];

    if (cost->work) {
        terms(x, &cost->work[config]);
        formula_s = sum_of(cost->coefficients, x);
    } else {
        formula_s = cost->has_mean ? exp(cost->mean) : guess(config);
    }
    if (!known->n)
        return formula_s;
    return exp((known->n * known->log_s + FORMULA_WEIGHT * log(formula_s)) /
               (known->n + FORMULA_WEIGHT));
}

double cost_seconds(const struct cost *cost, int32_t config)
{
    return fmax(predict(cost, config), (double)cost->known[config].least_s);
}

bool cost_is_measured(const struct cost *cost)
{
    return cost->n_observed > 0;
}

bool cost_is_known(const struct cost *cost)
{
    return cost->work || cost_is_measured(cost);
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

    if (row >= ROWS)
        row = (int64_t)(rng_uniform(&cost->rng, 0, (uint32_t)row) * (double)(row + 1));
    if (row >= ROWS)
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

void cost_observe(struct cost *cost, int32_t config, int32_t worker, double seconds)
{
    double log_ratio, weight, log_s = log(seconds);

    if (!(seconds > 0) || !isfinite(log_s))
        return;
    log_ratio = log_s - log(predict(cost, config));
    log_s -= log_slowness(cost, worker);
    /* A formula without data would blame its own error on the rank. */
    weight = cost->known[config].n ? 1 : cost->n_observed < ENOUGH ? 0 : FORMULA_JUDGEMENT;
    if (worker >= 0 && weight > 0)
        learn_rank(cost, worker, log_ratio, weight);
    if (!cost->known[config].n && fabs(log_ratio) > log(SURPRISE))
        cost->n_next -= (cost->n_next - cost->n_observed) / 2;
    learn_config(cost, config, log_s);
    cost->n_observed++;
}

void cost_at_least(struct cost *cost, int32_t config, double seconds)
{
    struct known *known = &cost->known[config];

    known->least_s = fmaxf(known->least_s, (float)seconds);
}

double cost_margin(const struct cost *cost)
{
    return fmax(exp(DEVIATIONS * cost->deviation), LEAST_MARGIN);
}

void cost_compare(struct cost *cost, double ratio)
{
    double error = fmin(fabs(log(ratio)), MOST_DEVIATION);

    cost->deviation_n += cost->deviation_n < DEVIATION_MEMORY;
    cost->deviation += (error - cost->deviation) / cost->deviation_n;
}

/* ---- a sum of terms with positive coefficients, fitted by relative error ---- */

#define ROUNDS 12
#define HUBER 0.1
#define LARGEST_STEP 1.0
/* Prior knowledge of a coefficient, to a factor of about 5, against noise of 0.1 in the
 * logarithm. */
#define PULL (0.1 * 0.1 / (1.6 * 1.6))

struct fit_row {
    double x[TERMS]; /* >= 0, not all 0 */
    double log_y;    /* natural logarithm */
};

struct normal {
    double a[TERMS][TERMS]; /* J^T W J */
    double b[TERMS];        /* -J^T W r */
};

static int ascending(const void *a_, const void *b_)
{
    const double *a = a_, *b = b_;

    return (*a > *b) - (*a < *b);
}

/* d log(c x) / d u_j is the share of term j in the prediction. */
static void add_row(struct normal *normal, const double c[TERMS], const struct fit_row *row)
{
    double sum = sum_of(c, row->x);
    double residual = log(sum) - row->log_y;
    double weight = fmin(1, HUBER / fmax(fabs(residual), 1e-12));

    for (int j = 0; j < TERMS; j++) {
        double share = c[j] * row->x[j] / sum;

        normal->b[j] -= weight * share * residual;
        for (int k = 0; k <= j; k++)
            normal->a[j][k] += weight * share * c[k] * row->x[k] / sum;
    }
}

/* Solve by Cholesky decomposition. a: lower triangle, positive definite. b becomes the solution. */
static void solve(struct normal *normal)
{
    double(*a)[TERMS] = normal->a, *b = normal->b;

    for (int j = 0; j < TERMS; j++) {
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
    for (int j = TERMS - 1; j >= 0; j--) {
        for (int k = j + 1; k < TERMS; k++)
            b[j] -= a[k][j] * b[k];
        b[j] /= a[j][j];
    }
}

static void improve(double c[TERMS], const double start[TERMS], const struct fit_row *rows,
                    int32_t n)
{
    struct normal normal;

    memset(&normal, 0, sizeof normal);
    for (int j = 0; j < TERMS; j++) {
        normal.a[j][j] = PULL;
        normal.b[j] = -PULL * log(c[j] / start[j]);
    }
    for (int32_t i = 0; i < n; i++)
        add_row(&normal, c, &rows[i]);
    solve(&normal);
    for (int j = 0; j < TERMS; j++)
        c[j] *= exp(fmin(fmax(normal.b[j], -LARGEST_STEP), LARGEST_STEP));
}

/* Minimise the sum over the rows of Huber(log(c x) - log_y), k = 0.1, in u = log c, by Gauss-Newton
 * with weights and bounded steps. A weak pull draws each u_j to the initial log(c_j) times one
 * common factor, so coefficients that the rows do not determine keep their proportions. 1 ..
 * ROWS rows.
 *   c  inout  above 0
 * Source: Huber 1964, Ann Math Stat 35:73; Holland & Welsch 1977, Comm Stat A6:813 (weights). */
static void fit(double c[TERMS], const struct fit_row *rows, int32_t n)
{
    double ratios[ROWS], start[TERMS];

    for (int32_t i = 0; i < n; i++)
        ratios[i] = rows[i].log_y - log(sum_of(c, rows[i].x));
    qsort(ratios, (size_t)n, sizeof *ratios, ascending);
    for (int j = 0; j < TERMS; j++)
        start[j] = c[j] *= exp(ratios[n / 2]);
    for (int round = 0; round < ROUNDS; round++)
        improve(c, start, rows, n);
}

/* ---- fits ---- */

static bool fit_formula(struct cost *cost)
{
    struct fit_row rows[ROWS];
    bool has_moved = false;

    for (int32_t i = 0; i < cost->n_sample; i++) {
        terms(rows[i].x, &cost->work[cost->sample[i]]);
        rows[i].log_y = (double)cost->known[cost->sample[i]].log_s;
    }
    memcpy(cost->coefficients, usual, sizeof usual);
    fit(cost->coefficients, rows, cost->n_sample);
    for (int32_t i = 0; i < cost->n_sample && !has_moved; i++)
        has_moved =
            fabs(log(sum_of(cost->coefficients, rows[i].x) / sum_of(cost->reported, rows[i].x))) >
            MOVED;
    if (has_moved)
        memcpy(cost->reported, cost->coefficients, sizeof cost->reported);
    return has_moved;
}

static bool fit_mean(struct cost *cost)
{
    double sum = 0;
    bool has_moved;

    for (int32_t i = 0; i < cost->n_sample; i++)
        sum += (double)cost->known[cost->sample[i]].log_s;
    cost->mean = sum / cost->n_sample;
    has_moved = !cost->has_mean || fabs(cost->mean - cost->reported_mean) > MOVED;
    if (has_moved)
        cost->reported_mean = cost->mean;
    cost->has_mean = true;
    return has_moved;
}

bool cost_refit(struct cost *cost)
{
    int64_t wait = cost->n_observed / 4 < LONGEST_WAIT ? cost->n_observed / 4 : LONGEST_WAIT;

    if (cost->n_observed < cost->n_next || !cost->n_sample)
        return false;
    cost->n_next = cost->n_observed + (wait > 1 ? wait : 1);
    return cost->work ? fit_formula(cost) : fit_mean(cost);
}
