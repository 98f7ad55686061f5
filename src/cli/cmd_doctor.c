/* SPDX-License-Identifier: BSD-3-Clause */
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/batch.h"
#include "cli/cli.h"
#include "config.h"
#include "launch/host.h"
#include "launch/preflight.h"
#include "run/job_prepare.h"
#include "store/store.h"
#include "tensor/gemm.h"

/* What there is to say, before any of it is printed. */
struct examination {
    const struct world *world;
    const struct rank_info *info; /* [world->size] */
    struct checks_job job;
    struct findings findings;
};

/* Of a file that is not there yet. */
static bool is_folder_writable(const char *path)
{
    char copy[PATH_MAX];

    snprintf(copy, sizeof copy, "%s", path);
    return access(dirname(copy), W_OK) == 0;
}

static void check_database(struct findings *findings, const char *db)
{
    struct store *store;
    struct err err;

    if (access(db, F_OK) == 0) {
        if (!store_open_reader(&store, db, &err))
            store_close(store);
        else
            checks_add(findings, "give another --db", "%s", err.text);
    } else if (!is_folder_writable(db)) {
        checks_add(findings, "make the folder, or give another --db",
                   "%s: cannot be made: its folder is not there, or not writable", db);
    }
}

/* ---- facts ---- */

static void print_memory(void)
{
    struct statvfs shm;

    cli_printf("memory      %.1f GiB\n",
               (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30));
    if (!statvfs("/dev/shm", &shm))
        cli_printf("/dev/shm    %.1f GiB free\n",
                   (double)shm.f_bavail * (double)shm.f_frsize / (1 << 30));
}

static void print_machine(void)
{
    char cpu[128];

    cli_printf("espalier    %s\n", PACKAGE_VERSION);
    cli_printf("cpu         %s\n", host_cpu(cpu, sizeof cpu));
    cli_printf("cores       %d that this process may use\n", host_cores());
    cli_printf("blas        %s, kernel %s\n", gemm_library(), gemm_kernel());
    cli_printf("mpi         %s\n", world_library());
    print_memory();
}

static void print_launch(const struct examination *e)
{
    static const char *const recovery[] = {"not known: this launcher does not tell", "off", "on"};
    const struct world *world = e->world;
    const struct rank_info *here = e->info;
    struct batch_job batch;

    cli_printf("launch      %s, %d rank%s\n", world->is_mpi ? "MPI" : "single process", world->size,
               world->size == 1 ? "" : "s");
    if (world->size > 1)
        cli_printf("recovery    %s\n", recovery[here->recovery]);
    batch_job_here(&batch);
    if (batch.system != BATCH_NONE)
        cli_printf("batch job   %s, %s\n", batch_system_title(batch.system), batch.id);
}

static void print_database(const struct checks_job *job)
{
    cli_printf("database    %s on %s: journal mode %s%s\n", job->db, job->filesystem,
               job->is_network ? "delete" : "wal",
               job->is_network ? " (other nodes may see the file: no write-ahead log)" : "");
}

static bool is_same_place(const struct rank_info *a, const struct rank_info *b)
{
    return !strcmp(a->host, b->host) && CPU_EQUAL(&a->cpus, &b->cpus);
}

/* Ranks that follow each other and are placed alike in a line. */
static void print_ranks(const struct examination *e)
{
    int32_t next;

    for (int32_t rank = 0; rank < e->world->size; rank = next) {
        const struct rank_info *info = &e->info[rank];
        struct buf cores = {0};
        char numbers[32];

        for (next = rank + 1; next < e->world->size; next++)
            if (!is_same_place(info, &e->info[next]))
                break;
        if (next > rank + 1)
            snprintf(numbers, sizeof numbers, "%d-%d", rank, next - 1);
        else
            snprintf(numbers, sizeof numbers, "%d", rank);
        host_cpus_format(&cores, &info->cpus);
        cli_printf("rank %-7s%s, cores %s\n", numbers, info->host, buf_text(&cores));
        buf_release(&cores);
    }
}

static void print_findings(const struct findings *findings)
{
    cli_printf("\n");
    for (int32_t i = 0; i < findings->n; i++)
        cli_printf("%s: %s\n    fix: %s\n",
                   findings->list[i].is_refused ? "run would refuse" : "warning",
                   findings->list[i].what, findings->list[i].fix);
    if (!findings->n)
        cli_printf("nothing to mend\n");
}

/* ---- the command ---- */

struct doctor_options {
    struct common_options common;
    long threads;
};

static int examine(const struct world *world, const struct rank_info *info,
                   const struct doctor_options *o, const struct sweep *sweep)
{
    struct examination e = {.world = world, .info = info};
    struct err err;

    preflight_job(&e.job, sweep, o->common.db);
    if (o->threads)
        e.job.threads = (int32_t)o->threads;
    if (checks_find(&e.findings, info, world->size, &e.job, &err))
        return cli_fail(&err);
    check_database(&e.findings, o->common.db);
    print_machine();
    print_launch(&e);
    print_database(&e.job);
    print_ranks(&e);
    print_findings(&e.findings);
    for (int32_t i = 0; i < e.findings.n; i++)
        if (e.findings.list[i].is_refused)
            return EXIT_USAGE; /* as run */
    return EXIT_OK;
}

/* grid: NULL for no sweep in particular. */
static int examine_for(const struct world *world, const struct rank_info *info,
                       const struct doctor_options *o, const char *grid)
{
    const struct text_list set = {NULL, 0};
    struct errlist faults = {0};
    struct job job = {0};
    int status;

    if (grid && job_parse(&job, grid, &set, &faults))
        status = cli_fail_all(&faults);
    else
        status = examine(world, info, o, grid ? &job.sweep : NULL);
    job_release(&job);
    return status;
}

static int doctor(struct call *call)
{
    struct rank_info *info = NULL;
    struct world world;
    struct err err;
    int status = EXIT_OK;

    if (world_open(&world, NULL, &err))
        return cli_fail(&err);
    if (rank_info_gather(&world, &info, &err))
        status = cli_fail(&err);
    else if (world.rank == 0)
        status =
            examine_for(&world, info, call->options, call->n_operands ? call->operands[0] : NULL);
    rank_info_destroy(info, world.size);
    return world_close(&world, status);
}

static const struct option_row options[] = {
    {0, "threads", "N", OPTION_INT, .into = offsetof(struct doctor_options, threads),
     .help = "Check for trials of N threads (0 = as GRID.ini says, or 1).", .max = 1024},
    {0},
};

static const struct example examples[] = {
    {"espalier doctor", "Check a run on this machine."},
    {"srun --mpi=pmix -n 64 espalier doctor grid.ini", "Check a launch inside a Slurm job."},
    {NULL, NULL},
};

const struct command command_doctor = {
    .name = "doctor",
    .group = GROUP_RUN,
    .operands = "[GRID.ini [DB]]",
    .max_operands = 1,
    .db_operand = DB_LAST,
    .operand_kind = VALUE_GRID,
    .summary = "Check how a launch like this one would run.",
    .about = "Shows ranks, hosts, cores, libraries and the filesystem of the database, and then "
             "each problem with its fix. Start it exactly as you would start run.",
    .examples = examples,
    .see = "run",
    .options = options,
    .common = COMMON_DB,
    .options_size = sizeof(struct doctor_options),
    .run = doctor,
};
