/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/page/json.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/escape.h"

void json_printf(struct buf *out, const char *format, ...)
{
    va_list args;

    if (out->size && !strchr("[{:", out->data[out->size - 1]))
        buf_putc(out, ',');
    va_start(args, format);
    for (; *format; format++) {
        const char *flags = format + 1;
        const char *text;
        double value;

        if (*format != '%') {
            buf_putc(out, *format == '\'' ? '"' : *format);
            continue;
        }
        format = flags + strspn(flags, ".34l");
        switch (*format) {
        case 'd':
            buf_put_decimal(out, *flags == 'l' ? va_arg(args, long long) : va_arg(args, int));
            break;
        case 'i':
            buf_puts(out, va_arg(args, int) ? "true" : "false");
            break;
        case 's':
            text = va_arg(args, const char *);
            if (text)
                escape_json_html(out, text);
            else
                buf_puts(out, "null");
            break;
        default: /* g, f */
            value = va_arg(args, double);
            if (!isfinite(value))
                buf_puts(out, "null");
            else if (*format == 'f')
                buf_printf(out, "%.3f", value);
            else if (*flags == '.')
                buf_printf(out, "%.4g", value);
            else if (value == floor(value) && fabs(value) < 1e15)
                buf_put_decimal(out, (int64_t)value);
            else
                buf_printf(out, "%.6g", value);
        }
    }
    va_end(args);
}

bool json_has_config(const struct sweep_data *d, int64_t config)
{
    int32_t c = sweep_data_find(d, config);

    return c >= 0 && c < PAGE_CONFIGS;
}
