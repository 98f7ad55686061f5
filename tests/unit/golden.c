/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "gcn/trainer.h"
#include "golden_file.h"
#include "toy.h"

/* Training, step by step, as PyTorch did it: tests/golden/make_golden.py, make_pool.py and
 * make_ddp.py wrote initial values and results. */

enum { EPOCHS = 20 };

static const struct hash key = {.high = 1, .low = 2};

struct golden {
    FILE *file;
    struct dataset data;
    struct csr adjacency;
    enum feature_scale scale;
    struct gcn_spec spec;
    struct split split;
    float *target;
    int32_t *label;
    int64_t *graph_start;
};

static void read_settings(struct golden *golden)
{
#define NAME(id, name) #name,
    static const char *const tasks[] = {"regression", "classification", NULL};
    static const char *const activations[] = {"relu", "tanh", "elu", "gelu", NULL};
    static const char *const optimizers[] = {OPTIMIZERS(NAME, ) NULL};
    static const char *const scopes[] = {"all", "first", NULL};
    static const char *const scales[] = {"none", "standardize", "row", NULL};
    static const char *const pools[] = {"none", "mean", "sum", "max", NULL};
    static const char *const schedules[] = {"constant", "cosine", NULL};
    static const char *const weights[] = {"none", "balanced", NULL};
#undef NAME
    FILE *file = golden->file;
    struct dataset *data = &golden->data;
    struct gcn_spec *spec = &golden->spec;

    expect(file, "versions");
    assert_int_equal(fscanf(file, "%*s %*s"), 0);
    expect(file, "task");
    data->task = (enum task)read_choice(file, tasks);
    expect(file, "shape");
    data->n_samples = read_int(file);
    data->n_features = read_int(file);
    data->n_nodes = data->n_samples;
    data->n_classes = read_int(file);
    data->is_sparse = read_int(file);
    *spec = (struct gcn_spec){.epochs = EPOCHS};
    spec->layers = read_int(file);
    spec->hidden_size = read_int(file);
    spec->batch_size = read_int(file);
    spec->workers = read_int(file);
    expect(file, "words");
    spec->activation = (enum activation)read_choice(file, activations);
    spec->optimizer = (enum optimizer)read_choice(file, optimizers);
    spec->decay_scope = (enum decay_scope)read_choice(file, scopes);
    golden->scale = (enum feature_scale)read_choice(file, scales);
    expect(file, "settings");
    spec->learning_rate = read_number(file);
    spec->weight_decay = read_number(file);
    spec->momentum = read_number(file);
    expect(file, "pool");
    spec->pool = (enum pool)read_choice(file, pools);
    if (spec->pool) {
        golden->graph_start = take((size_t)data->n_samples + 1, sizeof *golden->graph_start);
        for (int32_t i = 0; i <= data->n_samples; i++)
            golden->graph_start[i] = data->n_nodes = read_int(file);
        data->graph_start = golden->graph_start;
    }
    expect(file, "options");
    spec->residual = read_int(file);
    spec->batch_norm = read_int(file);
    spec->schedule = (enum schedule)read_choice(file, schedules);
    spec->class_weights = (enum class_weights)read_choice(file, weights);
}

static void read_graph(struct golden *golden)
{
    FILE *file = golden->file;
    int32_t n = golden->data.n_nodes;
    struct triplet *t;
    int32_t n_edges;

    expect(file, "edges");
    n_edges = read_int(file);
    t = take(2 * (size_t)n_edges, sizeof *t);
    for (int32_t e = 0; e < n_edges; e++) {
        struct triplet *edge = &t[2 * e];

        edge->row = read_int(file);
        edge->col = read_int(file);
        edge->val = (float)read_number(file);
        t[2 * e + 1] = (struct triplet){edge->col, edge->row, edge->val};
    }
    assert_int_equal(csr_from_triplets(&golden->adjacency, n, n, t, 2 * (int64_t)n_edges, NULL), 0);
    free(t);
}

static void read_data(struct golden *golden)
{
    FILE *file = golden->file;
    struct dataset *data = &golden->data;
    int32_t n = data->n_samples, m = data->n_nodes;
    struct triplet *t = take((size_t)m * (size_t)data->n_features, sizeof *t);
    int64_t nnz = 0;

    expect(file, "features");
    assert_int_equal(mat_init(&data->features, m, data->n_features, NULL), 0);
    for (int64_t i = 0; i < mat_size(&data->features); i++) {
        int32_t row = (int32_t)(i / data->n_features), col = (int32_t)(i % data->n_features);

        data->features.v[i] = (float)read_number(file);
        if (data->features.v[i] != 0)
            t[nnz++] = (struct triplet){row, col, data->features.v[i]};
    }
    assert_int_equal(csr_from_triplets(&data->sparse_features, m, data->n_features, t, nnz, NULL),
                     0);
    free(t);

    golden->target = take((size_t)n, sizeof(float));
    golden->label = take((size_t)n, sizeof(int32_t));
    expect(file, "target");
    for (int32_t i = 0; i < n; i++)
        golden->target[i] = (float)read_number(file);
    expect(file, "label");
    for (int32_t i = 0; i < n; i++)
        golden->label[i] = read_int(file);
    data->target = golden->target;
    data->label = golden->label;
}

/* All samples outside PyTorch's training part are the validation part. */
static void read_split(struct golden *golden)
{
    FILE *file = golden->file;
    struct split *split = &golden->split;
    int32_t n = golden->data.n_samples;

    expect(file, "train");
    split->n_train = read_int(file);
    split->train = take((size_t)n, sizeof(int32_t));
    split->val = split->train + split->n_train;
    for (int32_t i = 0, next = 0; i < split->n_train; i++) {
        split->train[i] = read_int(file);
        for (; next < split->train[i]; next++)
            split->val[split->n_val++] = next;
        next = split->train[i] + 1;
    }
    for (int32_t next = split->train[split->n_train - 1] + 1; next < n; next++)
        split->val[split->n_val++] = next;
}

static void golden_open(struct golden *golden, const char *name)
{
    *golden = (struct golden){.file = golden_file(name)};
    read_settings(golden);
    read_graph(golden);
    read_data(golden);
    read_split(golden);
}

static void golden_close(struct golden *golden)
{
    fclose(golden->file);
    csr_release(&golden->adjacency);
    csr_release(&golden->data.sparse_features);
    mat_release(&golden->data.features);
    free(golden->target);
    free(golden->label);
    free(golden->graph_start);
    free(golden->split.train);
}

static void read_weights(struct golden *golden, struct trainer *trainer)
{
    float *weights = take((size_t)trainer->model.n_weights, sizeof *weights);

    expect(golden->file, "weights");
    for (int64_t i = 0; i < trainer->model.n_weights; i++)
        weights[i] = (float)read_number(golden->file);
    trainer_set_weights(trainer, weights);
    free(weights);
}

/* Several workers: the batch is an epoch. */
static double step(struct trainer *trainer, const int32_t *nodes, int32_t n)
{
    struct deal deal = {
        .n = n, .n_workers = trainer->crew->n_workers, .batch_size = trainer->spec->batch_size};
    double loss = 0;

    if (deal.n_workers == 1)
        return trainer_step(trainer, trainer->is_full_batch ? NULL : nodes, n);
    deal.samples = take((size_t)n, sizeof *deal.samples);
    deal_samples(&deal, nodes);
    for (int32_t s = 0; s < deal_steps(&deal); s++)
        loss += trainer_crew_step(trainer, &deal, s);
    free(deal.samples);
    return loss;
}

static void train(double losses[EPOCHS], struct golden *golden, struct trainer *trainer)
{
    int32_t n = golden->split.n_train, size = trainer->spec->batch_size;
    int32_t *nodes = take((size_t)n, sizeof *nodes);

    if (size == 0 || trainer->crew->n_workers > 1)
        size = n;
    for (int e = 0; e < EPOCHS; e++) {
        expect(golden->file, "epoch");
        for (int32_t i = 0; i < n; i++)
            nodes[i] = read_int(golden->file);
        losses[e] = 0;
        trainer_begin_epoch(trainer, e + 1);
        for (int32_t i = 0; i < n; i += size)
            losses[e] += step(trainer, nodes + i, i + size < n ? size : n - i);
        losses[e] /= loss_weight(&trainer->target, golden->split.train, n);
        trainer_watched_logits(trainer);
    }
    free(nodes);
}

static void check_losses(struct golden *golden, const double losses[EPOCHS])
{
    expect(golden->file, "losses");
    for (int e = 0; e < EPOCHS; e++) {
        double want = read_number(golden->file);

        if (!(fabs(losses[e] / want - 1) < 1e-4))
            fail_msg("epoch %d: loss %.8g, PyTorch's is %.8g", e + 1, losses[e], want);
    }
}

static void check_logits(struct golden *golden, struct trainer *trainer)
{
    int32_t n = golden->data.n_samples;
    int32_t *all = take((size_t)n, sizeof *all);
    const int32_t *rows;
    struct mat logits;

    for (int32_t i = 0; i < n; i++)
        all[i] = i;
    logits = trainer_logits_of(trainer, all, n, &rows);
    expect(golden->file, "logits");
    for (int64_t i = 0; i < mat_size(&logits); i++) {
        double want = read_number(golden->file);

        if (!(fabs((double)logits.v[i] - want) < 1e-3 * (1 + fabs(want))))
            fail_msg("logit %d: %.8g, PyTorch's is %.8g", (int)i, (double)logits.v[i], want);
    }
    free(all);
}

static void check_case(const char *name)
{
    struct golden golden;
    struct gcn_inputs inputs;
    struct trainer trainer;
    struct arena arena = {0};
    double losses[EPOCHS];

    golden_open(&golden, name);
    assert_int_equal(
        toy_make_inputs(&inputs, &golden.data, &golden.adjacency,
                        &(struct gcn_inputs_spec){.scale = golden.scale, .drops_inputs = true},
                        NULL),
        0);
    assert_int_equal(toy_trainer_init(&trainer, &golden.spec, &inputs, &golden.split, key, &arena),
                     0);
    read_weights(&golden, &trainer);
    train(losses, &golden, &trainer);
    check_losses(&golden, losses);
    check_logits(&golden, &trainer);
    arena_release(&arena);
    gcn_inputs_release(&inputs);
    golden_close(&golden);
}

static void test_case(void **state)
{
    check_case(*state);
}

#define GOLDEN(name)                      \
    {                                     \
        name, test_case, NULL, NULL, name \
    }

int main(void)
{
    struct CMUnitTest tests[] = {
        GOLDEN("class_full_adam"),   GOLDEN("class_mini_sgd"),     GOLDEN("regr_full_adam"),
        GOLDEN("regr_mini_adamw"),   GOLDEN("class_one_layer"),    GOLDEN("regr_larger"),
        GOLDEN("regr_three_layers"), GOLDEN("regr_skip_elu"),      GOLDEN("class_norm_gelu"),
        GOLDEN("regr_norm_mini"),    GOLDEN("class_eight_layers"), GOLDEN("pool_mean_class"),
        GOLDEN("pool_sum_regr"),     GOLDEN("pool_max_class"),     GOLDEN("pool_max_regr"),
        GOLDEN("pool_sum_options"),  GOLDEN("pool_mean_full"),     GOLDEN("ddp_node_adam"),
        GOLDEN("ddp_node_norm"),     GOLDEN("ddp_pool_sgd"),       GOLDEN("ddp_pool_norm"),
    };

    return cmocka_run_group_tests_name("golden", tests, NULL, NULL);
}
