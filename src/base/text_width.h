/* SPDX-License-Identifier: BSD-3-Clause */
/* The room that UTF-8 text takes on a terminal. */
#ifndef BASE_TEXT_WIDTH_H
#define BASE_TEXT_WIDTH_H

#include <stddef.h>

/* Columns that a text takes: none for combining marks, two for wide East Asian characters. A byte
 * that is not UTF-8 takes one. */
int text_width(const char *text);

/* Bytes of the longest beginning of the text that takes at most this many columns. */
size_t text_prefix(const char *text, int columns);

/* The mark for text that was cut: one character, or three dots where the locale is not UTF-8. */
const char *text_ellipsis(void);

#endif
