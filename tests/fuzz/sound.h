/* SPDX-License-Identifier: BSD-3-Clause */
/* Aborts unless a data set that a reader made keeps what data/core/dataset.h promises. */
#ifndef TESTS_FUZZ_SOUND_H
#define TESTS_FUZZ_SOUND_H

#include <math.h>
#include <stdlib.h>

#include "../unit/symmetric.h"
#include "data/core/dataset.h"

static void sound(bool is)
{
    if (!is)
        abort();
}

static void check_sound(const struct dataset *d)
{
    const struct csr *a = &d->sparse_features;
    const float *v = d->dosage ? d->fill : d->is_sparse ? a->val : d->features.v;
    int64_t n = d->dosage ? d->n_features : d->is_sparse ? csr_nnz(a) : mat_size(&d->features);

    sound(!d->is_sparse || has_sound_rows(a));
    for (int64_t i = 0; i < n; i++)
        sound(isfinite(v[i]));
    for (int64_t i = 0; i < (int64_t)d->n_samples * d->n_fixed; i++)
        sound(isfinite(d->fixed[i]));
    for (int32_t i = 0; i < d->n_samples; i++) {
        sound(!d->target || !isinf(d->target[i]));
        sound(!d->label || (d->label[i] >= -1 && d->label[i] < d->n_classes));
        sound(!d->part || d->part[i] < PART_COUNT);
        sound(!d->group ||
              (d->group[i] >= (dataset_is_labelled(d, i) ? 0 : -1) && d->group[i] < d->n_groups));
        sound(!d->graph_start || d->graph_start[i] < d->graph_start[i + 1]);
    }
    for (int64_t e = 0, g = 0; e < d->n_edges; e++) {
        int32_t from = d->edge_source[e], to = d->edge_target[e];

        while (d->graph_start && from >= d->graph_start[g + 1])
            g++;
        sound(from >= 0 && from < to && to < (d->graph_start ? d->graph_start[g + 1] : d->n_nodes));
        sound(!e || from > d->edge_source[e - 1] ||
              (from == d->edge_source[e - 1] && to > d->edge_target[e - 1]));
        sound(d->edge_weight[e] > 0 && isfinite(d->edge_weight[e]));
    }
}

#endif
