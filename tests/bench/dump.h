/* SPDX-License-Identifier: BSD-3-Clause */
/* Data of a benchmark for a peer (peer_graphs.py), as raw numbers: int32 samples, nodes, features,
 * edges; then start [samples + 1], ends of edges (both directions, not sorted) [2][edges], features
 * (float), label, part (1 to 3). A sample is a graph, or a node. */
#ifndef TESTS_BENCH_DUMP_H
#define TESTS_BENCH_DUMP_H

#include <stdio.h>
#include <stdlib.h>

#include "data/core/dataset.h"
#include "data/core/split.h"

static inline void dump_put(FILE *file, const int32_t *v, size_t n)
{
    fwrite(v, sizeof *v, n, file);
}

static inline void dump_part(int32_t *part, const int32_t *samples, int32_t n, enum part which)
{
    for (int32_t i = 0; i < n; i++)
        part[samples[i]] = (int32_t)which;
}

static inline int dump_data(const char *path, const struct dataset *d, const struct csr *a,
                            const struct split *split, struct err *err)
{
    const int32_t head[] = {d->n_samples, d->n_nodes, d->n_features, (int32_t)csr_nnz(a)};
    int32_t *part = calloc((size_t)d->n_samples, sizeof *part);
    struct mat x;
    FILE *file = fopen(path, "wb");

    if (!file || !part)
        return err_set(err, "cannot write %s", path);
    if (mat_init(&x, d->n_nodes, d->n_features, err))
        return -1;
    dump_part(part, split->train, split->n_train, PART_TRAIN);
    dump_part(part, split->val, split->n_val, PART_VAL);
    dump_part(part, split->test, split->n_test, PART_TEST);
    dump_put(file, head, 4);
    for (int32_t g = 0; g <= d->n_samples; g++)
        dump_put(file, (const int32_t[]){d->graph_start ? (int32_t)d->graph_start[g] : g}, 1);
    for (int32_t i = 0; i < a->n_rows; i++)
        for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++)
            dump_put(file, &i, 1);
    dump_put(file, a->col, (size_t)csr_nnz(a));
    dataset_decode(&x, d, 0, 0);
    fwrite(x.v, sizeof *x.v, (size_t)mat_size(&x), file);
    dump_put(file, d->label, (size_t)d->n_samples);
    dump_put(file, part, (size_t)d->n_samples);
    mat_release(&x);
    free(part);
    return fclose(file) ? err_set(err, "cannot write %s", path) : 0;
}

#endif
