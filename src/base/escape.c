/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/escape.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

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

const char *escape_find_invalid(const char *text)
{
    uint32_t code;
    size_t n;

    while (*text && (n = utf8_next(&code, text)))
        text += n;
    return *text ? text : NULL;
}

void escape_invalid(char *text)
{
    for (const char *bad = text; (bad = escape_find_invalid(bad));)
        text[bad - text] = '?';
}

/* Control characters, line separators, bidirectional embeddings, overrides and isolates. */
static bool is_harmful(uint32_t code)
{
    static const struct {
        uint32_t from, to;
    } ranges[] = {{0, 0x1f}, {0x7f, 0x9f}, {0x2028, 0x202e}, {0x2066, 0x2069}};

    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i].from && code <= ranges[i].to)
            return true;
    return false;
}

size_t escape_terminal(char *text, bool keeps_lines)
{
    const char *from = text;
    char *to = text;

    while (*from) {
        uint32_t code = (unsigned char)*from;
        size_t n = utf8_next(&code, from);

        if (is_harmful(code) && !(keeps_lines && code == '\n')) {
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

static void put_byte(struct buf *out, char byte)
{
    if (byte == '"' || byte == '\\')
        buf_printf(out, "\\%c", byte);
    else if ((unsigned char)byte < 0x20)
        buf_printf(out, "\\u%04x", (unsigned int)byte);
    else
        buf_putc(out, byte);
}

void escape_json(struct buf *out, const char *text)
{
    buf_putc(out, '"');
    for (; *text; text++)
        put_byte(out, *text);
    buf_putc(out, '"');
}

/* Decode the next character for a page: U+FFFD for a harmful one and for a byte outside UTF-8. */
static size_t page_next(uint32_t *out, const char *text)
{
    size_t n = utf8_next(out, text);

    if (!n || (is_harmful(*out) && *out != '\n' && *out != '\t') || *out == 0xfffe ||
        *out == 0xffff)
        *out = 0xfffd;
    return n ? n : 1;
}

static void put_html_byte(struct buf *out, char byte)
{
    static const char signs[] = "<>&\"'";
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    const char *sign = strchr(signs, byte);

    if (sign)
        buf_puts(out, entities[sign - signs]);
    else
        buf_putc(out, byte);
}

void escape_html(struct buf *out, const char *text)
{
    while (*text) {
        uint32_t code;
        size_t n = page_next(&code, text);

        if (code == 0xfffd)
            buf_puts(out, REPLACEMENT);
        else if (n == 1)
            put_html_byte(out, *text);
        else
            buf_add(out, text, n);
        text += n;
    }
}

static void put_json(struct buf *out, const char *text, bool is_page)
{
    buf_putc(out, '"');
    while (*text) {
        uint32_t code;
        size_t n = is_page ? page_next(&code, text) : utf8_next(&code, text);

        if (!n)
            buf_puts(out, REPLACEMENT);
        else if (is_page ? code == 0xfffd || code == '<' || code == '>' || code == '&'
                         : code >= 0x7f && is_harmful(code))
            buf_printf(out, "\\u%04x", code);
        else if (n == 1)
            put_byte(out, *text);
        else
            buf_add(out, text, n);
        text += n ? n : 1;
    }
    buf_putc(out, '"');
}

void escape_json_terminal(struct buf *out, const char *text)
{
    put_json(out, text, false);
}

void escape_json_html(struct buf *out, const char *text)
{
    put_json(out, text, true);
}

/* Bytes beyond ASCII count as letters. */
static bool is_plain(const char *path)
{
    for (; *path; path++)
        if (!((unsigned char)*path >= 0x80 || (*path >= '0' && *path <= '9') ||
              (*path >= 'a' && *path <= 'z') || (*path >= 'A' && *path <= 'Z') ||
              strchr("_-./,:=@%+", *path)))
            return false;
    return true;
}

void escape_single_quoted(struct buf *out, const char *text)
{
    for (; *text; text++)
        if (*text == '\'')
            buf_puts(out, "'\\''");
        else
            buf_putc(out, *text);
}

static void put_word(struct buf *out, const char *before, const char *word)
{
    const char *quote = *word && is_plain(word) ? "" : "'";

    buf_puts(out, quote);
    buf_puts(out, before);
    escape_single_quoted(out, word);
    buf_puts(out, quote);
}

void escape_shell_word(struct buf *out, const char *word)
{
    put_word(out, "", word);
}

const char *escape_shell(struct buf *out, const char *path)
{
    buf_clear(out);
    put_word(out, *path == '-' ? "./" : "", path);
    return buf_failed(out) ? path : buf_text(out);
}
