/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "sched/cost_formula.h"

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
    struct cost_formula *formula; /* NULL: of programs */
    double mean, reported_mean;   /* of programs: logarithm of seconds */
    bool has_mean;
    struct known *known; /* [n_configs] */
    struct rank *ranks;  /* [n_workers] */
    double sum_log_ratio;
    int32_t n_ranks_known;
    struct cost_row *sample; /* [n_sample] of at most COST_ROWS */
    int32_t n_sample;
    int64_t n_configs_known;
    struct rng rng;             /* equal trials in equal order give the same sample */
    int64_t n_observed, n_next; /* measurements; at the next fit */
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
    cost->sample = calloc(COST_ROWS, sizeof *cost->sample);
    if (work)
        cost->formula = cost_formula_create(work, err);
    if (!cost->known || !cost->ranks || !cost->sample || (work && !cost->formula)) {
        cost_destroy(cost);
        err_nomem(err, "cost model", (size_t)n_configs * sizeof *cost->known);
        return NULL;
    }
    rng_init(&cost->rng, hash_text("cost"), RNG_SIMULATE);
    cost->n_next = 1;
    return cost;
}

void cost_destroy(struct cost *cost)
{
    if (!cost)
        return;
    cost_formula_destroy(cost->formula);
    free(cost->known);
    free(cost->ranks);
    free(cost->sample);
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

static double formula_seconds(const struct cost *cost, int32_t config)
{
    if (cost->formula)
        return cost_formula_seconds(cost->formula, config);
    return cost->has_mean ? exp(cost->mean) : guess(config);
}

static double predict(const struct cost *cost, int32_t config)
{
    const struct known *known = &cost->known[config];
    double formula_s = formula_seconds(cost, config);

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
    return cost->formula || cost_is_measured(cost);
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

    if (row >= COST_ROWS)
        row = (int64_t)(rng_uniform(&cost->rng, 0, (uint32_t)row) * (double)(row + 1));
    if (row >= COST_ROWS)
        return;
    if (row == cost->n_sample)
        cost->n_sample++;
    cost->sample[row].config = config;
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
    log_ratio = log_s - log(predict(cost, config));
    log_s -= log_slowness(cost, worker);
    weight = judgement(cost, config);
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

static bool fit_mean(struct cost *cost)
{
    double sum = 0;
    bool has_moved;

    for (int32_t i = 0; i < cost->n_sample; i++)
        sum += cost->sample[i].log_s;
    cost->mean = sum / cost->n_sample;
    has_moved = !cost->has_mean || fabs(cost->mean - cost->reported_mean) > COST_MOVED;
    if (has_moved)
        cost->reported_mean = cost->mean;
    cost->has_mean = true;
    return has_moved;
}

bool cost_refit(struct cost *cost)
{
    int64_t wait;

    if (cost->n_observed < cost->n_next || !cost->n_sample)
        return false;
    for (int32_t i = 0; i < cost->n_sample; i++)
        cost->sample[i].log_s = cost->known[cost->sample[i].config].log_s;
    wait = cost->n_observed / 4 < LONGEST_WAIT ? cost->n_observed / 4 : LONGEST_WAIT;
    cost->n_next = cost->n_observed + (wait > 1 ? wait : 1);
    return cost->formula ? cost_formula_fit(cost->formula, cost->sample, cost->n_sample)
                         : fit_mean(cost);
}
