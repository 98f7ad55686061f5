/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/real.h"

static const struct cell *cell_at(const struct result_table *table, int64_t row, int32_t col)
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

/* For a terminal, on one line. */
static void put_shown(struct buf *out, const char *text)
{
    size_t before = out->size;

    buf_puts(out, text);
    if (!buf_failed(out) && out->size > before)
        out->size = before + escape_terminal(out->data + before, false);
}

static void cell_text(struct buf *out, const struct cell *cell)
{
    switch (cell->type) {
    case CELL_NULL:
        buf_puts(out, "-");
        break;
    case CELL_INTEGER:
        buf_put_decimal(out, cell->i);
        break;
    case CELL_REAL:
        buf_printf(out, "%.5g", cell->f);
        break;
    case CELL_TEXT:
        put_shown(out, cell->s);
        break;
    }
}

static void add_spaces(struct buf *out, int n)
{
    char *space = n > 0 ? buf_extend(out, (size_t)n) : NULL;

    if (space)
        memset(space, ' ', (size_t)n);
}

static void add_padded(struct buf *out, const char *text, int width, bool right, bool last)
{
    int padding = width - width_of(text);

    if (right)
        add_spaces(out, padding);
    buf_puts(out, text);
    if (!right && !last)
        add_spaces(out, padding);
    buf_puts(out, last ? "\n" : "  ");
}

void report_record(struct buf *out, const struct result_table *table)
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
        buf_put_decimal(out, cell->i);
    else if (cell->type == CELL_REAL)
        real_format(out, cell->f);
}

static void json_cell(struct buf *out, const struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        escape_json_terminal(out, cell->s);
    else if (cell->type == CELL_INTEGER)
        buf_put_decimal(out, cell->i);
    else if (cell->type == CELL_REAL && isfinite(cell->f))
        real_format(out, cell->f);
    else
        buf_puts(out, "null");
}

/* ---- rows in turn ---- */

/* Settings and places stay the same over many rows: a real is formatted where its bits differ from
 * those of the row before (-0 and 0 are equal, and print differently). */
struct column {
    struct buf name; /* as it stands in every row of JSON */
    struct buf text; /* of the last real; empty: none yet */
    double value;    /* that real */
    int width;
    bool is_text;
};

static void (*const put_cell[])(struct buf *out, const struct cell *cell) = {
    [REPORT_TABLE] = cell_text, [REPORT_CSV] = csv_cell, [REPORT_JSON] = json_cell};

static enum report_kind kind_of(const char *format)
{
    if (!strcmp(format, "csv"))
        return REPORT_CSV;
    if (!strcmp(format, "json"))
        return REPORT_JSON;
    assert(!strcmp(format, "table"));
    return REPORT_TABLE;
}

static void begin(struct report *report, struct buf *out, char *const *names, int32_t n_cols,
                  enum report_kind kind)
{
    *report = (struct report){.out = out, .names = names, .n_cols = n_cols, .kind = kind};
    report->columns = calloc((size_t)n_cols + 1, sizeof *report->columns);
    if (!report->columns) {
        out->failed = true;
        report->n_cols = 0;
    }
    for (int32_t c = 0; c < report->n_cols; c++) {
        struct column *column = &report->columns[c];

        column->width = width_of(names[c]);
        buf_puts(&column->name, c ? ", " : "");
        escape_json_terminal(&column->name, names[c]);
        buf_puts(&column->name, ": ");
    }
    if (kind == REPORT_JSON)
        buf_puts(out, "[");
    for (int32_t c = 0; kind == REPORT_CSV && c < n_cols; c++) {
        csv_text(out, names[c]);
        buf_putc(out, c + 1 == n_cols ? '\n' : ',');
    }
}

void report_begin(struct report *report, struct buf *out, char *const *names, int32_t n_cols,
                  const char *format)
{
    begin(report, out, names, n_cols, kind_of(format));
}

static void put_real(struct report *report, struct column *column, struct buf *out,
                     const struct cell *cell)
{
    if (!column->text.size || memcmp(&cell->f, &column->value, sizeof cell->f) != 0) {
        buf_clear(&column->text);
        put_cell[report->kind](&column->text, cell);
        column->value = cell->f;
        report->n_formatted++;
    }
    buf_add(out, column->text.data, column->text.size);
}

static void put(struct report *report, int32_t c, struct buf *out, const struct cell *cell)
{
    if (cell->type == CELL_REAL)
        put_real(report, &report->columns[c], out, cell);
    else
        put_cell[report->kind](out, cell);
}

/* The widest cell is known at the end: till then the texts are kept, each with its NUL. */
static void keep_cell(struct report *report, int32_t c, const struct cell *cell)
{
    struct column *column = &report->columns[c];
    size_t at = report->texts.size;
    int width;

    put(report, c, &report->texts, cell);
    width = width_of(buf_text(&report->texts) + (report->texts.failed ? 0 : at));
    buf_putc(&report->texts, '\0');
    column->is_text |= cell->type == CELL_TEXT;
    if (width > column->width)
        column->width = width;
}

void report_row(struct report *report, const struct cell *cells)
{
    struct buf *out = report->out;

    if (report->kind == REPORT_JSON)
        buf_puts(out, report->n_rows ? ",\n {" : "{");
    for (int32_t c = 0; c < report->n_cols; c++) {
        if (report->kind == REPORT_TABLE) {
            keep_cell(report, c, &cells[c]);
            continue;
        }
        if (report->kind == REPORT_JSON)
            buf_add(out, report->columns[c].name.data, report->columns[c].name.size);
        put(report, c, out, &cells[c]);
        if (report->kind == REPORT_CSV)
            buf_putc(out, c + 1 == report->n_cols ? '\n' : ',');
    }
    if (report->kind == REPORT_JSON)
        buf_puts(out, "}");
    report->n_rows++;
}

void report_gap(struct report *report)
{
    report->gap = report->n_rows;
}

/* Numbers stand to the right: a column is one if no cell of it is text. */
static void put_table(struct report *report)
{
    const char *text = buf_text(&report->texts);

    for (int64_t r = -1; r < report->n_rows; r++) {
        if (r > 0 && r == report->gap)
            buf_puts(report->out, "...\n");
        for (int32_t c = 0; c < report->n_cols; c++) {
            const struct column *column = &report->columns[c];

            add_padded(report->out, r < 0 ? report->names[c] : text, column->width,
                       !column->is_text, c + 1 == report->n_cols);
            if (r >= 0)
                text += strlen(text) + 1;
        }
    }
}

void report_end(struct report *report)
{
    report->out->failed |= buf_failed(&report->texts);
    if (report->kind == REPORT_JSON)
        buf_puts(report->out, "]\n");
    else if (report->kind == REPORT_TABLE && !report->out->failed)
        put_table(report);
    for (int32_t c = 0; c < report->n_cols; c++) {
        buf_release(&report->columns[c].name);
        buf_release(&report->columns[c].text);
    }
    free(report->columns);
    report->columns = NULL;
    buf_release(&report->texts);
}

/* ---- whole tables ---- */

static void put_whole(struct buf *out, const struct result_table *table, enum report_kind kind)
{
    struct report report;

    begin(&report, out, table->names, table->n_cols, kind);
    for (int64_t r = 0; r < table->n_rows; r++)
        report_row(&report, &table->cells[r * table->n_cols]);
    report_end(&report);
}

void report_text(struct buf *out, const struct result_table *table)
{
    put_whole(out, table, REPORT_TABLE);
}

void report_csv(struct buf *out, const struct result_table *table)
{
    put_whole(out, table, REPORT_CSV);
}

void report_json(struct buf *out, const struct result_table *table)
{
    put_whole(out, table, REPORT_JSON);
}

void report_format(struct buf *out, const struct result_table *table, const char *format)
{
    put_whole(out, table, kind_of(format));
}

/* Columns of QUERY_EFFICIENCY. */
