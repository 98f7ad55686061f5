/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a program's output. */
#ifndef PROGRAM_LOG_TAIL_H
#define PROGRAM_LOG_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { LOG_TAIL_BYTES = 65536 };

/* A zeroed struct is empty. It is too large for the stack of a thread. */
struct log_tail {
    int64_t total;                  /* bytes added so far */
    char bytes[LOG_TAIL_BYTES + 1]; /* a ring; one more, to know if the rest begins a line */
};

void log_tail_clear(struct log_tail *tail);
void log_tail_add(struct log_tail *tail, const void *bytes, size_t n);
bool log_tail_ends_line(const struct log_tail *tail); /* or is empty */

/* Append the last LOG_TAIL_BYTES as they are. If bytes before them are lost, so is the rest of the
 * line that they begin with, unless it is longer than 4 KiB. */
void log_tail_put(struct buf *out, const struct log_tail *tail);

/* Copy the error message, and before it the last lines with text that fit as a whole, as one line that is
 * safe for terminals: "File "x.py", line 3 | ValueError: bad". words_cut() shortens a message that is
 * longer than out. Colours and control bytes are removed; only what follows the last carriage return of a
 * line counts. "": no text. The first `since` bytes that were added do not count. Returns out. size: at
 * least 8. The message:
 *
 * - R ("Execution halted" is the last line): from the last line that begins with "Error" on, without
 *   calls, backtrace and warnings. R puts the name of a file that cannot be opened into a warning,
 *   which stays.
 * - Python: from the exception of the last traceback on, which may be of several lines, but not if
 *   much output follows: the exception was caught. The exception of torchrun is only that a rank failed;
 *   the one before it counts.
 * - Others: the last line. */
char *log_tail_reason(char *out, size_t size, const struct log_tail *tail, int64_t since);

#endif
