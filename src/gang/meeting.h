/* SPDX-License-Identifier: BSD-3-Clause */
/* How members find each other: one of them, the first, listens where all others look for it. Each
 * of these sends a introduction; when all have come, the first answers to all at once. So every member
 * gets the same reason if one of them does not come, ends, or does not fit.
 *
 * Example: ranks 4, 5, 6 train a trial, and 5 and 6 connect to 4. If 6 was built with another version, its
 * introduction says so, and 4 answers to 5 and 6 alike "rank 6: another build": the trial fails with one
 * reason, and all three are free for the next one. If 6 does not come in time, 5 hears that.
 *
 * Strangers (other users, other gangs, port scanners) are dropped without an answer. */
#ifndef GANG_MEETING_H
#define GANG_MEETING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/hash.h"
#include "gang/member.h"

/* Differs between versions whose ranks could not talk to each other. */
enum { MEETING_PROTOCOL = 2 };

enum meeting_level {
    MEETING_LOCAL, /* the ranks of a host, by a Unix socket */
    MEETING_HOSTS  /* the leaders of the hosts, by TCP */
};

/* Has the same size and the same first four members in all versions. */
struct introduction {
    char magic[8];
    struct hash token;
    uint32_t protocol;
    char host[GANG_HOST];
    uint32_t level; /* enum meeting_level */
    int32_t index;  /* of the sender, among the `n` of the level */
    uint32_t channel;
    int32_t n;
    int32_t rank, size; /* the sender's first rank */
    int32_t n_ranks;    /* of the sender: itself, or its host's */
    int32_t n_workers;
    uint32_t port;    /* MEETING_HOSTS: where the sender listens */
    uint32_t trouble; /* enum gang_trouble of the sender's host */
    uint32_t zero;
    char why[GANG_WHY];
    char build[GANG_TEXT];
    char processor[GANG_TEXT];
};

/* The first one's answer: GANG_FINE, or the reason why there is no gang. */
struct reply {
    uint32_t trouble;
    uint32_t n_descriptors; /* MEETING_LOCAL: that come with this and the next messages */
    uint64_t page_bytes;    /* MEETING_LOCAL */
    int32_t rank;           /* the sender's */
    char host[GANG_HOST];
    char why[GANG_WHY];
    uint32_t zero;
};

/* Until when to wait for others. */
struct time_limit {
    double until_s; /* by clock_system */
    double limit_s; /* for messages */
    bool (*keep_waiting)(void *arg);
    void *arg;
};

/* The limit from now on; those who wait for the first one's answer wait a little longer. */
struct time_limit time_limit_renew(const struct time_limit *limit, bool is_first);

/* 0, or -1 and failure: the time is over ("WHAT did not happen within 60 s"), or this rank was told to
 * leave. */
int time_limit_check(const struct time_limit *limit, const char *what,
                     struct gang_failure *failure);

/* ---- the two meetings ---- */

/* Fill in members, lives and page. own: introduction. On the leader, a trouble of its host is in `own`
 * afterwards, and meeting_hosts() must follow. */
int meeting_local(struct gang_member *g, struct introduction *own, const struct time_limit *limit,
                  struct gang_failure *failure);

/* Leaders of several hosts: fill in links, and first ranks and names of the page. own: introduction of
 * meeting_local(). */
int meeting_hosts(struct gang_member *g, struct introduction *own, const struct gang_place *place,
                  const struct time_limit *limit, struct gang_failure *failure);

/* ---- those who come ---- */

struct caller {
    int fd;
    size_t got; /* bytes of the introduction */
    double since_s;
    bool has_ended;
    struct introduction introduction;
};

struct reception {
    int listener;
    enum meeting_level level;
    struct hash token;
    int32_t index, n;  /* of the one who receives */
    struct caller *of; /* [n_callers] owned */
    int32_t n_callers;
    struct pollfd *polls;
};

/* listener: handed over. -1: out of memory; reception_close() is needed all the same. */
int reception_open(struct reception *reception, int listener, const struct introduction *own);
void reception_close(struct reception *reception);

/* Wait up to 20 ms for whoever comes; notice who has ended. others: [n_others] further descriptors
 * that end the wait. */
void reception_step(struct reception *reception, const int *others, int32_t n_others);

/* The caller with this index and channel that has introduced itself; NULL: not yet. */
struct caller *reception_find(const struct reception *reception, int32_t index, uint32_t channel);

/* Take its descriptor out of the reception; -1: not there. */
int reception_take(struct reception *reception, int32_t index, uint32_t channel);

/* Wait until the indices 1 ... n - 1 have introduced themselves on channel 0, and decide: *reply is the answer
 * to all. After a trouble, late ones may come for one more second, so that they hear of it. */
void reception_gather(struct reception *reception, const struct introduction *own,
                      const struct time_limit *limit, struct reply *reply);

/* ---- messages ---- */

void introduction_init(struct introduction *introduction, const struct gang_place *place,
                       const struct gang_options *options);

/* The last error number of a descriptor's call, as a failure of this machine. Always -1. */
int meeting_broken(struct gang_failure *failure, const char *what);

/* All n bytes, or -1 and failure, in which the other one is WHO. */
int wire_send(int fd, const void *bytes, size_t n, const char *who, const struct time_limit *limit,
              struct gang_failure *failure);
int wire_receive(int fd, void *bytes, size_t n, const char *who, const struct time_limit *limit,
                 struct gang_failure *failure);

#endif
