#include "data/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int columns_init(struct columns *c, const struct table *t, int32_t rows_expected, struct err *err)
{
    *c = (struct columns){.n_cols = t->n_cols - 1};
    if (c->n_cols < 1)
        return err_set(err, "%s: one column: must be an id and at least one more", t->path);
    c->name = malloc((size_t)c->n_cols * sizeof *c->name);
    if (!c->name)
        return err_nomem(err, "column names", (size_t)c->n_cols * sizeof *c->name);
    for (int32_t j = 0; j < c->n_cols; j++)
        c->name[j] = t->name[j + 1];
    while (c->n_rows < rows_expected)
        if (columns_add_row(c, err) != 0) {
            columns_release(c);
            return -1;
        }
    return 0;
}

void columns_release(struct columns *c)
{
    if (!c)
        return;
    free(c->v);
    free(c->name);
    memset(c, 0, sizeof *c);
}

static float *row_of(const struct columns *c, int32_t i)
{
    return c->v + (int64_t)i * c->n_cols;
}

static int grow(struct columns *c, struct err *err)
{
    /* By half: a doubled table of 10^5 markers would be felt. */
    int64_t capacity = (int64_t)c->row_capacity + c->row_capacity / 2 + 16;
    size_t bytes = (size_t)capacity * (size_t)c->n_cols * sizeof *c->v;
    float *grown;

    if (capacity > INT32_MAX)
        return err_set(err, "more than %d rows", c->row_capacity);
    grown = realloc(c->v, bytes);
    if (!grown)
        return err_nomem(err, "features", bytes);
    c->v = grown;
    c->row_capacity = (int32_t)capacity;
    return 0;
}

int columns_add_row(struct columns *c, struct err *err)
{
    if (c->n_rows == c->row_capacity && grow(c, err) != 0)
        return -1;
    for (int32_t j = 0; j < c->n_cols; j++)
        row_of(c, c->n_rows)[j] = NAN;
    c->n_rows++;
    return 0;
}

int columns_read_row(struct columns *c, int32_t i, const struct table *t, struct err *err)
{
    float *row = row_of(c, i);

    for (int32_t j = 0; j < c->n_cols; j++) {
        double v;

        if (table_number(&v, t, j + 1, err) != 0)
            return -1;
        row[j] = (float)v;
    }
    return 0;
}

/* low[j], high[j] = the range of column j's present values; low > high without any. */
static void find_ranges(float *low, float *high, const struct columns *c)
{
    for (int32_t j = 0; j < c->n_cols; j++) {
        low[j] = INFINITY;
        high[j] = -INFINITY;
    }
    for (int32_t i = 0; i < c->n_rows; i++) {
        const float *row = row_of(c, i);

        for (int32_t j = 0; j < c->n_cols; j++) {
            low[j] = row[j] < low[j] ? row[j] : low[j];
            high[j] = row[j] > high[j] ? row[j] : high[j];
        }
    }
}

int columns_drop_constant(struct columns *c, int32_t *n_dropped, struct err *err)
{
    size_t n_cols = (size_t)c->n_cols;
    float *low = malloc(2 * n_cols * sizeof *low);
    float *high;
    int64_t to = 0;
    int32_t n_kept = 0;

    if (!low)
        return err_nomem(err, "ranges of columns", 2 * n_cols * sizeof *low);
    high = low + n_cols;
    find_ranges(low, high, c);
    for (int64_t i = 0; i < c->n_rows; i++)
        for (int32_t j = 0; j < c->n_cols; j++)
            if (low[j] < high[j])
                c->v[to++] = c->v[i * c->n_cols + j];
    for (int32_t j = 0; j < c->n_cols; j++)
        if (low[j] < high[j])
            c->name[n_kept++] = c->name[j];
    *n_dropped = c->n_cols - n_kept;
    c->n_cols = n_kept;
    free(low);
    return 0;
}

/* sum[j] becomes the mean of column j's present values, n[j] their number. */
static void find_means(double *sum, int32_t *n, const struct columns *c)
{
    for (int32_t i = 0; i < c->n_rows; i++) {
        const float *row = row_of(c, i);

        for (int32_t j = 0; j < c->n_cols; j++)
            if (!isnan(row[j])) {
                sum[j] += (double)row[j];
                n[j]++;
            }
    }
    for (int32_t j = 0; j < c->n_cols; j++)
        sum[j] /= n[j];
}

static int fill_in(struct columns *c, const double *mean, const int32_t *n, int64_t *n_missing,
                   struct err *err)
{
    for (int32_t j = 0; j < c->n_cols; j++)
        if (n[j] == 0)
            return err_set(err, "column \"%.80s\" has no value", c->name[j]);
    *n_missing = 0;
    for (int32_t i = 0; i < c->n_rows; i++) {
        float *row = row_of(c, i);

        for (int32_t j = 0; j < c->n_cols; j++)
            if (isnan(row[j])) {
                row[j] = (float)mean[j];
                ++*n_missing;
            }
    }
    return 0;
}

int columns_impute(struct columns *c, int64_t *n_missing, struct err *err)
{
    double *mean = calloc((size_t)c->n_cols, sizeof *mean);
    int32_t *n = calloc((size_t)c->n_cols, sizeof *n);
    int status;

    if (mean && n) {
        find_means(mean, n, c);
        status = fill_in(c, mean, n, n_missing, err);
    } else {
        status = err_nomem(err, "means of columns", (size_t)c->n_cols * sizeof *mean);
    }
    free(mean);
    free(n);
    return status;
}
