/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/hash.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct hash hash_bytes(const void *bytes, size_t n)
{
    XXH128_hash_t h = XXH3_128bits(bytes, n);

    return (struct hash){.high = h.high64, .low = h.low64};
}

struct hash hash_text(const char *text)
{
    return hash_bytes(text, strlen(text));
}

bool hash_equal(struct hash a, struct hash b)
{
    return a.high == b.high && a.low == b.low;
}

static void put_hex(char out[16], uint64_t word)
{
    for (int i = 16; i-- > 0; word >>= 4)
        out[i] = "0123456789abcdef"[word & 15];
}

char *hash_hex(struct hash hash, char out[HASH_HEX_SIZE])
{
    put_hex(out, hash.high);
    put_hex(out + 16, hash.low);
    out[HASH_HEX_SIZE - 1] = '\0';
    return out;
}

int hash_parse(struct hash *out, const char *text)
{
    char half[17];

    if (strlen(text) != 32 || strspn(text, "0123456789abcdefABCDEF") != 32)
        return -1;
    memcpy(half, text, 16);
    half[16] = '\0';
    out->high = strtoull(half, NULL, 16);
    out->low = strtoull(text + 16, NULL, 16);
    return 0;
}
