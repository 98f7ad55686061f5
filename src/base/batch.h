/* SPDX-License-Identifier: BSD-3-Clause */
/* The batch system around this process: the current job, the state of jobs, the time left.
 *
 * Answers come from the system's commands (squeue, bjobs, qstat), which query a server that all
 * users share: call once in a session. A command that is missing or takes over BATCH_LIMIT_S means
 * "unknown". Only Slurm was available for tests.
 * Sources: squeue(1) and sbatch(1) of Slurm 22.05; IBM Spectrum LSF 10.1, command reference, bjobs
 * -o; PBS Professional 2022.1, reference guide, qstat -f, and TORQUE's. */
#ifndef BASE_BATCH_H
#define BASE_BATCH_H

#include <stdbool.h>

#include "base/buf.h"

/* Run argv (ends with NULL; no shell) and append stdout and stderr to out. Returns the exit status.
 * -1: no such program, killed with its children after limit_s, died of a signal, or printed over a
 * megabyte. */
int batch_command_read(struct buf *out, const char *const *argv, double limit_s);

#define BATCH_LIMIT_S 5.0

enum batch_system { BATCH_NONE, BATCH_SLURM, BATCH_LSF, BATCH_PBS };

struct batch_job {
    enum batch_system system;
    /* With the array element, as in "77_3" or "77[3].server". "" for BATCH_NONE. */
    char id[64];
};

/* Read the environment. Ids that no system assigns, such as LSB_JOBID=0, mean no job. */
void batch_job_here(struct batch_job *job);

/* Parse "slurm 77" or "slurm job 77". False, and BATCH_NONE or an empty id: no job. NULL is "". */
bool batch_job_parse(struct batch_job *job, const char *text);

/* For machines ("slurm") and for people ("Slurm"); "" for BATCH_NONE. */
const char *batch_system_name(enum batch_system system);
const char *batch_system_title(enum batch_system system);

enum batch_answer {
    BATCH_UNKNOWN, /* query failed, or no such job */
    BATCH_GONE,    /* ended, or requeued and waiting */
    BATCH_ALIVE    /* running, suspended or about to end */
};

/* A job of another cluster with the same system counts as gone. */
enum batch_answer batch_ask(const struct batch_job *job);

/* Seconds until this job's walltime ends; 0 or less: over; NaN: no job, no limit, or unknown.
 * Slurm: from SLURM_JOB_END_TIME, or squeue if that is over (doc/decisions/0017). */
double batch_seconds_left(void);

/* The same for any job, by the command of its batch system alone. */
double batch_job_seconds_left(const struct batch_job *job);

/* SLURM_JOB_END_TIME; NULL if not set. end out: Unix seconds, or NaN. */
const char *batch_slurm_end(double *end);

/* Tasks of this Slurm job, which are mpirun's slots: the sum of SLURM_TASKS_PER_NODE, such as
 * "2(x3),1". 0: no Slurm job, or unknown. */
int batch_slurm_tasks(void);

#endif
