/* SPDX-License-Identifier: BSD-3-Clause */
/* Check whether the holder of a lock or session is still alive. */
#ifndef STORE_LIVENESS_H
#define STORE_LIVENESS_H

#include <stdbool.h>

#include "base/process.h"

enum liveness { LIVENESS_GONE, LIVENESS_ALIVE, LIVENESS_UNKNOWN };

struct liveness_answer {
    enum liveness liveness;
    bool is_same_kernel; /* as ours: file locks are reliable on any filesystem */
    char why[160];
};

/* Check whether a process is alive.
 *
 *   in our pid namespace       by its pid and start time
 *   this process itself        GONE: it knows that it is not the holder
 *   on a host rebooted since   GONE
 *   on another host            by its batch job, which takes up to BATCH_LIMIT_S; the job may
 *                              outlive the process
 *
 * job: "slurm 77" or "slurm job 77"; "" or NULL: none. */
void liveness_ask(struct liveness_answer *out, const struct process *process, const char *job);

#endif
