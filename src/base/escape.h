/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes any text safe for terminals, JSON (RFC 8259), HTML, XML and shells. */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Decode a UTF-8 character (RFC 3629: shortest forms, no surrogates, up to U+10FFFF). Returns its
 * bytes; 0: none. */
size_t utf8_next(uint32_t *out, const char *text);

/* Return the first byte outside a UTF-8 character; NULL: none. */
const char *escape_find_invalid(const char *text);

/* Replace bytes outside UTF-8 characters by '?' in place. */
void escape_invalid(char *text);

/* Replace harmful characters, and bytes from 0x80 to 0x9f outside characters, by '?' in place.
 * keeps_lines: line feeds stay. Returns the new length. All text for people passes here; CSV and
 * JSON do not. */
size_t escape_terminal(char *text, bool keeps_lines);

/* Bytes that are not UTF-8 stay. */
void escape_json(struct buf *out, const char *text);

/* For all JSON that is printed or written: also escapes characters that are harmful to a terminal, and
 * replaces bytes outside UTF-8 characters by U+FFFD. */
void escape_json_terminal(struct buf *out, const char *text);

/* Escape for the text of an HTML or XML element and for quoted attributes. Characters that are harmful
 * to a terminal, except line feed and tab, those that XML 1.0 lacks, and bytes outside UTF-8
 * characters become U+FFFD. */
void escape_html(struct buf *out, const char *text);

/* The same as a JSON string inside a <script> element, which it cannot end. */
void escape_json_html(struct buf *out, const char *text);

/* Quote a file name as one word of a POSIX shell that no program takes for an option: r.db,
 * 'x;y.db', 'it'\''s.db', ./-r.db. Uses out for the result; returns path if memory is short. */
const char *escape_shell(struct buf *out, const char *path);

/* Append any other word of a POSIX shell, in single quotes where it needs them: 0.1, -x, 'a b', ''. */
void escape_shell_word(struct buf *out, const char *word);

/* Append a text that stands between single quotes of a POSIX shell: ' becomes '\''. */
void escape_single_quoted(struct buf *out, const char *text);

#endif
