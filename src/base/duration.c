/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/duration.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/real.h"

/* Moves *text behind the digits. */
static int field_parse(double *out, const char **text)
{
    size_t n = strspn(*text, "0123456789");

    if (n == 0 || n > 9)
        return -1;
    *out = strtod(*text, NULL);
    *text += n;
    return 0;
}

/* [days-]hours:minutes:seconds, days-hours[:minutes], minutes:seconds */
static int clock_form(double *out, const char *text)
{
    double days = 0, field[3] = {0};
    const char *dash = strchr(text, '-');
    int n = 0;

    if (dash && (field_parse(&days, &text) || *text++ != '-'))
        return -1;
    do {
        if (n == 3 || field_parse(&field[n], &text) || (n > 0 && field[n] >= 60))
            return -1;
        n++;
    } while (*text == ':' && *++text);
    if (*text || text[-1] == ':' || (!dash && n < 2))
        return -1;
    if (!dash && n == 2)
        *out = 60 * field[0] + field[1];
    else
        *out = 86400 * days + 3600 * field[0] + 60 * field[1] + field[2];
    return 0;
}

/* A sum of numbers with units, or one plain number of seconds. */
static int unit_form(double *out, const char *text)
{
    static const char units[] = "smhd";
    static const double seconds[] = {1, 60, 3600, 86400};
    double sum = 0;

    if (real_parse(out, text) == 0)
        return *out < 0 ? -1 : 0;
    while (*text) {
        size_t n = strspn(text, ".0123456789");
        const char *unit = strchr(units, text[n]);
        char *end;
        double number = strtod(text, &end);

        if (n == 0 || end != text + n || !unit || !*unit)
            return -1;
        sum += number * seconds[unit - units];
        text += n + 1;
    }
    *out = sum;
    return isfinite(sum) ? 0 : -1;
}

int duration_parse(double *out, const char *text, struct err *err)
{
    double seconds;

    if (!*text || (unit_form(&seconds, text) && clock_form(&seconds, text)))
        return err_set(err, "must be a duration such as 90s, 15m, 2h or 1-12:00:00");
    *out = seconds;
    return 0;
}

void duration_format(struct buf *out, double seconds)
{
    size_t before = out->size;

    real_format(out, seconds);
    /* duration_parse() rejects "1e+20s" but accepts "1e+20". */
    if (!strchr(buf_text(out) + before, 'e'))
        buf_putc(out, 's');
}

char *duration_words(char out[DURATION_TEXT], double seconds)
{
    static const struct {
        double seconds;
        const char *name;
    } units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
    size_t i = 0;
    double whole, rest;

    if (seconds < 10) {
        snprintf(out, DURATION_TEXT, "%.2g s", seconds);
        return out;
    }
    seconds = fmin(floor(seconds), 1e12);
    while (seconds < units[i].seconds)
        i++;
    whole = floor(seconds / units[i].seconds);
    rest = i < 3 ? floor(fmod(seconds, units[i].seconds) / units[i + 1].seconds) : 0;
    if (rest > 0)
        snprintf(out, DURATION_TEXT, "%.0f %s %.0f %s", whole, units[i].name, rest,
                 units[i + 1].name);
    else
        snprintf(out, DURATION_TEXT, "%.0f %s", whole, units[i].name);
    return out;
}
