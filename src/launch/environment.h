/* SPDX-License-Identifier: BSD-3-Clause */
/* Environment variables of a launch. `run -n` sets them for its ranks. */
#ifndef LAUNCH_ENVIRONMENT_H
#define LAUNCH_ENVIRONMENT_H

/* Unix time when the command began. The ranks may run on another host, which has its own monotonic
 * clock. */
#define LAUNCH_BEGUN "ESPALIER_BEGUN"

/* Columns of the terminal that shows the messages of the ranks; 0: none does. */
#define LAUNCH_WIDTH "ESPALIER_WIDTH"

/* Set if a process reads the reports of rank 0 (launch/launch_report.h). */
#define LAUNCH_REPORT "ESPALIER_REPORT"

/* From the user: the database of commands that are given none. */
#define LAUNCH_DB "ESPALIER_DB"

/* From the user: "off" keeps rank 0 from checking the launch. */
#define LAUNCH_CHECKS "ESPALIER_CHECKS"

#endif
