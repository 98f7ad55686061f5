/* SPDX-License-Identifier: BSD-3-Clause */
/* cli: the commands of the program.
 *
 * A command is one file, cmd_NAME.c, with a row `command_NAME` (cli/command/command.h), which
 * main.c puts into `commands`. Its function gets a parsed line, prints the answer and returns
 * the exit status. Only this folder prints errors and answers, and ends the program. May include
 * everything else. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/command/command.h"

extern const struct command command_best, command_complete, command_completion, command_doctor,
    command_export, command_help, command_init, command_inspect, command_merge, command_params,
    command_plan, command_predict, command_profile, command_report, command_run, command_show,
    command_simulate, command_status, command_trace, command_verify, command_watch;

#endif
