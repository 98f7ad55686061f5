/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "data/core/builder.h"
#include "data/graph/graph.h"
#include "gcn/cost.h"
#include "gcn/receptive_field.h"
#include "gcn/train.h"
#include "gcn/trainer.h"
#include "symmetric.h"
#include "tensor/pool.h"
#include "toy.h"
#include "unit.h"

/* ---- kernels ---- */

enum { GRAPHS = 7, NODES = 23, WIDTH = 19 };

static const int32_t start[GRAPHS + 1] = {0, 1, 4, 9, 10, 16, 21, NODES};

static double element(const double *h, int32_t g, int32_t j, enum pool pool)
{
    double sum = 0, most = h[start[g] * WIDTH + j];

    for (int32_t i = start[g]; i < start[g + 1]; i++) {
        sum += h[i * WIDTH + j];
        most = fmax(most, h[i * WIDTH + j]);
    }
    if (pool == POOL_MAX)
        return most;
    return pool == POOL_MEAN ? sum / (start[g + 1] - start[g]) : sum;
}

/* The function whose gradient backward computes. */
static double weighted(const double *h, const float *d, enum pool pool)
{
    double sum = 0;

    for (int32_t g = 0; g < GRAPHS; g++)
        for (int32_t j = 0; j < WIDTH; j++)
            sum += (double)d[g * WIDTH + j] * element(h, g, j, pool);
    return sum;
}

static void check_kernels(enum pool pool)
{
    float v[NODES * WIDTH], p[GRAPHS * WIDTH], d[GRAPHS * WIDTH], back[NODES * WIDTH];
    double wide[NODES * WIDTH];
    int32_t winner[GRAPHS * WIDTH];
    struct mat h = mat_view(v, NODES, WIDTH), out = mat_view(p, GRAPHS, WIDTH);
    struct mat dout = mat_view(d, GRAPHS, WIDTH), dh = mat_view(back, NODES, WIDTH);

    for (int i = 0; i < NODES * WIDTH; i++)
        wide[i] = (double)(v[i] = (float)sin(i * 1.7));
    for (int i = 0; i < GRAPHS * WIDTH; i++)
        d[i] = (float)cos(i * 0.9);
    memset(back, 0x7f, sizeof back);
    pool_forward(&out, winner, &h, start, pool);
    for (int32_t i = 0; i < GRAPHS * WIDTH; i++)
        assert_true(fabs((double)p[i] - element(wide, i / WIDTH, i % WIDTH, pool)) < 1e-5);
    pool_backward(&dh, &dout, winner, start, pool);
    for (int i = 0; i < NODES * WIDTH; i++) {
        double kept = wide[i], up, down;

        wide[i] = kept + 1e-5;
        up = weighted(wide, d, pool);
        wide[i] = kept - 1e-5;
        down = weighted(wide, d, pool);
        wide[i] = kept;
        assert_true(fabs((double)back[i] - (up - down) / 2e-5) < 1e-4);
    }
}

static void test_kernels(void **state)
{
    (void)state;
    check_kernels(POOL_MEAN);
    check_kernels(POOL_SUM);
    check_kernels(POOL_MAX);
}

/* A loss that is not finite must be seen, wherever it began. */
static void test_max_keeps_what_is_no_number(void **state)
{
    static const int32_t whole[2] = {0, 3};

    (void)state;
    for (int at = 0; at < 3; at++) {
        float v[3] = {1, 2, 3}, p[1];
        int32_t winner[1];
        struct mat h = mat_view(v, 3, 1), out = mat_view(p, 1, 1);

        v[at] = NAN;
        pool_forward(&out, winner, &h, whole, POOL_MAX);
        assert_true(isnan(p[0]));
        assert_int_equal(winner[0], at);
    }
}

/* ---- graphs ---- */

static const struct hash key = {.high = 5, .low = 6};

struct set {
    struct dataset data;
    struct csr adjacency;
    struct gcn_inputs inputs;
    struct split split;
};

static int32_t graph_size(int32_t g)
{
    return 1 + g * 7 % 6;
}

/* n paths of one to six nodes. The label shows if more than half of the nodes' first features are
 * 1. */
static void set_init(struct set *set, int32_t n, enum task task)
{
    int32_t n_nodes = 0, n_edges = 0, f = 5;
    int64_t *graph_start = calloc((size_t)n + 1, sizeof *graph_start);
    int32_t *from = calloc(6 * (size_t)n, sizeof *from), *to = calloc(6 * (size_t)n, sizeof *to);
    float *weight = calloc(6 * (size_t)n, sizeof *weight);
    float *x = calloc(6 * (size_t)n * (size_t)f, sizeof *x);
    float *target = calloc((size_t)n, sizeof *target);
    int32_t *label = calloc((size_t)n, sizeof *label);
    const char **ids = calloc((size_t)n, sizeof *ids);
    char *names = calloc((size_t)n, 12);
    const char *const classes[] = {"no", "yes"};
    struct graph_spec file = {.build = GRAPH_FILE};
    struct err err;

    for (int32_t g = 0; g < n; g++) {
        graph_start[g] = n_nodes;
        for (int32_t i = 0; i < graph_size(g); i++, n_nodes++) {
            for (int32_t j = 0; j < f; j++)
                x[n_nodes * f + j] = (float)sin(n_nodes * 3.1 + j);
            target[g] += x[n_nodes * f];
            if (i == 0)
                continue;
            from[n_edges] = n_nodes - 1;
            to[n_edges] = n_nodes;
            weight[n_edges++] = 0.5f + (float)(i % 3);
        }
        label[g] = target[g] > 0;
        snprintf(names + g * 12, 12, "g%d", g);
        ids[g] = names + g * 12;
    }
    graph_start[n] = n_nodes;
    *set = (struct set){.split = {.train = malloc((size_t)n * sizeof(int32_t))}};
    assert_int_equal(draft_build(&set->data,
                                 &(struct draft){.n_samples = n,
                                                 .n_nodes = n_nodes,
                                                 .n_features = f,
                                                 .n_classes = task == TASK_CLASSIFICATION ? 2 : 0,
                                                 .features = x,
                                                 .target = task == TASK_REGRESSION ? target : NULL,
                                                 .label = task == TASK_REGRESSION ? NULL : label,
                                                 .graph_start = graph_start,
                                                 .n_edges = n_edges,
                                                 .edge_source = from,
                                                 .edge_target = to,
                                                 .edge_weight = weight,
                                                 .ids = ids,
                                                 .class_names = classes},
                                 &err),
                     0);
    assert_int_equal(graph_build(&set->adjacency, &set->data, &file, &err), 0);
    assert_int_equal(toy_make_inputs(&set->inputs, &set->data, &set->adjacency,
                                     &(struct gcn_inputs_spec){.drops_inputs = true}, &err),
                     0);
    set->split.val = set->split.train + 3 * n / 5;
    set->split.test = set->split.train + n;
    for (int32_t i = 0; i < n; i++) /* n is a multiple of 5 */
        if (i % 5 < 3)
            set->split.train[set->split.n_train++] = i;
        else
            set->split.val[set->split.n_val++] = i;
    free(graph_start);
    free(from);
    free(to);
    free(weight);
    free(x);
    free(target);
    free(label);
    free(ids);
    free(names);
}

static void set_release(struct set *set)
{
    gcn_inputs_release(&set->inputs);
    csr_release(&set->adjacency);
    dataset_release(&set->data);
    free(set->split.train);
}

static struct gcn_spec make_spec(enum pool pool)
{
    return (struct gcn_spec){.layers = 3,
                             .hidden_size = 16,
                             .pool = pool,
                             .epochs = 8,
                             .learning_rate = 0.01,
                             .choose_epoch = CHOOSE_OBJECTIVE,
                             .objective = METRIC_ACCURACY,
                             .maximize = true};
}

static void test_adjacency_in_blocks(void **state)
{
    struct set set;

    (void)state;
    set_init(&set, 30, TASK_CLASSIFICATION);
    assert_true(has_sound_rows(&set.adjacency));
    assert_int_equal(csr_nnz(&set.adjacency), 2 * set.data.n_edges);
    for (int32_t g = 0; g < 30; g++)
        for (int64_t i = set.data.graph_start[g]; i < set.data.graph_start[g + 1]; i++)
            for (int64_t e = set.adjacency.row_start[i]; e < set.adjacency.row_start[i + 1]; e++) {
                int64_t j = set.adjacency.col[e], later = i > j ? i : j;

                assert_true(i - j == 1 || j - i == 1);
                assert_true(later < set.data.graph_start[g + 1]);
                assert_true(set.adjacency.val[e] ==
                            0.5f + (float)((later - set.data.graph_start[g]) % 3));
            }
    set_release(&set);
}

static void test_joining_is_refused(void **state)
{
    struct csr adjacency;
    struct err err;
    struct set set;

    (void)state;
    set_init(&set, 10, TASK_CLASSIFICATION);
    assert_int_equal(
        graph_build(&adjacency, &set.data, &(struct graph_spec){.build = GRAPH_KNN, .k = 2}, &err),
        -1);
    assert_non_null(strstr(err.text, "must be file or none"));
    set_release(&set);
}

/* Rows of the listed graphs come in list order. A second build keeps nothing of the first. */
static void test_field(void **state)
{
    static const int32_t first[] = {1, 2, 3, 4, 5}, second[] = {11, 3, 7};
    struct arena arena = {0};
    struct receptive_field field;
    struct set set;

    (void)state;
    set_init(&set, 30, TASK_CLASSIFICATION);
    assert_int_equal(receptive_field_init_graphs(&field, &set.data, 20, 2, &arena, NULL), 0);
    receptive_field_build_graphs(&field, &set.inputs.a_hat, first, 5);
    receptive_field_build_graphs(&field, &set.inputs.a_hat, second, 3);
    assert_ptr_equal(receptive_field_samples_span(&field, 0).rows, second);
    for (int32_t l = 0; l <= 2; l++) {
        const int32_t *rows = receptive_field_rows(&field, l),
                      *pos = receptive_field_pos(&field, l);
        int64_t entries = 0;
        int32_t at = 0;

        for (int32_t g = 0; g < 3; g++) {
            assert_int_equal(field.start[g], at);
            for (int32_t i = 0; i < graph_size(second[g]); i++, at++) {
                assert_int_equal(rows[at], set.data.graph_start[second[g]] + i);
                assert_int_equal(pos[rows[at]], at);
            }
            entries += 3 * graph_size(second[g]) - 2;
        }
        assert_int_equal(field.start[3], at);
        assert_int_equal(field.level[l].n, at);
        assert_int_equal(field.level[l].entries, entries);
    }
    arena_release(&arena);
    set_release(&set);
}

static void test_scored_in_pieces(void **state)
{
    struct set set;

    (void)state;
    set_init(&set, 60, TASK_CLASSIFICATION);
    for (int pool = POOL_MEAN; pool <= POOL_MAX; pool++) {
        struct gcn_spec spec = make_spec((enum pool)pool);
        struct arena arena = {0};
        struct trainer trainer;
        struct mat logits;
        float whole[120];

        spec.batch_size = 4;
        assert_int_equal(toy_trainer_init(&trainer, &spec, &set.inputs, &set.split, key, &arena),
                         0);
        logits = trainer_watched_logits(&trainer);
        assert_int_equal(logits.n_rows, set.split.n_val);
        memcpy(whole, logits.v, (size_t)mat_size(&logits) * sizeof *whole);
        trainer.capacity = 6;
        logits = trainer_watched_logits(&trainer);
        for (int64_t i = 0; i < mat_size(&logits); i++)
            assert_true(fabsf(logits.v[i] - whole[i]) < 1e-5f);
        arena_release(&arena);
    }
    set_release(&set);
}

/* Sums in another order. */
static void check_pieces(const struct set *set, const struct gcn_spec *spec, const int32_t *graphs)
{
    struct arena arena = {0};
    struct trainer trainer;
    float *whole;
    double loss;

    assert_int_equal(toy_trainer_init(&trainer, spec, &set->inputs, &set->split, key, &arena), 0);
    assert_null(trainer.piece);
    loss = trainer_gradient(&trainer, graphs, 20);
    whole = arena_take(&arena, (size_t)trainer.model.n_weights, sizeof *whole);
    memcpy(whole, trainer.model.gradient, (size_t)trainer.model.n_weights * sizeof *whole);
    memset(trainer.model.gradient, 0x7f, (size_t)trainer.model.n_weights * sizeof *whole);
    trainer.capacity = 9;
    trainer.piece = arena_take(&arena, (size_t)trainer.model.n_weights, sizeof(float));
    assert_true(fabs(trainer_gradient(&trainer, graphs, 20) - loss) < 1e-6 * loss);
    for (int64_t i = 0; i < trainer.model.n_trained; i++)
        if (fabsf(trainer.model.gradient[i] - whole[i]) > 1e-6f)
            fail_msg("weight %ld: %g, whole %g", (long)i, (double)trainer.model.gradient[i],
                     (double)whole[i]);
    arena_release(&arena);
}

static void test_pieces(void **state)
{
    struct set set;

    (void)state;
    set_init(&set, 60, TASK_CLASSIFICATION);
    for (int variant = 0; variant < 12; variant++) {
        struct gcn_spec spec = make_spec((enum pool)(POOL_MEAN + variant % 3));
        bool is_full = variant % 4 == 3;

        spec.batch_size = is_full ? 0 : 20;
        spec.dropout = 0.3;
        spec.input_dropout = variant % 2 ? 0.2 : 0;
        spec.residual = variant / 6;
        spec.activation = (enum activation)(variant % 4);
        spec.class_weights = variant / 3 % 2 ? CLASSES_BALANCED : CLASSES_ALIKE;
        check_pieces(&set, &spec, set.split.train + 3);
    }
    set_release(&set);
}

/* Pieces have room for the largest graph; a batch stays whole for batch normalisation, and if workers
 * divide it. */
static void test_capacity_of_pieces(void **state)
{
    struct gcn_spec spec = make_spec(POOL_MEAN);
    struct set set;
    int32_t rows;

    (void)state;
    set_init(&set, 5000, TASK_CLASSIFICATION);
    spec.hidden_size = 128;
    rows = trainer_capacity(&spec, &set.data, 4000, true);
    assert_in_range(rows, 256, 1000);
    assert_int_equal(trainer_capacity(&spec, &set.data, 64, false), rows);
    spec.workers = 2;
    assert_int_equal(trainer_capacity(&spec, &set.data, 64, false), rows);
    assert_int_equal(trainer_capacity(&spec, &set.data, 4000, true),
                     receptive_field_largest(&set.data, 4000));
    spec.workers = 1;
    spec.batch_norm = true;
    assert_int_equal(trainer_capacity(&spec, &set.data, 4000, false),
                     receptive_field_largest(&set.data, 4000));
    spec.batch_norm = false;
    spec.hidden_size = 4096;
    assert_int_equal(trainer_capacity(&spec, &set.data, 4000, true), 256);
    set_release(&set);
    set_init(&set, 10, TASK_CLASSIFICATION);
    assert_int_equal(trainer_capacity(&spec, &set.data, 2, false), set.data.n_nodes);
    set_release(&set);
}

static void train(struct gcn_outcome *outcome, const struct set *set, const struct gcn_spec *spec,
                  struct arena *arena, const struct gcn_observer *observer)
{
    toy_train(outcome, spec, &set->inputs, &set->split, key, observer, arena);
}

struct stop {
    struct buf state;
    int32_t after;
};

static bool save_and_stop(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run)
{
    struct stop *stop = arg;

    if (so_far->epochs_run < stop->after)
        return true;
    gcn_save(&stop->state, run);
    return false;
}

static void test_break(void **state)
{
    struct set set;

    (void)state;
    set_init(&set, 60, TASK_REGRESSION);
    for (int pool = POOL_MEAN; pool <= POOL_MAX; pool++) {
        struct gcn_epoch straight_curve[8], broken_curve[8];
        struct gcn_outcome straight = {.curve = straight_curve}, broken = {.curve = broken_curve};
        struct gcn_spec spec = make_spec((enum pool)pool);
        struct stop stop = {.after = 3};
        struct gcn_observer stops = {.epoch_done = save_and_stop, .arg = &stop}, goes_on = stops;
        struct arena arena = {0};

        spec.objective = METRIC_PEARSON;
        spec.batch_size = 7;
        spec.dropout = 0.3;
        spec.batch_norm = true;
        train(&straight, &set, &spec, &arena, NULL);
        train(&broken, &set, &spec, &arena, &stops);
        assert_int_equal(broken.status, GCN_STOPPED);
        stop.after = 99;
        goes_on.state = stop.state.data;
        goes_on.state_bytes = stop.state.size;
        train(&broken, &set, &spec, &arena, &goes_on);
        assert_int_equal(broken.resumed_epoch, 3);
        for (int e = 0; e < 8; e++) {
            assert_memory_equal(&straight.curve[e].train_loss, &broken.curve[e].train_loss,
                                sizeof(double));
            assert_memory_equal(&straight.curve[e].val_value, &broken.curve[e].val_value,
                                sizeof(double));
        }
        assert_memory_equal(straight.metrics, broken.metrics, sizeof broken.metrics);
        buf_release(&stop.state);
        arena_release(&arena);
    }
    set_release(&set);
}

static void test_cost(void **state)
{
    struct set set;

    (void)state;
    set_init(&set, 90, TASK_CLASSIFICATION);
    for (int variant = 0; variant < 12; variant++) {
        struct gcn_epoch curve[8];
        struct gcn_outcome outcome = {.curve = curve};
        struct gcn_spec spec = make_spec((enum pool)(POOL_MEAN + variant % 3));
        struct arena arena = {0};
        struct gcn_outline outline;
        double estimate;

        spec.layers = 1 + variant % 3;
        spec.batch_size = variant / 3 % 2 ? 7 : 0;
        spec.input_dropout = variant / 6 ? 0.2 : 0;
        train(&outcome, &set, &spec, &arena, NULL);
        outline = gcn_outline_of(&set.inputs);
        estimate = gcn_cost(&spec, &outline, &set.split).flops;
        if (!(estimate / outcome.flops > 1 / 1.4 && estimate / outcome.flops < 1.4))
            fail_msg("variant %d: %g of %g flops", variant, estimate, outcome.flops);
        arena_release(&arena);
    }
    set_release(&set);
}

/* Memory is less than one activation of all nodes. */
static void test_memory_is_of_a_batch(void **state)
{
    struct gcn_spec spec = make_spec(POOL_MEAN);
    struct arena arena = {0};
    struct trainer trainer;
    struct set set;

    (void)state;
    set_init(&set, 30000, TASK_CLASSIFICATION);
    spec.hidden_size = 64;
    spec.batch_size = 8;
    assert_int_equal(toy_trainer_init(&trainer, &spec, &set.inputs, &set.split, key, &arena), 0);
    assert_true(trainer.capacity < set.data.n_nodes / 20);
    trainer_step(&trainer, set.split.train, 8);
    trainer_watched_logits(&trainer);
    assert_true(arena.peak_bytes < (size_t)set.data.n_nodes * 64 * sizeof(float));
    arena_release(&arena);
    set_release(&set);
}

/* The forecast is what the training takes, if all rows are written. */
static void test_forecast_is_what_is_taken(void **state)
{
    struct gcn_epoch curve[1];
    struct gcn_outcome outcome = {.curve = curve};
    struct gcn_outline outline;
    struct set set;

    (void)state;
    for (int variant = 0; variant < 6; variant++) {
        struct gcn_spec spec = make_spec(variant == 1 ? POOL_MAX : POOL_MEAN);
        struct arena arena = {0};

        set_init(&set, 300, variant == 2 ? TASK_REGRESSION : TASK_CLASSIFICATION);
        outline = gcn_outline_of(&set.inputs);
        spec.epochs = 1;
        spec.layers = 3;
        spec.hidden_size = 128;
        if (variant == 2)
            spec.objective = METRIC_R2;
        spec.optimizer = variant == 3 ? OPTIMIZER_SGD : OPTIMIZER_ADAM;
        spec.class_weights = variant == 4 ? CLASSES_BALANCED : CLASSES_ALIKE;
        spec.workers = variant == 5 ? 3 : 1;
        spec.batch_size = variant == 5 ? 20 : 0;
        train(&outcome, &set, &spec, &arena, NULL);
        assert_int_equal(gcn_train_bytes(&spec, &outline, &set.split, 1), arena.peak_bytes);
        arena_release(&arena);
        set_release(&set);
    }
}

static int descending(const void *a_, const void *b_)
{
    const int32_t *a = a_, *b = b_;

    return (*a < *b) - (*a > *b);
}

/* The twin sorts the sizes. */
static void test_capacity(void **state)
{
    enum { N = 3000 };
    int32_t sizes[N];
    int64_t sum = 0;
    struct set set;

    (void)state;
    set_init(&set, N, TASK_CLASSIFICATION);
    for (int32_t g = 0; g < N; g++)
        sizes[g] = graph_size(g);
    qsort(sizes, N, sizeof *sizes, descending);
    for (int32_t n = 1; n <= N; n++) {
        sum += sizes[n - 1];
        assert_int_equal(receptive_field_largest(&set.data, n), sum);
    }
    set_release(&set);
    set_init(&set, 10, TASK_CLASSIFICATION);
    assert_int_equal(receptive_field_largest(&set.data, 11), set.data.n_nodes);
    set_release(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_max_keeps_what_is_no_number),
        cmocka_unit_test(test_adjacency_in_blocks),
        cmocka_unit_test(test_joining_is_refused),
        cmocka_unit_test(test_field),
        cmocka_unit_test(test_scored_in_pieces),
        cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_capacity_of_pieces),
        cmocka_unit_test(test_break),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_memory_is_of_a_batch),
        cmocka_unit_test(test_forecast_is_what_is_taken),
        cmocka_unit_test(test_capacity),
    };

    return cmocka_run_group_tests_name("pool", tests, NULL, NULL);
}
