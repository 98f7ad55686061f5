/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of any origin made fit for where they go: SQL, terminals, JSON (RFC 8259), and a shell's
 * command line. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* The first byte that begins no character of UTF-8; NULL: the whole text is UTF-8, as it must be to
 * stand in SQL and JSON. */
const char *escape_find_invalid(const char *text);

/* Make a text of any origin fit for a terminal, in place: each harmful character, and each byte
 * from 0x80 to 0x9f that is no part of a character, becomes '?'. keeps_lines: line feeds stay.
 * Returns the new length. All that the program prints for people goes through here (base/err.h,
 * base/log.h, cli_print(), report_text()); CSV and JSON do not. */
size_t escape_terminal(char *text, bool keeps_lines);

/* A text in quotes, escaped for JSON. Bytes that are no UTF-8 stay what they are. */
void escape_json(struct buf *out, const char *text);

/* The same for output that may be shown on a terminal: characters that command it, or reorder what
 * it shows, are escaped too. */
void escape_json_terminal(struct buf *out, const char *text);

/* The name of a file as a word that a POSIX shell takes for it and a program for no option:
 * r.db, 'x;y.db', 'it'\''s.db', ./-r.db. out is cleared first and keeps the word, which is
 * returned; path itself where memory is short. */
const char *escape_shell(struct buf *out, const char *path);

#endif
