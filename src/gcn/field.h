/* The receptive field of a batch: which rows each layer must compute, and no others.
 *
 * Level L (the number of layers) holds the batch's own nodes; level l - 1 holds every node with
 * an entry in A^'s rows of level l, down to level 0, the rows of X W that layer 1 propagates. The
 * gradient over a field is exact: nothing is sampled. Where a level covers most samples it is
 * rounded up to all of them, which costs less than picking rows: their gradients are exact zeros,
 * unless their rows enter the statistics of a batch normalisation (hidden.h). */
#ifndef GCN_FIELD_H
#define GCN_FIELD_H

#include "base/arena.h"
#include "tensor/csr.h"

struct level {
    int32_t n;
    int32_t *rows;   /* [n] ascending */
    int32_t *pos;    /* [N] place in rows, -1 where absent */
    int64_t entries; /* of A^ in these rows */
};

struct field {
    int32_t n_layers;
    int32_t n_samples;
    struct level *level; /* [n_layers + 1] */
};

/* Memory from scratch: 8 N (n_layers + 1) bytes. -1 and err when it is short. */
int field_init(struct field *field, int32_t n_samples, int32_t n_layers, struct arena *scratch,
               struct err *err);

/* The field of n distinct nodes, in any order. Allocates nothing. */
void field_build(struct field *field, const struct csr *a_hat, const int32_t *nodes, int32_t n);

/* Expected number of samples `down` levels below n, in a graph whose samples have `degree` entries
 * of A^ on average, were neighbours drawn at random. */
double field_expected(double n_samples, double degree, double n, int32_t down);

/* rows, pos of a level as the kernels take them: NULL where the level holds every sample. */
const int32_t *field_rows(const struct field *field, int32_t level);
const int32_t *field_pos(const struct field *field, int32_t level);

#endif
