/* SPDX-License-Identifier: BSD-3-Clause */
/* A learning curve of a program: epochs, and values of names in them. All functions are local. */
#ifndef PROGRAM_CURVE_H
#define PROGRAM_CURVE_H

#include "program/report.h"

struct curve {
    struct buf epochs; /* int32_t, ascending */
    struct buf points; /* struct program_point, by ascending epoch */
};

static inline int32_t *curve_epochs(const struct curve *c)
{
    return (int32_t *)(void *)c->epochs.data;
}

static inline size_t curve_n_epochs(const struct curve *c)
{
    return c->epochs.size / sizeof(int32_t);
}

static inline struct program_point *curve_points(const struct curve *c)
{
    return (struct program_point *)(void *)c->points.data;
}

static inline size_t curve_n_points(const struct curve *c)
{
    return c->points.size / sizeof(struct program_point);
}

static inline int32_t curve_last_epoch(const struct curve *c)
{
    size_t n = curve_n_epochs(c);

    return n ? curve_epochs(c)[n - 1] : -1;
}

void curve_release(struct curve *c);

/* Remove an epoch and those after it. */
void curve_drop_from(struct curve *c, int32_t epoch);

/* Append two curves to `out`, whose epochs are all smaller. A value of a
 * takes precedence over that of b. */
void curve_append_merged(struct curve *out, const struct curve *a, const struct curve *b);

#endif
