/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/core/reader.h"

/* Distinct values of all columns; each takes about 100 bytes. */
#define MOST_SEEN 2000000

static int add_cell(struct profile_column *c, const struct table *t, const char *cell,
                    int32_t most_seen, struct err *err)
{
    double v;

    if (table_is_missing(cell))
        return 0;
    c->n++;
    if (table_parse_number(&v, cell) || (t->separator != ',' && table_parse_comma(&v, cell))) {
        c->n_numbers++;
        c->n_whole += v == floor(v);
        c->low = fmin(c->low, v);
        c->high = fmax(c->high, v);
    } else {
        c->n_structures += strpbrk(cell, "=#()[]") && !strchr(cell, ' ');
    }
    if (names_find(&c->seen, cell) >= 0)
        return 0;
    c->is_cut = c->seen.n >= most_seen;
    return c->is_cut || names_add(&c->seen, cell, t->line, err) >= 0 ? 0 : -1;
}

int profile_read(struct profile *out, const char *path, const struct names *ids, int32_t id,
                 struct err *err)
{
    struct table t;
    int rc = 0, status = 1;

    memset(out, 0, sizeof *out);
    if (table_open(&t, path, err))
        return -1;
    out->n_cols = t.n_cols;
    out->n = t.n_cols < PROFILE_COLUMNS ? t.n_cols : PROFILE_COLUMNS;
    out->has_family = reader_has_family(&t);
    out->col = calloc((size_t)out->n, sizeof *out->col);
    for (int32_t j = 0; out->col && j < out->n; j++) {
        out->col[j].low = INFINITY;
        out->col[j].high = -INFINITY;
        out->col[j].name = strdup(t.name[j]);
        rc = out->col[j].name ? rc : -1;
    }
    if (rc || !out->col)
        rc = err_nomem(err, "columns", (size_t)out->n * sizeof *out->col);
    while (!rc && (status = table_next(&t, err)) > 0) {
        if (ids && names_find(ids, t.cell[id]) < 0)
            continue;
        out->n_rows++;
        for (int32_t j = 0; !rc && j < out->n; j++)
            rc = add_cell(&out->col[j], &t, t.cell[j], MOST_SEEN / out->n, err);
    }
    table_close(&t);
    return rc || status < 0 ? -1 : 0;
}

void profile_release(struct profile *profile)
{
    if (!profile)
        return;
    for (int32_t j = 0; profile->col && j < profile->n; j++) {
        names_release(&profile->col[j].seen);
        free(profile->col[j].name);
    }
    free(profile->col);
    memset(profile, 0, sizeof *profile);
}

int32_t profile_known(const struct profile_column *column, const struct names *ids)
{
    int32_t n = 0;

    for (int32_t i = 0; i < column->seen.n; i++)
        n += names_find(ids, column->seen.text[i]) >= 0;
    return n;
}

bool profile_is_unique(const struct profile_column *column)
{
    return !column->is_cut && column->n == column->seen.n;
}

bool profile_is_numeric(const struct profile_column *column)
{
    return column->n > 0 && column->n_numbers == column->n;
}

bool profile_is_whole(const struct profile_column *column)
{
    return column->n > 0 && column->n_whole == column->n;
}

bool profile_is_structural(const struct profile_column *column)
{
    return column->n_numbers == 0 && 2 * column->n_structures > column->n;
}

int32_t profile_find(const struct profile *profile, const char *name)
{
    for (int32_t j = 0; j < profile->n; j++)
        if (!strcmp(profile->col[j].name, name))
            return j;
    return -1;
}
