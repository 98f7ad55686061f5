/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/sweep_session.h"

#include <math.h>
#include <stdio.h>

#include "base/log.h"
#include "launch/launch_report.h"
#include "launch/stop.h"
#include "run/job_prepare.h"
#include "run/progress_line.h"
#include "run/refit.h"
#include "run/sweep_facts.h"
#include "run/sweep_match.h"
#include "run/walltime.h"
#include "sched/master.h"
#include "search/allocator.h"
#include "search/search.h"
#include "store/database_file.h"
#include "store/store.h"
#include "store/trial_files.h"
#include "trial/failures.h"
#include "trial/kept.h"

/* Limits of the share of a program that is left after a checkpoint. */
#define LEAST_LEFT 0.05
#define MOST_LEFT 0.99
#define COMPACT_S 60.0 /* store_compact() on a slow disk */
/* The owner of an open transaction will notice it, and waiting is cheaper than losing a job of
 * hours. */
#define WARN_S 2.0
#define PATIENCE_S 600.0
#define STOPPING_S 10.0 /* a batch system that asked the job to stop kills it soon */

int sweep_session_refit(struct sweep_session *session, struct err *err)
{
    struct refit *refit = &session->refit;
    char text[REFIT_TEXT];

    if (!session->prunes || session->n_others || refit->is_due)
        return 0;
    if (refit_find(refit, session->store, &session->job->plan, &session->job->data, &session->known,
                   err))
        return -1;
    if (!refit->n_due)
        return 0;
    progress_line_finish(&session->progress);
    for (int i = 0; i < refit->n_configs; i++)
        log_info("%s: training %s again for the model%s", refit_text(text, &refit->configs[i]),
                 refit->configs[i].n_due == 1 ? "it" : "them",
                 refit->configs[i].n_due == 1 ? "" : "s");
    for (int64_t t = 0; t < session->job->plan.n_trials; t++) {
        if (refit_has(refit, t) && session->dispatch)
            dispatch_reopen(session->dispatch, t);
        else if (refit_has(refit, t))
            ledger_reopen(session->ledger, t);
    }
    return 0;
}

/* ---- checkpoints of programs ---- */

/* Visit each unfinished trial that a program left with a checkpoint. */
static void each_saved(const struct sweep_session *session,
                       void (*visit)(void *arg, const struct sweep_session *session, int64_t trial),
                       void *arg)
{
    struct buf ids = {0};
    struct cursor in;

    trial_files_put_checkpoints(&ids, session->options->db);
    in = (struct cursor){.data = ids.data, .size = ids.size};
    while (in.at < in.size) {
        int64_t t =
            store_trials_find(&session->known, session->job->plan.n_trials, cursor_i64(&in));

        if (t >= 0 && ledger_state(session->ledger, t) <= TRIAL_RUNNING)
            visit(arg, session, t);
    }
    buf_release(&ids);
}

/* How long an unknown trial takes is not known either after a part. */
static void resume(void *arg, const struct sweep_session *session, int64_t trial)
{
    double expected_s = dispatch_expected_s(session->dispatch, trial);
    double spent_s = trial_files_seconds(session->options->db, session->known.ids[trial]);

    (void)arg;
    dispatch_resume(session->dispatch, trial,
                    isnan(expected_s)
                        ? MOST_LEFT
                        : fmin(fmax(1 - spent_s / expected_s, LEAST_LEFT), MOST_LEFT));
}

void sweep_session_resume_programs(struct sweep_session *session)
{
    each_saved(session, resume, NULL);
}

struct saved_count {
    double since;
    int64_t n;
};

static void count_saved(void *arg, const struct sweep_session *session, int64_t trial)
{
    struct saved_count *count = arg;

    count->n += !(count->since > 0) ||
                trial_files_saved(session->options->db, session->known.ids[trial]) >= count->since;
}

int64_t sweep_session_count_saved(const struct sweep_session *session, double since)
{
    struct saved_count count = {.since = since};

    each_saved(session, count_saved, &count);
    return count.n;
}

bool sweep_session_begins_anew(const struct sweep_session *session, int64_t trial)
{
    return ledger_state(session->ledger, trial) == TRIAL_PENDING &&
           !dispatch_resumes(session->dispatch, trial);
}

struct sweep_tries sweep_session_tries(const struct sweep_session *session)
{
    struct sweep_tries tries = {.least = INT32_MAX};

    for (int64_t t = 0; t < session->job->plan.n_trials; t++) {
        int32_t n = session->known.stopped[t] + dispatch_was_handed_out(session->dispatch, t);

        if (!sweep_session_begins_anew(session, t))
            continue;
        tries.least = n < tries.least ? n : tries.least;
        if (n <= tries.most)
            continue;
        tries.most = n;
        tries.example = session->known.ids[t];
    }
    return tries;
}

/* Some trials have been finished, and this run did not come to one that was never begun or has a
 * checkpoint. */
static bool has_others_to_try(const struct sweep_session *session)
{
    struct ledger_counts before = session->before;
    bool is_any = false;

    for (int64_t t = 0; t < session->job->plan.n_trials; t++)
        is_any |= ledger_state(session->ledger, t) == TRIAL_PENDING &&
                  !dispatch_was_handed_out(session->dispatch, t) &&
                  (!session->known.stopped[t] || dispatch_resumes(session->dispatch, t));
    return is_any && before.done + before.diverged + before.failed > 0;
}

bool sweep_session_is_in_vain(const struct sweep_session *session)
{
    double since = clock_unix() - (clock_now(&clock_system) - session->begun_s);

    /* A start that takes too long may be faster the next time. */
    if (!session->walltime.is_whole || !(session->walltime.whole_s > 0) || session->has_saved ||
        sweep_session_counts(session).pending != session->before.pending)
        return false;
    return !sweep_is_program(&session->job->sweep) ||
           (!sweep_session_count_saved(session, since) && !has_others_to_try(session));
}

static int on_finished(void *arg, struct err *err)
{
    struct sweep_session *session = arg;

    if (sweep_search_next(session, err))
        return -1;
    return ledger_is_finished(session->ledger) ? sweep_session_refit(session, err) : 0;
}

/* Trials that the search released again go on from a rung. */
static bool is_at_rung(const struct sweep_session *session, int32_t config, int32_t epoch)
{
    const struct plan *plan = &session->job->plan;
    struct settings settings;
    bool is_there = false;

    plan_settings(plan, config, &settings);
    for (int32_t rung = 1; rung < settings.v[P_RUNGS].i; rung++)
        is_there |= settings_rung_epochs(&settings, rung) == epoch;
    return is_there && session->search && allocator_of(&plan->fixed)->has_rungs;
}

static int on_result(void *arg, const struct trial_result *result, struct err *err)
{
    struct sweep_session *session = arg;
    int64_t id = session->known.ids[result->trial];
    int32_t config = plan_trial(&session->job->plan, result->trial).config;
    bool is_enough;

    session->has_results = true;
    if (refit_has(&session->refit, result->trial))
        return refit_take(&session->refit, session->store, id, result, err);
    if (result->resumed_epoch && !is_at_rung(session, config, result->resumed_epoch))
        log_info("t%lld resumed from its checkpoint after epoch %d of %d", (long long)id,
                 result->resumed_epoch, result->epochs_run);
    if (!result->model && result->model_bytes && !session->has_warned) {
        session->has_warned = true;
        log_warn("t%lld: a model of %.1f GB is not kept: the database takes at most %.1f GB "
                 "(set keep = none if you need no models)",
                 (long long)id, (double)result->model_bytes * 1e-9, (double)KEPT_MAX_BYTES * 1e-9);
    }
    program_files_missing_note(&session->missing, result, id);
    sweep_search_note(session, result);
    is_enough = failures_note(&session->failures, config, result) != FAILURES_GO_ON;
    return store_result(session->store, id, result, err) ? -1 : is_enough;
}

static struct store_place place_of(const struct master_trial *trial)
{
    return (struct store_place){.rank = trial->rank,
                                .host = trial->process->host,
                                .pid = (int32_t)trial->process->pid,
                                .members = trial->members,
                                .n_members = trial->n_members};
}

static int on_running(void *arg, const struct master_trial *trial, struct err *err)
{
    struct sweep_session *session = arg;
    struct store_place place = place_of(trial);

    if (refit_has(&session->refit, trial->trial))
        return 0;
    return store_attempt_begin(session->store, session->known.ids[trial->trial], &place,
                               trial->started, err);
}

static int on_returned(void *arg, const struct master_trial *trial, struct err *err)
{
    struct sweep_session *session = arg;
    struct store_place place = place_of(trial);

    if (refit_has(&session->refit, trial->trial))
        return 0;
    return store_attempt_stopped(session->store, session->known.ids[trial->trial], &place, err);
}

static int on_crashed(void *arg, const struct master_trial *trial, const char *reason,
                      struct err *err)
{
    struct sweep_session *session = arg;
    struct store_place place = place_of(trial);
    int64_t id = session->known.ids[trial->trial];

    if (refit_has(&session->refit, trial->trial))
        return 0;
    log_warn("t%lld runs again, because its gang lost a member: %s", (long long)id, reason);
    return store_attempt_crashed(session->store, id, &place, reason, err);
}

static int on_lost(void *arg, const struct master_loss *loss, struct err *err)
{
    struct sweep_session *session = arg;
    struct store_place place = place_of(&loss->attempt);
    char trial[48] = "";

    session->n_losses++;
    session->n_away++;
    launch_report_note_loss(loss->process);
    if (loss->attempt.trial >= 0)
        snprintf(trial, sizeof trial, " while running t%lld",
                 (long long)session->known.ids[loss->attempt.trial]);
    log_warn("rank %d (pid %lld on %s) is lost%s: %s; the other ranks take over its trials",
             loss->rank, (long long)loss->process->pid, loss->process->host, trial, loss->why);
    for (int32_t i = 0; i < loss->n_trials; i++)
        if (!refit_has(&session->refit, loss->trials[i]) &&
            store_attempt_crashed(session->store, session->known.ids[loss->trials[i]], &place,
                                  loss->reason, err))
            return -1;
    return 0;
}

static void on_unable(void *arg, int32_t rank, const struct process *process, const char *why)
{
    struct sweep_session *session = arg;

    session->n_away++;
    log_warn("rank %d (pid %lld on %s) gives its trials back and leaves: %s", rank,
             (long long)process->pid, process->host, why);
}

static int64_t on_id(void *arg, int64_t trial)
{
    struct sweep_session *session = arg;

    return session->known.ids[trial];
}

static int on_checkpoint(void *arg, const struct trial_checkpoint *checkpoint, struct err *err)
{
    struct sweep_session *session = arg;

    if (refit_has(&session->refit, checkpoint->trial))
        return 0;
    session->known.left[checkpoint->trial] = checkpoint->left;
    session->has_saved = true;
    return store_checkpoint(session->store, session->known.ids[checkpoint->trial], checkpoint, err);
}

static int on_report(void *arg, const struct trial_result *so_far, struct err *err)
{
    struct sweep_session *session = arg;

    if (refit_has(&session->refit, so_far->trial))
        return 0;
    return store_report(session->store, session->known.ids[so_far->trial], so_far, err);
}

static void on_resume(void *arg, int64_t trial, struct buf *out)
{
    struct sweep_session *session = arg;
    struct trial_checkpoint checkpoint = {.trial = trial};
    struct buf bytes = {0};
    struct err err;
    int rc =
        store_checkpoint_find(&checkpoint, &bytes, session->store, session->known.ids[trial], &err);

    if (rc < 0)
        log_warn("%s: t%lld starts again from its first epoch", err.text,
                 (long long)session->known.ids[trial]);
    if (rc == 1)
        trial_checkpoint_pack(out, &checkpoint);
    buf_release(&bytes);
}

static void on_back(void *arg, int32_t rank)
{
    struct sweep_session *session = arg;

    session->n_away--;
    log_info("rank %d is back", rank);
}

static int prune(struct sweep_session *session, bool is_whole, int64_t *n, struct err *err)
{
    const struct plan *plan = &session->job->plan;

    session->has_results = false;
    return store_prune_models(session->store, plan->sweep->fixed.v[P_SWEEP_NAME].s,
                              (int64_t)plan->replicates * plan->folds, is_whole, n, err);
}

/* Only the user can decide to train all trials without models again. */
static int report_without(const struct sweep_session *session, struct err *err)
{
    int64_t n;

    if (refit_count_without(&n, session->store, &session->job->plan, &session->job->data,
                            &session->known, err))
        return -1;
    if (n)
        log_info("keep = all, but %lld finished trial%s %s no model: to get all models, run the "
                 "same command with another --db and merge that file into this one ('espalier "
                 "merge')",
                 (long long)n, n == 1 ? "" : "s", n == 1 ? "has" : "have");
    return 0;
}

int sweep_session_settle_models(struct sweep_session *session, struct err *err)
{
    const struct given *fixed = &session->job->sweep.fixed;
    bool is_none = keep_of(fixed->v) == KEEP_NONE;
    const char *name = fixed->v[P_SWEEP_NAME].s;
    const struct store_trials *known = &session->known;
    struct errlist damaged = {0};
    bool was_whole = true;
    int64_t n = 0;
    int rc = is_none ? store_drop_models(session->store, name, &n, err)
                     : store_drop_damaged(session->store, name, &damaged, err);

    for (size_t i = 0; i < damaged.n; i++)
        log_warn("%s", damaged.text[i]);
    errlist_release(&damaged);
    for (int64_t t = 0; session->prunes && t < session->job->plan.n_trials; t++)
        was_whole &=
            known->ours[t] && known->states[t] != TRIAL_PENDING &&
            known->states[t] != TRIAL_RUNNING && known->states[t] != TRIAL_HELD &&
            (known->states[t] != TRIAL_STOPPED || search_is_wanted(&session->job->plan.fixed));
    if (!rc && session->prunes)
        rc = prune(session, was_whole, &n, err);
    if (!rc)
        rc = store_commit(session->store, err);
    if (!rc && n)
        log_info("dropped the models of %lld trial%s from an earlier run: %s", (long long)n,
                 n == 1 ? "" : "s",
                 is_none ? "keep = none"
                         : "keep = best, and --rule best and 1se choose other configurations");
    return !rc && keep_of(fixed->v) == KEEP_ALL ? report_without(session, err) : rc;
}

/* Programs whose results are about to be stored may have read other files than the key states. */
static int check_inputs(struct sweep_session *session, struct err *err)
{
    struct job now;
    size_t n_written = session->job->written.n;
    bool has_changed;

    if (job_inputs_changed(&has_changed, &now, session->job, err) == 0 && !has_changed)
        return session->job->written.n == n_written
                   ? 0
                   : sweep_facts_store(session->store, session->job, err);
    progress_line_finish(&session->progress);
    session->has_changed = true;
    if (has_changed) {
        sweep_match_refuse(session->store, session->options->db, &now, session->faults);
        dataset_release(&now.data);
        errlist_release(&now.accepted);
        err_set(err, "the files of program.inputs changed");
    }
    return err_wrap(err, "the run stops, without the results of the last moments");
}

static int on_commit(void *arg, struct err *err)
{
    struct sweep_session *session = arg;
    bool is_whole = !session->n_others && ledger_is_finished(session->ledger) &&
                    !ledger_counts(session->ledger).held;
    int rc = check_inputs(session, err);

    if (!rc && session->prunes && session->has_results)
        rc = prune(session, is_whole, NULL, err);
    if (!rc)
        rc = store_commit(session->store, err);
    if (rc)
        return -1;
    if (session->is_blocked)
        log_info("%s: can be written again", session->options->db);
    session->is_blocked = false;
    /* The room that the database has reserved is for the results of the trials that run now. */
    if (!session->is_full && !ledger_is_finished(session->ledger) &&
        database_file_is_full(session->options->db)) {
        session->is_full = true;
        progress_line_finish(&session->progress);
        log_warn("%s: the disk or a quota is full (df, quota): the run stops",
                 session->options->db);
    }
    return session->is_full;
}

static int on_traffic(void *arg, int32_t rank, const struct process *process,
                      const struct traffic *traffic, struct err *err)
{
    struct sweep_session *session = arg;

    return store_put_traffic(session->store, rank, process->host, traffic, err);
}

static void on_progress(void *arg, const struct master_progress *now)
{
    struct sweep_session *session = arg;
    struct master_progress own = *now;

    launch_report_alive();
    if (stop_has_news()) {
        progress_line_finish(&session->progress);
        stop_tell(now->n_busy > 0, sweep_is_program(&session->job->sweep),
                  walltime_within(&session->walltime, session->options->grace_s));
    }
    own.counts = sweep_session_counts(session);
    progress_line_show(&session->progress, session->store, &own);
}

struct ledger_counts sweep_session_counts(const struct sweep_session *session)
{
    struct ledger_counts counts = ledger_counts(session->ledger);

    counts.done -= session->n_others;
    counts.total -= session->n_others;
    return counts;
}

int64_t sweep_session_models_left(const struct sweep_session *session)
{
    int64_t n = 0;

    for (int64_t t = 0; t < session->job->plan.n_trials; t++)
        n += refit_has(&session->refit, t) && ledger_state(session->ledger, t) <= TRIAL_RUNNING;
    return n;
}

void sweep_session_keep_alive(void *arg)
{
    struct sweep_session *session = arg;

    launch_report_alive();
    if (session->master)
        master_keep_alive(session->master);
}

static bool on_wait(void *arg, double waited_s, const char *holder)
{
    struct sweep_session *session = arg;

    sweep_session_keep_alive(session);
    if (waited_s >= WARN_S && !session->is_blocked) {
        session->is_blocked = true;
        log_warn("%s: cannot write: blocked by %s; waiting up to %.0f minutes",
                 session->options->db,
                 *holder ? holder : "another process, or by a lock service that does not answer",
                 PATIENCE_S / 60);
    }
    return !stop_signal || waited_s < STOPPING_S;
}

void sweep_session_be_patient(struct sweep_session *session)
{
    store_be_patient(session->store, PATIENCE_S, on_wait, session);
}

static bool may_compact(void *arg)
{
    const struct sweep_session *session = arg;

    launch_report_alive();
    return !stop_signal && walltime_within(&session->walltime, 1) > 0;
}

void sweep_session_compact(struct sweep_session *session)
{
    int64_t bytes;

    if (walltime_within(&session->walltime, COMPACT_S) < COMPACT_S)
        return;
    bytes = store_compact(session->store, may_compact, session);
    if (bytes)
        log_verbose("the database is %.1f MB smaller: its free pages were given back to the disk",
                    (double)bytes * 1e-6);
}

static void run_noted(void *self, struct trial_result *r, int64_t number,
                      const struct trial_watch *watch)
{
    struct sweep_session *session = self;
    struct runner runner = sweep_runner_interface(&session->runner);

    if (!refit_has(&session->refit, number) && !(watch->gang && watch->gang->rank > 0))
        store_note_running(session->store, session->known.ids[number]);
    runner.run(runner.self, r, number, watch);
}

static const char *unable(const void *self)
{
    const struct runner *runner = &((const struct sweep_session *)self)->runner.inner;

    return runner->unable ? runner->unable(runner->self) : "";
}

struct runner sweep_session_runner(struct sweep_session *session)
{
    return (struct runner){.run = run_noted, .unable = unable, .self = session};
}

struct master_sink sweep_session_sink(struct sweep_session *session)
{
    return (struct master_sink){.result = on_result,
                                .running = on_running,
                                .returned = on_returned,
                                .crashed = on_crashed,
                                .lost = on_lost,
                                .unable = on_unable,
                                .checkpoint = on_checkpoint,
                                .report = on_report,
                                .resume = on_resume,
                                .id = on_id,
                                .back = on_back,
                                .finished = on_finished,
                                .commit = on_commit,
                                .traffic = on_traffic,
                                .progress = on_progress,
                                .arg = session};
}
