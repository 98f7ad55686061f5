/* SPDX-License-Identifier: BSD-3-Clause */
/* A dataset block from another process. Sizes and hashes are corrected first, since a fuzzer does
 * not guess them. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/block.h"
#include "data/core/dataset.h"
#include "data/core/split.h"
#include "data/graph/graph.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void decode(const struct dataset *d)
{
    struct mat row;

    if (mat_init(&row, 1, d->n_features, NULL) != 0)
        return;
    for (int32_t i = 0; i < d->n_nodes; i++) {
        dataset_decode(&row, d, i, 0);
        for (int32_t j = 0; j < d->n_features; j++)
            if (!isfinite(row.v[j]))
                abort();
    }
    mat_release(&row);
}

static void walk_graphs(const struct dataset *d)
{
    for (int32_t i = 0; i < d->n_samples; i++) {
        struct dataset_graph g = dataset_graph(d, i);

        for (int64_t e = 0; e < g.n_edges; e++)
            if (g.source[e] < g.edge_base || g.target[e] - g.edge_base >= g.n_nodes ||
                !(g.weight[e] > 0))
                abort();
    }
}

static void use(const struct dataset *d)
{
    struct split_spec spec = {.test = 0.2, .folds = 2, .seed = 1};
    struct graph_spec graph = {.build = GRAPH_FILE};
    struct split split;
    struct csr a;
    size_t length = 0;

    for (int32_t i = 0; i < d->n_samples; i++)
        length += strlen(dataset_id(d, i));
    for (int32_t j = 0; j < d->n_features; j++)
        length += strlen(dataset_feature_name(d, j)) + strlen(dataset_alleles(d, j)) +
                  strlen(dataset_marker_id(d, j));
    for (int32_t c = 0; c < d->n_classes; c++)
        length += strlen(dataset_class_name(d, c));
    for (int32_t g = 0; g < d->n_groups; g++)
        length += strlen(dataset_group_name(d, g));
    if (length > d->block_bytes || (d->is_sparse && csr_check(&d->sparse_features, NULL)))
        abort();
    if (!d->is_sparse)
        decode(d);
    if (split_make(&split, d, &spec, NULL) == 0)
        split_release(&split);
    if (d->graph_start) {
        walk_graphs(d);
    } else if (graph_build(&a, d, &graph, NULL) == 0) {
        if (csr_check(&a, NULL) || !csr_is_symmetric(&a))
            abort();
        csr_release(&a);
    }
}

/* Make sizes add up where possible, and compute the hashes. */
static void complete(struct block_header *h, size_t bytes)
{
    if (!h->allele_bytes && !h->marker_id_bytes)
        h->data_bytes = bytes;
    if (h->n_features >= 0 && h->data_bytes >= sizeof *h && h->data_bytes <= bytes &&
        h->allele_bytes <= bytes && h->marker_id_bytes <= bytes && block_whole_bytes(h) == bytes)
        block_sign(h);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    size_t room = n ? block_align(n) : BLOCK_ALIGNMENT;
    struct block_header *h = aligned_alloc(BLOCK_ALIGNMENT, room);
    struct dataset d;
    struct err err;

    if (!h)
        abort();
    memset(h, 0, room);
    memcpy(h, bytes, n);
    if (n >= sizeof *h)
        complete(h, room);
    if (dataset_open(&d, h, n >= sizeof *h ? room : n, &err) == 0)
        use(&d);
    dataset_release(&d);
    free(h);
    return 0;
}
