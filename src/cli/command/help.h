/* SPDX-License-Identifier: BSD-3-Clause */
/* Help texts, at most as wide as the terminal and 100 columns, and the same as parts of the man
 * page (mdoc(7)) and pages of the manual (Markdown): all made from the tables of commands,
 * options and settings. */
#ifndef CLI_COMMAND_HELP_H
#define CLI_COMMAND_HELP_H

#include <stdbool.h>

#include "base/buf.h"
#include "cli/command/command.h"

/* fd: where it will be printed, which decides width and colour. */
void help_put_command(struct buf *out, const struct command *command, int fd);

void help_put_commands(struct buf *out, int fd);

enum help_format { HELP_MAN, HELP_MARKDOWN };

/* Append the reference of a command, or of "commands" (all), "common" (the options that commands
 * share) or "settings". False: there is no such topic. */
bool help_put_reference(struct buf *out, const char *topic, enum help_format format);

#endif
