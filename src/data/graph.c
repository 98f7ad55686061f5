#include "data/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/triplets.h"
#include "tensor/gemm.h"

/* Every metric is made of products of rows:
 *   similarity(i, j) = factor scale[i] scale[j] (<rows[i], rows[j]> - shift[i] - shift[j] + offset)
 * cosine      rows as they are, scale 1 / norm
 * correlation rows less their means, scale 1 / norm
 * kinship     <x - 2p, y - 2p> = <x, y> - <2p, x> - <2p, y> + <2p, 2p>: rows as they are, shift[i]
 * = <2p, rows[i]>, offset <2p, 2p>, factor 1 / (2 sum p (1 - p)) Rows are left as they are where
 * float allows it, for then products of dosages are whole numbers and exact: the graph is the same
 * whatever the processor, and equal samples tie. Correlation takes any features, and the products
 * of uncentred ones could swallow what differs. */

struct similarity {
    struct mat rows; /* (N, F) */
    bool owns_rows;
    double *scale; /* [N]; 0 for a row of zeros: similar to nothing */
    double *shift; /* [N] */
    double offset;
    double factor;
};

/* A block of similarities takes at most this many floats (16 MiB), or one row. */
#define BLOCK_FLOATS ((int64_t)1 << 22)
#define MAX_BLOCK_ROWS 256

static void similarity_release(struct similarity *s)
{
    if (s->owns_rows)
        mat_release(&s->rows);
    free(s->scale);
    free(s->shift);
}

static int copy_rows(struct similarity *s, const struct mat *from, struct err *err)
{
    if (mat_init(&s->rows, from->n_rows, from->n_cols, err) != 0)
        return -1;
    s->owns_rows = true;
    memcpy(s->rows.v, from->v, (size_t)mat_size(from) * sizeof *from->v);
    return 0;
}

static void centre_rows(struct mat *m)
{
    for (int32_t i = 0; i < m->n_rows; i++) {
        float *row = mat_row(m, i);
        double mean = 0;

        for (int32_t j = 0; j < m->n_cols; j++)
            mean += (double)row[j];
        mean /= m->n_cols;
        for (int32_t j = 0; j < m->n_cols; j++)
            row[j] = (float)((double)row[j] - mean);
    }
}

/* frequency[j] = allele frequency p of feature j. */
static int find_frequencies(double *frequency, const struct mat *dosages, struct err *err)
{
    for (int32_t i = 0; i < dosages->n_rows; i++) {
        const float *row = mat_row(dosages, i);

        for (int32_t j = 0; j < dosages->n_cols; j++) {
            if (row[j] < 0 || row[j] > 2)
                return err_set(err,
                               "graph.metric = kinship: feature %d of sample %d is %g: must "
                               "be a dosage in [0, 2]",
                               j, i, (double)row[j]);
            frequency[j] += (double)row[j] / 2;
        }
    }
    for (int32_t j = 0; j < dosages->n_cols; j++)
        frequency[j] /= dosages->n_rows;
    return 0;
}

/* VanRaden 2008, method 1. */
static int prepare_kinship(struct similarity *s, struct err *err)
{
    double *p = calloc((size_t)s->rows.n_cols, sizeof *p);
    double variance = 0;
    int status;

    if (!p)
        return err_nomem(err, "allele frequencies", (size_t)s->rows.n_cols * sizeof *p);
    status = find_frequencies(p, &s->rows, err);
    for (int32_t j = 0; j < s->rows.n_cols; j++) {
        variance += 2 * p[j] * (1 - p[j]);
        s->offset += 4 * p[j] * p[j];
    }
    for (int32_t i = 0; i < s->rows.n_rows; i++) {
        s->scale[i] = 1;
        for (int32_t j = 0; j < s->rows.n_cols; j++)
            s->shift[i] += 2 * p[j] * (double)mat_row(&s->rows, i)[j];
    }
    free(p);
    if (status == 0 && !(variance > 0))
        return err_set(err, "graph.metric = kinship: every marker is monomorphic");
    s->factor = 1 / variance;
    return status;
}

static void scale_by_norms(struct similarity *s)
{
    for (int32_t i = 0; i < s->rows.n_rows; i++) {
        const float *row = mat_row(&s->rows, i);
        double squares = 0;

        for (int32_t j = 0; j < s->rows.n_cols; j++)
            squares += (double)row[j] * (double)row[j];
        s->scale[i] = squares > 0 ? 1 / sqrt(squares) : 0;
    }
}

static int similarity_init(struct similarity *s, const struct dataset *d, enum graph_metric metric,
                           struct err *err)
{
    size_t n = (size_t)d->n_samples;

    *s = (struct similarity){.rows = d->features, .factor = 1};
    s->scale = calloc(n, sizeof *s->scale);
    s->shift = calloc(n, sizeof *s->shift);
    if (!s->scale || !s->shift)
        return err_nomem(err, "similarities", n * sizeof *s->scale);
    if (metric == GRAPH_KINSHIP)
        return prepare_kinship(s, err);
    if (metric == GRAPH_CORRELATION) {
        if (copy_rows(s, &d->features, err) != 0)
            return -1;
        centre_rows(&s->rows);
    }
    scale_by_norms(s);
    return 0;
}

static double similarity_of(const struct similarity *s, int32_t i, int32_t j, float product)
{
    double centred = (double)product - s->shift[i] - s->shift[j] + s->offset;

    return s->factor * s->scale[i] * s->scale[j] * centred;
}

/* ---- edges ---- */

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

/* A pair may have been found from both sides, with products that differ in the last bit. */
static void drop_repeats(struct triplets *list)
{
    int64_t n = 0;

    if (list->n > 1)
        qsort(list->item, (size_t)list->n, sizeof *list->item, compare_edges);
    for (int64_t e = 0; e < list->n; e++)
        if (n == 0 || list->item[e].row != list->item[n - 1].row ||
            list->item[e].col != list->item[n - 1].col)
            list->item[n++] = list->item[e];
    list->n = n;
}

static int to_adjacency(struct csr *out, struct triplets *list, int32_t n_samples, struct err *err)
{
    struct triplet *both;
    int status;

    drop_repeats(list);
    both = malloc((size_t)(2 * list->n + 1) * sizeof *both);
    if (!both)
        return err_nomem(err, "graph", (size_t)(2 * list->n + 1) * sizeof *both);
    for (int64_t e = 0; e < list->n; e++) {
        both[2 * e] = list->item[e];
        both[2 * e + 1] = (struct triplet){list->item[e].col, list->item[e].row, list->item[e].val};
    }
    status = csr_from_triplets(out, n_samples, n_samples, both, 2 * list->n, err);
    free(both);
    return status;
}

/* ---- selection ---- */

struct candidate {
    double similarity;
    int32_t sample;
};

/* best[k], the most similar first. Samples come in ascending order, so that of equals the smaller
 * stays in front. */
static void offer(struct candidate *best, int32_t *n, int32_t k, struct candidate offered)
{
    int32_t at = *n;

    if (*n == k) {
        if (offered.similarity <= best[k - 1].similarity)
            return;
        at--;
    } else {
        ++*n;
    }
    for (; at > 0 && best[at - 1].similarity < offered.similarity; at--)
        best[at] = best[at - 1];
    best[at] = offered;
}

struct selection {
    const struct graph_spec *spec;
    const struct similarity *similarity;
    struct candidate *best; /* [k] scratch, knn only */
    struct triplets edges;  /* row < col */
};

/* Edges of sample i, from its products with all samples. */
static int select_edges(struct selection *s, int32_t i, const float *product, struct err *err)
{
    const struct similarity *of = s->similarity;
    const struct graph_spec *spec = s->spec;
    bool is_knn = spec->build == GRAPH_KNN;
    int32_t n_best = 0;

    /* A threshold is put to each pair once, or the last bit could make the graph one-sided. */
    for (int32_t j = is_knn ? 0 : i + 1; j < of->rows.n_rows; j++) {
        double v = similarity_of(of, i, j, product[j]);

        if (j == i)
            continue;
        if (!isfinite(v))
            return err_set(err,
                           "graph.metric: the similarity of samples %d and %d is not a finite "
                           "number: features are too large",
                           i, j);
        if (is_knn)
            offer(s->best, &n_best, spec->k, (struct candidate){v, j});
        else if (v >= spec->threshold && join(&s->edges, i, j, v, spec->weights, err) != 0)
            return -1;
    }
    for (int32_t c = 0; c < n_best; c++)
        if (join(&s->edges, i, s->best[c].sample, s->best[c].similarity, spec->weights, err) != 0)
            return -1;
    return 0;
}

static int select_all(struct selection *s, struct err *err)
{
    const struct mat *rows = &s->similarity->rows;
    int32_t n = rows->n_rows;
    int64_t most = BLOCK_FLOATS / n;
    int32_t step = most < 1 ? 1 : most > MAX_BLOCK_ROWS ? MAX_BLOCK_ROWS : (int32_t)most;
    struct mat block;
    int status = 0;

    if (mat_init(&block, step, n, err) != 0)
        return -1;
    for (int32_t first = 0; status == 0 && first < n; first += step) {
        int32_t count = n - first < step ? n - first : step;
        struct mat some = mat_view(mat_row(rows, first), count, rows->n_cols);
        struct mat products = mat_view(block.v, count, n);

        gemm_nt(&products, 1, &some, rows, 0);
        for (int32_t i = 0; status == 0 && i < count; i++)
            status = select_edges(s, first + i, mat_row(&products, i), err);
    }
    mat_release(&block);
    return status;
}

/* ---- the graph ---- */

static const char *build_name(enum graph_build build)
{
    static const char *const name[] = {"knn", "threshold", "file", "none"};

    return name[build];
}

static int build_from_features(struct csr *out, const struct dataset *d,
                               const struct graph_spec *spec, struct err *err)
{
    struct similarity similarity;
    struct selection selection = {.spec = spec, .similarity = &similarity};
    int status;

    if (d->is_sparse)
        return err_set(err,
                       "graph.build = %s needs dense features, these are sparse: give edges "
                       "and use graph.build = file",
                       build_name(spec->build));
    if (spec->build == GRAPH_KNN && (spec->k < 1 || spec->k > d->n_samples - 1))
        return err_set(err, "graph.k = %d: must be in [1, %d], there are %d samples", spec->k,
                       d->n_samples - 1, d->n_samples);
    status = similarity_init(&similarity, d, spec->metric, err);
    if (status == 0 && spec->build == GRAPH_KNN) {
        selection.best = malloc((size_t)spec->k * sizeof *selection.best);
        if (!selection.best)
            status = err_nomem(err, "neighbours", (size_t)spec->k * sizeof *selection.best);
    }
    if (status == 0)
        status = select_all(&selection, err);
    if (status == 0)
        status = to_adjacency(out, &selection.edges, d->n_samples, err);
    triplets_release(&selection.edges);
    free(selection.best);
    similarity_release(&similarity);
    return status;
}

static int build_from_edges(struct csr *out, const struct dataset *d, struct err *err)
{
    struct triplets list = {.n = d->n_edges};
    int status;

    if (d->n_edges == 0)
        return err_set(err, "graph.build = file: no edges were given, set data.edges");
    list.item = malloc((size_t)d->n_edges * sizeof *list.item);
    if (!list.item)
        return err_nomem(err, "edges", (size_t)d->n_edges * sizeof *list.item);
    for (int64_t e = 0; e < d->n_edges; e++)
        list.item[e] = (struct triplet){d->edge_source[e], d->edge_target[e], d->edge_weight[e]};
    status = to_adjacency(out, &list, d->n_samples, err);
    free(list.item);
    return status;
}

int graph_build(struct csr *out, const struct dataset *d, const struct graph_spec *spec,
                struct err *err)
{
    memset(out, 0, sizeof *out);
    switch (spec->build) {
    case GRAPH_KNN:
    case GRAPH_THRESHOLD:
        return build_from_features(out, d, spec, err);
    case GRAPH_FILE:
        return build_from_edges(out, d, err);
    case GRAPH_NONE:
        return csr_init(out, d->n_samples, d->n_samples, 0, err);
    }
    return err_set(err, "graph.build %d is none that is known", (int)spec->build);
}

/* Flood from each sample that is not reached yet. */
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
