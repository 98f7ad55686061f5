/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/curve.h"

#include <string.h>

void curve_release(struct curve *c)
{
    buf_release(&c->epochs);
    buf_release(&c->points);
}

void curve_drop_from(struct curve *c, int32_t epoch)
{
    size_t n = curve_n_epochs(c), n_points = curve_n_points(c);

    while (n && curve_epochs(c)[n - 1] >= epoch)
        n--;
    while (n_points && curve_points(c)[n_points - 1].epoch >= epoch)
        n_points--;
    buf_cut(&c->epochs, n * sizeof(int32_t));
    buf_cut(&c->points, n_points * sizeof(struct program_point));
}

/* Append the points of one epoch whose names are not yet marked with it. Returns the next point. */
static size_t append_points(struct curve *out, const struct curve *from, size_t i, int32_t epoch,
                            int32_t *mark)
{
    const struct program_point *point = curve_points(from);

    for (; i < curve_n_points(from) && point[i].epoch == epoch; i++)
        if (mark[point[i].name] != epoch) {
            mark[point[i].name] = epoch;
            buf_add(&out->points, &point[i], sizeof *point);
        }
    return i;
}

void curve_append_merged(struct curve *out, const struct curve *a, const struct curve *b)
{
    size_t i = 0, j = 0, i_point = 0, j_point = 0;
    int32_t mark[PROGRAM_NAMES];

    memset(mark, -1, sizeof mark);
    while (i < curve_n_epochs(a) || j < curve_n_epochs(b)) {
        int32_t from_a = i < curve_n_epochs(a) ? curve_epochs(a)[i] : INT32_MAX;
        int32_t from_b = j < curve_n_epochs(b) ? curve_epochs(b)[j] : INT32_MAX;
        int32_t epoch = from_a < from_b ? from_a : from_b;

        buf_add(&out->epochs, &epoch, sizeof epoch);
        i_point = append_points(out, a, i_point, epoch, mark);
        j_point = append_points(out, b, j_point, epoch, mark);
        i += i < curve_n_epochs(a) && from_a == epoch;
        j += j < curve_n_epochs(b) && from_b == epoch;
    }
}
