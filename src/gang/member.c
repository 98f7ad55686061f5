/* SPDX-License-Identifier: BSD-3-Clause */
/* All ranks of a host wait for each other in barriers of their shared page; the leaders move data between
 * the hosts. Everything is sent and received at once, in any order, so that no two leaders wait for each
 * other.
 *
 * A thread of each leader sends a byte to every other leader now and then, so that these can
 * distinguish a host that computes from one that does not answer any more. */
#include "gang/member.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/process.h"

/* Bytes of a connection. LEAVES is followed by an enum gang_trouble and a text with its NUL. */
enum { BEAT = 'b', GOODBYE = 'g', LEAVES = 'l' };

enum {
    BEATS = 8,         /* in the time after which a silent host counts as lost */
    SPINS = 64,        /* looks at the generation between looks at the clock */
    SLEEP_MS = 20,     /* between looks for members that have ended */
    PIECES = 64,       /* of one transfer */
    DESCRIPTORS = 200, /* of one message; the kernel's limit is 253 */
};

/* The kernel limits the descriptors that were sent and not yet received. */
#define IN_FLIGHT_S 5.0

int *descriptors_create(int32_t n)
{
    int *fds = malloc((size_t)n * sizeof *fds);

    return fds ? memset(fds, 0xff, (size_t)n * sizeof *fds) : NULL;
}

void descriptor_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* ---- beats ---- */

int gang_fails(struct gang_failure *failure, enum gang_trouble trouble, const char *format, ...)
{
    va_list args;

    failure->trouble = trouble;
    va_start(args, format);
    vsnprintf(failure->why.text, sizeof failure->why.text, format, args);
    va_end(args);
    return -1;
}

static int find_cut(const struct gang_member *g, int32_t host, struct gang_failure *found)
{
    return gang_fails(found, GANG_LOST,
                      "rank %d of the gang on %s has ended, or its connection is cut",
                      g->page.first_rank[host], g->page.host_names[host]);
}

static void send_to_all(struct gang_member *g, const void *bytes, size_t n)
{
    for (int32_t host = 0; host < g->n_hosts; host++)
        if (g->links[host].beat >= 0)
            (void)!send(g->links[host].beat, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void *beat(void *arg)
{
    struct gang_member *g = arg;
    struct pollfd stop = {.fd = g->beater_wait, .events = POLLIN};
    const char byte = BEAT;
    int ms = (int)(1e3 * g->silent_s / BEATS);

    while (poll(&stop, 1, ms > 0 ? ms : 1) <= 0)
        send_to_all(g, &byte, 1);
    return NULL;
}

int beat_start(struct gang_member *g)
{
    sigset_t all, before;
    int ends[2], code;

    if (pipe2(ends, O_CLOEXEC))
        return -1;
    g->beater_wait = ends[0];
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    code = pthread_create(&g->beater, NULL, beat, g);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!code) {
        g->beater_stop = ends[1];
        return 0;
    }
    close(ends[0]);
    close(ends[1]);
    errno = code;
    return -1;
}

void beat_stop(struct gang_member *g)
{
    if (g->beater_stop < 0)
        return;
    close(g->beater_stop);
    pthread_join(g->beater, NULL);
    close(g->beater_wait);
    g->beater_stop = -1;
}

/* One call of send(), so that no beat comes between. */
void beat_say(struct gang_member *g, enum gang_trouble trouble, const char *why)
{
    char message[GANG_WHY + 2] = {LEAVES, (char)trouble};

    if (!g->links)
        return;
    if (!trouble)
        message[0] = GOODBYE;
    else
        snprintf(message + 2, sizeof message - 2, "%s", why);
    send_to_all(g, message, trouble ? 3 + strlen(message + 2) : 1);
}

int beat_listen(struct gang_member *g, int32_t host, struct gang_failure *found)
{
    struct gang_link *link = &g->links[host];
    char bytes[512];
    ssize_t got;

    while ((got = recv(link->beat, bytes, sizeof bytes, MSG_DONTWAIT)) > 0) {
        for (ssize_t i = 0; i < got; i++) {
            if (!link->n_said && bytes[i] == GOODBYE)
                link->has_left = true;
            if ((link->n_said || bytes[i] == LEAVES) && link->n_said < sizeof link->said)
                link->said[link->n_said++] = bytes[i];
        }
        link->heard_s = clock_now(&clock_system);
    }
    /* The reason is whole if there is a NUL behind its text. */
    if (link->n_said > 2 && memchr(link->said + 2, '\0', link->n_said - 2))
        return gang_fails(found, (enum gang_trouble)link->said[1], "%s", link->said + 2);
    if (link->has_left || (got < 0 && (errno == EAGAIN || errno == EINTR)))
        return 0;
    return find_cut(g, host, found);
}

/* ---- failures ---- */

static void wake(struct gang_member *g)
{
    syscall(SYS_futex, &g->page.head->generation, FUTEX_WAKE, g->local_size, NULL, NULL, 0);
}

static bool fail_with(struct gang_member *g, const struct gang_failure *failure)
{
    struct gang_page *page = g->page.head;

    if (g->crew.has_failed)
        return false;
    g->failure = *failure;
    if (!atomic_exchange(&page->is_claimed, 1)) {
        snprintf(page->why, GANG_WHY, "%.*s", GANG_WHY - 1, failure->why.text);
        atomic_store(&page->trouble, failure->trouble);
    } else if (atomic_load(&page->trouble)) {
        gang_fails(&g->failure, (enum gang_trouble)atomic_load(&page->trouble), "%s", page->why);
    }
    g->crew.has_failed = true;
    wake(g);
    beat_say(g, g->failure.trouble, g->failure.why.text);
    return false;
}

bool gang_fail(struct gang_member *g, enum gang_trouble trouble, const char *format, ...)
{
    struct gang_failure failure = {.trouble = trouble};
    va_list args;

    va_start(args, format);
    vsnprintf(failure.why.text, sizeof failure.why.text, format, args);
    va_end(args);
    return fail_with(g, &failure);
}

/* Look for a reason to end, in a rank that has waited since since_s: 0: none, or -1 and *found. Changes
 * nothing else. */
static int look(struct gang_member *g, double since_s, struct gang_failure *found)
{
    struct gang_page *page = g->page.head;
    enum gang_trouble trouble = (enum gang_trouble)atomic_load(&page->trouble);

    g->looked_s = clock_now(&clock_system);
    if (trouble)
        return gang_fails(found, trouble, "%s", page->why);
    for (int32_t i = 0; i < g->local_size; i++) {
        struct pollfd life = {.fd = g->lives[i], .events = POLLIN};

        if (life.fd >= 0 && poll(&life, 1, 0) > 0)
            return gang_fails(found, GANG_LOST, "rank %d of the gang on %s has ended",
                              g->rank - g->local_rank + i, g->host_name);
    }
    for (int32_t host = 0; g->links && host < g->n_hosts; host++) {
        const struct gang_link *link = &g->links[host];

        if (link->beat < 0)
            continue;
        if (beat_listen(g, host, found))
            return -1;
        if (!link->has_left && g->looked_s >= fmax(link->heard_s, since_s) + g->silent_s)
            return gang_fails(found, GANG_LOST, "rank %d of the gang on %s was silent for %g s",
                              g->page.first_rank[host], g->page.host_names[host], g->silent_s);
    }
    if (!g->keep_waiting || g->keep_waiting(g->arg))
        return 0;
    return gang_fails(found, GANG_STOPPED, "rank %d of the gang was told to leave", g->rank);
}

/* ---- barriers ---- */

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static bool is_open(const struct gang_page *page, unsigned generation)
{
    return atomic_load_explicit(&page->generation, memory_order_acquire) != generation;
}

static bool spin(struct gang_member *g, unsigned generation, double until_s)
{
    do
        for (int i = 0; i < SPINS; i++) {
            if (is_open(g->page.head, generation))
                return true;
            pause_briefly();
        }
    while (clock_now(&clock_system) < until_s);
    return false;
}

/* Sleep until the last one comes. A member that has passed this barrier may end in good order, so the
 * generation counts before what look() finds. */
static bool sleep_until_open(struct gang_member *g, unsigned generation, double since_s)
{
    const struct timespec limit = {.tv_nsec = 1000000L * SLEEP_MS};
    struct gang_page *page = g->page.head;
    struct gang_failure found;

    for (;;) {
        atomic_fetch_add(&page->n_sleeping, 1);
        if (atomic_load(&page->generation) == generation && !atomic_load(&page->trouble))
            syscall(SYS_futex, &page->generation, FUTEX_WAIT, generation, &limit, NULL, 0);
        atomic_fetch_sub(&page->n_sleeping, 1);
        if (is_open(page, generation))
            return true;
        if (!look(g, since_s, &found))
            continue;
        if (is_open(page, generation))
            return true;
        return fail_with(g, &found);
    }
}

bool gang_barrier(struct gang_member *g)
{
    struct gang_page *page = g->page.head;
    unsigned generation;
    double since_s;
    bool is_fine;

    FAULT("gang: before a barrier");
    if (g->crew.has_failed)
        return false;
    if (atomic_load_explicit(&page->trouble, memory_order_acquire))
        return gang_fail(g, GANG_LOST, "the gang has ended");
    generation = atomic_load(&page->generation);
    if (atomic_fetch_add(&page->arrived, 1) + 1 == (unsigned)g->local_size) {
        FAULT("gang: opens a barrier");
        atomic_store_explicit(&page->arrived, 0, memory_order_relaxed);
        atomic_store(&page->generation, generation + 1);
        FAULT("gang: has opened a barrier");
        if (atomic_load(&page->n_sleeping))
            wake(g);
        return true;
    }
    FAULT("gang: waits in a barrier");
    since_s = clock_now(&clock_system);
    is_fine = spin(g, generation, since_s + g->spin_s) || sleep_until_open(g, generation, since_s);
    g->waiting_s += clock_now(&clock_system) - since_s;
    return is_fine;
}

/* ---- data between hosts ---- */

void transfer_add(struct transfer *transfer, const void *bytes, size_t n)
{
    if (n)
        transfer->piece[transfer->n++] =
            (struct iovec){.iov_base = (void *)(uintptr_t)bytes, .iov_len = n};
}

static bool is_done(const struct transfer *transfer)
{
    return transfer->at == transfer->n;
}

/* Move what can be moved now. Returns true if something was; *is_cut: the connection has ended. */
static bool move(struct transfer *transfer, int fd, bool is_send, bool *is_cut)
{
    int32_t left = transfer->n - transfer->at;
    struct msghdr message = {.msg_iov = transfer->piece + transfer->at,
                             .msg_iovlen = (size_t)(left < PIECES ? left : PIECES)};
    ssize_t n = is_send ? sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT)
                        : recvmsg(fd, &message, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) {
        *is_cut = true;
        return false;
    }
    while (n) {
        struct iovec *piece = &transfer->piece[transfer->at];
        size_t some = (size_t)n < piece->iov_len ? (size_t)n : piece->iov_len;

        piece->iov_base = (char *)piece->iov_base + some;
        piece->iov_len -= some;
        n -= (ssize_t)some;
        transfer->at += !piece->iov_len;
    }
    FAULT("gang: a part of a message was moved");
    return true;
}

static bool move_all(struct gang_member *g, bool *has_moved, bool *is_over)
{
    *has_moved = false;
    *is_over = true;
    for (int32_t host = 0; host < g->n_hosts; host++) {
        struct gang_link *link = &g->links[host];
        struct gang_failure found;
        bool is_cut = false;

        if (!is_done(&link->send))
            *has_moved |= move(&link->send, link->data, true, &is_cut);
        if (!is_done(&link->receive))
            *has_moved |= move(&link->receive, link->data, false, &is_cut);
        *is_over &= is_done(&link->send) && is_done(&link->receive);
        if (!is_cut)
            continue;
        /* the reason is its last word, if it said one */
        if (!beat_listen(g, host, &found))
            find_cut(g, host, &found);
        return fail_with(g, &found);
    }
    return true;
}

static void sleep_until_ready(struct gang_member *g)
{
    nfds_t n = 0;

    for (int32_t host = 0; host < g->n_hosts; host++) {
        short events = (short)((is_done(&g->links[host].send) ? 0 : POLLOUT) |
                               (is_done(&g->links[host].receive) ? 0 : POLLIN));

        if (events)
            g->polls[n++] = (struct pollfd){.fd = g->links[host].data, .events = events};
    }
    poll(g->polls, n, SLEEP_MS);
}

bool gang_exchange(struct gang_member *g)
{
    double since_s = clock_now(&clock_system), moved_s = since_s;
    struct gang_failure found;
    bool has_moved, is_over;

    if (g->crew.has_failed)
        return false;
    /* A host that has failed may have sent its data before. */
    for (int32_t host = 0; host < g->n_hosts; host++)
        if (host != g->host && beat_listen(g, host, &found))
            return fail_with(g, &found);
    for (;;) {
        double now_s;

        if (!move_all(g, &has_moved, &is_over))
            return false;
        if (is_over)
            break;
        now_s = clock_now(&clock_system);
        if (has_moved)
            moved_s = now_s;
        if (now_s < moved_s + g->spin_s)
            continue;
        sleep_until_ready(g);
        if (now_s > g->looked_s + 1e-3 * SLEEP_MS && look(g, since_s, &found))
            return fail_with(g, &found);
    }
    for (int32_t host = 0; host < g->n_hosts; host++) {
        struct gang_link *link = &g->links[host];

        link->send.n = link->send.at = link->receive.n = link->receive.at = 0;
    }
    g->waiting_s += clock_now(&clock_system) - since_s;
    return true;
}

bool gang_spread(struct gang_member *g, void *base, const size_t *bounds)
{
    size_t own = bounds[g->host];

    if (!gang_barrier(g))
        return false;
    if (g->n_hosts == 1)
        return true;
    if (gang_is_leader(g)) {
        for (int32_t host = 0; host < g->n_hosts; host++) {
            if (host == g->host)
                continue;
            transfer_add(&g->links[host].send, (char *)base + own, bounds[g->host + 1] - own);
            transfer_add(&g->links[host].receive, (char *)base + bounds[host],
                         bounds[host + 1] - bounds[host]);
        }
        if (!gang_exchange(g))
            return false;
        FAULT("gang: has the parts of all hosts");
    }
    return gang_barrier(g);
}

bool gang_sync(struct gang_member *g)
{
    for (int32_t host = 0; host <= g->n_hosts; host++)
        g->bounds[host] = (size_t)host;
    return gang_spread(g, g->page.marks, g->bounds);
}

/* ---- shared memory ---- */

/* main() ignores the signal that the kernel sends beyond `ulimit -f`. */
int shared_memory_make(size_t n)
{
    int fd = memfd_create("espalier-gang", MFD_CLOEXEC), code;

    if (fd < 0 || !ftruncate(fd, (off_t)n))
        return fd;
    code = errno;
    close(fd);
    errno = code;
    return -1;
}

int shared_memory_reserve(int fd, size_t begin, size_t end)
{
    errno = begin < end ? posix_fallocate(fd, (off_t)begin, (off_t)(end - begin)) : 0;
    return errno ? -1 : 0;
}

void *shared_memory_map(int fd, size_t n)
{
    void *bytes = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return bytes == MAP_FAILED ? NULL : bytes;
}

/* ---- descriptors ---- */

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(DESCRIPTORS * sizeof(int))];
};

static int send_some(int socket, const void *bytes, size_t n_bytes, const int *fds, int32_t n)
{
    union control control;
    struct iovec piece = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = n_bytes};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    double until_s = clock_now(&clock_system) + IN_FLIGHT_S;
    ssize_t sent;

    memset(&control, 0, sizeof control);
    if (n) {
        size_t room = (size_t)n * sizeof *fds;

        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(room);
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(room);
        memcpy(CMSG_DATA(&control.header), fds, room);
    }
    for (;;) {
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (sent >= 0)
            return 0;
        if (errno != EINTR && errno != EAGAIN && errno != ETOOMANYREFS)
            return -1;
        if (clock_now(&clock_system) > until_s)
            return -1;
        clock_sleep(1e-3);
    }
}

int shared_memory_send(int socket, const void *bytes, size_t n_bytes, const int *fds, int32_t n)
{
    do {
        int32_t some = n < DESCRIPTORS ? n : DESCRIPTORS;

        if (send_some(socket, bytes, n_bytes, fds, some))
            return -1;
        fds += some;
        n -= some;
    } while (n);
    return 0;
}

ssize_t shared_memory_receive(int socket, void *bytes, size_t n_bytes, int *fds, int32_t *n_fds)
{
    union control control;
    struct iovec piece = {.iov_base = bytes, .iov_len = n_bytes};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control};
    ssize_t got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    int32_t n = 0;

    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        n = (int32_t)((header->cmsg_len - CMSG_LEN(0)) / sizeof *fds);
        for (int32_t i = 0; i < n; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(header) + (size_t)i * sizeof fd, sizeof fd);
            if (i < *n_fds)
                fds[i] = fd;
            else
                close(fd);
        }
    }
    n = n < *n_fds ? n : *n_fds;
    *n_fds = n;
    if (got <= 0 || !(message.msg_flags & MSG_CTRUNC))
        return got;
    while (n > 0)
        close(fds[--n]);
    *n_fds = 0;
    errno = EMFILE;
    return -1;
}

/* ---- a crew's memory ---- */

/* The leader's new memory; the others receive it. -1: the gang has failed. */
static int hand_out(struct gang_member *g, size_t n)
{
    int fd = shared_memory_make(n);

    if (fd < 0) {
        gang_fail(g, GANG_BROKEN, "out of memory (shared by a gang, %zu bytes): %s", n,
                  strerror(errno));
        return -1;
    }
    for (int32_t i = 1; i < g->local_size; i++)
        if (shared_memory_send(g->members[i], &n, sizeof n, &fd, 1)) {
            gang_fail(g, GANG_LOST, "rank %d of the gang on %s has ended", g->rank + i,
                      g->host_name);
            close(fd);
            return -1;
        }
    FAULT("gang: memory was handed out");
    return fd;
}

static int receive(struct gang_member *g)
{
    struct gang_failure found;
    double since_s = clock_now(&clock_system);
    size_t n;

    for (;;) {
        struct pollfd wanted = {.fd = g->members[0], .events = POLLIN};
        int32_t n_fds = 1;
        int fd;
        ssize_t got = shared_memory_receive(g->members[0], &n, sizeof n, &fd, &n_fds);

        if (got > 0 && n_fds == 1)
            return fd;
        if (got < 0 && errno == EMFILE) {
            gang_fail(g, GANG_BROKEN, "shared memory of a gang: %s", strerror(errno));
            return -1;
        }
        if (look(g, since_s, &found)) {
            fail_with(g, &found);
            return -1;
        }
        poll(&wanted, 1, 20);
    }
}

void *gang_take(struct gang_member *g, size_t n, size_t begin, size_t end)
{
    struct mapping *grown = realloc(g->mappings, (g->n_mappings + 1) * sizeof *grown);
    void *bytes = NULL;
    int fd;

    g->mappings = grown ? grown : g->mappings;
    if (g->crew.has_failed)
        return NULL;
    FAULT("gang: before memory is taken");
    n += !n;
    fd = gang_is_leader(g) ? hand_out(g, n) : receive(g);
    if (fd < 0)
        return NULL;
    /* The kernel would kill processes rather than refuse memory. */
    errno = ENOMEM;
    if (grown && (double)(end - begin) < memory_limit_bytes() &&
        !shared_memory_reserve(fd, begin, end))
        bytes = shared_memory_map(fd, n);
    if (bytes)
        g->mappings[g->n_mappings++] = (struct mapping){bytes, n};
    else
        gang_fail(g, GANG_BROKEN, "out of memory (shared by a gang, %zu bytes): %s", n,
                  strerror(errno));
    close(fd);
    FAULT("gang: memory was mapped");
    return gang_sync(g) ? bytes : NULL;
}

void gang_give_back(struct gang_member *g, void *bytes)
{
    for (size_t i = 0; bytes && i < g->n_mappings; i++) {
        if (g->mappings[i].bytes != bytes)
            continue;
        munmap(bytes, g->mappings[i].n);
        g->mappings[i] = g->mappings[--g->n_mappings];
        return;
    }
}
