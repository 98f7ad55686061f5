/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether whoever held something still lives: asked before it is taken from them. Internal to
 * src/store. */
#ifndef STORE_LIVENESS_H
#define STORE_LIVENESS_H

#include <stdbool.h>

#include "base/process.h"

enum liveness {
    LIVENESS_GONE,
    LIVENESS_ALIVE,
    LIVENESS_UNKNOWN /* nobody who knows can be asked from here */
};

struct liveness_answer {
    enum liveness liveness;
    bool is_same_kernel; /* locks of files are certain between us and it, on any filesystem */
    char why[160];       /* "no such process", "Slurm job 77 is over" ... */
};

/* Within the pid namespace of a process its pid and start tell. On another host the batch system
 * tells whether its job goes on, which takes up to BATCH_LIMIT_S; the job may outlive its program.
 * A host that has been started anew since has it no more. This process itself is GONE: it knows
 * that it does not hold it.
 * job: "slurm 77" or "slurm job 77"; "" or NULL: none. */
void liveness_ask(struct liveness_answer *out, const struct process *process, const char *job);

#endif
