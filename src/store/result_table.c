/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/result_table.h"

#include <assert.h>
#include <math.h>
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

static void drop(struct result_table *table, int32_t column)
{
    int64_t n = table->n_rows * table->n_cols, at = 0;

    for (int64_t i = 0; i < n; i++)
        if (i % table->n_cols == column)
            release_cell(&table->cells[i]);
        else
            table->cells[at++] = table->cells[i];
    free(table->names[column]);
    table->n_cols--;
    memmove(&table->names[column], &table->names[column + 1],
            (size_t)(table->n_cols - column) * sizeof *table->names);
}

void result_table_drop_last(struct result_table *table, int32_t n)
{
    for (; n > 0; n--)
        drop(table, table->n_cols - 1);
}

void result_table_drop_empty(struct result_table *table, int32_t first)
{
    for (int32_t c = table->n_cols - 1; c >= first; c--) {
        int64_t r = 0;

        while (r < table->n_rows && table->cells[r * table->n_cols + c].type == CELL_NULL)
            r++;
        if (r == table->n_rows)
            drop(table, c);
    }
}
