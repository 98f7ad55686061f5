/* SPDX-License-Identifier: BSD-3-Clause */
/* Dense row-major float32 matrices without padding: element (i, j) is v[i * n_cols + j]. */
#ifndef TENSOR_MAT_H
#define TENSOR_MAT_H

#include <stdint.h>

#include "base/err.h"

struct mat {
    float *v; /* (n_rows, n_cols); owned after mat_init(), borrowed in a view */
    int32_t n_rows;
    int32_t n_cols;
};

/* Zeroed, aligned to 64 bytes. */
int mat_init(struct mat *m, int32_t n_rows, int32_t n_cols, struct err *err);
void mat_release(struct mat *m);

/* Never release it. */
struct mat mat_view(float *v, int32_t n_rows, int32_t n_cols);

static inline int64_t mat_size(const struct mat *m)
{
    return (int64_t)m->n_rows * m->n_cols;
}

static inline float *mat_row(const struct mat *m, int32_t i)
{
    return m->v + (int64_t)i * m->n_cols;
}

#endif
