/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/paper.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int paper_decimals(double error)
{
    int exponent = (int)floor(log10(error));
    double first_three = round(error / pow(10, exponent - 2));
    int decimals = first_three < 354.5 ? 1 - exponent : -exponent;

    return decimals < 0 ? 0 : decimals > 15 ? 15 : decimals;
}

/* A value that rounds to zero has no sign. */
void paper_put_number(struct buf *out, double value, double error)
{
    char digits[400]; /* DBL_MAX has 309 before the point */

    if (error > 0)
        snprintf(digits, sizeof digits, "%.*f", paper_decimals(error), fabs(value));
    else
        snprintf(digits, sizeof digits, "%.5g", fabs(value));
    buf_puts(out, value < 0 && strpbrk(digits, "123456789") ? "−" : "");
    buf_puts(out, digits);
}

/* NaN if the table has no such column. */
static double value_of(const struct result_table *rows, int64_t row, const char *column)
{
    return result_table_find(rows, row, column) ? result_table_real(rows, row, column) : NAN;
}

static void put_mean(struct buf *out, const struct result_table *rows, int64_t row)
{
    double sd = value_of(rows, row, "sd");
    double se = sd / sqrt(value_of(rows, row, "trials"));

    paper_put_number(out, value_of(rows, row, "mean"), se);
    if (!isnan(sd)) {
        buf_puts(out, " ± ");
        paper_put_number(out, sd, se);
    }
}

static bool is_marked(const struct result_table *rows, int64_t row, int64_t n_trials)
{
    return value_of(rows, row, "trials") < (double)n_trials && !isnan(value_of(rows, row, "mean"));
}

static bool is_reference(const struct paper *paper, const struct result_table *rows, int64_t row)
{
    if (isnan(value_of(rows, row, "diff")))
        return false;
    return paper->reference ? value_of(rows, row, "config") == (double)paper->reference
                            : value_of(rows, row, "place") == 1;
}

static void put_difference(struct buf *out, const struct result_table *rows, int64_t row)
{
    double error = value_of(rows, row, "diff_se");
    double low = value_of(rows, row, "diff_low");

    paper_put_number(out, value_of(rows, row, "diff"), error);
    if (isnan(low))
        return;
    buf_puts(out, " (");
    paper_put_number(out, low, error);
    buf_puts(out, " to ");
    paper_put_number(out, value_of(rows, row, "diff_high"), error);
    buf_puts(out, ")");
}

/* Columns that are merged. Those without a function go into another one, or are left out. */
static const struct merged {
    const char *name;
    void (*put)(struct buf *out, const struct result_table *rows, int64_t row);
} merged_columns[] = {
    {"mean", put_mean}, {"diff", put_difference},
    {"sd", NULL},       {"se", NULL},
    {"diff_se", NULL},  {"diff_low", NULL},
    {"trials", NULL},   {"diff_high", NULL},
    {"pairs", NULL},    {"within_se", NULL},
    {"seconds", NULL},  {"flops", NULL},
    {"val_r2", NULL},   {NULL, NULL},
};

/* NULL: the column stays as it is. */
static const struct merged *find_merged(const struct paper *paper, const char *name)
{
    static const struct merged none = {"", NULL};

    for (const struct merged *m = merged_columns; m->name; m++)
        if (!strcmp(m->name, name) && m->put == put_difference && !paper->n_differences)
            return &none;
        else if (!strcmp(m->name, name))
            return paper->n_marked && !strcmp(name, "trials") ? NULL : m;
    return NULL;
}

static void put_cell(struct paper *paper, struct cell *out, const struct merged *merged,
                     const struct result_table *rows, int64_t row, int32_t column, int64_t n_trials)
{
    const struct cell *cell = &rows->cells[row * rows->n_cols + column];

    *out = *cell;
    if (!merged || cell->type == CELL_NULL)
        return;
    *out = (struct cell){.type = CELL_TEXT, .i = (int64_t)paper->texts.size};
    if (merged->put == put_difference && is_reference(paper, rows, row))
        buf_puts(&paper->texts, "reference");
    else
        merged->put(&paper->texts, rows, row);
    if (merged->put == put_mean && is_marked(rows, row, n_trials))
        buf_puts(&paper->texts, "†");
    buf_putc(&paper->texts, '\0');
}

static void put_names(struct paper *paper, const struct result_table *rows, const char *mean_name,
                      const char *diff_name)
{
    struct result_table *table = &paper->table;

    for (int32_t c = 0; c < rows->n_cols; c++) {
        const struct merged *merged = find_merged(paper, rows->names[c]);
        const char *name = !merged                   ? rows->names[c]
                           : merged->put == put_mean ? mean_name
                                                     : diff_name;

        if (!merged || merged->put)
            table->names[table->n_cols++] = (char *)(uintptr_t)name;
    }
}

int paper_make(struct paper *paper, const struct result_table *rows, int64_t n_trials,
               const char *mean_name, const char *diff_name, struct err *err)
{
    size_t n = (size_t)rows->n_cols, n_cells = n * (size_t)rows->n_rows;
    struct result_table *table = &paper->table;

    table->names = calloc(n + 1, sizeof *table->names);
    table->cells = calloc(n_cells + 1, sizeof *table->cells);
    if (!table->names || !table->cells)
        return err_nomem(err, "table", n_cells * sizeof *table->cells);
    for (int64_t r = 0; r < rows->n_rows; r++) {
        bool is_other = !isnan(value_of(rows, r, "diff")) && !is_reference(paper, rows, r);

        paper->n_marked += is_marked(rows, r, n_trials);
        paper->n_empty += isnan(value_of(rows, r, "mean"));
        paper->n_differences += is_other;
        paper->n_intervals += is_other && !isnan(value_of(rows, r, "diff_low"));
    }
    put_names(paper, rows, mean_name, diff_name);
    table->n_rows = rows->n_rows;
    for (int64_t r = 0; r < rows->n_rows; r++)
        for (int32_t c = 0, to = 0; c < rows->n_cols; c++) {
            const struct merged *merged = find_merged(paper, rows->names[c]);

            if (!merged || merged->put)
                put_cell(paper, &table->cells[r * table->n_cols + to++], merged, rows, r, c,
                         n_trials);
        }
    /* Texts move while they grow, so that their places become pointers at the end. */
    for (int64_t i = 0; i < table->n_rows * table->n_cols; i++)
        if (table->cells[i].type == CELL_TEXT && !table->cells[i].s)
            table->cells[i].s = buf_text(&paper->texts) + table->cells[i].i;
    return buf_failed(&paper->texts) ? err_nomem(err, "table", paper->texts.size) : 0;
}

void paper_release(struct paper *paper)
{
    free(paper->table.names);
    free(paper->table.cells);
    buf_release(&paper->texts);
    *paper = (struct paper){0};
}
