/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/ridge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "gcn/reducer.h"
#include "gcn/scores.h"
#include "tensor/gemm.h"

/* ---- K ---- */

int ridge_inputs_init(struct ridge_inputs *inputs, const struct dataset *data,
                      enum feature_scale scale, struct err *err)
{
    size_t n = (size_t)data->n_samples;

    memset(inputs, 0, sizeof *inputs); /* with the padding: packed inputs are hashed */
    inputs->data = data;
    inputs->n = data->n_samples;
    if (reducer_products(&inputs->kernel, data, scale, err))
        return -1;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            inputs->kernel[i * n + j] /= data->n_features;
            inputs->kernel[j * n + i] = inputs->kernel[i * n + j];
        }
    return 0;
}

void ridge_inputs_release(struct ridge_inputs *inputs)
{
    if (!inputs->is_view)
        free(inputs->kernel);
    *inputs = (struct ridge_inputs){0};
}

double ridge_inputs_bytes(const struct dataset *data)
{
    double n = data->n_samples;

    return n * n * sizeof(double);
}

double ridge_bytes(const struct dataset *data)
{
    double entries = data->is_sparse ? (double)csr_nnz(&data->sparse_features) : 0;

    return 2 * ridge_inputs_bytes(data) + 2 * entries * (sizeof(float) + sizeof(int32_t));
}

static void walk(struct packer *p, void *object)
{
    struct ridge_inputs *inputs = object;

    packer_data(p, &inputs->data, &inputs->is_view);
    PACKER_ARRAY(p, inputs->kernel, (size_t)inputs->n * (size_t)inputs->n);
}

const struct packed_type ridge_inputs_packed = {"esp-ridg", 1, sizeof(struct ridge_inputs), walk};

/* ---- fit ---- */

/* rhs (C + p, n): each column minus its training mean, to save the intercept's digits; then the
 * basis of the fixed effects. */
static void put_right_sides(double *rhs, struct ridge *ridge, const struct fixed_design *design,
                            const int32_t *train)
{
    const struct training_target *target = &ridge->target;
    int32_t n = ridge->n_train;

    for (int32_t c = 0; c < ridge->n_outputs; c++, rhs += n) {
        double sum = 0;

        for (int32_t i = 0; i < n; i++)
            sum += rhs[i] = target->task == TASK_CLASSIFICATION
                                ? (target->label[train[i]] == c ? 1 : -1)
                                : ((double)target->original[train[i]] - target->mean) / target->sd;
        ridge->fixed.intercept[c] = sum / n;
        for (int32_t i = 0; i < n; i++)
            rhs[i] -= ridge->fixed.intercept[c];
    }
    memcpy(rhs, design->basis, (size_t)design->rank * (size_t)n * sizeof *rhs);
}

static double product_of(const double *u, const double *v, int32_t n)
{
    double sum = 0;

    for (int32_t i = 0; i < n; i++)
        sum += u[i] * v[i];
    return sum;
}

/* From V^-1 y and V^-1 B, B the basis, to V^-1 (y - B c) and b.
 *   c      scratch [p]
 *   gram   scratch (p, p) */
static void put_effects(struct ridge *ridge, const struct fixed_design *design, double *c,
                        double *gram)
{
    int32_t n = ridge->n_train, rank = design->rank;
    const double *solved = ridge->alpha + (size_t)ridge->n_outputs * (size_t)n;

    for (int32_t output = 0; output < ridge->n_outputs; output++) {
        double *alpha = ridge->alpha + (size_t)output * (size_t)n;

        for (int32_t k = 0; k < rank; k++) {
            const double *row = design->basis + (size_t)k * (size_t)n;

            c[k] = product_of(row, alpha, n);
            for (int32_t j = 0; j < rank; j++)
                gram[k * rank + j] = product_of(row, solved + (size_t)j * (size_t)n, n);
        }
        fixed_solve(c, gram, rank);
        for (int32_t k = 0; k < rank; k++)
            for (int32_t i = 0; i < n; i++)
                alpha[i] -= c[k] * solved[(size_t)k * (size_t)n + (size_t)i];
        fixed_effects_take(&ridge->fixed, design, c, output);
    }
}

static const double *kernel_row(const struct ridge_inputs *inputs, int32_t i)
{
    return inputs->kernel + (size_t)i * (size_t)inputs->n;
}

/* 1: stopped by the watch. */
static int solve(struct ridge *ridge, const struct ridge_training *training,
                 const struct fixed_design *design, struct err *err)
{
    struct arena *scratch = training->scratch;
    const int32_t *train = training->split->train;
    size_t n = (size_t)ridge->n_train, rank = (size_t)design->rank;
    size_t n_rhs = (size_t)ridge->n_outputs + rank;
    double *a = arena_take(scratch, n * n, sizeof *a);
    double *small = arena_take(scratch, rank * (rank + 1), sizeof *small);
    int rc;

    ridge->alpha = arena_take(scratch, n * n_rhs, sizeof *ridge->alpha);
    if (scratch->is_short)
        return err_nomem(err, "ridge", n * (n + n_rhs) * sizeof *a);
    put_right_sides(ridge->alpha, ridge, design, train);
    for (int32_t i = 0; i < ridge->n_train; i++) {
        const double *row = kernel_row(training->inputs, train[i]);

        for (int32_t j = 0; j <= i; j++)
            a[(size_t)i * n + (size_t)j] = row[train[j]];
        a[(size_t)i * (n + 1)] += training->spec->lambda;
    }
    rc = lapack_cholesky_solve(ridge->alpha, (int32_t)n_rhs, a, ridge->n_train, training->watch,
                               err);
    if (rc < 0)
        return err_wrap(err,
                        "lambda = %g is too small for the scale of these features: increase lambda "
                        "or scale the features",
                        training->spec->lambda);
    if (!rc)
        put_effects(ridge, design, small, small + rank);
    return rc;
}

/* As solve(). */
static int fit(struct ridge *ridge, const struct ridge_training *training, struct err *err)
{
    const struct split *split = training->split;
    const struct dataset *data = training->inputs->data;
    struct arena *scratch = training->scratch;
    struct fixed_design design;

    if (training_target_init(&ridge->target, &(struct gcn_spec){0}, data, split->train,
                             split->n_train, scratch, err))
        return -1;
    ridge->n_train = split->n_train;
    ridge->n_outputs = ridge->target.n_outputs;
    if (fixed_effects_init(&ridge->fixed, data->n_fixed, ridge->n_outputs, scratch, err) ||
        fixed_design_init(&design, data, split->train, split->n_train, scratch, err))
        return -1;
    return solve(ridge, training, &design, err);
}

/* ---- scores ---- */

struct prediction {
    const struct ridge *ridge;
    const struct ridge_inputs *inputs;
    const struct split *split;
    double *row; /* [n_train] of K */
};

static void predict(void *arg, float *output, int32_t sample)
{
    struct prediction *p = arg;
    const struct ridge *ridge = p->ridge;
    const struct dataset *data = p->inputs->data;
    const double *row = kernel_row(p->inputs, sample);
    const double *alpha = ridge->alpha;

    for (int32_t t = 0; t < ridge->n_train; t++)
        p->row[t] = row[p->split->train[t]];
    for (int32_t c = 0; c < ridge->n_outputs; c++, alpha += ridge->n_train) {
        double sum = fixed_effect(&ridge->fixed, dataset_fixed(data, sample), c);

        for (int32_t t = 0; t < ridge->n_train; t++)
            sum += p->row[t] * alpha[t];
        output[c] = (float)sum;
    }
}

int ridge_train(struct gcn_outcome *outcome, struct ridge *ridge,
                const struct ridge_training *training, struct err *err)
{
    const struct split *split = training->split;
    double begun_s = clock_now(training->clock), fitted_s;
    struct prediction prediction = {ridge, training->inputs, split, NULL};
    struct scores s;
    int rc;

    gcn_outcome_init(outcome);
    gemm_set_threads(training->threads);
    rc = fit(ridge, training, err);
    if (rc > 0)
        outcome->status = GCN_STOPPED;
    if (rc)
        return rc < 0 ? -1 : 0;
    prediction.row = arena_take(training->scratch, (size_t)split->n_train, sizeof(double));
    if (!prediction.row)
        return err_nomem(err, "scores", (size_t)split->n_train * sizeof(double));
    if (scores_init(&s, &ridge->target, training->inputs->data, training->scratch, err))
        return -1;
    fitted_s = clock_now(training->clock);
    scores_put(outcome, &s, split, false, predict, &prediction);
    outcome->value = outcome->metrics[PART_VAL][training->spec->objective];
    outcome->seconds[GCN_OPTIMIZER] = fitted_s - begun_s;
    outcome->seconds[GCN_EVALUATION] = clock_now(training->clock) - fitted_s;
    outcome->flops = ridge_cost(training->inputs->data, split).flops;
    return 0;
}

struct gcn_cost ridge_cost(const struct dataset *data, const struct split *split)
{
    double n = split->n_train, n_scored = n + split->n_val + split->n_test;
    double n_outputs = data->task == TASK_CLASSIFICATION ? data->n_classes : 1, q = data->n_fixed;

    return (struct gcn_cost){
        .flops = n * n * n / 3 + 2 * n * n * (n_outputs + 1 + q) + 2 * n_scored * n * n_outputs +
                 fixed_flops(data, split->n_train),
        .bytes = sizeof(double) * (3 * n * n + n_scored * n),
    };
}

/* ---- weights by features ---- */

#define PANEL_COLS 128

CLONES static void add_row(double *restrict sum, double factor, const double *restrict z, int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        sum[j] += factor * z[j];
}

static int weigh_dense(float *w, const struct ridge *ridge, const struct dataset *data,
                       enum feature_scale scale, const struct split *split, struct err *err)
{
    struct scaling_walk walk = {0};
    struct scaling scaling;
    int rc = scaling_init(&scaling, data, scale, err);

    if (!rc)
        rc = scaling_walk_init(&walk, &scaling, &scaling, true, PANEL_COLS, err);
    while (!rc && scaling_walk_next(&walk)) {
        const double *alpha = ridge->alpha;
        int32_t n = walk.panel.n;

        for (int32_t c = 0; c < ridge->n_outputs; c++, alpha += ridge->n_train) {
            double sum[PANEL_COLS] = {0};

            for (int32_t t = 0; t < ridge->n_train; t++)
                add_row(sum, alpha[t], walk.scaled + (size_t)split->train[t] * (size_t)n, n);
            for (int32_t j = 0; j < n; j++)
                w[(size_t)(walk.panel.at + j) * (size_t)ridge->n_outputs + (size_t)c] =
                    (float)(sum[j] / data->n_features);
        }
    }
    scaling_walk_release(&walk);
    scaling_release(&scaling);
    return rc;
}

static int weigh_sparse(float *w, const struct ridge *ridge, const struct dataset *data,
                        enum feature_scale scale, const struct split *split, struct err *err)
{
    size_t n_outputs = (size_t)ridge->n_outputs, size = (size_t)data->n_features * n_outputs;
    double *sum = calloc(size, sizeof *sum);
    struct csr x = {0};
    int rc = sum ? 0 : err_nomem(err, "weights", size * sizeof *sum);

    if (!rc)
        rc = scale_sparse(&x, data, 0, scale, err);
    for (int32_t t = 0; !rc && t < ridge->n_train; t++)
        for (int64_t e = x.row_start[split->train[t]]; e < x.row_start[split->train[t] + 1]; e++)
            for (size_t c = 0; c < n_outputs; c++)
                sum[(size_t)x.col[e] * n_outputs + c] +=
                    (double)x.val[e] * ridge->alpha[c * (size_t)ridge->n_train + (size_t)t];
    for (size_t i = 0; !rc && i < size; i++)
        w[i] = (float)(sum[i] / data->n_features);
    csr_release(&x);
    free(sum);
    return rc;
}

int ridge_weights(float *weights, const struct ridge *ridge, const struct dataset *data,
                  enum feature_scale scale, const struct split *split, struct err *err)
{
    float *bias = weights + (size_t)data->n_features * (size_t)ridge->n_outputs;

    /* With fixed effects their own intercept has it, in double precision. */
    for (int32_t c = 0; c < ridge->n_outputs; c++)
        bias[c] = ridge->fixed.n ? 0 : (float)ridge->fixed.intercept[c];
    return (data->is_sparse ? weigh_sparse : weigh_dense)(weights, ridge, data, scale, split, err);
}
