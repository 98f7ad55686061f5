/* SPDX-License-Identifier: BSD-3-Clause */
/* Environment variables of a launch. `run -n` sets them for its ranks. */
#ifndef LAUNCH_ENVIRONMENT_H
#define LAUNCH_ENVIRONMENT_H

/* The command as the user typed it. */
#define LAUNCH_COMMAND "ESPALIER_COMMAND"

/* Unix time when the command began: another host has another monotonic clock. */
#define LAUNCH_BEGUN "ESPALIER_BEGUN"

/* Set if a process reads the reports of rank 0. */
#define LAUNCH_REPORT "ESPALIER_REPORT"

/* From the user: the database of commands that are given none. */
#define LAUNCH_DB "ESPALIER_DB"

/* From the user: "off" keeps rank 0 from checking the launch. */
#define LAUNCH_CHECKS "ESPALIER_CHECKS"

#endif
