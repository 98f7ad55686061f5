/* SPDX-License-Identifier: BSD-3-Clause */
/* Sparse float32 matrices in compressed sparse row form, columns ascending in each row. */
#ifndef TENSOR_CSR_H
#define TENSOR_CSR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct csr {
    int64_t *row_start; /* [n_rows + 1]; row_start[0] = 0 */
    int32_t *col;       /* [nnz] in [0, n_cols) */
    float *val;         /* [nnz] */
    int32_t n_rows;
    int32_t n_cols;
};

static inline int64_t csr_nnz(const struct csr *a)
{
    return a->row_start[a->n_rows];
}

/* Contents are undefined. */
int csr_init(struct csr *a, int32_t n_rows, int32_t n_cols, int64_t nnz, struct err *err);
void csr_release(struct csr *a);

struct triplet {
    int32_t row;
    int32_t col;
    float val;
};

/* Build from n triplets in any order; sorts them in place and sums equal (row, col). */
int csr_from_triplets(struct csr *a, int32_t n_rows, int32_t n_cols, struct triplet *triplets,
                      int64_t n, struct err *err);

/* out = a transposed. */
int csr_transpose(struct csr *out, const struct csr *a, struct err *err);

/* Count the entries of a b, with those that cancel to 0.
 * Source: Gustavson 1978, ACM TOMS 4:250. */
int csr_count_product(int64_t *nnz, const struct csr *a, const struct csr *b, struct err *err);
/* out = a b with these entries. */
int csr_multiply(struct csr *out, const struct csr *a, const struct csr *b, int64_t nnz,
                 struct err *err);

/* out = D^-1/2 (A + I) D^-1/2, the propagation matrix of a GCN; D holds the row sums of A + I. a:
 * symmetric, non-negative; its diagonal counts as 0.
 * Source: Kipf & Welling 2017, arXiv:1609.02907, eq. 2 ("renormalization trick"). */
int csr_normalize(struct csr *out, const struct csr *a, struct err *err);

/* A zeroed one is empty. */
struct triplets {
    struct triplet *item; /* [n] owned */
    int64_t n;
    int64_t capacity;
};

void triplets_release(struct triplets *list);
int triplets_add(struct triplets *list, struct triplet item, struct err *err);

#endif
