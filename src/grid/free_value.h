/* SPDX-License-Identifier: BSD-3-Clause */
/* Values of free names, as sweep files write them.
 *
 *   16, 1e-3      a number: the program gets its shortest decimal, 16 and 0.001
 *   adam          a text
 *   'a, b; $x'    any text; '' is a quote in it
 *   "a\nb, c"     likewise; \n \t \\ \" are a line feed, a tab, a backslash, a quote
 *
 * A number in another form than its shortest decimal (007, 1.10) needs quotes to stay as it is. These are
 * texts without quotes: a whole number that begins with 0 or has more than 15 digits, and a number
 * nearer to 0 than 2.2e-308, which a double may not hold exactly. */
#ifndef GRID_FREE_VALUE_H
#define GRID_FREE_VALUE_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Append the value that a text without outer blanks stands for. -1 and err, without the text: a quote is
 * not closed, or stands in the middle. */
int free_value_read(struct buf *out, const char *text, struct err *err);

/* Append a text for free_value_read() that survives a sweep file: the value itself where possible. */
void free_value_write(struct buf *out, const char *value);

/* The value is the shortest decimal of a number. */
bool free_value_is_number(const char *value);

/* The end of a quoted text that begins at *text, after its last quote; NULL: not closed. */
const char *free_value_skip_quoted(const char *text);

#endif
