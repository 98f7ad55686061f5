/* SPDX-License-Identifier: BSD-3-Clause */
/* Environment variables of each process of a gang, as torchrun sets them (PyTorch, "torchrun": Environment
 * Variables). */
#ifndef PROGRAM_GANG_VARIABLES_H
#define PROGRAM_GANG_VARIABLES_H

/* X(name, member of struct trial_gang), all int32_t or int64_t. */
#define GANG_NUMBERS(X)             \
    X(RANK, rank)                   \
    X(WORLD_SIZE, size)             \
    X(LOCAL_RANK, local_rank)       \
    X(LOCAL_WORLD_SIZE, local_size) \
    X(GROUP_RANK, host)             \
    X(GROUP_WORLD_SIZE, n_hosts)    \
    X(ROLE_RANK, rank)              \
    X(ROLE_WORLD_SIZE, size)        \
    X(MASTER_PORT, port)

#define GANG_ADDRESS "MASTER_ADDR"

#endif
