/* SPDX-License-Identifier: BSD-3-Clause */
/* The one notion of equality of labels, ids and names of columns.
 *
 * Blanks around a text do not count. Texts with equal bytes are equal. Otherwise numbers of at most
 * 15 digits are equal by value (1, 1.0, 01; 0.5, 0,50), and other texts are equal but for the case of ASCII
 * letters: such a match is used only if it is the only one, and counted. */
#ifndef DATA_TEXT_EQUALITY_H
#define DATA_TEXT_EQUALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "data/text/examples.h"
#include "data/text/names.h"

/* Replace the contents of out by the key of a text: texts with the same key are equal by value or
 * but for case. Returns true for a number. */
bool equality_key(struct buf *out, const char *text);

/* Returns the index of the text that equals `text`: the first with equal bytes, else the only one
 * with its key, else -1. texts [n] may contain NULL; texts[except] is left out, -1: none. */
int32_t equality_pick(const char *const *texts, int32_t n, int32_t except, const char *text);

/* Matches of texts whose bytes differ, with examples: "a" as "A". */
struct equality_count {
    int64_t n;
    struct examples texts;
};

/* Count n matches of a text. */
void equality_note(struct equality_count *count, const char *text, const char *as, int64_t n);

/* Find what each of `asked`, all distinct, equals among `known`.
 *   found  out  [asked->n] index, or -1
 *   count  inout
 * A key that several of the known or several of the asked have joins only equal bytes. -1 and err
 * without memory. */
int equality_join(int32_t *found, struct equality_count *count, const struct names *known,
                  const struct names *asked, struct err *err);

#endif
