/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/shared.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "sched/world_mpi.h"

/* Ranks of this host, and leaders of all hosts; rank 0 is first in both. Never freed: freeing is
 * collective, and would wait for a dead rank. */
static struct {
    MPI_Comm host, leaders; /* leaders: only on a leader */
    int size, rank;         /* in host */
    bool is_known;
} hosts;

struct request {
    uint64_t n;
    char folder[SEGMENT_PATH_SIZE];
};

struct shared_answer {
    bool is_refusing;
    char host[64];
    char reason[240];
};

static bool is_leader(void)
{
    return hosts.rank == 0;
}

static int know_hosts(struct err *err)
{
    if (hosts.is_known)
        return 0;
    FAULT("any: before hosts are known");
    TRY(MPI_Comm_split_type, (MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &hosts.host));
    TRY(MPI_Comm_size, (hosts.host, &hosts.size));
    TRY(MPI_Comm_rank, (hosts.host, &hosts.rank));
    TRY(MPI_Comm_split, (MPI_COMM_WORLD, is_leader() ? 0 : MPI_UNDEFINED, 0, &hosts.leaders));
    hosts.is_known = true;
    FAULT("any: hosts are known");
    return 0;
}

/* Set *all_well if all ranks are well; if not, *why is the first other rank's. Collective. */
static int agree(MPI_Comm comm, bool is_well, bool *all_well, struct err *why, struct err *err)
{
    struct {
        int is_well, rank;
    } mine = {.is_well = is_well}, first;

    TRY(MPI_Comm_rank, (comm, &mine.rank));
    if (world_mpi_meet(comm, err))
        return -1;
    TRY(MPI_Allreduce, (&mine, &first, 1, MPI_2INT, MPI_MINLOC, comm));
    *all_well = first.is_well;
    if (!first.is_well)
        TRY(MPI_Bcast, (why->text, sizeof why->text, MPI_CHAR, first.rank, comm));
    return 0;
}

/* The steps of segment.h. Every rank of the host ends with the same *is_shared and reason. */
static int share_on_host(struct segment *s, const struct request *request, bool *is_shared,
                         struct err *why, struct err *err)
{
    char path[SEGMENT_PATH_SIZE] = "";
    int rc = is_leader() ? segment_create(s, request->folder, why) : 0;

    if (agree(hosts.host, !rc, is_shared, why, err))
        return -1;
    if (!*is_shared)
        return 0;
    FAULT("any: memory to be shared was made");
    memcpy(path, s->path, sizeof path);
    TRY(MPI_Bcast, (path, sizeof path, MPI_CHAR, 0, hosts.host));
    rc = is_leader() ? 0 : segment_join(s, path, why);
    if (agree(hosts.host, !rc, is_shared, why, err))
        return -1;
    if (is_leader())
        segment_unlink(s);
    if (!*is_shared)
        return 0;
    FAULT("any: memory to be shared was joined");
    rc = is_leader() ? segment_reserve(s, request->n, why) : 0;
    if (!rc)
        rc = segment_map(s, request->n, why);
    FAULT("any: memory was mapped");
    return agree(hosts.host, !rc, is_shared, why, err);
}

static int gather_answers(struct shared *shared, const struct shared_answer *mine, struct err *err)
{
    struct shared_answer *all = NULL;
    int n;

    TRY(MPI_Comm_size, (hosts.leaders, &n));
    all = calloc((size_t)n, sizeof *all);
    if (!all)
        return err_nomem(err, "hosts", (size_t)n * sizeof *all);
    TRY(MPI_Gather, (mine, sizeof *mine, MPI_BYTE, all, sizeof *mine, MPI_BYTE, 0, hosts.leaders));
    for (int i = 0; i < n; i++)
        if (all[i].is_refusing && !shared->n_refusing++)
            snprintf(shared->reason, sizeof shared->reason, "%s: %s", all[i].host, all[i].reason);
    free(all);
    return 0;
}

/* Collective. */
static int make_copy(struct shared *shared, struct err *err)
{
    struct err why = {""};
    bool all_well;

    if (!shared->segment.bytes) {
        shared->copy = aligned_alloc(64, (shared->n + 63) / 64 * 64);
        if (!shared->copy)
            err_nomem(&why, "data", shared->n);
    }
    shared->bytes = shared->segment.bytes ? shared->segment.bytes : shared->copy;
    if (agree(MPI_COMM_WORLD, shared->bytes != NULL, &all_well, &why, err))
        return -1;
    return all_well ? 0 : err_set(err, "%s", why.text);
}

static int open_all(struct shared *shared, const struct request *request, struct err *err)
{
    bool is_wanted = hosts.size > 1 && *request->folder, is_shared = false;
    struct shared_answer answer = {.is_refusing = false};
    struct err why = {""};

    if (is_wanted && share_on_host(&shared->segment, request, &is_shared, &why, err))
        return -1;
    if (!is_shared)
        segment_release(&shared->segment);
    answer.is_refusing = is_wanted && !is_shared;
    gethostname(answer.host, sizeof answer.host - 1);
    snprintf(answer.reason, sizeof answer.reason, "%.*s", (int)sizeof answer.reason - 1, why.text);
    if (is_leader() && gather_answers(shared, &answer, err))
        return -1;
    return make_copy(shared, err);
}

int shared_open(struct shared *shared, const struct world *world, size_t n, const char *folder,
                struct err *err)
{
    struct request request = {.n = n};

    *shared = (struct shared){0};
    if (world->rank == 0)
        snprintf(request.folder, sizeof request.folder, "%s", folder);
    FAULT("any: before something is shared");
    if (world_mpi_meet(MPI_COMM_WORLD, err))
        return -1;
    TRY(MPI_Bcast, (&request, sizeof request, MPI_BYTE, 0, MPI_COMM_WORLD));
    if (!request.n)
        return 0;
    shared->n = (size_t)request.n;
    if (know_hosts(err) == 0 && open_all(shared, &request, err) == 0)
        return 0;
    shared_release(shared);
    return -1;
}

int shared_send(struct shared *shared, struct err *err)
{
    FAULT("any: before shared bytes are sent");
    if (is_leader() && world_mpi_broadcast(hosts.leaders, shared->bytes, shared->n, err))
        return -1;
    if (is_leader() && !shared->copy)
        segment_seal(&shared->segment);
    FAULT("any: shared bytes were sent to other hosts");
    if (world_mpi_meet(hosts.host, err))
        return -1;
    return shared->copy ? world_mpi_broadcast(hosts.host, shared->bytes, shared->n, err) : 0;
}

void shared_release(struct shared *shared)
{
    if (!shared)
        return;
    segment_release(&shared->segment);
    free(shared->copy);
    *shared = (struct shared){0};
}

const char *shared_folder(void)
{
    const char *folder = getenv(SHARED_VARIABLE);

    if (!folder || !*folder)
        return SHARED_FOLDER;
    return strcmp(folder, "off") ? folder : "";
}
