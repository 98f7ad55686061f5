/* SPDX-License-Identifier: BSD-3-Clause */
/* The batch system around this process, and what it says when it is asked.
 *
 * It is asked with its own commands (squeue, bjobs, qstat), which talk to a server that all users
 * share: once for a session, not in loops. Each gets BATCH_LIMIT_S; where one is missing (in a
 * container, on another host) or late the answer is that nothing is known.
 *
 * Formats: squeue(1) and sbatch(1) of Slurm 22.05; IBM Spectrum LSF 10.1, command reference, bjobs
 * -o; PBS Professional 2022.1, reference guide, qstat -f, and TORQUE's. Tried with Slurm; with LSF
 * and PBS, which have not been at hand, by stand-ins that print these formats. */
#ifndef BASE_BATCH_H
#define BASE_BATCH_H

#include "base/buf.h"

/* Another program's answer, waited for no longer than one is ready to: run argv[0], looked up in
 * PATH, with argv (ends with NULL; no shell), nothing on its standard input, and append what it says
 * on both outputs to out. Returns its exit status; -1: it is not there, does not end within limit_s
 * (it and its children are then killed), dies of a signal, or says more than a megabyte. */
int batch_command_read(struct buf *out, const char *const *argv, double limit_s);

#define BATCH_LIMIT_S 5.0

enum batch_system { BATCH_NONE, BATCH_SLURM, BATCH_LSF, BATCH_PBS };

struct batch_job {
    enum batch_system system;
    char id[64]; /* as the system prints it, array elements included: "77_3", "77[3]",
                    "77[3].server"; "" for BATCH_NONE */
};

/* From the environment. LSB_JOBID=0 and other ids that no system would give are none. */
void batch_job_here(struct batch_job *job);

/* "slurm", "lsf", "pbs"; "" for BATCH_NONE. And as people write it: "Slurm", "LSF", "PBS". */
const char *batch_system_name(enum batch_system system);
const char *batch_system_title(enum batch_system system);

enum batch_answer {
    BATCH_UNKNOWN, /* it could not be asked, or does not know */
    BATCH_GONE,    /* ended, or (requeued) waiting to begin again: what ran has ended */
    BATCH_ALIVE    /* running, suspended or about to end */
};

/* Asks the system that is reached from here: a job of another cluster with the same system would
 * come out as gone. */
enum batch_answer batch_ask(const struct batch_job *job);

/* Until the walltime of the job around this process is over, 0 or less where it is; NaN: there is
 * no job, it has no limit, or the limit cannot be learnt. Slurm: SLURM_JOB_END_TIME (which a later
 * scontrol update does not change); where that is over or cannot be read, squeue; where squeue does
 * not say that time is left, by SLURM_JOB_END_TIME again, less than 0. LSF tells whole minutes,
 * rounded down. */
double batch_seconds_left(void);

/* SLURM_JOB_END_TIME, NULL where it is not set. end: Unix time, seconds; NaN where it is none. */
const char *batch_slurm_end(double *end);

#endif
