/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of this launch. world.c is the only user of MPI.
 *
 * Outside an MPI launch the world has one rank, and MPI is never called. MPI_THREAD_FUNNELED: every
 * function is for the thread that called world_open(). */
#ifndef SCHED_WORLD_H
#define SCHED_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/process.h"
#include "base/segment.h"
#include "sched/guard.h"

struct world {
    int32_t rank;
    int32_t size;
    bool is_mpi;
    struct process *processes; /* [size] on rank 0; elsewhere [1], rank 0; NULL outside MPI */
};

/* True if an MPI launcher (mpirun, srun --mpi=pmix) started this process. Tasks of plain srun are
 * separate worlds. */
bool world_is_launched(void);

/* Open the world. Collective. If a rank dies before world_settle(), died() is called: soon on the
 * same host, elsewhere after the limit of world_expect(), at first ten minutes. Hooks run in
 * another thread; NULL: no watch. */
int world_open(struct world *world, const struct guard_hooks *hooks, struct err *err);
/* Limit each step of the following collective calls (64 MiB of a broadcast are one); INFINITY while
 * a rank has other work before it joins. */
void world_expect(double patience_s);
/* Declare that this rank makes no collective call before world_close(). */
void world_settle(void);

/* Number the hosts of the ranks from 0; only on rank 0. hosts: [size] out, for dispatch_create(). */
void world_hosts(const struct world *world, int32_t *hosts);

/* Make world_close() leave without MPI_Finalize(), which would wait forever for a lost rank. */
void world_lost_rank(void);
/* Leave the launch after sent messages have gone out; returns status. Collective. After
 * world_lost_rank(), or if a rank dies meanwhile, this process ends here with status. Takes a
 * zeroed world. */
int world_close(struct world *world, int status);
/* End this process at once, and leave the others alone. */
void world_leave(int status) __attribute__((noreturn));
/* End every rank at once. Any thread. */
void world_abort(const struct world *world, int status) __attribute__((noreturn));

/* Wait, asleep, for all ranks. Collective. */
int world_meet(const struct world *world, struct err *err);

/* Send rank 0's bytes to all ranks, a copy in each. Collective; early ranks sleep. On other ranks
 * *bytes is malloc()ed (handed over) and 64-byte aligned. -1 on every rank if any is out of
 * memory. */
int world_broadcast(const struct world *world, void **bytes, size_t *n, struct err *err);
/* Collect n bytes of each rank on rank 0, in out [size][n]. Collective. */
int world_gather(const struct world *world, const void *bytes, size_t n, void *out,
                 struct err *err);

/* Return a static text such as "Open MPI v4.1.4". */
const char *world_library(void);

/* Send and receive bytes between ranks, at most 1 GiB, only if world.is_mpi. Send never blocks;
 * order is kept between two ranks. Receive: 1, *from and the message (replaces the old contents);
 * 0: none arrived; -1 and err. */
int world_send(const struct world *world, int32_t to, const struct buf *message, struct err *err);
int world_receive(const struct world *world, int32_t *from, struct buf *message, struct err *err);
/* Stop waiting for a dead rank's incomplete messages, which hold up its later ones. True if any of
 * its messages are left: receive these first. */
bool world_give_up(int32_t rank);

/* Bytes of rank 0 that every rank reads, one copy on each host (doc/decisions/0011).
 *
 * The ranks of a host map the same pages (base/segment.h), into which the first of them, its
 * leader, receives the bytes. On a host that cannot share, each rank has a copy.
 *
 * shared_open() and shared_send() are collective, shared_release() is local. */

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
