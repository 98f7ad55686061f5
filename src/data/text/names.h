/* SPDX-License-Identifier: BSD-3-Clause */
/* An ordered set of texts, such as the ids of samples, each with its number and its line. */
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

/* Return the number of a text, or -1 if it is not in the set. */
int32_t names_find(const struct names *names, const char *text);
/* Return the line that was given when the text was added. */
int64_t names_line(const struct names *names, int32_t index);
/* Add a text that is not yet in the set. Returns its number. */
int32_t names_add(struct names *names, const char *text, int64_t line, struct err *err);
/* Add the parts of "a, b, c" without blanks around them. list may be NULL or "". A quoted part may
 * contain commas and doubled quotes, like a cell of a table. So may the argument of a part like
 * factor("a, b"), which keeps its quotes for names_unquote(). `what` names the list in messages. -1
 * and err if a part is empty or occurs twice, or a quote is not closed. */
int names_split(struct names *names, const char *list, const char *what, struct err *err);
/* Remove the quotes in place from a text that begins and ends with a quote. */
void names_unquote(char *text);

#endif
