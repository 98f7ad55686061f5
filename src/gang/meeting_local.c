/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of a host meet at an abstract Unix socket, which vanishes with its process. The leader
 * answers with the page of shared memory, in which it has noted the processes of all. */
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "gang/gang_state.h"

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

static int map_page(struct gang_member *g, int fd, struct gang_failure *failure)
{
    char *base = shared_memory_map(fd, g->page.bytes);

    if (!base)
        return meeting_broken(failure, "shared memory of a gang");
    gang_lay_out(g, base);
    return 0;
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

static int make_page(struct gang_member *g, int *fd, struct gang_failure *failure)
{
    *fd = shared_memory_make(g->page.bytes);
    if (*fd < 0 || shared_memory_reserve(*fd, 0, g->page.bytes))
        return meeting_broken(failure, "shared memory of a gang");
    if (map_page(g, *fd, failure))
        return -1;
    process_self(&g->page.processes[0]);
    for (int32_t i = 1; i < g->local_size; i++) {
        struct ucred peer = {.pid = 0};
        socklen_t n = sizeof peer;

        getsockopt(g->members[i], SOL_SOCKET, SO_PEERCRED, &peer, &n);
        process_find(&g->page.processes[i], peer.pid);
    }
    return 0;
}

static int lead(struct gang_member *g, struct reception *reception, const struct introduction *own,
                const struct deadline *deadline, struct gang_failure *failure)
{
    struct reply reply;
    int page = -1;

    reception_gather(reception, own, deadline, &reply);
    FAULT("gang: before the host's ranks are answered");
    for (int32_t i = 1; i < g->local_size; i++)
        g->members[i] = reception_take(reception, i, 0);
    if (!reply.trouble && make_page(g, &page, failure)) {
        reply.trouble = failure->trouble;
        snprintf(reply.why, sizeof reply.why, "%.*s", MEETING_WHY - 1, failure->why.text);
    }
    /* One that has ended gets nothing, which gang_look() notices. */
    for (int32_t i = 1; i < g->local_size; i++)
        if (g->members[i] >= 0)
            (void)!shared_memory_send(g->members[i], &reply, sizeof reply,
                                      reply.trouble ? -1 : page);
    if (page >= 0)
        close(page);
    FAULT("gang: the host's ranks were answered");
    return reply.trouble ? gang_fails(failure, (enum gang_trouble)reply.trouble, "%s", reply.why)
                         : 0;
}

static int lead_meeting(struct gang_member *g, struct introduction *own,
                        const struct deadline *deadline, struct gang_failure *failure)
{
    struct reception reception = {.listener = -1};
    int fd = listen_here(g, own, failure), rc = -1;

    FAULT("gang: listens for its host's ranks");
    if (fd >= 0 && reception_open(&reception, fd, own))
        gang_fails(failure, GANG_BROKEN, "out of memory");
    else if (fd >= 0)
        rc = lead(g, &reception, own, deadline, failure);
    reception_close(&reception);
    if (!rc)
        return 0;
    own->trouble = failure->trouble;
    snprintf(own->why, sizeof own->why, "%.*s", MEETING_WHY - 1, failure->why.text);
    return -1;
}

/* ---- the others ---- */

static int find_leader(struct gang_member *g, const struct introduction *own, const char *leader,
                       const struct deadline *deadline, struct gang_failure *failure)
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
        if (deadline_check(deadline, what, failure))
            return -1;
        clock_sleep(RETRY_S);
    }
    return 0;
}

/* Receive the reply and the page's descriptor. */
static int hear_reply(struct gang_member *g, int *page, const char *leader,
                      const struct deadline *deadline, struct gang_failure *failure)
{
    struct reply reply = {0};
    char what[GANG_HOST + 64];

    snprintf(what, sizeof what, "%s did not answer", leader);
    for (;;) {
        struct pollfd ready = {.fd = g->members[0], .events = POLLIN};
        ssize_t got = shared_memory_receive(g->members[0], &reply, sizeof reply, page);

        if (got < 0 && errno == EMFILE)
            return meeting_broken(failure, "shared memory of a gang");
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return gang_fails(failure, GANG_LOST, "%s has ended", leader);
        if (got > 0 && reply.trouble) {
            reply.why[MEETING_WHY - 1] = '\0';
            return gang_fails(failure, (enum gang_trouble)reply.trouble, "%s", reply.why);
        }
        if (got > 0 && *page >= 0)
            return 0;
        if (deadline_check(deadline, what, failure))
            return -1;
        poll(&ready, 1, 20);
    }
}

static int follow(struct gang_member *g, const struct introduction *own,
                  const struct deadline *deadline, struct gang_failure *failure)
{
    struct deadline renewed;
    char leader[GANG_HOST + 48];
    int page = -1, rc;

    snprintf(leader, sizeof leader, "rank %d of the gang on %s", g->rank - g->local_rank,
             own->host);
    assert(g->local_size > 1);
    rc = find_leader(g, own, leader, deadline, failure);
    FAULT("gang: is connected with its leader");
    rc = rc ? rc : wire_send(g->members[0], own, sizeof *own, leader, deadline, failure);
    FAULT("gang: has introduced itself");
    renewed = deadline_renew(deadline, false);
    rc = rc ? rc : hear_reply(g, &page, leader, &renewed, failure);
    FAULT("gang: was answered by its leader");
    rc = rc ? rc : map_page(g, page, failure);
    if (page >= 0)
        close(page);
    return rc;
}

int meeting_local(struct gang_member *g, struct introduction *own, const struct deadline *deadline,
                  struct gang_failure *failure)
{
    own->level = MEETING_LOCAL;
    own->index = g->local_rank;
    own->n = g->local_size;
    FAULT("gang: before the host's ranks meet");
    return gang_is_leader(g) ? lead_meeting(g, own, deadline, failure)
                             : follow(g, own, deadline, failure);
}
