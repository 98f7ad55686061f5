/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_UNIT_SYMMETRIC_H
#define TESTS_UNIT_SYMMETRIC_H

#include <stdbool.h>
#include <string.h>

#include "tensor/csr.h"

static inline bool is_symmetric(const struct csr *a)
{
    size_t n = (size_t)csr_nnz(a);
    struct csr turned;
    bool is_same;

    if (a->n_rows != a->n_cols || csr_transpose(&turned, a, NULL))
        return false;
    is_same =
        !memcmp(turned.row_start, a->row_start, ((size_t)a->n_rows + 1) * sizeof *a->row_start) &&
        !memcmp(turned.col, a->col, n * sizeof *a->col) &&
        !memcmp(turned.val, a->val, n * sizeof *a->val);
    csr_release(&turned);
    return is_same;
}

/* Rows follow each other, and columns ascend in each. */
static inline bool has_sound_rows(const struct csr *a)
{
    bool is_sound = a->row_start[0] == 0;

    for (int32_t r = 0; is_sound && r < a->n_rows; r++) {
        is_sound = a->row_start[r] <= a->row_start[r + 1];
        for (int64_t e = a->row_start[r]; is_sound && e < a->row_start[r + 1]; e++)
            is_sound = a->col[e] < a->n_cols &&
                       (e == a->row_start[r] ? a->col[e] >= 0 : a->col[e] > a->col[e - 1]);
    }
    return is_sound;
}

#endif
