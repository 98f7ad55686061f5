/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranks.h"
#include "unit.h"

#include <math.h>
#include <pthread.h>

enum { EPOCHS = RANKS_EPOCHS, MOST_TAKEN = 16 };

static const struct hash key = {.high = 7, .low = 8};

struct hash ranks_key(void)
{
    return key;
}

/* ---- a crew whose ranks are threads ---- */

struct meeting {
    pthread_barrier_t barrier;
    int32_t n_ranks, n_workers;
    bool has_hosts; /* each rank is on a host of its own: common memory has as many copies */
    float *taken[MOST_TAKEN];
    size_t count[MOST_TAKEN]; /* of a copy; 0: there is only one */
    int32_t n_taken;
    double few[1024];
    bool wants[RANKS_MOST];
    struct hash hash[RANKS_MOST];
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

static float *member_take(struct crew *crew, size_t count, bool is_copied)
{
    struct member *member = crew->self;
    struct meeting *meeting = member->meeting;
    size_t copies = is_copied ? (size_t)meeting->n_ranks : 1;
    float *taken;

    pthread_barrier_wait(&meeting->barrier);
    if (member->rank == 0) {
        assert_in_range(meeting->n_taken, 0, MOST_TAKEN - 1);
        meeting->count[meeting->n_taken] = is_copied ? count : 0;
        meeting->taken[meeting->n_taken++] = calloc(copies * count + 1, sizeof *taken);
    }
    pthread_barrier_wait(&meeting->barrier);
    taken = meeting->taken[meeting->n_taken - 1];
    return is_copied ? taken + (size_t)member->rank * count : taken;
}

static float *member_take_parts(struct crew *crew, size_t count, struct err *err)
{
    (void)err;
    return member_take(crew, (size_t)crew->n_workers * count, false);
}

static float *member_take_common(struct crew *crew, size_t count, struct err *err)
{
    (void)err;
    return member_take(crew, count, ((struct member *)crew->self)->meeting->has_hosts);
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

/* The copy of a rank that runs worker w. */
static const float *copy_of(const struct crew *crew, const float *common, int32_t w)
{
    const struct member *member = crew->self;
    const struct meeting *meeting = member->meeting;
    int32_t rank = 0, i = 0;

    while ((rank + 1) * crew->n_workers / meeting->n_ranks <= w)
        rank++;
    while (!meeting->count[i] ||
           common != meeting->taken[i] + (size_t)member->rank * meeting->count[i])
        assert_in_range(++i, 1, meeting->n_taken - 1);
    return meeting->taken[i] + (size_t)rank * meeting->count[i];
}

static void member_share(struct crew *crew, float *common, const size_t *bounds)
{
    const struct meeting *meeting = ((struct member *)crew->self)->meeting;

    for (int32_t w = 0; w < crew->n_workers; w++)
        assert_true(bounds[w] <= bounds[w + 1]);
    if (!meet(crew) || !meeting->has_hosts)
        return;
    for (int32_t w = 0; w < crew->n_workers; w++)
        if (w < crew->first || w >= crew->first + crew->n)
            memcpy(common + bounds[w], copy_of(crew, common, w) + bounds[w],
                   (bounds[w + 1] - bounds[w]) * sizeof *common);
    leave(crew);
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

struct observed {
    int32_t stop_at; /* 0: never */
    int32_t n_stopping;
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

static void stopping(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run)
{
    struct observed *observed = arg;

    (void)so_far;
    (void)run;
    observed->n_stopping++;
}

static void *run_rank(void *run_)
{
    struct run *run = run_;
    struct trained *out = run->out;
    struct gcn_observer observer = {.epoch_done = epoch_done,
                                    .stopping = stopping,
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
    assert_in_range(out->outcome.n_weights, 0, RANKS_WEIGHTS);
    if (out->outcome.weights)
        memcpy(out->weights, out->outcome.weights,
               (size_t)out->outcome.n_weights * sizeof *out->weights);
    out->n_stopping = run->observed.n_stopping;
    arena_release(&scratch);
    return NULL;
}

void ranks_train_alone(struct trained *out, const struct toy *toy, const struct gcn_spec *spec)
{
    struct run run = {.out = out, .toy = toy, .spec = spec, .key = key};

    run_rank(&run);
}

/* How the last rank differs. */
struct odd {
    const struct toy *toy;
    int32_t stop_at;
    struct hash key;
};

static int32_t train_ranks(struct trained *out, const struct toy *toy, const struct gcn_spec *spec,
                           int32_t n_ranks, bool has_hosts, int32_t fails_at, const struct odd *odd)
{
    struct meeting meeting = {
        .n_ranks = n_ranks, .n_workers = spec->workers, .has_hosts = has_hosts};
    struct member member[RANKS_MOST];
    struct run run[RANKS_MOST];
    pthread_t thread[RANKS_MOST];

    assert_int_equal(pthread_barrier_init(&meeting.barrier, NULL, (unsigned)n_ranks), 0);
    for (int32_t r = 0; r < n_ranks; r++) {
        member_init(&member[r], &meeting, r, fails_at);
        run[r] = (struct run){
            .out = &out[r], .toy = toy, .spec = spec, .key = key, .member = &member[r]};
    }
    run[n_ranks - 1].toy = odd->toy;
    run[n_ranks - 1].key = odd->key;
    run[n_ranks - 1].observed.stop_at = odd->stop_at;
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

void ranks_check_same(const struct trained *a, const struct trained *b)
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

int32_t ranks_train(struct trained *out, const struct toy *toy, const struct gcn_spec *spec,
                    int32_t n_ranks, int32_t fails_at, int32_t stop_at, struct hash key_of)
{
    return train_ranks(out, toy, spec, n_ranks, false, fails_at,
                       &(struct odd){toy, stop_at, key_of});
}

void ranks_train_unlike(struct trained *out, const struct toy *toy, const struct toy *other,
                        const struct gcn_spec *spec, int32_t n_ranks)
{
    train_ranks(out, toy, spec, n_ranks, false, 0, &(struct odd){other, 0, key});
}

/* ---- samples that are graphs ---- */

enum { GRAPHS = TOY_SAMPLES / 2 };

void ranks_graphs_init(struct toy *toy, enum task task)
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
    assert_int_equal(toy_make_inputs(&toy->inputs, &toy->data, &adjacency, &inputs, NULL), 0);
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

/* ---- trainings of several workers ---- */

struct gcn_spec ranks_spec(enum task task, int32_t workers)
{
    struct gcn_spec spec = toy_spec(task);

    spec.epochs = EPOCHS;
    spec.momentum = 0.9;
    spec.weight_decay = 1e-3;
    spec.batch_size = 3;
    spec.workers = workers;
    return spec;
}

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
        ranks_check_same(whole, &part);
    }
    other.workers = spec->workers - 1;
    run.spec = &other;
    run_rank(&run);
    assert_int_equal(part.outcome.resumed_epoch, 0);
    buf_release(&saved);
    buf_release(&run.observed.saved);
}

void ranks_check(struct trained *out, const struct toy *toy, const struct gcn_spec *spec)
{
    struct trained again, of_rank[RANKS_MOST];

    ranks_train_alone(out, toy, spec);
    assert_true(is_finite(out));
    ranks_train_alone(&again, toy, spec);
    ranks_check_same(out, &again);
    check_breaks(out, toy, spec);
    for (int32_t n_ranks = 2; n_ranks <= spec->workers && n_ranks <= RANKS_MOST; n_ranks++)
        for (int has_hosts = 0; has_hosts <= 1; has_hosts++) {
            train_ranks(of_rank, toy, spec, n_ranks, has_hosts, 0, &(struct odd){toy, 0, key});
            for (int32_t r = 0; r < n_ranks; r++)
                ranks_check_same(out, &of_rank[r]);
        }
}

void ranks_set_options(struct gcn_spec *spec, int options)
{
    spec->layers = 1 + options % 3;
    spec->optimizer = (enum optimizer)(options % 3);
    spec->activation = options % 2 ? ACTIVATION_RELU : ACTIVATION_GELU;
    spec->batch_norm = options / 2 % 2;
    spec->residual = options % 2;
    spec->dropout = options / 4 % 2 ? 0.4 : 0;
    spec->input_dropout = options / 2 % 2 ? 0.3 : 0;
    spec->class_weights = options / 4 % 2 ? CLASSES_BALANCED : CLASSES_ALIKE;
    spec->schedule = (enum schedule)(options % 2);
}
