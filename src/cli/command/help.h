/* SPDX-License-Identifier: BSD-3-Clause */
/* Help texts, wrapped at the width of the terminal and at most 100 columns wide. */
#ifndef CLI_COMMAND_HELP_H
#define CLI_COMMAND_HELP_H

#include "base/buf.h"
#include "cli/command/command.h"

/* Append the help of one command: usage, examples, options, where to read more. fd: where it is
 * going to be printed, which decides width and colour. */
void help_put_command(struct buf *out, const struct command *command, int fd);

/* Append the list of all commands by group. */
void help_put_commands(struct buf *out, int fd);

#endif
