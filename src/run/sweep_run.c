/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/sweep_run.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/fault.h"
#include "base/log.h"
#include "config.h"
#include "grid/plan.h"
#include "grid/shard.h"
#include "launch/gpu_share.h"
#include "launch/host.h"
#include "launch/preflight.h"
#include "launch/stop.h"
#include "program/beneath.h"
#include "run/calibrate.h"
#include "run/sweep_facts.h"
#include "run/sweep_match.h"
#include "run/sweep_predictions.h"
#include "run/sweep_share.h"
#include "run/sweep_summary.h"
#include "sched/master.h"
#include "sched/relay.h"
#include "sched/world.h"
#include "search/search.h"
#include "store/database_file.h"
#include "store/trial_files.h"
#include "tensor/gemm.h"
#include "trial/kept.h"

/* of all ranks in a minute; storing 1 MB takes 10 ms, and a job keeps 30 s for its end */
#define CHECKPOINT_BYTES ((size_t)512 << 20)
/* A commit waits for the disk: with results of 20 us, once in half a second. */
#define COMMIT_RESULTS 25000
/* for a step that takes the others no time, or GPU_LISTING_S */
#define SHORT_STEP_S 60.0

/* A broadcast of rank 0 begins with its kind; an empty one sends the others home. */
enum broadcast { BROADCAST_GPUS, BROADCAST_PLAN };

/* ---- the other ranks ---- */

/* Rank 0 is gone, so nobody takes a result. */
static void leave_alone(const struct err *err) __attribute__((noreturn));
static void leave_alone(const struct err *err)
{
    log_warn("%s; this rank exits: the same command continues", err->text);
    world_leave(EXIT_ERROR);
}

/* The state of another rank. */
struct follower {
    const struct world *world;
    struct spawner *spawner;
    struct gpu_shares gpus;
    int gpus_rc; /* -1: too few, as rank 0 knows, or a fault of this rank alone */
    struct err gpus_err;
};

/* On all ranks; wish: of rank 0. */
static int settle(struct gpu_shares *gpus, const struct world *world, const struct gpu_wish *wish,
                  struct err *err)
{
    int rc;

    world_expect(SHORT_STEP_S);
    rc = gpu_settle(gpus, world, wish, err);
    world_expect((double)INFINITY);
    return rc;
}

static int follow_plan(struct follower *f, struct cursor *in, struct err *err)
{
    struct sweep_runner runner = {.model = NULL};
    struct relay_options options = {.cut_off = leave_alone};
    struct prepared *prepared = NULL;
    struct sweep_share share = {.n = 0};
    struct dataset data = {0};
    char files[PATH_MAX];
    struct sweep_place place = {files, f->spawner, &f->gpus};
    struct runner interface;
    struct sweep sweep;
    struct plan plan;
    int rc;

    if (f->gpus_rc) {
        *err = f->gpus_err;
        return -1;
    }
    cursor_text(in, files, sizeof files);
    if (plan_unpack(&plan, &sweep, in, err))
        return -1;
    world_expect(sweep_share_patience(&sweep));
    rc = sweep_share_take(&share, f->world, &data, &prepared, &plan, err);
    if (!rc)
        rc = sweep_runner_open(&runner, &plan, &data, prepared, &place, err);
    if (!rc) {
        interface = sweep_runner_interface(&runner);
        options.silence_s = sweep.fixed.v[P_HEARTBEAT_LIMIT].f;
        world_settle();
        rc = relay_serve(f->world, &interface, &options, &clock_system, err);
    }
    sweep_runner_close(&runner);
    prepared_destroy(prepared);
    dataset_release(&data);
    sweep_share_release(&share);
    plan_release(&plan);
    sweep_release(&sweep);
    return rc;
}

int sweep_run_follow(const struct world *world, struct spawner *spawner, struct err *err)
{
    struct follower f = {.world = world, .spawner = spawner};
    bool goes_on;
    int rc;

    do {
        void *bytes = NULL;
        size_t n = 0;
        struct cursor in;

        rc = world_broadcast(world, &bytes, &n, err);
        in = (struct cursor){.data = bytes, .size = n};
        goes_on = !rc && n && cursor_u32(&in) == BROADCAST_GPUS;
        if (goes_on) {
            f.gpus_rc = settle(&f.gpus, world, NULL, &f.gpus_err);
        } else if (!rc && n) {
            stop_heed();
            rc = follow_plan(&f, &in, err);
        }
        free(bytes);
    } while (goes_on);
    gpu_shares_release(&f.gpus);
    return rc ? err_wrap(err, "rank %d", world->rank) : 0;
}

/* ---- rank 0 ---- */

int sweep_run_settle(struct gpu_shares *gpus, const struct world *world, const struct sweep *sweep,
                     struct err *err)
{
    const struct gpu_wish wish = preflight_gpus(sweep);
    struct buf message = {0};
    void *bytes;
    size_t n;
    int rc = 0;

    *gpus = (struct gpu_shares){.n = 0};
    if (wish.gpus <= 0)
        return 0;
    buf_put_u32(&message, BROADCAST_GPUS);
    bytes = message.data;
    n = message.size;
    world_expect(SHORT_STEP_S);
    if (buf_failed(&message))
        rc = err_nomem(err, "GPUs", n);
    else if (world->size > 1)
        rc = world_broadcast(world, &bytes, &n, err);
    buf_release(&message);
    return rc ? -1 : settle(gpus, world, &wish, err);
}

bool sweep_run_is_finished(enum trial_state state, bool retry_failed)
{
    return state == TRIAL_DONE || state == TRIAL_DIVERGED ||
           (state == TRIAL_FAILED && !retry_failed);
}

bool sweep_run_would_start(const struct job *job, const struct store_trials *known, int64_t trial,
                           bool retry_failed)
{
    return known->ours[trial] &&
           !(known->states[trial] == TRIAL_STOPPED && search_is_wanted(&job->plan.fixed)) &&
           !sweep_run_is_finished((enum trial_state)known->states[trial], retry_failed) &&
           known->crashes[trial] < job->sweep.fixed.v[P_CRASH_LIMIT].i;
}

/* Count the trials that a run would begin. */
static int count_left(int64_t *n, const struct job *job, const struct sweep_options *options,
                      struct err *err)
{
    struct store_trials known = {.ours = NULL};
    struct store *store = NULL;
    int rc = store_trials_init(&known, job->plan.n_trials, err) ||
                     shard_mark(known.ours, &options->shard, &job->plan, &job->data, err)
                 ? -1
                 : 0;

    if (!rc && access(options->db, F_OK) == 0)
        rc = store_open_reader(&store, options->db, err) ||
                     store_find(store, &job->plan, &job->data, &known, err)
                 ? -1
                 : 0;
    *n = 0;
    for (int64_t t = 0; !rc && t < job->plan.n_trials; t++)
        *n += sweep_run_would_start(job, &known, t, options->retry_failed);
    store_close(store);
    store_trials_release(&known);
    return rc;
}

int sweep_run_check_ranks(const struct job *job, int32_t n_ranks,
                          const struct sweep_options *options, struct err *err)
{
    int32_t widest = plan_widest(&job->plan);
    int64_t n_left;

    if (widest <= n_ranks)
        return 0;
    if (count_left(&n_left, job, options, err))
        return -1;
    if (!n_left)
        return 0;
    return err_set(
        err,
        "ranks = %d: a trial needs %d ranks, and this launch has %d; start at least %d (-n %d), or "
        "%s %d",
        widest, widest, n_ranks, widest, widest,
        job->sweep.swept[P_RANKS] ? "give the axis ranks no number above" : "set ranks =", n_ranks);
}

/* The trial crashed its rank crash_limit times in earlier runs. */
static int fail_crashed(struct sweep_session *session, int64_t trial, struct err *err)
{
    struct trial_result r;
    int rc;

    trial_result_init(&r, trial);
    snprintf(r.error, sizeof r.error, "took its rank down %d times (crash_limit)",
             session->known.crashes[trial]);
    r.started = r.finished = clock_unix();
    r.seconds = 0;
    r.pid = (int32_t)getpid();
    host_name(r.host, sizeof r.host);
    rc = store_result(session->store, session->known.ids[trial], &r, err);
    trial_result_release(&r);
    return rc;
}

static int make_ledger(struct sweep_session *session, struct err *err)
{
    const struct job *job = session->job;
    int64_t each = (int64_t)job->plan.replicates * job->plan.folds;
    int32_t crash_limit = (int32_t)job->sweep.fixed.v[P_CRASH_LIMIT].i;

    session->ledger = ledger_create(job->plan.n_trials, each, NULL, crash_limit, err);
    if (!session->ledger)
        return -1;
    for (int64_t t = 0; t < job->plan.n_trials; t++) {
        enum trial_state known = (enum trial_state)session->known.states[t];

        if (t >= job->plan.rows.n * each) /* not proposed yet: the search holds it */
            continue;
        if (!session->known.ours[t]) {
            ledger_mark(session->ledger, t, TRIAL_DONE);
            session->n_others++;
        } else if (sweep_run_is_finished(known, session->options->retry_failed)) {
            ledger_mark(session->ledger, t, known);
        } else if (ledger_blame(session->ledger, t, session->known.crashes[t])) {
            if (fail_crashed(session, t, err))
                return -1;
        } else if (session->known.lost[t]) {
            ledger_suspect(session->ledger, t);
        }
    }
    if (sweep_search_begin(session, err))
        return -1;
    if (ledger_is_finished(session->ledger) && sweep_session_refit(session, err))
        return -1;
    session->only_models = session->refit.n_due > 0;
    session->before = sweep_session_counts(session);
    return 0;
}

static int create_dispatch(struct sweep_session *session, struct err *err)
{
    const struct world *world = session->world;
    int32_t *widths, *hosts;
    int rc = job_widths(&widths, session->job, err);

    hosts = widths ? malloc((size_t)world->size * sizeof *hosts) : NULL;
    if (hosts)
        world_hosts(world, hosts);
    else if (widths)
        rc = err_nomem(err, "hosts", (size_t)world->size * sizeof *hosts);
    if (!rc) {
        session->dispatch = dispatch_create(session->ledger, session->cost, world->size, widths,
                                            session->job->work != NULL, hosts, err);
        rc = session->dispatch ? 0 : -1;
    }
    free(widths);
    free(hosts);
    return rc;
}

/* Programs without a checkpoint that were stopped more often than others go after them, and are
 * expected to take longer than they ran. Else the ends of several runs could stop the same trial, while
 * another is never begun. */
static void put_back_stopped(struct sweep_session *session)
{
    const struct store_trials *known = &session->known;
    struct sweep_tries tries = sweep_session_tries(session);

    for (int64_t t = 0; t < session->job->plan.n_trials; t++) {
        if (!sweep_session_begins_anew(session, t) || !known->stopped[t])
            continue;
        if (known->stopped[t] > tries.least)
            ledger_suspect(session->ledger, t);
        dispatch_ran_in_vain(session->dispatch, t, (double)known->stopped_s[t]);
    }
}

static int make_dispatch(struct sweep_session *session, struct err *err)
{
    struct job *job = session->job;
    int32_t n_ranks = session->world->size;

    session->cost = cost_create(job->rank_work, job->plan.n_configs, n_ranks, err);
    if (!session->cost)
        return -1;
    if (session->before.pending &&
        calibrate_cost(session->cost, job, &session->known, n_ranks, (double)INFINITY, err) < 0)
        return -1;
    if (create_dispatch(session, err))
        return -1;
    if (sweep_runner_interface(&session->runner).isolates)
        dispatch_isolate(session->dispatch);
    for (int64_t t = 0; t < job->plan.n_trials; t++)
        if (session->known.left[t] < 1)
            dispatch_resume(session->dispatch, t, session->known.left[t]);
    if (sweep_is_program(&job->sweep)) {
        sweep_session_resume_programs(session);
        put_back_stopped(session);
    }
    return 0;
}

static int make_master(struct sweep_session *session, struct err *err)
{
    struct job *job = session->job;
    struct master_options limits = {
        .commit_s = 0.5,
        .commit_results = COMMIT_RESULTS,
        .stop = &stop_request,
        .grace_s = session->options->grace_s,
        .checkpoint_bytes = CHECKPOINT_BYTES,
        .until_s = session->walltime.until_s,
        .silence_s = job->sweep.fixed.v[P_HEARTBEAT_LIMIT].f,
        .begun_s = session->begun_s,
    };
    struct master_sink sink = sweep_session_sink(session);
    struct runner runner = sweep_session_runner(session);
    struct sweep_place place = {NULL, session->options->spawner, session->options->gpus};
    struct master_parts parts = {.world = session->world,
                                 .runner = &runner,
                                 .sink = &sink,
                                 .options = &limits,
                                 .clock = &clock_system};

    trial_files_put_absolute(&session->files, session->options->db);
    if (buf_failed(&session->files))
        return err_nomem(err, "path", session->files.size);
    place.files = buf_text(&session->files);
    if (sweep_runner_open(&session->runner, &job->plan, &job->data, job->prepared, &place, err) ||
        make_dispatch(session, err))
        return -1;
    parts.dispatch = session->dispatch;
    session->master = master_create(&parts, err);
    if (session->master)
        sweep_search_start(session);
    return session->master ? 0 : -1;
}

static int begin_session(struct sweep_session *session, struct err *err)
{
    char cpu[128], host[64];
    struct store_session row = {
        .command = session->options->command,
        .version = PACKAGE_VERSION,
        .mpi = world_library(),
        .blas = gemm_library(),
        .blas_kernel = gemm_kernel(),
        .cpu = host_cpu(cpu, sizeof cpu),
        .host = host_name(host, sizeof host),
        .ranks = session->world->size,
        .pid = (int32_t)getpid(),
    };

    session->begun_s = clock_now(&clock_system);
    return store_begin_session(session->store, &row, err);
}

static int open_store(struct sweep_session *session, struct errlist *faults)
{
    struct job *job = session->job;
    const struct sweep_options *options = session->options;
    const struct errlist *released;
    struct err err;

    if (store_trials_init(&session->known, job->plan.n_trials, &err) ||
        store_open(&session->store, options->db, &err))
        return errlist_add_err(faults, &err);
    released = store_released(session->store);
    for (size_t i = 0; i < released->n; i++)
        log_info("%s", released->text[i]);
    return sweep_match_check(session->store, options->db, job, options->new_sweep,
                             options->accepts_inputs, faults);
}

static int make_session(struct sweep_session *session, struct err *err)
{
    const struct sweep_options *options = session->options;
    struct job *job = session->job;
    enum keep keep = keep_of(job->sweep.fixed.v);
    const char *files = keep == KEEP_NONE ? "" : job->sweep.fixed.v[P_KEEP_FILES].s;

    session->prunes = keep == KEEP_BEST;
    if (program_files_missing_init(&session->missing, files, err) ||
        shard_mark(session->known.ours, &options->shard, &job->plan, &job->data, err) ||
        sweep_search_register(session, err) || sweep_facts_store(session->store, job, err) || sweep_session_settle_models(session, err) ||
        store_remove_leftovers(session->store, err) || begin_session(session, err) ||
        query_sweep(&session->progress.sweep, session->store, job->sweep.fixed.v[P_SWEEP_NAME].s,
                    err) ||
        make_ledger(session, err))
        return -1;
    session->progress.sweep.has_search |= session->search != NULL;
    session->progress.mode = options->progress;
    session->progress.full = (int64_t)job->plan.replicates * job->plan.folds;
    session->progress.is_shard = options->shard.n > 1;
    session->has_results = true; /* a run that died may have left models to prune */
    session->walltime.until_s = session->walltime.whole_s = (double)INFINITY;
    return 0;
}

/* All that can fail before the other ranks hear of the sweep. */
static int prepare(struct sweep_session *session, struct errlist *faults)
{
    const struct sweep_options *options = session->options;
    struct err err;

    if (open_store(session, faults))
        return -1;
    if (make_session(session, &err))
        return errlist_add_err(faults, &err);
    /* before a failure involves the other ranks */
    if (session->before.pending && session->world->size > 1 &&
        job_make_inputs(session->job, session->ledger, &err))
        return errlist_add_err(faults, &err);
    if (session->before.pending)
        walltime_begin(&session->walltime, options->time_limit_s, options->begun_s,
                       session->job->stop_s);
    if (make_master(session, &err))
        return errlist_add_err(faults, &err);
    failures_init(&session->failures, options->max_fails, session->job->plan.n_configs,
                  session->before.done + session->before.diverged > 0);
    sweep_session_be_patient(session);
    return 0;
}

static void release(struct sweep_session *session)
{
    master_destroy(session->master);
    session->master = NULL; /* store_close() may wait and call sweep_session_keep_alive() */
    dispatch_destroy(session->dispatch);
    cost_destroy(session->cost);
    sweep_runner_close(&session->runner);
    if (session->files.size)
        beneath_rmdir(buf_text(&session->files)); /* unless files are kept */
    buf_release(&session->files);
    sweep_search_end(session);
    progress_line_release(&session->progress);
    ledger_destroy(session->ledger);
    refit_release(&session->refit);
    program_files_missing_release(&session->missing);
    store_close(session->store);
    store_trials_release(&session->known);
}

static int tell_others(const struct world *world, struct job *job, const char *files,
                       struct err *err)
{
    struct buf plan = {0};
    void *bytes;
    size_t n;
    int rc = 0;

    buf_put_u32(&plan, BROADCAST_PLAN);
    buf_put_text(&plan, files);
    plan_pack(&plan, &job->plan);
    if (buf_failed(&plan))
        rc = err_nomem(err, "plan", plan.size);
    bytes = plan.data;
    n = plan.size;
    if (!rc)
        rc = world_broadcast(world, &bytes, &n, err);
    if (!rc)
        rc = sweep_share_give(&job->share, world, &job->data, job->prepared, &job->plan, err);
    buf_release(&plan);
    return rc;
}

/* A sweep stopped because of failures is neither finished nor worth requeuing. */
static int end_status(const struct sweep_session *session, enum master_end end)
{
    if (end == MASTER_TIME_UP)
        return sweep_session_is_in_vain(session) ? EXIT_ERROR : EXIT_RESUMABLE;
    if (end == MASTER_TOO_FEW || end == MASTER_UNABLE)
        return EXIT_RESUMABLE;
    if (end == MASTER_STOPPED)
        return session->failures.verdict == FAILURES_GO_ON ? EXIT_RESUMABLE : EXIT_ERROR;
    return sweep_session_counts(session).failed ? EXIT_SOME_FAILED : EXIT_OK;
}

static void finish(struct sweep_session *session, enum master_end end, double seconds)
{
    struct err err;
    int rc;

    sweep_summary_results(session, end, seconds);
    rc = store_settle(session->store, &err);
    if (!rc && end == MASTER_FINISHED)
        sweep_session_compact(session);
    sweep_summary_next(session, end);
    if (!rc)
        return;
    if (database_file_has_moved(session->store))
        log_warn("%s", err.text);
    else
        log_warn("%s; all results are stored; keep %s-wal together with the database until the "
                 "next run",
                 err.text, session->options->db);
}

static int run_all(struct sweep_end *out, struct sweep_session *session, struct err *err)
{
    double begun_s = clock_now(&clock_system);
    enum master_end end = MASTER_STOPPED;
    struct err cut;
    int rc;

    sweep_summary_begin(session);
    walltime_start(&session->walltime, session->dispatch);
    rc = master_run(&end, session->master, err);
    progress_line_finish(&session->progress);
    sweep_runner_close(&session->runner); /* its memory serves the predictions */
    if (!rc && end == MASTER_FINISHED)
        rc = sweep_predictions_store(session, err);
    if (rc ||
        store_end_session(session->store, end == MASTER_FINISHED ? "finished" : "stopped", err)) {
        /* Otherwise err names the file with the saved results. */
        out->has_rest =
            !database_file_has_moved(session->store) && !database_file_is_cut_off(session->store);
        out->has_changed = session->has_changed;
        if (store_was_full(session->store))
            out->status = EXIT_RESUMABLE;
        if (session->has_changed && store_cut_session(session->store, STORE_INPUTS_CHANGED, &cut))
            log_warn("%s", cut.text);
        store_close(session->store);
        session->store = NULL;
        return -1;
    }
    finish(session, end, clock_now(&clock_system) - begun_s);
    out->status = end_status(session, end);
    return 0;
}

int sweep_run_lead(struct sweep_end *out, const struct world *world, struct job *job,
                   const struct sweep_options *options, struct errlist *faults)
{
    struct sweep_session session = {
        .world = world, .job = job, .options = options, .faults = faults};
    struct err err;
    int rc;

    *out = (struct sweep_end){.others = SWEEP_OTHERS_WAIT, .status = EXIT_ERROR};
    stop_heed();
    rc = prepare(&session, faults);
    if (!rc) {
        FAULT("scheduler: before the others are told");
        world_expect(sweep_share_patience(&job->sweep));
        out->others = SWEEP_OTHERS_UNSURE;
        rc = world->size > 1 ? tell_others(world, job, buf_text(&session.files), &err) : 0;
        if (!rc) {
            out->others = SWEEP_OTHERS_TOLD;
            world_settle();
            rc = run_all(out, &session, &err);
        }
        if (rc)
            rc = errlist_add_err(faults, &err);
    }
    release(&session);
    return rc;
}

int sweep_run_dismiss(const struct world *world, struct err *err)
{
    void *nothing = NULL;
    size_t n = 0;

    world_expect(SHORT_STEP_S);
    return world->size > 1 ? world_broadcast(world, &nothing, &n, err) : 0;
}
