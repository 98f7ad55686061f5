/* SPDX-License-Identifier: BSD-3-Clause */
/* The room that UTF-8 text takes on a terminal. */
#ifndef BASE_TEXT_WIDTH_H
#define BASE_TEXT_WIDTH_H

#include <stddef.h>

/* Columns: none for combining marks, two for wide East Asian characters, one for a byte that is not
 * UTF-8. */
int text_width(const char *text);

/* Bytes of the longest beginning of the text that fits into these columns. */
size_t text_prefix(const char *text, int columns);

/* The mark for cut text: one character, or three dots where the locale is not UTF-8. */
const char *text_ellipsis(void);

#endif
