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

#endif
