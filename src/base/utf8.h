/* Whether a text is what it must be to stand in SQL, JSON and on screens, and what makes it fit for
 * a screen. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The character of UTF-8 that begins here (RFC 3629: shortest forms, no surrogates, up to
 * U+10FFFF): its code and length in bytes. 0: none begins here, and *code is not set. */
size_t utf8_next(uint32_t *code, const char *text);

/* The first byte that begins no character of UTF-8; NULL: the whole text is UTF-8. */
const char *utf8_find_foreign(const char *text);

/* Whether a character commands a terminal, or reorders what it shows: the control characters C0,
 * DEL and C1 (U+0080 to U+009F), the line separators and the bidirectional embeddings, overrides
 * and isolates (U+2028 to U+202E, U+2066 to U+2069). */
bool utf8_is_harmful(uint32_t code);

/* Make a text of any origin fit for a terminal, in place: each harmful character, and each byte
 * from 0x80 to 0x9f that is no part of a character, becomes '?'. keeps_lines: line feeds stay.
 * Returns the new length. All that the program prints for people goes through here (base/err.h,
 * base/log.h, cli_print(), report_text()); CSV and JSON do not. */
size_t utf8_tame(char *text, bool keeps_lines);

#endif
