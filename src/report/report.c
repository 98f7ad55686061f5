/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/real.h"
#include "base/text_width.h"
#include "report/layout.h"
#include "report/markup.h"

/* Columns of a terminal that a cell of text may take, even if a file has room for more. Messages of
 * the store have up to 256 bytes. */
enum { WIDEST = 300 };

/* Append text made harmless to terminals, on one line. */
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
    int columns = text_width(text);
    const char *mark = columns > width ? text_ellipsis() : "";
    int room = width - text_width(mark);
    size_t n = columns > width ? text_prefix(text, room > 0 ? room : 0) : strlen(text);

    if (right)
        add_spaces(out, width - columns);
    buf_add(out, text, n);
    buf_puts(out, mark);
    if (!right && !last)
        add_spaces(out, width - columns);
    if (!last)
        add_spaces(out, LAYOUT_GAP);
}

void report_put_csv(struct buf *out, const char *text)
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
        report_put_csv(out, cell->s);
    else if (cell->type == CELL_INTEGER)
        buf_put_decimal(out, cell->i);
    else if (cell->type == CELL_REAL)
        real_format(out, cell->f);
}

void report_put_json(struct buf *out, const struct cell *cell)
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

static void markup_cell(struct buf *out, const struct cell *cell, enum markup_kind kind)
{
    struct buf number = {0};

    if (cell->type == CELL_NULL) {
        markup_text(out, kind, "–");
    } else if (cell->type == CELL_TEXT) {
        markup_text(out, kind, cell->s);
    } else {
        cell_text(&number, cell);
        markup_number(out, kind, buf_text(&number));
        out->failed |= buf_failed(&number);
    }
    buf_release(&number);
}

static void markdown_cell(struct buf *out, const struct cell *cell)
{
    markup_cell(out, cell, MARKUP_MARKDOWN);
}

static void latex_cell(struct buf *out, const struct cell *cell)
{
    markup_cell(out, cell, MARKUP_LATEX);
}

/* ---- rows in turn ---- */

static void put_table(struct report *report);
static void put_markup(struct report *report);

/* A real is formatted only if its bits differ from those of the row before, because columns often
 * stay the same over many rows. (-0 equals 0, but prints differently.) */
struct column {
    struct buf json; /* as it stands in each row of JSON */
    struct buf name;
    struct buf text; /* of the last real */
    double value;    /* that real */
    size_t first;    /* place of the first row's cell in `texts` */
    int width;
    bool is_text;
    bool is_mixed; /* not all cells are the same */
};

static const struct kind {
    const char *name;
    void (*put_cell)(struct buf *out, const struct cell *cell);
    void (*put_kept)(struct report *report); /* writes all rows at the end; NULL: each at once */
    bool is_markup;
    enum markup_kind markup;
} kinds[N_REPORT_KINDS] = {
    [REPORT_TABLE] = {"table", cell_text, put_table},
    [REPORT_CSV] = {"csv", csv_cell},
    [REPORT_JSON] = {"json", report_put_json},
    [REPORT_JSONL] = {"jsonl", report_put_json},
    [REPORT_MARKDOWN] = {"markdown", markdown_cell, put_markup, true, MARKUP_MARKDOWN},
    [REPORT_LATEX] = {"latex", latex_cell, put_markup, true, MARKUP_LATEX},
};

bool report_is_markup(enum report_kind kind)
{
    return kinds[kind].is_markup;
}

enum report_kind report_kind_parse(const char *name)
{
    for (enum report_kind kind = 0; name && kind < N_REPORT_KINDS; kind++)
        if (!strcmp(name, kinds[kind].name))
            return kind;
    return REPORT_TABLE;
}

void report_begin(struct report *report, struct buf *out, char *const *names, int32_t n_cols,
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

        put_shown(&column->name, names[c]);
        column->width = text_width(buf_text(&column->name));
        buf_puts(&column->json, c ? ", " : "");
        escape_json_terminal(&column->json, names[c]);
        buf_puts(&column->json, ": ");
    }
    if (kind == REPORT_JSON)
        buf_puts(out, "[");
    for (int32_t c = 0; kind == REPORT_CSV && c < n_cols; c++) {
        report_put_csv(out, names[c]);
        buf_putc(out, c + 1 == n_cols ? '\n' : ',');
    }
}

/* Append cell c of a row. */
static void put(struct report *report, int32_t c, struct buf *out, const struct cell *cell)
{
    struct column *column = &report->columns[c];

    if (cell->type != CELL_REAL) {
        kinds[report->kind].put_cell(out, cell);
        return;
    }
    if (!column->text.size || memcmp(&cell->f, &column->value, sizeof cell->f) != 0) {
        buf_clear(&column->text);
        kinds[report->kind].put_cell(&column->text, cell);
        column->value = cell->f;
        report->n_formatted++;
    }
    buf_add(out, column->text.data, column->text.size);
}

static void keep_cell(struct report *report, int32_t c, const struct cell *cell)
{
    struct column *column = &report->columns[c];
    size_t at = report->texts.size;
    int width;

    put(report, c, &report->texts, cell);
    buf_putc(&report->texts, '\0');
    if (report->texts.failed)
        return;
    width = text_width(report->texts.data + at);
    if (!report->n_rows)
        column->first = at;
    column->is_mixed |= strcmp(report->texts.data + column->first, report->texts.data + at) != 0;
    column->is_text |= cell->type == CELL_TEXT;
    if (width > column->width)
        column->width = width;
}

static void put_object(struct report *report, const struct cell *cells)
{
    buf_puts(report->out, "{");
    for (int32_t c = 0; c < report->n_cols; c++) {
        const struct buf *name = &report->columns[c].json;

        buf_add(report->out, name->data, name->size);
        put(report, c, report->out, &cells[c]);
    }
    buf_puts(report->out, "}");
}

void report_row(struct report *report, const struct cell *cells)
{
    struct buf *out = report->out;

    if (report->kind == REPORT_JSON) {
        buf_puts(out, report->n_rows ? ",\n " : "");
        put_object(report, cells);
    } else if (report->kind == REPORT_JSONL) {
        put_object(report, cells);
        buf_putc(out, '\n');
    }
    for (int32_t c = 0; kinds[report->kind].put_kept && c < report->n_cols; c++)
        keep_cell(report, c, &cells[c]);
    for (int32_t c = 0; report->kind == REPORT_CSV && c < report->n_cols; c++) {
        put(report, c, out, &cells[c]);
        buf_putc(out, c + 1 == report->n_cols ? '\n' : ',');
    }
    report->n_rows++;
}

void report_row_table(struct report *report, const char *name, const struct result_table *table)
{
    struct buf rows = {0};

    if (report->kind != REPORT_JSONL || buf_failed(report->out))
        return;
    report_table(&rows, table, REPORT_JSONL);
    buf_cut(report->out, report->out->size - strlen("}\n"));
    buf_puts(report->out, ", ");
    escape_json_terminal(report->out, name);
    buf_puts(report->out, ": [");
    for (size_t i = 0; i + 1 < rows.size; i++) /* the texts have no line feeds */
        if (rows.data[i] == '\n')
            buf_puts(report->out, ", ");
        else
            buf_putc(report->out, rows.data[i]);
    buf_puts(report->out, "]}\n");
    report->out->failed |= buf_failed(&rows);
    buf_release(&rows);
}

void report_gap(struct report *report)
{
    report->gap = report->n_rows;
}

/* Several tables may have a column of the name. */
static void note_left_out(struct buf *list, const char *name)
{
    size_t n = strlen(name);

    for (const char *at = buf_text(list); *at;) {
        size_t length = strcspn(at, ",");

        if (length == n && !strncmp(at, name, n))
            return;
        at += length;
        at += strspn(at, ", ");
    }
    buf_printf(list, "%s%s", list->size ? ", " : "", name);
}

/* NULL: memory was short. */
static struct layout_column *make_layout(struct report *report)
{
    struct layout_column *layout = calloc((size_t)report->n_cols + 1, sizeof *layout);

    report->out->failed |= !layout;
    for (int32_t c = 0; layout && c < report->n_cols; c++) {
        const struct column *column = &report->columns[c];
        int least = text_width(buf_text(&column->name));

        layout[c] = (struct layout_column){
            .name = report->names[c],
            .width = column->width > least ? column->width : least,
            .least = least,
            .is_text = column->is_text,
            .is_same = report->n_rows > 1 && !column->is_mixed,
        };
    }
    return layout;
}

/* Return the text after the cells of the line. row: NULL for the header. */
static const char *put_line(struct report *report, const struct layout_column *layout,
                            const char *row)
{
    const char *text = row;
    int32_t last = report->n_cols - 1;

    while (last > 0 && layout[last].is_left_out)
        last--;
    for (int32_t c = 0; c < report->n_cols; c++) {
        const struct column *column = &report->columns[c];
        const char *cell = row ? text : buf_text(&column->name);

        if (!layout[c].is_left_out)
            add_padded(report->out, cell, layout[c].width, !column->is_text, c == last);
        if (row)
            text += strlen(text) + 1;
    }
    return text;
}

/* Numbers are aligned to the right. A column is numeric if no cell of it is text. */
static void put_table(struct report *report)
{
    struct layout_column *layout = make_layout(report);
    const char *text = buf_text(&report->texts);

    if (!layout)
        return;
    for (int32_t c = 0; c < report->n_cols; c++)
        if (layout[c].is_text && layout[c].width > WIDEST)
            layout[c].width = WIDEST;
    layout_fit(layout, report->n_cols, report->width, report->keep, report->drop);
    for (int32_t c = 0; report->left_out && c < report->n_cols; c++)
        if (layout[c].is_left_out)
            note_left_out(report->left_out, buf_text(&report->columns[c].name));
    buf_puts(report->out, report->bold ? report->bold : "");
    put_line(report, layout, NULL);
    buf_puts(report->out, report->plain ? report->plain : "");
    buf_putc(report->out, '\n');
    for (int64_t r = 0; r < report->n_rows; r++) {
        if (r > 0 && r == report->gap)
            buf_puts(report->out, "...\n");
        text = put_line(report, layout, text);
        buf_putc(report->out, '\n');
    }
    free(layout);
}

static void put_markup(struct report *report)
{
    enum markup_kind kind = kinds[report->kind].markup;
    struct layout_column *layout;

    for (int32_t c = 0; c < report->n_cols; c++) {
        buf_clear(&report->columns[c].name);
        markup_text(&report->columns[c].name, kind, report->names[c]);
    }
    layout = make_layout(report);
    for (int32_t c = 0; layout && c < report->n_cols; c++)
        layout[c].name = buf_text(&report->columns[c].name);
    if (layout)
        markup_table(report->out, kind, report->caption, layout, report->n_cols,
                     buf_text(&report->texts), report->n_rows);
    free(layout);
}

static void release(struct report *report)
{
    for (int32_t c = 0; c < report->n_cols; c++) {
        buf_release(&report->columns[c].json);
        buf_release(&report->columns[c].name);
        buf_release(&report->columns[c].text);
    }
    free(report->columns);
    report->columns = NULL;
    buf_release(&report->texts);
}

void report_end(struct report *report)
{
    report->out->failed |= buf_failed(&report->texts);
    if (report->kind == REPORT_JSON)
        buf_puts(report->out, "]");
    else if (kinds[report->kind].put_kept && !report->out->failed)
        kinds[report->kind].put_kept(report);
    release(report);
}

/* ---- whole tables and records ---- */

void report_table(struct buf *out, const struct result_table *table, enum report_kind kind)
{
    struct report report;

    report_begin(&report, out, table->names, table->n_cols, kind);
    for (int64_t r = 0; r < table->n_rows; r++)
        report_row(&report, &table->cells[r * table->n_cols]);
    report_end(&report);
}

static void put_fields(struct buf *out, const struct result_table *table)
{
    int widest = 0;

    for (int32_t c = 0; c < table->n_cols; c++)
        if (table->cells[c].type != CELL_NULL && text_width(table->names[c]) > widest)
            widest = text_width(table->names[c]);
    for (int32_t c = 0; c < table->n_cols; c++) {
        struct buf name = {0};

        if (table->cells[c].type == CELL_NULL)
            continue;
        put_shown(&name, table->names[c]);
        add_padded(out, buf_text(&name), widest, false, false);
        cell_text(out, &table->cells[c]);
        buf_putc(out, '\n');
        buf_release(&name);
    }
}

void report_record(struct buf *out, const struct result_table *table, enum report_kind kind)
{
    struct report report;

    if (kind != REPORT_JSON && kind != REPORT_TABLE) {
        report_table(out, table, kind);
    } else if (kind == REPORT_TABLE) {
        if (table->n_rows)
            put_fields(out, table);
    } else if (!table->n_rows) {
        buf_puts(out, "null");
    } else {
        report_begin(&report, out, table->names, table->n_cols, kind);
        buf_cut(out, out->size - !buf_failed(out)); /* the bracket of an array */
        put_object(&report, table->cells);
        release(&report);
    }
}
