/* SPDX-License-Identifier: BSD-3-Clause */
/* The leaders of the hosts meet at rank 0's port. It sends all of them the addresses of all. Then
 * each connects to those before it, twice: for data and for beats. When all have done so, rank 0
 * lets them go. */
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "gang/meeting.h"

#define RETRY_S 20e-3
#define EXPLAIN_S 1.0
enum { DATA, BEATS, LEADER_NAME = GANG_HOST + 48 };

/* A leader, as rank 0 sees it. */
struct host_entry {
    struct sockaddr_storage address;
    uint32_t length;
    int32_t first_rank;
    char host[GANG_HOST];
};

struct meeting {
    struct gang_member *g;
    struct introduction *own;
    struct time_limit limit;
    struct gang_failure *failure;
    struct reception reception;
    struct host_entry *entries; /* [n_hosts] */
    char (*names)[LEADER_NAME]; /* [n_hosts] */
    int *fds;                   /* [n_hosts] room */
    bool *is_ready;             /* [n_hosts] rank 0: is connected with all */
};

/* ---- sockets ---- */

static void set_no_delay(int fd)
{
    int yes = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
}

static int try_listen(int family, const struct sockaddr *address, socklen_t n)
{
    int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1, no = 0;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    set_no_delay(fd); /* accepted connections inherit it */
    if (family == AF_INET6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (!bind(fd, address, n) && !listen(fd, SOMAXCONN))
        return fd;
    close(fd);
    return -1;
}

/* Listen at all addresses of both families. port 0: any port. */
static int listen_at(int32_t port, struct gang_failure *failure)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = try_listen(AF_INET6, (const struct sockaddr *)&six, sizeof six);

    if (fd < 0)
        fd = try_listen(AF_INET, (const struct sockaddr *)&four, sizeof four);
    if (fd < 0)
        gang_fails(failure, GANG_BROKEN, "port %d for a gang: %s", port, strerror(errno));
    return fd;
}

/* Return a connection, -1: not now, or -2 and failure. */
static int try_connect(const struct sockaddr *address, socklen_t n, const char *what,
                       const struct time_limit *limit, struct gang_failure *failure)
{
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), code;
    socklen_t size = sizeof code;
    struct pollfd ready = {.fd = fd, .events = POLLOUT};

    if (fd < 0)
        return -1;
    code = connect(fd, address, n) ? errno : 0;
    while (code == EINPROGRESS || code == EINTR) {
        if (time_limit_check(limit, what, failure)) {
            close(fd);
            return -2;
        }
        code = EINPROGRESS;
        if (poll(&ready, 1, 20) > 0 && getsockopt(fd, SOL_SOCKET, SO_ERROR, &code, &size))
            code = errno;
    }
    if (!code) {
        set_no_delay(fd);
        return fd;
    }
    close(fd);
    errno = code;
    return -1;
}

static int connect_to_name(const char *name, int32_t port, const struct time_limit *limit,
                           struct gang_failure *failure)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all = NULL;
    char service[12], what[512];
    int fd = -1, code;

    snprintf(service, sizeof service, "%d", port);
    snprintf(what, sizeof what, "rank 0 of the gang at %s, port %d, did not come", name, port);
    do {
        code = getaddrinfo(name, service, &hints, &all);
        if (code && code != EAI_AGAIN)
            return gang_fails(failure, GANG_BROKEN, "%s: %s", name, gai_strerror(code));
        for (const struct addrinfo *one = code ? NULL : all; one && fd == -1; one = one->ai_next)
            fd = try_connect(one->ai_addr, one->ai_addrlen, what, limit, failure);
        if (!code)
            freeaddrinfo(all);
        if (fd == -1 && time_limit_check(limit, what, failure))
            fd = -2;
        if (fd == -1)
            clock_sleep(RETRY_S);
    } while (fd == -1);
    return fd;
}

static void name_leader(struct meeting *m, int32_t host)
{
    snprintf(m->names[host], LEADER_NAME, "rank %d of the gang on %.63s",
             m->entries[host].first_rank, m->entries[host].host);
}

/* ---- the table of addresses ---- */

/* The address at which host `index` listens. */
static int note_address(struct host_entry *entry, int fd, uint32_t port)
{
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)&entry->address;
    struct sockaddr_in *four = (struct sockaddr_in *)&entry->address;
    socklen_t n = sizeof entry->address;

    if (getpeername(fd, (struct sockaddr *)&entry->address, &n))
        return -1;
    if (six->sin6_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)) {
        struct sockaddr_in plain = {.sin_family = AF_INET};

        memcpy(&plain.sin_addr, &six->sin6_addr.s6_addr[12], sizeof plain.sin_addr);
        memset(&entry->address, 0, sizeof entry->address);
        *four = plain;
        n = sizeof plain;
    }
    if (entry->address.ss_family == AF_INET6)
        six->sin6_port = htons((uint16_t)port);
    else
        four->sin_port = htons((uint16_t)port);
    entry->length = n;
    return 0;
}

/* Rank 0: fill in the table and take the connections. */
static int make_table(struct meeting *m)
{
    struct gang_member *g = m->g;
    int32_t rank = m->own->n_ranks;

    memcpy(m->entries[0].host, m->own->host, GANG_HOST);
    name_leader(m, 0);
    for (int32_t host = 1; host < g->n_hosts; host++) {
        struct host_entry *entry = &m->entries[host];
        struct introduction its = reception_find(&m->reception, host, DATA)->introduction;

        g->links[host].data = reception_take(&m->reception, host, DATA);
        entry->first_rank = rank;
        memcpy(entry->host, its.host, GANG_HOST);
        name_leader(m, host);
        if (its.rank != rank)
            return gang_fails(m->failure, GANG_BROKEN,
                              "ranks of a gang's host are not consecutive");
        if (note_address(entry, g->links[host].data, its.port))
            return gang_fails(m->failure, GANG_LOST, "%s has ended", m->names[host]);
        rank += its.n_ranks;
    }
    return 0;
}

static struct reply word_of(const struct meeting *m, int rc)
{
    struct reply word = {.rank = m->g->rank};

    if (rc) {
        word.trouble = m->failure->trouble;
        snprintf(word.why, sizeof word.why, "%.*s", GANG_WHY - 1, m->failure->why.text);
    }
    return word;
}

static void send_reply(const struct meeting *m, int fd, const struct reply *reply)
{
    struct gang_failure ignored;

    wire_send(fd, reply, sizeof *reply, "", &m->limit, &ignored);
}

/* Rank 0: answer to all who have come, and send the table to all, even if one has ended. */
static int answer(struct meeting *m, struct reply *reply)
{
    struct gang_member *g = m->g;
    int rc = 0;

    if (!reply->trouble && make_table(m))
        *reply = word_of(m, -1);
    for (int32_t i = 0; i < m->reception.n_callers; i++)
        if (reply->trouble && m->reception.of[i].got == sizeof(struct introduction))
            send_reply(m, m->reception.of[i].fd, reply);
    for (int32_t host = 1; host < g->n_hosts; host++)
        if (g->links[host].data >= 0)
            send_reply(m, g->links[host].data, reply);
    if (reply->trouble)
        return gang_fails(m->failure, (enum gang_trouble)reply->trouble, "%s", reply->why);
    for (int32_t host = 1; host < g->n_hosts; host++)
        if (wire_send(g->links[host].data, m->entries, (size_t)g->n_hosts * sizeof *m->entries,
                      m->names[host], &m->limit, m->failure))
            rc = -1;
    return rc;
}

/* Receive a leader's word. */
static int hear(struct meeting *m, int32_t host)
{
    struct reply reply;

    if (wire_receive(m->g->links[host].data, &reply, sizeof reply, m->names[host], &m->limit,
                     m->failure))
        return -1;
    reply.why[GANG_WHY - 1] = '\0';
    return reply.trouble ? gang_fails(m->failure, (enum gang_trouble)reply.trouble, "%s", reply.why)
                         : 0;
}

/* ---- the mesh ---- */

/* True if host has sent something that is not read yet; an end is a failure. */
static int peek(struct meeting *m, int32_t host, bool *has_word)
{
    char byte;
    ssize_t got = recv(m->g->links[host].data, &byte, 1, MSG_PEEK | MSG_DONTWAIT);

    *has_word = got > 0;
    if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR)))
        return 0;
    return gang_fails(m->failure, GANG_LOST, "%s has ended", m->names[host]);
}

/* Introduce this leader on a new connection. */
static int introduce(struct meeting *m, int32_t host, uint32_t channel, int fd)
{
    if (channel == DATA)
        m->g->links[host].data = fd;
    else
        m->g->links[host].beat = fd;
    m->own->channel = channel;
    return wire_send(fd, m->own, sizeof *m->own, m->names[host], &m->limit, m->failure);
}

/* A leader cannot be reached. If it has ended, or has left because of a trouble, rank 0 says so
 * soon. Always -1. */
static int explain(struct meeting *m, int32_t host, int code)
{
    double until_s = clock_now(&clock_system) + EXPLAIN_S;
    bool has_word = false;

    do {
        if (peek(m, 0, &has_word) || (has_word && hear(m, 0)))
            return -1;
        clock_sleep(RETRY_S);
    } while (!has_word && clock_now(&clock_system) < until_s);
    return gang_fails(m->failure, GANG_LOST, "%s cannot be reached: %s", m->names[host],
                      strerror(code));
}

/* Connect to a leader before this one. */
static int join(struct meeting *m, int32_t host, uint32_t channel)
{
    const struct host_entry *entry = &m->entries[host];
    char what[LEADER_NAME + 20];
    int fd;

    snprintf(what, sizeof what, "%s did not answer", m->names[host]);
    fd = try_connect((const struct sockaddr *)&entry->address, entry->length, what, &m->limit,
                     m->failure);
    if (fd == -1)
        return explain(m, host, errno);
    return fd < 0 ? -1 : introduce(m, host, channel, fd);
}

/* Take connections of later leaders. Returns the number that is missing. */
static int32_t take_callers(struct meeting *m)
{
    struct gang_member *g = m->g;
    int32_t n_missing = 0;

    for (int32_t host = g->host + 1; host < g->n_hosts; host++) {
        struct gang_link *link = &g->links[host];

        if (link->data < 0)
            link->data = reception_take(&m->reception, host, DATA);
        if (link->beat < 0)
            link->beat = reception_take(&m->reception, host, BEATS);
        n_missing += (link->data < 0) + (link->beat < 0);
    }
    return n_missing;
}

/* A leader after the first: wait for later ones. Before all are connected, rank 0 sends a word only
 * if there is a trouble. */
static int await_later(struct meeting *m)
{
    bool has_word;

    while (take_callers(m)) {
        if (peek(m, 0, &has_word) || (has_word && hear(m, 0)) ||
            time_limit_check(&m->limit, "leaders of the gang's hosts did not connect", m->failure))
            return -1;
        reception_step(&m->reception, &m->g->links[0].data, 1);
    }
    return 0;
}

/* Rank 0: wait until all are connected with all. */
static int await_all(struct meeting *m)
{
    struct gang_member *g = m->g;
    int32_t n_missing = 1;
    int rc = 0;

    while (!rc && n_missing) {
        int32_t n_fds = 0;

        n_missing = take_callers(m);
        for (int32_t host = 1; host < g->n_hosts && !rc; host++) {
            bool has_word;

            rc = peek(m, host, &has_word);
            if (!rc && has_word && !m->is_ready[host]) {
                rc = hear(m, host);
                m->is_ready[host] = true;
            }
            n_missing += !m->is_ready[host];
            if (!m->is_ready[host])
                m->fds[n_fds++] = g->links[host].data;
        }
        rc = rc ? rc
                : time_limit_check(&m->limit, "leaders of the gang's hosts did not connect",
                                   m->failure);
        if (!rc && n_missing)
            reception_step(&m->reception, m->fds, n_fds);
    }
    return rc;
}

/* ---- both sides ---- */

static int lead(struct meeting *m)
{
    struct reply reply, word;
    int rc;

    reception_gather(&m->reception, m->own, &m->limit, &reply);
    FAULT("gang: before the hosts are answered");
    rc = answer(m, &reply);
    if (reply.trouble)
        return -1;
    FAULT("gang: the hosts were answered");
    rc = rc ? rc : await_all(m);
    word = word_of(m, rc);
    for (int32_t host = 1; host < m->g->n_hosts; host++)
        send_reply(m, m->g->links[host].data, &word);
    return rc;
}

static int follow(struct meeting *m, const char *address, int32_t port)
{
    struct gang_member *g = m->g;
    struct reply word;
    int rc = 0, fd;

    snprintf(m->entries[0].host, GANG_HOST, "%.63s", address);
    name_leader(m, 0);
    fd = connect_to_name(address, port, &m->limit, m->failure);
    if (fd < 0 || introduce(m, 0, DATA, fd))
        return -1;
    FAULT("gang: has introduced itself to rank 0");
    m->limit = time_limit_renew(&m->limit, false);
    if (hear(m, 0) || wire_receive(fd, m->entries, (size_t)g->n_hosts * sizeof *m->entries,
                                   m->names[0], &m->limit, m->failure))
        return -1;
    for (int32_t host = 0; host < g->n_hosts; host++)
        name_leader(m, host);
    if (note_address(&m->entries[0], fd, (uint32_t)port))
        rc = gang_fails(m->failure, GANG_LOST, "%s has ended", m->names[0]);
    for (int32_t host = 0; host < g->host && !rc; host++)
        rc = (host && join(m, host, DATA)) || join(m, host, BEATS);
    FAULT("gang: is connected with the leaders before it");
    rc = rc || await_later(m);
    word = word_of(m, rc);
    send_reply(m, fd, &word);
    return rc ? -1 : hear(m, 0);
}

int meeting_hosts(struct gang_member *g, struct introduction *own, const struct gang_place *place,
                  const struct time_limit *limit, struct gang_failure *failure)
{
    struct meeting m = {.g = g, .own = own, .limit = *limit, .failure = failure};
    struct sockaddr_in6 address = {0};
    socklen_t n_address = sizeof address;
    int listener, rc = -1;

    own->level = MEETING_HOSTS;
    own->index = g->host;
    own->n = g->n_hosts;
    own->n_ranks = g->local_size;
    FAULT("gang: before the hosts meet");
    listener = listen_at(g->host ? 0 : place->port, failure);
    if (listener < 0)
        return -1;
    if (!getsockname(listener, (struct sockaddr *)&address, &n_address))
        own->port = ntohs(address.sin6_port); /* at the same place in addresses of both families */
    FAULT("gang: listens for other hosts");
    m.entries = calloc((size_t)g->n_hosts, sizeof *m.entries);
    m.names = calloc((size_t)g->n_hosts, sizeof *m.names);
    m.fds = calloc((size_t)g->n_hosts, sizeof *m.fds);
    m.is_ready = calloc((size_t)g->n_hosts, sizeof *m.is_ready);
    if (reception_open(&m.reception, listener, own) || !m.entries || !m.names || !m.fds ||
        !m.is_ready)
        gang_fails(failure, GANG_BROKEN, "out of memory");
    else
        rc = g->host ? follow(&m, place->address, place->port) : lead(&m);
    for (int32_t host = 0; !rc && host < g->n_hosts; host++) {
        g->page.first_rank[host] = m.entries[host].first_rank;
        memcpy(g->page.host_names[host], m.entries[host].host, GANG_HOST);
    }
    reception_close(&m.reception);
    free(m.entries);
    free(m.names);
    free(m.fds);
    free(m.is_ready);
    FAULT("gang: the hosts have met");
    return rc;
}
