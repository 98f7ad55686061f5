/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "gcn/scores.h"
#include "gcn/trainer.h"
#include "tensor/gemm.h"

struct gcn_run {
    struct gcn_outcome *outcome;
    const struct gcn_spec *spec;
    const struct gcn_inputs *inputs;
    const struct split *split;
    struct trainer trainer;
    struct hash key;
    struct rng batch_rng;
    double started; /* shifted by the breaks */
    int32_t *order; /* [n_train] in this epoch's order */
    struct deal deal;
    struct weighed_sample *weighed; /* [n_train]; NULL: batches are not balanced */
    int32_t *all;                   /* [n_train + n_val + n_test + n_stop] */
    float *best;                    /* [n_weights] of the best epoch */
    struct scores scores;           /* of log-probabilities, or of standardised predictions */
};

void gcn_outcome_init(struct gcn_outcome *outcome)
{
    *outcome = (struct gcn_outcome){.status = GCN_DONE, .curve = outcome->curve, .value = NAN};
    for (int part = 0; part < PART_COUNT; part++) {
        outcome->losses[part] = NAN;
        for (int m = 0; m < METRIC_COUNT; m++)
            outcome->metrics[part][m] = NAN;
    }
}

static int run_init(struct gcn_run *run, const struct gcn_training *training, struct err *err)
{
    struct arena *scratch = training->scratch;
    const struct dataset *data = run->inputs->data;
    struct trainer *trainer = &run->trainer;
    size_t n = (size_t)data->n_samples, n_train = (size_t)run->split->n_train;

    if (trainer_init(trainer, training, err) ||
        scores_init(&run->scores, &trainer->target, data, scratch, err))
        return -1;
    rng_init(&run->batch_rng, run->key, RNG_BATCH);
    run->all = arena_take(scratch, n, sizeof *run->all);
    run->best = arena_take(scratch, (size_t)trainer->model.n_weights, sizeof *run->best);
    run->order = arena_take(scratch, n_train, sizeof *run->order);
    run->deal = (struct deal){
        .n = run->split->n_train,
        .n_workers = trainer->crew->n_workers,
        .batch_size = run->spec->batch_size,
        .samples = arena_take(scratch, n_train, sizeof *run->deal.samples),
    };
    /* Batches of graphs are balanced. With one worker they stay as they are. */
    if (run->deal.n_workers > 1 && !trainer->is_full_batch && run->spec->pool != POOL_NONE)
        run->weighed = arena_take(scratch, n_train, sizeof *run->weighed);
    if (scratch->is_short)
        return err_nomem(err, "samples", n * sizeof *run->all);
    if (!scratch->counts)
        memcpy(run->best, trainer->model.weights,
               (size_t)trainer->model.n_weights * sizeof *run->best);
    return 0;
}

/* Logits of samples: that of sample i is row rows[i]. */
struct all_logits {
    const struct training_target *target;
    struct mat logits;
    const int32_t *rows;
};

static void predict(void *arg, float *output, int32_t sample)
{
    const struct all_logits *p = arg;
    struct mat row = mat_view(output, 1, p->logits.n_cols);

    memcpy(output, mat_row(&p->logits, p->rows[sample]), (size_t)row.n_cols * sizeof *output);
    target_add_offset(&row, &sample, p->target);
}

static void score_all(struct gcn_run *run)
{
    const struct split *split = run->split;
    struct trainer *trainer = &run->trainer;
    struct gcn_outcome *outcome = run->outcome;
    enum metric objective = run->spec->objective;
    struct all_logits p = {.target = &trainer->target};
    const struct {
        const int32_t *sample;
        int32_t n;
    } lists[] = {{split->train, split->n_train},
                 {split->val, split->n_val},
                 {split->test, split->n_test},
                 {split->stop, split->n_stop}};
    int32_t *end = run->all;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; end += lists[i++].n)
        if (lists[i].n) /* may be NULL if empty */
            memcpy(end, lists[i].sample, (size_t)lists[i].n * sizeof *end);
    trainer_set_weights(trainer, run->best);
    p.logits = trainer_logits_of(trainer, run->all, (int32_t)(end - run->all), &p.rows);
    scores_put(outcome, &run->scores, split, true, predict, &p);
    /* The chosen epoch keeps the value and loss that chose it: products over other rows may differ in
     * the last bit. outcome->value becomes the validation score. */
    if (outcome->best_epoch > 0) {
        enum part chooser = split->n_stop ? PART_STOP : PART_VAL;

        outcome->metrics[chooser][objective] = outcome->value;
        outcome->losses[chooser] = outcome->curve[outcome->best_epoch - 1].val_loss;
    }
    outcome->value = outcome->metrics[PART_VAL][objective];
}

/* Returns the mean loss. The samples' weights sum to n, balanced or not. */
static double train_epoch(struct gcn_run *run, int32_t epoch)
{
    struct trainer *trainer = &run->trainer;
    int32_t n = run->split->n_train;
    double sum = 0;

    trainer_begin_epoch(trainer, epoch);
    if (trainer->is_full_batch)
        return trainer_step(trainer, NULL, 0) / n;
    memcpy(run->order, run->split->train, (size_t)n * sizeof *run->order);
    rng_shuffle(run->order, (size_t)n, &run->batch_rng, (uint32_t)epoch);
    if (run->weighed)
        deal_balance(run->order, &run->deal, run->inputs, run->weighed);
    deal_samples(&run->deal, run->order);
    for (int32_t s = 0; s < deal_steps(&run->deal) && isfinite(sum); s++) {
        if (trainer->crew->has_failed)
            break;
        sum += trainer_crew_step(trainer, &run->deal, s);
    }
    return sum / n;
}

static void watch(struct gcn_run *run, struct gcn_epoch *record)
{
    struct trainer *trainer = &run->trainer;
    double since = clock_now(trainer->clock);
    struct mat z = trainer_watched_logits(trainer);
    struct mat out = mat_view(run->scores.output, z.n_rows, z.n_cols);

    memcpy(out.v, z.v, (size_t)mat_size(&z) * sizeof *z.v);
    target_add_offset(&out, trainer->watched, &trainer->target);
    record->val_loss = scores_prepare(&run->scores, trainer->watched, trainer->n_watched, true);
    record->val_value = scores_metric(&run->scores, run->spec->objective, trainer->n_watched);
    trainer->seconds[GCN_EVALUATION] += clock_now(trainer->clock) - since;
}

/* Every defined value is better than an undefined one. */
static bool is_better(double value, double best, bool maximize)
{
    if (isnan(value) || isnan(best))
        return isnan(best) && !isnan(value);
    return maximize ? value > best : value < best;
}

static void keep_if_best(struct gcn_run *run, const struct gcn_epoch *record, int32_t epoch)
{
    struct gcn_outcome *outcome = run->outcome;
    const struct gcn_epoch *best =
        outcome->best_epoch > 0 ? &outcome->curve[outcome->best_epoch - 1] : NULL;

    if (best && !(run->spec->choose_epoch == CHOOSE_LOSS
                      ? is_better(record->val_loss, best->val_loss, false)
                      : is_better(record->val_value, outcome->value, run->spec->maximize)))
        return;
    outcome->best_epoch = epoch;
    outcome->value = record->val_value;
    memcpy(run->best, run->trainer.model.weights,
           (size_t)run->trainer.model.n_weights * sizeof *run->best);
}

static bool diverged(struct gcn_outcome *outcome, const char *which, double loss, int32_t epoch)
{
    if (isfinite(loss))
        return false;
    outcome->status = GCN_DIVERGED;
    snprintf(outcome->reason, sizeof outcome->reason, "%s loss is %s in epoch %d", which,
             isnan(loss) ? "nan" : "inf", epoch);
    return true;
}

/* False: the training ends with this epoch. */
static bool run_epoch(struct gcn_run *run, int32_t epoch)
{
    struct gcn_outcome *outcome = run->outcome;
    struct gcn_epoch *record = &outcome->curve[epoch - 1];
    const struct crew *crew = run->trainer.crew;

    record->train_loss = train_epoch(run, epoch);
    if (crew->has_failed || diverged(outcome, "train", record->train_loss, epoch))
        return false;
    watch(run, record);
    if (crew->has_failed ||
        diverged(outcome, run->split->n_stop ? "stop" : "val", record->val_loss, epoch))
        return false;
    record->seconds = clock_now(run->trainer.clock) - run->started;
    outcome->epochs_run = epoch;
    keep_if_best(run, record, epoch);
    return true;
}

/* True if every rank of the crew goes on, from an equal state. */
static bool all_go_on(struct gcn_run *run, bool goes_on, struct hash state)
{
    struct crew *crew = run->trainer.crew;

    return !crew->calls->agree(crew, !goes_on, state) && !crew->has_failed;
}

static void train(struct gcn_run *run, const struct gcn_observer *observer)
{
    struct gcn_outcome *outcome = run->outcome;
    int32_t epoch = outcome->epochs_run + 1;

    for (; epoch <= run->spec->epochs; epoch++) {
        const struct gcn_epoch *record = &outcome->curve[epoch - 1];
        bool goes_on;

        if (run->spec->patience > 0 &&
            outcome->epochs_run - outcome->best_epoch >= run->spec->patience)
            break;
        if (!run_epoch(run, epoch))
            break;
        goes_on = !observer || observer->epoch_done(observer->arg, outcome, run);
        if (all_go_on(
                run, goes_on,
                hash_bytes((double[]){record->train_loss, record->val_loss, record->val_value},
                           3 * sizeof(double))))
            continue;
        if (observer && observer->stopping && !run->trainer.crew->has_failed)
            observer->stopping(observer->arg, outcome, run);
        outcome->status = GCN_STOPPED;
        return;
    }
    if (run->trainer.crew->has_failed)
        outcome->status = GCN_STOPPED;
}

/* ---- checkpoints ---- */

/* struct head, struct books, vectors, the curve, and a hash of all. */

/* "CKP" and the format version: increase it when a field or the optimiser's state changes. */
#define CHECKPOINT_MAGIC 0x434b5001u

struct head {
    uint32_t magic;
    uint32_t n_vectors;
    struct hash key, machine;
    int64_t n_weights;
    int64_t form; /* enum first_form */
};

struct books {
    int32_t epochs_run, best_epoch;
    uint32_t trainer_steps;
    uint32_t more_workers; /* W - 1; 0 in the first versions, too */
    int64_t optimizer_steps;
    double value;
    double elapsed_s;
    double flops, first_flops;
    double seconds[GCN_PHASE_COUNT];
};

enum { MOST_VECTORS = 2 + OPTIMIZER_VECTORS };

/* [n_weights] each; returns their number. */
static uint32_t vectors(float *out[MOST_VECTORS], const struct gcn_run *run)
{
    const struct optimizer_state *optimizer = &run->trainer.optimizer;
    uint32_t n = 0;

    out[n++] = run->trainer.model.weights;
    out[n++] = run->best;
    for (int i = 0; i < optimizer->n_vectors; i++)
        out[n++] = optimizer->vector[i];
    return n;
}

static struct head make_head(const struct gcn_run *run)
{
    float *out[MOST_VECTORS];
    struct head head;
    char machine[256];

    /* A mixed cluster has several of these libraries; bits depend on them. */
    snprintf(machine, sizeof machine, "%s %s %d", gemm_library(), gemm_kernel(), gemm_threads());
    memset(&head, 0, sizeof head);
    head.magic = CHECKPOINT_MAGIC;
    head.n_vectors = vectors(out, run);
    head.key = run->key;
    head.machine = hash_text(machine);
    head.n_weights = run->trainer.model.n_weights;
    head.form = run->trainer.pass.first.form;
    return head;
}

static size_t bytes_of(const struct gcn_run *run, int32_t epochs)
{
    float *out[MOST_VECTORS];
    size_t n_weights = (size_t)run->trainer.model.n_weights;

    return sizeof(struct head) + sizeof(struct books) +
           vectors(out, run) * n_weights * sizeof(float) +
           (size_t)epochs * sizeof(struct gcn_epoch) + sizeof(struct hash);
}

size_t gcn_save_bytes(const struct gcn_run *run)
{
    return bytes_of(run, run->outcome->epochs_run);
}

void gcn_save(struct buf *out, const struct gcn_run *run)
{
    const struct trainer *trainer = &run->trainer;
    const struct gcn_outcome *outcome = run->outcome;
    struct head head = make_head(run);
    size_t begin = out->size;
    float *vector[MOST_VECTORS];
    struct books books;
    struct hash hash;

    memset(&books, 0, sizeof books);
    books.epochs_run = outcome->epochs_run;
    books.best_epoch = outcome->best_epoch;
    books.trainer_steps = trainer->n_steps;
    books.more_workers = (uint32_t)trainer->crew->n_workers - 1;
    books.optimizer_steps = trainer->optimizer.n_steps;
    books.value = outcome->value;
    books.elapsed_s = clock_now(trainer->clock) - run->started;
    books.flops = trainer->pass.flops;
    books.first_flops = trainer->pass.first.flops;
    memcpy(books.seconds, trainer->seconds, sizeof books.seconds);
    buf_add(out, &head, sizeof head);
    buf_add(out, &books, sizeof books);
    for (uint32_t i = 0; i < vectors(vector, run); i++)
        buf_add(out, vector[i], (size_t)head.n_weights * sizeof(float));
    buf_add(out, outcome->curve, (size_t)outcome->epochs_run * sizeof(struct gcn_epoch));
    if (buf_failed(out))
        return;
    hash = hash_bytes(out->data + begin, out->size - begin);
    buf_add(out, &hash, sizeof hash);
}

/* The hash detects only accidental changes. */
static bool is_ours(const struct gcn_run *run, const char *bytes, size_t n, struct books *books)
{
    struct head head = make_head(run);
    struct hash hash;

    if (n < bytes_of(run, 0) || memcmp(bytes, &head, sizeof head) != 0)
        return false;
    memcpy(books, bytes + sizeof head, sizeof *books);
    memcpy(&hash, bytes + n - sizeof hash, sizeof hash);
    return books->epochs_run >= 1 && books->epochs_run <= run->spec->epochs &&
           books->best_epoch >= 0 && books->best_epoch <= books->epochs_run &&
           books->optimizer_steps >= 0 && books->elapsed_s >= 0 && isfinite(books->elapsed_s) &&
           books->more_workers == (uint32_t)run->trainer.crew->n_workers - 1 &&
           n == bytes_of(run, books->epochs_run) &&
           hash_equal(hash, hash_bytes(bytes, n - sizeof hash));
}

/* Go on from a checkpoint, if it is one of this training; else nothing changes. */
static void restore(struct gcn_run *run, const char *at, size_t n)
{
    struct trainer *trainer = &run->trainer;
    struct gcn_outcome *outcome = run->outcome;
    size_t vector_bytes = (size_t)trainer->model.n_weights * sizeof(float);
    float *vector[MOST_VECTORS];
    struct books books;

    if (!is_ours(run, at, n, &books))
        return;
    at += sizeof(struct head) + sizeof books;
    for (uint32_t i = 0; i < vectors(vector, run); i++, at += vector_bytes)
        memcpy(vector[i], at, vector_bytes);
    memcpy(outcome->curve, at, (size_t)books.epochs_run * sizeof(struct gcn_epoch));
    outcome->epochs_run = outcome->resumed_epoch = books.epochs_run;
    outcome->best_epoch = books.best_epoch;
    outcome->value = books.value;
    run->started = clock_now(trainer->clock) - books.elapsed_s;
    trainer->n_steps = books.trainer_steps;
    trainer->optimizer.n_steps = books.optimizer_steps;
    trainer->pass.flops = books.flops;
    trainer->pass.first.flops = books.first_flops;
    memcpy(trainer->seconds, books.seconds, sizeof books.seconds);
    trainer->z1_is_fresh = false;
    trainer->z1_is_counted = true;
}

/* Ranks with other programs, processors or checkpoints would compute other numbers. */
static void begin_together(struct gcn_run *run)
{
    const struct crew *crew = run->trainer.crew;
    struct state {
        struct head head;
        struct hash vector[MOST_VECTORS];
        int64_t epochs_run;
    } state;
    float *vector[MOST_VECTORS];

    if (crew->n == crew->n_workers)
        return;
    memset(&state, 0, sizeof state);
    state.head = make_head(run);
    for (uint32_t i = 0; i < vectors(vector, run); i++)
        state.vector[i] = hash_bytes(vector[i], (size_t)state.head.n_weights * sizeof(float));
    state.epochs_run = run->outcome->epochs_run;
    if (!all_go_on(run, true, hash_bytes(&state, sizeof state)))
        run->outcome->status = GCN_STOPPED;
}

static void conclude(struct gcn_run *run)
{
    struct gcn_outcome *outcome = run->outcome;
    const struct training_target *target = &run->trainer.target;
    double since = clock_now(run->trainer.clock);

    if (outcome->best_epoch > 0 || run->spec->epochs == 0) {
        score_all(run);
        outcome->weights = run->best;
        outcome->n_weights = run->trainer.model.n_weights;
        outcome->n_outputs = target->n_outputs;
        outcome->target_mean = target->mean;
        outcome->target_sd = target->sd;
        outcome->fixed = target->fixed;
    }
    run->trainer.seconds[GCN_EVALUATION] += clock_now(run->trainer.clock) - since;
    if (run->trainer.crew->has_failed)
        outcome->status = GCN_STOPPED;
}

/* ---- memory ---- */

double gcn_train_bytes(const struct gcn_spec *spec, const struct gcn_outline *outline,
                       const struct split *split, int32_t n_ranks)
{
    int32_t workers = spec->workers > 1 ? spec->workers : 1;
    struct arena scratch = {.counts = true};
    int64_t entries_x = outline->entries_x; /* all that is known of the sparse inputs */
    struct gcn_inputs inputs = {.data = outline->data,
                                .n_inputs = outline->n_inputs,
                                .x_sparse = {.n_rows = 0, .row_start = &entries_x}};
    struct gcn_run run = {.spec = spec, .inputs = &inputs, .split = split};
    struct crew_alone alone;
    const struct gcn_training training = {
        .spec = spec,
        .inputs = &inputs,
        .outline = outline,
        .split = split,
        .scratch = &scratch,
        .clock = &clock_system,
        .crew = &alone.crew,
    };
    struct err err;
    double bytes;

    memcpy(inputs.has, outline->has, sizeof inputs.has);
    crew_alone_init(&alone, workers, &scratch);
    if (n_ranks > 1)
        alone.crew.n = n_ranks < workers ? (workers + n_ranks - 1) / n_ranks : 1;
    run_init(&run, &training, &err);
    bytes = (double)scratch.peak_bytes;
    arena_release(&scratch);
    return bytes;
}

/* ---- a training ---- */

int gcn_train(struct gcn_outcome *outcome, const struct gcn_training *training, struct err *err)
{
    struct gcn_run run = {.outcome = outcome,
                          .spec = training->spec,
                          .inputs = training->inputs,
                          .split = training->split,
                          .key = training->key};

    gcn_outcome_init(outcome);
    gemm_set_threads(training->threads);
    run.started = clock_now(training->clock);
    if (run_init(&run, training, err))
        return -1;
    if (training->observer && training->observer->state)
        restore(&run, training->observer->state, training->observer->state_bytes);
    begin_together(&run);
    if (outcome->status != GCN_STOPPED)
        train(&run, training->observer);
    if (outcome->status != GCN_STOPPED ||
        (!run.trainer.crew->has_failed && training->observer && training->observer->wants_scores &&
         training->observer->wants_scores(training->observer->arg)))
        conclude(&run);
    memcpy(outcome->seconds, run.trainer.seconds, sizeof outcome->seconds);
    outcome->flops = run.trainer.pass.flops + run.trainer.pass.first.flops;
    return 0;
}
