/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/figure/scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define TINY 1e-140 /* smaller numbers count as 0; the ratio of both, with room, is finite */
#define BIG 1e140   /* the largest number */

struct value_range value_range_empty(void)
{
    return (struct value_range){.least_positive = NAN, .is_empty = true};
}

void value_range_add(struct value_range *range, double value)
{
    if (!isfinite(value))
        return;
    range->low = range->is_empty ? value : fmin(range->low, value);
    range->high = range->is_empty ? value : fmax(range->high, value);
    range->is_empty = false;
    if (value > 0)
        range->least_positive = fmin(range->least_positive, value); /* ignores NaN */
}

/* ---- ticks ---- */

static void add_tick(struct axis_scale *scale, double tick)
{
    double slack = scale->is_log ? 0 : 1e-9 * (scale->high - scale->low);

    if (scale->n_ticks < SCALE_TICKS && tick >= scale->low - slack && tick <= scale->high + slack)
        scale->ticks[scale->n_ticks++] = tick;
}

/* The step that is closest to a wanted one, on a logarithmic scale, and one of 1, 2, 5, 10 times a
 * power of 10. */
static double nice_step(double wanted)
{
    double power = pow(10, floor(log10(wanted)));
    double f = wanted / power;

    return power * (f < 1.5 ? 1 : f < 3 ? 2 : f < 7 ? 5 : 10);
}

static void ticks_linear(struct axis_scale *scale, int n)
{
    double width = scale->high - scale->low;
    double first, last;

    if (!(width > fmax(TINY, 1e-12 * fmax(fabs(scale->high), fabs(scale->low))))) {
        double room = fabs(scale->high) > TINY ? 0.1 * fabs(scale->high) : 1;

        scale->low -= room;
        scale->high += room;
        width = 2 * room;
    }
    scale->step = nice_step(width / (n > 1 ? n - 1 : 1));
    first = floor(scale->low / scale->step + 1e-6);
    last = ceil(scale->high / scale->step - 1e-6);
    scale->low = first * scale->step;
    scale->high = last * scale->step;
    for (double i = first; i <= last && scale->n_ticks < SCALE_TICKS; i++)
        add_tick(scale, i * scale->step + 0.0);
}

/* Round numbers on a log scale of less than a decade. */
static void ticks_close(struct axis_scale *scale, int n)
{
    double step = nice_step((scale->high - scale->low) / n);

    for (double i = ceil(scale->low / step); i * step <= scale->high; i++)
        add_tick(scale, i * step);
}

static void ticks_log(struct axis_scale *scale, int n)
{
    double decades = log10(scale->high / scale->low);
    double room = pow(10, decades > 0 ? 0.04 * decades : 0.3);
    int first, last, skip;

    scale->low /= room;
    scale->high *= room;
    decades = log10(scale->high / scale->low);
    if (decades < 1) {
        ticks_close(scale, n);
        return;
    }
    first = (int)floor(log10(scale->low));
    last = (int)ceil(log10(scale->high));
    skip = decades > n ? (int)ceil(decades / n) : 1;
    for (int i = first; i <= last; i++) {
        double power = pow(10, i);

        if (i % skip == 0)
            add_tick(scale, power);
        if (decades < 0.6 * n && decades < 3) {
            add_tick(scale, 2 * power);
            add_tick(scale, 5 * power);
        }
    }
}

static double limited(double value, double low, double high)
{
    return fmax(low, fmin(value, high));
}

void scale_init(struct axis_scale *scale, const struct value_range *range, int n, bool is_log,
                double from, double to)
{
    *scale = (struct axis_scale){.high = 1, .from = from, .to = to};
    if (!range->is_empty) {
        scale->low = limited(range->low, -BIG, BIG);
        scale->high = limited(range->high, -BIG, BIG);
    }
    scale->is_log = is_log && !range->is_empty && range->least_positive > 0;
    if (scale->is_log) {
        scale->low = limited(range->least_positive, TINY, BIG);
        scale->high = limited(scale->high, TINY, BIG);
        ticks_log(scale, n);
    } else {
        ticks_linear(scale, n);
    }
}

void scale_crop(struct axis_scale *scale, double low, double high)
{
    int n = scale->n_ticks;

    scale->low = low;
    scale->high = high;
    scale->n_ticks = 0;
    for (int i = 0; i < n; i++)
        add_tick(scale, scale->ticks[i]);
}

double scale_at(const struct axis_scale *scale, double value)
{
    double share = scale->is_log ? log(value > scale->low ? value / scale->low : 1) /
                                       log(scale->high / scale->low)
                                 : (value - scale->low) / (scale->high - scale->low);

    return scale->from + share * (scale->to - scale->from);
}

/* ---- labels ---- */

/* Append a decimal: a hyphen becomes a minus sign, "e+05" becomes "e5". */
static void put_decimal(struct buf *out, const char *text)
{
    const char *exponent = strchr(text, 'e');
    size_t n = exponent ? (size_t)(exponent - text) : strlen(text);

    if (*text == '-') {
        buf_puts(out, "\xe2\x88\x92");
        text++;
        n--;
    }
    buf_add(out, text, n);
    if (!exponent)
        return;
    exponent++;
    buf_puts(out, *exponent == '-' ? "e\xe2\x88\x92" : "e");
    exponent += *exponent == '-' || *exponent == '+';
    exponent += strspn(exponent, "0");
    buf_puts(out, *exponent ? exponent : "0");
}

void number_label(struct buf *out, double value, int digits)
{
    char text[40];

    if (isnan(value))
        return;
    snprintf(text, sizeof text, "%.*g", digits, value == 0 ? 0 : value);
    put_decimal(out, text);
}

void scale_label(struct buf *out, const struct axis_scale *scale, double tick)
{
    double most = fmax(fabs(scale->low), fabs(scale->high));
    char text[40];
    int decimals = scale->step > 0 ? (int)fmax(0, -floor(log10(scale->step) + 1e-9)) : 0;

    if (scale->is_log || most >= 1e6 || decimals > 5) {
        double ratio = scale->step > 0 ? most / scale->step : 1e5;

        number_label(out, tick, 1 + (int)fmax(0, ceil(log10(ratio))));
        return;
    }
    snprintf(text, sizeof text, "%.*f", decimals, tick == 0 ? 0 : tick);
    put_decimal(out, text);
}
