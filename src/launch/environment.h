/* SPDX-License-Identifier: BSD-3-Clause */
/* Environment variables that `run -n` sets for the ranks that it starts. */
#ifndef LAUNCH_ENVIRONMENT_H
#define LAUNCH_ENVIRONMENT_H

/* Unix time when the command began. The ranks may run on another host, which has its own monotonic
 * clock. */
#define LAUNCH_BEGUN "ESPALIER_BEGUN"

/* Columns of the terminal that shows the messages of the ranks; 0: none does. */
#define LAUNCH_WIDTH "ESPALIER_WIDTH"

/* Set if a process reads the reports of rank 0 (launch/launch_report.h). */
#define LAUNCH_REPORT "ESPALIER_REPORT"

/* Set by the user: the database of commands that are given none. */
#define LAUNCH_DB "ESPALIER_DB"

/* Set by the user for rank 0. "off": `run` does not check the launch. */
#define LAUNCH_CHECKS "ESPALIER_CHECKS"

#endif
