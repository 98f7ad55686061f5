#include "base/json.h"

void json_text(struct buf *out, const char *text)
{
    buf_putc(out, '"');
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte == '"' || byte == '\\')
            buf_printf(out, "\\%c", byte);
        else if (byte < 0x20)
            buf_printf(out, "\\u%04x", byte);
        else
            buf_putc(out, *text);
    }
    buf_putc(out, '"');
}
