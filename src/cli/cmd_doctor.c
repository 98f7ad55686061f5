/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/batch.h"
#include "base/real.h"
#include "base/terminal.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/output.h"
#include "config.h"
#include "data/graph/molecule.h"
#include "launch/gpu_share.h"
#include "launch/host.h"
#include "launch/launch_report.h"
#include "launch/mpirun.h"
#include "launch/preflight.h"
#include "report/answer.h"
#include "report/rows.h"
#include "run/job_prepare.h"
#include "run/program_lines.h"
#include "run/sweep_run.h"
#include "sched/world.h"
#include "store/lock.h"
#include "store/store.h"
#include "tensor/gemm.h"

enum { MACHINE, RANKS, FINDINGS };
static const struct answer_section sections[] = {
    [MACHINE] = {"machine", NULL, true, NULL, NULL},
    [RANKS] = {"ranks", "ranks", false, "rank host", NULL},
    [FINDINGS] = {"findings", "findings", false, "severity finding", NULL},
};

/* The findings, collected before any of them is printed. */
struct examination {
    const struct world *world;
    struct rank_info *info;   /* [world->size] */
    struct gpu_share *shares; /* [world->size] of gpus; NULL: not asked for, or refused */
    struct checks_job job;
    struct findings findings;
};

/* Add a message "what; fix". other: the fix of a message without one. */
static void add_refusal(struct findings *findings, struct err *err, const char *other)
{
    char *fix = strstr(err->text, "; ");

    if (fix)
        *fix = '\0';
    checks_add(findings, true, fix ? fix + 2 : other, "%s", err->text);
}

/* A new database and its journal need less. */
#define DISK_BYTES (4.0 * 1024 * 1024)

/* An existing database must be readable and writable. `run` also makes files beside it: its lock
 * and its journal. */
static void check_database(struct findings *findings, const char *db)
{
    char copy[PATH_MAX], room[BYTES_TEXT];
    bool exists = !access(db, F_OK);
    struct store *store = NULL;
    const char *folder;
    struct statvfs disk;
    double free_bytes;
    struct err err;

    snprintf(copy, sizeof copy, "%s", db);
    folder = dirname(copy);
    if (access(folder, F_OK)) {
        checks_add(findings, true, "create it (mkdir -p), or give another --db",
                   "%s: cannot be created: the folder %s does not exist", db, folder);
        return;
    }
    if (lock_check(db, &err) || (exists && store_open_reader(&store, db, &err))) {
        add_refusal(findings, &err, "give another --db");
        return;
    }
    store_close(store);
    if (exists && access(db, W_OK))
        checks_add(findings, true, "make it writable (chmod u+w), or give another --db",
                   "%s: cannot be written: %s", db, strerror(errno));
    if (access(folder, W_OK | X_OK))
        checks_add(findings, true, "make it writable, or give a --db in another folder",
                   "%s: run creates files beside it, but the folder %s cannot be written: %s", db,
                   folder, strerror(errno));
    /* Some network filesystems report no size at all. */
    if (statvfs(folder, &disk) || !disk.f_blocks)
        return;
    free_bytes = (double)(geteuid() ? disk.f_bavail : disk.f_bfree) * (double)disk.f_frsize;
    if (free_bytes < DISK_BYTES)
        checks_add(findings, true, "make room, or give a --db on another disk",
                   "%s: its disk has only %s free", db, bytes_words(room, free_bytes));
}

/* ---- facts ---- */

/* Numbers of bytes are words for people. */
static void add_bytes(struct rows *rows, const struct answer *answer, const char *name,
                      double bytes)
{
    char words[BYTES_TEXT];

    if (answer_is_for_people(answer) && !isnan(bytes))
        rows_text(rows, name, bytes_words(words, bytes));
    else
        rows_real(rows, name, bytes);
}

static void add_machine(struct answer *answer, const struct examination *e)
{
    static const char *const recovery[] = {"unknown: this launcher does not report it", "off",
                                           "on"};
    double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const char *shm = shared_folder(); /* "": ESPALIER_SHM=off */
    struct rows rows = {.n_cols = 0};
    struct batch_job batch;
    struct statvfs disk;
    char cpu[128];
    bool is_batch;

    batch_job_here(&batch);
    is_batch = batch.system != BATCH_NONE;
    rows_text(&rows, "version", PACKAGE_VERSION);
    rows_text(&rows, "cpu", host_cpu(cpu, sizeof cpu));
    rows_integer(&rows, "cores", host_cores());
    rows_text(&rows, "blas", gemm_library());
    rows_text(&rows, "blas_kernel", gemm_kernel());
    rows_text(&rows, "mpi", world_library());
    rows_text(&rows, "molecules",
              molecule_is_readable() ? "read by Indigo" : "not read: built without Indigo");
    add_bytes(&rows, answer, "memory_bytes", memory);
    rows_text(&rows, "shm", *shm ? shm : NULL);
    add_bytes(&rows, answer, "shm_free_bytes",
              !*shm || statvfs(shm, &disk) ? (double)NAN
                                           : (double)disk.f_bavail * (double)disk.f_frsize);
    rows_text(&rows, "launch", e->world->is_mpi ? "MPI" : "single process");
    rows_integer(&rows, "ranks", e->world->size);
    rows_text(&rows, "recovery", e->world->size > 1 ? recovery[e->info->recovery] : NULL);
    rows_text(&rows, "batch_system", is_batch ? batch_system_title(batch.system) : NULL);
    rows_text(&rows, "batch_job", is_batch ? batch.id : NULL);
    rows_text(&rows, "database", e->job.db);
    rows_text(&rows, "filesystem", e->job.filesystem);
    rows_text(&rows, "journal_mode", e->job.is_network ? "delete" : "wal");
    answer_table(answer, &sections[MACHINE], rows_table(&rows));
    rows_release(&rows);
}

/* A row for each rank. For people, consecutive ranks at the same place share a line: "rank 0-3 host,
 * cores 0-3, GPUs 0,1 (nvidia-smi), trials get 0". */
static void add_ranks(struct answer *answer, const struct examination *e)
{
    static const char *const names[] = {"rank", "host",       "cores",
                                        "gpus", "gpu_source", "trial_gpus"};
    struct buf place = {0}, before = {0};
    int32_t first = 0, n = e->world->size;
    char numbers[32];
    struct rows rows;

    rows_init(&rows, names, sizeof names / sizeof *names);
    for (int32_t rank = 0; rank <= n; rank++) {
        const struct rank_info *info = rank < n ? &e->info[rank] : NULL;
        const char *trials_get = info && e->shares ? e->shares[rank].devices : NULL;
        struct buf cores = {0}, gpus = {0}, last = before;

        before = place;
        place = last;
        buf_clear(&place);
        if (info) {
            host_cpus_format(&cores, &info->cpus);
            gpu_list_format(&gpus, &info->gpus);
            rows_integer(&rows, "rank", rank);
            rows_text(&rows, "host", info->host);
            rows_text(&rows, "cores", buf_text(&cores));
            rows_text(&rows, "gpus", info->gpus.n ? buf_text(&gpus) : NULL);
            rows_text(&rows, "gpu_source", info->gpus.source ? gpu_source_name(&info->gpus) : NULL);
            rows_text(&rows, "trial_gpus", trials_get);
            buf_printf(&place, "%s, cores %s", info->host, buf_text(&cores));
            if (info->gpus.n)
                buf_printf(&place, ", GPUs %s (%s)", buf_text(&gpus), gpu_source_name(&info->gpus));
            if (trials_get)
                buf_printf(&place, ", trials get %s", trials_get);
        }
        if (rank && strcmp(buf_text(&place), buf_text(&before)) != 0) {
            snprintf(numbers, sizeof numbers, rank - 1 > first ? "%d-%d" : "%d", first, rank - 1);
            answer_printf(answer, "rank %-7s%s\n", numbers, buf_text(&before));
            first = rank;
        }
        buf_release(&cores);
        buf_release(&gpus);
    }
    if (!answer_is_for_people(answer) || answer->style.section)
        answer_table(answer, &sections[RANKS], rows_table(&rows));
    rows_release(&rows);
    buf_release(&place);
    buf_release(&before);
}

static void add_findings(struct answer *answer, const struct findings *findings)
{
    static const char *const names[] = {"severity", "finding", "fix"};
    bool is_whole = answer_is_for_people(answer) && !answer->style.section;
    struct rows rows;

    rows_init(&rows, names, 3);
    answer_printf(answer, findings->n ? "\n" : "\nno problems found\n");
    for (int32_t i = 0; i < findings->n; i++) {
        const struct finding *f = &findings->list[i];

        answer_printf(answer, "%s: %s\n    fix: %s\n",
                      f->is_refused ? "run would refuse" : "warning", f->what, f->fix);
        rows_text(&rows, "severity", f->is_refused ? "error" : "warning");
        rows_text(&rows, "finding", f->what);
        rows_text(&rows, "fix", f->fix);
    }
    if (!is_whole)
        answer_table(answer, &sections[FINDINGS], rows_table(&rows));
    rows_release(&rows);
}

/* ---- the command ---- */

struct doctor_options {
    struct common_options common;
    long ranks, threads, gpus_per_host;
    const char *gpus;
};

/* Fill in e->shares, or add a finding. wish: of the sweep. -1: the command line is wrong. */
static int divide_gpus(struct examination *e, const struct doctor_options *o, struct gpu_wish wish,
                       struct err *err)
{
    int32_t devices, ranks, n = e->world->size;

    if (o->gpus_per_host)
        wish.per_host = (int32_t)o->gpus_per_host;
    if (o->gpus && real_parse(&wish.gpus, o->gpus))
        return err_set(err, "--gpus %s: must be a number", o->gpus);
    if (gpu_amount(&devices, &ranks, wish.gpus, err))
        return -1;
    e->shares = wish.gpus > 0 ? calloc((size_t)n, sizeof *e->shares) : NULL;
    if (wish.gpus > 0 && !e->shares)
        return err_nomem(err, "GPUs", (size_t)n * sizeof *e->shares);
    if (e->shares && gpu_divide(e->shares, &e->findings, e->info, n, &wish, err)) {
        add_refusal(&e->findings, err, "start fewer ranks");
        free(e->shares);
        e->shares = NULL;
    }
    return 0;
}

/* `run` refuses input files and programs that are missing here, and a launch of too few ranks. Data
 * are read only if one of these is possible. */
static void check_plan(struct examination *e, struct job *job, const char *db)
{
    const struct sweep_options options = {.db = db, .shard = {1, 1}};
    bool is_program = sweep_is_program(&job->sweep), is_needed = is_program;
    struct errlist faults = {0};
    struct err err;
    int32_t n;
    const union value *ranks = sweep_values(&job->sweep, P_RANKS, &n);

    for (int32_t i = 0; i < n; i++)
        is_needed = is_needed || ranks[i].i > e->world->size;
    if (!is_needed)
        return;
    if (job_load(job, &faults) || job_points(job, &faults)) {
        for (size_t i = 0; i < faults.n; i++)
            checks_add(&e->findings, true, "correct the sweep file", "%s", faults.text[i]);
    } else {
        if (is_program && program_lines_check(job, db, &err))
            checks_add(&e->findings, true, "correct the command, or load what the program needs",
                       "%s", err.text);
        if (sweep_run_check_ranks(job, e->world->size, &options, &err))
            add_refusal(&e->findings, &err, "give another --db");
    }
    errlist_release(&faults);
}

/* job: a sweep that was parsed, or NULL. */
static int examine(const struct world *world, struct rank_info *info,
                   const struct doctor_options *o, struct job *job)
{
    const struct sweep *sweep = job ? &job->sweep : NULL;
    struct examination e = {.world = world, .info = info};
    struct gpu_wish wish = sweep ? preflight_gpus(sweep) : (struct gpu_wish){.ranks = 1};
    struct answer answer;
    struct err err;
    int status;

    preflight_job(&e.job, sweep, o->common.db);
    if (o->threads)
        e.job.threads = (int32_t)o->threads;
    if (checks_find(&e.findings, info, world->size, &e.job, &err))
        return cli_fail(&err);
    if (divide_gpus(&e, o, wish, &err))
        return cli_fail_usage(&err);
    check_database(&e.findings, o->common.db);
    /* Ranks that a launcher has started need no mpirun. */
    if (!world->is_mpi && !host_has_program("mpirun"))
        checks_add(&e.findings, false, "load the module of Open MPI, or add its bin folder to PATH",
                   "mpirun is not in PATH: 'espalier run -n' cannot start ranks");
    if (job)
        check_plan(&e, job, o->common.db);
    output_begin(&answer, &o->common, OUTPUT_DOCUMENT);
    add_machine(&answer, &e);
    add_ranks(&answer, &e);
    add_findings(&answer, &e.findings);
    status = output_end(0, &answer, &err);
    for (int32_t i = 0; i < e.findings.n; i++)
        if (status == EXIT_OK && e.findings.list[i].is_refused)
            status = EXIT_USAGE; /* that of run */
    free(e.shares);
    return status;
}

/* It gives no sign of life while it reads data. */
#define SILENCE_S 3600

/* The sweep file is read first, as by run. world: NULL if mpirun has yet to start the ranks, as for
 * `run -n`. */
static int examine_for(const struct world *world, struct rank_info *info, const struct call *call)
{
    const struct doctor_options *o = call->options;
    const char *grid = call->n_operands ? call->operands[0] : NULL;
    struct mpirun launch = {
        .verb = "doctor",
        .ranks = (int)o->ranks,
        .threads = o->threads ? (int)o->threads : 1,
        .heartbeat_s = SILENCE_S,
        .begun_s = mpirun_begun(),
        .command = "espalier doctor",
        .color = terminal_has_color(STDERR_FILENO) ? "always" : "never",
    };
    struct errlist faults = {0};
    enum exit_status launched;
    struct job job = {0};
    struct err err;
    bool is_cut;
    int status;

    if (grid && job_parse(&job, grid, &o->common.set, &faults)) {
        status = cli_fail_all(&faults);
    } else if (world) {
        status = examine(world, info, o, grid ? &job : NULL);
    } else if (mpirun_check_ranks(o->ranks, &err)) {
        status = cli_fail_usage(&err);
    } else {
        if (grid && !o->threads)
            launch.threads = preflight_threads(&job.sweep);
        status = mpirun_run(&launched, &is_cut, &launch, call->argc, call->argv, &err)
                     ? cli_fail(&err)
                     : (int)launched;
    }
    job_release(&job);
    return status;
}

static int doctor(struct call *call)
{
    const struct doctor_options *o = call->options;
    struct rank_info *info = NULL;
    struct gpu_list gpus;
    struct world world;
    struct err err;
    int status = EXIT_OK;

    if (o->ranks > 1 && !world_is_launched())
        return examine_for(NULL, NULL, call);
    gpu_look(&gpus);
    if (world_open(&world, NULL, &err))
        return cli_fail(&err);
    if (world.is_mpi && world.rank == 0)
        launch_report_up();
    if (rank_info_gather(&world, &gpus, &info, &err))
        status = cli_fail(&err);
    else if (world.rank == 0)
        status = examine_for(&world, info, call);
    free(info);
    if (world.is_mpi && world.rank == 0)
        status = launch_report_status(status);
    return world_close(&world, status);
}

static const struct option_row options[] = {
    {'n', "ranks", "N", OPTION_INT, .into = offsetof(struct doctor_options, ranks),
     .help = "Start N ranks with mpirun, as run does. Leave it out under mpirun or srun.",
     .default_text = "1", .min = 1, .max = 100000},
    {0, "threads", "N", OPTION_INT, .into = offsetof(struct doctor_options, threads),
     .help = "Check for trials of N threads (0 = as GRID.ini says, or 1).", .max = 1024},
    {0, "gpus", "G", OPTION_TEXT, .into = offsetof(struct doctor_options, gpus),
     .help = "Show which GPUs the trials of each rank get, with G GPUs for each rank, such as 2 or "
             "0.5.",
     .shown = "gpus of GRID.ini"},
    {0, "gpus-per-host", "N", OPTION_INT, .into = offsetof(struct doctor_options, gpus_per_host),
     .help = "Divide N GPUs on each host (0 = as GRID.ini says, or find them).", .max = GPU_MAX},
    {OPTION_SECTION("machine|ranks|findings")},
    {0},
};

const struct command command_doctor = {
    .name = "doctor",
    .group = GROUP_RUN,
    .operands = "[GRID.ini [DB]]",
    .max_operands = 1,
    .db_operand = DB_LAST,
    .operand_kind = VALUE_GRID,
    .summary = "Check how a launch like this one would run.",
    .about =
        "Shows ranks, hosts, cores, GPUs, libraries and the filesystem of the database, and then "
        "each problem with its fix, also a program or input file that is missing, or too few "
        "ranks. Start it exactly as you would start run.",
    .examples = {{"espalier doctor", "Check a run on this machine."},
                 {"espalier doctor grid.ini -n 4", "Check a run with -n 4."},
                 {"srun --mpi=pmix -n 64 espalier doctor grid.ini",
                  "Check a launch inside a Slurm job."},
                 {"espalier doctor -n 4 --gpus 0.5", "Show which GPU each of 4 ranks would get."}},
    .see = "run",
    .options = options,
    .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct doctor_options),
    .multiplies = true,
    .run = doctor,
};
