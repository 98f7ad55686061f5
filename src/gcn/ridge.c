/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/ridge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "gcn/packed.h"
#include "gcn/reducer.h"
#include "gcn/scores.h"
#include "tensor/gemm.h"

/* ---- K ---- */

/* kernel in: the lower triangle of Z Z^T, with contiguous rows. */
static void finish_kernel(double *kernel, int32_t n, int32_t n_features)
{
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j <= i; j++) {
            double *lower = &kernel[(size_t)i * (size_t)n + (size_t)j];

            *lower /= n_features;
            kernel[(size_t)j * (size_t)n + (size_t)i] = *lower;
        }
}

int ridge_inputs_init(struct ridge_inputs *inputs, const struct dataset *data,
                      enum feature_scale scale, struct err *err)
{
    *inputs = (struct ridge_inputs){.data = data, .n = data->n_samples};
    if (reducer_products(&inputs->kernel, data, scale, err))
        return -1;
    finish_kernel(inputs->kernel, inputs->n, data->n_features);
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

    PACKER_ARRAY(p, inputs->kernel, (size_t)inputs->n * (size_t)inputs->n);
}

static const struct packed_type packed = {"esp-ridg", 1, sizeof(struct ridge_inputs), walk};

size_t ridge_inputs_packed_bytes(const struct ridge_inputs *inputs)
{
    struct ridge_inputs copy = *inputs;

    return packed_bytes(&packed, &copy);
}

void ridge_inputs_pack(void *block, const struct ridge_inputs *inputs)
{
    struct ridge_inputs copy;

    memset(&copy, 0, sizeof copy); /* padding is hashed */
    copy.kernel = inputs->kernel;
    copy.n = inputs->n;
    packed_write(block, &packed, &copy);
}

int ridge_inputs_view(struct ridge_inputs *inputs, const struct dataset *data, const void *block,
                      size_t bytes, struct err *err)
{
    if (packed_view(inputs, &packed, block, bytes, err))
        return -1;
    inputs->data = data;
    inputs->is_view = true;
    return 0;
}

/* ---- fit ---- */

static double right_side(const struct training_target *target, int32_t c, int32_t i)
{
    if (target->task == TASK_CLASSIFICATION)
        return target->label[i] == c ? 1 : -1;
    return ((double)target->original[i] - target->mean) / target->sd;
}

/* rhs (C + p, n): each column minus its training mean, to save the intercept's digits; then the
 * basis of the fixed effects. */
static void put_right_sides(double *rhs, struct ridge *ridge, const struct fixed_design *design,
                            const int32_t *train)
{
    int32_t n = ridge->n_train;

    for (int32_t c = 0; c < ridge->n_outputs; c++, rhs += n) {
        double sum = 0;

        for (int32_t i = 0; i < n; i++)
            sum += rhs[i] = right_side(&ridge->target, c, train[i]);
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

/* a out: the lower triangle. */
static void put_system(double *a, const struct ridge_training *training)
{
    const struct split *split = training->split;

    for (int32_t i = 0; i < split->n_train; i++) {
        const double *row = kernel_row(training->inputs, split->train[i]);

        for (int32_t j = 0; j <= i; j++)
            a[j] = row[split->train[j]];
        a[i] += training->spec->lambda;
        a += split->n_train;
    }
}

/* 1: stopped by the watch. */
static int solve(struct ridge *ridge, const struct ridge_training *training,
                 const struct fixed_design *design, struct err *err)
{
    struct arena *scratch = training->scratch;
    size_t n = (size_t)ridge->n_train, rank = (size_t)design->rank;
    size_t n_rhs = (size_t)ridge->n_outputs + rank;
    double *a = arena_take(scratch, n * n, sizeof *a);
    double *small = arena_take(scratch, rank * (rank + 1), sizeof *small);
    int rc;

    ridge->alpha = arena_take(scratch, n * n_rhs, sizeof *ridge->alpha);
    if (!ridge->alpha || !a || !small)
        return err_nomem(err, "ridge", n * (n + n_rhs) * sizeof *a);
    put_right_sides(ridge->alpha, ridge, design, training->split->train);
    put_system(a, training);
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

/* w (n, C) = z_t^T alpha / F, for the n features of panel z (N, n). */
static void put_dense(float *w, const double *z, int32_t n, const struct ridge *ridge,
                      const struct split *split, int32_t n_features)
{
    const double *alpha = ridge->alpha;

    for (int32_t c = 0; c < ridge->n_outputs; c++, alpha += ridge->n_train) {
        double sum[PANEL_COLS] = {0};

        for (int32_t t = 0; t < ridge->n_train; t++)
            add_row(sum, alpha[t], z + (size_t)split->train[t] * (size_t)n, n);
        for (int32_t j = 0; j < n; j++)
            w[(size_t)j * (size_t)ridge->n_outputs + (size_t)c] = (float)(sum[j] / n_features);
    }
}

static int weigh_dense(float *w, const struct ridge *ridge, const struct dataset *data,
                       enum feature_scale scale, const struct split *split, struct err *err)
{
    size_t size = (size_t)data->n_samples * PANEL_COLS;
    float *raw = malloc(size * sizeof *raw);
    double *z = malloc(size * sizeof *z);
    struct scaling scaling;
    int rc = scaling_init(&scaling, data, scale, err);

    if (!rc && (!raw || !z))
        rc = err_nomem(err, "panel", size * (sizeof *raw + sizeof *z));
    if (!rc)
        scaling_learn(&scaling, true, PANEL_COLS, raw);
    for (int32_t at = 0; !rc && at < data->n_features; at += PANEL_COLS) {
        int32_t left = data->n_features - at;
        struct feature_panel panel = {true, at, left < PANEL_COLS ? left : PANEL_COLS};
        struct mat read = scaling_read(&scaling, &panel, raw);

        if (scale == SCALE_STANDARDIZE)
            scaling_learn_columns(&scaling, &panel, &read);
        scaling_apply(z, &scaling, &panel, &read);
        put_dense(w + (size_t)at * (size_t)ridge->n_outputs, z, panel.n, ridge, split,
                  data->n_features);
    }
    scaling_release(&scaling);
    free(raw);
    free(z);
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
        rc = scale_sparse(&x, data, scale, err);
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
