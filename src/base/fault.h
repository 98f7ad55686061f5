/* SPDX-License-Identifier: BSD-3-Clause */
/* Named points of the protocol at which tests kill the program, only in the tests' build
 * (tests/mpi/faults.c).
 *
 * A name is a literal on one line, because tests/mpi/kill.sh searches the sources for it. It begins
 * with who passes: "any" (any rank), "worker" (the training thread of any rank), "scheduler" or
 * "store" (rank 0). FAULT_MESSAGE is one point for each kind of message. */
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
