/* SPDX-License-Identifier: BSD-3-Clause */
/* The environment variables by which `run -n` talks to the ranks that it starts. */
#ifndef LAUNCH_ENVIRONMENT_H
#define LAUNCH_ENVIRONMENT_H

/* The command as the user typed it. */
#define LAUNCH_COMMAND "ESPALIER_COMMAND"

/* When the command began, in Unix time: the ranks may run on another host, which has its own
 * monotonic clock. */
#define LAUNCH_BEGUN "ESPALIER_BEGUN"

/* Set: somebody reads what rank 0 reports (launch/launch_report.h). */
#define LAUNCH_REPORT "ESPALIER_REPORT"

/* Set by the user: the database of commands that are given none. */
#define LAUNCH_DB "ESPALIER_DB"

/* Of rank 0, set by the user, "off": `run` neither warns of a launch nor refuses it. */
#define LAUNCH_CHECKS "ESPALIER_CHECKS"

#endif
