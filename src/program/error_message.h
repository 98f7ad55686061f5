/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds the error message of a program in the last lines of its output. */
#ifndef PROGRAM_ERROR_MESSAGE_H
#define PROGRAM_ERROR_MESSAGE_H

#include <stddef.h>

#include "base/buf.h"

/* Return the offset at which the message begins. It extends to the end of `lines`.
 *
 *   lines  inout  without empty lines, each with a line feed; a blank at the begin of a line means
 *                 that it is indented. Lines that are no part of the message are removed.
 *
 * - R ("Execution halted" is the last line): from the last line that begins with "Error" on, without
 *   calls, backtrace and warnings. R puts the name of a file that cannot be opened into a warning,
 *   which stays.
 * - Python: from the exception of the last traceback on, which may be of several lines, but not if
 *   much output follows: the exception was caught. The exception of torchrun is only that a rank failed;
 *   the one before it counts.
 * - Others: the last line. */
size_t error_message_find(struct buf *lines);

#endif
