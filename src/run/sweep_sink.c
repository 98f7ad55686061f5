#include "run/sweep_sink.h"

#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "launch/launch_report.h"
#include "launch/stop.h"
#include "run/database_trouble.h"
#include "run/progress.h"
#include "run/refit.h"
#include "run/walltime.h"
#include "sched/master.h"
#include "store/store.h"
#include "trial/failures.h"
#include "trial/kept.h"
#include "trial/model_runner.h"

#define COMPACT_S 60.0 /* the most that store_compact() takes on a slow disk */

int sweep_refit(struct sweep_state *state, struct err *err)
{
    struct refit *remake = &state->remake;
    char text[REFIT_TEXT];

    if (!state->prunes || state->n_others || remake->is_due)
        return 0;
    if (refit_find(remake, state->store, state->plan, state->data, &state->known, err))
        return -1;
    if (!remake->n_due)
        return 0;
    progress_finish(&state->progress);
    for (int i = 0; i < remake->n_configs; i++)
        log_info("%s: they are trained once more for that alone",
                 refit_text(text, &remake->configs[i]));
    for (int64_t t = 0; t < state->plan->n_trials; t++) {
        if (refit_has(remake, t) && state->dispatch)
            dispatch_reopen(state->dispatch, t);
        else if (refit_has(remake, t))
            ledger_reopen(state->ledger, t);
    }
    return 0;
}

static int on_finished(void *arg, struct err *err)
{
    return sweep_refit(arg, err);
}

static void note_trial(struct sweep_state *state, int64_t trial, double value)
{
    if (progress_trial(&state->progress, trial, value))
        state->progress.best_id = state->known.config_ids[plan_trial(state->plan, trial).config];
}

static void warn_large(struct sweep_state *state, const struct trial_result *result)
{
    if (result->model || !result->model_bytes || state->has_warned)
        return;
    state->has_warned = true;
    log_warn("t%lld: a model of %.1f GB is not kept: at most %.1f GB go into the database "
             "(keep = none says that none is wanted)",
             (long long)state->known.ids[result->trial], (double)result->model_bytes * 1e-9,
             (double)KEPT_MAX_BYTES * 1e-9);
}

static int on_result(void *arg, const struct trial_result *result, struct err *err)
{
    struct sweep_state *state = arg;
    double value = result->state == TRIAL_DONE ? result->value : (double)NAN;

    state->has_results = true;
    if (refit_has(&state->remake, result->trial))
        return refit_take(&state->remake, state->store, state->known.ids[result->trial], result,
                          err);
    if (result->state != TRIAL_PENDING)
        note_trial(state, result->trial, value);
    if (result->resumed_epoch)
        log_info("t%lld has gone on after epoch %d of %d, from its checkpoint",
                 (long long)state->known.ids[result->trial], result->resumed_epoch,
                 result->epochs_run);
    warn_large(state, result);
    if (failures_note(&state->failures, result) != FAILURES_GO_ON)
        stop_ask();
    return store_result(state->store, state->known.ids[result->trial], result, err);
}

static struct store_place place_of(int32_t rank, const struct process *process)
{
    return (struct store_place){.rank = rank, .host = process->host, .pid = (int32_t)process->pid};
}

static int on_running(void *arg, const struct master_trial *trial, struct err *err)
{
    struct sweep_state *state = arg;
    struct store_place place = place_of(trial->rank, trial->process);

    if (refit_has(&state->remake, trial->trial))
        return 0;
    return store_attempt_begin(state->store, state->known.ids[trial->trial], &place, trial->started,
                               err);
}

static int on_lost(void *arg, const struct master_loss *loss, struct err *err)
{
    struct sweep_state *state = arg;
    struct store_place place = place_of(loss->rank, loss->process);
    char trial[48] = "";

    state->n_losses++;
    launch_parent_note_loss(loss->process);
    if (loss->running >= 0)
        snprintf(trial, sizeof trial, " while it ran t%lld",
                 (long long)state->known.ids[loss->running]);
    log_warn("rank %d (pid %lld on %s) is lost%s: %s; the others go on with what it held",
             loss->rank, (long long)loss->process->pid, loss->process->host, trial, loss->why);
    for (int32_t i = 0; i < loss->n_trials; i++)
        if (!refit_has(&state->remake, loss->trials[i]) &&
            store_attempt_crashed(state->store, state->known.ids[loss->trials[i]], &place,
                                  loss->why, err))
            return -1;
    return 0;
}

static int on_checkpoint(void *arg, const struct trial_checkpoint *checkpoint, struct err *err)
{
    struct sweep_state *state = arg;

    if (refit_has(&state->remake, checkpoint->trial))
        return 0;
    state->known.left[checkpoint->trial] = checkpoint->left;
    return store_checkpoint(state->store, state->known.ids[checkpoint->trial], checkpoint, err);
}

static void on_resume(void *arg, int64_t trial, struct buf *out)
{
    struct sweep_state *state = arg;
    struct trial_checkpoint checkpoint = {.trial = trial};
    struct buf bytes = {0};
    struct err err;
    int rc =
        store_checkpoint_find(&checkpoint, &bytes, state->store, state->known.ids[trial], &err);

    if (rc < 0)
        log_warn("%s: t%lld begins anew", err.text, (long long)state->known.ids[trial]);
    if (rc == 1)
        trial_checkpoint_pack(out, &checkpoint);
    buf_release(&bytes);
}

static void on_back(void *arg, int32_t rank)
{
    (void)arg;
    log_info("rank %d is back", rank);
}

static int prune(struct sweep_state *state, bool is_whole, int64_t *n, struct err *err)
{
    const struct plan *plan = state->plan;

    state->has_results = false;
    return store_prune_models(state->store, plan->sweep->fixed.v[P_SWEEP_NAME].s,
                              (int64_t)plan->replicates * plan->folds, is_whole, n, err);
}

/* Whether an earlier run has left nothing of the whole sweep to be run. */
static bool was_whole(const struct sweep_state *state)
{
    const struct store_trials *known = &state->known;

    for (int64_t t = 0; t < state->plan->n_trials; t++)
        if (!known->ours[t] || known->states[t] == TRIAL_PENDING ||
            known->states[t] == TRIAL_RUNNING)
            return false;
    return true;
}

/* Of runs that kept fewer; to train them all again is for the user to say. */
static int tell_without(const struct sweep_state *state, struct err *err)
{
    int64_t n;

    if (refit_count_without(&n, state->store, state->plan, state->data, &state->known, err))
        return -1;
    if (n)
        log_info("keep = all, but %lld trial%s that %s done %s no model: the same command with "
                 "another --db trains all again, and 'espalier merge' of that file into this one "
                 "brings the models in",
                 (long long)n, n == 1 ? "" : "s", n == 1 ? "is" : "are", n == 1 ? "has" : "have");
    return 0;
}

/* What is damaged lacks, as if it had never been kept. */
static int drop_damaged(const struct sweep_state *state, struct err *err)
{
    struct errlist notes = {0};
    int rc =
        store_drop_damaged(state->store, state->plan->sweep->fixed.v[P_SWEEP_NAME].s, &notes, err);

    for (size_t i = 0; i < notes.n; i++)
        log_warn("%s", notes.text[i]);
    errlist_release(&notes);
    return rc;
}

int sweep_settle_models(struct sweep_state *state, struct err *err)
{
    const struct settings *fixed = &state->plan->sweep->fixed;
    bool is_none = keep_of(fixed) == KEEP_NONE;
    int64_t n = 0;
    int rc = is_none ? store_drop_models(state->store, fixed->v[P_SWEEP_NAME].s, &n, err)
                     : drop_damaged(state, err);

    if (!rc && state->prunes)
        rc = prune(state, was_whole(state), &n, err);
    if (!rc)
        rc = store_commit(state->store, err);
    if (!rc && n)
        log_info("models of %lld trials that an earlier run kept are dropped: %s", (long long)n,
                 is_none ? "keep = none" : "keep = best, and --rule best and 1se choose others");
    return !rc && keep_of(fixed) == KEEP_ALL ? tell_without(state, err) : rc;
}

static int on_commit(void *arg, struct err *err)
{
    struct sweep_state *state = arg;
    bool is_whole = !state->n_others && ledger_is_finished(state->ledger);
    int rc = state->prunes && state->has_results ? prune(state, is_whole, NULL, err) : 0;

    if (!rc)
        rc = store_commit(state->store, err);

    if (!rc)
        database_trouble_over(&state->trouble);
    return rc;
}

static void on_progress(void *arg, const struct master_progress *now)
{
    struct sweep_state *state = arg;
    struct master_progress own = *now;

    launch_report_alive();
    if (stop_has_news()) {
        progress_finish(&state->progress);
        stop_tell(now->n_busy, walltime_within(&state->walltime, state->grace_s));
    }
    own.counts = sweep_counts(state);
    progress_show(&state->progress, &own);
}

struct ledger_counts sweep_counts(const struct sweep_state *state)
{
    struct ledger_counts counts = ledger_counts(state->ledger);

    counts.done -= state->n_others;
    counts.total -= state->n_others;
    return counts;
}

int64_t sweep_models_left(const struct sweep_state *state)
{
    int64_t n = 0;

    for (int64_t t = 0; t < state->plan->n_trials; t++)
        n += refit_has(&state->remake, t) && ledger_state(state->ledger, t) <= TRIAL_RUNNING;
    return n;
}

void sweep_keep_alive(void *arg)
{
    struct sweep_state *state = arg;

    launch_report_alive();
    if (state->master)
        master_keep_alive(state->master);
}

static bool may_compact(void *arg)
{
    const struct sweep_state *state = arg;

    launch_report_alive();
    return !stop_signal && walltime_within(&state->walltime, 1) > 0;
}

void sweep_compact(struct sweep_state *state)
{
    int64_t bytes;

    if (walltime_within(&state->walltime, COMPACT_S) < COMPACT_S)
        return;
    bytes = store_compact(state->store, may_compact, state);
    if (bytes)
        log_info("the database is %.1f MB smaller: its free pages were given back to the disk",
                 (double)bytes * 1e-6);
}

static void run_noted(void *self, struct trial_result *r, int64_t number,
                      const struct trial_watch *watch)
{
    struct sweep_state *state = self;
    struct runner runner = model_runner_interface(state->runner);

    if (!refit_has(&state->remake, number))
        store_note_running(state->store, state->known.ids[number]);
    runner.run(runner.self, r, number, watch);
}

struct runner sweep_runner(struct sweep_state *state)
{
    return (struct runner){.run = run_noted, .self = state};
}

struct master_sink sweep_sink(struct sweep_state *state)
{
    return (struct master_sink){.result = on_result,
                                .running = on_running,
                                .lost = on_lost,
                                .checkpoint = on_checkpoint,
                                .resume = on_resume,
                                .back = on_back,
                                .finished = on_finished,
                                .commit = on_commit,
                                .progress = on_progress,
                                .arg = state};
}
