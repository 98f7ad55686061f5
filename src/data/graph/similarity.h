/* SPDX-License-Identifier: BSD-3-Clause */
/* Similarity of samples by dense features: products of all pairs of rows, block by block.
 *
 *     if (similarity_init(&s, d, metric, err) == 0)
 *         while (similarity_next(&s))
 *             for i in [s.first, s.first + s.n_rows), j in [s.first, N): similarity_of(&s, i, j)
 *     similarity_release(&s);
 *
 * Neither N x F floats nor N x N products are in memory. Costs N^2 F flop. */
#ifndef DATA_GRAPH_SIMILARITY_H
#define DATA_GRAPH_SIMILARITY_H

#include "data/core/dataset.h"

/* cosine, correlation: of features as read. kinship: VanRaden 2008, J Dairy Sci 91:4414, method 1:
 * Z Z' / (m sum p (1 - p)), Z = dosage - m p, with the ploidy m of the data. If a feature is below
 * 0, all are coded -1, 0, 1. */
enum graph_metric { GRAPH_COSINE, GRAPH_CORRELATION, GRAPH_KINSHIP };
#define GRAPH_METRICS 3

struct similarity {
    const struct dataset *data; /* borrowed */
    double *scale;              /* [N] 0 for a row of zeros */
    double *shift;              /* [N] */
    double *mean;               /* [N] by which rows are centred, or NULL */
    double *sum;                /* [N] of rows, for correlation of uncentred ones; or NULL */
    double *twice;              /* [K] m p for kinship, or 2p - 1; or NULL */
    double offset;
    double factor;

    int32_t first;   /* rows [first, first + n_rows) with samples [first, N) */
    int32_t n_rows;  /* 0 outside blocks */
    double *product; /* (n_rows, N - first) */
    int32_t max_rows;
    struct mat left, right, part; /* scratch */
};

/* -1 and err if features are sparse, kinship gets values outside [0, m] and [-1, 1] or only
 * monomorphic markers, or memory is short. Release in any case. */
int similarity_init(struct similarity *s, const struct dataset *d, enum graph_metric metric,
                    struct err *err);
void similarity_release(struct similarity *s);

/* Compute the next block; blocks ascend from sample 0. Returns false after the last. */
bool similarity_next(struct similarity *s);

/* i is in the block and j at s->first or later, or the reverse. The result is not finite if
 * features are too large for products in floats. */
double similarity_of(const struct similarity *s, int32_t i, int32_t j);

/* Similarity of other rows to all samples of the data: product (n, N). Allele frequencies are the
 * data's. If both are whole numbers and the data have no missing value, equal samples tie exactly.
 *   x  in  (n, F)  n at most max_rows; only the first K columns are used
 * Not between blocks. Costs n N F flop. */
void similarity_rows(struct similarity *s, const struct mat *x);

/* -1 and err unless v, the similarity of samples i and j of the data, is finite. i < 0: of a new
 * sample and j. */
int similarity_check(double v, const struct dataset *d, int32_t i, int32_t j, struct err *err);

#endif
