/* SPDX-License-Identifier: BSD-3-Clause */
/* One batch whose rows the workers of a crew divide, for training in full batch.
 *
 * Worker w owns the nodes first[w] ... first[w + 1] - 1 at every level of every field, or the graphs
 * at these places of the batch. It computes its own rows alone. A product with A^ also reads rows of
 * other workers: row_buffers_share() lets every rank see them. Sums over rows are parts that the
 * crew adds. Each rank runs its workers one after the other:
 *
 *     for (int32_t w = division_begin(field); w < division_end(field); w++)
 *
 * Example: of ten nodes with equally many neighbours and two workers, worker 0 owns the nodes 0 to 4 at
 * every level. Its second layer reads rows of the nodes 5 to 9 that are neighbours of its own, which
 * worker 1 has computed in the first layer and shared.
 *
 * An undivided field has one worker, with all rows. */
#ifndef GCN_DIVISION_H
#define GCN_DIVISION_H

#include "base/arena.h"
#include "gcn/crew.h"
#include "gcn/model.h"
#include "gcn/receptive_field.h"
#include "tensor/csr.h"
#include "tensor/mat.h"

struct division {
    struct crew *crew; /* borrowed */
    int32_t *first;    /* [W + 1] */
    size_t *bounds;    /* [W + 1] scratch */
    float *parts;      /* (W, n_weights) gradients, from take_parts() */
};

/* n graphs, or n nodes. */
struct division_samples {
    const struct csr *a_hat;
    const int64_t *graph_start; /* NULL: nodes */
    const int32_t *ids;         /* [n]; NULL: 0 ... n - 1 */
    int32_t n;
};

/* Rows of A^ that belong to sample i of the n, and their entries. */
int64_t division_weight(const struct division_samples *samples, int32_t i);

/* first [n_workers + 1] out: cut the samples into consecutive ranges of about equal weight. */
void division_cut(int32_t *first, int32_t n_workers, const struct division_samples *samples);

/* Cut the samples, whatever the ranks. Takes memory from scratch and the crew. -1 and err: out of
 * memory. */
int division_init(struct division *division, struct crew *crew,
                  const struct division_samples *samples, int64_t n_weights, struct arena *scratch,
                  struct err *err);

/* Workers of this rank. */
int32_t division_begin(const struct receptive_field *field);
int32_t division_end(const struct receptive_field *field);

/* total [count] = sum of the parts (workers of this rank, count). */
void division_sum(double *total, const struct receptive_field *field, const double *parts,
                  size_t count);

/* The views of a worker's part of the gradient: valid until the next call. */
struct layer *division_gradient(struct model *model, const struct receptive_field *field,
                                int32_t worker);

/* A worker's rows of m. */
struct mat division_rows(const struct mat *m, struct span span);

/* out = A^ from in the workers' rows of level `to`; from: of level from_level. */
void division_spmm(struct mat *out, const struct receptive_field *field, int32_t to,
                   const struct csr *a_hat, const struct mat *from, int32_t from_level);

/* ---- matrices of which workers read each other's rows ---- */

enum { ROW_BUFFERS = 3 };

/* The third is for divided rows of nodes. Then a matrix may get a buffer only if no rank can still
 * read what was there before: not the buffer that was shared last. */
struct row_buffers {
    float *v[ROW_BUFFERS]; /* (capacity, width) */
    int shared;            /* the last one that other ranks may read; -1: none */
};

/* division: NULL if all fields are undivided or of graphs. Takes memory from scratch, or common
 * memory of the crew. */
int row_buffers_init(struct row_buffers *buffers, const struct division *division, size_t size,
                     struct arena *scratch, struct err *err);

/* A buffer other than `used` (-1: any) that may be written. */
int row_buffers_free(const struct row_buffers *buffers, int used);

/* True if workers of the field need each other's rows. */
bool division_has_shares(const struct receptive_field *field);

/* Let every rank see all rows of m, of a level: in common memory, or in a buffer. Does nothing
 * without division_has_shares(). */
void division_share(const struct receptive_field *field, int32_t level, const struct mat *m);
void row_buffers_share(struct row_buffers *buffers, int buffer, const struct receptive_field *field,
                       int32_t level, const struct mat *m);

#endif
