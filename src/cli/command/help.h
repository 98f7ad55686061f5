/* SPDX-License-Identifier: BSD-3-Clause */
/* Help texts, at most as wide as the terminal and 100 columns. */
#ifndef CLI_COMMAND_HELP_H
#define CLI_COMMAND_HELP_H

#include "base/buf.h"
#include "cli/command/command.h"

/* fd: where it will be printed, which decides width and colour. */
void help_put_command(struct buf *out, const struct command *command, int fd);

void help_put_commands(struct buf *out, int fd);

#endif
