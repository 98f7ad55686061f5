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
#include "sched/world.h"

/* 0: not set, or no number. */
static int32_t number_of(const char *name)
{
    const char *text = getenv(name);
    long n = text ? strtol(text, NULL, 10) : 0;

    return n > 0 && n < INT32_MAX ? (int32_t)n : 0;
}

/* ---- the launcher ---- */

/* Under mpirun in a Slurm job, a rank may also see the step of its daemon. A step with a terminal
 * (srun --pty) runs its shell on one task only. */
static enum launcher find_launcher(int32_t *n)
{
    int32_t step = getenv("SLURM_PTY_PORT") ? 0 : number_of("SLURM_STEP_NUM_TASKS");

    if ((*n = number_of("OMPI_COMM_WORLD_SIZE")))
        return LAUNCHER_MPIRUN;
    if ((*n = number_of("PMI_SIZE")) && *n != step)
        return LAUNCHER_OTHER;
    if ((*n = step))
        return LAUNCHER_SRUN;
    return LAUNCHER_NONE;
}

const char *launcher_name(enum launcher launcher)
{
    static const char *const names[] = {"none", "mpirun", "mpiexec", "srun"};

    return names[launcher];
}

static int32_t count_job_tasks(void)
{
    static const char *const names[] = {"SLURM_NTASKS", "LSB_DJOB_NUMPROC", "PBS_NP"};
    const char *nodes = getenv("PBS_NODEFILE");
    FILE *file = nodes ? fopen(nodes, "re") : NULL;
    int32_t n = 0;

    for (int c = file ? getc(file) : EOF; c != EOF; c = getc(file))
        n += c == '\n';
    if (file)
        fclose(file);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (number_of(names[i]))
            return number_of(names[i]);
    return n;
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

void rank_info_here(struct rank_info *info)
{
    const char *folder = shared_folder();
    struct process self;
    struct statvfs shm;
    size_t boot;

    *info = (struct rank_info){.cpus_online = (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    process_self(&self);
    boot = strcspn(self.realm, " ");
    info->pid = (int32_t)self.pid;
    snprintf(info->host, sizeof info->host, "%s", self.host);
    snprintf(info->machine, sizeof info->machine, "%.*s", boot ? (int)boot : 64,
             boot ? self.realm : self.host);
    snprintf(info->pids, sizeof info->pids, "%s", self.realm[boot] ? self.realm + boot + 1 : "-");
    if (sched_getaffinity(0, sizeof info->cpus, &info->cpus))
        CPU_ZERO(&info->cpus);
    info->launcher = find_launcher(&info->n_launched);
    info->n_job = count_job_tasks();
    info->launched_by_run = getenv(PROCESS_COMMAND) != NULL;
    info->recovery = find_recovery();
    info->shm_bytes = info->shm_free_bytes = -1;
    if (*folder && !statvfs(folder, &shm)) {
        info->shm_bytes = (double)shm.f_blocks * (double)shm.f_frsize;
        info->shm_free_bytes = (double)shm.f_bavail * (double)shm.f_frsize;
    }
}

/* ---- all ranks ---- */

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

int rank_info_gather(const struct world *world, const struct gpu_list *gpus,
                     struct rank_info **info, struct err *err)
{
    const char *mpirun = getenv("OMPI_COMM_WORLD_LOCAL_RANK");
    const char *local = mpirun ? mpirun : getenv("SLURM_LOCALID");
    size_t n = sizeof **info;
    struct rank_info *here = calloc(1, n);
    int rc = here ? 0 : err_nomem(err, "facts of a rank", n);

    *info = world->rank ? NULL : calloc((size_t)world->size, n);
    if (!world->rank && !*info)
        rc = err_nomem(err, "facts of the ranks", (size_t)world->size * n);
    if (!rc) {
        rank_info_here(here);
        if (gpus)
            here->gpus = *gpus;
        if (!local || !strcmp(local, "0"))
            here->n_others = host_find_runs(here->others);
        rc = read_clock(world, here, err) || world_gather(world, here, n, *info, err) ? -1 : 0;
    }
    free(here);
    if (rc) {
        free(*info);
        *info = NULL;
    }
    return rc;
}
