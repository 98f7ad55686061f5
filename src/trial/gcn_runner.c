#include "trial/gcn_runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "trial/spec.h"

struct gcn_runner {
    const struct plan *plan;
    struct prepared *prepared;
    const struct dataset *data;
    const struct clock *clock;
    struct arena scratch;
    struct buf text; /* scratch of the key */
};

/* What the observer of one trial knows. */
struct watch {
    bool (*keep_going)(void *arg);
    void *arg;
    const struct clock *clock;
    double deadline_s; /* 0: none */
    bool timed_out;
};

struct gcn_runner *gcn_runner_create(const struct plan *plan, const struct dataset *data,
                                     struct prepared *prepared, const struct clock *clock,
                                     struct err *err)
{
    struct gcn_runner *self = calloc(1, sizeof *self);

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

void gcn_runner_destroy(struct gcn_runner *self)
{
    if (!self)
        return;
    arena_release(&self->scratch);
    buf_release(&self->text);
    free(self);
}

static bool epoch_done(void *arg, const struct gcn_outcome *so_far)
{
    struct watch *watch = arg;

    (void)so_far;
    if (watch->deadline_s > 0 && clock_now(watch->clock) > watch->deadline_s) {
        watch->timed_out = true;
        return false;
    }
    return watch->keep_going(watch->arg);
}

static void fail(struct trial_result *r, const struct err *err)
{
    r->state = TRIAL_FAILED;
    snprintf(r->error, sizeof r->error, "%.*s", (int)sizeof r->error - 1, err->text);
}

/* Move what training found into the result. */
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

static void stopped(struct trial_result *r, const struct watch *watch, double timeout_s)
{
    trial_result_release(r);
    r->n_curve = 0;
    if (watch->timed_out) {
        r->state = TRIAL_FAILED;
        snprintf(r->error, sizeof r->error, "ran longer than trial_timeout = %gs", timeout_s);
    } else {
        r->state = TRIAL_PENDING;
    }
}

static int train(struct gcn_runner *self, struct trial_result *r, const struct settings *s,
                 struct plan_trial where, struct watch *watch, struct err *err)
{
    double begun_s = clock_now(self->clock);
    double timeout_s = s->v[P_TRIAL_TIMEOUT].f;
    const struct gcn_inputs *inputs = prepared_inputs(self->prepared, s, err);
    const struct split *split;
    struct gcn_observer observer = {.epoch_done = epoch_done, .arg = watch};
    struct gcn_outcome outcome;
    struct gcn_spec spec;
    struct hash key;

    if (!inputs)
        return -1;
    split = prepared_split(self->prepared, s, where.replicate, where.fold, err);
    if (!split)
        return -1;
    spec_gcn(&spec, s);
    key = settings_key(s, self->plan->sweep->swept, self->data->digest, where.replicate, where.fold,
                       &self->text);
    memset(&outcome, 0, sizeof outcome);
    r->curve = calloc((size_t)spec.epochs + 1, sizeof *r->curve);
    if (!r->curve)
        return err_nomem(err, "curve", ((size_t)spec.epochs + 1) * sizeof *r->curve);
    outcome.curve = r->curve;
    r->timing[PHASE_LOAD] = clock_now(self->clock) - begun_s;
    watch->deadline_s = timeout_s > 0 ? begun_s + timeout_s : 0;
    if (gcn_train(&outcome, &spec, inputs, split, key, (int)s->v[P_THREADS].i, &self->scratch,
                  self->clock, &observer, err))
        return -1;
    if (outcome.status == GCN_STOPPED)
        stopped(r, watch, timeout_s);
    else
        take_outcome(r, &outcome);
    return 0;
}

static void run(void *self_, struct trial_result *r, int64_t number, bool (*keep_going)(void *arg),
                void *arg)
{
    struct gcn_runner *self = self_;
    struct watch watch = {.keep_going = keep_going, .arg = arg, .clock = self->clock};
    struct plan_trial where = plan_trial(self->plan, number);
    struct settings settings;
    struct err err = {{0}};

    plan_settings(self->plan, where.config, &settings);
    if (spec_model(&settings) == MODEL_NOOP) {
        r->state = TRIAL_DONE;
        r->value = 0;
        return;
    }
    arena_reset(&self->scratch);
    self->scratch.peak_bytes = 0;
    if (train(self, r, &settings, where, &watch, &err))
        fail(r, &err);
    r->peak_bytes = (int64_t)self->scratch.peak_bytes;
}

struct runner gcn_runner_interface(struct gcn_runner *self)
{
    return (struct runner){.run = run, .self = self};
}
