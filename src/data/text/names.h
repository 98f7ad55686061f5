/* SPDX-License-Identifier: BSD-3-Clause */
/* The ids of samples: an ordered set of texts, each with its number and the line it came from. */
#ifndef DATA_TEXT_NAMES_H
#define DATA_TEXT_NAMES_H

#include <stdint.h>

#include "base/err.h"

struct name;

struct names {
    const char **text; /* [n] in the order of adding; owned */
    int32_t n;
    int32_t capacity;
    struct name *by_text; /* a hash table of uthash; owns the texts */
};

/* Zero-initialise to begin. Release takes a zeroed one. */
void names_release(struct names *names);

/* The number of a text, -1 if it is not there. */
int32_t names_find(const struct names *names, const char *text);
/* The line given when it was added. */
int64_t names_line(const struct names *names, int32_t index);
/* Add a text that is not there yet. Its number, or -1 and err when memory is short. */
int32_t names_add(struct names *names, const char *text, int64_t line, struct err *err);
/* Add the parts of "a, b, c", blanks around them dropped; list may be NULL or "". A part in quotes
 * may hold commas, and quotes that are doubled, as a cell of a table; so may what stands in the
 * parentheses of a part like factor("a, b"), which keeps its quotes for names_unquote(). -1 and
 * err, which calls the list `what`: a part that is empty or there already, a quote that is not
 * closed. */
int names_split(struct names *names, const char *list, const char *what, struct err *err);
/* Take the quotes off a text that begins and ends with one, in place. */
void names_unquote(char *text);

#endif
