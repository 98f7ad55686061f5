/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/graph.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/graph/similarity.h"
#include "tensor/bucket_sort.h"

/* ---- neighbours ---- */

/* neighbours_grow() finds at least so many: more cost almost nothing beside the products, and a
 * sweep seldom needs more than 40. 64 take 1 KiB for each sample. */
#define LEAST_GROWN 64

/* Each pair is offered to both its samples. Blocks ascend, so each sample gets the others in
 * ascending order. */
struct graph_search {
    struct neighbours *found;
    int32_t *n;    /* [N] */
    double *least; /* [N] an offer must exceed this */
};

/* Returns the new number. Ties keep the first offered in front. */
static int32_t neighbours_offer(struct neighbour *best, int32_t n, int32_t k,
                                struct neighbour offered)
{
    int32_t at = n < k ? n : k - 1;

    if (n == k && offered.similarity <= best[k - 1].similarity)
        return n;
    for (; at > 0 && best[at - 1].similarity < offered.similarity; at--)
        best[at] = best[at - 1];
    best[at] = offered;
    return n < k ? n + 1 : k;
}

static void offer(struct graph_search *s, int32_t i, struct neighbour offered)
{
    int32_t k = s->found->k;
    struct neighbour *best = s->found->best + (int64_t)i * k;

    if (offered.similarity <= s->least[i])
        return;
    s->n[i] = neighbours_offer(best, s->n[i], k, offered);
    if (s->n[i] == k)
        s->least[i] = best[k - 1].similarity;
}

/* If j's own row is in the block too, j gets its offers there. */
static int search_row(struct graph_search *s, const struct similarity *of, int32_t i,
                      struct err *err)
{
    for (int32_t j = of->first; j < s->found->n_samples; j++) {
        double v;

        if (j == i)
            continue;
        v = similarity_of(of, i, j);
        if (similarity_check(v, of->data, i, j, err))
            return -1;
        offer(s, i, (struct neighbour){v, j});
        if (j >= of->first + of->n_rows)
            offer(s, j, (struct neighbour){similarity_of(of, j, i), i});
    }
    return 0;
}

int neighbours_find(struct neighbours *out, const struct dataset *d, enum graph_metric metric,
                    int32_t k, struct err *err)
{
    size_t n = (size_t)d->n_samples;
    struct graph_search s = {.found = out};
    struct similarity of = {0};
    int rc;

    memset(out, 0, sizeof *out);
    if (k < 1 || k > d->n_samples - 1)
        return err_set(err, "graph.k = %d: must be in [1, %d], there are %d samples", k,
                       d->n_samples - 1, d->n_samples);
    *out = (struct neighbours){.n_samples = d->n_samples, .k = k};
    out->best = malloc(n * (size_t)k * sizeof *out->best);
    s.n = calloc(n, sizeof *s.n);
    s.least = malloc(n * sizeof *s.least);
    if (!out->best || !s.n || !s.least)
        rc = err_nomem(err, "neighbours", n * (size_t)k * sizeof *out->best);
    else
        rc = similarity_init(&of, d, metric, err);
    for (size_t i = 0; !rc && i < n; i++)
        s.least[i] = -INFINITY;
    while (!rc && similarity_next(&of))
        for (int32_t i = of.first; !rc && i < of.first + of.n_rows; i++)
            rc = search_row(&s, &of, i, err);
    similarity_release(&of);
    free(s.n);
    free(s.least);
    if (rc)
        neighbours_release(out);
    return rc;
}

void neighbours_release(struct neighbours *neighbours)
{
    if (!neighbours)
        return;
    free(neighbours->best);
    memset(neighbours, 0, sizeof *neighbours);
}

int neighbours_grow(struct neighbours *n, const struct dataset *d, enum graph_metric metric,
                    int32_t k, struct err *err)
{
    int64_t wanted = 2 * (int64_t)k > LEAST_GROWN ? 2 * (int64_t)k : LEAST_GROWN;

    if (k >= 1 && k <= n->k)
        return 0;
    neighbours_release(n);
    if (k >= 1 && k < d->n_samples - 1)
        k = wanted < d->n_samples - 1 ? (int32_t)wanted : d->n_samples - 1;
    return neighbours_find(n, d, metric, k, err);
}

/* ---- adjacency of sorted edges ---- */

static void put_neighbour(struct csr *out, int64_t *next, int32_t row, int32_t col, float weight)
{
    int64_t at = next[row]++;

    out->col[at] = col;
    out->val[at] = weight;
}

/* Written in place, because there are millions of edges. They are sorted by source, then target, and
 * source < target. Storing the smaller neighbours of all nodes first therefore leaves every row
 * sorted. */
static int to_adjacency(struct csr *out, const struct dataset_graph *g, struct err *err)
{
    size_t bytes = ((size_t)g->n_nodes + 1) * sizeof(int64_t);
    int32_t base = g->edge_base;
    int64_t *next;

    if (csr_init(out, g->n_nodes, g->n_nodes, 2 * g->n_edges, err))
        return -1;
    next = malloc(bytes);
    if (!next) {
        csr_release(out);
        return err_nomem(err, "graph", bytes);
    }
    for (int64_t e = 0; e < g->n_edges; e++) {
        out->row_start[g->source[e] - base + 1]++;
        out->row_start[g->target[e] - base + 1]++;
    }
    for (int32_t i = 0; i < out->n_rows; i++)
        out->row_start[i + 1] += out->row_start[i];
    memcpy(next, out->row_start, bytes);
    for (int64_t e = 0; e < g->n_edges; e++)
        put_neighbour(out, next, g->target[e] - base, g->source[e] - base, g->weight[e]);
    for (int64_t e = 0; e < g->n_edges; e++)
        put_neighbour(out, next, g->source[e] - base, g->target[e] - base, g->weight[e]);
    free(next);
    return 0;
}

int graph_one(struct csr *out, const struct dataset *d, int32_t i, struct err *err)
{
    struct dataset_graph graph = dataset_graph(d, i);

    return to_adjacency(out, &graph, err);
}

/* Edges of several graphs follow each other. */
static int join_given(struct csr *out, const struct dataset *d, struct err *err)
{
    const struct dataset_graph all = {.n_nodes = d->n_nodes,
                                      .n_edges = d->n_edges,
                                      .source = d->edge_source,
                                      .target = d->edge_target,
                                      .weight = d->edge_weight};

    if (d->n_edges == 0 && !d->graph_start)
        return err_set(err, "graph.build = file: no edges were given, set data.edges");
    return to_adjacency(out, &all, err);
}

/* ---- edges between similar samples ---- */

static int join(struct triplets *list, int32_t a, int32_t b, double similarity,
                enum graph_weights weights, struct err *err)
{
    float weight = weights == GRAPH_BINARY ? 1 : (float)similarity;

    if (!(weight > 0))
        return 0;
    return triplets_add(list, (struct triplet){a < b ? a : b, a < b ? b : a, weight}, err);
}

static int compare_edges(const void *left, const void *right)
{
    const struct triplet *a = left, *b = right;

    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->col != b->col)
        return a->col < b->col ? -1 : 1;
    return (a->val > b->val) - (a->val < b->val);
}

/* A pair may be found from both sides, with similarities that differ in the last bit. */
static void drop_repeats(struct triplets *list)
{
    int64_t n = 0;

    bucket_sort(list->item, (size_t)list->n, sizeof *list->item, compare_edges);
    for (int64_t e = 0; e < list->n; e++)
        if (n == 0 || list->item[e].row != list->item[n - 1].row ||
            list->item[e].col != list->item[n - 1].col)
            list->item[n++] = list->item[e];
    list->n = n;
}

static int join_list(struct csr *out, struct triplets *list, int32_t n_samples, struct err *err)
{
    int64_t n;

    drop_repeats(list);
    n = list->n;
    for (int64_t e = 0; e < n; e++) {
        struct triplet t = list->item[e];

        if (triplets_add(list, (struct triplet){t.col, t.row, t.val}, err))
            return -1;
    }
    return csr_from_triplets(out, n_samples, n_samples, list->item, list->n, err);
}

/* ---- the graph ---- */

int graph_cut(struct csr *out, const struct neighbours *n, int32_t k, enum graph_weights weights,
              struct err *err)
{
    struct triplets list = {0};
    int rc = 0;

    assert(k >= 1 && k <= n->k);
    memset(out, 0, sizeof *out);
    for (int32_t i = 0; i < n->n_samples; i++)
        for (int32_t c = 0; !rc && c < k; c++) {
            const struct neighbour *other = &n->best[(int64_t)i * n->k + c];

            rc = join(&list, i, other->sample, other->similarity, weights, err);
        }
    if (!rc)
        rc = join_list(out, &list, n->n_samples, err);
    triplets_release(&list);
    return rc;
}

/* Each pair is tested once: the last bit could make the graph asymmetric. */
static int join_similar(struct triplets *list, const struct similarity *of, int32_t i,
                        const struct graph_spec *spec, struct err *err)
{
    for (int32_t j = i + 1; j < of->data->n_samples; j++) {
        double v = similarity_of(of, i, j);

        if (similarity_check(v, of->data, i, j, err) ||
            (v >= spec->threshold && join(list, i, j, v, spec->weights, err)))
            return -1;
    }
    return 0;
}

static int build_threshold(struct csr *out, const struct dataset *d, const struct graph_spec *spec,
                           struct err *err)
{
    struct triplets list = {0};
    struct similarity of;
    int status = similarity_init(&of, d, spec->metric, err);

    while (!status && similarity_next(&of))
        for (int32_t i = of.first; !status && i < of.first + of.n_rows; i++)
            status = join_similar(&list, &of, i, spec, err);
    similarity_release(&of);
    if (!status)
        status = join_list(out, &list, d->n_samples, err);
    triplets_release(&list);
    return status;
}

int graph_build(struct csr *out, const struct dataset *d, const struct graph_spec *spec,
                struct err *err)
{
    struct neighbours neighbours;
    int rc;

    memset(out, 0, sizeof *out);
    if (d->graph_start && (spec->build == GRAPH_KNN || spec->build == GRAPH_THRESHOLD))
        return err_set(err, "samples that are graphs have edges of their own: graph.build must be "
                            "file or none");
    switch (spec->build) {
    case GRAPH_KNN:
        rc = neighbours_find(&neighbours, d, spec->metric, spec->k, err);
        if (!rc)
            rc = graph_cut(out, &neighbours, spec->k, spec->weights, err);
        neighbours_release(&neighbours);
        return rc;
    case GRAPH_THRESHOLD:
        return build_threshold(out, d, spec, err);
    case GRAPH_FILE:
        return join_given(out, d, err);
    case GRAPH_NONE:
        return csr_init(out, d->n_nodes, d->n_nodes, 0, err);
    }
    return err_set(err, "graph.build %d is unknown", (int)spec->build);
}

int32_t graph_components(const struct csr *a, struct err *err)
{
    size_t n = (size_t)a->n_rows;
    int32_t *stack = malloc(n * sizeof *stack);
    bool *is_reached = calloc(n, sizeof *is_reached);
    int32_t n_components = 0, depth = 0;

    if (!stack || !is_reached) {
        n_components = err_nomem(err, "components", n * sizeof *stack);
        goto out;
    }
    for (int32_t seed = 0; seed < a->n_rows; seed++) {
        if (is_reached[seed])
            continue;
        n_components++;
        is_reached[seed] = true;
        stack[depth++] = seed;
        while (depth) {
            int32_t i = stack[--depth];

            for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++)
                if (!is_reached[a->col[e]]) {
                    is_reached[a->col[e]] = true;
                    stack[depth++] = a->col[e];
                }
        }
    }
out:
    free(stack);
    free(is_reached);
    return n_components;
}

void graph_count_degrees(struct graph_degrees *out, int64_t *degree, const struct csr *a)
{
    *out = (struct graph_degrees){.least = INT64_MAX};
    for (int32_t i = 0; i < a->n_rows; i++) {
        int64_t n = a->row_start[i + 1] - a->row_start[i];

        out->least = n < out->least ? n : out->least;
        out->most = n > out->most ? n : out->most;
        out->n_alone += n == 0;
        if (degree)
            degree[i] = n;
    }
}

/* ---- new samples ---- */

static int by_sample(const void *left, const void *right)
{
    const struct neighbour *a = left, *b = right;

    return (a->sample > b->sample) - (a->sample < b->sample);
}

/* near: out [N], ascending. */
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

static int add_edges(struct attached *out, struct neighbour *near, int32_t i,
                     const double *similarity, const struct dataset *d,
                     const struct graph_spec *spec, struct err *err)
{
    int32_t n_samples = d->n_samples;
    int64_t at = out->start[i];
    struct attached_edge *grown;
    int32_t n;

    for (int32_t j = 0; j < n_samples; j++)
        if (similarity_check(similarity[j], d, -1, j, err))
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
            rc = add_edges(out, near, first + i, s->product + (int64_t)i * n_samples, s->data, spec,
                           err);
    }
    free(near);
    return rc;
}

int attach(struct attached *out, const struct dataset *d, const struct graph_spec *spec,
           const struct mat *x, struct err *err)
{
    struct similarity s;
    int rc;

    *out = (struct attached){.edge = NULL};
    out->start = calloc((size_t)x->n_rows + 1, sizeof *out->start);
    if (!out->start)
        return err_nomem(err, "edges", (size_t)x->n_rows * sizeof *out->start);
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
    memset(a, 0, sizeof *a);
}
