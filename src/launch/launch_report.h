/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of rank 0 to the process that started mpirun, on the standard output, which mpirun
 * forwards. Without a listener nothing is reported. */
#ifndef LAUNCH_LAUNCH_REPORT_H
#define LAUNCH_LAUNCH_REPORT_H

#include <stdbool.h>

#include "base/process.h"

/* Other lines are passed on. */
#define REPORT_UP "espalier: up " /* pid, start, host, realm of rank 0 */
#define REPORT_ALIVE "espalier: alive"
#define REPORT_STATUS "espalier: status "

/* between two signs of life */
#define ALIVE_S 5.0

/* True if `run -n` started this process. */
bool launch_report_is_heard(void);

void launch_report_up(void); /* all ranks have started */

/* Call often, from any thread: few lines are sent, and none before launch_report_up(). */
void launch_report_alive(void);

/* Rank 0 ends. Returns its exit status: 0 if someone listens, since in recovery mode mpirun prints
 * an alarming message for any other. */
int launch_report_status(int status);

/* Note that a rank (NULL: an unknown one), and perhaps its host, is lost. */
void launch_report_note_loss(const struct process *rank);

/* Rank 0 is about to exit. If an mpirun in recovery mode has lost a host, neither it nor its job
 * ever ends. mpirun_run() ends that of `run -n`. For any other, a small process stays behind and
 * ends it after five seconds, with status 1; if mpirun is on another host, this can only warn. */
void launch_report_end_mpirun(void);

#endif
