/* SPDX-License-Identifier: BSD-3-Clause */
/* 128-bit hashes that identify trials, configurations and data.
 * Source: XXH3-128 of xxHash, https://xxhash.com (stable since 0.8.0). */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash {
    uint64_t high;
    uint64_t low;
};

#define HASH_HEX_SIZE 33 /* 32 digits and the NUL */

struct hash hash_bytes(const void *bytes, size_t n);
struct hash hash_text(const char *text);
bool hash_equal(struct hash a, struct hash b);

/* Write lower-case hexadecimal, high word first; returns out. */
char *hash_hex(struct hash hash, char out[HASH_HEX_SIZE]);
/* -1: not 32 hexadecimal digits; out is untouched. */
int hash_parse(struct hash *out, const char *text);

#endif
