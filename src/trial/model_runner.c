/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/model_runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/words.h"
#include "config.h"
#include "gang/gang.h"
#include "tensor/gemm.h"
#include "trial/kept.h"
#include "trial/model_type.h"

/* Training after which a stopped trial saves a checkpoint. Making, sending and committing one took
 * 0.16 s at 16 MB and 0.7 s at 64 MB. */
#define WORTH_S 2.0
/* Likewise at a rung, where one trial in three goes on: three times the cost, and by size. */
#define RUNG_WORTH_S 0.003
#define RUNG_WORTH_BYTE_S 3e-8
/* Seconds between checkpoints, the most that a killed run loses. */
#define EVERY_S 300.0
/* Adam with 4 million weights. Larger checkpoints from several ranks would keep rank 0 beyond its
 * job's end. */
#define MOST_BYTES ((size_t)64 << 20)

struct model_runner {
    const struct plan *plan;
    struct prepared *prepared;
    const struct dataset *data;
    const struct clock *clock;
    struct arena scratch;
    struct buf text;  /* scratch of keys and seeds */
    struct buf state; /* for watch->save() */
    struct kept_scaling scaling;
    struct errlist slow; /* hosts, of warn_slow() */
};

struct observed {
    struct model_runner *self;
    const struct trial_watch *watch;
    const struct gang_member *gang; /* NULL: this rank runs the trial alone */
    int64_t trial;
    int32_t epochs;
    double begun_s, saved_s; /* training before saved_s is safe */
    double timeout_s;        /* 0: none */
    double now_s;            /* after the last epoch */
    int64_t until;           /* the epoch of the rung; the trial then waits */
    bool timed_out, is_at_rung;
};

/* ---- gangs ---- */

/* A shorter time may show another program's moment. */
#define PACE_S 5.0
/* Share of the time that the others wait. */
#define SLOW_SHARE 0.25

/* Meet the other members of watch->gang, as ranks of n_workers workers. Collective. -1 and failure:
 * *gang is NULL. */
static int open_gang(struct gang_member **gang, const struct trial_watch *watch, int32_t n_workers,
                     struct gang_failure *failure)
{
    const struct trial_gang *part = watch->gang;
    char host[GANG_HOST] = "", processor[GANG_TEXT];
    const struct gang_place place = {.rank = part->rank,
                                     .size = part->size,
                                     .local_rank = part->local_rank,
                                     .local_size = part->local_size,
                                     .host = part->host,
                                     .n_hosts = part->n_hosts,
                                     .host_name = host,
                                     .address = part->address,
                                     .port = part->port,
                                     .token = part->token};
    const struct gang_options options = {.n_workers = n_workers,
                                         .build = PACKAGE_VERSION,
                                         .processor = processor,
                                         .keep_waiting = watch->keep_waiting,
                                         .arg = watch->arg};

    gethostname(host, sizeof host - 1);
    snprintf(processor, sizeof processor, "%s %s", gemm_library(), gemm_kernel());
    return gang_open(gang, &place, &options, failure);
}

/* Make r the result of a member whose gang failed: PENDING with the reason if the trial may run
 * again, and without one if this rank was told to leave; else FAILED. */
static void fail_gang(struct trial_result *r, const struct gang_failure *failure)
{
    bool may_run_again = failure->trouble == GANG_LOST || failure->trouble == GANG_STOPPED;

    r->state = may_run_again ? TRIAL_PENDING : TRIAL_FAILED;
    words_cut(r->error, sizeof r->error, failure->trouble == GANG_STOPPED ? "" : failure->why.text);
}

/* Warn, once for each host, of a member there that makes the others wait for a quarter of the time
 * or longer. slow: the hosts that were named. */
static void warn_slow(struct errlist *slow, const struct gang_member *gang)
{
    const struct gang_pace *pace = gang_pace(gang);
    double share = pace->busy_s > 0 ? 1 - pace->others_s / pace->busy_s : 0;

    if (!pace->host || pace->busy_s < PACE_S || share < SLOW_SHARE || errlist_has(slow, pace->host))
        return;
    errlist_add(slow, "%s", pace->host);
    if (!slow->n_lost) /* else the warning could come in each epoch */
        log_warn("rank %d of a gang is slow on %s: it computed for %.3g s where the others needed "
                 "%.3g s, so they wait %.0f %% of the time; look for other programs on %s, or "
                 "launch on machines of one type",
                 pace->rank, pace->host, pace->busy_s, pace->others_s, 100 * share, pace->host);
}

/* ---- a trial ---- */

struct model_runner *model_runner_create(const struct plan *plan, const struct dataset *data,
                                         struct prepared *prepared, const struct clock *clock,
                                         struct err *err)
{
    struct model_runner *self = calloc(1, sizeof *self);

    if (!self) {
        err_nomem(err, "runner", sizeof *self);
        return NULL;
    }
    self->plan = plan;
    self->prepared = prepared;
    self->data = data;
    self->clock = clock;
    return self;
}

void model_runner_destroy(struct model_runner *self)
{
    if (!self)
        return;
    arena_release(&self->scratch);
    buf_release(&self->text);
    buf_release(&self->state);
    kept_scaling_release(&self->scaling);
    errlist_release(&self->slow);
    free(self);
}

static bool leads(const struct trial_watch *watch)
{
    return !watch->gang || watch->gang->rank == 0;
}

static double earlier_seconds(const struct observed *observed, const struct gcn_outcome *so_far)
{
    return so_far->resumed_epoch ? observed->watch->from->seconds : 0;
}

/* Out of memory: the trial continues without a checkpoint. */
static void save(struct observed *observed, const struct gcn_outcome *so_far,
                 const struct gcn_run *run, double now_s)
{
    struct buf *state = &observed->self->state;
    struct trial_checkpoint checkpoint = {
        .trial = observed->trial,
        .epoch = so_far->epochs_run,
        .left = 1 - (double)so_far->epochs_run / observed->epochs,
        .seconds = earlier_seconds(observed, so_far) + now_s - observed->begun_s,
    };

    observed->saved_s = now_s;
    if (gcn_save_bytes(run) > MOST_BYTES)
        return;
    buf_clear(state);
    gcn_save(state, run);
    checkpoint.state = state->data;
    checkpoint.bytes = state->size;
    if (!buf_failed(state))
        observed->watch->save(observed->watch->arg, &checkpoint);
    buf_release(state);
}

static void save_if_old(struct observed *observed, const struct gcn_outcome *so_far,
                        const struct gcn_run *run, double age_s)
{
    if (observed->watch->save && observed->now_s - observed->saved_s >= age_s)
        save(observed, so_far, run, observed->now_s);
}

static void count(const struct observed *observed)
{
    const struct trial_watch *watch = observed->watch;

    if (observed->gang && watch->count)
        watch->count(watch->arg, gang_counts(observed->gang));
}

static bool epoch_done(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run)
{
    struct observed *observed = arg;
    const struct trial_watch *watch = observed->watch;
    double now_s = clock_now(observed->self->clock);
    double seconds = earlier_seconds(observed, so_far) + now_s - observed->begun_s;
    bool goes_on;

    observed->now_s = now_s;
    count(observed);
    if (observed->gang && leads(watch))
        warn_slow(&observed->self->slow, observed->gang);
    observed->is_at_rung = so_far->epochs_run >= observed->until; /* on all ranks of a gang */
    observed->timed_out =
        !observed->is_at_rung && observed->timeout_s > 0 && seconds > observed->timeout_s;
    if (observed->timed_out || observed->is_at_rung)
        return false;
    goes_on = watch->keep_going(watch->arg);
    if (goes_on)
        save_if_old(observed, so_far, run, EVERY_S);
    return goes_on;
}

/* Members of a gang may be told to stop at different times; the first ends all. */
static void stopping(void *arg, const struct gcn_outcome *so_far, const struct gcn_run *run)
{
    struct observed *observed = arg;

    if (!observed->timed_out)
        save_if_old(observed, so_far, run,
                    observed->is_at_rung
                        ? RUNG_WORTH_S + RUNG_WORTH_BYTE_S * (double)gcn_save_bytes(run)
                        : WORTH_S);
}

static void fail(struct trial_result *r, const struct err *err)
{
    r->state = TRIAL_FAILED;
    words_cut(r->error, sizeof r->error, err->text);
}

static void take_outcome(struct trial_result *r, const struct gcn_outcome *outcome)
{
    r->state = outcome->status == GCN_DIVERGED ? TRIAL_DIVERGED : TRIAL_DONE;
    snprintf(r->error, sizeof r->error, "%s", outcome->reason);
    r->value = outcome->value;
    r->epochs_run = outcome->epochs_run;
    r->best_epoch = outcome->best_epoch;
    r->flops = outcome->flops;
    memcpy(r->metrics, outcome->metrics, sizeof r->metrics);
    memcpy(r->losses, outcome->losses, sizeof r->losses);
    r->timing[PHASE_FORWARD] = outcome->seconds[GCN_FORWARD];
    r->timing[PHASE_BACKWARD] = outcome->seconds[GCN_BACKWARD];
    r->timing[PHASE_OPTIMIZER] = outcome->seconds[GCN_OPTIMIZER];
    r->timing[PHASE_EVALUATION] = outcome->seconds[GCN_EVALUATION];
    r->n_curve = outcome->epochs_run;
}

static bool wants_scores(void *arg)
{
    return ((const struct observed *)arg)->is_at_rung;
}

static void stopped(struct trial_result *r, const struct observed *observed,
                    const struct gcn_outcome *outcome)
{
    if (observed->is_at_rung && leads(observed->watch)) {
        take_outcome(r, outcome);
        r->state = TRIAL_HELD;
        return;
    }
    trial_result_release(r);
    r->n_curve = 0;
    if (observed->timed_out) {
        r->state = TRIAL_FAILED;
        snprintf(r->error, sizeof r->error, "ran longer than trial_timeout = %gs",
                 observed->timeout_s);
    } else {
        /* The leader of a gang says why it ended. */
        r->state = leads(observed->watch) ? TRIAL_PENDING : TRIAL_DONE;
    }
}

/* Only the scheduler knows whether to keep the model, so the result carries it. */
static int keep(struct model_runner *self, struct trial_result *r, struct gcn_outcome *outcome,
                const struct model_training *training, struct plan_trial where, struct err *err)
{
    const struct model_type *type = model_type_of(training->settings);
    const struct kept_trial trial = {
        .settings = training->settings,
        .data = self->data,
        .coordinates = training->coordinates,
        .outcome = outcome,
        .key = settings_key(training->settings, self->plan->sweep->swept, self->data->digest,
                            where.replicate, where.fold, &self->text),
        .replicate = where.replicate,
        .fold = where.fold};
    struct buf file = {0};
    float *weights = NULL;
    int rc = 0;

    if (type->weights)
        rc = type->weights(&weights, outcome, training, err);
    if (!rc)
        rc = kept_write(&file, &r->model_bytes, &trial, &self->scaling, err);
    free(weights);
    if (rc) {
        buf_release(&file);
        return -1;
    }
    r->model = file.data;
    if (file.data)
        r->model_bytes = file.size;
    return 0;
}

/* Also ends r's loading phase. */
static int load(struct model_training *training, struct model_runner *self, struct trial_result *r,
                struct plan_trial where, struct observed *observed, struct err *err)
{
    const struct settings *s = training->settings;

    if (model_type_of(s)->inputs) {
        training->inputs = prepared_inputs(self->prepared, s, err);
        if (!training->inputs)
            return -1;
    }
    training->split = prepared_split(self->prepared, s, where.replicate, where.fold, err);
    if (!training->split)
        return -1;
    training->seed = settings_seed(s, self->data->digest, where.replicate, where.fold, &self->text);
    observed->saved_s = clock_now(self->clock);
    r->timing[PHASE_LOAD] = observed->saved_s - observed->begun_s;
    return 0;
}

static bool goes_on(void *arg)
{
    struct observed *observed = arg;
    double seconds = clock_now(observed->self->clock) - observed->begun_s;

    observed->timed_out = observed->timeout_s > 0 && seconds > observed->timeout_s;
    return !observed->timed_out && observed->watch->keep_going(observed->watch->arg);
}

/* No checkpoint without epochs: a solve long enough to be worth one would exceed MOST_BYTES. */
static int train(struct model_runner *self, struct trial_result *r, const struct settings *s,
                 struct plan_trial where, struct observed *observed, struct crew *crew,
                 struct err *err)
{
    const struct model_type *type = model_type_of(s);
    const struct trial_checkpoint *from = observed->watch->from;
    const struct lapack_watch watch = {goes_on, observed};
    const struct gcn_observer observer = {.epoch_done = epoch_done,
                                          .stopping = stopping,
                                          .wants_scores = wants_scores,
                                          .arg = observed,
                                          .state = from ? from->state : NULL,
                                          .state_bytes = from ? from->bytes : 0};
    struct model_training training = {.settings = s,
                                      .data = self->data,
                                      .scratch = &self->scratch,
                                      .clock = self->clock,
                                      .observer = &observer,
                                      .crew = crew,
                                      .watch = &watch};
    struct gcn_outcome outcome = {.curve = NULL};

    if (type->trains && load(&training, self, r, where, observed, err))
        return -1;
    if (type->has_epochs) {
        observed->epochs = (int32_t)s->v[P_EPOCHS].i;
        observed->until = settings_rung_epochs(s, observed->watch->rung);
        r->curve = calloc((size_t)observed->epochs + 1, sizeof *r->curve);
        if (!r->curve)
            return err_nomem(err, "curve", (size_t)observed->epochs * sizeof *r->curve);
    }
    outcome.curve = r->curve;
    if (type->train(&outcome, &training, err))
        return -1;
    r->resumed_epoch = outcome.resumed_epoch;
    r->earlier_s = earlier_seconds(observed, &outcome);
    if (outcome.status == GCN_STOPPED) {
        stopped(r, observed, &outcome);
        return 0;
    }
    take_outcome(r, &outcome);
    return leads(observed->watch) && r->state == TRIAL_DONE && keep_of(s->v) != KEEP_NONE
               ? keep(self, r, &outcome, &training, where, err)
               : 0;
}

/* Train as a member of watch->gang. */
static int train_together(struct model_runner *self, struct trial_result *r,
                          const struct settings *s, struct plan_trial where,
                          struct observed *observed, struct err *err)
{
    struct gang_failure failure = {GANG_FINE, {{0}}};
    struct crew *crew;
    struct gang_member *gang;
    int rc = 0;

    if (open_gang(&gang, observed->watch, (int32_t)s->v[P_WORKERS].i, &failure)) {
        if (observed->watch->count) /* meetings that fail take time, too */
            observed->watch->count(
                observed->watch->arg,
                &(struct gang_counts){.meeting_s = clock_now(self->clock) - observed->begun_s});
        fail_gang(r, &failure);
        return 0;
    }
    observed->gang = gang;
    crew = gang_crew(gang);
    rc = train(self, r, s, where, observed, crew, err);
    if (crew->has_failed) {
        trial_result_release(r);
        r->n_curve = 0;
        fail_gang(r, gang_failure(gang));
        rc = 0;
    }
    count(observed);
    gang_close(gang);
    return rc;
}

static void run(void *self_, struct trial_result *r, int64_t number,
                const struct trial_watch *watch)
{
    struct model_runner *self = self_;
    struct observed observed = {
        .self = self, .watch = watch, .trial = number, .begun_s = clock_now(self->clock)};
    struct plan_trial where = plan_trial(self->plan, number);
    struct settings settings;
    struct err err = {{0}};

    FAULT_TRIAL(number);
    plan_settings(self->plan, where.config, &settings);
    arena_reset(&self->scratch);
    self->scratch.peak_bytes = 0;
    /* Only one member of a gang measures the time, since all end together. */
    observed.timeout_s = leads(watch) ? settings.v[P_TRIAL_TIMEOUT].f : 0;
    if (watch->gang ? train_together(self, r, &settings, where, &observed, &err)
                    : train(self, r, &settings, where, &observed, NULL, &err))
        fail(r, &err);
    r->peak_bytes = (int64_t)self->scratch.peak_bytes;
}

struct runner model_runner_interface(struct model_runner *self)
{
    return (struct runner){.run = run, .self = self};
}
