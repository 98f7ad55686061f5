/* SPDX-License-Identifier: BSD-3-Clause */
/* Characters of results and logs, without regard to the locale. */
#ifndef PROGRAM_CHARACTERS_H
#define PROGRAM_CHARACTERS_H

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool is_among(char c, const char *set)
{
    return c && strchr(set, c);
}

/* Make *out a text as a terminal shows it: without escape sequences; text behind backspaces replaces as
 * many characters of UTF-8. */
void characters_shown(struct buf *out, const char *text, const char *end);

#endif
