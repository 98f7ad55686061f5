/* SPDX-License-Identifier: BSD-3-Clause */
/* The room that UTF-8 text takes on a terminal. */
#ifndef BASE_TEXT_WIDTH_H
#define BASE_TEXT_WIDTH_H

#include <stddef.h>

#include "base/buf.h"

/* Columns that a text takes: none for combining marks, two for wide East Asian characters. A byte
 * that is not UTF-8 takes one. */
int text_width(const char *text);

/* Bytes of the longest beginning of the text that fits into these columns. */
size_t text_prefix(const char *text, int columns);

/* Append text, broken at blanks, so that no line is wider than `width`, except for longer words. The
 * first line continues at column `at`; the others are indented by `indent`. Ends without a line
 * feed. */
void text_put_wrapped(struct buf *out, const char *text, int at, int indent, int width);

/* The mark for text that was cut: one character, or three dots where the locale is not UTF-8. */
const char *text_ellipsis(void);

#endif
