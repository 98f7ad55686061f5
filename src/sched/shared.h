/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of rank 0 that every rank reads, one copy on each host (doc/decisions/0011).
 *
 * The ranks of a host map the same pages (base/segment.h), into which the first of them, its
 * leader, receives the bytes. On a host that cannot share, each rank has a copy.
 *
 * shared_open() and shared_send() are collective, for the thread that called world_open().
 * shared_release() is local. */
#ifndef SCHED_SHARED_H
#define SCHED_SHARED_H

#include <stddef.h>

#include "base/segment.h"
#include "sched/world.h"

/* Environment variable of rank 0, and its default: the folder for shared memory, or "off" for a
 * copy in each rank. */
#define SHARED_VARIABLE "ESPALIER_SHM"
#define SHARED_FOLDER "/dev/shm"

/* "" for "off". */
const char *shared_folder(void);

struct shared {
    void *bytes; /* [n] 64-byte aligned; rank 0 writes between open and send */
    size_t n;
    struct segment segment;
    void *copy; /* owned; used if the host does not share */

    int32_t n_refusing; /* on rank 0: hosts of several ranks that should share but cannot */
    char reason[320];   /* name of the first of them, and its reason */
};

/* Make room; world has at least two ranks. n and folder are read on rank 0 only. Empty folder: a
 * copy for each rank. n = 0: nothing is shared. -1 and err on every rank if any lacks memory. */
int shared_open(struct shared *shared, const struct world *world, size_t n, const char *folder,
                struct err *err);
/* Send the bytes that rank 0 has written. */
int shared_send(struct shared *shared, struct err *err);
void shared_release(struct shared *shared);

#endif
