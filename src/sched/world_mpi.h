/* SPDX-License-Identifier: BSD-3-Clause */
/* What the users of MPI share; the only place that includes mpi.h. */
#ifndef SCHED_WORLD_MPI_H
#define SCHED_WORLD_MPI_H

#include <mpi.h>

#include "base/err.h"

/* Always -1; err says which call failed and why. */
int world_mpi_error(struct err *err, const char *call, int code);

/* Return from the caller with err if an MPI call fails. */
#define TRY(call, args)                                \
    do {                                               \
        int code_ = call args;                         \
        if (code_ != MPI_SUCCESS)                      \
            return world_mpi_error(err, #call, code_); \
    } while (0)

/* Collective: return when everybody has come here, asleep until then. In MPI_Barrier() and
 * MPI_Bcast() Open MPI spins: ranks that wait for rank 0 to read the data would burn a core each,
 * and slow rank 0 down by the heat and memory traffic of the others. */
int world_mpi_meet(MPI_Comm comm, struct err *err);

/* Collective: rank 0 of comm sends n bytes, of any size. */
int world_mpi_broadcast(MPI_Comm comm, void *bytes, size_t n, struct err *err);

#endif
