/* SPDX-License-Identifier: BSD-3-Clause */
/* Environment variables for the ranks that `run -n` starts. */
#ifndef LAUNCH_ENVIRONMENT_H
#define LAUNCH_ENVIRONMENT_H

/* The command as the user typed it. */
#define LAUNCH_COMMAND "ESPALIER_COMMAND"

/* Unix time when the command began: the ranks may run on another host, which has its own monotonic
 * clock. */
#define LAUNCH_BEGUN "ESPALIER_BEGUN"

/* Set if a process reads the reports of rank 0 (launch/launch_report.h). */
#define LAUNCH_REPORT "ESPALIER_REPORT"

/* From the user: the database of commands that are given none. */
#define LAUNCH_DB "ESPALIER_DB"

/* From the user for rank 0: "off" omits the checks of the launch. */
#define LAUNCH_CHECKS "ESPALIER_CHECKS"

#endif
