/* SPDX-License-Identifier: BSD-3-Clause */
/* Training with several workers. tests/unit/golden.c compares it with PyTorch. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gcn/cost.h"
#include "toy.h"

enum { EPOCHS = 4, MOST_WEIGHTS = 1024, MOST_RANKS = 5, MOST_TAKEN = 8 };

static const struct hash key = {.high = 7, .low = 8};

/* ---- a crew whose ranks are threads ---- */

struct meeting {
    pthread_barrier_t barrier;
    int32_t n_ranks, n_workers;
    float *taken[MOST_TAKEN];
    int32_t n_taken;
    double few[16 * 8];
    bool wants[MOST_RANKS];
    struct hash hash[MOST_RANKS];
};

struct member {
    struct crew crew;
    struct meeting *meeting;
    int32_t rank;
    int32_t n_calls, fails_at; /* 0: never */
};

/* True if the call may go on. */
static bool meet(struct crew *crew)
{
    struct member *member = crew->self;

    crew->has_failed |= ++member->n_calls == member->fails_at;
    if (!crew->has_failed)
        pthread_barrier_wait(&member->meeting->barrier);
    return !crew->has_failed;
}

static void leave(struct crew *crew)
{
    pthread_barrier_wait(&((struct member *)crew->self)->meeting->barrier);
}

static float *member_take(struct crew *crew, size_t count)
{
    struct member *member = crew->self;
    struct meeting *meeting = member->meeting;
    float *taken;

    pthread_barrier_wait(&meeting->barrier);
    if (member->rank == 0)
        meeting->taken[meeting->n_taken++] = calloc(count, sizeof *taken);
    pthread_barrier_wait(&meeting->barrier);
    return meeting->taken[meeting->n_taken - 1];
}

static float *member_take_parts(struct crew *crew, size_t count, struct err *err)
{
    (void)err;
    return member_take(crew, (size_t)crew->n_workers * count);
}

static float *member_take_common(struct crew *crew, size_t count, struct err *err)
{
    (void)err;
    return member_take(crew, count);
}

static void member_sum(struct crew *crew, float *total, const float *parts, size_t count,
                       size_t begin, size_t end)
{
    if (!meet(crew))
        return;
    crew_tree_sum(total + begin, parts + begin, count, crew->n_workers, end - begin);
    leave(crew);
}

static void member_sum_few(struct crew *crew, double *total, const double *parts, size_t count)
{
    struct meeting *meeting = ((struct member *)crew->self)->meeting;

    memcpy(meeting->few + (size_t)crew->first * count, parts,
           (size_t)crew->n * count * sizeof *parts);
    if (!meet(crew))
        return;
    crew_tree_sum_doubles(total, meeting->few, count, crew->n_workers, count);
    leave(crew);
}

static void member_share(struct crew *crew, float *common, const size_t *bounds)
{
    (void)common;
    for (int32_t w = 0; w < crew->n_workers; w++)
        assert_true(bounds[w] <= bounds[w + 1]);
    meet(crew);
}

static bool member_agree(struct crew *crew, bool wants, struct hash hash)
{
    const struct member *member = crew->self;
    struct meeting *meeting = member->meeting;
    bool some = false;

    meeting->wants[member->rank] = wants;
    meeting->hash[member->rank] = hash;
    if (!meet(crew))
        return false;
    for (int32_t r = 0; r < meeting->n_ranks; r++) {
        some |= meeting->wants[r];
        crew->has_failed |= !hash_equal(meeting->hash[r], hash);
    }
    leave(crew);
    return some;
}

static void member_init(struct member *member, struct meeting *meeting, int32_t rank,
                        int32_t fails_at)
{
    static const struct crew_calls calls = {
        .take_parts = member_take_parts,
        .take_common = member_take_common,
        .sum = member_sum,
        .sum_few = member_sum_few,
        .share = member_share,
        .agree = member_agree,
    };
    int32_t first = rank * meeting->n_workers / meeting->n_ranks;
    int32_t end = (rank + 1) * meeting->n_workers / meeting->n_ranks;

    *member = (struct member){
        .crew = {.n_workers = meeting->n_workers,
                 .first = first,
                 .n = end - first,
                 .calls = &calls},
        .meeting = meeting,
        .rank = rank,
        .fails_at = fails_at,
    };
    member->crew.self = member;
}

/* ---- trainings ---- */

struct trained {
    struct gcn_outcome outcome;
    struct gcn_epoch curve[EPOCHS];
    float weights[MOST_WEIGHTS];
};

struct observed {
    int32_t stop_at; /* 0: never */
    struct buf saved;
};

struct run {
    struct trained *out;
    const struct toy *toy;
    const struct gcn_spec *spec;
    struct observed observed;
    const struct buf *from; /* checkpoint, or NULL */
    struct hash key;
    struct member *member; /* NULL: alone */
};

static bool epoch_done(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run)
{
    struct observed *observed = arg;

    if (so_far->epochs_run != observed->stop_at)
        return true;
    buf_clear(&observed->saved);
    gcn_save(&observed->saved, run);
    return false;
}

static void *run_rank(void *run_)
{
    struct run *run = run_;
    struct trained *out = run->out;
    struct gcn_observer observer = {.epoch_done = epoch_done,
                                    .arg = &run->observed,
                                    .state = run->from ? run->from->data : NULL,
                                    .state_bytes = run->from ? run->from->size : 0};
    struct arena scratch = {0};

    memset(out, 0, sizeof *out);
    out->outcome.curve = out->curve;
    assert_int_equal(
        gcn_train(&out->outcome,
                  &(struct gcn_training){.spec = run->spec,
                                         .inputs = &run->toy->inputs,
                                         .split = &run->toy->split,
                                         .key = run->key,
                                         .threads = 1,
                                         .scratch = &scratch,
                                         .clock = &clock_system,
                                         .observer = &observer,
                                         .crew = run->member ? &run->member->crew : NULL},
                  NULL),
        0);
    assert_in_range(out->outcome.n_weights, 0, MOST_WEIGHTS);
    if (out->outcome.weights)
        memcpy(out->weights, out->outcome.weights,
               (size_t)out->outcome.n_weights * sizeof *out->weights);
    arena_release(&scratch);
    return NULL;
}

static void train(struct trained *out, const struct toy *toy, const struct gcn_spec *spec)
{
    struct run run = {.out = out, .toy = toy, .spec = spec, .key = key};

    run_rank(&run);
}

/* stop_at, key_of: of the last rank. Returns the calls of rank 0. */
static int32_t train_ranks(struct trained *out, const struct toy *toy, const struct gcn_spec *spec,
                           int32_t n_ranks, int32_t fails_at, int32_t stop_at, struct hash key_of)
{
    struct meeting meeting = {.n_ranks = n_ranks, .n_workers = spec->workers};
    struct member member[MOST_RANKS];
    struct run run[MOST_RANKS];
    pthread_t thread[MOST_RANKS];

    assert_int_equal(pthread_barrier_init(&meeting.barrier, NULL, (unsigned)n_ranks), 0);
    for (int32_t r = 0; r < n_ranks; r++) {
        member_init(&member[r], &meeting, r, fails_at);
        run[r] = (struct run){
            .out = &out[r], .toy = toy, .spec = spec, .key = key, .member = &member[r]};
    }
    run[n_ranks - 1].key = key_of;
    run[n_ranks - 1].observed.stop_at = stop_at;
    for (int32_t r = 0; r < n_ranks; r++)
        assert_int_equal(pthread_create(&thread[r], NULL, run_rank, &run[r]), 0);
    for (int32_t r = 0; r < n_ranks; r++) {
        pthread_join(thread[r], NULL);
        buf_release(&run[r].observed.saved);
    }
    for (int32_t i = 0; i < meeting.n_taken; i++)
        free(meeting.taken[i]);
    pthread_barrier_destroy(&meeting.barrier);
    return member[0].n_calls;
}

#define SAME(a, b, field) assert_memory_equal(&(a)->field, &(b)->field, sizeof(a)->field)

static void check_same(const struct trained *a, const struct trained *b)
{
    assert_int_equal(a->outcome.status, b->outcome.status);
    assert_int_equal(a->outcome.epochs_run, b->outcome.epochs_run);
    assert_int_equal(a->outcome.best_epoch, b->outcome.best_epoch);
    assert_string_equal(a->outcome.reason, b->outcome.reason);
    assert_true(a->outcome.flops == b->outcome.flops);
    SAME(a, b, outcome.value);
    SAME(a, b, outcome.metrics);
    SAME(a, b, outcome.losses);
    SAME(a, b, weights);
    for (int32_t e = 0; e < a->outcome.epochs_run; e++) {
        SAME(a, b, curve[e].train_loss);
        SAME(a, b, curve[e].val_loss);
        SAME(a, b, curve[e].val_value);
    }
}

/* ---- samples that are graphs: of one node and of three in turn ---- */

enum { GRAPHS = TOY_SAMPLES / 2 };

static void graphs_init(struct toy *toy, enum task task)
{
    static const struct gcn_inputs_spec inputs = {.drops_inputs = true};
    static int64_t start[GRAPHS + 1];
    struct triplet t[2 * TOY_SAMPLES];
    struct csr adjacency;
    int64_t n = 0;

    toy_init(toy, task, false);
    gcn_inputs_release(&toy->inputs);
    toy->data.n_samples = GRAPHS;
    toy->data.graph_start = start;
    for (int32_t g = 0; g < GRAPHS; g++) {
        start[g + 1] = start[g] + 1 + 2 * (g % 2);
        for (int32_t i = (int32_t)start[g] + 1; i < start[g + 1]; i++) {
            t[n++] = (struct triplet){i, i - 1, 1};
            t[n++] = (struct triplet){i - 1, i, 1};
        }
    }
    assert_int_equal(csr_from_triplets(&adjacency, TOY_SAMPLES, TOY_SAMPLES, t, n, NULL), 0);
    assert_int_equal(gcn_inputs_init(&toy->inputs, &toy->data, &adjacency, &inputs, NULL), 0);
    csr_release(&adjacency);
    toy->split.n_train = 12;
    toy->split.n_val = toy->split.n_test = 4;
    for (int32_t i = 0; i < 12; i++)
        toy->split.train[i] = i;
    for (int32_t i = 0; i < 4; i++) {
        toy->split.val[i] = 12 + i;
        toy->split.test[i] = 16 + i;
    }
}

/* ---- dealing ---- */

static void check_deal(int32_t n, int32_t n_workers, int32_t batch_size)
{
    int32_t order[32] = {0}, dealt[32], steps[32] = {0};
    struct deal deal = {n, n_workers, batch_size, dealt};
    int32_t total = 0;

    for (int32_t i = 0; i < n; i++)
        order[i] = 100 + i * 7 % n;
    deal_samples(&deal, order);
    for (int32_t w = 0; w < n_workers; w++)
        for (int32_t s = 0; s < deal_steps(&deal); s++) {
            int32_t n_batch;
            const int32_t *samples = deal_batch(&n_batch, &deal, w, s);

            assert_in_range(n_batch, s + 1 < deal_steps(&deal) ? batch_size : 0, batch_size);
            for (int32_t i = 0; i < n_batch; i++)
                assert_int_equal(samples[i], order[w + n_workers * (s * batch_size + i)]);
            total += n_batch;
            steps[s] += n_batch;
        }
    assert_int_equal(total, n);
    for (int32_t s = 0; s < deal_steps(&deal); s++)
        assert_true(steps[s] > 0);
}

static void test_deal(void **state)
{
    (void)state;
    for (int32_t n = 1; n <= 17; n++)
        for (int32_t n_workers = 1; n_workers <= 5 && n_workers <= n; n_workers++)
            for (int32_t batch_size = 1; batch_size <= 5; batch_size++)
                if (n >= n_workers * batch_size || n % n_workers == 0)
                    check_deal(n, n_workers, batch_size);
}

/* ---- steps ---- */

static struct gcn_spec make_spec(enum task task, int32_t workers)
{
    struct gcn_spec spec = toy_spec(task);

    spec.epochs = EPOCHS;
    spec.momentum = 0.9;
    spec.weight_decay = 1e-3;
    spec.batch_size = 3;
    spec.workers = workers;
    return spec;
}

/* The samples of a step as one batch. */
static int32_t gather(int32_t *out, const struct deal *deal, int32_t step)
{
    int32_t n = 0;

    for (int32_t w = 0; w < deal->n_workers; w++) {
        int32_t n_batch;
        const int32_t *samples = deal_batch(&n_batch, deal, w, step);

        for (int32_t i = 0; i < n_batch; i++)
            out[n++] = samples[i];
    }
    return n;
}

/* With 13 samples and batches of 4, two of three workers have none in the second step. */
static void check_steps(const struct toy *toy, struct gcn_spec spec, int32_t n)
{
    int32_t dealt[TOY_SAMPLES], batch[TOY_SAMPLES];
    struct deal deal = {n, spec.workers, spec.batch_size, dealt};
    struct arena arena = {0};
    struct trainer crew, one;

    assert_int_equal(toy_trainer_init(&crew, &spec, &toy->inputs, &toy->split, key, &arena), 0);
    spec.workers = 1;
    assert_int_equal(toy_trainer_init(&one, &spec, &toy->inputs, &toy->split, key, &arena), 0);
    deal_samples(&deal, toy->split.train);
    for (int32_t s = 0; s < deal_steps(&deal); s++) {
        int32_t n_batch = gather(batch, &deal, s);
        double loss, together, length = 0, apart = 0;

        trainer_set_weights(&one, crew.model.weights);
        loss = trainer_gradient(&one, batch, n_batch);
        together = trainer_crew_step(&crew, &deal, s);
        assert_true(fabs(loss - together) < 1e-5 * loss);
        for (int64_t i = 0; i < one.model.n_trained; i++) {
            double a = (double)one.model.gradient[i], b = (double)crew.model.gradient[i];

            length += a * a;
            apart += (a - b) * (a - b);
        }
        assert_true(length > 0 && sqrt(apart / length) < 1e-5);
    }
    arena_release(&arena);
}

static void test_sum_is_the_gradient_of_all(void **state)
{
    struct toy toy;

    (void)state;
    for (int task = TASK_REGRESSION; task <= TASK_CLASSIFICATION; task++) {
        struct gcn_spec spec = make_spec((enum task)task, 3);

        spec.batch_size = 4;
        spec.class_weights = CLASSES_BALANCED;
        toy_init(&toy, (enum task)task, false);
        check_steps(&toy, spec, 20);
        check_steps(&toy, spec, 13);
        toy_release(&toy);
        graphs_init(&toy, (enum task)task);
        spec.pool = POOL_MEAN;
        check_steps(&toy, spec, 12);
        toy_release(&toy);
    }
}

/* Worker 0's batch alone moves the running statistics. */
static void test_running_statistics(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION, 3);
    int32_t dealt[TOY_SAMPLES], n;
    struct deal deal = {20, 3, 3, dealt};
    const float *stats;
    struct arena arena = {0};
    struct trainer crew, one;
    struct toy toy;

    (void)state;
    spec.batch_norm = true;
    toy_init(&toy, TASK_REGRESSION, false);
    assert_int_equal(toy_trainer_init(&crew, &spec, &toy.inputs, &toy.split, key, &arena), 0);
    spec.workers = 1;
    assert_int_equal(toy_trainer_init(&one, &spec, &toy.inputs, &toy.split, key, &arena), 0);
    deal_samples(&deal, toy.split.train);
    for (int32_t s = 0; s < deal_steps(&deal); s++) {
        const int32_t *samples = deal_batch(&n, &deal, 0, s);

        trainer_set_weights(&one, crew.model.weights);
        trainer_gradient(&one, samples, n);
        trainer_crew_step(&crew, &deal, s);
        stats = one.model.weights + one.model.n_trained;
        assert_true(one.model.n_trained < one.model.n_weights);
        assert_memory_equal(crew.model.weights + one.model.n_trained, stats,
                            (size_t)(one.model.n_weights - one.model.n_trained) * sizeof *stats);
    }
    arena_release(&arena);
    toy_release(&toy);
}

/* Worker w's dropout in step s is that of step s W + w of a training without workers. */
static void test_dropout(void **state)
{
    struct gcn_spec spec = make_spec(TASK_CLASSIFICATION, 3);
    int32_t dealt[TOY_SAMPLES], n;
    struct deal deal = {18, 3, 3, dealt};
    struct arena arena = {0};
    struct trainer crew, one;
    struct toy toy;

    (void)state;
    spec.dropout = 0.5;
    spec.input_dropout = 0.2;
    toy_init(&toy, TASK_CLASSIFICATION, false);
    assert_int_equal(toy_trainer_init(&crew, &spec, &toy.inputs, &toy.split, key, &arena), 0);
    spec.workers = 1;
    assert_int_equal(toy_trainer_init(&one, &spec, &toy.inputs, &toy.split, key, &arena), 0);
    deal_samples(&deal, toy.split.train);
    for (int32_t s = 0; s < deal_steps(&deal); s++) {
        trainer_set_weights(&one, crew.model.weights);
        trainer_crew_step(&crew, &deal, s);
        for (int32_t w = 0; w < 3; w++) {
            const int32_t *samples = deal_batch(&n, &deal, w, s);

            one.n_steps = (uint32_t)(3 * s + w);
            trainer_gradient(&one, samples, n);
            for (int64_t i = 0; i < one.model.n_trained; i++)
                assert_true(fabsf(one.model.gradient[i] / 3 -
                                  crew.parts[w * one.model.n_weights + i]) < 1e-6f);
        }
    }
    arena_release(&arena);
    toy_release(&toy);
}

/* Blocks of samples in any order have the scores that one worker computes. */
static void check_scores(const struct toy *toy, struct gcn_spec spec, int32_t n)
{
    int32_t samples[TOY_SAMPLES];
    const int32_t *crew_rows, *rows;
    struct arena arena = {0};
    struct trainer crew, one;
    struct mat z, want;

    for (int32_t i = 0; i < n; i++)
        samples[i] = i * 7 % toy->data.n_samples;
    assert_int_equal(toy_trainer_init(&crew, &spec, &toy->inputs, &toy->split, key, &arena), 0);
    spec.workers = 1;
    assert_int_equal(toy_trainer_init(&one, &spec, &toy->inputs, &toy->split, key, &arena), 0);
    z = trainer_logits_of(&crew, samples, n, &crew_rows);
    want = trainer_logits_of(&one, samples, n, &rows);
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < z.n_cols; j++)
            assert_true(fabsf(mat_row(&z, crew_rows[samples[i]])[j] -
                              mat_row(&want, rows[samples[i]])[j]) < 1e-5f);
    z = trainer_watched_logits(&crew);
    want = trainer_watched_logits(&one);
    for (int64_t i = 0; i < mat_size(&want); i++)
        assert_true(fabsf(z.v[i] - want.v[i]) < 1e-5f);
    arena_release(&arena);
}

static void test_scores(void **state)
{
    struct gcn_spec spec = make_spec(TASK_CLASSIFICATION, 3);
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_CLASSIFICATION, false);
    for (int32_t n = 1; n <= 16; n += 5)
        check_scores(&toy, spec, n);
    toy_release(&toy);
    graphs_init(&toy, TASK_CLASSIFICATION);
    spec.pool = POOL_SUM;
    for (int32_t n = 1; n <= 16; n += 5)
        check_scores(&toy, spec, n);
    toy_release(&toy);
}

/* ---- whole trainings ---- */

static bool is_finite(const struct trained *t)
{
    for (int32_t e = 0; e < EPOCHS; e++)
        if (!isfinite(t->curve[e].train_loss) || !isfinite(t->curve[e].val_loss))
            return false;
    return t->outcome.status == GCN_DONE && t->outcome.epochs_run == EPOCHS && t->outcome.flops > 0;
}

static void check_breaks(const struct trained *whole, const struct toy *toy,
                         const struct gcn_spec *spec)
{
    struct trained part;
    struct run run = {.out = &part, .toy = toy, .spec = spec, .key = key};
    struct buf saved = {0};
    struct gcn_spec other = *spec;

    for (int32_t at = 1; at <= EPOCHS; at++) {
        run.observed.stop_at = at;
        run.from = NULL;
        run_rank(&run);
        assert_int_equal(part.outcome.status, GCN_STOPPED);
        buf_clear(&saved);
        buf_add(&saved, run.observed.saved.data, run.observed.saved.size);
        run.observed.stop_at = 0;
        run.from = &saved;
        run_rank(&run);
        assert_int_equal(part.outcome.resumed_epoch, at);
        check_same(whole, &part);
    }
    other.workers = spec->workers - 1;
    run.spec = &other;
    run_rank(&run);
    assert_int_equal(part.outcome.resumed_epoch, 0);
    buf_release(&saved);
    buf_release(&run.observed.saved);
}

static void check_training(const struct toy *toy, const struct gcn_spec *spec)
{
    struct trained whole, again, out[MOST_RANKS];

    train(&whole, toy, spec);
    assert_true(is_finite(&whole));
    train(&again, toy, spec);
    check_same(&whole, &again);
    check_breaks(&whole, toy, spec);
    for (int32_t n_ranks = 2; n_ranks <= spec->workers && n_ranks <= MOST_RANKS; n_ranks++) {
        train_ranks(out, toy, spec, n_ranks, 0, 0, key);
        for (int32_t r = 0; r < n_ranks; r++)
            check_same(&whole, &out[r]);
    }
}

static void set_options(struct gcn_spec *spec, int options)
{
    spec->layers = 1 + options % 3;
    spec->optimizer = (enum optimizer)(options % 3);
    spec->activation = options % 2 ? ACTIVATION_RELU : ACTIVATION_GELU;
    spec->batch_norm = options / 2 % 2;
    spec->residual = options % 2;
    spec->dropout = options / 4 % 2 ? 0.4 : 0;
    spec->input_dropout = options / 2 % 2 ? 0.3 : 0;
    spec->clip_norm = options % 2 ? 0.5 : 0;
    spec->class_weights = options / 4 % 2 ? CLASSES_BALANCED : CLASSES_ALIKE;
    spec->schedule = (enum schedule)(options % 3);
    spec->step_size = 2;
    spec->step_gamma = 0.5;
    spec->lr_scaling = (enum lr_scaling)(options / 2 % 3);
}

static void test_all_options_of_nodes(void **state)
{
    static const int32_t workers[] = {2, 3, 5};

    (void)state;
    for (int options = 0; options < 12; options++) {
        enum task task = options / 2 % 2 ? TASK_CLASSIFICATION : TASK_REGRESSION;
        struct gcn_spec spec = make_spec(task, workers[options % 3]);
        struct toy toy;

        toy_init(&toy, task, options / 3 % 2);
        if (options % 5 == 0)
            toy_part_stop(&toy);
        set_options(&spec, options);
        check_training(&toy, &spec);
        toy_release(&toy);
    }
}

static void test_all_options_of_graphs(void **state)
{
    static const int32_t workers[] = {5, 2, 3};

    (void)state;
    for (int options = 0; options < 9; options++) {
        enum task task = options / 2 % 2 ? TASK_CLASSIFICATION : TASK_REGRESSION;
        struct gcn_spec spec = make_spec(task, workers[options % 3]);
        struct toy toy;

        graphs_init(&toy, task);
        set_options(&spec, options);
        spec.pool = (enum pool)(POOL_MEAN + options / 3);
        check_training(&toy, &spec);
        toy_release(&toy);
    }
}

static void test_rate(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION, 4), plain;
    struct trained scaled, given;
    struct toy toy;

    (void)state;
    spec.warmup_epochs = 2;
    spec.learning_rate = 0.01;
    assert_true(fabs(optimizer_rate(&spec, 3) - 0.01) < 1e-12);
    spec.lr_scaling = LR_SCALING_SQRT;
    assert_true(fabs(optimizer_rate(&spec, 3) - 0.02) < 1e-12);
    spec.lr_scaling = LR_SCALING_LINEAR;
    assert_true(fabs(optimizer_rate(&spec, 3) - 0.04) < 1e-12);
    assert_true(fabs(optimizer_rate(&spec, 1) - 0.04 / 3) < 1e-12);
    plain = spec;
    plain.lr_scaling = LR_SCALING_NONE;
    plain.learning_rate = 0.04;
    toy_init(&toy, TASK_REGRESSION, false);
    train(&scaled, &toy, &spec);
    train(&given, &toy, &plain);
    check_same(&scaled, &given);
    toy_release(&toy);
}

static void test_divergence(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION, 3);
    struct trained out[2];
    struct toy toy;

    (void)state;
    spec.optimizer = OPTIMIZER_SGD;
    spec.learning_rate = 1e20;
    toy_init(&toy, TASK_REGRESSION, false);
    train_ranks(out, &toy, &spec, 2, 0, 0, key);
    assert_int_equal(out[0].outcome.status, GCN_DIVERGED);
    assert_non_null(strstr(out[0].outcome.reason, "train loss is "));
    assert_string_equal(out[0].outcome.reason, out[1].outcome.reason);
    toy_release(&toy);
}

/* ---- ends ---- */

static void test_failure_of_each_call(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION, 3);
    struct trained out[3];
    int32_t n_calls;
    struct toy toy;

    (void)state;
    spec.epochs = 2;
    toy_init(&toy, TASK_REGRESSION, false);
    n_calls = train_ranks(out, &toy, &spec, 3, 0, 0, key);
    assert_true(n_calls > 10);
    for (int32_t fails_at = 1; fails_at <= n_calls; fails_at++) {
        train_ranks(out, &toy, &spec, 3, fails_at, 0, key);
        for (int32_t r = 0; r < 3; r++)
            assert_int_equal(out[r].outcome.status, GCN_STOPPED);
    }
    toy_release(&toy);
}

static void test_one_rank_stops_all(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION, 4);
    struct trained out[3];
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    train_ranks(out, &toy, &spec, 3, 0, 2, key);
    for (int32_t r = 0; r < 3; r++) {
        assert_int_equal(out[r].outcome.status, GCN_STOPPED);
        assert_int_equal(out[r].outcome.epochs_run, 2);
    }
    toy_release(&toy);
}

static void test_other_state_is_noticed(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION, 2);
    struct trained out[2];
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    train_ranks(out, &toy, &spec, 2, 0, 0, hash_text("another"));
    for (int32_t r = 0; r < 2; r++) {
        assert_int_equal(out[r].outcome.status, GCN_STOPPED);
        assert_int_equal(out[r].outcome.epochs_run, 0);
    }
    toy_release(&toy);
}

static void refused(const struct toy *toy, const struct gcn_spec *spec, const char *want)
{
    struct gcn_outcome outcome = {.curve = NULL};
    struct arena arena = {0};
    struct err err;

    assert_int_equal(gcn_train(&outcome,
                               &(struct gcn_training){.spec = spec,
                                                      .inputs = &toy->inputs,
                                                      .split = &toy->split,
                                                      .key = key,
                                                      .threads = 1,
                                                      .scratch = &arena,
                                                      .clock = &clock_system},
                               &err),
                     -1);
    assert_string_equal(err.text, want);
    arena_release(&arena);
}

static void test_refused(void **state)
{
    struct gcn_spec spec = make_spec(TASK_REGRESSION, 2);
    struct toy toy;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    spec.batch_size = 0;
    refused(&toy, &spec,
            "workers = 2 needs mini-batches, but with batch_size = full a step has all 20 samples "
            "of a training part: set batch_size to at most 19, or workers = 1");
    spec.batch_size = 20;
    refused(&toy, &spec,
            "workers = 2 needs mini-batches, but with batch_size = 20 a step has all 20 samples of "
            "a training part: set batch_size to at most 19, or workers = 1");
    spec.batch_size = 1;
    spec.workers = 21;
    refused(&toy, &spec,
            "workers = 21: a training part has only 20 samples, and each worker needs one: must be "
            "at most 20");
    toy_release(&toy);
}

/* ---- costs ---- */

/* The estimates hold as without workers (gcn/cost.h). */
static void test_costs(void **state)
{
    struct toy toy;
    struct trained out;

    (void)state;
    toy_init(&toy, TASK_REGRESSION, false);
    toy_part_stop(&toy);
    for (int32_t workers = 1; workers <= 6; workers++) {
        struct gcn_spec spec = make_spec(TASK_REGRESSION, workers);
        struct gcn_outline outline = gcn_outline_of(&toy.inputs);
        struct gcn_cost cost = gcn_cost(&spec, &outline, &toy.split);
        double ratio;

        train(&out, &toy, &spec);
        ratio = cost.flops / out.outcome.flops;
        if (!(ratio > 1 / 1.4 && ratio < 1.4))
            fail_msg("%d workers: %.3g flops expected, %.3g counted", workers, cost.flops,
                     out.outcome.flops);
        assert_true(cost.steps == EPOCHS * ceil(ceil(14.0 / workers) / 3));
    }
    toy_release(&toy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deal),
        cmocka_unit_test(test_sum_is_the_gradient_of_all),
        cmocka_unit_test(test_running_statistics),
        cmocka_unit_test(test_dropout),
        cmocka_unit_test(test_scores),
        cmocka_unit_test(test_all_options_of_nodes),
        cmocka_unit_test(test_all_options_of_graphs),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_divergence),
        cmocka_unit_test(test_failure_of_each_call),
        cmocka_unit_test(test_one_rank_stops_all),
        cmocka_unit_test(test_other_state_is_noticed),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_costs),
    };

    return cmocka_run_group_tests_name("workers", tests, NULL, NULL);
}
