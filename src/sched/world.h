/* SPDX-License-Identifier: BSD-3-Clause */
/* The ranks of this launch. world.c and shared.c are the only users of MPI (world_mpi.h).
 *
 * Outside an MPI launch the world has one rank and MPI is never touched. MPI is opened with
 * MPI_THREAD_FUNNELED; every function here is for the thread that called world_open(). */
#ifndef SCHED_WORLD_H
#define SCHED_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/process.h"
#include "sched/guard.h"

struct world {
    int32_t rank;
    int32_t size;
    bool is_mpi;
    struct process *processes; /* [size] of the ranks, on rank 0; elsewhere [1], rank 0's. NULL
                                  outside MPI */
};

/* Whether the environment says that an MPI launcher (mpirun, srun --mpi=pmix) started us. A bare
 * srun sets none of its variables: its tasks are worlds of their own. */
bool world_is_launched(void);

/* Collective. Until world_settle() the ranks depend on each other: one that dies would keep the
 * others waiting for ever in a collective call. Then died() is called: on all ranks of its host
 * before long; elsewhere when world_expect() says so, at first ten minutes. hooks are called in
 * another thread until world_settle(); NULL: nobody looks. */
int world_open(struct world *world, const struct guard_hooks *hooks, struct err *err);
/* How long each step of the collective calls that follow may take (64 MiB of a broadcast are one);
 * INFINITY while a rank has other work to do before it comes. */
void world_expect(double patience_s);
/* From here on no collective call is made, by this rank, before world_close(). */
void world_settle(void);

/* A rank is known to be gone: MPI_Finalize(), which waits for all, would wait for ever. */
void world_lost_rank(void);
/* Leave the launch; gives back status. Collective, and waits until what was sent has gone out;
 * after world_lost_rank(), and where a rank dies meanwhile, this process ends here with status.
 * Takes a zeroed world. */
int world_close(struct world *world, int status);
/* End this process without ceremony, and leave the others alone. */
void world_leave(int status) __attribute__((noreturn));
/* End every rank at once, without ceremony. Any thread. */
void world_abort(const struct world *world, int status) __attribute__((noreturn));

/* Collective: nobody goes on before all have come. Whoever waits sleeps. */
int world_meet(const struct world *world, struct err *err);

/* Collective: rank 0's bytes reach everybody, each with a copy of its own (shared.h: one on each
 * host). Ranks that come early sleep until rank 0 does. *bytes is malloc()ed on the other ranks
 * (handed over), 64-byte aligned. Larger than 2 GiB works. -1 on every rank if any is short of
 * memory. */
int world_broadcast(const struct world *world, void **bytes, size_t *n, struct err *err);
/* Collective: all ranks' texts on rank 0, in rank order (out [size], each to be freed by the
 * caller; out is NULL elsewhere). */
int world_gather(const struct world *world, const char *text, char **out, struct err *err);

/* "Open MPI v4.1.4" and so on; works without a launch. Static text. */
const char *world_library(void);

/* Point to point, bytes as they are, at most 1 GiB; used by master and relay. Send never blocks (it
 * keeps a copy until that is gone) and order is kept between two ranks; receive takes what is
 * there: 1 and *from and the message (its old contents dropped), 0 nothing. -1 and err. Only
 * where world.is_mpi. */
int world_send(const struct world *world, int32_t to, const struct buf *message, struct err *err);
int world_receive(const struct world *world, int32_t *from, struct buf *message, struct err *err);
/* A rank is dead: what it had not sent whole is not waited for, and no longer holds up what it sent
 * after that. True where there was anything: receive first what is left. */
bool world_give_up(int32_t rank);

#endif
