/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the man page (mdoc(7)) and pages of the manual (Markdown), made from the tables of
 * commands, options and settings. */
#ifndef CLI_COMMAND_REFERENCE_H
#define CLI_COMMAND_REFERENCE_H

#include <stdbool.h>

#include "base/buf.h"

enum reference_format { REFERENCE_MAN, REFERENCE_MARKDOWN };

/* Append the reference of a command, or of "commands" (all), "common" (the options that commands
 * share) or "settings". False: there is no such topic. */
bool reference_put(struct buf *out, const char *topic, enum reference_format format);

#endif
