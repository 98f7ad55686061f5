#include "run/sweep_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/exit_status.h"
#include "base/fault.h"
#include "base/log.h"
#include "base/memory.h"
#include "config.h"
#include "grid/plan.h"
#include "grid/shard.h"
#include "launch/host.h"
#include "launch/stop.h"
#include "run/advice.h"
#include "run/best_so_far.h"
#include "run/database_trouble.h"
#include "run/job.h"
#include "run/progress.h"
#include "run/same_sweep.h"
#include "run/sweep_share.h"
#include "run/sweep_sink.h"
#include "sched/master.h"
#include "sched/relay.h"
#include "sched/world.h"
#include "store/database_file.h"
#include "store/query.h"
#include "tensor/gemm.h"
#include "trial/kept.h"
#include "trial/model_runner.h"

/* Rank 0 is gone: there is nobody to give a result to, and the next run does it again. */
static void leave_alone(const struct err *err) __attribute__((noreturn));
static void leave_alone(const struct err *err)
{
    log_warn("%s: this rank leaves", err->text);
    world_leave(EXIT_ERROR);
}

static int serve(const struct world *world, const struct plan *plan, const struct dataset *data,
                 struct prepared *prepared, struct err *err)
{
    struct model_runner *gcn = model_runner_create(plan, data, prepared, &clock_system, err);
    struct relay_options options = {.silence_s = plan->sweep->fixed.v[P_HEARTBEAT_LIMIT].f,
                                    .cut_off = leave_alone};
    struct runner runner;
    int rc = -1;

    if (gcn) {
        runner = model_runner_interface(gcn);
        world_settle();
        rc = relay_serve(world, &runner, &options, &clock_system, err);
    }
    model_runner_destroy(gcn);
    return rc;
}

static int follow(const struct world *world, const void *plan_bytes, size_t plan_n, struct err *err)
{
    struct cursor in = {.data = plan_bytes, .size = plan_n};
    struct prepared *prepared = NULL;
    struct sweep_share share = {.n = 0};
    struct dataset data = {0};
    struct sweep sweep;
    struct plan plan;
    int rc;

    if (plan_unpack(&plan, &sweep, &in, err))
        return -1;
    world_expect(sweep_share_patience(&sweep));
    rc = sweep_share_take(&share, world, &data, &prepared, &plan, err);
    if (!rc)
        rc = serve(world, &plan, &data, prepared, err);
    prepared_destroy(prepared);
    dataset_release(&data);
    sweep_share_release(&share);
    plan_release(&plan);
    sweep_release(&sweep);
    return rc;
}

int sweep_follow(const struct world *world)
{
    void *plan = NULL;
    size_t plan_n = 0;
    struct err err;
    int rc = world_broadcast(world, &plan, &plan_n, &err);

    if (!rc && plan_n) {
        stop_heed();
        rc = follow(world, plan, plan_n, &err);
    }
    free(plan);
    if (!rc)
        return EXIT_OK;
    err_wrap(&err, "rank %d", world->rank);
    log_fail(&err, EXIT_ERROR);
    world_abort(world, EXIT_ERROR);
}

/* Of checkpoints, in a minute, of all ranks. To store a megabyte takes 10 ms, and a job keeps 30 s
 * for its end. */
#define CHECKPOINT_BYTES ((size_t)512 << 20)
/* A commit waits for the disk. Of results that take 20 us each it waits once in half a second so,
 * which is as long as a result may be in danger. */
#define COMMIT_RESULTS 25000
/* For the other ranks to hear that there is nothing to do. */
#define DISMISS_S 60.0

static bool is_finished(enum trial_state state, bool retry_failed)
{
    return state == TRIAL_DONE || state == TRIAL_DIVERGED ||
           (state == TRIAL_FAILED && !retry_failed);
}

/* A trial that took its rank down as often as it may, in runs before. */
static int fail_crashed(struct sweep_state *state, int64_t trial, struct err *err)
{
    struct trial_result r;
    int rc;

    trial_result_init(&r, trial);
    snprintf(r.error, sizeof r.error, "took its rank down %d times (crash_limit)",
             state->known.crashes[trial]);
    r.started = r.finished = clock_unix();
    r.seconds = 0;
    r.pid = (int32_t)getpid();
    host_name(r.host, sizeof r.host);
    rc = store_result(state->store, state->known.ids[trial], &r, err);
    trial_result_release(&r);
    return rc;
}

static int make_ledger(struct sweep_state *state, const struct job *job, bool retry_failed,
                       struct err *err)
{
    int64_t each = (int64_t)job->plan.replicates * job->plan.folds;
    int32_t crash_limit = (int32_t)job->sweep.fixed.v[P_CRASH_LIMIT].i;

    state->ledger = ledger_create(job->plan.n_trials, each, NULL, crash_limit, err);
    if (!state->ledger)
        return -1;
    for (int64_t t = 0; t < job->plan.n_trials; t++) {
        enum trial_state known = (enum trial_state)state->known.states[t];

        if (!state->known.ours[t]) {
            ledger_mark(state->ledger, t, TRIAL_DONE);
            state->n_others++;
        } else if (is_finished(known, retry_failed)) {
            ledger_mark(state->ledger, t, known);
        } else if (ledger_blame(state->ledger, t, state->known.crashes[t])) {
            if (fail_crashed(state, t, err))
                return -1;
        } else if (state->known.lost[t]) {
            ledger_suspect(state->ledger, t);
        }
    }
    if (ledger_is_finished(state->ledger) && sweep_refit(state, err))
        return -1;
    state->only_models = state->remake.n_due > 0;
    state->before = sweep_counts(state);
    return 0;
}

static int make_scheduler(struct sweep_state *state, const struct world *world, struct job *job,
                          struct err *err)
{
    struct master_options limits = {
        .commit_s = 0.5,
        .commit_results = COMMIT_RESULTS,
        .stop = &stop_signal,
        .hurry = &stop_hurry,
        .grace_s = state->grace_s,
        .checkpoint_bytes = CHECKPOINT_BYTES,
        .until_s = state->walltime.until_s,
        .silence_s = job->sweep.fixed.v[P_HEARTBEAT_LIMIT].f,
    };
    struct master_sink sink = sweep_sink(state);
    struct runner runner;
    struct master_parts parts = {.world = world,
                                 .runner = &runner,
                                 .sink = &sink,
                                 .options = &limits,
                                 .clock = &clock_system};

    state->runner = model_runner_create(&job->plan, &job->data, job->prepared, &clock_system, err);
    state->cost = cost_create(job->work, job->plan.n_configs, world->size, err);
    if (!state->runner || !state->cost)
        return -1;
    if (state->before.pending &&
        job_teach(job, state->cost, &state->known, world->size, (double)INFINITY, err) < 0)
        return -1;
    state->dispatch = dispatch_create(state->ledger, state->cost, world->size, err);
    if (!state->dispatch)
        return -1;
    for (int64_t t = 0; t < job->plan.n_trials; t++)
        if (state->known.left[t] < 1)
            dispatch_resume(state->dispatch, t, state->known.left[t]);
    runner = sweep_runner(state);
    parts.dispatch = state->dispatch;
    state->master = master_create(&parts, err);
    return state->master ? 0 : -1;
}

static int begin_session(struct sweep_state *state, const struct world *world,
                         const struct sweep_options *options, struct err *err)
{
    char cpu[128], host[64];
    struct store_session session = {
        .command = options->command,
        .version = PACKAGE_VERSION,
        .mpi = world_library(),
        .blas = gemm_library(),
        .blas_kernel = gemm_kernel(),
        .cpu = host_cpu(cpu, sizeof cpu),
        .host = host_name(host, sizeof host),
        .ranks = world->size,
        .pid = (int32_t)getpid(),
    };

    return store_begin_session(state->store, &session, err);
}

static int open_store(struct sweep_state *state, const struct job *job,
                      const struct sweep_options *options, struct err *err)
{
    const struct errlist *released;

    if (store_trials_init(&state->known, job->plan.n_trials, err) ||
        store_open(&state->store, options->db, err))
        return log_fail(err, EXIT_ERROR);
    released = store_released(state->store);
    for (size_t i = 0; i < released->n; i++)
        log_info("%s", released->text[i]);
    return same_sweep_check(state->store, options->db, job, options->new_sweep);
}

/* Everything that can still fail without another rank having to know. CLI_GO_ON or, what is wrong
 * having been printed, an exit status. */
static int prepare(struct sweep_state *state, const struct world *world, struct job *job,
                   const struct sweep_options *options, struct err *err)
{
    int status = open_store(state, job, options, err);

    if (status != CLI_GO_ON)
        return status;
    state->plan = &job->plan;
    state->data = &job->data;
    state->prunes = keep_of(&job->sweep.fixed) == KEEP_BEST;
    if (shard_mark(state->known.ours, &options->shard, &job->plan, &job->data, err) ||
        store_register(state->store, &job->plan, &job->data, job->work, &state->known, err) ||
        sweep_settle_models(state, err) || begin_session(state, world, options, err) ||
        progress_init(&state->progress, options->progress, &job->plan, err) ||
        best_so_far_read(&state->progress, state->store, &state->known, err) ||
        make_ledger(state, job, options->retry_failed, err))
        return log_fail(err, EXIT_ERROR);
    state->has_results = true; /* of a run that died before it pruned */
    state->grace_s = options->grace_s;
    state->walltime.until_s = state->walltime.whole_s = (double)INFINITY;
    /* While it may fail without the others, who are given them. */
    if (state->before.pending && world->size > 1 && job_make_inputs(job, state->ledger, err))
        return log_fail(err, EXIT_ERROR);
    if (state->before.pending)
        walltime_begin(&state->walltime, options->time_limit_s, options->begun_s);
    if (make_scheduler(state, world, job, err))
        return log_fail(err, EXIT_ERROR);
    failures_init(&state->failures, options->max_fails,
                  state->before.done + state->before.diverged > 0);
    state->trouble.db = options->db;
    state->trouble.meanwhile = sweep_keep_alive;
    state->trouble.arg = state;
    database_trouble_watch(&state->trouble, state->store);
    return CLI_GO_ON;
}

static void release(struct sweep_state *state)
{
    master_destroy(state->master);
    state->master = NULL; /* store_close() may wait, and call sweep_keep_alive() */
    dispatch_destroy(state->dispatch);
    cost_destroy(state->cost);
    model_runner_destroy(state->runner);
    ledger_destroy(state->ledger);
    progress_release(&state->progress);
    refit_release(&state->remake);
    store_close(state->store);
    store_trials_release(&state->known);
}

static int tell_others(const struct world *world, struct job *job, struct err *err)
{
    struct buf plan = {0};
    void *bytes;
    size_t n;
    int rc = 0;

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

static void print_efficiency(struct sweep_state *state)
{
    struct buf line = {0};
    struct result_table table;
    struct err err;

    if (query_table(&table, state->store, QUERY_EFFICIENCY, 0, &err)) {
        log_warn("%s", err.text);
        return;
    }
    progress_efficiency(&line, &table);
    if (line.size && !buf_failed(&line))
        log_info("%s", buf_text(&line));
    buf_release(&line);
    result_table_release(&table);
}

/* "; best: c29, val_pearson 0.3952": what `best` says, which ranks all that the sweep has, also
 * what this run's grid has not. */
static void format_best(char *out, size_t size, struct sweep_state *state, const struct job *job)
{
    struct query_sweep sweep;
    struct result_table table;
    struct err err;

    *out = '\0';
    if (query_sweep(&sweep, state->store, job->sweep.fixed.v[P_SWEEP_NAME].s, &err) ||
        query_table(&table, state->store, QUERY_BEST, sweep.sweep_id, &err)) {
        log_warn("%s", err.text);
        return;
    }
    if (table.n_rows)
        snprintf(out, size, "; best: c%lld, %s %.4g",
                 (long long)result_table_integer(&table, 0, "config"), sweep.objective,
                 result_table_real(&table, 0, "mean"));
    result_table_release(&table);
}

/* Failed trials stay failed when the same line goes on: it says what to look at. */
static void print_failures(const struct sweep_state *state, const char *db)
{
    const struct failures *f = &state->failures;
    long long trial = (long long)state->known.ids[f->trial];
    struct buf word = {0};

    if (f->verdict == FAILURES_TOO_MANY)
        log_warn("stopped: %lld trial%s failed (--max-fails), the last with: %s", (long long)f->n,
                 f->n == 1 ? "" : "s", f->reason);
    else
        log_warn("stopped: %d trials in a row failed alike, and none came through: %s",
                 FAILURES_IN_A_ROW, f->reason);
    log_info("next: espalier show %s t%lld, mend the cause, then the same line with --retry failed",
             escape_shell(&word, db), trial);
    buf_release(&word);
}

/* Trials that are left, and not to be run from their beginning. */
static int64_t count_begun(const struct sweep_state *state)
{
    int64_t n = 0;

    for (int64_t t = 0; t < ledger_counts(state->ledger).total; t++)
        n += state->known.left[t] < 1 && ledger_state(state->ledger, t) <= TRIAL_RUNNING;
    return n;
}

static const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

static void print_next(const struct sweep_state *state, const struct sweep_options *options,
                       enum master_end end)
{
    struct ledger_counts now = sweep_counts(state);
    int64_t models = sweep_models_left(state);
    struct buf word = {0};

    if (end == MASTER_TIME_UP)
        walltime_tell(&state->walltime, state->dispatch);
    else if (end == MASTER_STOPPED && state->failures.verdict != FAILURES_GO_ON)
        print_failures(state, options->db);
    else if (end == MASTER_STOPPED && models)
        log_info("stopped early; the models of %lld trial%s are left to be made: the same command "
                 "goes on",
                 (long long)models, plural(models));
    else if (end == MASTER_STOPPED)
        log_info("stopped early; %lld trials are left, %lld of them with a checkpoint: the same "
                 "command goes on",
                 (long long)now.pending + now.leased, (long long)count_begun(state));
    else if (now.failed)
        log_info("next: espalier status %s tells why trials failed; run --retry failed runs them "
                 "again",
                 escape_shell(&word, options->db));
    else if (options->shard.n > 1)
        log_info("next, when all shards have finished: espalier merge %s", options->merge);
    else
        log_info("next: espalier best %s", escape_shell(&word, options->db));
    buf_release(&word);
}

enum { SHARD_TEXT = 32 };

/* ", shard 2/4"; nothing for the whole sweep. */
static const char *shard_text(char out[SHARD_TEXT], const struct sweep_options *options)
{
    *out = '\0';
    if (options->shard.n > 1)
        snprintf(out, SHARD_TEXT, ", shard %d/%d", options->shard.k, options->shard.n);
    return out;
}

static void print_end(struct sweep_state *state, const struct job *job,
                      const struct sweep_options *options, enum master_end end, double seconds)
{
    struct ledger_counts now = sweep_counts(state);
    int64_t left = sweep_models_left(state);
    int64_t ran = now.done + now.diverged + now.failed - state->before.done -
                  state->before.diverged - state->before.failed + (state->only_models ? 0 : left);
    char best[96] = "", shard[SHARD_TEXT];
    struct err err;
    int rc;

    /* Of a part nothing is best yet. */
    if (options->shard.n == 1)
        format_best(best, sizeof best, state, job);
    log_info("%s%s: %lld of %lld trials run in %.1f s, %lld done, %lld diverged, %lld failed%s",
             job->sweep.fixed.v[P_SWEEP_NAME].s, shard_text(shard, options), (long long)ran,
             (long long)now.total, seconds, (long long)(now.done + left), (long long)now.diverged,
             (long long)now.failed, best);
    if (!state->n_losses)
        print_efficiency(state);
    /* The run before has said it where this one has run nothing. */
    if (options->shard.n == 1 && end == MASTER_FINISHED && ran)
        advice_print_best(state->store, job->sweep.fixed.v[P_SWEEP_NAME].s);
    rc = store_settle(state->store, &err);
    if (!rc && end == MASTER_FINISHED)
        sweep_compact(state);
    print_next(state, options, end);
    if (!rc)
        return;
    if (database_file_has_moved(state->store))
        log_warn("%s", err.text);
    else
        log_warn("%s; all is stored, but %s-wal belongs to this file until the next run: keep the "
                 "two together",
                 err.text, options->db);
}

/* Whether the same line would find as little that it can do as this run has. */
static bool is_in_vain(const struct sweep_state *state)
{
    return sweep_counts(state).pending == state->before.pending &&
           walltime_is_in_vain(&state->walltime, state->dispatch);
}

/* Stopped for its failures a sweep is neither finished nor worth being requeued. */
static int end_status(const struct sweep_state *state, enum master_end end)
{
    if (end == MASTER_TIME_UP)
        return is_in_vain(state) ? EXIT_ERROR : EXIT_RESUMABLE;
    if (end == MASTER_STOPPED)
        return state->failures.verdict == FAILURES_GO_ON ? EXIT_RESUMABLE : EXIT_ERROR;
    return sweep_counts(state).failed ? EXIT_SOME_FAILED : EXIT_OK;
}

/* On a machine that lends more than it has, a page too many ends the process without a word. */
static void warn_memory(const struct job *job)
{
    double needed = (double)job->data.block_bytes + job->inputs_bytes + job->trial_bytes;
    double limit = memory_limit_bytes();

    if (needed > limit)
        log_warn("a rank takes about %.1f GB of memory, this process may use %.1f GB: 'espalier "
                 "plan' says what takes it",
                 needed * 1e-9, limit * 1e-9);
}

static void print_begin(const struct sweep_state *state, const struct world *world,
                        const struct job *job, const struct sweep_options *options)
{
    int64_t pending = state->before.pending, without = world->size - pending;
    char shard[SHARD_TEXT];

    if (!state->before.total)
        log_info("%s%s: none of the %lld trials falls into this shard: nothing to do",
                 job->sweep.fixed.v[P_SWEEP_NAME].s, shard_text(shard, options),
                 (long long)job->plan.n_trials);
    log_info("%s%s: %lld trials, %lld to run on %d rank%s", job->sweep.fixed.v[P_SWEEP_NAME].s,
             shard_text(shard, options), (long long)state->before.total, (long long)pending,
             world->size, plural(world->size));
    if (pending && without > 0)
        log_warn("%d ranks are more than the %lld trial%s to run: %lld rank%s will have nothing to "
                 "do",
                 world->size, (long long)pending, plural(pending), (long long)without,
                 plural(without));
    if (pending)
        warn_memory(job);
}

static int run_all(struct sweep_state *state, const struct world *world, struct job *job,
                   const struct sweep_options *options, struct err *err)
{
    double begun_s = clock_now(&clock_system);
    enum master_end end = MASTER_STOPPED;
    struct store *store;
    int rc;

    print_begin(state, world, job, options);
    walltime_warn(&state->walltime, state->dispatch);
    rc = master_run(&end, state->master, err);
    progress_finish(&state->progress);
    if (rc ||
        store_end_session(state->store, end == MASTER_FINISHED ? "finished" : "stopped", err)) {
        store = state->store;
        state->store = NULL;
        return database_trouble_end(&state->trouble, store, job, &state->known, err);
    }
    print_end(state, job, options, end, clock_now(&clock_system) - begun_s);
    return end_status(state, end);
}

int sweep_lead(const struct world *world, struct job *job, const struct sweep_options *options,
               bool *told)
{
    struct sweep_state state = {0};
    struct err err = {{0}};
    int status;

    stop_heed();
    status = prepare(&state, world, job, options, &err);
    if (status == CLI_GO_ON) {
        FAULT("scheduler: before the others are told");
        world_expect(sweep_share_patience(&job->sweep));
        if (world->size > 1 && tell_others(world, job, &err)) {
            log_fail(&err, EXIT_ERROR);
            world_abort(world, EXIT_ERROR);
        }
        *told = true;
        world_settle();
        status = run_all(&state, world, job, options, &err);
    }
    release(&state);
    return status;
}

void sweep_dismiss(const struct world *world)
{
    void *nothing = NULL;
    size_t n = 0;
    struct err err;

    world_expect(DISMISS_S);
    if (world->size > 1 && world_broadcast(world, &nothing, &n, &err))
        log_fail(&err, EXIT_ERROR);
}
