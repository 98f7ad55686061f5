/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of rank 0 that every rank reads, one copy on each host.
 *
 * The ranks of a host map the same pages (base/segment.h). The first of them, its leader, receives
 * rank 0's bytes directly into these. On a host that cannot share, each rank has a copy, and rank 0
 * learns why: no room in the folder, no such folder, or ranks that the launcher takes for one host
 * see different files. Not an MPI window: doc/decisions/0011.
 *
 * shared_open() and shared_send() are collective, for the thread that called world_open(); early
 * ranks sleep. shared_release() is local: ranks leave, or die, one by one. */
#ifndef SCHED_SHARED_H
#define SCHED_SHARED_H

#include <stddef.h>

#include "base/segment.h"
#include "sched/world.h"

/* Environment variable of rank 0, and its default: the folder for shared memory on each host, or
 * "off" for a copy in each rank. */
#define SHARED_VARIABLE "ESPALIER_SHM"
#define SHARED_FOLDER "/dev/shm"

/* Return the folder from the environment or the default; "" for "off". */
const char *shared_folder(void);

struct shared {
    void *bytes; /* [n] 64-byte aligned; rank 0 writes between open and send, afterwards nobody
                  * does */
    size_t n;
    struct segment segment;
    void *copy; /* owned; used if the host does not share */

    /* On rank 0: */
    int32_t n_refusing; /* hosts of several ranks that should share but cannot */
    char reason[320];   /* name of the first of them, and its reason */
};

/* Make room. n and folder (for each host's shared memory) are read on rank 0 only. Empty folder: a
 * copy for each rank. n = 0: nothing is shared or sent, and all know. world has at least two ranks.
 * -1 and err on every rank if any lacks memory for its copy. */
int shared_open(struct shared *shared, const struct world *world, size_t n, const char *folder,
                struct err *err);
/* Send the bytes that rank 0 has written to all ranks. */
int shared_send(struct shared *shared, struct err *err);
void shared_release(struct shared *shared); /* takes a zeroed struct */

#endif
