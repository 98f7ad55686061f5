/* SPDX-License-Identifier: BSD-3-Clause */
/* Named points of the protocol at which the tests' build of the program (tests/mpi/faults.c) can be
 * killed. In every other build they are nothing.
 *
 * A name is a literal, on one line, since tests/mpi/kill.sh finds it here and kills at it. Before
 * the colon it says who passes: "any" rank, a "worker" (the thread that trains, of any rank), the
 * "scheduler" and the "store" (rank 0). FAULT_MESSAGE is a point for each kind of message. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#ifdef ESPALIER_FAULTS
#include <stdint.h>

struct buf;

void fault_point(const char *name);
void fault_message(const char *name, const struct buf *message);
void fault_trial(int64_t trial);
#define FAULT(name) fault_point(name)
#define FAULT_MESSAGE(name, message) fault_message(name, message)
#define FAULT_TRIAL(trial) fault_trial(trial)
#else
#define FAULT(name) ((void)0)
#define FAULT_MESSAGE(name, message) ((void)0)
#define FAULT_TRIAL(trial) ((void)0)
#endif

#endif
