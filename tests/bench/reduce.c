/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of 256 KB and 14 MB over the ranks of a gang (one worker each), and by MPI_Allreduce() in the
 * same processes, in turn. Both include the time to write the addends. Prints CSV lines
 * "case,value,unit,beside,target", the best of ROUNDS turns each.
 * usage: mpirun -n RANKS reduce [hosts]    hosts: as if each rank were on a host of its own, by TCP */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "gang/gang.h"
#include "program/port.h"

enum { ROUNDS = 31 };

struct both {
    struct crew *crew;
    size_t count;
    float *addend;        /* [count] of this rank */
    float *parts;         /* of all workers, shared */
    float *own;           /* [count] MPI's input */
    float *ours, *theirs; /* [count] results */
    int times;            /* in a round */
};

static void fail(const char *why)
{
    fprintf(stderr, "reduce: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Each rank writes its addend anew, as a training does, so that the others' caches lack it. */
static void sum_ours(struct both *b)
{
    memcpy(b->parts + (size_t)b->crew->first * b->count, b->addend, b->count * sizeof *b->parts);
    b->crew->calls->sum(b->crew, b->ours, b->parts, b->count, 0, b->count);
}

static void sum_theirs(struct both *b)
{
    memcpy(b->own, b->addend, b->count * sizeof *b->own);
    MPI_Allreduce(b->own, b->theirs, (int)b->count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

/* Seconds a sum. */
static double measure(struct both *b, void (*sum)(struct both *b))
{
    double begun_s;

    MPI_Barrier(MPI_COMM_WORLD);
    begun_s = clock_now(&clock_system);
    for (int i = 0; i < b->times; i++)
        sum(b);
    return (clock_now(&clock_system) - begun_s) / b->times;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static float *take(size_t count)
{
    float *taken = calloc(count, sizeof *taken);

    if (!taken)
        fail("out of memory");
    return taken;
}

static void run(struct crew *crew, const char *name, size_t count, int times)
{
    struct both b = {.crew = crew, .count = count, .times = times};
    double ours_s = 1e9, theirs_s = 1e9;
    int version, subversion, length, rank;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    struct err err;

    b.parts = crew->calls->take_parts(crew, count, &err);
    if (!b.parts)
        fail(err.text);
    b.addend = take(count);
    b.own = take(count);
    b.ours = take(count);
    b.theirs = take(count);
    for (size_t i = 0; i < count; i++)
        b.addend[i] = 1e-3f * (float)(i % 1000) + (float)crew->first;
    for (int i = 0; i < ROUNDS; i++) {
        ours_s = least(ours_s, measure(&b, sum_ours));
        theirs_s = least(theirs_s, measure(&b, sum_theirs));
    }
    if (crew->has_failed ||
        (crew->n_workers == 2 && memcmp(b.ours, b.theirs, count * sizeof *b.ours)))
        fail("the sums differ");
    MPI_Get_version(&version, &subversion);
    MPI_Get_library_version(library, &length);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    library[strcspn(library, ",")] = '\0';
    if (rank == 0)
        printf("%s,%.2f,times faster,MPI_Allreduce of %s (%.3f ms; ours %.3f ms),1\n", name,
               theirs_s / ours_s, library, 1e3 * theirs_s, 1e3 * ours_s);
    free(b.addend);
    free(b.own);
    free(b.ours);
    free(b.theirs);
}

int main(int argc, char **argv)
{
    bool is_tcp = argc > 1;
    struct gang_place place = {.host_name = "localhost", .address = "127.0.0.1"};
    struct gang_options options = {.build = "", .processor = ""};
    struct gang_failure failure;
    struct gang_member *gang;
    int rank, size, facts[2];
    char token[64], name[100];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    facts[0] = (int)getpid();
    facts[1] = port_find(0, 1, 0);
    MPI_Bcast(facts, 2, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(token, sizeof token, "reduce %d", facts[0]);
    place.token = token;
    place.port = facts[1];
    place.rank = rank;
    place.size = options.n_workers = size;
    place.local_rank = is_tcp ? 0 : rank;
    place.local_size = is_tcp ? 1 : size;
    place.host = is_tcp ? rank : 0;
    place.n_hosts = is_tcp ? size : 1;
    if (gang_open(&gang, &place, &options, &failure))
        fail(failure.why.text);
    snprintf(name, sizeof name, "sum of 256 KB over %d ranks %s", size,
             is_tcp ? "by TCP" : "of a host");
    run(gang_crew(gang), name, 64 * 1024, 50);
    snprintf(name, sizeof name, "sum of 14 MB over %d ranks %s", size,
             is_tcp ? "by TCP" : "of a host");
    run(gang_crew(gang), name, 3500 * 1000, 2);
    gang_close(gang);
    MPI_Finalize();
    return 0;
}
