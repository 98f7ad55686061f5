/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/world.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "sched/world_mpi.h"

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

int world_mpi_error(struct err *err, const char *call, int code)
{
    char text[MPI_MAX_ERROR_STRING];
    int n;

    if (MPI_Error_string(code, text, &n) != MPI_SUCCESS)
        snprintf(text, sizeof text, "error %d", code);
    return err_set(err, "%s: %s", call, text);
}

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

/* A dead rank receives nothing, so the time is limited. */
static void flush_sends(double seconds)
{
    double until_s = clock_now(&clock_system) + seconds;
    int all_done = 0;

    while (!all_done && clock_now(&clock_system) < until_s) {
        if (MPI_Testall(sends.n, sends.requests, &all_done, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
            return;
        clock_sleep(1e-3);
    }
}

static void free_messages(void)
{
    for (int i = 0; i < sends.n; i++)
        free(sends.bytes[i]);
    free(sends.requests);
    free(sends.bytes);
    free(sends.done);
    memset(&sends, 0, sizeof sends);
    free(receives.of);
    receives.of = NULL;
}

int world_close(struct world *world, int status)
{
    guard_end();
    if (!world->is_mpi)
        return status;
    FAULT("any: before the last messages have gone out");
    flush_sends(FLUSH_S);
    if (lost_rank)
        world_leave(status);
    free_messages();
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

int world_mpi_meet(MPI_Comm comm, struct err *err)
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
    return world->size == 1 ? 0 : world_mpi_meet(MPI_COMM_WORLD, err);
}

int world_mpi_broadcast(MPI_Comm comm, void *bytes, size_t n, struct err *err)
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
    if (world_mpi_meet(MPI_COMM_WORLD, err))
        return -1;
    FAULT("any: all have come to a broadcast");
    TRY(MPI_Bcast, (&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
    *n = (size_t)size;
    if (agree_on_room(world, bytes, *n, err))
        return -1;
    FAULT("any: all have room for a broadcast");
    return world_mpi_broadcast(MPI_COMM_WORLD, *bytes, *n, err);
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

static void hand_over(int i, int32_t *from, struct buf *message)
{
    *from = receives.of[i].from;
    buf_release(message);
    *message = receives.of[i].message;
    receives.n--;
    memmove(receives.of + i, receives.of + i + 1, (size_t)(receives.n - i) * sizeof *receives.of);
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
        hand_over(i, from, message);
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
