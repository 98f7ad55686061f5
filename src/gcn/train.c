/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "gcn/checkpoint.h"
#include "gcn/scores.h"
#include "tensor/gemm.h"
#include "tensor/kernel.h"

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

/* Batches of graphs are balanced. With one worker they stay as they are. */
static int init_deal(struct gcn_run *run, struct arena *scratch)
{
    const struct trainer *trainer = &run->trainer;
    size_t n = (size_t)run->split->n_train;

    run->deal = (struct deal){
        .n = run->split->n_train,
        .n_workers = trainer->crew->n_workers,
        .batch_size = run->spec->batch_size,
        .samples = arena_take(scratch, n, sizeof *run->deal.samples),
    };
    run->order = arena_take(scratch, n, sizeof *run->order);
    if (!run->deal.samples || !run->order)
        return -1;
    if (run->deal.n_workers == 1 || trainer->is_full_batch || run->spec->pool == POOL_NONE)
        return 0;
    run->weighed = arena_take(scratch, n, sizeof *run->weighed);
    return run->weighed ? 0 : -1;
}

static int run_init(struct gcn_run *run, const struct gcn_training *training, struct err *err)
{
    struct arena *scratch = training->scratch;
    const struct dataset *data = run->inputs->data;
    size_t n = (size_t)data->n_samples;

    if (trainer_init(&run->trainer, training, err))
        return -1;
    rng_init(&run->batch_rng, run->key, RNG_BATCH);
    run->all = arena_take(scratch, n, sizeof *run->all);
    run->best = arena_take(scratch, (size_t)run->trainer.model.n_weights, sizeof *run->best);
    if (scores_init(&run->scores, &run->trainer.target, data, scratch, err))
        return -1;
    if (init_deal(run, scratch) || !run->all || !run->best)
        return err_nomem(err, "samples", n * sizeof *run->all);
    if (!scratch->counts)
        memcpy(run->best, run->trainer.model.weights,
               (size_t)run->trainer.model.n_weights * sizeof *run->best);
    return 0;
}

/* Prepare to score nodes [n], whose logits are rows row[nodes[i]] of z (row NULL: i). Returns the
 * mean loss. */
static double prepare(struct gcn_run *run, const struct mat *z, const int32_t *row,
                      const int32_t *nodes, int32_t n)
{
    const struct training_target *target = &run->trainer.target;
    struct mat out = mat_view(run->scores.output, n, z->n_cols);
    double weight = loss_weight(target, nodes, n), loss;

    for (int32_t i = 0; i < n; i++)
        memcpy(mat_row(&out, i), mat_row(z, row ? row[nodes[i]] : i),
               (size_t)z->n_cols * sizeof *out.v);
    target_add_offset(&out, nodes, target);
    loss = loss_of(NULL, weight, &out, nodes, target);
    if (target->task == TASK_CLASSIFICATION)
        kernel_log_softmax(&out);
    scores_take_targets(&run->scores, nodes, n);
    return loss / weight;
}

static void score_part(struct gcn_run *run, enum part part, const struct mat *z, const int32_t *row,
                       const int32_t *nodes, int32_t n)
{
    if (n == 0)
        return;
    run->outcome->losses[part] = prepare(run, z, row, nodes, n);
    for (int m = 0; m < METRIC_COUNT; m++)
        if (metric_task((enum metric)m) == run->trainer.target.task)
            run->outcome->metrics[part][m] = scores_metric(&run->scores, (enum metric)m, n);
}

/* The chosen epoch keeps the value and loss that chose it: products over other rows may differ in
 * the last bit. outcome->value becomes the validation score. */
static void settle_scores(struct gcn_run *run)
{
    struct gcn_outcome *outcome = run->outcome;
    enum metric objective = run->spec->objective;
    const int32_t *nodes;
    int32_t n;
    enum part chooser = split_chooser(&nodes, &n, run->split);

    if (outcome->best_epoch > 0) {
        outcome->metrics[chooser][objective] = outcome->value;
        outcome->losses[chooser] = outcome->curve[outcome->best_epoch - 1].val_loss;
    }
    outcome->value = outcome->metrics[PART_VAL][objective];
}

static int32_t *append(int32_t *to, const int32_t *nodes, int32_t n)
{
    if (n) /* may be NULL if empty */
        memcpy(to, nodes, (size_t)n * sizeof *to);
    return to + n;
}

static void score_all(struct gcn_run *run)
{
    const struct split *split = run->split;
    struct trainer *trainer = &run->trainer;
    int32_t *end = run->all;
    const int32_t *row;
    struct mat z;

    end = append(end, split->train, split->n_train);
    end = append(end, split->val, split->n_val);
    end = append(end, split->test, split->n_test);
    end = append(end, split->stop, split->n_stop);
    trainer_set_weights(trainer, run->best);
    z = trainer_logits_of(trainer, run->all, (int32_t)(end - run->all), &row);
    score_part(run, PART_TRAIN, &z, row, split->train, split->n_train);
    score_part(run, PART_VAL, &z, row, split->val, split->n_val);
    score_part(run, PART_TEST, &z, row, split->test, split->n_test);
    score_part(run, PART_STOP, &z, row, split->stop, split->n_stop);
    settle_scores(run);
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

    record->val_loss = prepare(run, &z, NULL, trainer->watched, trainer->n_watched);
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

static bool is_better_epoch(const struct gcn_run *run, const struct gcn_epoch *record)
{
    const struct gcn_outcome *outcome = run->outcome;

    if (outcome->best_epoch == 0)
        return true;
    if (run->spec->choose_epoch == CHOOSE_LOSS)
        return is_better(record->val_loss, outcome->curve[outcome->best_epoch - 1].val_loss, false);
    return is_better(record->val_value, outcome->value, run->spec->maximize);
}

static void keep_if_best(struct gcn_run *run, const struct gcn_epoch *record, int32_t epoch)
{
    struct gcn_outcome *outcome = run->outcome;

    if (!is_better_epoch(run, record))
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

static bool has_lost_patience(const struct gcn_run *run)
{
    const struct gcn_outcome *outcome = run->outcome;

    return run->spec->patience > 0 &&
           outcome->epochs_run - outcome->best_epoch >= run->spec->patience;
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

static struct hash hash_of_epoch(const struct gcn_epoch *record)
{
    const double numbers[] = {record->train_loss, record->val_loss, record->val_value};

    return hash_bytes(numbers, sizeof numbers);
}

static void train(struct gcn_run *run, const struct gcn_observer *observer)
{
    struct gcn_outcome *outcome = run->outcome;
    int32_t epoch = outcome->epochs_run + 1;

    for (; epoch <= run->spec->epochs && !has_lost_patience(run); epoch++) {
        bool goes_on;

        if (!run_epoch(run, epoch))
            break;
        goes_on = !observer || observer->epoch_done(observer->arg, outcome, run);
        if (all_go_on(run, goes_on, hash_of_epoch(&outcome->curve[epoch - 1])))
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

static struct checkpoint checkpoint_of(const struct gcn_run *run)
{
    return (struct checkpoint){.trainer = (struct trainer *)&run->trainer,
                               .outcome = run->outcome,
                               .best = run->best,
                               .elapsed_s = clock_now(run->trainer.clock) - run->started,
                               .key = run->key};
}

size_t gcn_save_bytes(const struct gcn_run *run)
{
    struct checkpoint checkpoint = checkpoint_of(run);

    return checkpoint_bytes(&checkpoint);
}

void gcn_save(struct buf *out, const struct gcn_run *run)
{
    struct checkpoint checkpoint = checkpoint_of(run);

    checkpoint_write(out, &checkpoint);
}

static void go_on(struct gcn_run *run, const struct gcn_observer *observer)
{
    struct checkpoint checkpoint = checkpoint_of(run);

    if (!observer || !observer->state ||
        checkpoint_read(&checkpoint, observer->state, observer->state_bytes))
        return;
    run->started = clock_now(run->trainer.clock) - checkpoint.elapsed_s;
    run->outcome->resumed_epoch = run->outcome->epochs_run;
}

/* Ranks with other programs, processors or checkpoints would compute other numbers. */
static void begin_together(struct gcn_run *run)
{
    const struct crew *crew = run->trainer.crew;
    struct checkpoint checkpoint = checkpoint_of(run);

    if (crew->n < crew->n_workers && !all_go_on(run, true, checkpoint_state_hash(&checkpoint)))
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

int gcn_check_workers(int32_t workers, int32_t n_train, struct err *err)
{
    if (workers <= n_train)
        return 0;
    return err_set(err,
                   "workers = %d: a training part has only %d samples, and each worker needs one: "
                   "must be at most %d",
                   workers, n_train, n_train);
}

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
    go_on(&run, training->observer);
    begin_together(&run);
    if (outcome->status != GCN_STOPPED)
        train(&run, training->observer);
    if (outcome->status != GCN_STOPPED)
        conclude(&run);
    memcpy(outcome->seconds, run.trainer.seconds, sizeof outcome->seconds);
    outcome->flops = trainer_flops(&run.trainer);
    return 0;
}
