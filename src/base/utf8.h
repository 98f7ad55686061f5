/* Whether a text is what it must be to stand in SQL, JSON and on screens. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

/* The first byte that begins no character of UTF-8 (RFC 3629: shortest forms, no surrogates, up to
 * U+10FFFF); NULL: the whole text is UTF-8. */
const char *utf8_find_foreign(const char *text);

#endif
