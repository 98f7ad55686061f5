/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/free_value.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/real.h"

#define EXACT 1e15 /* real_format() writes smaller whole numbers as digits */

const char *free_value_skip_quoted(const char *text)
{
    char quote = *text++;

    for (; *text; text++) {
        if (*text == '\\' && quote == '"' && text[1])
            text++;
        else if (*text == quote && quote == '\'' && text[1] == quote)
            text++;
        else if (*text == quote)
            return text + 1;
    }
    return NULL;
}

/* text: in double quotes, after the first. */
static int read_escaped(struct buf *out, const char *text, const char *end, struct err *err)
{
    static const char from[] = "nt\\\"", to[] = "\n\t\\\"";

    for (; text < end; text++) {
        const char *found;

        if (*text != '\\') {
            buf_putc(out, *text);
            continue;
        }
        text++;
        found = strchr(from, *text);
        if (!found)
            return err_set(err,
                           "'\\%c' is unknown: in double quotes \\n \\t \\\\ and \\\" are allowed",
                           *text);
        buf_putc(out, to[found - from]);
    }
    return 0;
}

static int read_quoted(struct buf *out, const char *text, struct err *err)
{
    const char *end = free_value_skip_quoted(text);

    if (!end)
        return err_set(err, "the quote %c is not closed", *text);
    if (*end)
        return err_set(err, "'%.20s' follows the closing quote: quote the whole value", end);
    end--;
    if (*text == '"')
        return read_escaped(out, text + 1, end, err);
    for (text++; text < end; text++) {
        buf_putc(out, *text);
        text += *text == '\'';
    }
    return 0;
}

/* The number is smaller than a double holds with all digits; threads may flush it to 0. */
static bool is_too_small(double number, const char *text)
{
    size_t mantissa = strcspn(text, "eE");

    return fabs(number) < DBL_MIN && strcspn(text, "123456789") < mantissa;
}

static bool is_plain_number(double *number, const char *text)
{
    const char *digits = text + strspn(text, "+-");
    size_t n = strspn(digits, "0123456789");

    return !real_parse(number, text) && !(n > 1 && *digits == '0') &&
           !(!digits[n] && fabs(*number) >= EXACT) && !is_too_small(*number, text);
}

int free_value_read(struct buf *out, const char *text, struct err *err)
{
    double number;

    if (*text == '\'' || *text == '"')
        return read_quoted(out, text, err);
    if (is_plain_number(&number, text))
        real_format(out, number);
    else
        buf_puts(out, text);
    return 0;
}

bool free_value_is_number(const char *value)
{
    struct buf shortest = {0};
    double number;
    bool is = is_plain_number(&number, value);

    if (is) {
        real_format(&shortest, number);
        is = !strcmp(buf_text(&shortest), value);
    }
    buf_release(&shortest);
    return is;
}

/* Characters that mean something in a list, a range or a line of a sweep file. */
static bool is_plain(const char *value)
{
    double number;

    if (!*value || isspace((unsigned char)*value) ||
        isspace((unsigned char)value[strlen(value) - 1]))
        return false;
    for (const char *c = value; *c; c++)
        if ((unsigned char)*c < ' ' || strchr(",;:#'\"\\(", *c))
            return false;
    return free_value_is_number(value) || !is_plain_number(&number, value);
}

void free_value_write(struct buf *out, const char *value)
{
    static const char from[] = "\n\t\\\"", to[] = "nt\\\"";

    if (is_plain(value)) {
        buf_puts(out, value);
        return;
    }
    buf_putc(out, '"');
    for (; *value; value++) {
        const char *found = strchr(from, *value);

        if (found)
            buf_putc(out, '\\');
        buf_putc(out, found ? to[found - from] : *value);
    }
    buf_putc(out, '"');
}
