#include <libgen.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/launch.h"
#include "cli/machine.h"
#include "config.h"
#include "sched/world.h"
#include "store/store.h"
#include "tensor/gemm.h"

/* What a rank says of itself, one line: host, then the processors it may run on. */
static void describe_rank(struct buf *out)
{
    char host[64];
    cpu_set_t set;
    int shown = 0;

    buf_printf(out, "%s ", machine_host(host, sizeof host));
    if (sched_getaffinity(0, sizeof set, &set)) {
        buf_puts(out, "?");
        return;
    }
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        int first = cpu;

        if (!CPU_ISSET(cpu, &set))
            continue;
        while (cpu + 1 < CPU_SETSIZE && CPU_ISSET(cpu + 1, &set))
            cpu++;
        buf_printf(out, shown++ ? ",%d" : "%d", first);
        if (cpu > first)
            buf_printf(out, "-%d", cpu);
    }
}

/* Processors in a list like "0-3,8". */
static int count_cores(const char *list)
{
    int cores = 0;

    for (const char *p = list; p; p = strchr(p, ',')) {
        int first = 0, last = 0;
        int got = sscanf(p + 1, "%d-%d", &first, &last);

        cores += got == 2 ? last - first + 1 : got == 1;
        p++;
    }
    return cores;
}

/* Ranks on the same host that may run on the same processors are alike in text. */
static void warn_sharing(char *const *ranks, int32_t n, int32_t rank, long threads)
{
    int cores = count_cores(strchr(ranks[rank], ' '));
    long sharing = 0;

    for (int32_t j = 0; j < n; j++) {
        if (strcmp(ranks[rank], ranks[j]))
            continue;
        if (j < rank)
            return;
        sharing++;
    }
    if (sharing * threads > cores)
        printf("warning     %ld rank(s) x %ld thread(s) share %d core(s) of %.*s: start fewer "
               "ranks, or give each its own (mpirun --map-by slot:PE=%ld --bind-to core)\n",
               sharing, threads, cores, (int)strcspn(ranks[rank], " "), ranks[rank], threads);
}

static void print_ranks(char *const *ranks, int32_t n, long threads)
{
    for (int32_t i = 0; i < n; i++)
        printf("rank %-5d  %.*s, cores%s\n", i, (int)strcspn(ranks[i], " "), ranks[i],
               strchr(ranks[i], ' '));
    for (int32_t i = 0; i < n; i++)
        warn_sharing(ranks, n, i, threads);
}

/* Of a file that is not there yet. */
static bool is_folder_writable(const char *path)
{
    char copy[PATH_MAX];

    snprintf(copy, sizeof copy, "%s", path);
    return access(dirname(copy), W_OK) == 0;
}

static void print_database(const char *db)
{
    const char *filesystem;
    const char *mode = store_journal_mode(db, &filesystem);
    struct store *store;
    struct err err;

    printf("database    %s on %s: journal mode %s\n", db, filesystem, mode);
    if (access(db, F_OK) == 0) {
        if (store_open_reader(&store, db, &err))
            printf("warning     %s\n", err.text);
        else
            store_close(store);
    } else if (!is_folder_writable(db)) {
        printf("warning     %s: cannot be made: its folder is not there, or not writable\n", db);
    }
}

static void print_memory(void)
{
    struct statvfs shm;

    printf("memory      %.1f GiB\n",
           (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE) / (1 << 30));
    if (!statvfs("/dev/shm", &shm))
        printf("/dev/shm    %.1f GiB free\n",
               (double)shm.f_bavail * (double)shm.f_frsize / (1 << 30));
}

static void print_machine(const struct world *world)
{
    char cpu[128];

    printf("espalier    %s\n", PACKAGE_VERSION);
    printf("cpu         %s\n", machine_cpu(cpu, sizeof cpu));
    printf("cores       %d that this process may use\n", launch_cores());
    printf("blas        %s, kernel %s\n", gemm_library(), gemm_kernel());
    printf("mpi         %s\n", world_library());
    print_memory();
    printf("launch      %s, %d rank%s\n", world->is_mpi ? "MPI" : "single process", world->size,
           world->size == 1 ? "" : "s");
}

static int examine(const struct world *world, const char *db, long threads, struct err *err)
{
    struct buf text = {0};
    char **ranks = calloc((size_t)world->size, sizeof *ranks);
    int rc;

    if (!ranks)
        return err_nomem(err, "ranks", (size_t)world->size * sizeof *ranks);
    describe_rank(&text);
    rc = world_gather(world, buf_text(&text), ranks, err);
    if (!rc && world->rank == 0) {
        print_machine(world);
        print_database(db);
        print_ranks(ranks, world->size, threads);
        for (int32_t i = 0; i < world->size; i++)
            free(ranks[i]);
    }
    free(ranks);
    buf_release(&text);
    return rc;
}

int cmd_doctor(int argc, char **argv)
{
    const char *db = "results.db";
    long threads = 1;
    const struct option_row rows[] = {
        {0, "db", "FILE", OPTION_TEXT, &db, 0, 0, NULL, "database that would be written"},
        {0, "threads", "N", OPTION_INT, &threads, 1, 1024, NULL, "threads of one trial"},
        {0, NULL, NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
    };
    struct world world;
    struct err err;
    int first;
    int status = cli_parse(command_find("doctor"), rows, argc, argv, 0, 0, &first);

    if (status != CLI_GO_ON)
        return status;
    if (world_open(&world, &err))
        return cli_fail(&err, EXIT_ERROR);
    status = examine(&world, db, threads, &err) ? cli_fail(&err, EXIT_ERROR) : EXIT_OK;
    world_close(&world);
    return status;
}
