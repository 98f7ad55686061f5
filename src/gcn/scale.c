/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/scale.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "tensor/kernel.h"

/* ---- scaling of rows and columns ---- */

/* Rounding may move the mean of a constant column. */
#define CONSTANT 1e-12

int scaling_init(struct scaling *scaling, const struct dataset *data, enum feature_scale scale,
                 struct err *err)
{
    size_t n = (size_t)data->n_nodes, f = (size_t)data->n_features;

    *scaling = (struct scaling){.data = data, .scale = scale};
    if (scale == SCALE_ROW) {
        scaling->row_factor = calloc(n + 1, sizeof(double));
        return scaling->row_factor ? 0 : err_nomem(err, "row sums", n * sizeof(double));
    }
    if (scale != SCALE_STANDARDIZE)
        return 0;
    scaling->column_mean = calloc(f, sizeof(double));
    scaling->column_factor = calloc(f, sizeof(double));
    if (!scaling->column_mean || !scaling->column_factor)
        return err_nomem(err, "column means", 2 * f * sizeof(double));
    return 0;
}

void scaling_release(struct scaling *scaling)
{
    if (!scaling)
        return;
    free(scaling->row_factor);
    free(scaling->column_mean);
    free(scaling->column_factor);
    *scaling = (struct scaling){0};
}

static int32_t panel_row(const struct feature_panel *panel)
{
    return panel->has_all_samples ? 0 : panel->at;
}

static int32_t panel_col(const struct feature_panel *panel)
{
    return panel->has_all_samples ? panel->at : 0;
}

static struct mat read_panel(const struct scaling *scaling, const struct feature_panel *panel,
                             float *room)
{
    const struct dataset *data = scaling->data;
    struct mat raw = panel->has_all_samples ? mat_view(room, data->n_nodes, panel->n)
                                            : mat_view(room, panel->n, data->n_features);

    dataset_decode(&raw, data, panel_row(panel), panel_col(panel));
    return raw;
}

/* ---- learning ---- */

CLONES static void add_columns(double *restrict sum, const struct mat *m)
{
    for (int32_t i = 0; i < m->n_rows; i++) {
        const float *restrict row = mat_row(m, i);

        for (int32_t j = 0; j < m->n_cols; j++)
            sum[j] += (double)row[j];
    }
}

CLONES static void add_squares(double *restrict square, const double *restrict mean,
                               const struct mat *m)
{
    for (int32_t i = 0; i < m->n_rows; i++) {
        const float *restrict row = mat_row(m, i);

        for (int32_t j = 0; j < m->n_cols; j++)
            square[j] += ((double)row[j] - mean[j]) * ((double)row[j] - mean[j]);
    }
}

static void add_rows(double *sum, const struct mat *m)
{
    for (int32_t i = 0; i < m->n_rows; i++)
        for (int32_t j = 0; j < m->n_cols; j++)
            sum[i] += (double)mat_row(m, i)[j];
}

static void finish_means(double *mean, int32_t n_cols, int32_t n_samples)
{
    for (int32_t j = 0; j < n_cols; j++)
        mean[j] /= n_samples;
}

static void finish_factors(double *factor, const double *mean, int32_t n_cols, int32_t n_samples)
{
    for (int32_t j = 0; j < n_cols; j++) {
        double square = factor[j] / n_samples;

        factor[j] = square > CONSTANT * mean[j] * mean[j] ? 1 / sqrt(square) : 0;
    }
}

enum moment { ROW_SUMS, COLUMN_SUMS, COLUMN_SQUARES };

static void add_all(struct scaling *s, enum moment moment, bool has_all_samples, int32_t width,
                    float *room)
{
    int32_t end = has_all_samples ? s->data->n_features : s->data->n_nodes;
    struct feature_panel panel = {.has_all_samples = has_all_samples};

    for (; panel.at < end; panel.at += width) {
        struct mat raw;

        panel.n = end - panel.at < width ? end - panel.at : width;
        raw = read_panel(s, &panel, room);
        if (moment == ROW_SUMS)
            add_rows(s->row_factor + panel_row(&panel), &raw);
        else if (moment == COLUMN_SUMS)
            add_columns(s->column_mean, &raw);
        else
            add_squares(s->column_factor, s->column_mean, &raw);
    }
}

static void learn(struct scaling *scaling, bool has_all_samples, int32_t width, float *raw)
{
    int32_t n = scaling->data->n_nodes, f = scaling->data->n_features;
    double *row = scaling->row_factor;

    if (scaling->scale == SCALE_ROW) {
        add_all(scaling, ROW_SUMS, has_all_samples, width, raw);
        for (int32_t i = 0; i < n; i++)
            row[i] = row[i] != 0 ? 1 / row[i] : 1;
    }
    if (scaling->scale == SCALE_STANDARDIZE && !has_all_samples) {
        add_all(scaling, COLUMN_SUMS, false, width, raw);
        finish_means(scaling->column_mean, f, n);
        add_all(scaling, COLUMN_SQUARES, false, width, raw);
        finish_factors(scaling->column_factor, scaling->column_mean, f, n);
    }
}

/* read at a time, except for a longer row */
#define ROOM_FLOATS (1 << 16)

int scaling_fit(struct scaling *scaling, const struct dataset *data, enum feature_scale scale,
                struct err *err)
{
    int32_t width = ROOM_FLOATS / data->n_features + 1;
    size_t n = (size_t)width * (size_t)data->n_features;
    float *room = malloc(n * sizeof *room);

    if (!room)
        return err_nomem(err, "features", n * sizeof *room);
    if (scaling_init(scaling, data, scale, err)) {
        scaling_release(scaling);
        free(room);
        return -1;
    }
    learn(scaling, false, width, room);
    free(room);
    return 0;
}

/* ---- applying ---- */

CLONES static void standardize(double *restrict out, const struct mat *m,
                               const double *restrict mean, const double *restrict factor)
{
    for (int32_t i = 0; i < m->n_rows; i++) {
        const float *restrict row = mat_row(m, i);

        for (int32_t j = 0; j < m->n_cols; j++)
            out[j] = ((double)row[j] - mean[j]) * factor[j];
        out += m->n_cols;
    }
}

/* factor NULL: all 1 */
CLONES static void multiply_rows(double *restrict out, const struct mat *m, const double *factor)
{
    for (int32_t i = 0; i < m->n_rows; i++) {
        const float *restrict row = mat_row(m, i);
        double by = factor ? factor[i] : 1;

        for (int32_t j = 0; j < m->n_cols; j++)
            out[j] = (double)row[j] * by;
        out += m->n_cols;
    }
}

void scaling_apply(double *out, const struct scaling *scaling, const struct feature_panel *panel,
                   const struct mat *raw)
{
    if (scaling->scale == SCALE_STANDARDIZE)
        standardize(out, raw, scaling->column_mean + panel_col(panel),
                    scaling->column_factor + panel_col(panel));
    else
        multiply_rows(out, raw,
                      scaling->row_factor ? scaling->row_factor + panel_row(panel) : NULL);
}

/* A panel and its doubles fit a second-level cache. Below LEAST_WIDTH columns, products of panels mostly
 * read and write their sums. */
#define PANEL_FLOATS (1 << 16)
#define LEAST_WIDTH 128

int scaling_walk_init(struct scaling_walk *walk, const struct scaling *scaling,
                      struct scaling *learned, bool has_all_samples, int32_t width, struct err *err)
{
    const struct dataset *data = scaling->data;
    int32_t end = has_all_samples ? data->n_features : data->n_nodes;
    int32_t n = has_all_samples ? data->n_nodes : data->n_features;
    size_t size;

    *walk = (struct scaling_walk){
        .scaling = scaling, .learned = learned, .panel.has_all_samples = has_all_samples};
    if (width == 0)
        width = PANEL_FLOATS / n > LEAST_WIDTH ? PANEL_FLOATS / n : LEAST_WIDTH;
    walk->width = width < end ? width : end;
    size = (size_t)walk->width * (size_t)n;
    walk->scaled = malloc(size * sizeof *walk->scaled);
    if (mat_init(&walk->raw, walk->width, n, err) || !walk->scaled)
        return err_nomem(err, "panel", size * sizeof(double));
    if (learned)
        learn(learned, has_all_samples, walk->width, walk->raw.v);
    return 0;
}

void scaling_walk_release(struct scaling_walk *walk)
{
    mat_release(&walk->raw);
    free(walk->scaled);
}

bool scaling_walk_next(struct scaling_walk *walk)
{
    const struct dataset *data = walk->scaling->data;
    struct feature_panel *panel = &walk->panel;
    int32_t end = panel->has_all_samples ? data->n_features : data->n_nodes, left;

    panel->at += panel->n;
    left = end - panel->at;
    panel->n = left < walk->width ? left : walk->width;
    if (left <= 0)
        return false;
    walk->raw = read_panel(walk->scaling, panel, walk->raw.v);
    if (walk->learned && panel->has_all_samples && walk->scaling->scale == SCALE_STANDARDIZE) {
        double *mean = walk->learned->column_mean + panel->at;
        double *factor = walk->learned->column_factor + panel->at;

        add_columns(mean, &walk->raw);
        finish_means(mean, panel->n, walk->raw.n_rows);
        add_squares(factor, mean, &walk->raw);
        finish_factors(factor, mean, panel->n, walk->raw.n_rows);
    }
    scaling_apply(walk->scaled, walk->scaling, panel, &walk->raw);
    return true;
}

int scale_columns(struct mat *out, const struct dataset *data, enum feature_scale scale,
                  int32_t first, struct err *err)
{
    dataset_decode(out, data, 0, first);
    if (scale == SCALE_STANDARDIZE && kernel_standardize(out))
        return err_nomem(err, "column means", 2 * (size_t)out->n_cols * sizeof(double));
    return 0;
}

static int read_columns(const void *self, struct mat *out, int32_t first, struct err *err)
{
    const struct scale_source *source = self;

    return scale_columns(out, source->data, source->scale, first, err);
}

struct coded_source scale_coded_source(const struct scale_source *source)
{
    return (struct coded_source){source->data->n_nodes, source->data->n_features, read_columns,
                                 source};
}

/* ---- sparse ---- */

/* With out = NULL, entries are only counted. */
static int pass_entries(struct csr *out, int64_t *n, const struct dataset *data, struct err *err)
{
    struct mat row;

    *n = 0;
    if (mat_init(&row, 1, data->n_features, err))
        return -1;
    for (int32_t i = 0; i < data->n_nodes; i++) {
        dataset_decode(&row, data, i, 0);
        for (int32_t j = 0; j < row.n_cols; j++) {
            if (row.v[j] == 0)
                continue;
            if (out) {
                out->col[*n] = j;
                out->val[*n] = row.v[j];
            }
            ++*n;
        }
        if (out)
            out->row_start[i + 1] = *n;
    }
    mat_release(&row);
    return 0;
}

int scale_count_entries(int64_t *nnz, const struct dataset *data, struct err *err)
{
    return pass_entries(NULL, nnz, data, err);
}

int scale_check(const struct dataset *data, enum feature_scale scale, struct err *err)
{
    if (data->is_sparse && scale == SCALE_STANDARDIZE)
        return err_set(err, "sparse features cannot be standardized: centring would make them "
                            "dense: scale must be none or row");
    return 0;
}

int scale_sparse(struct csr *out, const struct dataset *data, int64_t nnz, enum feature_scale scale,
                 struct err *err)
{
    const struct csr *a = &data->sparse_features;
    int rc = 0;

    if (data->is_sparse)
        nnz = csr_nnz(a);
    if (scale_check(data, scale, err) || csr_init(out, data->n_nodes, data->n_features, nnz, err))
        return -1;
    if (data->is_sparse) {
        memcpy(out->row_start, a->row_start, ((size_t)a->n_rows + 1) * sizeof *a->row_start);
        memcpy(out->col, a->col, (size_t)nnz * sizeof *a->col);
        memcpy(out->val, a->val, (size_t)nnz * sizeof *a->val);
    } else {
        rc = pass_entries(out, &nnz, data, err);
    }
    if (!rc && scale == SCALE_ROW)
        kernel_normalize_sparse_rows(out);
    if (rc)
        csr_release(out);
    return rc;
}

/* ---- spread ---- */

/* factor out: [F] 1 / sd; 0 for constant features */
static int measure_sparse(double *factor, const struct dataset *data, struct err *err)
{
    const struct csr *a = &data->sparse_features;
    const double n = data->n_nodes;
    double *sum = calloc((size_t)data->n_features + 1, sizeof *sum);

    if (!sum)
        return err_nomem(err, "column sums", (size_t)data->n_features * sizeof *sum);
    for (int64_t at = 0; at < csr_nnz(a); at++) {
        sum[a->col[at]] += (double)a->val[at];
        factor[a->col[at]] += (double)a->val[at] * (double)a->val[at];
    }
    for (int32_t j = 0; j < data->n_features; j++) {
        double variance = factor[j] / n - sum[j] / n * (sum[j] / n);

        factor[j] = variance > 1e-12 * factor[j] / n ? 1 / sqrt(variance) : 0;
    }
    free(sum);
    return 0;
}

/* is_amount: [F] out, has a value other than 0 and 1; NULL: stop at the first. Returns whether there is
 * one, or -1 and err. */
static int find_amounts(bool *is_amount, const struct dataset *data, struct err *err)
{
    struct mat row;
    int found = 0;

    if (mat_init(&row, 1, data->n_features, err))
        return -1;
    for (int32_t i = 0; (is_amount || !found) && i < data->n_nodes; i++) {
        dataset_decode(&row, data, i, 0);
        for (int32_t j = 0; j < row.n_cols; j++) {
            bool is_one = row.v[j] != 0 && row.v[j] != 1;

            found |= is_one;
            if (is_amount)
                is_amount[j] |= is_one;
        }
    }
    mat_release(&row);
    return found;
}

/* The sd of a 0/1 feature shows its rarity, not its scale. */
static int find_narrowest(struct scale_spread *out, const double *factor,
                          const struct dataset *data, struct err *err)
{
    bool *is_amount = calloc((size_t)data->n_features + 1, sizeof *is_amount);
    int32_t label = -1;
    int rc = 0;

    if (!is_amount)
        return err_nomem(err, "spreads", (size_t)data->n_features);
    if (!data->is_sparse)
        rc = find_amounts(is_amount, data, err) < 0 ? -1 : 0;
    for (int32_t j = 0; !rc && j < data->n_features; j++) {
        bool is_label = !data->is_sparse && !is_amount[j];

        if (factor[j] <= 0)
            continue;
        if (is_label && (label < 0 || factor[j] < factor[label]))
            label = j;
        if (!is_label && (out->narrowest < 0 || factor[j] > factor[out->narrowest]))
            out->narrowest = j;
    }
    if (label >= 0 && (out->narrowest < 0 || factor[label] > factor[out->narrowest]))
        out->narrowest = label;
    free(is_amount);
    return rc;
}

int scale_measure_spread(struct scale_spread *out, const struct dataset *data, struct err *err)
{
    double *factor = calloc((size_t)data->n_features + 1, sizeof *factor);
    struct scaling scaling = {0};
    int rc;

    *out = (struct scale_spread){.widest = -1, .narrowest = -1};
    if (!factor)
        return err_nomem(err, "spreads", (size_t)data->n_features * sizeof *factor);
    rc = data->is_sparse ? measure_sparse(factor, data, err)
                         : scaling_fit(&scaling, data, SCALE_STANDARDIZE, err);
    if (!rc && !data->is_sparse)
        memcpy(factor, scaling.column_factor, (size_t)data->n_features * sizeof *factor);
    scaling_release(&scaling);
    for (int32_t j = 0; !rc && j < data->n_features; j++)
        if (factor[j] > 0 && (out->widest < 0 || factor[j] < factor[out->widest]))
            out->widest = j;
    if (!rc)
        rc = find_narrowest(out, factor, data, err);
    if (!rc && out->narrowest >= 0) {
        out->most = 1 / factor[out->widest];
        out->least = 1 / factor[out->narrowest];
    }
    free(factor);
    return rc;
}

int scale_has_amounts(bool *out, const struct dataset *data, struct err *err)
{
    int found = data->is_sparse ? 0 : find_amounts(NULL, data, err);

    *out = found > 0;
    return found < 0 ? -1 : 0;
}
