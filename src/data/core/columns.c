/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/columns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/reader.h"

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
        if (columns_add_row(c, err)) {
            columns_release(c);
            return -1;
        }
    return 0;
}

void columns_release(struct columns *c)
{
    if (!c)
        return;
    free(c->dosage);
    free(c->v);
    free(c->name);
    memset(c, 0, sizeof *c);
}

int columns_add_row(struct columns *c, struct err *err)
{
    int64_t first = (int64_t)c->n_rows * c->n_cols;

    /* Doubling a table of 10^5 markers would be noticeable. realloc() moves pages, not bytes. */
    if (c->n_rows == c->row_capacity) {
        int64_t rows = (int64_t)c->row_capacity + c->row_capacity / 2 + 16;
        size_t bytes = (size_t)rows * (size_t)c->n_cols * (c->v ? sizeof *c->v : sizeof *c->dosage);
        void *grown;

        if (rows > INT32_MAX)
            return err_set(err, "more than %d rows", c->row_capacity);
        grown = realloc(c->v ? (void *)c->v : c->dosage, bytes);
        if (!grown)
            return err_nomem(err, "features", bytes);
        if (c->v)
            c->v = grown;
        else
            c->dosage = grown;
        c->row_capacity = (int32_t)rows;
    }
    if (c->dosage)
        memset(c->dosage + first, (unsigned char)DOSAGE_MISSING, (size_t)c->n_cols);
    for (int32_t j = 0; c->v && j < c->n_cols; j++)
        c->v[first + j] = NAN;
    c->n_rows++;
    return 0;
}

static float to_float(int8_t dosage)
{
    return dosage == DOSAGE_MISSING ? NAN : (float)dosage;
}

/* Converts in the same memory, from last to first. */
static int widen(struct columns *c, struct err *err)
{
    size_t bytes = (size_t)c->row_capacity * (size_t)c->n_cols * sizeof *c->v;
    float *v = realloc(c->dosage, bytes);
    const int8_t *dosage = (const int8_t *)v;

    if (!v)
        return err_nomem(err, "features", bytes);
    for (int64_t i = (int64_t)c->n_rows * c->n_cols; i-- > 0;)
        v[i] = to_float(dosage[i]);
    c->v = v;
    c->dosage = NULL;
    return 0;
}

int columns_read_row(struct columns *c, int32_t i, const struct table *t, struct err *err)
{
    int64_t first = (int64_t)i * c->n_cols;

    for (int32_t j = 0; j < c->n_cols; j++) {
        const char *cell = t->cell[j + 1];
        bool is_dosage;
        double number;
        float v;

        /* Nearly every cell of a genotype table is one digit. */
        if (c->dosage && !c->missing && cell[0] >= '0' && cell[0] <= '9' && cell[1] == '\0') {
            c->dosage[first + j] = (int8_t)(cell[0] - '0');
            continue;
        }
        if (c->missing && reader_is_listed(c->missing, cell))
            number = NAN;
        else if (table_number(&number, t, j + 1, err))
            return -1;
        v = (float)number;
        is_dosage = isnan(v) || (fabsf(v) <= DOSAGE_MAX && v == (float)(int)v);
        if (!c->v && !is_dosage && widen(c, err))
            return -1;
        if (c->v)
            c->v[first + j] = v;
        else
            c->dosage[first + j] = isnan(v) ? DOSAGE_MISSING : (int8_t)v;
    }
    return 0;
}

void columns_keep(struct columns *c, const bool *keeps)
{
    int64_t from = 0, to = 0;
    int32_t n_kept = 0;

    for (int32_t i = 0; i < c->n_rows; i++)
        for (int32_t j = 0; j < c->n_cols; j++, from++) {
            if (!keeps[j])
                continue;
            if (c->v)
                c->v[to++] = c->v[from];
            else
                c->dosage[to++] = c->dosage[from];
        }
    for (int32_t j = 0; j < c->n_cols; j++)
        if (keeps[j])
            c->name[n_kept++] = c->name[j];
    c->n_cols = n_kept;
}

int columns_take_rows(struct columns *c, const int32_t *row, int32_t n, struct err *err)
{
    size_t size = (size_t)c->n_cols * (c->v ? sizeof *c->v : sizeof *c->dosage);
    char *from = c->v ? (char *)c->v : (char *)c->dosage;
    char *to = malloc((size_t)n * size);

    if (!to)
        return err_nomem(err, "features", (size_t)n * size);
    for (int32_t i = 0; i < n; i++)
        memcpy(to + (size_t)i * size, from + (size_t)row[i] * size, size);
    free(from);
    if (c->v)
        c->v = (float *)(void *)to;
    else
        c->dosage = (int8_t *)to;
    c->n_rows = c->row_capacity = n;
    return 0;
}

void columns_tally(struct tally *tally, const struct columns *c)
{
    int64_t at = 0;

    for (int32_t j = 0; j < c->n_cols; j++)
        tally[j] = (struct tally){.low = INFINITY, .high = -INFINITY};
    for (int32_t i = 0; i < c->n_rows; i++)
        for (int32_t j = 0; j < c->n_cols; j++, at++) {
            double v = (double)(c->v ? c->v[at] : to_float(c->dosage[at]));

            if (isnan(v))
                continue;
            tally[j].n_present++;
            tally[j].sum += v;
            tally[j].low = v < tally[j].low ? v : tally[j].low;
            tally[j].high = v > tally[j].high ? v : tally[j].high;
        }
}

int columns_impute(struct columns *c, int64_t *n_missing, struct err *err)
{
    struct tally *tally = malloc((size_t)c->n_cols * sizeof *tally);
    int rc = 0;

    if (!tally)
        return err_nomem(err, "means of columns", (size_t)c->n_cols * sizeof *tally);
    *n_missing = 0;
    columns_tally(tally, c);
    for (int32_t j = 0; !rc && j < c->n_cols; j++) {
        if (!tally[j].n_present)
            rc = err_set(err, "column \"%.80s\" has no value", c->name[j]);
        *n_missing += c->n_rows - tally[j].n_present;
    }
    for (int64_t i = 0; !rc && c->v && i < (int64_t)c->n_rows * c->n_cols; i++)
        if (isnan(c->v[i]))
            c->v[i] = (float)(tally[i % c->n_cols].sum / tally[i % c->n_cols].n_present);
    free(tally);
    return rc;
}
