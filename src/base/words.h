/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and lists as people read them. Durations are in base/duration.h. */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stddef.h>
#include <stdint.h>

/* "" for 1, else "s". */
const char *plural(int64_t n);

/* The text before item i of n: "a", "a and b", "a, b and c". */
const char *words_between(int32_t i, int32_t n);

enum { BYTES_TEXT = 32 };

/* "512 bytes", "3.2 kB", "45 MB", "1.2 GB", in powers of 1000. Returns out. */
char *bytes_words(char out[BYTES_TEXT], double bytes);

/* Copy UTF-8 text. If it does not fit, "..." replaces whole characters: of its middle, so that begin
 * and end stay, or of its end if there is little room. Returns out. size: at least 8. */
char *words_cut(char *out, size_t size, const char *text);

#endif
