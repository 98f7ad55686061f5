#include "launch/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "launch/host.h"
#include "launch/mpirun.h"
#include "sched/shared.h"

/* A variable's number; 0 where it is not set or is none. */
static int32_t number_of(const char *name)
{
    const char *text = getenv(name);
    long n = text ? strtol(text, NULL, 10) : 0;

    return n > 0 && n < INT32_MAX ? (int32_t)n : 0;
}

/* ---- who has started us ---- */

/* What stands first counts: under mpirun in a Slurm job a rank may also see the step of the daemon
 * that started it. A step with a terminal (srun --pty) has its shell on one task only. Of blaunch
 * and pbsdsh a task learns its own number, not how many there are. */
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

/* mpirun of Open MPI 4 sets the variable for its ranks where --enable-recovery was given, and the
 * others of its name in any case. That of Open MPI 5 tells them nothing. */
static enum recovery find_recovery(void)
{
    const char *recovery = getenv("OMPI_MCA_orte_enable_recovery");

    if (recovery && *recovery && !strchr("0fFnN", *recovery))
        return RECOVERY_ON;
    return recovery || getenv("OMPI_MCA_orte_launch") ? RECOVERY_OFF : RECOVERY_UNKNOWN;
}

/* ---- one rank ---- */

static void find_place(struct facts *facts)
{
    struct process self;
    size_t boot;

    process_self(&self);
    boot = strcspn(self.realm, " ");
    facts->pid = (int32_t)self.pid;
    snprintf(facts->host, sizeof facts->host, "%s", self.host);
    snprintf(facts->machine, sizeof facts->machine, "%.*s", (int)boot, self.realm);
    if (!boot)
        snprintf(facts->machine, sizeof facts->machine, "%s", self.host);
    snprintf(facts->pids, sizeof facts->pids, "%s", self.realm[boot] ? self.realm + boot + 1 : "-");
}

static void find_shared_memory(struct facts *facts)
{
    const char *folder = shared_folder();
    struct statvfs shm;

    facts->shm_bytes = facts->shm_free_bytes = -1;
    if (!*folder || statvfs(folder, &shm))
        return;
    facts->shm_bytes = (double)shm.f_blocks * (double)shm.f_frsize;
    facts->shm_free_bytes = (double)shm.f_bavail * (double)shm.f_frsize;
}

void facts_here(struct facts *facts)
{
    *facts = (struct facts){.cpus_online = (int32_t)sysconf(_SC_NPROCESSORS_ONLN)};
    find_place(facts);
    if (sched_getaffinity(0, sizeof facts->cpus, &facts->cpus))
        CPU_ZERO(&facts->cpus);
    facts->launcher = find_launcher(&facts->n_launched);
    facts->n_job = count_job_tasks();
    facts->launched_by_run = getenv(LAUNCH_COMMAND) != NULL;
    facts->recovery = find_recovery();
    find_shared_memory(facts);
}

/* ---- all ranks ---- */

void facts_pack(struct buf *out, const struct facts *facts)
{
    buf_printf(out, "%s %s %s %d ", facts->host, facts->machine, facts->pids, facts->pid);
    cpus_format(out, &facts->cpus);
    buf_printf(out, " %d %d %d %d %d %d %.0f %.0f %.6f %.6f %d", facts->cpus_online,
               (int)facts->launcher, facts->n_launched, facts->n_job, facts->launched_by_run,
               (int)facts->recovery, facts->shm_bytes, facts->shm_free_bytes, facts->before,
               facts->after, facts->n_others);
    for (int32_t i = 0; i < facts->n_others; i++) {
        buf_printf(out, " %d ", facts->others[i].pid);
        cpus_format(out, &facts->others[i].cpus);
    }
}

/* A set of CPU_SETSIZE processors in text, at the longest. */
#define CPUS_TEXT 4096

static int unpack_others(struct facts *facts, const char *text, struct err *err)
{
    char cpus[CPUS_TEXT];
    int used;

    if (!facts->n_others)
        return 0;
    facts->others = calloc((size_t)facts->n_others, sizeof *facts->others);
    if (!facts->others)
        return err_nomem(err, "facts", (size_t)facts->n_others * sizeof *facts->others);
    for (int32_t i = 0; i < facts->n_others; i++) {
        if (sscanf(text, " %d %4095s%n", &facts->others[i].pid, cpus, &used) != 2)
            return err_set(err, "facts of a rank: '%.40s' is no process", text);
        cpus_parse(&facts->others[i].cpus, cpus);
        text += used;
    }
    return 0;
}

int facts_unpack(struct facts *facts, const char *text, struct err *err)
{
    char cpus[CPUS_TEXT];
    int launcher, recovery, used;

    *facts = (struct facts){.pid = 0};
    if (sscanf(text, "%64s %64s %23s %d %4095s %d %d %d %d %d %d %lf %lf %lf %lf %d%n", facts->host,
               facts->machine, facts->pids, &facts->pid, cpus, &facts->cpus_online, &launcher,
               &facts->n_launched, &facts->n_job, &facts->launched_by_run, &recovery,
               &facts->shm_bytes, &facts->shm_free_bytes, &facts->before, &facts->after,
               &facts->n_others, &used) != 16 ||
        launcher < 0 || launcher > LAUNCHER_PBSDSH || recovery < 0 || recovery > RECOVERY_ON ||
        facts->n_others < 0 || facts->n_others > OTHERRUNS_MAX) {
        facts->n_others = 0;
        return err_set(err, "facts of a rank: '%.200s' are none", text);
    }
    facts->launcher = (enum launcher)launcher;
    facts->recovery = (enum recovery)recovery;
    cpus_parse(&facts->cpus, cpus);
    return unpack_others(facts, text + used, err);
}

/* Where no variable tells which rank of its host this is, each of them looks. */
static bool is_first_of_host(void)
{
    const char *local = getenv("OMPI_COMM_WORLD_LOCAL_RANK");

    if (!local)
        local = getenv("SLURM_LOCALID");
    return !local || !strcmp(local, "0");
}

/* The second meeting finds all ranks awake, so that it is short. */
static int read_clock(const struct world *world, struct facts *facts, struct err *err)
{
    if (world_meet(world, err))
        return -1;
    facts->before = clock_unix();
    if (world_meet(world, err))
        return -1;
    facts->after = clock_unix();
    return 0;
}

static int look_around(struct facts *facts, struct err *err)
{
    size_t bytes = OTHERRUNS_MAX * sizeof *facts->others;

    if (!is_first_of_host())
        return 0;
    facts->others = malloc(bytes);
    if (!facts->others)
        return err_nomem(err, "facts", bytes);
    facts->n_others = otherruns_find(facts->others);
    return 0;
}

static int unpack_all(struct facts *facts, char **texts, int32_t n, struct err *err)
{
    for (int32_t rank = 0; rank < n; rank++)
        if (facts_unpack(&facts[rank], texts[rank], err))
            return err_wrap(err, "rank %d", rank);
    return 0;
}

/* Rank 0's arrays. */
static int receive(const struct world *world, const char *text, struct facts **out, struct err *err)
{
    size_t n = (size_t)world->size;
    char **texts = calloc(n, sizeof *texts);
    struct facts *facts = calloc(n, sizeof *facts);
    int rc = texts && facts ? world_gather(world, text, texts, err)
                            : err_nomem(err, "facts", n * sizeof *facts);

    if (!rc)
        rc = unpack_all(facts, texts, world->size, err);
    for (size_t i = 0; texts && i < n; i++)
        free(texts[i]);
    free(texts);
    if (rc)
        facts_destroy(facts, world->size);
    else
        *out = facts;
    return rc;
}

int facts_gather(const struct world *world, struct facts **facts, struct err *err)
{
    struct facts here;
    struct buf text = {0};
    struct err ignored;
    int rc;

    *facts = NULL;
    facts_here(&here);
    /* Without other runs rather than not at all: the other ranks wait. */
    (void)look_around(&here, &ignored);
    rc = read_clock(world, &here, err);
    if (!rc) {
        facts_pack(&text, &here);
        rc = world->rank ? world_gather(world, buf_text(&text), NULL, err)
                         : receive(world, buf_text(&text), facts, err);
    }
    buf_release(&text);
    free(here.others);
    return rc;
}

void facts_destroy(struct facts *facts, int32_t n)
{
    for (int32_t i = 0; facts && i < n; i++)
        free(facts[i].others);
    free(facts);
}
