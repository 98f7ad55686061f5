#include "report/report.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/real.h"

static const struct cell *cell_at(const struct table *table, int64_t row, int32_t col)
{
    return &table->cells[row * table->n_cols + col];
}

/* Characters of UTF-8 text: every byte that does not continue one. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text; text++)
        width += (*text & 0xC0) != 0x80;
    return width;
}

static void cell_text(struct buf *out, const struct cell *cell)
{
    switch (cell->type) {
    case CELL_NULL:
        buf_puts(out, "-");
        break;
    case CELL_INTEGER:
        buf_printf(out, "%lld", (long long)cell->i);
        break;
    case CELL_REAL:
        buf_printf(out, "%.5g", cell->f);
        break;
    case CELL_TEXT:
        buf_puts(out, cell->s);
        break;
    }
}

static int *column_widths(const struct table *table)
{
    int *widths = calloc((size_t)table->n_cols + 1, sizeof *widths);
    struct buf text = {0};

    for (int32_t c = 0; widths && c < table->n_cols; c++) {
        widths[c] = width_of(table->names[c]);
        for (int64_t r = 0; r < table->n_rows; r++) {
            int width;

            buf_clear(&text);
            cell_text(&text, cell_at(table, r, c));
            width = width_of(buf_text(&text));
            if (width > widths[c])
                widths[c] = width;
        }
    }
    buf_release(&text);
    return widths;
}

/* Numbers stand to the right: a column is one if no cell of it is text. */
static bool is_numeric(const struct table *table, int32_t col)
{
    for (int64_t r = 0; r < table->n_rows; r++)
        if (cell_at(table, r, col)->type == CELL_TEXT)
            return false;
    return true;
}

static void add_padded(struct buf *out, const char *text, int width, bool right, bool last)
{
    int padding = width - width_of(text);

    for (int i = 0; right && i < padding; i++)
        buf_putc(out, ' ');
    buf_puts(out, text);
    for (int i = 0; !right && !last && i < padding; i++)
        buf_putc(out, ' ');
    buf_puts(out, last ? "\n" : "  ");
}

void report_text(struct buf *out, const struct table *table)
{
    int *widths = column_widths(table);
    struct buf text = {0};

    if (!widths) {
        out->failed = true;
        return;
    }
    for (int32_t c = 0; c < table->n_cols; c++)
        add_padded(out, table->names[c], widths[c], is_numeric(table, c), c + 1 == table->n_cols);
    for (int64_t r = 0; r < table->n_rows; r++)
        for (int32_t c = 0; c < table->n_cols; c++) {
            buf_clear(&text);
            cell_text(&text, cell_at(table, r, c));
            add_padded(out, buf_text(&text), widths[c], is_numeric(table, c),
                       c + 1 == table->n_cols);
        }
    buf_release(&text);
    free(widths);
}

void report_record(struct buf *out, const struct table *table)
{
    int widest = 0;

    for (int32_t c = 0; c < table->n_cols; c++)
        if (width_of(table->names[c]) > widest)
            widest = width_of(table->names[c]);
    for (int32_t c = 0; table->n_rows && c < table->n_cols; c++) {
        if (cell_at(table, 0, c)->type == CELL_NULL)
            continue;
        add_padded(out, table->names[c], widest, false, false);
        cell_text(out, cell_at(table, 0, c));
        buf_putc(out, '\n');
    }
}

static void csv_text(struct buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        buf_puts(out, text);
        return;
    }
    buf_putc(out, '"');
    for (; *text; text++) {
        if (*text == '"')
            buf_putc(out, '"');
        buf_putc(out, *text);
    }
    buf_putc(out, '"');
}

static void csv_cell(struct buf *out, const struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        csv_text(out, cell->s);
    else if (cell->type == CELL_INTEGER)
        buf_printf(out, "%lld", (long long)cell->i);
    else if (cell->type == CELL_REAL)
        real_format(out, cell->f);
}

void report_csv(struct buf *out, const struct table *table)
{
    for (int32_t c = 0; c < table->n_cols; c++) {
        csv_text(out, table->names[c]);
        buf_putc(out, c + 1 == table->n_cols ? '\n' : ',');
    }
    for (int64_t r = 0; r < table->n_rows; r++)
        for (int32_t c = 0; c < table->n_cols; c++) {
            csv_cell(out, cell_at(table, r, c));
            buf_putc(out, c + 1 == table->n_cols ? '\n' : ',');
        }
}

static void json_cell(struct buf *out, const struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        json_text(out, cell->s);
    else if (cell->type == CELL_INTEGER)
        buf_printf(out, "%lld", (long long)cell->i);
    else if (cell->type == CELL_REAL && isfinite(cell->f))
        real_format(out, cell->f);
    else
        buf_puts(out, "null");
}

void report_json(struct buf *out, const struct table *table)
{
    buf_puts(out, "[");
    for (int64_t r = 0; r < table->n_rows; r++) {
        buf_puts(out, r ? ",\n {" : "{");
        for (int32_t c = 0; c < table->n_cols; c++) {
            if (c)
                buf_puts(out, ", ");
            json_text(out, table->names[c]);
            buf_puts(out, ": ");
            json_cell(out, cell_at(table, r, c));
        }
        buf_puts(out, "}");
    }
    buf_puts(out, "]\n");
}

/* Columns of QUERY_EFFICIENCY. */
enum { RANKS = 1, TOTAL_S = 4, LONGEST_S, BOUND_S, BUSY, ABOVE };
#define MUCH 9 /* beyond ten times the bound nobody thinks in percent (trials that do nothing) */

void report_efficiency(struct buf *out, const struct table *table)
{
    const struct cell *row = table->cells;
    char bound[64] = "the longest trial";

    if (!table->n_rows || row[BUSY].type != CELL_REAL || row[ABOVE].type != CELL_REAL)
        return;
    if (row[TOTAL_S].f / (double)row[RANKS].i >= row[LONGEST_S].f)
        snprintf(bound, sizeof bound, "total / %lld rank%s", (long long)row[RANKS].i,
                 row[RANKS].i == 1 ? "" : "s");
    buf_printf(out, "ranks were busy %.1f %% of the time; ", 100 * row[BUSY].f);
    if (row[ABOVE].f < MUCH)
        buf_printf(out, "%.*f %% above", row[ABOVE].f < 0.1, 100 * row[ABOVE].f);
    else
        buf_printf(out, "%.0f times", 1 + row[ABOVE].f);
    buf_printf(out, " the lower bound of %.3g s (%s)", row[BOUND_S].f, bound);
}

void report_format(struct buf *out, const struct table *table, const char *format)
{
    if (!strcmp(format, "csv")) {
        report_csv(out, table);
    } else if (!strcmp(format, "json")) {
        report_json(out, table);
    } else {
        assert(!strcmp(format, "table"));
        report_text(out, table);
    }
}
