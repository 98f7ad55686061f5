/* SPDX-License-Identifier: BSD-3-Clause */
/* Data between the hosts' leaders. Everything is sent and received at once, in any order, so that no
 * two leaders wait for each other. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/fault.h"
#include "gang/gang_state.h"

enum { SLEEP_MS = 20, PIECES = 64 };

void transfer_clear(struct transfer *transfer)
{
    transfer->n = transfer->at = 0;
}

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
            gang_fails(&found, GANG_LOST,
                       "rank %d of the gang on %s has ended, or its connection is cut",
                       g->page.first_rank[host], g->page.host_names[host]);
        return gang_fail(g, found.trouble, "%s", found.why.text);
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
            return gang_fail(g, found.trouble, "%s", found.why.text);
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
        if (now_s > g->looked_s + 1e-3 * SLEEP_MS && gang_look(g, since_s, &found))
            return gang_fail(g, found.trouble, "%s", found.why.text);
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
            transfer_clear(&g->links[host].send);
            transfer_clear(&g->links[host].receive);
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
