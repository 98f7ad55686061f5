/* SPDX-License-Identifier: BSD-3-Clause */
/* An ordered set of texts, such as ids, each with its number and line. */
#ifndef DATA_TEXT_NAMES_H
#define DATA_TEXT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct name;

struct names {
    const char **text; /* [n] owned */
    int32_t n;
    size_t capacity;
    struct name *by_text; /* uthash; owns the texts */
};

/* Zero-initialise to begin. */
void names_release(struct names *names);

/* Returns -1 if the text is unknown. */
int32_t names_find(const struct names *names, const char *text);
int64_t names_line(const struct names *names, int32_t index);
/* Returns the number of the new text. */
int32_t names_add(struct names *names, const char *text, int64_t line, struct err *err);
int32_t names_find_or_add(struct names *names, const char *text, int64_t line, struct err *err);
/* Like names_add(), but the text may be known. names_find() then returns any of its numbers. */
int32_t names_add_repeated(struct names *names, const char *text, int64_t line, struct err *err);
/* Add the parts of "a, b, c" without blanks around them; list may be NULL or "". A quoted part, or
 * the argument of factor("a, b"), may contain commas and doubled quotes; the latter keeps its
 * quotes. `what` names the list in messages. -1 and err if a part is empty or repeated, or a quote
 * is open. */
int names_split(struct names *names, const char *list, const char *what, struct err *err);
/* Remove enclosing quotes in place. */
void names_unquote(char *text);

#endif
