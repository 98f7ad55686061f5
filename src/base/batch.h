/* SPDX-License-Identifier: BSD-3-Clause */
/* The batch system around this process: the current job, the state of jobs, the time left.
 *
 * Answers come from the system's own commands (squeue, bjobs, qstat). These query a server that all
 * users share: call once in a session, not in loops. Each command may take BATCH_LIMIT_S. If it is
 * missing (in a container, on another host) or late, the answer is "unknown".
 *
 * Formats: squeue(1) and sbatch(1) of Slurm 22.05; IBM Spectrum LSF 10.1, command reference, bjobs
 * -o; PBS Professional 2022.1, reference guide, qstat -f, and TORQUE's. Tested with Slurm. LSF and
 * PBS were not available; scripts that print these formats replaced them. */
#ifndef BASE_BATCH_H
#define BASE_BATCH_H

#include "base/buf.h"

/* Run argv (ends with NULL; no shell), with argv[0] found in PATH and empty standard input. Append
 * stdout and stderr to out. Returns the exit status. -1: no such program, killed with its children
 * after limit_s, died of a signal, or printed over a megabyte. */
int batch_command_read(struct buf *out, const char *const *argv, double limit_s);

#define BATCH_LIMIT_S 5.0

enum batch_system { BATCH_NONE, BATCH_SLURM, BATCH_LSF, BATCH_PBS };

struct batch_job {
    enum batch_system system;
    /* As the system prints it, with the array element: "77_3", "77[3]", "77[3].server". "" for
     * BATCH_NONE. */
    char id[64];
};

/* Read the job from the environment. Ids that no system assigns, such as LSB_JOBID=0, mean no
 * job. */
void batch_job_here(struct batch_job *job);

/* Name for machines ("slurm", "lsf", "pbs") and for people ("Slurm", "LSF", "PBS"); "" for
 * BATCH_NONE. */
const char *batch_system_name(enum batch_system system);
const char *batch_system_title(enum batch_system system);

enum batch_answer {
    BATCH_UNKNOWN, /* the query failed, or the system does not know the job */
    BATCH_GONE,    /* ended, or requeued and waiting: its processes are gone */
    BATCH_ALIVE    /* running, suspended or about to end */
};

/* Ask this host's batch system for the state of a job. A job of another cluster with the same
 * system counts as gone. */
enum batch_answer batch_ask(const struct batch_job *job);

/* Seconds until this job's walltime ends; 0 or less if it is over. NaN: no job, no limit, or
 * unknown.
 *
 * Slurm: the end is SLURM_JOB_END_TIME, which a later "scontrol update" does not change. If that is
 * over or unreadable, squeue gives the time left. If squeue gives none either, the result is the
 * smaller of the two. LSF reports whole minutes, rounded down. */
double batch_seconds_left(void);

/* SLURM_JOB_END_TIME, or NULL if not set. end out: Unix time in seconds; NaN if it is not a
 * number. */
const char *batch_slurm_end(double *end);

#endif
