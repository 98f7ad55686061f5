/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs trials as other programs: their processes, files and results.
 *
 * Files of a trial, in FILES/t345 (FILES is <db>.files):
 *   checkpoint/      of the program; stays until the trial has a result
 *   curve.jsonl      of attempts that left a checkpoint
 *   attempts         those that ended without a result (program/attempt_file.h)
 *   log, log.rank1   output so far (program/log_file.h)
 *   scratch.PID/     {dir} and the results file of an attempt by the rank PID; removed afterwards
 *   NAME             kept files
 *
 * If a trial fails while the disk of its folder is full, it stays pending, and this rank is unable to run
 * others (struct runner).
 *
 * A program that someone kills with SIGKILL, or that exits with 75 before it is asked to stop, is started
 * again at once. */
#ifndef TRIAL_PROGRAM_RUNNER_H
#define TRIAL_PROGRAM_RUNNER_H

#include "base/clock.h"
#include "grid/plan.h"
#include "program/spawner.h"
#include "trial/result.h"

/* Where programs run. Everything is borrowed. */
struct program_place {
    struct spawner *spawner;
    const char *files;   /* absolute */
    const char *modules; /* folder of the helpers, absolute; NULL: none */
    /* Append a trial's GPUs, "0,1", and for them "NAME=value" words, each with its NUL. gang NULL:
     * it runs alone. NULL: GPUs are left alone. */
    void (*put_gpus)(struct buf *devices, struct buf *variables, const void *gpus,
                     const struct trial_gang *gang);
    const void *gpus;
};

struct program_runner;

/* plan and clock are borrowed. digest: of the data. Pair with program_runner_destroy(). */
struct program_runner *program_runner_create(const struct plan *plan, struct hash digest,
                                             const struct program_place *place,
                                             const struct clock *clock, struct err *err);
void program_runner_destroy(struct program_runner *self);

struct runner program_runner_interface(struct program_runner *self);

#endif
