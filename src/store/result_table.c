/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/result_table.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static void release_cell(struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        free((char *)(uintptr_t)cell->s);
}

void result_table_release(struct result_table *table)
{
    if (!table)
        return;
    for (int32_t c = 0; table->names && c < table->n_cols; c++)
        free(table->names[c]);
    for (int64_t i = 0; i < table->n_rows * table->n_cols; i++)
        release_cell(&table->cells[i]);
    free(table->names);
    free(table->cells);
    memset(table, 0, sizeof *table);
}

const struct cell *result_table_find(const struct result_table *table, int64_t row,
                                     const char *column)
{
    for (int32_t c = 0; c < table->n_cols; c++)
        if (!strcmp(table->names[c], column))
            return &table->cells[row * table->n_cols + c];
    return NULL;
}

static const struct cell *cell_at(const struct result_table *table, int64_t row, const char *column)
{
    const struct cell *cell = result_table_find(table, row, column);

    assert(cell && row >= 0 && row < table->n_rows);
    return cell;
}

int64_t result_table_integer(const struct result_table *table, int64_t row, const char *column)
{
    const struct cell *cell = cell_at(table, row, column);

    return cell->type == CELL_INTEGER ? cell->i : 0;
}

double result_table_real(const struct result_table *table, int64_t row, const char *column)
{
    const struct cell *cell = cell_at(table, row, column);

    if (cell->type == CELL_INTEGER)
        return (double)cell->i;
    return cell->type == CELL_REAL ? cell->f : (double)NAN;
}

const char *result_table_text(const struct result_table *table, int64_t row, const char *column)
{
    const struct cell *cell = cell_at(table, row, column);

    return cell->type == CELL_TEXT ? cell->s : "";
}

void result_table_drop_last(struct result_table *table)
{
    int32_t n = table->n_cols, last = n - 1;

    for (int64_t r = 0; r < table->n_rows; r++) {
        release_cell(&table->cells[r * n + last]);
        memmove(&table->cells[r * last], &table->cells[r * n], (size_t)last * sizeof *table->cells);
    }
    free(table->names[last]);
    table->n_cols = last;
}

static bool is_empty(const struct result_table *table, int32_t column)
{
    for (int64_t r = 0; r < table->n_rows; r++)
        if (table->cells[r * table->n_cols + column].type != CELL_NULL)
            return false;
    return true;
}

void result_table_drop_all_empty(struct result_table *table)
{
    int32_t n = 0, n_cols = table->n_cols;
    int64_t at = 0;
    bool *drops = calloc((size_t)n_cols + 1, sizeof *drops);

    if (!drops)
        return; /* it shows a column too many */
    for (int32_t c = 0; c < n_cols; c++)
        drops[c] = is_empty(table, c);
    for (int64_t i = 0; i < table->n_rows * n_cols; i++)
        if (!drops[i % n_cols])
            table->cells[at++] = table->cells[i];
    for (int32_t c = 0; c < n_cols; c++)
        if (drops[c])
            free(table->names[c]);
        else
            table->names[n++] = table->names[c];
    table->n_cols = n;
    free(drops);
}

void result_table_drop_empty(struct result_table *table)
{
    for (int64_t r = 0; r < table->n_rows; r++)
        if (table->cells[(r + 1) * table->n_cols - 1].type != CELL_NULL)
            return;
    result_table_drop_last(table);
}
