#include "base/utf8.h"

#include <stddef.h>
#include <stdint.h>

/* Length of the character of UTF-8 that begins here (RFC 3629); 0: none does. */
static size_t utf8_length(const unsigned char *c)
{
    static const struct {
        unsigned char mask, head;
        uint32_t least;
    } forms[] = {{0x80, 0, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

    for (size_t n = 0; n < sizeof forms / sizeof *forms; n++) {
        uint32_t code = c[0] & (unsigned char)~forms[n].mask;
        size_t i = 1;

        if ((c[0] & forms[n].mask) != forms[n].head)
            continue;
        for (; i <= n && (c[i] & 0xc0) == 0x80; i++)
            code = code << 6 | (c[i] & 0x3f);
        if (i <= n || code < forms[n].least || code > 0x10ffff || code >> 11 == 0x1b)
            return 0;
        return n + 1;
    }
    return 0;
}

const char *utf8_find_foreign(const char *text)
{
    size_t n;

    while (*text && (n = utf8_length((const unsigned char *)text)))
        text += n;
    return *text ? text : NULL;
}
