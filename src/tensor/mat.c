/* SPDX-License-Identifier: BSD-3-Clause */
#include "tensor/mat.h"

#include <stdlib.h>
#include <string.h>

/* a cache line, an AVX-512 register */
#define ALIGNMENT 64

int mat_init(struct mat *m, int32_t n_rows, int32_t n_cols, struct err *err)
{
    size_t bytes = (size_t)n_rows * (size_t)n_cols * sizeof *m->v;
    size_t rounded = (bytes / ALIGNMENT + 1) * ALIGNMENT;

    *m = (struct mat){.n_rows = n_rows, .n_cols = n_cols};
    m->v = aligned_alloc(ALIGNMENT, rounded);
    if (!m->v) {
        *m = (struct mat){0};
        return err_nomem(err, "matrix", rounded);
    }
    memset(m->v, 0, rounded);
    return 0;
}

void mat_release(struct mat *m)
{
    if (!m)
        return;
    free(m->v);
    *m = (struct mat){0};
}

struct mat mat_view(float *v, int32_t n_rows, int32_t n_cols)
{
    return (struct mat){.v = v, .n_rows = n_rows, .n_cols = n_cols};
}
