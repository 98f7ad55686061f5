/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/page/html.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/words.h"

static void put(struct buf *out, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
static void put(struct buf *out, const char *format, va_list args)
{
    char *text;

    if (vasprintf(&text, format, args) < 0) {
        out->failed = true;
        return;
    }
    escape_html(out, text);
    free(text);
}

void html_printf(struct buf *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put(out, format, args);
    va_end(args);
}

void html_element(struct buf *out, const char *tag, const char *format, ...)
{
    va_list args;

    buf_printf(out, "<%s>", tag);
    va_start(args, format);
    put(out, format, args);
    va_end(args);
    buf_printf(out, "</%s>\n", tag);
}

void html_long_begin(struct buf *out)
{
    buf_puts(out,
             "<div class=\"long\"><p>A long table, which is not printed, is on the page.</p>\n");
}

void html_long_end(struct buf *out)
{
    buf_puts(out, "</div>\n");
}

void html_table_head(struct html_table *table, const char *name, bool is_number)
{
    buf_printf(table->out, "<th scope=\"col\"%s>", is_number ? " class=\"number\"" : "");
    escape_html(table->out, name);
    buf_puts(table->out, "</th>");
}

void html_table_heads(struct html_table *table, const char *heads)
{
    for (size_t n; *heads; heads += n + (heads[n] == '|')) {
        bool is_number = *heads == '#';
        char name[64];

        n = strcspn(heads, "|");
        snprintf(name, sizeof name, "%.*s", (int)n - is_number, heads + is_number);
        html_table_head(table, name, is_number);
    }
}

void html_table_begin(struct html_table *table, struct buf *out, const char *summary,
                      const char *heads)
{
    *table = (struct html_table){.out = out};
    buf_puts(out, "<details class=\"data\"><summary>");
    escape_html(out, summary);
    buf_puts(out, "</summary><table><thead><tr>");
    html_table_heads(table, heads);
}

void html_table_end(struct html_table *table)
{
    int64_t n = table->n_rows - HTML_ROWS;

    buf_puts(table->out, table->n_rows ? "</tr></tbody></table>" : "</tr></thead></table>");
    if (n > 0)
        html_element(table->out, "p", "%lld more row%s not shown.", (long long)n,
                     n == 1 ? " is" : "s are");
    buf_puts(table->out, "</details>\n");
}

void html_row(struct html_table *table, int64_t config)
{
    table->n_rows++;
    if (table->n_rows > HTML_ROWS)
        return;
    buf_puts(table->out, table->n_rows == 1 ? "</tr></thead><tbody>\n" : "</tr>\n");
    if (config)
        buf_printf(table->out, "<tr data-config=\"%lld\"><td>c%lld</td>", (long long)config,
                   (long long)config);
    else
        buf_puts(table->out, "<tr>");
}

void html_cells(struct html_table *table, const char *format, ...)
{
    va_list args;
    double value;

    if (table->n_rows > HTML_ROWS)
        return;
    va_start(args, format);
    for (; *format; format++) {
        const char *flags = ++format;

        format += strspn(flags, "l");
        buf_puts(table->out, *format == 's' ? "<td>" : "<td class=\"number\">");
        if (*format == 's')
            escape_html(table->out, va_arg(args, const char *));
        else if (*format == 'd')
            buf_put_decimal(table->out,
                            *flags == 'l' ? va_arg(args, long long) : va_arg(args, int));
        else if (isfinite(value = va_arg(args, double)))
            buf_printf(table->out, "%.4g", value);
        buf_puts(table->out, "</td>");
    }
    va_end(args);
}
