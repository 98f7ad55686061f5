#include "data/graph/attach.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_sample(const void *left, const void *right)
{
    const struct neighbour *a = left, *b = right;

    return (a->sample > b->sample) - (a->sample < b->sample);
}

/* Those that a new sample is joined to, ascending. Returns how many.
 *   near  out [N] */
static int32_t find_near(struct neighbour *near, const double *similarity, int32_t n_samples,
                         const struct graph_spec *spec)
{
    int32_t n = 0;

    for (int32_t j = 0; j < n_samples; j++) {
        struct neighbour offered = {similarity[j], j};

        if (spec->build == GRAPH_KNN)
            n = neighbours_offer(near, n, spec->k, offered);
        else if (similarity[j] >= spec->threshold)
            near[n++] = offered;
    }
    if (spec->build == GRAPH_KNN)
        qsort(near, (size_t)n, sizeof *near, by_sample);
    return n;
}

/* Edges of new sample i, behind those of the one before. near: scratch, [N]. */
static int add_edges(struct attached *out, struct neighbour *near, int32_t i,
                     const double *similarity, int32_t n_samples, const struct graph_spec *spec,
                     struct err *err)
{
    int64_t at = out->start[i];
    struct attached_edge *grown;
    int32_t n;

    for (int32_t j = 0; j < n_samples; j++)
        if (similarity_check(similarity[j], i, j, err))
            return -1;
    n = find_near(near, similarity, n_samples, spec);
    grown = realloc(out->edge, (size_t)(at + n + 1) * sizeof *grown);
    if (!grown)
        return err_nomem(err, "edges", (size_t)(at + n + 1) * sizeof *grown);
    out->edge = grown;
    for (int32_t k = 0; k < n; k++) {
        float weight = spec->weights == GRAPH_BINARY ? 1 : (float)near[k].similarity;

        if (weight > 0)
            grown[at++] = (struct attached_edge){near[k].sample, weight};
    }
    out->start[i + 1] = at;
    return 0;
}

static int attach_all(struct attached *out, struct similarity *s, const struct graph_spec *spec,
                      const struct mat *x, struct err *err)
{
    int32_t n_samples = s->data->n_samples;
    struct neighbour *near = malloc((size_t)n_samples * sizeof *near);
    int rc = near ? 0 : err_nomem(err, "neighbours", (size_t)n_samples * sizeof *near);

    for (int32_t first = 0; !rc && first < x->n_rows; first += s->max_rows) {
        int32_t n = x->n_rows - first < s->max_rows ? x->n_rows - first : s->max_rows;
        struct mat rows = mat_view(mat_row(x, first), n, x->n_cols);

        similarity_rows(s, &rows);
        for (int32_t i = 0; !rc && i < n; i++)
            rc = add_edges(out, near, first + i, s->product + (int64_t)i * n_samples, n_samples,
                           spec, err);
    }
    free(near);
    return rc;
}

/* Of D^-1/2 (A + I) D^-1/2 the diagonal is 1 / d. */
static void read_degrees(double *inverse_root, const struct csr *a_hat)
{
    for (int32_t i = 0; i < a_hat->n_rows; i++)
        for (int64_t e = a_hat->row_start[i]; e < a_hat->row_start[i + 1]; e++)
            if (a_hat->col[e] == i)
                inverse_root[i] = sqrt((double)a_hat->val[e]);
}

/* n new samples without an edge. */
static int begin(struct attached *out, const struct csr *a_hat, int32_t n, struct err *err)
{
    size_t n_samples = (size_t)a_hat->n_rows;

    *out = (struct attached){.edge = NULL};
    out->start = calloc((size_t)n + 1, sizeof *out->start);
    out->inverse_root = calloc(n_samples + 1, sizeof *out->inverse_root);
    if (!out->start || !out->inverse_root)
        return err_nomem(err, "edges", n_samples * sizeof *out->inverse_root);
    read_degrees(out->inverse_root, a_hat);
    return 0;
}

int attach_given(struct attached *out, const struct csr *a_hat, const struct attached *given,
                 int32_t n, struct err *err)
{
    size_t n_edges = (size_t)given->start[n];

    if (begin(out, a_hat, n, err))
        return -1;
    out->edge = malloc((n_edges + 1) * sizeof *out->edge);
    if (!out->edge)
        return err_nomem(err, "edges", n_edges * sizeof *out->edge);
    memcpy(out->start, given->start, ((size_t)n + 1) * sizeof *out->start);
    memcpy(out->edge, given->edge, n_edges * sizeof *out->edge);
    return 0;
}

int attach(struct attached *out, const struct dataset *d, const struct graph_spec *spec,
           const struct csr *a_hat, const struct mat *x, struct err *err)
{
    struct similarity s;
    int rc;

    if (begin(out, a_hat, x->n_rows, err))
        return -1;
    if (spec->build != GRAPH_KNN && spec->build != GRAPH_THRESHOLD)
        return 0;
    rc = similarity_init(&s, d, spec->metric, err);
    if (!rc)
        rc = attach_all(out, &s, spec, x, err);
    similarity_release(&s);
    return rc;
}

void attached_release(struct attached *a)
{
    if (!a)
        return;
    free(a->start);
    free(a->edge);
    free(a->inverse_root);
    memset(a, 0, sizeof *a);
}
