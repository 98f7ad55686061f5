/* SPDX-License-Identifier: BSD-3-Clause */
#include "gang/meeting.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* How long late ones may come to hear of a trouble, and how long a stranger may be silent. */
#define LINGER_S 1.0
#define SILENT_CALLER_S 5.0

/* A rank that waits for an answer waits a little longer than the one that answers. */
#define LATER 0.1
#define LATER_S 0.1
enum { STEP_MS = 20, STRANGERS = 32 };

static const char magic[8] = "espgang";

/* Other versions must be able to read the first members of this one. */
_Static_assert(sizeof(struct introduction) ==
                   8 + 16 + 4 + GANG_HOST + 11 * 4 + GANG_WHY + 2 * GANG_TEXT,
               "struct introduction has padding");
_Static_assert(sizeof(struct reply) == 4 * 4 + 8 + GANG_HOST + GANG_WHY,
               "struct reply has padding");

static double now_s(void)
{
    return clock_now(&clock_system);
}

struct time_limit time_limit_renew(const struct time_limit *limit, bool is_first)
{
    struct time_limit renewed = *limit;

    renewed.until_s = now_s() + limit->limit_s;
    if (!is_first)
        renewed.until_s += LATER * limit->limit_s + LATER_S;
    return renewed;
}

int time_limit_check(const struct time_limit *limit, const char *what, struct gang_failure *failure)
{
    if (limit->keep_waiting && !limit->keep_waiting(limit->arg))
        return gang_fails(failure, GANG_STOPPED, "the rank was told to leave its gang");
    if (now_s() > limit->until_s)
        return gang_fails(failure, GANG_LOST, "%s within %g s", what, limit->limit_s);
    return 0;
}

int meeting_broken(struct gang_failure *failure, const char *what)
{
    return gang_fails(failure, GANG_BROKEN, "%s: %s", what, strerror(errno));
}

/* ---- those who come ---- */

int reception_open(struct reception *reception, int listener, const struct introduction *own)
{
    size_t room = (size_t)own->n * 2 + STRANGERS;

    *reception = (struct reception){.listener = listener,
                                    .level = (enum meeting_level)own->level,
                                    .token = own->token,
                                    .index = own->index,
                                    .n = own->n};
    reception->of = calloc(room, sizeof *reception->of);
    reception->polls = calloc(room + 1 + (size_t)own->n, sizeof *reception->polls);
    return reception->of && reception->polls ? 0 : -1;
}

void reception_close(struct reception *reception)
{
    for (int32_t i = 0; i < reception->n_callers; i++)
        close(reception->of[i].fd);
    if (reception->listener >= 0)
        close(reception->listener);
    free(reception->of);
    free(reception->polls);
    *reception = (struct reception){.listener = -1};
}

static bool has_introduced_itself(const struct caller *caller)
{
    return caller->got == sizeof caller->introduction;
}

struct caller *reception_find(const struct reception *reception, int32_t index, uint32_t channel)
{
    for (int32_t i = 0; i < reception->n_callers; i++) {
        struct caller *caller = &reception->of[i];

        if (has_introduced_itself(caller) && caller->introduction.index == index &&
            caller->introduction.channel == channel)
            return caller;
    }
    return NULL;
}

int reception_take(struct reception *reception, int32_t index, uint32_t channel)
{
    struct caller *caller = reception_find(reception, index, channel);
    int fd;

    if (!caller)
        return -1;
    fd = caller->fd;
    *caller = reception->of[--reception->n_callers];
    return fd;
}

/* Abstract sockets are open to all users of a machine. */
static bool is_of_this_user(int fd)
{
    struct ucred peer;
    socklen_t n = sizeof peer;

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) && peer.uid == geteuid();
}

static void accept_all(struct reception *reception)
{
    int32_t room = reception->n * 2 + STRANGERS;
    int fd;

    while ((fd = accept4(reception->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        if (reception->n_callers == room ||
            (reception->level == MEETING_LOCAL && !is_of_this_user(fd))) {
            close(fd);
            continue;
        }
        reception->of[reception->n_callers++] = (struct caller){.fd = fd, .since_s = now_s()};
    }
}

static bool is_member(const struct reception *reception, const struct caller *caller)
{
    const struct introduction *introduction = &caller->introduction;

    if (memcmp(introduction->magic, magic, sizeof magic) ||
        !hash_equal(introduction->token, reception->token))
        return false;
    if (introduction->protocol != MEETING_PROTOCOL)
        return true;
    return introduction->level == reception->level && introduction->index > reception->index &&
           introduction->index < reception->n && introduction->channel < 2 &&
           reception_find(reception, introduction->index, introduction->channel) == caller;
}

/* Read what has come. False: a stranger. */
static bool read_caller(struct reception *reception, struct caller *caller)
{
    char *introduction = (char *)&caller->introduction, byte;
    ssize_t got;

    if (has_introduced_itself(caller)) {
        got = recv(caller->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        caller->has_ended = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
        return true;
    }
    got = recv(caller->fd, introduction + caller->got, sizeof caller->introduction - caller->got,
               MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return now_s() < caller->since_s + SILENT_CALLER_S;
    if (got <= 0)
        return false;
    caller->got += (size_t)got;
    if (!has_introduced_itself(caller))
        return true;
    caller->introduction.host[GANG_HOST - 1] = caller->introduction.why[GANG_WHY - 1] = '\0';
    caller->introduction.build[GANG_TEXT - 1] = caller->introduction.processor[GANG_TEXT - 1] =
        '\0';
    return is_member(reception, caller);
}

void reception_step(struct reception *reception, const int *others, int32_t n_others)
{
    struct pollfd *polls = reception->polls;
    nfds_t n = 0;

    polls[n++] = (struct pollfd){.fd = reception->listener, .events = POLLIN};
    for (int32_t i = 0; i < reception->n_callers; i++)
        if (!reception->of[i].has_ended)
            polls[n++] = (struct pollfd){.fd = reception->of[i].fd, .events = POLLIN};
    for (int32_t i = 0; i < n_others; i++)
        polls[n++] = (struct pollfd){.fd = others[i], .events = POLLIN};
    poll(polls, n, STEP_MS);
    accept_all(reception);
    for (int32_t i = reception->n_callers - 1; i >= 0; i--)
        if (!read_caller(reception, &reception->of[i])) {
            close(reception->of[i].fd);
            reception->of[i] = reception->of[--reception->n_callers];
        }
}

/* ---- the reply ---- */

static void judge(struct reply *reply, enum gang_trouble trouble, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void judge(struct reply *reply, enum gang_trouble trouble, const char *format, ...)
{
    va_list args;

    if (reply->trouble)
        return;
    reply->trouble = trouble;
    va_start(args, format);
    vsnprintf(reply->why, sizeof reply->why, format, args);
    va_end(args);
}

/* Compare a caller with the one who receives. */
static void compare(struct reply *reply, const struct introduction *own,
                    const struct introduction *its)
{
    if (its->trouble)
        judge(reply, (enum gang_trouble)its->trouble, "%s", its->why);
    if (strcmp(own->build, its->build))
        judge(
            reply, GANG_DIFFERS,
            "rank %d of the gang on %s runs %s, but rank %d on %s runs %s: install the same build "
            "on both",
            own->rank, own->host, own->build, its->rank, its->host, its->build);
    if (strcmp(own->processor, its->processor))
        judge(reply, GANG_DIFFERS,
              "rank %d of the gang on %s computes with %s, but rank %d on %s with %s: the numbers "
              "would differ; launch on machines of one type",
              own->rank, own->host, own->processor, its->rank, its->host, its->processor);
    if (own->size != its->size || own->n != its->n || own->n_workers != its->n_workers)
        judge(reply, GANG_DIFFERS,
              "rank %d of the gang on %s has %d ranks and %d workers, but rank %d on %s has %d and "
              "%d",
              own->rank, own->host, own->size, own->n_workers, its->rank, its->host, its->size,
              its->n_workers);
}

/* Look at all who are there; return their number. */
static int32_t look_at_callers(const struct reception *reception, const struct introduction *own,
                               struct reply *reply)
{
    int32_t n = 0;

    for (int32_t i = 0; i < reception->n_callers; i++) {
        const struct caller *caller = &reception->of[i];
        const struct introduction *its = &caller->introduction;

        if (!has_introduced_itself(caller))
            continue;
        n++;
        if (its->protocol != MEETING_PROTOCOL)
            judge(reply, GANG_DIFFERS,
                  "%s and %s run builds of espalier whose ranks cannot talk to each other: install "
                  "the same build on both",
                  own->host, its->host);
        else if (caller->has_ended)
            judge(reply, GANG_LOST, "rank %d of the gang on %s has ended", its->rank, its->host);
        else
            compare(reply, own, its);
    }
    return n;
}

static void judge_absent(const struct reception *reception, const struct introduction *own,
                         const struct time_limit *limit, struct reply *reply)
{
    bool is_local = own->level == MEETING_LOCAL;
    int32_t first = 0, n_absent = 0;

    for (int32_t i = own->n - 1; i > 0; i--) {
        if (reception_find(reception, i, 0))
            continue;
        first = i;
        n_absent++;
    }
    if (n_absent > 1)
        judge(reply, GANG_LOST, "%d of %d %s of the gang did not come to %s within %g s", n_absent,
              own->n, is_local ? "ranks" : "hosts", own->host, limit->limit_s);
    else
        judge(reply, GANG_LOST, "%s %d of the gang did not come to %s within %g s",
              is_local ? "rank" : "host", is_local ? own->rank + first : first, own->host,
              limit->limit_s);
}

void reception_gather(struct reception *reception, const struct introduction *own,
                      const struct time_limit *limit, struct reply *reply)
{
    struct gang_failure failure;
    double linger_until_s = 0;

    *reply = (struct reply){.rank = own->rank};
    memcpy(reply->host, own->host, sizeof reply->host);
    if (own->trouble)
        judge(reply, (enum gang_trouble)own->trouble, "%s", own->why);
    while (look_at_callers(reception, own, reply) < own->n - 1) {
        double now = now_s();

        if (reply->trouble && linger_until_s <= 0)
            linger_until_s = now + fmin(LINGER_S, limit->limit_s);
        if (reply->trouble && now >= linger_until_s)
            return;
        if (time_limit_check(limit, "", &failure)) {
            if (failure.trouble == GANG_LOST)
                judge_absent(reception, own, limit, reply);
            judge(reply, failure.trouble, "%s", failure.why.text);
            return;
        }
        reception_step(reception, NULL, 0);
    }
}

/* ---- messages ---- */

void introduction_init(struct introduction *introduction, const struct gang_place *place,
                       const struct gang_options *options)
{
    memset(introduction, 0, sizeof *introduction);
    memcpy(introduction->magic, magic, sizeof magic);
    introduction->token = hash_text(place->token);
    introduction->protocol = MEETING_PROTOCOL;
    introduction->rank = place->rank;
    introduction->size = place->size;
    introduction->n_ranks = 1;
    introduction->n_workers = options->n_workers;
    snprintf(introduction->host, sizeof introduction->host, "%s", place->host_name);
    snprintf(introduction->build, sizeof introduction->build, "%s", options->build);
    snprintf(introduction->processor, sizeof introduction->processor, "%s", options->processor);
}

static int wire(int fd, char *bytes, size_t n, short events, const char *who,
                const struct time_limit *limit, struct gang_failure *failure)
{
    struct pollfd wanted = {.fd = fd, .events = events};
    char what[GANG_HOST + 64];

    snprintf(what, sizeof what, "%s did not answer", who);
    for (size_t at = 0; at < n;) {
        ssize_t moved = events == POLLIN
                            ? recv(fd, bytes + at, n - at, MSG_DONTWAIT)
                            : send(fd, bytes + at, n - at, MSG_NOSIGNAL | MSG_DONTWAIT);

        if (moved > 0) {
            at += (size_t)moved;
            continue;
        }
        if (moved == 0 || (errno != EAGAIN && errno != EINTR))
            return gang_fails(failure, GANG_LOST, "%s has ended", who);
        if (time_limit_check(limit, what, failure))
            return -1;
        poll(&wanted, 1, STEP_MS);
    }
    return 0;
}

int wire_send(int fd, const void *bytes, size_t n, const char *who, const struct time_limit *limit,
              struct gang_failure *failure)
{
    return wire(fd, (char *)(uintptr_t)bytes, n, POLLOUT, who, limit, failure);
}

int wire_receive(int fd, void *bytes, size_t n, const char *who, const struct time_limit *limit,
                 struct gang_failure *failure)
{
    return wire(fd, bytes, n, POLLIN, who, limit, failure);
}
