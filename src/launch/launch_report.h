/* SPDX-License-Identifier: BSD-3-Clause */
/* What rank 0 reports to whoever started mpirun (launch/mpirun): over the standard output that
 * mpirun forwards, on which `run` prints nothing else. Nothing is said where nobody listens. */
#ifndef LAUNCH_LAUNCH_REPORT_H
#define LAUNCH_LAUNCH_REPORT_H

#include <stdbool.h>

#include "base/process.h"

/* The lines; anything else is no report. */
#define REPORT_UP "espalier: up " /* struct process of rank 0: pid, start, host, realm */
#define REPORT_ALIVE "espalier: alive"
#define REPORT_STATUS "espalier: status "

/* Between two signs of life. */
#define ALIVE_S 5.0

/* Whether `run -n` has started this process. */
bool launch_report_is_heard(void);

void launch_report_up(void); /* all ranks have come */

/* Rank 0 lives: to be called often, from any thread; few are sent, and none before it is up. */
void launch_report_alive(void);

/* How it ends. Gives back the exit status of this process: 0 where somebody listens, since in
 * recovery mode mpirun has an error message of its own for any other, which would only alarm. */
int launch_report_status(int status);

/* An mpirun that somebody else started, in recovery mode: when it has lost a host it never ends,
 * and the job it runs in neither. Rank 0, its child, can end it; mpirun_run() does that for the
 * mpirun of `run -n`. */

/* A rank is lost (NULL: one that is not known), and with it maybe its host. */
void launch_report_note_loss(const struct process *rank);

/* Rank 0 is about to leave. After a loss on another host a small process stays behind: mpirun gets
 * five seconds to end by itself, then it is ended, with a status of its own (1). Where mpirun is
 * not our parent (rank 0 is not on its host) only a warning can be given. */
void launch_report_end_mpirun(void);

#endif
