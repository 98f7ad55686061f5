/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/rows.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

void rows_init(struct rows *rows, const char *const *names, int32_t n_cols)
{
    memset(rows, 0, sizeof *rows);
    assert(n_cols <= ROWS_COLUMNS);
    for (int32_t c = 0; c < n_cols; c++)
        rows->names[c] = (char *)(uintptr_t)names[c];
    rows->n_cols = n_cols;
    rows->table.n_cols = n_cols;
}

void rows_release(struct rows *rows)
{
    buf_release(&rows->cells);
    buf_release(&rows->texts);
}

static void add(struct rows *rows, const char *name, struct cell cell)
{
    bool is_record = !rows->table.n_cols;

    if (is_record) {
        assert(rows->n_cols < ROWS_COLUMNS);
        rows->names[rows->n_cols++] = (char *)(uintptr_t)name;
    }
    assert(is_record || !strcmp(rows->names[rows->n_cells % rows->n_cols], name));
    buf_add(&rows->cells, &cell, sizeof cell);
    rows->n_cells++;
}

void rows_integer(struct rows *rows, const char *name, int64_t value)
{
    add(rows, name, (struct cell){.type = CELL_INTEGER, .i = value});
}

void rows_real(struct rows *rows, const char *name, double value)
{
    add(rows, name, (struct cell){.type = isnan(value) ? CELL_NULL : CELL_REAL, .f = value});
}

void rows_text(struct rows *rows, const char *name, const char *value)
{
    if (!value) {
        add(rows, name, (struct cell){.type = CELL_NULL});
        return;
    }
    add(rows, name, (struct cell){.type = CELL_TEXT, .i = (int64_t)rows->texts.size});
    buf_add(&rows->texts, value, strlen(value) + 1);
}

const struct result_table *rows_table(struct rows *rows)
{
    struct result_table *table = &rows->table;

    if (buf_failed(&rows->cells) || buf_failed(&rows->texts))
        return NULL;
    table->names = rows->names;
    table->cells = (struct cell *)(void *)rows->cells.data;
    table->n_rows = rows->n_cols ? rows->n_cells / rows->n_cols : 0;
    for (int64_t i = 0; i < rows->n_cells; i++)
        if (table->cells[i].type == CELL_TEXT)
            table->cells[i].s = buf_text(&rows->texts) + table->cells[i].i;
    table->n_cols = rows->n_cols;
    return table;
}
