/* SPDX-License-Identifier: BSD-3-Clause */
/* cli: the commands of the program.
 *
 * A command is one file, cmd_NAME.c, with a row `command_NAME` (cli/command/command.h) in
 * commands[]. Its function gets a parsed line, prints the answer and returns the exit status. Only
 * this folder prints errors and answers, and ends the program. May include everything else. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/command/command.h"

extern const struct command command_best;
extern const struct command command_complete;
extern const struct command command_completion;
extern const struct command command_doctor;
extern const struct command command_export;
extern const struct command command_help;
extern const struct command command_init;
extern const struct command command_inspect;
extern const struct command command_merge;
extern const struct command command_params;
extern const struct command command_plan;
extern const struct command command_predict;
extern const struct command command_profile;
extern const struct command command_report;
extern const struct command command_run;
extern const struct command command_show;
extern const struct command command_simulate;
extern const struct command command_status;
extern const struct command command_trace;
extern const struct command command_verify;
extern const struct command command_watch;

#endif
