/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/similarity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tensor/gemm.h"

/* Every metric is computed from products of rows:
 *   similarity(i, j) = factor scale[i] scale[j] (<rows[i], rows[j]> - shift[i] - shift[j] + offset)
 * cosine       uncentred rows, scale 1 / norm
 * correlation  rows minus their means, scale 1 / norm
 * kinship      <x - 2p, y - 2p> = <x, y> - <2p, x> - <2p, y> + <2p, 2p>: uncentred rows,
 *              shift[i] = <2p, rows[i]>, offset <2p, 2p>, factor 1 / (2 sum p (1 - p)); 2p - 1
 *              in place of 2p for rows coded -1, 0, 1
 * Products of uncentred dosages are whole numbers and exact: the graph is the same on every
 * processor, and equal samples tie. This includes correlation if no dosage is missing: (F <x, y> -
 * sum x sum y) / sqrt(...). For other features the products of uncentred rows could lose the
 * differences. A row of another sample may be centred beside uncentred rows: <x - mean, y> F -
 * sum(x - mean) sum(y) is the same. The products of one panel are floats; their sum over panels is
 * double. */

/* Products of this many dosages are exact: 1024 x 127^2 < 2^24. */
#define PANEL_COLS 1024
#define MAX_ROWS 256
/* Blocks take 16 MiB, or one row. */
#define BLOCK_DOUBLES ((int64_t)1 << 21)

/* ---- values of each row that a metric needs, from one row of floats at a time ---- */

static void centre(struct mat *rows, const double *mean)
{
    for (int32_t i = 0; i < rows->n_rows; i++) {
        float *row = mat_row(rows, i);

        for (int32_t j = 0; j < rows->n_cols; j++)
            row[j] = (float)((double)row[j] - mean[i]);
    }
}

static void read_rows(struct mat *out, const struct similarity *s, int32_t row, int32_t col)
{
    dataset_decode(out, s->data, row, col);
    if (s->mean)
        centre(out, s->mean + row);
}

static void scale_by_norms(struct similarity *s, struct mat *row)
{
    for (int32_t i = 0; i < s->data->n_samples; i++) {
        double squares = 0;

        read_rows(row, s, i, 0);
        for (int32_t j = 0; j < row->n_cols; j++)
            squares += (double)row->v[j] * (double)row->v[j];
        if (s->sum)
            squares = row->n_cols * squares - s->sum[i] * s->sum[i];
        s->scale[i] = squares > 0 ? 1 / sqrt(squares) : 0;
    }
}

static int prepare_correlation(struct similarity *s, struct mat *row, struct err *err)
{
    const struct dataset *d = s->data;
    int32_t n = d->n_samples;
    bool is_complete = d->dosage && !memchr(d->dosage, (unsigned char)DOSAGE_MISSING,
                                            (size_t)n * (size_t)d->n_features);
    double *sum = calloc((size_t)n, sizeof *sum);

    if (!sum)
        return err_nomem(err, "sums of rows", (size_t)n * sizeof *sum);
    for (int32_t i = 0; i < n; i++) {
        dataset_decode(row, s->data, i, 0);
        for (int32_t j = 0; j < row->n_cols; j++)
            sum[i] += (double)row->v[j];
    }
    if (is_complete) {
        s->sum = sum;
    } else {
        s->mean = sum;
        for (int32_t i = 0; i < n; i++)
            s->mean[i] /= row->n_cols;
    }
    return 0;
}

struct extreme {
    double v;
    int32_t i, j;
};

static int ploidy_of(const struct dataset *d)
{
    return d->ploidy ? d->ploidy : 2;
}

static int refuse_dosage(const struct dataset *d, const struct extreme *e, struct err *err)
{
    return err_set(
        err,
        "graph.metric = kinship: feature %d (\"%.80s\") of sample \"%.80s\" is %g: must be "
        "a dosage in [0, %d], or in [-1, 1] where all features are coded -1, 0, 1",
        e->j + 1, dataset_feature_name(d, e->j), dataset_id(d, e->i), e->v, ploidy_of(d));
}

/* sum[j] is the sum of column j divided by the ploidy. *base is the feature without the allele: 0, or -1 in [-1,
 * 1]. */
static int sum_dosages(double *sum, double *base, const struct similarity *s, struct mat *row,
                       struct err *err)
{
    struct extreme low = {.v = INFINITY}, high = {.v = -INFINITY};

    for (int32_t i = 0; i < s->data->n_samples; i++) {
        dataset_decode(row, s->data, i, 0);
        for (int32_t j = 0; j < row->n_cols; j++) {
            double v = (double)row->v[j];

            if (v < low.v)
                low = (struct extreme){v, i, j};
            if (v > high.v)
                high = (struct extreme){v, i, j};
            sum[j] += v / ploidy_of(s->data);
        }
    }
    *base = low.v < 0 ? -1 : 0;
    if (low.v < -1 || (low.v < 0 && high.v > 1))
        return refuse_dosage(s->data, &low, err);
    return high.v > ploidy_of(s->data) ? refuse_dosage(s->data, &high, err) : 0;
}

static double kinship_shift(const struct similarity *s, const float *row)
{
    double shift = 0;

    for (int32_t j = 0; j < s->data->n_features; j++)
        shift += s->twice[j] * (double)row[j];
    return shift;
}

/* VanRaden 2008, method 1, for any ploidy. For features coded -1, 0, 1, dosage - 2p = feature - (2p - 1). */
static int prepare_kinship(struct similarity *s, struct mat *row, struct err *err)
{
    double *p = calloc((size_t)row->n_cols, sizeof *p);
    double variance = 0, base = 0, ploidy = ploidy_of(s->data);
    int rc;

    if (!p)
        return err_nomem(err, "allele frequencies", (size_t)row->n_cols * sizeof *p);
    s->twice = p;
    rc = sum_dosages(p, &base, s, row, err);
    for (int32_t j = 0; j < row->n_cols; j++) {
        p[j] = p[j] / s->data->n_samples - base / ploidy;
        variance += ploidy * p[j] * (1 - p[j]);
        s->twice[j] = ploidy * p[j] + base;
        s->offset += s->twice[j] * s->twice[j];
    }
    for (int32_t i = 0; !rc && i < s->data->n_samples; i++) {
        dataset_decode(row, s->data, i, 0);
        s->scale[i] = 1;
        s->shift[i] = kinship_shift(s, row->v);
    }
    if (!rc && !(variance > 0))
        return err_set(err, "graph.metric = kinship: every marker is monomorphic");
    s->factor = 1 / variance;
    return rc;
}

/* ---- blocks ---- */

static int allocate(struct similarity *s, struct err *err)
{
    int32_t n = s->data->n_samples;
    int64_t most = BLOCK_DOUBLES / n;

    s->max_rows = most < 1 ? 1 : most > MAX_ROWS ? MAX_ROWS : (int32_t)most;
    s->scale = calloc((size_t)n, sizeof *s->scale);
    s->shift = calloc((size_t)n, sizeof *s->shift);
    s->product = malloc((size_t)s->max_rows * (size_t)n * sizeof *s->product);
    if (!s->scale || !s->shift || !s->product)
        return err_nomem(err, "similarities", (size_t)s->max_rows * (size_t)n * sizeof *s->product);
    if (mat_init(&s->left, s->max_rows, PANEL_COLS, err) ||
        mat_init(&s->right, MAX_ROWS, PANEL_COLS, err))
        return -1;
    return mat_init(&s->part, s->max_rows, MAX_ROWS, err);
}

int similarity_init(struct similarity *s, const struct dataset *d, enum graph_metric metric,
                    struct err *err)
{
    struct mat row;
    int rc = 0;

    *s = (struct similarity){.data = d, .factor = 1};
    if (d->is_sparse)
        return err_set(err, "graph.build = knn and threshold need dense features, these are "
                            "sparse: give edges and use graph.build = file");
    if (allocate(s, err) || mat_init(&row, 1, d->n_features, err))
        return -1;
    if (metric == GRAPH_KINSHIP)
        rc = prepare_kinship(s, &row, err);
    if (metric == GRAPH_CORRELATION)
        rc = prepare_correlation(s, &row, err);
    if (!rc && metric != GRAPH_KINSHIP)
        scale_by_norms(s, &row);
    mat_release(&row);
    return rc;
}

void similarity_release(struct similarity *s)
{
    if (!s)
        return;
    free(s->scale);
    free(s->shift);
    free(s->mean);
    free(s->sum);
    free(s->twice);
    free(s->product);
    mat_release(&s->left);
    mat_release(&s->right);
    mat_release(&s->part);
    memset(s, 0, sizeof *s);
}

/* The block is `left`; the samples are [begin, begin + n). */
static void add_products(struct similarity *s, const struct mat *left, int32_t begin, int32_t n,
                         int32_t col)
{
    struct mat right = mat_view(s->right.v, n, left->n_cols);
    struct mat part = mat_view(s->part.v, left->n_rows, n);
    int64_t stride = s->data->n_samples - s->first;

    read_rows(&right, s, begin, col);
    gemm_nt(&part, left, &right);
    for (int32_t i = 0; i < part.n_rows; i++) {
        const float *from = mat_row(&part, i);
        double *to = s->product + i * stride + (begin - s->first);

        for (int32_t j = 0; j < n; j++)
            to[j] = (double)from[j] + (col ? to[j] : 0);
    }
}

bool similarity_next(struct similarity *s)
{
    int32_t n = s->data->n_samples, n_cols = s->data->n_features;

    s->first += s->n_rows;
    s->n_rows = n - s->first < s->max_rows ? n - s->first : s->max_rows;
    for (int32_t col = 0; s->n_rows && col < n_cols; col += PANEL_COLS) {
        int32_t width = n_cols - col < PANEL_COLS ? n_cols - col : PANEL_COLS;
        struct mat left = mat_view(s->left.v, s->n_rows, width);

        read_rows(&left, s, s->first, col);
        for (int32_t begin = s->first; begin < n; begin += MAX_ROWS)
            add_products(s, &left, begin, n - begin < MAX_ROWS ? n - begin : MAX_ROWS, col);
    }
    return s->n_rows > 0;
}

/* Uncentred rows have mean 0. */
struct measure {
    double mean, sum, shift, scale;
};

static double similarity_value(const struct similarity *s, const struct measure *row, int32_t j,
                               double product)
{
    double centred = product - row->shift - s->shift[j] + s->offset;

    if (s->sum)
        centred = s->data->n_features * product - row->sum * s->sum[j];
    return s->factor * row->scale * s->scale[j] * centred;
}

double similarity_of(const struct similarity *s, int32_t i, int32_t j)
{
    bool is_row = i < s->first + s->n_rows;
    int64_t row = (is_row ? i : j) - s->first, col = (is_row ? j : i) - s->first;
    double product = s->product[row * (s->data->n_samples - s->first) + col];
    struct measure measure = {
        .sum = s->sum ? s->sum[i] : 0, .shift = s->shift[i], .scale = s->scale[i]};

    return similarity_value(s, &measure, j, product);
}

/* ---- rows of other samples ---- */

static bool is_whole(const float *row, int32_t n)
{
    for (int32_t j = 0; j < n; j++)
        if (row[j] != floorf(row[j]))
            return false;
    return true;
}

/* A row with fractions is centred even if the data's rows are not; its products are not exact
 * anyway. */
static struct measure measure_row(const struct similarity *s, const float *row)
{
    int32_t n = s->data->n_features;
    struct measure m = {.scale = 1};
    double squares = 0;

    if (s->twice) {
        m.shift = kinship_shift(s, row);
        return m;
    }
    if (s->mean || (s->sum && !is_whole(row, n)))
        for (int32_t j = 0; j < n; j++)
            m.mean += (double)row[j] / n;
    for (int32_t j = 0; j < n; j++) {
        double v = (double)(float)((double)row[j] - m.mean);

        m.sum += v;
        squares += v * v;
    }
    if (s->sum)
        squares = n * squares - m.sum * m.sum;
    m.scale = squares > 0 ? 1 / sqrt(squares) : 0;
    return m;
}

void similarity_rows(struct similarity *s, const struct mat *x)
{
    int32_t n = s->data->n_samples, n_cols = s->data->n_features;
    struct measure measure[MAX_ROWS];
    double mean[MAX_ROWS];

    for (int32_t i = 0; i < x->n_rows; i++) {
        measure[i] = measure_row(s, mat_row(x, i));
        mean[i] = measure[i].mean;
    }
    s->first = s->n_rows = 0;
    for (int32_t col = 0; col < n_cols; col += PANEL_COLS) {
        int32_t width = n_cols - col < PANEL_COLS ? n_cols - col : PANEL_COLS;
        struct mat left = mat_view(s->left.v, x->n_rows, width);

        for (int32_t i = 0; i < x->n_rows; i++)
            memcpy(mat_row(&left, i), mat_row(x, i) + col, (size_t)width * sizeof *x->v);
        centre(&left, mean);
        for (int32_t begin = 0; begin < n; begin += MAX_ROWS)
            add_products(s, &left, begin, n - begin < MAX_ROWS ? n - begin : MAX_ROWS, col);
    }
    for (int32_t i = 0; i < x->n_rows; i++)
        for (int32_t j = 0; j < n; j++) {
            double *at = &s->product[(int64_t)i * n + j];

            *at = similarity_value(s, &measure[i], j, *at);
        }
}

int similarity_check(double v, const struct dataset *d, int32_t i, int32_t j, struct err *err)
{
    if (isfinite(v))
        return 0;
    if (i < 0)
        return err_set(err,
                       "graph.metric: the similarity of a new sample and sample \"%.80s\" is not a "
                       "finite number: features are too large",
                       dataset_id(d, j));
    return err_set(err,
                   "graph.metric: the similarity of samples \"%.80s\" and \"%.80s\" is not a "
                   "finite number: features are too large",
                   dataset_id(d, i), dataset_id(d, j));
}
