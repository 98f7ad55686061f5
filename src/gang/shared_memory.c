/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/process.h"
#include "gang/gang_state.h"

/* Descriptors of one message; the kernel's limit is 253. */
enum { DESCRIPTORS = 200 };

/* The kernel limits the descriptors that were sent and not yet received. */
#define IN_FLIGHT_S 5.0

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
        if (gang_look(g, since_s, &found)) {
            gang_fail(g, found.trouble, "%s", found.why.text);
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
