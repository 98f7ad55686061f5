/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of rank 0 to the process that started mpirun (launch/mpirun), on the standard output,
 * which mpirun forwards and `run` does not use otherwise. Without a listener nothing is
 * reported. */
#ifndef LAUNCH_LAUNCH_REPORT_H
#define LAUNCH_LAUNCH_REPORT_H

#include <stdbool.h>

#include "base/process.h"

/* The lines of the report. Other lines are passed on. */
#define REPORT_UP "espalier: up " /* struct process of rank 0: pid, start, host, realm */
#define REPORT_ALIVE "espalier: alive"
#define REPORT_STATUS "espalier: status "

/* Seconds between two signs of life. */
#define ALIVE_S 5.0

/* True if `run -n` started this process. */
bool launch_report_is_heard(void);

void launch_report_up(void); /* all ranks have started */

/* Rank 0 lives. Call often, from any thread: few lines are sent, and none before
 * launch_report_up(). */
void launch_report_alive(void);

/* Rank 0 ends. Returns the exit status for this process: 0 if someone listens, because in recovery
 * mode mpirun prints an alarming message for any other. */
int launch_report_status(int status);

/* An mpirun in recovery mode that somebody else started: if it has lost a host, neither it nor its
 * job ever ends. Rank 0, its child, can end it. For `run -n`, mpirun_run() does this. */

/* Note that a rank (NULL: an unknown one) is lost, and its host possibly too. */
void launch_report_note_loss(const struct process *rank);

/* Rank 0 is about to exit. After a loss on another host, a small process stays behind and ends
 * mpirun after five seconds; mpirun then exits with its own status (1). If mpirun is not our parent
 * (rank 0 is on another host), this can only warn. */
void launch_report_end_mpirun(void);

#endif
