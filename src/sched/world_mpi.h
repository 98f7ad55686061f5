/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared parts of the users of MPI; the only file that includes mpi.h. */
#ifndef SCHED_WORLD_MPI_H
#define SCHED_WORLD_MPI_H

#include <mpi.h>

#include "base/err.h"

/* Set err to the failed call and its reason. Always -1. */
int world_mpi_error(struct err *err, const char *call, int code);

/* Return from the caller with err if an MPI call fails. */
#define TRY(call, args)                                \
    do {                                               \
        int code_ = call args;                         \
        if (code_ != MPI_SUCCESS)                      \
            return world_mpi_error(err, #call, code_); \
    } while (0)

/* Wait, asleep, for all ranks. Collective. Open MPI spins in MPI_Barrier() and MPI_Bcast(): ranks
 * waiting for rank 0 would burn a core each and slow rank 0 down. */
int world_mpi_meet(MPI_Comm comm, struct err *err);

/* Send n bytes, of any size, from rank 0 of comm. Collective. */
int world_mpi_broadcast(MPI_Comm comm, void *bytes, size_t n, struct err *err);

#endif
