/* SPDX-License-Identifier: BSD-3-Clause */
/* Named points of the protocol at which tests kill the program (tests/mpi/faults.c). Elsewhere each
 * is a test of an address that is zero.
 *
 * A name is a literal on one line, because tests/mpi/kill.sh searches the sources for it. It begins
 * with who passes: "any" (any rank), "worker" (the training thread of any rank), "scheduler" or
 * "store" (rank 0). FAULT_MESSAGE is one point for each kind of message. */
#ifndef BASE_FAULT_H
#define BASE_FAULT_H

#include <stdint.h>

struct buf;

/* Weak: the tests' programs define them, and no others do. */
__attribute__((weak)) void fault_point(const char *name);
__attribute__((weak)) void fault_message(const char *name, const struct buf *message);
__attribute__((weak)) void fault_trial(int64_t trial);
#define FAULT(name) (fault_point ? fault_point(name) : (void)0)
#define FAULT_MESSAGE(name, message) (fault_message ? fault_message(name, message) : (void)0)
#define FAULT_TRIAL(trial) (fault_trial ? fault_trial(trial) : (void)0)

#endif
