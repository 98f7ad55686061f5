/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/terminal.h"
#include "cli/cmd_plan.h"
#include "cli/print/cli.h"
#include "launch/job_array.h"
#include "launch/launch_report.h"
#include "launch/mpirun.h"
#include "launch/preflight.h"
#include "launch/stop.h"
#include "run/advice.h"
#include "run/job_prepare.h"
#include "run/program_lines.h"
#include "run/sweep_run.h"
#include "run/sweep_summary.h"
#include "store/lock.h"
#include "store/query/query.h"

struct run_options {
    struct common_options common;
    long ranks;
    const char *shard;
    bool dry_run;
    const char *retry;
    bool new_sweep, accepts_inputs;
    long max_fails;
    double time_limit_s, grace_s;
    const char *progress;
    /* The members below are no options. */
    struct job_array_share share; /* from --db and --shard */
    double begun_s;
    struct spawner spawner;
};

static enum progress_mode progress_of(const struct run_options *o)
{
    bool is_quiet = o->common.is_quiet && !strcmp(o->progress, "auto");

    return progress_mode(is_quiet ? "none" : o->progress);
}

/* Slurm's scancel signals mpirun too, which then drops the last lines of rank 0. */
static void print_rest(const char *db, const char *name)
{
    struct query_sweep sweep;
    struct result_table progress = {0};
    struct store *store = NULL;
    long long left = 0;
    struct err err;

    if (!store_open_reader(&store, db, &err) && !query_sweep(&sweep, store, name, &err) &&
        !query_table(&progress, store, QUERY_PROGRESS, sweep.sweep_id, &err) && progress.n_rows)
        left = (long long)result_table_integer(&progress, 0, "unfinished");
    if (left)
        log_info("stopped early; %lld trial%s left: the same command continues", left,
                 left == 1 ? " is" : "s are");
    result_table_release(&progress);
    store_close(store);
}

static int start_mpirun(const struct run_options *o, const struct sweep *sweep, const char *command,
                        const struct call *call)
{
    enum progress_mode mode = progress_of(o);
    struct mpirun launch = {
        .verb = "run",
        .ranks = (int)o->ranks,
        .threads = preflight_threads(sweep),
        .heartbeat_s = sweep->fixed.v[P_HEARTBEAT_LIMIT].f,
        .begun_s = o->begun_s,
        .command = command,
        .progress = mode == PROGRESS_LIVE    ? "live"
                    : mode == PROGRESS_PLAIN ? "plain"
                                             : "none",
        .color = terminal_has_color(STDERR_FILENO) ? "always" : "never",
    };
    const char *db = buf_text(&o->share.db);
    struct lock_holder holder;
    enum exit_status status;
    bool is_cut = false;
    struct err err;

    if (mpirun_check_ranks(o->ranks, &err))
        return cli_fail_usage(&err);
    if (mpirun_run(&status, &is_cut, &launch, call->argc, call->argv, &err))
        status = cli_fail(&err);
    /* When mpirun has ended, rank 0 may hold the database for a moment. */
    for (int i = 0; (status == EXIT_ERROR || is_cut) && i < 100 && lock_is_held(db, &holder); i++)
        clock_sleep(0.1);
    if (is_cut)
        print_rest(db, sweep->fixed.v[P_SWEEP_NAME].s);
    return status;
}

/* Check the database and the launch before data are read and ranks are started. The lock taken
 * later decides whether the database is free. -1, and the exit status of `run`. */
static int check(int *status, const struct world *world, const struct rank_info *info,
                 const struct run_options *o, const struct job *job)
{
    const char *db = buf_text(&o->share.db);
    struct findings findings = {.n = 0};
    struct checks_job checks;
    struct err err;
    int rc = lock_check(db, &err);

    if (!rc && info && preflight_is_on()) {
        preflight_job(&checks, &job->sweep, db);
        checks.is_part = o->shard != NULL;
        checks.starts_ranks = o->ranks > 1 && !world->is_mpi;
        rc = checks_find(&findings, info, world->size, &checks, &err);
    }
    if (rc)
        *status = cli_fail(&err);
    for (int32_t i = 0; i < findings.n; i++) {
        const struct finding *f = &findings.list[i];

        if (!f->is_refused) {
            log_warn("%s; %s", f->what, f->fix);
            continue;
        }
        err_set(&err, "%s; %s", f->what, f->fix);
        *status = cli_fail_usage(&err);
        rc = -1;
    }
    return rc;
}

/* With --dry-run, list the trials instead. others: out, what the other ranks have been told. */
static int run_job(enum sweep_others *others, const struct world *world, struct job *job,
                   const struct run_options *o, const struct sweep_options *options)
{
    bool is_program = sweep_is_program(&job->sweep);
    struct errlist faults = {0};
    struct sweep_end end;
    struct err err;
    int status, rc;

    cli_log_database(options->db);
    if (job_load(job, &faults) || job_plan(job, &faults))
        return cli_fail_all(&faults);
    if (o->dry_run)
        return plan_list(job, options->db, &options->shard,
                         &(struct plan_options){.common = o->common,
                                                .has_commands = is_program,
                                                .is_run = true,
                                                .retry_failed = options->retry_failed,
                                                .ranks = world->is_mpi ? world->size : o->ranks});
    if (sweep_run_check_ranks(job, world->size, options, &err))
        return cli_fail_usage(&err);
    /* Before anything runs, rather than as a failure of every trial. */
    if (is_program && program_lines_check(job, options->db, &err)) {
        advice_print(&job->advice, job->sweep.path); /* which may tell the reason */
        return cli_fail_usage(&err);
    }
    if (o->share.is_alone)
        log_info("--shard auto: not in a job array, so the whole sweep runs");
    rc = sweep_run_lead(&end, world, job, options, &faults);
    status = rc ? cli_fail_all(&faults) : (int)end.status;
    if (end.status == EXIT_RESUMABLE)
        status = EXIT_RESUMABLE;
    if (end.has_rest)
        sweep_summary_broken(options->db, job, &options->shard, end.has_changed);
    if (end.others == SWEEP_OTHERS_UNSURE)
        world_abort(world, status);
    *others = end.others;
    return status;
}

/* The same, after the ranks know their GPUs. */
static int settle_and_run(enum sweep_others *others, const struct world *world, struct job *job,
                          const struct run_options *o, struct sweep_options *options)
{
    struct gpu_shares gpus = {.n = 0};
    struct err err;
    int status;

    if (!o->dry_run && sweep_run_settle(&gpus, world, &job->sweep, &err))
        return cli_fail_usage(&err);
    options->gpus = &gpus;
    status = run_job(others, world, job, o, options);
    gpu_shares_release(&gpus);
    return status;
}

/* Run on rank 0. Returns the exit status. */
static int lead(const struct world *world, const struct rank_info *info, struct run_options *o,
                const struct call *call)
{
    const char *typed = getenv(PROCESS_COMMAND); /* by `run -n`, which starts its ranks */
    enum sweep_others others = SWEEP_OTHERS_WAIT;
    struct buf command = {0};
    struct sweep_options options = {
        .retry_failed = o->retry != NULL,
        .new_sweep = o->new_sweep,
        .accepts_inputs = o->accepts_inputs,
        .spawner = &o->spawner,
        .max_fails = o->max_fails,
        .begun_s = o->begun_s,
        .time_limit_s = o->time_limit_s,
        .grace_s = o->grace_s,
        .progress = progress_of(o),
    };
    struct errlist faults = {0};
    struct job job = {0};
    struct err err;
    int status;

    stop_have_come_up();
    if (world->is_mpi)
        launch_report_up();
    buf_puts(&command, typed ? typed : "espalier run");
    for (int i = 1; !typed && i < call->argc; i++)
        buf_printf(&command, " %s", call->argv[i]);
    options.command = buf_text(&command);
    if (job_array_share_open(&o->share, o->shard, o->common.db, &err)) {
        status = cli_fail_usage(&err);
    } else if (job_parse(&job, call->operands[0], &o->common.set, &faults)) {
        status = cli_fail_all(&faults);
    } else if (o->dry_run || !check(&status, world, info, o, &job)) {
        options.db = buf_text(&o->share.db);
        options.shard = o->share.shard;
        options.merge = buf_text(&o->share.merge);
        status = o->ranks > 1 && !world->is_mpi && !o->dry_run
                     ? start_mpirun(o, &job.sweep, options.command, call)
                     : settle_and_run(&others, world, &job, o, &options);
    }
    job_release(&job);
    buf_release(&command);
    if (others == SWEEP_OTHERS_WAIT && sweep_run_dismiss(world, &err))
        cli_fail(&err);
    return status;
}

/* End all ranks: one was lost while they depend on each other. */
static void end_launch(const struct world *world, const char *reason, bool speaks)
{
    int status = stop_signal ? EXIT_RESUMABLE : EXIT_ERROR;

    if (speaks && !stop_signal)
        log_warn("%s while the launch was being set up: all ranks end; nothing is lost, and the "
                 "same command continues",
                 reason);
    if (world->is_mpi && world->rank == 0) {
        launch_report_status(status);
        launch_report_note_loss(NULL);
        launch_report_end_mpirun();
    }
    world_abort(world, status);
}

static void tell_alive(const struct world *world)
{
    (void)world;
    launch_report_alive();
}

static int run(struct call *call)
{
    const struct guard_hooks hooks = {.died = end_launch, .alive = tell_alive};
    struct run_options *o = call->options;
    struct rank_info *info = NULL;
    struct world world;
    struct err err;
    int status = EXIT_OK;

    o->begun_s = mpirun_begun();
    /* Before MPI, and before it is known whether the sweep runs programs. */
    if (!o->dry_run && (o->ranks <= 1 || world_is_launched()) && spawner_start(&o->spawner, &err))
        return cli_fail(&err);
    if (world_open(&world, &hooks, &err))
        return cli_fail(&err);
    stop_catch(world.rank > 0);
    /* Every rank still takes part in collective calls here. */
    if (rank_info_gather(&world, NULL, &info, &err))
        log_warn("the launch was not checked: %s", err.text);
    world_expect((double)INFINITY);
    if (world.rank == 0)
        status = lead(&world, info, o, call);
    else if (sweep_run_follow(&world, &o->spawner, &err))
        world_abort(&world, cli_fail(&err));
    spawner_stop(&o->spawner);
    free(info);
    job_array_share_release(&o->share);
    if (world.is_mpi && world.rank == 0) {
        status = launch_report_status(status);
        launch_report_end_mpirun();
    }
    return world_close(&world, status);
}

static const struct option_row options[] = {
    {'n', "ranks", "N", OPTION_INT, .into = offsetof(struct run_options, ranks),
     .help = "Start N ranks with mpirun. Leave it out under mpirun or srun.", .default_text = "1",
     .min = 1, .max = 100000},
    {OPTION_SET(SET_SWEEP)},
    {0, "shard", "K/N|auto", OPTION_TEXT, .into = offsetof(struct run_options, shard),
     .help = "Run only part K of N, into a database with .KofN in its name. auto takes both from "
             "the job array."},
    {0, "dry-run", NULL, OPTION_FLAG, .into = offsetof(struct run_options, dry_run),
     .help = "List the trials and their cost, or with [program] the command lines of the trials "
             "that this run would start. Run nothing."},
    {0, "retry", "failed", OPTION_TEXT, .into = offsetof(struct run_options, retry),
     .help = "Run failed trials again. Diverged trials would diverge again.", .choices = "failed"},
    {0, "max-fails", "N", OPTION_INT, .into = offsetof(struct run_options, max_fails),
     .help = "Stop after N trials have failed in this run (0 = never). Trials under way on other "
             "ranks may fail too.",
     .default_text = "-1", .shown = "3 configurations that fail alike before any success",
     .max = 1000000000},
    {0, "time-limit", "TIME", OPTION_DURATION, .into = offsetof(struct run_options, time_limit_s),
     .help = "Finish within TIME: 90s, 15m, 2h, 1-12:00:00.", .shown = "the walltime of the job",
     .min = 1, .max = 1000000000},
    {0, "grace", "TIME", OPTION_DURATION, .into = offsetof(struct run_options, grace_s),
     .help = "Let running trials finish within TIME when a signal asks to stop.",
     .default_text = "10s", .max = 1000000000},
    {0, "new-sweep", NULL, OPTION_FLAG, .into = offsetof(struct run_options, new_sweep),
     .help = "Begin a new sweep under the same name if fixed settings or data have changed."},
    {0, "accept-inputs", NULL, OPTION_FLAG, .into = offsetof(struct run_options, accepts_inputs),
     .help =
         "Continue a sweep although files of the program have changed; keep the earlier results "
         "and record both digests."},
    {0, "progress", "HOW", OPTION_TEXT, .into = offsetof(struct run_options, progress),
     .help = "Show progress: auto, live, plain or none. auto rewrites one line on a terminal and "
             "prints plain lines otherwise.",
     .default_text = "auto", .choices = "auto|live|plain|none"},
    {0},
};

const struct command command_run = {
    .name = "run",
    .group = GROUP_RUN,
    .operands = "GRID.ini [DB]",
    .min_operands = 1,
    .max_operands = 1,
    .db_operand = DB_LAST,
    .operand_kind = VALUE_GRID,
    .summary = "Run a sweep, or resume it.",
    .about = "Trials whose results are in the database are not run again, so the same command "
             "resumes a sweep that was stopped, and runs only the new points of a grid that has "
             "grown. With [search], decisions are made again from the stored results. The "
             "database is created if it does not exist.",
    .examples = {{"espalier run grid.ini -n 4", "Run a sweep on four ranks of this machine."},
                 {"srun --mpi=pmix espalier run grid.ini", "Run it on all ranks of a Slurm job."},
                 {"espalier run grid.ini --shard auto",
                  "Run the part of one element of a job array."},
                 {"espalier run grid.ini --set epochs=200 --set grid.dropout=0.2,0.5",
                  "Override a setting and an axis of the sweep file."}},
    .see = "plan, status, best, doctor",
    .options = options,
    .common = COMMON_DB,
    .options_size = sizeof(struct run_options),
    .multiplies = true,
    .run = run,
};
