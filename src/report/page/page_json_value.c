/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/page/page_json_value.h"

#include <math.h>

#include "base/escape.h"

void json_name(struct buf *out, const char *text)
{
    char last = out->size ? out->data[out->size - 1] : '{';

    if (last != '{' && last != '[')
        buf_putc(out, ',');
    buf_printf(out, "\"%s\":", text);
}

void json_comma(struct buf *out)
{
    if (out->size && out->data[out->size - 1] != '[')
        buf_putc(out, ',');
}

void json_real(struct buf *out, double value)
{
    if (!isfinite(value))
        buf_puts(out, "null");
    else if (value == floor(value) && fabs(value) < 1e15)
        buf_put_decimal(out, (int64_t)value);
    else
        buf_printf(out, "%.6g", value);
}

void json_put_real(struct buf *out, const char *member, double value)
{
    json_name(out, member);
    json_real(out, value);
}

void json_put_integer(struct buf *out, const char *member, int64_t value)
{
    json_name(out, member);
    buf_put_decimal(out, value);
}

void json_put_bool(struct buf *out, const char *member, bool value)
{
    json_name(out, member);
    buf_puts(out, value ? "true" : "false");
}

void json_put_text(struct buf *out, const char *member, const char *text)
{
    json_name(out, member);
    if (text)
        escape_json_html(out, text);
    else
        buf_puts(out, "null");
}

void json_put_id(struct buf *out, const char *member, int64_t id)
{
    json_name(out, member);
    if (id)
        buf_put_decimal(out, id);
    else
        buf_puts(out, "null");
}

void json_reals(struct buf *out, const double *values, int32_t n)
{
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++) {
        json_comma(out);
        json_real(out, values[i]);
    }
    buf_putc(out, ']');
}

void json_put_reals(struct buf *out, const char *member, const double *values, int32_t n)
{
    json_name(out, member);
    json_reals(out, values, n);
}

void json_put_integers(struct buf *out, const char *member, const int32_t *values, int32_t n)
{
    json_name(out, member);
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++) {
        json_comma(out);
        buf_put_decimal(out, values[i]);
    }
    buf_putc(out, ']');
}

void json_put_texts(struct buf *out, const char *member, const char *const *texts, int32_t n)
{
    json_name(out, member);
    buf_putc(out, '[');
    for (int32_t i = 0; i < n; i++) {
        json_comma(out);
        escape_json_html(out, texts[i]);
    }
    buf_putc(out, ']');
}

int32_t page_json_configs(const struct sweep_data *d)
{
    return d->n_configs < PAGE_CONFIGS ? d->n_configs : PAGE_CONFIGS;
}

bool page_json_has(const struct sweep_data *d, int64_t config)
{
    int32_t c = sweep_data_find(d, config);

    return c >= 0 && c < PAGE_CONFIGS;
}
