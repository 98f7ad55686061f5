/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of rank 0 to the process that started mpirun (launch/mpirun), on the standard output,
 * which mpirun forwards. Without a listener nothing is reported. */
#ifndef LAUNCH_LAUNCH_REPORT_H
#define LAUNCH_LAUNCH_REPORT_H

#include <stdbool.h>

#include "base/process.h"

/* Other lines are passed on. */
#define REPORT_UP "espalier: up " /* struct process of rank 0: pid, start, host, realm */
#define REPORT_ALIVE "espalier: alive"
#define REPORT_STATUS "espalier: status "

/* between two signs of life */
#define ALIVE_S 5.0

/* True if `run -n` started this process. */
bool launch_report_is_heard(void);

void launch_report_up(void); /* all ranks have started */

/* Rank 0 lives. Call often, from any thread: few lines are sent, and none before
 * launch_report_up(). */
void launch_report_alive(void);

/* Rank 0 ends. Returns this process's exit status: 0 if someone listens, because in recovery mode
 * mpirun prints an alarming message for any other. */
int launch_report_status(int status);

/* If an mpirun in recovery mode has lost a host, neither it nor its job ever ends. mpirun_run()
 * ends that of `run -n`; rank 0 can end one that is its parent. */

/* Note that a rank (NULL: an unknown one) is lost, and its host possibly too. */
void launch_report_note_loss(const struct process *rank);

/* Rank 0 is about to exit. After a loss on another host, a small process stays behind and ends
 * mpirun after five seconds; mpirun then exits with 1. This can only warn if mpirun runs on another
 * host. */
void launch_report_end_mpirun(void);

#endif
