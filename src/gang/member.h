/* SPDX-License-Identifier: BSD-3-Clause */
/* A rank in its gang: what it shares with the others, how it waits for them, and how it notices that the
 * gang cannot go on, and tells the others. */
#ifndef GANG_MEMBER_H
#define GANG_MEMBER_H

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/uio.h>

#include "gang/gang.h"
#include "gang/tree.h"

/* Shared by the ranks of a host. Two slots of each kind are written in turn, so that a rank may
 * write the next one while another still reads. */
struct gang_page {
    /* A barrier, whose last rank changes the generation. On lines of their own. */
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint generation;
    atomic_uint n_sleeping;
    /* The first failure: claimed by its writer, then valid if trouble is not GANG_FINE. */
    _Alignas(64) atomic_uint is_claimed, trouble;
    char why[GANG_WHY];
    _Atomic uint64_t cpus[16]; /* bits: processors that some rank may use */
};

struct vote {
    struct hash hash;
    uint64_t wants;
    double busy_s; /* since the first agree(), without waiting for others */
};

/* Parts of the page behind its head. */
struct page_view {
    struct gang_page *head;
    int32_t *first_rank;           /* [n_hosts + 1] of each host */
    char (*host_names)[GANG_HOST]; /* [n_hosts] */
    char *marks;                   /* [n_hosts] for gang_sync() */
    struct vote *votes;            /* [2][size] */
    double *few;                   /* [2][n_workers * few_room] */
    size_t few_room;
    size_t bytes;
};

/* Bytes that a leader sends to another one, or receives. */
struct transfer {
    struct iovec *piece; /* [n] owned, changed by the transfer */
    int32_t n, at;
};

/* A leader's connections with the leader of another host. Data go one way, beats and the reason for
 * leaving the other, so that these arrive while nobody reads data. */
struct gang_link {
    int data, beat;
    double heard_s; /* last beat read */
    bool has_left;  /* in good order */
    char said[GANG_WHY + 2];
    size_t n_said;
    struct transfer send, receive;
};

struct mapping {
    void *bytes;
    size_t n;
};

struct gang_member {
    struct crew crew;
    int32_t rank, size, local_rank, local_size, host, n_hosts, n_workers;
    char host_name[GANG_HOST]; /* of this host */
    double silent_s;
    bool (*keep_waiting)(void *arg);
    void *arg;
    struct gang_failure failure;
    struct page_view page;
    double spin_s;   /* a waiting rank spins so long before it sleeps */
    double looked_s; /* when look() was called last */

    int *members; /* [local_size] leader: connections; others: [0] to the leader; -1: none */
    int *lives;   /* [local_size] each ends with its process; own: -1 */
    int own_life; /* kept open, never used */

    /* Leaders of several hosts only; else NULL. */
    struct gang_link *links; /* [n_hosts] */
    struct pollfd *polls;    /* [n_hosts] */
    pthread_t beater;
    int beater_stop; /* a pipe's end, closed to stop the thread; -1: there is none */
    int beater_wait;

    struct mapping *mappings; /* [n_mappings] owned */
    size_t n_mappings;

    /* Sums in stripes: the result, and between hosts the nodes of this host and of the others. */
    size_t work_count; /* largest count of take_parts() */
    float *work;
    float *result; /* [work_count] */
    float *nodes;  /* [n_own_nodes * work_count] */
    float *theirs; /* [n_nodes * stripe_room] */
    size_t stripe_room;
    struct tree tree; /* nodes of all hosts */
    int32_t n_nodes, n_own_nodes;
    size_t *bounds; /* [n_hosts + 1] */
    unsigned turn;  /* of the two slots */

    struct gang_counts counts;
    double waiting_s; /* of the call */

    double pace_since_s, waited_s; /* since the first agree(); 0: not called */
    struct gang_pace pace;
};

static inline bool gang_is_leader(const struct gang_member *g)
{
    return g->local_rank == 0;
}

/* First worker of a rank, of a host. */
static inline int32_t gang_first_worker(const struct gang_member *g, int32_t rank)
{
    return (int32_t)((int64_t)rank * g->n_workers / g->size);
}

static inline int32_t gang_first_worker_of_host(const struct gang_member *g, int32_t host)
{
    return gang_first_worker(g, g->page.first_rank[host]);
}

static inline int32_t gang_host_of(const struct gang_member *g, int32_t rank)
{
    int32_t host = 0;

    while (g->page.first_rank[host + 1] <= rank)
        host++;
    return host;
}

/* n times -1, or NULL. */
int *descriptors_create(int32_t n);
/* Unless it is -1, which it is afterwards. */
void descriptor_close(int *fd);

/* Always -1, for `return gang_fails(failure, ...)`. */
int gang_fails(struct gang_failure *failure, enum gang_trouble trouble, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* End the gang for all ranks that can be reached, with the first reason that any of them had. Always
 * false. */
bool gang_fail(struct gang_member *g, enum gang_trouble trouble, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All ranks of the host come here. False: the gang has failed. */
bool gang_barrier(struct gang_member *g);
/* base, in shared memory: host h has written bytes bounds[h] ... bounds[h + 1] - 1; afterwards every
 * host has all. */
bool gang_spread(struct gang_member *g, void *base, const size_t *bounds);
/* All ranks of all hosts come here. */
bool gang_sync(struct gang_member *g);

/* Leaders: add to the links' sends and receives; carry them out. */
bool gang_exchange(struct gang_member *g);
void transfer_add(struct transfer *transfer, const void *bytes, size_t n);

/* Leaders of several hosts. */
int beat_start(struct gang_member *g);
void beat_stop(struct gang_member *g);
/* Tell the other hosts why this one leaves; GANG_FINE: in good order. */
void beat_say(struct gang_member *g, enum gang_trouble trouble, const char *why);
/* Read what the host has sent: 0, or -1 and its reason to end. */
int beat_listen(struct gang_member *g, int32_t host, struct gang_failure *found);

/* Collective: zeroed memory for the ranks of the host, whose bytes begin ... end - 1 this rank
 * reserves. NULL: the gang has failed. */
void *gang_take(struct gang_member *g, size_t n, size_t begin, size_t end);
/* Give one back, NULL included. Local. */
void gang_give_back(struct gang_member *g, void *bytes);

/* ---- shared memory, and its descriptors ---- */

/* Make nameless memory of n bytes. Returns a descriptor, or -1 with errno. */
int shared_memory_make(size_t n);
/* Take its pages now, from begin on. -1 with errno. */
int shared_memory_reserve(int fd, size_t begin, size_t end);
/* NULL with errno. */
void *shared_memory_map(int fd, size_t n);

/* One message with n descriptors; -1: the other end has gone. */
int shared_memory_send(int socket, const void *bytes, size_t n_bytes, const int *fds, int32_t n);
/* Returns the number of bytes, 0 at the end, or -1 with errno (EMFILE: too many
 * descriptors). *n_fds: in the room, out the number. */
ssize_t shared_memory_receive(int socket, void *bytes, size_t n_bytes, int *fds, int32_t *n_fds);

#endif
