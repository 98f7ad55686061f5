/* SPDX-License-Identifier: BSD-3-Clause */
/* How alike samples are, from their dense features: the products of all pairs of rows, a block of
 * them at a time.
 *
 *     if (similarity_init(&s, d, metric, err) == 0)
 *         while (similarity_next(&s))
 *             for i in [s.first, s.first + s.n_rows), j in [s.first, N): similarity_of(&s, i, j)
 *     similarity_release(&s);
 *
 * Rows are read through dataset_decode() a panel of columns at a time, so that neither N x F floats
 * nor N x N products are ever held. Cost N^2 F flop: each pair is multiplied once. */
#ifndef DATA_GRAPH_SIMILARITY_H
#define DATA_GRAPH_SIMILARITY_H

#include "data/core/dataset.h"

/* cosine, correlation: of the samples' feature rows as they were read. kinship: VanRaden 2008,
 * J Dairy Sci 91:4414, method 1: Z Z' / (2 sum p (1 - p)), Z = dosage - 2p. Where a feature is
 * below 0, all are taken as coded -1, 0, 1: a dosage is one more than its feature. */
enum graph_metric { GRAPH_COSINE, GRAPH_CORRELATION, GRAPH_KINSHIP };
#define GRAPH_METRICS 3

struct similarity {
    const struct dataset *data; /* borrowed */
    double *scale;              /* [N]; 0 for a row of zeros: similar to nothing */
    double *shift;              /* [N] */
    double *mean;               /* [N] of each row, which it is centred by; NULL: left as it is */
    double *sum;                /* [N] of each row, correlation of rows left as they are; or NULL */
    double *twice; /* [K] 2p of kinship, 2p - 1 where features are coded -1, 0, 1; or NULL */
    double offset;
    double factor;

    int32_t first;   /* the block: rows [first, first + n_rows) with [first, N) */
    int32_t n_rows;  /* 0 before the first and after the last */
    double *product; /* (n_rows, N - first) */
    int32_t max_rows;
    struct mat left, right, part; /* scratch */
};

/* -1 and err: sparse features, kinship of values outside [0, 2] and [-1, 1] or of monomorphic
 * markers alone, memory short. Release in any case. */
int similarity_init(struct similarity *s, const struct dataset *d, enum graph_metric metric,
                    struct err *err);
void similarity_release(struct similarity *s); /* takes a zeroed one */

/* The next block: blocks follow each other from sample 0 to the last. false: there is none. */
bool similarity_next(struct similarity *s);

/* Of samples i and j; one must be in the block, the other from its first on. Not finite where
 * features are too large for a float's products. */
double similarity_of(const struct similarity *s, int32_t i, int32_t j);

/* How alike rows that are not in the data are to all of its samples: into product (n, N). What is
 * of the data (allele frequencies) is theirs alone. Where both are whole numbers and none of the
 * data's is missing, equal samples tie to the last bit.
 *   x  in (n, F) n at most max_rows; only their first K columns count
 * Not while blocks are gone through. Cost n N F flop. */
void similarity_rows(struct similarity *s, const struct mat *x);

/* -1 and err unless v, which is that of i and j, is finite. */
int similarity_check(double v, int32_t i, int32_t j, struct err *err);

#endif
