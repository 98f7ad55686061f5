/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/world.h"

#include <limits.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"

#define FLUSH_S 2.0
/* one step of a broadcast: seconds on the slowest networks */
#define STEP_BYTES ((size_t)64 << 20)
/* MPI counts are int */
#define MESSAGE_BYTES ((size_t)1 << 30)
/* MPI_Finalize() takes milliseconds if all ranks are there */
#define FINALIZE_S 10

enum tag { TAG_MESSAGE = 1 };
enum { NOBODY = -1 };

static struct {
    MPI_Request *requests; /* [n] */
    char **bytes;          /* [n] owned until the request is done */
    int *done;             /* [n] scratch of MPI_Testsome */
    int n, capacity;
    int reap_at; /* number at which to check them: messages to 10,000 ranks cost no more than one to
                  * each */
} sends;

/* Pending receives, in order of arrival. A message of some kilobytes travels in pieces, and
 * MPI_Mrecv() would wait forever if its sender died in between. */
static struct {
    struct incoming {
        MPI_Request request; /* MPI_REQUEST_NULL once complete */
        int from;            /* NOBODY: given up */
        struct buf message;  /* owned */
    } * of;                  /* [n] */
    int n;
} receives;

static int mpi_error(struct err *err, const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int n;

    if (MPI_Error_string(code, text, &n) != MPI_SUCCESS)
        snprintf(text, sizeof text, "error %d", code);
    return err_set(err, "%s: %s", call, text);
}

/* Return from the caller with err if an MPI call fails. */
#define TRY(call, args)                          \
    do {                                         \
        int code_ = call args;                   \
        if (code_ != MPI_SUCCESS)                \
            return mpi_error(err, #call, code_); \
    } while (0)

/* ---- opening and closing ---- */

bool world_is_launched(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (getenv(names[i]))
            return true;
    return false;
}

static int know_processes(struct world *world, struct err *err)
{
    int32_t n = world->rank ? 1 : world->size;
    struct process self;

    world->processes = calloc((size_t)n, sizeof *world->processes);
    if (!world->processes)
        return err_nomem(err, "ranks", (size_t)n * sizeof *world->processes);
    process_self(&self);
    FAULT("any: before the ranks know each other");
    TRY(MPI_Gather,
        (&self, sizeof self, MPI_BYTE, world->processes, sizeof self, MPI_BYTE, 0, MPI_COMM_WORLD));
    TRY(MPI_Bcast, (world->processes, sizeof self, MPI_BYTE, 0, MPI_COMM_WORLD));
    return 0;
}

static int open_mpi(struct world *world, struct err *err)
{
    int provided, rank, size;

    TRY(MPI_Init_thread, (NULL, NULL, MPI_THREAD_FUNNELED, &provided));
    world->is_mpi = true;
    if (provided < MPI_THREAD_FUNNELED)
        return err_set(err, "%s does not support threads: MPI_THREAD_FUNNELED is required",
                       world_library());
    TRY(MPI_Comm_set_errhandler, (MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    TRY(MPI_Comm_rank, (MPI_COMM_WORLD, &rank));
    TRY(MPI_Comm_size, (MPI_COMM_WORLD, &size));
    world->rank = rank;
    world->size = size;
    return know_processes(world, err);
}

int world_open(struct world *world, const struct guard_hooks *hooks, struct err *err)
{
    *world = (struct world){.rank = 0, .size = 1, .is_mpi = false};
    if (!world_is_launched())
        return 0;
    if (hooks && guard_begin(world, hooks, err))
        return -1;
    FAULT("any: before MPI begins");
    if (open_mpi(world, err))
        return -1;
    FAULT("any: MPI has begun");
    return 0;
}

void world_expect(double patience_s)
{
    guard_expect(patience_s);
}

void world_settle(void)
{
    FAULT("any: before ranks are independent");
    guard_end();
    FAULT("any: ranks are independent");
}

static volatile sig_atomic_t lost_rank;
static volatile sig_atomic_t closing_status;

void world_hosts(const struct world *world, int32_t *hosts)
{
    for (int32_t rank = 0, n = 0; rank < world->size; rank++) {
        hosts[rank] = -1;
        for (int32_t other = rank - 1; other >= 0 && hosts[rank] < 0; other--)
            if (process_is_beside(&world->processes[rank], &world->processes[other]))
                hosts[rank] = hosts[other];
        if (hosts[rank] < 0)
            hosts[rank] = n++;
    }
}

void world_lost_rank(void)
{
    lost_rank = 1;
}

void world_leave(int status)
{
    fflush(NULL);
    _exit(status);
}

static void leave_now(int number)
{
    (void)number;
    _exit(closing_status);
}

int world_close(struct world *world, int status)
{
    double until_s;
    int all_done = 0;

    guard_end();
    if (!world->is_mpi)
        return status;
    FAULT("any: before the last messages have gone out");
    /* A dead rank receives nothing, so the time is limited. */
    until_s = clock_now(&clock_system) + FLUSH_S;
    while (!all_done && clock_now(&clock_system) < until_s &&
           MPI_Testall(sends.n, sends.requests, &all_done, MPI_STATUSES_IGNORE) == MPI_SUCCESS)
        clock_sleep(1e-3);
    if (lost_rank)
        world_leave(status);
    fflush(NULL);
    closing_status = status;
    signal(SIGALRM, leave_now);
    alarm(FINALIZE_S);
    FAULT("any: before MPI ends");
    MPI_Finalize();
    FAULT("any: MPI has ended");
    alarm(0);
    free(world->processes);
    *world = (struct world){.size = 1};
    return status;
}

void world_abort(const struct world *world, int status)
{
    if (world->is_mpi)
        MPI_Abort(MPI_COMM_WORLD, status);
    _exit(status);
}

const char *world_library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int n;

    if (!*text && MPI_Get_library_version(text, &n) == MPI_SUCCESS)
        text[strcspn(text, ",\n")] = '\0';
    return text;
}

/* ---- collectives ---- */

/* Wait, asleep, for all ranks. Collective. Open MPI spins in MPI_Barrier() and MPI_Bcast(): ranks
 * waiting for rank 0 would burn a core each and slow rank 0 down. */
static int meet(MPI_Comm comm, struct err *err)
{
    struct backoff backoff = {0};
    MPI_Request request;
    int is_done;

    TRY(MPI_Ibarrier, (comm, &request));
    for (;;) {
        TRY(MPI_Test, (&request, &is_done, MPI_STATUS_IGNORE));
        if (is_done)
            break;
        clock_sleep(backoff_next(&backoff));
    }
    guard_step();
    return 0;
}

int world_meet(const struct world *world, struct err *err)
{
    return world->size == 1 ? 0 : meet(MPI_COMM_WORLD, err);
}

/* Send n bytes, of any size, from rank 0 of comm. Collective. */
static int broadcast(MPI_Comm comm, void *bytes, size_t n, struct err *err)
{
    for (size_t at = 0; at < n; at += STEP_BYTES) {
        size_t left = n - at;
        int count = (int)(left < STEP_BYTES ? left : STEP_BYTES);

        TRY(MPI_Bcast, ((char *)bytes + at, count, MPI_BYTE, 0, comm));
        guard_step();
    }
    return 0;
}

/* All ranks agree whether everyone has room; otherwise the others would wait forever in the
 * broadcast. */
static int agree_on_room(const struct world *world, void **bytes, size_t n, struct err *err)
{
    int has_room = 1, all_have;

    if (world->rank) {
        *bytes = aligned_alloc(64, (n + 64) / 64 * 64);
        has_room = *bytes != NULL;
    }
    TRY(MPI_Allreduce, (&has_room, &all_have, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD));
    if (all_have)
        return 0;
    if (world->rank) {
        free(*bytes);
        *bytes = NULL;
    }
    return err_nomem(err, "broadcast", n);
}

int world_broadcast(const struct world *world, void **bytes, size_t *n, struct err *err)
{
    uint64_t size = *n;

    if (world->size == 1)
        return 0;
    FAULT("any: before a broadcast");
    if (meet(MPI_COMM_WORLD, err))
        return -1;
    FAULT("any: all have come to a broadcast");
    TRY(MPI_Bcast, (&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
    *n = (size_t)size;
    if (agree_on_room(world, bytes, *n, err))
        return -1;
    FAULT("any: all have room for a broadcast");
    return broadcast(MPI_COMM_WORLD, *bytes, *n, err);
}

int world_gather(const struct world *world, const void *bytes, size_t n, void *out, struct err *err)
{
    if (world->size == 1) {
        memcpy(out, bytes, n);
        return 0;
    }
    FAULT("any: before facts are gathered");
    TRY(MPI_Gather, (bytes, (int)n, MPI_BYTE, out, (int)n, MPI_BYTE, 0, MPI_COMM_WORLD));
    return 0;
}

/* ---- point to point ---- */

static int grow_sends(struct err *err)
{
    int capacity = sends.capacity ? 2 * sends.capacity : 16;
    size_t n = (size_t)capacity;
    void *grown;

    if (sends.n < sends.capacity)
        return 0;
    if (!(grown = realloc(sends.requests, n * sizeof *sends.requests)))
        return err_nomem(err, "sends", n * sizeof *sends.requests);
    sends.requests = grown;
    if (!(grown = realloc(sends.bytes, n * sizeof *sends.bytes)))
        return err_nomem(err, "sends", n * sizeof *sends.bytes);
    sends.bytes = grown;
    if (!(grown = realloc(sends.done, n * sizeof *sends.done)))
        return err_nomem(err, "sends", n * sizeof *sends.done);
    sends.done = grown;
    sends.capacity = capacity;
    return 0;
}

static int reap_sends(struct err *err)
{
    int n_done, kept = 0;

    if (!sends.n || sends.n < sends.reap_at)
        return 0;
    TRY(MPI_Testsome, (sends.n, sends.requests, &n_done, sends.done, MPI_STATUSES_IGNORE));
    for (int i = 0; i < sends.n; i++) {
        if (sends.requests[i] == MPI_REQUEST_NULL) {
            free(sends.bytes[i]);
            continue;
        }
        sends.requests[kept] = sends.requests[i];
        sends.bytes[kept++] = sends.bytes[i];
    }
    sends.n = kept;
    sends.reap_at = 2 * kept;
    return 0;
}

int world_send(const struct world *world, int32_t to, const struct buf *message, struct err *err)
{
    char *copy;

    (void)world;
    if (message->size > MESSAGE_BYTES)
        return err_set(err, "message of %zu bytes: must be at most %zu", message->size,
                       MESSAGE_BYTES);
    if (reap_sends(err) || grow_sends(err))
        return -1;
    FAULT_MESSAGE("any: before a message is sent", message);
    copy = malloc(message->size + 1);
    if (!copy)
        return err_nomem(err, "message", message->size);
    if (message->size)
        memcpy(copy, message->data, message->size);
    sends.bytes[sends.n] = copy;
    sends.requests[sends.n] = MPI_REQUEST_NULL;
    sends.n++;
    TRY(MPI_Isend, (copy, (int)message->size, MPI_BYTE, to, TAG_MESSAGE, MPI_COMM_WORLD,
                    &sends.requests[sends.n - 1]));
    FAULT_MESSAGE("any: a message was sent", message);
    return 0;
}

static int take_in(struct err *err)
{
    struct incoming *next;
    MPI_Message handle;
    MPI_Status status;
    int is_there, n;
    void *space;

    TRY(MPI_Improbe, (MPI_ANY_SOURCE, TAG_MESSAGE, MPI_COMM_WORLD, &is_there, &handle, &status));
    if (!is_there)
        return 0;
    TRY(MPI_Get_count, (&status, MPI_BYTE, &n));
    next = realloc(receives.of, ((size_t)receives.n + 1) * sizeof *next);
    if (!next)
        return err_nomem(err, "receives", sizeof *next);
    receives.of = next;
    next += receives.n;
    *next = (struct incoming){.from = status.MPI_SOURCE};
    space = buf_extend(&next->message, (size_t)n);
    if (!space)
        return err_nomem(err, "message", (size_t)n);
    receives.n++;
    TRY(MPI_Imrecv, (space, n, MPI_BYTE, &handle, &next->request));
    return 0;
}

/* Set *is_here if this message is complete and no earlier one of its sender is still on its way. */
static int is_due(int i, int *is_here, struct err *err)
{
    *is_here = 0;
    if (receives.of[i].from == NOBODY)
        return 0;
    TRY(MPI_Test, (&receives.of[i].request, is_here, MPI_STATUS_IGNORE));
    for (int before = 0; *is_here && before < i; before++)
        *is_here = receives.of[before].from != receives.of[i].from;
    return 0;
}

int world_receive(const struct world *world, int32_t *from, struct buf *message, struct err *err)
{
    int is_here;

    (void)world;
    if (take_in(err))
        return -1;
    for (int i = 0; i < receives.n; i++) {
        if (is_due(i, &is_here, err))
            return -1;
        if (!is_here)
            continue;
        *from = receives.of[i].from;
        buf_release(message);
        *message = receives.of[i].message;
        receives.n--;
        memmove(receives.of + i, receives.of + i + 1,
                (size_t)(receives.n - i) * sizeof *receives.of);
        FAULT_MESSAGE("any: a message came", message);
        return 1;
    }
    return 0;
}

bool world_give_up(int32_t rank)
{
    bool is_any = false;

    for (int i = 0; i < receives.n; i++) {
        is_any |= receives.of[i].from == rank;
        if (receives.of[i].from == rank && receives.of[i].request != MPI_REQUEST_NULL)
            receives.of[i].from = NOBODY;
    }
    return is_any;
}

/* ---- bytes that all ranks read ---- */

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
    if (meet(comm, err))
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
    if (meet(MPI_COMM_WORLD, err))
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
    if (is_leader() && broadcast(hosts.leaders, shared->bytes, shared->n, err))
        return -1;
    if (is_leader() && !shared->copy)
        segment_seal(&shared->segment);
    FAULT("any: shared bytes were sent to other hosts");
    if (meet(hosts.host, err))
        return -1;
    return shared->copy ? broadcast(hosts.host, shared->bytes, shared->n, err) : 0;
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
