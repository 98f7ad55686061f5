/* SPDX-License-Identifier: BSD-3-Clause */
#include "toy.h"
#include "unit.h"

#include <math.h>

#include "base/rng.h"

enum { MAX_WIDTH = 16 };

/* A ring with chords: every node has two to five neighbours, with weights from 0.5 to 1.5. */
static void make_adjacency(struct csr *a)
{
    struct triplet t[8 * TOY_SAMPLES];
    int64_t n = 0;

    for (int32_t i = 0; i < TOY_SAMPLES; i++)
        for (int32_t hop = 1; hop <= 7; hop += 6) {
            int32_t j = (i + hop) % TOY_SAMPLES;
            float weight = 0.5f + (float)((i * 7 + hop) % 11) / 10;

            if (hop == 7 && i % 3)
                continue;
            t[n++] = (struct triplet){i, j, weight};
            t[n++] = (struct triplet){j, i, weight};
        }
    assert_int_equal(csr_from_triplets(a, TOY_SAMPLES, TOY_SAMPLES, t, n, NULL), 0);
}

static void make_features(struct toy *toy, const struct rng *rng)
{
    struct triplet t[TOY_SAMPLES * TOY_FEATURES];
    int64_t n = 0;

    assert_int_equal(mat_init(&toy->data.features, TOY_SAMPLES, TOY_FEATURES, NULL), 0);
    for (int32_t i = 0; i < TOY_SAMPLES; i++)
        for (int32_t j = 0; j < TOY_FEATURES; j++) {
            uint32_t at = (uint32_t)(i * TOY_FEATURES + j);
            float value = (float)rng_normal(rng, 0, at);

            if (toy->data.is_sparse && rng_uniform(rng, 1, at) < 0.6)
                continue;
            mat_row(&toy->data.features, i)[j] = value;
            t[n++] = (struct triplet){i, j, value};
        }
    assert_int_equal(
        csr_from_triplets(&toy->data.sparse_features, TOY_SAMPLES, TOY_FEATURES, t, n, NULL), 0);
}

static void make_split(struct split *split)
{
    int32_t *nodes = malloc(TOY_SAMPLES * sizeof *nodes);

    assert_non_null(nodes);
    *split = (struct split){.train = nodes, .val = nodes + 20, .test = nodes + 30};
    for (int32_t i = 0; i < TOY_SAMPLES; i++) {
        if (i < 38 && i % 2 == 0)
            split->train[split->n_train++] = i;
        else if (i % 4 == 1)
            split->val[split->n_val++] = i;
        else if (i < 38)
            split->test[split->n_test++] = i;
    }
    split->train[split->n_train++] = 38;
}

int toy_make_inputs(struct gcn_inputs *inputs, const struct dataset *data,
                    const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                    struct err *err)
{
    struct gcn_outline outline;

    if (gcn_outline_find(&outline, data, adjacency, spec, err))
        return -1;
    return gcn_inputs_make(inputs, &outline, adjacency, spec, err);
}

void toy_init(struct toy *toy, enum task task, bool is_sparse)
{
    struct csr adjacency;
    struct rng rng;
    float *target = malloc(TOY_SAMPLES * sizeof *target);
    int32_t *label = malloc(TOY_SAMPLES * sizeof *label);

    *toy = (struct toy){.data = {.n_samples = TOY_SAMPLES,
                                 .n_nodes = TOY_SAMPLES,
                                 .n_features = TOY_FEATURES,
                                 .n_classes = task == TASK_CLASSIFICATION ? TOY_CLASSES : 0,
                                 .task = task,
                                 .is_sparse = is_sparse,
                                 .target = target,
                                 .label = label}};
    rng_init(&rng, hash_text("toy"), RNG_SIMULATE);
    assert_non_null(target);
    assert_non_null(label);
    for (int32_t i = 0; i < TOY_SAMPLES; i++) {
        target[i] = (float)(50 + 10 * rng_normal(&rng, 2, (uint32_t)i));
        label[i] = (int32_t)(rng_uniform(&rng, 3, (uint32_t)i) * TOY_CLASSES);
    }
    make_features(toy, &rng);
    make_adjacency(&adjacency);
    make_split(&toy->split);
    assert_int_equal(toy_make_inputs(&toy->inputs, &toy->data, &adjacency,
                                     &(struct gcn_inputs_spec){.drops_inputs = true}, NULL),
                     0);
    csr_release(&adjacency);
}

void toy_release(struct toy *toy)
{
    gcn_inputs_release(&toy->inputs);
    mat_release(&toy->data.features);
    csr_release(&toy->data.sparse_features);
    free((void *)toy->data.target);
    free((void *)toy->data.label);
    free(toy->split.train);
}

void toy_part_stop(struct toy *toy)
{
    toy->split.n_train -= 6;
    toy->split.n_stop = 6;
    toy->split.stop = toy->split.train + toy->split.n_train;
}

struct gcn_spec toy_spec(enum task task)
{
    bool is_regression = task == TASK_REGRESSION;

    return (struct gcn_spec){
        .layers = 2,
        .hidden_size = 9,
        .activation = ACTIVATION_RELU,
        .epochs = 5,
        .optimizer = OPTIMIZER_ADAM,
        .learning_rate = 0.01,
        .choose_epoch = CHOOSE_OBJECTIVE,
        .objective = is_regression ? METRIC_PEARSON : METRIC_ACCURACY,
        .maximize = true,
    };
}

void toy_train(struct gcn_outcome *outcome, const struct gcn_spec *spec,
               const struct gcn_inputs *inputs, const struct split *split, struct hash key,
               const struct gcn_observer *observer, struct arena *scratch)
{
    const struct gcn_training training = {.spec = spec,
                                          .inputs = inputs,
                                          .split = split,
                                          .key = key,
                                          .threads = 1,
                                          .scratch = scratch,
                                          .clock = &clock_system,
                                          .observer = observer};

    assert_int_equal(gcn_train(outcome, &training, NULL), 0);
}

int toy_trainer_init(struct trainer *trainer, const struct gcn_spec *spec,
                     const struct gcn_inputs *inputs, const struct split *split, struct hash key,
                     struct arena *scratch)
{
    return trainer_init(trainer,
                        &(struct gcn_training){.spec = spec,
                                               .inputs = inputs,
                                               .split = split,
                                               .key = key,
                                               .threads = 1,
                                               .scratch = scratch,
                                               .clock = &clock_system},
                        NULL);
}

/* The 16-bit word number `place` of the blocks from `block` on decides. */
static double factor(double probability, struct hash key, enum rng_stream stream, int64_t step,
                     int64_t block, int64_t place)
{
    uint32_t words[4];
    struct rng rng;
    uint32_t threshold = (uint32_t)round(probability * 65536);
    uint32_t bits;

    if (step < 0 || threshold == 0)
        return 1;
    rng_init(&rng, key, stream);
    rng_block(words, &rng, (uint32_t)step, (uint32_t)(block + place / 8));
    bits = words[place % 8 / 2] >> (place % 2 ? 16 : 0) & 0xffff;
    return bits >= threshold ? 65536.0 / (65536 - threshold) : 0;
}

typedef double table[TOY_SAMPLES][MAX_WIDTH];

static void drop_inputs(table h, const struct toy *toy, const struct gcn_spec *spec,
                        struct hash key, int64_t step)
{
    const struct csr *sparse = &toy->data.sparse_features;

    memset(h, 0, sizeof(table));
    for (int32_t i = 0; i < TOY_SAMPLES; i++)
        for (int64_t e = sparse->row_start[i]; e < sparse->row_start[i + 1]; e++) {
            /* Without missing entries, positions in a sparse row equal columns. */
            int64_t place = toy->data.is_sparse ? e - sparse->row_start[i] : sparse->col[e];
            int64_t block = toy->data.is_sparse ? sparse->row_start[i] / 8 + i
                                                : (int64_t)i * ((TOY_FEATURES + 7) / 8);

            h[i][sparse->col[e]] =
                (double)sparse->val[e] *
                factor(spec->input_dropout, key, RNG_INPUT_DROPOUT, step, block, place);
        }
}

/* z = A^ h w + b */
static void convolve(table z, const struct csr *a_hat, table h, const double *w, int32_t in,
                     int32_t out)
{
    table product = {{0}};

    for (int32_t i = 0; i < TOY_SAMPLES; i++)
        for (int32_t k = 0; k < in; k++)
            for (int32_t j = 0; j < out; j++)
                product[i][j] += h[i][k] * w[k * out + j];
    for (int32_t i = 0; i < TOY_SAMPLES; i++) {
        for (int32_t j = 0; j < out; j++)
            z[i][j] = w[in * out + j];
        for (int64_t e = a_hat->row_start[i]; e < a_hat->row_start[i + 1]; e++)
            for (int32_t j = 0; j < out; j++)
                z[i][j] += (double)a_hat->val[e] * product[a_hat->col[e]][j];
    }
}

static double node_loss(const struct toy *toy, const double *z, const float *standardized,
                        int32_t node)
{
    double sum = 0;

    if (toy->data.task == TASK_REGRESSION)
        return (z[0] - (double)standardized[node]) * (z[0] - (double)standardized[node]);
    for (int c = 0; c < TOY_CLASSES; c++)
        sum += exp(z[c]);
    return log(sum) - z[toy->data.label[node]];
}

static double activate(enum activation activation, double u)
{
    switch (activation) {
    case ACTIVATION_TANH:
        return tanh(u);
    case ACTIVATION_ELU:
        return u > 0 ? u : exp(u) - 1;
    case ACTIVATION_GELU:
        return u * erfc(-u / sqrt(2)) / 2;
    default:
        return fmax(u, 0);
    }
}

/* Mark the samples that `nodes` depend on through `steps` convolutions, or all if these are
 * most. */
static void find_needed(bool needed[TOY_SAMPLES], const struct toy *toy, const int32_t *nodes,
                        int32_t n, int32_t steps)
{
    const struct csr *a = &toy->inputs.a_hat;

    memset(needed, 0, TOY_SAMPLES * sizeof *needed);
    for (int32_t i = 0; i < n; i++)
        needed[nodes[i]] = true;
    for (; steps > 0; steps--) {
        bool above[TOY_SAMPLES];
        int32_t n_needed = 0;

        memcpy(above, needed, sizeof above);
        for (int32_t i = 0; i < TOY_SAMPLES; i++)
            for (int64_t e = a->row_start[i]; above[i] && e < a->row_start[i + 1]; e++)
                needed[a->col[e]] = true;
        for (int32_t i = 0; i < TOY_SAMPLES; i++)
            n_needed += needed[i];
        for (int32_t i = 0; i < TOY_SAMPLES && n_needed > 0.9 * TOY_SAMPLES; i++)
            needed[i] = true;
    }
}

/* u = gamma (z - mean) / sqrt(variance + 1e-5) + shift, with statistics over the needed rows. z
 * already includes the shift. */
static void normalize(table z, const double *shift, const double *gamma,
                      const bool needed[TOY_SAMPLES], int32_t width)
{
    for (int32_t j = 0; j < width; j++) {
        double n = 0, mean = 0, variance = 0;

        for (int32_t i = 0; i < TOY_SAMPLES; i++) {
            n += needed[i];
            mean += needed[i] ? z[i][j] : 0;
        }
        mean /= n;
        for (int32_t i = 0; i < TOY_SAMPLES; i++)
            variance += needed[i] ? (z[i][j] - mean) * (z[i][j] - mean) / n : 0;
        for (int32_t i = 0; i < TOY_SAMPLES; i++)
            z[i][j] = gamma[j] * (z[i][j] - mean) / sqrt(variance + 1e-5) + shift[j];
    }
}

/* n / (C n_c) over the training part; 1 without weights. */
static double class_weight(const struct toy *toy, const struct gcn_spec *spec, int32_t node)
{
    int32_t n[TOY_CLASSES] = {0};

    if (spec->class_weights == CLASSES_ALIKE || toy->data.task == TASK_REGRESSION)
        return 1;
    for (int32_t i = 0; i < toy->split.n_train; i++)
        n[toy->data.label[toy->split.train[i]]]++;
    for (int c = 0; c < TOY_CLASSES; c++)
        assert_true(n[c] > 0);
    return (double)toy->split.n_train / (TOY_CLASSES * n[toy->data.label[node]]);
}

double toy_loss(const struct toy *toy, const struct gcn_spec *spec, const double *weights,
                const float *standardized, const int32_t *nodes, int32_t n, struct hash key,
                int64_t step)
{
    int32_t n_outputs = toy->data.task == TASK_CLASSIFICATION ? TOY_CLASSES : 1;
    int32_t in = TOY_FEATURES;
    int64_t stride = (spec->hidden_size + 7) / 8;
    double loss = 0, weight = 0;
    table h, z;

    drop_inputs(h, toy, spec, key, step);
    for (int32_t l = 0; l < spec->layers; l++) {
        bool is_last = l == spec->layers - 1;
        bool norms = spec->batch_norm && !is_last, skips = spec->residual && l > 0;
        int32_t out = is_last ? n_outputs : spec->hidden_size;
        int64_t layer_step = step < 0 ? -1 : step * spec->layers + l;
        bool needed[TOY_SAMPLES];

        convolve(z, &toy->inputs.a_hat, h, weights, in, out);
        weights += in * out;
        find_needed(needed, toy, nodes, n, spec->layers - l - 1);
        if (norms)
            normalize(z, weights, weights + out, needed, out);
        for (int32_t i = 0; i < TOY_SAMPLES && !is_last; i++)
            for (int32_t j = 0; j < out; j++)
                h[i][j] = (skips ? h[i][j] : 0) +
                          activate(spec->activation, z[i][j]) *
                              factor(spec->dropout, key, RNG_DROPOUT, layer_step, i * stride, j);
        weights += norms ? 2 * out : out;
        in = out;
    }
    for (int32_t i = 0; i < n; i++) {
        double own = class_weight(toy, spec, nodes[i]);

        loss += own * node_loss(toy, z[nodes[i]], standardized, nodes[i]);
        weight += own;
    }
    return loss / weight;
}
