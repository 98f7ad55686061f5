/* SPDX-License-Identifier: BSD-3-Clause */
#include "launch/checks.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "launch/host.h"

/* NTP keeps clocks within milliseconds */
#define SKEW_S 1.0
/* default of docker, podman and Kubernetes */
#define CONTAINER_SHM_BYTES (64.0 * 1024 * 1024)
#define GIB (1024.0 * 1024 * 1024)

struct machine_group {
    const struct rank_info *info; /* of all ranks */
    const int32_t *ranks;         /* [n] on one machine */
    int32_t n;
    const struct checks_job *job;
};

static const struct rank_info *first_of(const struct machine_group *group)
{
    return &group->info[group->ranks[0]];
}

static void set(char out[FINDING_TEXT], const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void set(char out[FINDING_TEXT], const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(out, FINDING_TEXT, format, args);
    va_end(args);
}

/* ---- the launch as a whole ---- */

static bool check_singleton(struct finding *f, const struct rank_info *here, int32_t n,
                            const struct checks_job *job)
{
    if (n > 1 || here->n_launched < 2 || job->is_part)
        return false;
    f->is_refused = true;
    set(f->what, "%s started %d tasks, but no MPI connects them: each would run the whole grid",
        launcher_name(here->launcher), here->n_launched);
    if (here->launcher == LAUNCHER_SRUN)
        set(f->fix,
            "srun --mpi=pmix, or one task and 'espalier run -n %d', or mpirun; for independent "
            "tasks give each a --shard",
            here->n_launched);
    else
        set(f->fix,
            "use the mpirun of the Open MPI that espalier was built with: 'espalier run "
            "-n %d' finds it in the PATH",
            here->n_launched);
    return true;
}

static bool check_idle_job(struct finding *f, const struct rank_info *here, int32_t n,
                           const struct checks_job *job)
{
    if (n > 1 || job->starts_ranks || here->n_launched > 1 || here->n_job <= job->threads)
        return false;
    set(f->what,
        "the batch job has room for %d tasks, but this is one process, which trains one "
        "trial at a time on %d core%s",
        here->n_job, job->threads, plural(job->threads));
    set(f->fix, "espalier run -n %d, or mpirun", here->n_job / job->threads);
    return true;
}

static bool check_recovery(struct finding *f, const struct rank_info *info, int32_t n,
                           const struct checks_job *job)
{
    (void)job;
    if (n < 2 || info->launched_by_run || info->recovery != RECOVERY_OFF)
        return false;
    set(f->what, "mpirun is not in recovery mode: if one rank dies, it ends all %d", n);
    set(f->fix,
        "'espalier run -n %d'; or mpirun --enable-recovery, whose exit status is then always 0", n);
    return true;
}

/* All ranks were once between `before` and `after`, so a delayed rank does not look like a wrong
 * clock. */
static double skew_of(const struct rank_info *info, int32_t rank)
{
    double most = info[rank].after - info[0].before;
    double least = info[rank].before - info[0].after;

    return least > 0 ? least : most < 0 ? most : 0;
}

static bool check_clocks(struct finding *f, const struct rank_info *info, int32_t n,
                         const struct checks_job *job)
{
    int32_t worst = 0;
    double skew;

    (void)job;
    for (int32_t rank = 1; rank < n; rank++)
        if (fabs(skew_of(info, rank)) > fabs(skew_of(info, worst)))
            worst = rank;
    skew = skew_of(info, worst);
    if (fabs(skew) <= SKEW_S)
        return false;
    set(f->what,
        "the clock of %s is %.1f s %s that of %s: times in the database and in logs do "
        "not agree",
        info[worst].host, fabs(skew), skew > 0 ? "ahead of" : "behind", info[0].host);
    set(f->fix, "synchronize the clocks by NTP (chronyc tracking, timedatectl), or tell the "
                "administrator; results are not affected");
    return true;
}

/* ---- the ranks of a machine ---- */

static void unite(cpu_set_t *all, const struct machine_group *group)
{
    CPU_ZERO(all);
    for (int32_t i = 0; i < group->n; i++)
        CPU_OR(all, all, &group->info[group->ranks[i]].cpus);
}

static void set_core_fix(char out[FINDING_TEXT], const struct machine_group *group)
{
    const struct rank_info *first = first_of(group);
    int32_t threads = group->job->threads, wanted = group->n * threads;

    if (wanted > first->cpus_online)
        set(out, "start fewer ranks%s: the host has %d core%s", threads > 1 ? " or threads" : "",
            first->cpus_online, plural(first->cpus_online));
    else if (first->launcher == LAUNCHER_SRUN)
        set(out, "srun --cpus-per-task=%d --cpu-bind=cores, or ask the job for %d cores on a host",
            threads, wanted);
    else
        set(out,
            "mpirun --map-by slot:PE=%d --bind-to core, or --bind-to none; if taskset or the "
            "batch job excludes the other cores, ask for %d cores or start fewer ranks",
            threads, wanted);
}

/* True if threads must share cores: those of a rank, or those of all together. Ranks whose cores are
 * unknown do not count. */
static bool is_short(const struct machine_group *group)
{
    int64_t n_threads = 0;
    cpu_set_t all;

    unite(&all, group);
    for (int32_t i = 0; i < group->n; i++) {
        int cores = CPU_COUNT(&group->info[group->ranks[i]].cpus);

        if (cores && cores < group->job->threads)
            return true;
        n_threads += cores ? group->job->threads : 0;
    }
    return n_threads > CPU_COUNT(&all);
}

static bool check_cores(struct finding *f, const struct machine_group *group)
{
    const char *host = first_of(group)->host;
    int32_t threads = group->job->threads;
    cpu_set_t all;
    int cores;

    unite(&all, group);
    cores = CPU_COUNT(&all);
    if (group->job->starts_ranks || !is_short(group))
        return false;
    if (group->n > 1 && cores == 1) {
        struct buf list = {0};

        host_cpus_format(&list, &all);
        set(f->what, "the %d ranks on %s are all bound to one core, number %s", group->n, host,
            buf_text(&list));
        buf_release(&list);
    } else if (group->n == 1) {
        set(f->what,
            "threads = %d, but this rank may run on %d core%s only: its threads will "
            "share them",
            threads, cores, plural(cores));
    } else {
        set(f->what, "%d ranks x %d thread%s do not fit on the %d core%s of %s that they may use",
            group->n, threads, plural(threads), cores, plural(cores), host);
    }
    set_core_fix(f->fix, group);
    return true;
}

static bool is_of_group(const struct machine_group *group, int32_t pid)
{
    for (int32_t i = 0; i < group->n; i++)
        if (group->info[group->ranks[i]].pid == pid)
            return true;
    return false;
}

/* Other runs that share cores with this one, one thread for each process, where there are too few
 * cores for both. Different pid namespaces: processes of the group cannot be told from others. */
static bool check_others(struct finding *f, const struct machine_group *group)
{
    const struct rank_info *watcher = first_of(group);
    const struct host_run *first = NULL;
    int32_t n = 0;
    cpu_set_t ours, all, both;

    unite(&ours, group);
    all = ours;
    for (int32_t i = 0; i < group->n; i++) {
        const struct rank_info *info = &group->info[group->ranks[i]];

        if (strcmp(info->pids, first_of(group)->pids) != 0)
            return false;
        if (!watcher->n_others)
            watcher = info;
    }
    for (int32_t i = 0; i < watcher->n_others; i++) {
        const struct host_run *other = &watcher->others[i];

        CPU_AND(&both, &ours, &other->cpus);
        if (!CPU_COUNT(&both) || is_of_group(group, other->pid))
            continue;
        first = first ? first : other;
        CPU_OR(&all, &all, &other->cpus);
        n++;
    }
    if (group->job->starts_ranks || !n || is_short(group) ||
        group->n * group->job->threads + n <= CPU_COUNT(&all))
        return false;
    if (n == 1)
        set(f->what,
            "another espalier run (process %d of %s) uses the same cores of %s, so both are slower",
            first->pid, first->user, first_of(group)->host);
    else
        set(f->what,
            "another espalier run (%d processes, the first is %d of %s) uses the same cores of %s, "
            "so both are slower",
            n, first->pid, first->user, first_of(group)->host);
    set(f->fix, "wait for it, or start fewer ranks");
    return true;
}

static bool check_shared_memory(struct finding *f, const struct machine_group *group)
{
    const struct rank_info *first = first_of(group);
    double wanted = group->job->share_bytes;

    if (group->n < 2 || first->shm_bytes < 0)
        return false;
    if (wanted > 0 ? wanted <= first->shm_free_bytes : first->shm_bytes > CONTAINER_SHM_BYTES)
        return false;
    if (wanted > 0)
        set(f->what,
            "shared memory on %s has %.3f GiB free, but the data need at least %.3f GiB: each of "
            "its %d ranks will have its own copy",
            first->host, first->shm_free_bytes / GIB, wanted / GIB, group->n);
    else
        set(f->what,
            "shared memory on %s has %.3f GiB in all, a container's default: each of its %d ranks "
            "will have its own copy of larger data",
            first->host, first->shm_bytes / GIB, group->n);
    set(f->fix, "docker run --ipc=host or --shm-size=8g; outside containers remove old files from "
                "/dev/shm, or name another folder in memory with ESPALIER_SHM");
    return true;
}

int32_t checks_list_machine(int32_t *ranks, const struct rank_info *info, int32_t n, int32_t first)
{
    int32_t n_there = 0;

    for (int32_t rank = 0; rank < n; rank++) {
        if (strcmp(info[rank].machine, info[first].machine) != 0)
            continue;
        if (rank < first)
            return 0;
        ranks[n_there++] = rank;
    }
    return n_there;
}

/* ---- all of them ---- */

typedef bool check_all(struct finding *f, const struct rank_info *info, int32_t n,
                       const struct checks_job *job);
typedef bool check_group(struct finding *f, const struct machine_group *group);

static check_all *const of_all[] = {check_singleton, check_idle_job, check_recovery, check_clocks};
static check_group *const of_groups[] = {check_cores, check_others, check_shared_memory};

enum { N_ALL = sizeof of_all / sizeof *of_all, N_GROUP = sizeof of_groups / sizeof *of_groups };

int checks_find(struct findings *findings, const struct rank_info *info, int32_t n,
                const struct checks_job *job, struct err *err)
{
    int32_t *ranks = calloc((size_t)n, sizeof *ranks), n_hosts[N_GROUP] = {0};
    struct machine_group group = {.info = info, .ranks = ranks, .job = job};
    struct finding first[N_GROUP], f;

    if (!ranks)
        return err_nomem(err, "checks", (size_t)n * sizeof *ranks);
    *findings = (struct findings){.n = 0};
    for (int32_t c = 0; c < N_ALL; c++)
        findings->n += of_all[c](&findings->list[findings->n], info, n, job);
    /* rank 0's machine comes first */
    for (int32_t rank = 0; rank < n; rank++) {
        group.n = checks_list_machine(ranks, info, n, rank);
        for (int32_t c = 0; group.n && c < N_GROUP; c++)
            if (of_groups[c](&f, &group) && !n_hosts[c]++)
                first[c] = f;
    }
    for (int32_t c = 0; c < N_GROUP; c++) {
        size_t used = n_hosts[c] ? strlen(first[c].what) : 0;

        if (!n_hosts[c])
            continue;
        if (n_hosts[c] > 1)
            snprintf(first[c].what + used, sizeof first[c].what - used,
                     " (and likewise on %d other host%s)", n_hosts[c] - 1, plural(n_hosts[c] - 1));
        first[c].is_refused = false;
        findings->list[findings->n++] = first[c];
    }
    free(ranks);
    return 0;
}

void checks_add(struct findings *findings, bool is_refused, const char *fix, const char *format,
                ...)
{
    struct finding *f = &findings->list[findings->n];
    va_list args;

    if (findings->n == FINDINGS_MAX)
        return;
    *f = (struct finding){.is_refused = is_refused};
    va_start(args, format);
    vsnprintf(f->what, sizeof f->what, format, args);
    va_end(args);
    set(f->fix, "%s", fix);
    findings->n++;
}
