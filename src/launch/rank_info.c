/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/rank_info.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "launch/environment.h"
#include "launch/host.h"
#include "sched/shared.h"

/* 0: not set, or no number. */
static int32_t number_of(const char *name)
{
    const char *text = getenv(name);
    long n = text ? strtol(text, NULL, 10) : 0;

    return n > 0 && n < INT32_MAX ? (int32_t)n : 0;
}

/* ---- the launcher ---- */

/* Under mpirun in a Slurm job, a rank may also see the step of its daemon. A step with a terminal
 * (srun --pty) runs its shell on one task only. A task of blaunch or pbsdsh learns only its own
 * number. */
static enum launcher find_launcher(int32_t *n)
{
    int32_t step = getenv("SLURM_PTY_PORT") ? 0 : number_of("SLURM_STEP_NUM_TASKS");

    if ((*n = number_of("OMPI_COMM_WORLD_SIZE")))
        return LAUNCHER_MPIRUN;
    if ((*n = number_of("PMI_SIZE")) && *n != step)
        return LAUNCHER_OTHER;
    if ((*n = step))
        return LAUNCHER_SRUN;
    if ((*n = number_of("LSF_PM_TASKID")))
        return LAUNCHER_BLAUNCH;
    if ((*n = number_of("PBS_VNODENUM"))) {
        ++*n;
        return LAUNCHER_PBSDSH;
    }
    return LAUNCHER_NONE;
}

const char *launcher_name(enum launcher launcher)
{
    static const char *const names[] = {"none", "mpirun", "mpiexec", "srun", "blaunch", "pbsdsh"};

    return names[launcher];
}

static int32_t count_lines(const char *path)
{
    FILE *file = path ? fopen(path, "re") : NULL;
    int32_t n = 0;

    if (!file)
        return 0;
    for (int c = getc(file); c != EOF; c = getc(file))
        n += c == '\n';
    fclose(file);
    return n;
}

static int32_t count_job_tasks(void)
{
    static const char *const names[] = {"SLURM_NTASKS", "LSB_DJOB_NUMPROC", "PBS_NP"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (number_of(names[i]))
            return number_of(names[i]);
    return count_lines(getenv("PBS_NODEFILE"));
}

/* Open MPI 4 sets this variable for --enable-recovery, and others with the same prefix always. Open
 * MPI 5 sets none. */
static enum recovery find_recovery(void)
{
    const char *recovery = getenv("OMPI_MCA_orte_enable_recovery");

    if (recovery && *recovery && !strchr("0fFnN", *recovery))
        return RECOVERY_ON;
    return recovery || getenv("OMPI_MCA_orte_launch") ? RECOVERY_OFF : RECOVERY_UNKNOWN;
}

/* ---- one rank ---- */

static void find_place(struct rank_info *info)
{
    struct process self;
    size_t boot;

    process_self(&self);
    boot = strcspn(self.realm, " ");
    info->pid = (int32_t)self.pid;
    snprintf(info->host, sizeof info->host, "%s", self.host);
    snprintf(info->machine, sizeof info->machine, "%.*s", (int)boot, self.realm);
    if (!boot)
        snprintf(info->machine, sizeof info->machine, "%s", self.host);
    snprintf(info->pids, sizeof info->pids, "%s", self.realm[boot] ? self.realm + boot + 1 : "-");
}

static void find_shared_memory(struct rank_info *info)
{
    const char *folder = shared_folder();
    struct statvfs shm;

    info->shm_bytes = info->shm_free_bytes = -1;
    if (!*folder || statvfs(folder, &shm))
        return;
    info->shm_bytes = (double)shm.f_blocks * (double)shm.f_frsize;
    info->shm_free_bytes = (double)shm.f_bavail * (double)shm.f_frsize;
}

void rank_info_here(struct rank_info *info)
{
    *info = (struct rank_info){.cpus_online = (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    find_place(info);
    if (sched_getaffinity(0, sizeof info->cpus, &info->cpus))
        CPU_ZERO(&info->cpus);
    info->launcher = find_launcher(&info->n_launched);
    info->n_job = count_job_tasks();
    info->launched_by_run = getenv(PROCESS_COMMAND) != NULL;
    info->recovery = find_recovery();
    find_shared_memory(info);
}

/* ---- all ranks ---- */

void rank_info_pack(struct buf *out, const struct rank_info *info)
{
    buf_printf(out, "%s %s %s %d ", info->host, info->machine, info->pids, info->pid);
    host_cpus_format(out, &info->cpus);
    buf_printf(out, " %d %d %d %d %d %d %.0f %.0f %.6f %.6f %d", info->cpus_online,
               (int)info->launcher, info->n_launched, info->n_job, info->launched_by_run,
               (int)info->recovery, info->shm_bytes, info->shm_free_bytes, info->before,
               info->after, info->n_others);
    for (int32_t i = 0; i < info->n_others; i++) {
        buf_printf(out, " %d %s ", info->others[i].pid, info->others[i].user);
        host_cpus_format(out, &info->others[i].cpus);
    }
    buf_putc(out, ' ');
    gpu_list_pack(out, &info->gpus);
}

#define CPUS_TEXT 4096

/* Returns the number of bytes read, or -1. */
static int unpack_others(struct rank_info *info, const char *text, struct err *err)
{
    char cpus[CPUS_TEXT];
    int at = 0, used;

    if (!info->n_others)
        return 0;
    info->others = calloc((size_t)info->n_others, sizeof *info->others);
    if (!info->others)
        return err_nomem(err, "facts", (size_t)info->n_others * sizeof *info->others);
    for (int32_t i = 0; i < info->n_others; i++) {
        struct host_run *other = &info->others[i];

        if (sscanf(text + at, " %d %32s %4095s%n", &other->pid, other->user, cpus, &used) != 3)
            return err_set(err, "information of a rank: '%.40s' is not a process", text + at);
        host_cpus_parse(&other->cpus, cpus);
        at += used;
    }
    return at;
}

int rank_info_unpack(struct rank_info *info, const char *text, struct err *err)
{
    char cpus[CPUS_TEXT];
    int launcher, recovery, used, rest;

    *info = (struct rank_info){.pid = 0};
    if (sscanf(text, "%64s %64s %23s %d %4095s %d %d %d %d %d %d %lf %lf %lf %lf %d%n", info->host,
               info->machine, info->pids, &info->pid, cpus, &info->cpus_online, &launcher,
               &info->n_launched, &info->n_job, &info->launched_by_run, &recovery, &info->shm_bytes,
               &info->shm_free_bytes, &info->before, &info->after, &info->n_others, &used) != 16 ||
        launcher < 0 || launcher > LAUNCHER_PBSDSH || recovery < 0 || recovery > RECOVERY_ON ||
        info->n_others < 0 || info->n_others > HOST_RUNS_MAX) {
        info->n_others = 0;
        return err_set(err, "information of a rank: cannot parse '%.200s'", text);
    }
    info->launcher = (enum launcher)launcher;
    info->recovery = (enum recovery)recovery;
    host_cpus_parse(&info->cpus, cpus);
    rest = unpack_others(info, text + used, err);
    return rest < 0 || gpu_list_unpack(&info->gpus, text + used + rest, err) < 0 ? -1 : 0;
}

void rank_info_release(struct rank_info *info)
{
    free(info->others);
    gpu_list_release(&info->gpus);
    *info = (struct rank_info){.pid = 0};
}

static bool is_first_of_host(void)
{
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_RANK");

    if (!local)
        local = getenv("SLURM_LOCALID");
    return !local || !strcmp(local, "0");
}

/* All ranks are awake at the second meeting, so it is short. */
static int read_clock(const struct world *world, struct rank_info *info, struct err *err)
{
    if (world_meet(world, err))
        return -1;
    info->before = clock_unix();
    if (world_meet(world, err))
        return -1;
    info->after = clock_unix();
    return 0;
}

static int look_around(struct rank_info *info, struct err *err)
{
    size_t bytes = HOST_RUNS_MAX * sizeof *info->others;

    if (!is_first_of_host())
        return 0;
    info->others = malloc(bytes);
    if (!info->others)
        return err_nomem(err, "facts", bytes);
    info->n_others = host_find_runs(info->others);
    return 0;
}

static int unpack_all(struct rank_info *info, char **texts, int32_t n, struct err *err)
{
    for (int32_t rank = 0; rank < n; rank++)
        if (rank_info_unpack(&info[rank], texts[rank], err))
            return err_wrap(err, "rank %d", rank);
    return 0;
}

static int receive(const struct world *world, const char *text, struct rank_info **out,
                   struct err *err)
{
    size_t n = (size_t)world->size;
    char **texts = calloc(n, sizeof *texts);
    struct rank_info *info = calloc(n, sizeof *info);
    int rc = texts && info ? world_gather(world, text, texts, err)
                           : err_nomem(err, "facts", n * sizeof *info);

    if (!rc)
        rc = unpack_all(info, texts, world->size, err);
    for (size_t i = 0; texts && i < n; i++)
        free(texts[i]);
    free(texts);
    if (rc)
        rank_info_destroy(info, world->size);
    else
        *out = info;
    return rc;
}

int rank_info_gather(const struct world *world, const struct gpu_list *gpus,
                     struct rank_info **info, struct err *err)
{
    struct rank_info here;
    struct buf text = {0};
    struct err ignored;
    int rc;

    *info = NULL;
    rank_info_here(&here);
    if (gpus)
        here.gpus = *gpus;
    /* go on without other runs if this fails: the other ranks wait */
    (void)look_around(&here, &ignored);
    rc = read_clock(world, &here, err);
    if (!rc) {
        rank_info_pack(&text, &here);
        rc = world->rank ? world_gather(world, buf_text(&text), NULL, err)
                         : receive(world, buf_text(&text), info, err);
    }
    buf_release(&text);
    free(here.others);
    return rc;
}

void rank_info_destroy(struct rank_info *info, int32_t n)
{
    for (int32_t i = 0; info && i < n; i++)
        rank_info_release(&info[i]);
    free(info);
}
