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

union control {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
};

int shared_memory_send(int socket, const void *bytes, size_t n, int fd)
{
    union control control;
    struct iovec piece = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = n};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    ssize_t sent;

    memset(&control, 0, sizeof control);
    if (fd >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof fd);
        memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    }
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -1 : 0;
}

ssize_t shared_memory_receive(int socket, void *bytes, size_t n, int *fd)
{
    union control control;
    struct iovec piece = {.iov_base = bytes, .iov_len = n};
    struct msghdr message = {.msg_iov = &piece,
                             .msg_iovlen = 1,
                             .msg_control = control.bytes,
                             .msg_controllen = sizeof control};
    ssize_t got = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    const struct cmsghdr *header = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;

    *fd = -1;
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
        header->cmsg_len == CMSG_LEN(sizeof *fd))
        memcpy(fd, CMSG_DATA(header), sizeof *fd);
    if (got <= 0 || !(message.msg_flags & MSG_CTRUNC))
        return got;
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
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
        if (shared_memory_send(g->members[i], &n, sizeof n, fd)) {
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
        int fd;
        ssize_t got = shared_memory_receive(g->members[0], &n, sizeof n, &fd);

        if (got > 0 && fd >= 0)
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
