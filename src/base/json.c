#include "base/json.h"

#include "base/utf8.h"

static void put_byte(struct buf *out, char byte)
{
    if (byte == '"' || byte == '\\')
        buf_printf(out, "\\%c", byte);
    else if ((unsigned char)byte < 0x20)
        buf_printf(out, "\\u%04x", (unsigned int)byte);
    else
        buf_putc(out, byte);
}

void json_text(struct buf *out, const char *text)
{
    buf_putc(out, '"');
    for (; *text; text++)
        put_byte(out, *text);
    buf_putc(out, '"');
}

void json_shown(struct buf *out, const char *text)
{
    buf_putc(out, '"');
    while (*text) {
        uint32_t code;
        size_t n = utf8_next(&code, text);

        if (n && code >= 0x7f && utf8_is_harmful(code)) {
            buf_printf(out, "\\u%04x", code);
            text += n;
        } else {
            put_byte(out, *text++);
        }
    }
    buf_putc(out, '"');
}
