/* SPDX-License-Identifier: BSD-3-Clause */
/* Values beyond the end of an axis. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/real.h"
#include "run/advice.h"

/* With two values, the chosen one is always at an edge. */
#define LEAST_LEVELS 3
enum { N_EXAMPLES = 2, NUMBER_TEXT = 32 };

/* True if equal ratios describe the levels better than equal steps. */
static bool is_geometric(const struct advice_axis *axis)
{
    double ratio[2] = {INFINITY, 0}, step[2] = {INFINITY, 0};

    if (axis->levels[0] <= 0)
        return false;
    for (int32_t i = 1; i < axis->n; i++) {
        double a = axis->levels[i - 1], b = axis->levels[i];

        ratio[0] = fmin(ratio[0], log(b / a));
        ratio[1] = fmax(ratio[1], log(b / a));
        step[0] = fmin(step[0], b - a);
        step[1] = fmax(step[1], b - a);
    }
    return ratio[1] / ratio[0] < step[1] / step[0];
}

static void put_number(char text[NUMBER_TEXT], double number, bool is_whole)
{
    struct buf shortest = {0};

    snprintf(text, NUMBER_TEXT, is_whole ? "%.0f" : "%.2g", number);
    real_format(&shortest, strtod(text, NULL));
    snprintf(text, NUMBER_TEXT, "%s", buf_text(&shortest));
    buf_release(&shortest);
}

static bool has_whole_levels(const struct advice_axis *axis)
{
    bool is = true;

    for (int32_t i = 0; i < axis->n; i++)
        is &= axis->levels[i] == floor(axis->levels[i]);
    return is;
}

/* Counts and amounts of a free name stay counts and amounts, and shares stay below 1. */
static struct param bounds_of(const struct advice_axis *axis)
{
    bool is_whole = has_whole_levels(axis), is_positive = axis->levels[0] > 0;
    bool is_share =
        !is_whole && axis->levels[0] >= 0 && axis->levels[axis->n - 1] < 1 && !is_geometric(axis);

    if (axis->id < P_COUNT)
        return param_table[axis->id];
    return (struct param){.type = is_whole ? PARAM_INT : PARAM_REAL,
                          .min = axis->levels[0] < 0 ? -(double)INFINITY : 0,
                          .max = is_share ? 1 : (double)INFINITY,
                          .flags = (is_positive ? PARAM_OPEN_MIN : 0) | PARAM_OPEN_MAX};
}

static bool is_within(double value, const struct param *p)
{
    return (p->flags & PARAM_OPEN_MIN ? value > p->min : value >= p->min) &&
           (p->flags & PARAM_OPEN_MAX ? value < p->max : value <= p->max);
}

/* Write `next`, which continues the axis beyond `edge`, or the value halfway to the limit. False:
 * none is allowed. */
static bool put_beyond(char text[NUMBER_TEXT], const struct advice_axis *axis, double edge,
                       double next)
{
    const struct param p = bounds_of(axis);
    double limit = next < edge ? p.min : p.max, value;
    bool is_open = p.flags & (next < edge ? PARAM_OPEN_MIN : PARAM_OPEN_MAX);
    double slack = 1e-9 * fabs(edge); /* 0.95 + 0.05 may be less than 1 */

    if (next <= p.min + slack || next >= p.max - slack)
        next = (edge + limit) / 2;
    put_number(text, next, p.type != PARAM_REAL);
    /* A limit of 0 often means `never` or `off`, which is not a smaller value. */
    if (strtod(text, NULL) == edge && !is_open && limit != 0)
        put_number(text, limit, p.type != PARAM_REAL);
    value = strtod(text, NULL);
    return value != edge && (value != 0 || p.min < 0) && is_within(value, &p);
}

/* "0.3 and 1" and "0.3,1"; false: nothing to try. */
static bool put_examples(struct buf *words, struct buf *list, const struct advice_axis *axis,
                         double edge, double inner)
{
    bool is_log = is_geometric(axis);
    char text[NUMBER_TEXT];
    int n = 0;

    for (double last = edge, before = inner; n < N_EXAMPLES; n++) {
        double next = is_log ? last * last / before : last + (last - before);

        if (!put_beyond(text, axis, last, next))
            break;
        buf_printf(words, "%s%s", n ? " and " : "", text);
        buf_printf(list, "%s%s", n ? "," : "", text);
        before = last;
        last = strtod(text, NULL);
    }
    return n > 0;
}

static bool is_same(double a, double b)
{
    return fabs(a - b) <= 1e-12 * fmax(fabs(a), fabs(b));
}

void advice_axis(struct errlist *out, const struct advice_axis *axis, int64_t config)
{
    int32_t last = axis->n - 1, n_values = axis->n + axis->has_full;
    struct buf words = {0}, list = {0};
    bool is_least, is_most, has_more;

    if (n_values < LEAST_LEVELS || axis->n < 2)
        return;
    is_least = is_same(axis->chosen, axis->levels[0]);
    is_most = !axis->has_full && is_same(axis->chosen, axis->levels[last]);
    has_more = (is_least || is_most) &&
               put_examples(&words, &list, axis, axis->levels[is_least ? 0 : last],
                            axis->levels[is_least ? 1 : last - 1]);
    advise(out, RULE_EDGE, has_more,
           "%s" AND "%lld" AND "%.6g" AND "%s" AND "%d" AND "%s" AND "%s" AND "%s", axis->name,
           (long long)config, axis->chosen, is_least ? "smallest" : "largest", n_values,
           buf_text(&words), axis->name, buf_text(&list));
    buf_release(&words);
    buf_release(&list);
}
