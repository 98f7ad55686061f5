/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a host meet at an abstract Unix socket, which vanishes with its process. The leader
 * answers with the page of shared memory and with pipes: each rank keeps the writing end of its own
 * pipe and the reading ends of all others, which end when its process ends. */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "gang/meeting.h"

#define RETRY_S 2e-3

static socklen_t address_of(struct sockaddr_un *address, const struct gang_member *g,
                            const struct introduction *own)
{
    char token[HASH_HEX_SIZE];
    int n;

    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    n = snprintf(address->sun_path + 1, sizeof address->sun_path - 1, "espalier-gang-%u-%s-%d",
                 (unsigned)geteuid(), hash_hex(own->token, token), g->host);
    return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* ---- the page ---- */

static int map_page(struct gang_member *g, int fd, struct gang_failure *failure)
{
    g->page.head = shared_memory_map(fd, g->page.bytes);
    return g->page.head ? 0 : meeting_broken(failure, "shared memory of a gang");
}

/* ---- the leader ---- */

static int listen_here(const struct gang_member *g, const struct introduction *own,
                       struct gang_failure *failure)
{
    struct sockaddr_un address;
    socklen_t n = address_of(&address, g, own);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0 && !bind(fd, (const struct sockaddr *)&address, n) && !listen(fd, SOMAXCONN))
        return fd;
    meeting_broken(failure, "meeting point of a gang");
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The leader gives these to the members, and the reading ends of the pipes, g->lives. */
struct gifts {
    int page;
    int *writers; /* [local_size] ends of the ranks' pipes */
    int *fds;     /* [local_size + 1] */
};

static int make_gifts(struct gifts *gifts, struct gang_member *g, struct gang_failure *failure)
{
    gifts->writers = descriptors_create(g->local_size);
    gifts->fds = descriptors_create(g->local_size + 1);
    if (!gifts->writers || !gifts->fds)
        return gang_fails(failure, GANG_BROKEN, "out of memory");
    for (int32_t i = 0; i < g->local_size; i++) {
        int ends[2];

        if (pipe2(ends, O_CLOEXEC))
            return meeting_broken(failure, "pipes of a gang");
        g->lives[i] = ends[0];
        gifts->writers[i] = ends[1];
    }
    gifts->page = shared_memory_make(g->page.bytes);
    if (gifts->page < 0 || shared_memory_reserve(gifts->page, 0, g->page.bytes))
        return meeting_broken(failure, "shared memory of a gang");
    return map_page(g, gifts->page, failure);
}

/* Send member i the reply, and with a good one its own pipe's writing end and the reading ends of
 * all others. One that has ended gets nothing, which a look from a barrier notices. */
static void answer(struct gang_member *g, const struct reply *reply, const struct gifts *gifts,
                   int32_t i)
{
    int32_t n = 0;

    if (!reply->trouble) {
        gifts->fds[n++] = gifts->page;
        gifts->fds[n++] = gifts->writers[i];
        for (int32_t j = 0; j < g->local_size; j++)
            if (j != i)
                gifts->fds[n++] = g->lives[j];
    }
    (void)!shared_memory_send(g->members[i], reply, sizeof *reply, gifts->fds, n);
}

static int lead(struct gang_member *g, struct reception *reception, const struct introduction *own,
                const struct time_limit *limit, struct gang_failure *failure)
{
    struct reply reply;
    struct gifts gifts = {.page = -1};

    reception_gather(reception, own, limit, &reply);
    FAULT("gang: before the host's ranks are answered");
    if (!reply.trouble && make_gifts(&gifts, g, failure)) {
        reply.trouble = failure->trouble;
        snprintf(reply.why, sizeof reply.why, "%.*s", GANG_WHY - 1, failure->why.text);
    }
    reply.page_bytes = g->page.bytes;
    reply.n_descriptors = reply.trouble ? 0 : (uint32_t)g->local_size + 1;
    for (int32_t i = 1; i < g->local_size; i++) {
        g->members[i] = reception_take(reception, i, 0);
        if (g->members[i] >= 0)
            answer(g, &reply, &gifts, i);
    }
    /* The leader keeps its own writing end and the reading ends of the others. */
    if (gifts.writers) {
        g->own_life = gifts.writers[0];
        descriptor_close(&g->lives[0]);
    }
    for (int32_t i = 1; gifts.writers && i < g->local_size; i++)
        descriptor_close(&gifts.writers[i]);
    descriptor_close(&gifts.page);
    free(gifts.writers);
    free(gifts.fds);
    FAULT("gang: the host's ranks were answered");
    return reply.trouble ? gang_fails(failure, (enum gang_trouble)reply.trouble, "%s", reply.why)
                         : 0;
}

/* ---- the others ---- */

static int find_leader(struct gang_member *g, const struct introduction *own, const char *leader,
                       const struct time_limit *limit, struct gang_failure *failure)
{
    struct sockaddr_un address;
    socklen_t n = address_of(&address, g, own);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    char what[GANG_HOST + 64];

    g->members[0] = fd;
    if (fd < 0)
        return meeting_broken(failure, "socket of a gang");
    snprintf(what, sizeof what, "%s did not come", leader);
    while (connect(fd, (const struct sockaddr *)&address, n)) {
        if (errno != ECONNREFUSED && errno != EAGAIN && errno != EINTR)
            return meeting_broken(failure, "meeting point of a gang");
        if (time_limit_check(limit, what, failure))
            return -1;
        clock_sleep(RETRY_S);
    }
    return 0;
}

/* Receive the reply and its descriptors into fds. */
static int hear_reply(struct gang_member *g, int *fds, const char *leader,
                      const struct time_limit *limit, struct gang_failure *failure)
{
    struct reply reply = {0};
    uint32_t n = 0, wanted = (uint32_t)g->local_size + 1;
    char what[GANG_HOST + 64];

    snprintf(what, sizeof what, "%s did not answer", leader);
    do {
        struct pollfd ready = {.fd = g->members[0], .events = POLLIN};
        int32_t some = (int32_t)(wanted - n);
        ssize_t got = shared_memory_receive(g->members[0], &reply, sizeof reply, fds + n, &some);

        n += (uint32_t)some;
        if (got < 0 && errno == EMFILE)
            return meeting_broken(failure, "pipes of a gang");
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return gang_fails(failure, GANG_LOST, "%s has ended", leader);
        if (got > 0 && reply.trouble) {
            reply.why[GANG_WHY - 1] = '\0';
            return gang_fails(failure, (enum gang_trouble)reply.trouble, "%s", reply.why);
        }
        if (time_limit_check(limit, what, failure))
            return -1;
        if (got < 0)
            poll(&ready, 1, 20);
    } while (n < wanted);
    return 0;
}

static int follow(struct gang_member *g, const struct introduction *own,
                  const struct time_limit *limit, struct gang_failure *failure)
{
    int *fds = descriptors_create(g->local_size + 1), rc;
    struct time_limit renewed;
    char leader[GANG_HOST + 48];

    snprintf(leader, sizeof leader, "rank %d of the gang on %s", g->rank - g->local_rank,
             own->host);
    assert(g->local_size > 1);
    if (!fds)
        return gang_fails(failure, GANG_BROKEN, "out of memory");
    rc = find_leader(g, own, leader, limit, failure);
    FAULT("gang: is connected with its leader");
    rc = rc ? rc : wire_send(g->members[0], own, sizeof *own, leader, limit, failure);
    FAULT("gang: has introduced itself");
    renewed = time_limit_renew(limit, false);
    rc = rc ? rc : hear_reply(g, fds, leader, &renewed, failure);
    FAULT("gang: was answered by its leader");
    g->own_life = fds[1];
    for (int32_t j = 0, i = 2; j < g->local_size; j++)
        if (j != g->local_rank)
            g->lives[j] = fds[i++];
    rc = rc ? rc : map_page(g, fds[0], failure);
    descriptor_close(&fds[0]);
    free(fds);
    return rc;
}

int meeting_local(struct gang_member *g, struct introduction *own, const struct time_limit *limit,
                  struct gang_failure *failure)
{
    struct reception reception = {.listener = -1};
    int fd, rc = -1;

    own->level = MEETING_LOCAL;
    own->index = g->local_rank;
    own->n = g->local_size;
    FAULT("gang: before the host's ranks meet");
    if (!gang_is_leader(g))
        return follow(g, own, limit, failure);
    fd = listen_here(g, own, failure);
    FAULT("gang: listens for its host's ranks");
    if (fd >= 0 && reception_open(&reception, fd, own))
        gang_fails(failure, GANG_BROKEN, "out of memory");
    else if (fd >= 0)
        rc = lead(g, &reception, own, limit, failure);
    reception_close(&reception);
    if (rc) {
        own->trouble = failure->trouble;
        snprintf(own->why, sizeof own->why, "%.*s", GANG_WHY - 1, failure->why.text);
    }
    return rc;
}
