/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/genotype/coding.h"

#include <math.h>
#include <stddef.h>

bool coding_is_same(const struct coding *a, const struct coding *b)
{
    return a->base == b->base && a->span == b->span;
}

float coding_convert(const struct coding *to, const struct coding *from, float v)
{
    return coding_is_same(to, from)
               ? v
               : (float)(((double)v - from->base) / from->span * to->span + to->base);
}

/* Sums over the markers that the data have: x is a marker's mean in the data, y in the table. */
struct means {
    double n, x, y, xx, xy;
};

static struct means compare_means(const struct genotype_table *t, const float *mean,
                                  const struct coding *to, const struct coding *from)
{
    struct means m = {0};

    for (int32_t col = 0; col < t->markers.n_cols; col++) {
        double x = (double)mean[col], y = 0;
        int32_t n_present = 0;

        for (int32_t i = 0; !isnan(x) && i < t->markers.n_rows; i++) {
            float v = genotype_table_cell(t, i, col);

            n_present += !isnan(v);
            y += isnan(v) ? 0 : (double)coding_convert(to, from, v);
        }
        if (!n_present)
            continue;
        y /= n_present;
        m = (struct means){m.n + 1, m.x + x, m.y + y, m.xx + x * x, m.xy + x * y};
    }
    return m;
}

/* Returns the mean squared distance of the line that is fitted to the marker means from y = x. The
 * means themselves are of no use: those of few samples are far from the data's in any coding, and
 * nearer in a coding that shrinks them. */
static double distance(const struct means *m)
{
    double x, y, variance, slope;

    if (m->n == 0)
        return 0;
    x = m->x / m->n;
    y = m->y / m->n;
    variance = m->xx / m->n - x * x;
    slope = variance > 0 ? (m->xy / m->n - x * y) / variance : 1;
    return (y - x) * (y - x) + (slope - 1) * (slope - 1) * variance;
}

int coding_choose(struct coding *out, struct coding *other, const struct genotype_table *t,
                  const float *mean, const struct coding *data)
{
    const struct coding possible[] = {*data,          {0, 1},  {0, 2},
                                      {0, t->ploidy}, {-1, 2}, {-data->span / 2, data->span}};
    double best = INFINITY, second = INFINITY;

    *out = *data;
    for (size_t k = 0; k < sizeof possible / sizeof *possible; k++) {
        const struct coding *p = &possible[k];
        double slack = 0.05 * p->span; /* of imputed dosages */
        struct means m;
        double d;

        if (t->low < p->base - slack || t->high > p->base + p->span + slack ||
            (!isinf(best) && coding_is_same(p, out)))
            continue;
        m = compare_means(t, mean, data, p);
        d = distance(&m);
        if (d < best / 2) {
            second = best;
            *other = *out;
            best = d;
            *out = *p;
        } else if (d < second) {
            second = d;
            *other = *p;
        }
    }
    return isinf(best) ? -1 : second < 4 * best;
}
