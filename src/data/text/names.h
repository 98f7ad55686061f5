/* SPDX-License-Identifier: BSD-3-Clause */
/* An ordered set of texts, such as ids of samples, each with its number and line. */
#ifndef DATA_TEXT_NAMES_H
#define DATA_TEXT_NAMES_H

#include <stdint.h>

#include "base/err.h"

struct name;

struct names {
    const char **text; /* [n] in the order of adding; owned */
    int32_t n;
    int32_t capacity;
    struct name *by_text; /* uthash table; owns the texts */
};

/* Zero-initialise to begin. */
void names_release(struct names *names);

/* Number of a text, -1 if unknown. */
int32_t names_find(const struct names *names, const char *text);
/* The line given when it was added. */
int64_t names_line(const struct names *names, int32_t index);
/* Add a new text and return its number. */
int32_t names_add(struct names *names, const char *text, int64_t line, struct err *err);
/* Add the parts of "a, b, c" without blanks around them; list may be NULL or "". A quoted part may
 * contain commas and doubled quotes, like a table cell. So may the argument of a part like
 * factor("a, b"), which keeps its quotes for names_unquote(). `what` names the list in messages. -1
 * and err if a part is empty or occurs twice, or a quote is open. */
int names_split(struct names *names, const char *list, const char *what, struct err *err);
/* Remove enclosing quotes in place. */
void names_unquote(char *text);

#endif
