/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/division.h"

#include <string.h>

#include "tensor/spmm.h"

int64_t division_weight(const struct division_samples *samples, int32_t i)
{
    const int64_t *row_start = samples->a_hat->row_start;
    int32_t id = samples->ids ? samples->ids[i] : i;
    int64_t begin = id, end = begin + 1;

    if (samples->graph_start) {
        begin = samples->graph_start[id];
        end = samples->graph_start[id + 1];
    }
    return row_start[end] - row_start[begin] + end - begin;
}

void division_cut(int32_t *first, int32_t n_workers, const struct division_samples *samples)
{
    int64_t w = 0, total = 0, before = 0;

    for (int32_t i = 0; i < samples->n; i++)
        total += division_weight(samples, i);
    for (int32_t i = 0; i < samples->n; i++) {
        while (w < n_workers && before * n_workers >= total * w)
            first[w++] = i;
        before += division_weight(samples, i);
    }
    while (w <= n_workers)
        first[w++] = samples->n;
}

int division_init(struct division *division, struct crew *crew,
                  const struct division_samples *samples, int64_t n_weights, struct arena *scratch,
                  struct err *err)
{
    size_t n = (size_t)crew->n_workers + 1;

    *division = (struct division){
        .crew = crew,
        .first = arena_take(scratch, n, sizeof *division->first),
        .bounds = arena_take(scratch, n, sizeof *division->bounds),
    };
    if (scratch->is_short)
        return err_nomem(err, "workers", n * sizeof *division->bounds);
    if (!scratch->counts)
        division_cut(division->first, crew->n_workers, samples);
    division->parts = crew->calls->take_parts(crew, (size_t)n_weights, err);
    return division->parts ? 0 : -1;
}

int32_t division_begin(const struct receptive_field *field)
{
    return field->division ? field->division->crew->first : 0;
}

int32_t division_end(const struct receptive_field *field)
{
    return field->division ? field->division->crew->first + field->division->crew->n : 1;
}

void division_sum(double *total, const struct receptive_field *field, const double *parts,
                  size_t count)
{
    struct crew *crew = field->division ? field->division->crew : NULL;

    if (!crew) {
        memcpy(total, parts, count * sizeof *total);
        return;
    }
    memset(total, 0, count * sizeof *total);
    crew->calls->sum_few(crew, total, parts, count);
}

struct layer *division_gradient(struct model *model, const struct receptive_field *field,
                                int32_t worker)
{
    if (field->division)
        model_direct_gradient(model, field->division->parts + (ptrdiff_t)worker * model->n_weights);
    return model->d_layer;
}

struct mat division_rows(const struct mat *m, struct span span)
{
    return mat_view(mat_row(m, span.begin), span.n, m->n_cols);
}

void division_spmm(struct mat *out, const struct receptive_field *field, int32_t to,
                   const struct csr *a_hat, const struct mat *from, int32_t from_level)
{
    for (int32_t i = division_begin(field); i < division_end(field); i++) {
        struct span span = receptive_field_span(field, to, i);
        struct mat own = division_rows(out, span);

        spmm(&own, a_hat, span.rows, from, receptive_field_pos(field, from_level));
    }
}

bool division_has_shares(const struct receptive_field *field)
{
    return field->division && !field->graph_start;
}

void division_share(const struct receptive_field *field, int32_t level, const struct mat *m)
{
    const struct division *division = field->division;

    if (!division_has_shares(field))
        return;
    for (int32_t w = 0; w <= division->crew->n_workers; w++)
        division->bounds[w] = (size_t)field->level[level].first[w] * (size_t)m->n_cols;
    division->crew->calls->share(division->crew, m->v, division->bounds);
}

int row_buffers_init(struct row_buffers *buffers, const struct division *division, size_t size,
                     struct arena *scratch, struct err *err)
{
    *buffers = (struct row_buffers){.shared = -1};
    for (int i = 0; i < (division ? ROW_BUFFERS : ROW_BUFFERS - 1); i++) {
        if (division)
            buffers->v[i] = division->crew->calls->take_common(division->crew, size, err);
        else
            buffers->v[i] = arena_take(scratch, size, sizeof(float));
        if (!buffers->v[i])
            return division ? -1 : err_nomem(err, "activations", size * sizeof(float));
    }
    return 0;
}

int row_buffers_free(const struct row_buffers *buffers, int used)
{
    int i = 0;

    while (i == used || i == buffers->shared)
        i++;
    return i;
}

void row_buffers_share(struct row_buffers *buffers, int buffer, const struct receptive_field *field,
                       int32_t level, const struct mat *m)
{
    const struct crew *crew;

    if (!division_has_shares(field))
        return;
    division_share(field, level, m);
    crew = field->division->crew;
    if (crew->n < crew->n_workers) /* a rank without others reuses what is in the cache */
        buffers->shared = buffer;
}
