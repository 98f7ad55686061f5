#include "base/utf8.h"

#include <stdint.h>

size_t utf8_next(uint32_t *out, const char *text)
{
    const unsigned char *c = (const unsigned char *)text;

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
        *out = code;
        return n + 1;
    }
    return 0;
}

const char *utf8_find_foreign(const char *text)
{
    uint32_t code;
    size_t n;

    while (*text && (n = utf8_next(&code, text)))
        text += n;
    return *text ? text : NULL;
}

bool utf8_is_harmful(uint32_t code)
{
    static const struct {
        uint32_t from, to;
    } ranges[] = {{0, 0x1f}, {0x7f, 0x9f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].from && code <= ranges[i].to)
            return true;
    return false;
}

size_t utf8_tame(char *text, bool keeps_lines)
{
    const char *from = text;
    char *to = text;

    while (*from) {
        uint32_t code = (unsigned char)*from;
        size_t n = utf8_next(&code, from);

        if (utf8_is_harmful(code) && !(keeps_lines && code == '\n')) {
            *to++ = '?';
            from += n ? n : 1;
        } else {
            for (size_t i = 0; i < (n ? n : 1); i++)
                *to++ = *from++;
        }
    }
    *to = '\0';
    return (size_t)(to - text);
}
