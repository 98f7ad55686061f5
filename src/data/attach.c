#include "data/attach.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/gemm.h"

/* Every metric is factor scale_i scale_j <x_i - mean_i - base, x_j - mean_j - base>:
 * cosine       scale 1 / norm
 * correlation  mean of the row, scale 1 / norm of what is left
 * kinship      base 2p of the data, factor 1 / (2 sum p (1 - p))
 * Products of a panel of columns are floats, their sum is double, as in similarity.c. */

#define PANEL_COLS 1024
#define BLOCK_ROWS 256 /* of new samples, and of the data's */

struct rule {
    const struct dataset *data;
    const struct graph_spec *spec;
    const struct mat *x;
    double *base;           /* [K] */
    double *mean, *scale;   /* [N] of the data's samples */
    double *mean2, *scale2; /* [n] of the new ones */
    double factor;
    struct mat left, right, part; /* panels, and their products */
    double *similarity;           /* (BLOCK_ROWS, N) */
    struct attached_edge *best;   /* [N] of one new sample */
    double *value;                /* [N] */
};

static void rule_release(struct rule *r)
{
    free(r->base);
    free(r->mean);
    free(r->mean2);
    free(r->similarity);
    free(r->best);
    free(r->value);
    mat_release(&r->left);
    mat_release(&r->right);
    mat_release(&r->part);
}

static int rule_allocate(struct rule *r, struct err *err)
{
    size_t n = (size_t)r->data->n_samples, fresh = (size_t)r->x->n_rows;

    r->base = calloc((size_t)r->data->n_markers, sizeof *r->base);
    r->mean = calloc(2 * n, sizeof *r->mean);
    r->mean2 = calloc(2 * fresh, sizeof *r->mean2);
    r->similarity = malloc(BLOCK_ROWS * n * sizeof *r->similarity);
    r->best = malloc(n * sizeof *r->best);
    r->value = malloc(n * sizeof *r->value);
    if (!r->base || !r->mean || !r->mean2 || !r->similarity || !r->best || !r->value)
        return err_nomem(err, "similarities", BLOCK_ROWS * n * sizeof *r->similarity);
    r->scale = r->mean + n;
    r->scale2 = r->mean2 + fresh;
    return mat_init(&r->left, BLOCK_ROWS, PANEL_COLS, err) ||
                   mat_init(&r->right, BLOCK_ROWS, PANEL_COLS, err) ||
                   mat_init(&r->part, BLOCK_ROWS, BLOCK_ROWS, err)
               ? -1
               : 0;
}

/* ---- rows ---- */

/* Twice the allele frequencies; room: a row. */
static void find_base(struct rule *r, struct mat *room)
{
    int32_t n = r->data->n_samples, k = r->data->n_markers;
    double variance = 0;

    for (int32_t i = 0; i < n; i++) {
        dataset_decode(room, r->data, i, 0);
        for (int32_t j = 0; j < k; j++)
            r->base[j] += (double)room->v[j] / n;
    }
    for (int32_t j = 0; j < k; j++)
        variance += r->base[j] * (1 - r->base[j] / 2);
    r->factor = 1 / variance;
}

/* Mean and scale of a row [K] as read. */
static void measure(double *mean, double *scale, const struct rule *r, const float *row)
{
    int32_t k = r->data->n_markers;
    double squares = 0;

    *mean = 0;
    *scale = 1;
    if (r->spec->metric == GRAPH_KINSHIP)
        return;
    if (r->spec->metric == GRAPH_CORRELATION)
        for (int32_t j = 0; j < k; j++)
            *mean += (double)row[j] / k;
    for (int32_t j = 0; j < k; j++)
        squares += ((double)row[j] - *mean) * ((double)row[j] - *mean);
    *scale = squares > 0 ? 1 / sqrt(squares) : 0;
}

static int rule_init(struct rule *r, struct err *err)
{
    struct mat room = {0};

    if (rule_allocate(r, err) || mat_init(&room, 1, r->data->n_markers, err))
        return -1;
    r->factor = 1;
    if (r->spec->metric == GRAPH_KINSHIP)
        find_base(r, &room);
    for (int32_t i = 0; i < r->data->n_samples; i++) {
        dataset_decode(&room, r->data, i, 0);
        measure(&r->mean[i], &r->scale[i], r, room.v);
    }
    for (int32_t i = 0; i < r->x->n_rows; i++)
        measure(&r->mean2[i], &r->scale2[i], r, mat_row(r->x, i));
    mat_release(&room);
    return 0;
}

static void centre(struct mat *rows, const double *mean, const double *base)
{
    for (int32_t i = 0; i < rows->n_rows; i++) {
        float *row = mat_row(rows, i);

        for (int32_t j = 0; j < rows->n_cols; j++)
            row[j] = (float)((double)row[j] - mean[i] - base[j]);
    }
}

/* ---- products ---- */

/* Of new samples [first, first + n) with the data's from `begin` on, over one panel of columns. */
static void add_products(struct rule *r, const struct mat *left, int32_t begin, int32_t col)
{
    int32_t n_data = r->data->n_samples;
    int32_t n = n_data - begin < BLOCK_ROWS ? n_data - begin : BLOCK_ROWS;
    struct mat right = mat_view(r->right.v, n, left->n_cols);
    struct mat part = mat_view(r->part.v, left->n_rows, n);

    dataset_decode(&right, r->data, begin, col);
    centre(&right, r->mean + begin, r->base + col);
    gemm_nt(&part, 1, left, &right, 0);
    for (int32_t i = 0; i < part.n_rows; i++)
        for (int32_t j = 0; j < n; j++)
            r->similarity[(int64_t)i * n_data + begin + j] += (double)mat_row(&part, i)[j];
}

static void find_similarities(struct rule *r, int32_t first, int32_t n)
{
    int32_t n_data = r->data->n_samples, k = r->data->n_markers;

    memset(r->similarity, 0, (size_t)n * (size_t)n_data * sizeof *r->similarity);
    for (int32_t col = 0; col < k; col += PANEL_COLS) {
        int32_t width = k - col < PANEL_COLS ? k - col : PANEL_COLS;
        struct mat left = mat_view(r->left.v, n, width);

        for (int32_t i = 0; i < n; i++)
            memcpy(mat_row(&left, i), mat_row(r->x, first + i) + col,
                   (size_t)width * sizeof(float));
        centre(&left, r->mean2 + first, r->base + col);
        for (int32_t begin = 0; begin < n_data; begin += BLOCK_ROWS)
            add_products(r, &left, begin, col);
    }
    for (int32_t i = 0; i < n; i++)
        for (int32_t j = 0; j < n_data; j++)
            r->similarity[(int64_t)i * n_data + j] *=
                r->factor * r->scale2[first + i] * r->scale[j];
}

/* ---- edges ---- */

/* The least similarity that is among the k largest; value is scratch. How many of those that equal
 * it are taken: *n_equal. */
static double kth_largest(double *value, const double *similarity, int32_t n, int32_t k,
                          int32_t *n_equal)
{
    int32_t n_kept = 0;

    for (int32_t j = 0; j < n; j++) {
        int32_t at = n_kept < k ? n_kept++ : k - 1;

        if (at == k - 1 && n_kept == k && j >= k && similarity[j] <= value[k - 1])
            continue;
        for (; at > 0 && value[at - 1] < similarity[j]; at--)
            value[at] = value[at - 1];
        value[at] = similarity[j];
    }
    *n_equal = 0;
    for (int32_t i = 0; i < n_kept; i++)
        *n_equal += value[i] == value[n_kept - 1];
    return value[n_kept - 1];
}

/* Edges of one new sample into r->best. Returns how many. */
static int32_t find_edges(struct rule *r, const double *similarity)
{
    bool is_knn = r->spec->build == GRAPH_KNN;
    int32_t n = 0, n_equal = INT32_MAX;
    double least = r->spec->threshold;

    if (is_knn)
        least = kth_largest(r->value, similarity, r->data->n_samples, r->spec->k, &n_equal);
    for (int32_t j = 0; j < r->data->n_samples; j++) {
        float weight = r->spec->weights == GRAPH_BINARY ? 1 : (float)similarity[j];

        if (similarity[j] < least || (is_knn && similarity[j] == least && n_equal-- <= 0))
            continue;
        if (weight > 0)
            r->best[n++] = (struct attached_edge){j, weight};
    }
    return n;
}

static int add_edges(struct attached *out, struct rule *r, int32_t i, const double *similarity,
                     struct err *err)
{
    int64_t at = out->start[i];
    int32_t n;
    struct attached_edge *grown;

    for (int32_t j = 0; j < r->data->n_samples; j++)
        if (similarity_check(similarity[j], i, j, err))
            return -1;
    n = find_edges(r, similarity);
    grown = realloc(out->edge, (size_t)(at + n + 1) * sizeof *grown);
    if (!grown)
        return err_nomem(err, "edges", (size_t)(at + n + 1) * sizeof *grown);
    out->edge = grown;
    memcpy(grown + at, r->best, (size_t)n * sizeof *grown);
    out->start[i + 1] = at + n;
    return 0;
}

static int attach_all(struct attached *out, struct rule *r, struct err *err)
{
    int rc = rule_init(r, err);

    for (int32_t first = 0; !rc && first < r->x->n_rows; first += BLOCK_ROWS) {
        int32_t n = r->x->n_rows - first < BLOCK_ROWS ? r->x->n_rows - first : BLOCK_ROWS;

        find_similarities(r, first, n);
        for (int32_t i = 0; !rc && i < n; i++)
            rc = add_edges(out, r, first + i, r->similarity + (int64_t)i * r->data->n_samples, err);
    }
    rule_release(r);
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

int attach(struct attached *out, const struct dataset *d, const struct graph_spec *spec,
           const struct csr *a_hat, const struct mat *x, struct err *err)
{
    struct rule rule = {.data = d, .spec = spec, .x = x};

    *out = (struct attached){.edge = NULL};
    out->start = calloc((size_t)x->n_rows + 1, sizeof *out->start);
    out->inverse_root = calloc((size_t)d->n_samples, sizeof *out->inverse_root);
    if (!out->start || !out->inverse_root)
        return err_nomem(err, "edges", (size_t)d->n_samples * sizeof *out->inverse_root);
    read_degrees(out->inverse_root, a_hat);
    if (spec->build != GRAPH_KNN && spec->build != GRAPH_THRESHOLD)
        return 0;
    return attach_all(out, &rule, err);
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
