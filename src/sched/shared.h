/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of rank 0 that every rank reads, one copy on each host.
 *
 * The ranks of a host map the same pages (base/segment.h); the first of them, its leader, receives
 * what rank 0 sends straight into these pages. A host that cannot share (no room in the folder, no
 * such folder, or the launcher takes for one host what does not see the same files) falls back to a
 * copy for each rank, and rank 0 learns why. Not a window of MPI: doc/decisions/0011 says why.
 *
 * shared_open() and shared_send() are collective and for the thread that called world_open(); a
 * rank that comes early sleeps. shared_release() is local: ranks leave, or die, one by one. */
#ifndef SCHED_SHARED_H
#define SCHED_SHARED_H

#include <stddef.h>

#include "base/segment.h"
#include "sched/world.h"

/* Folder of the shared memory of each host, as rank 0's environment has it: a path, or "off" for a
 * copy for each rank. */
#define SHARED_VARIABLE "ESPALIER_SHM"
#define SHARED_FOLDER "/dev/shm"

/* What these say here: a path, or "" for none. */
const char *shared_folder(void);

struct shared {
    void *bytes; /* [n] 64-byte aligned; rank 0 writes between open and send, then nobody does */
    size_t n;
    struct segment segment;
    void *copy; /* owned; where the host does not share */

    /* On rank 0: */
    int32_t n_refusing; /* hosts of several ranks that were to share and cannot */
    char reason[320];   /* of the first of them, after its name */
};

/* Make room. n and folder, that of the shared memory of each host, are rank 0's; elsewhere they are
 * not read. An empty folder: a copy for each rank. n = 0: nothing is to be shared, there is nothing
 * to send, and all know. world has at least two ranks. -1 and err, on every rank, where any is
 * short of memory for its copy. */
int shared_open(struct shared *shared, const struct world *world, size_t n, const char *folder,
                struct err *err);
/* What rank 0 has written reaches everybody. */
int shared_send(struct shared *shared, struct err *err);
void shared_release(struct shared *shared); /* takes a zeroed one */

#endif
