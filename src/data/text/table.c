/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/text/table.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/nearest.h"
#include "data/text/equality.h"
#include "data/text/stream.h"
#include "data/text/textline.h"

static bool is_end(char c)
{
    return c == '\n' || c == '\r';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* ---- which separator ---- */

enum { TABS, COMMAS, SEMICOLONS, BLANKS, KINDS };
static const char kinds[] = {'\t', ',', ';', ' '};

/* Returns the end of the line. */
static const char *count_line(size_t *n, const char *at, const char *end)
{
    bool is_inside = false, begins = true, has_cell = false, is_apart = false;

    memset(n, 0, KINDS * sizeof *n);
    for (; at < end && !is_end(*at); at++) {
        const char *kind = memchr(kinds, *at, KINDS);

        if (*at == '"' && (is_inside || begins))
            is_inside = !is_inside;
        /* Doubled quotes close the cell and open it again. */
        begins = kind || (*at == '"' && !is_inside);
        if (is_inside)
            continue;
        if (kind && *kind != ' ')
            n[kind - kinds]++;
        n[BLANKS] += !kind && has_cell && is_apart;
        has_cell = has_cell || !kind;
        is_apart = *at == ' ';
    }
    return at;
}

static const char *skip_ends(const char *at, const char *end)
{
    while (at < end && is_end(*at))
        at++;
    return at;
}

/* Returns the separator of a first line "sep=;", quoted or not, in any case; else 0. */
static char separator_named(const char *at, size_t n)
{
    bool is_quoted = n && *at == '"';
    size_t size = is_quoted ? 7 : 5;

    if (n < size || strncasecmp(at + is_quoted, "sep=", 4) != 0 || is_end(at[4 + is_quoted]) ||
        (is_quoted && at[6] != '"') || (n > size && !is_end(at[size])))
        return '\0';
    return at[4 + is_quoted];
}

/* R quotes the only cell of a header; the first row shows the separator. */
static char of_quoted_row(const size_t *n, const char *head, const char *row, const char *end)
{
    if (head == end || row == end || *head != '"' || *row != '"')
        return ',';
    return n[TABS] ? '\t' : n[BLANKS] ? ' ' : ',';
}

/* Find the separator from the first line that is not empty, outside quotes:
 *   - a tab, if there is one;
 *   - a comma or a semicolon: the one that occurs as often in the next line, if only one does, else
 *     the more frequent one;
 *   - runs of blanks (' ');
 *   - if the header is one quoted cell (R): tabs or blanks of a next line that begins with a quote;
 *   - else ','. */
static char separator_find(const char *bytes, size_t n)
{
    const char *end = bytes + n, *at = skip_ends(bytes, end), *first = at, *row;
    size_t head[KINDS], next[KINDS];
    bool commas_fit, semicolons_fit;

    at = count_line(head, at, end);
    row = skip_ends(at, end);
    count_line(next, row, end);
    commas_fit = head[COMMAS] == next[COMMAS];
    semicolons_fit = head[SEMICOLONS] == next[SEMICOLONS];
    if (head[TABS])
        return '\t';
    if (head[COMMAS] && head[SEMICOLONS] && commas_fit != semicolons_fit)
        return commas_fit ? ',' : ';';
    if (head[COMMAS] || head[SEMICOLONS])
        return head[SEMICOLONS] > head[COMMAS] ? ';' : ',';
    return head[BLANKS] ? ' ' : of_quoted_row(next, first, row, end);
}

/* ---- cells ---- */

/* Most cells in a row: their places take no more memory than its bytes. */
#define CELLS_MAX(limit) ((limit) / sizeof(size_t))

struct table_source {
    struct textline line; /* the row, which quotes may stretch over several lines; cut into cells */
    size_t *start;        /* [n_cells] offsets in line.text */
    size_t n_cells;
    size_t cell_capacity;
    bool is_empty;     /* all cells are */
    char *header_text; /* of table.name */
    struct equality_count spelled;
    size_t n_unnamed; /* columns behind the last name */
    size_t n_skipped; /* R's row numbers */
    struct {
        bool is_there;
        int status;
        int64_t line;
        struct err err;
    } first; /* row after the header */
};

int table_fault(struct err *err, const struct table *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    err_vset_at(err, t->path, "", t->line, format, args);
    va_end(args);
    return -1;
}

/* Blanks, and no-break spaces (C2 A0), which web pages have. */
static char *trim(char *at, size_t *n)
{
    static const char hard[] = "\xc2\xa0";
    const char *end = at + *n;

    while (at < end && (is_blank(*at) || (end - at > 1 && !memcmp(at, hard, 2))))
        at += is_blank(*at) ? 1 : 2;
    while (at < end && (is_blank(end[-1]) || (end - at > 1 && !memcmp(end - 2, hard, 2))))
        end -= is_blank(end[-1]) ? 1 : 2;
    *n = (size_t)(end - at);
    return at;
}

static int add_cell(struct table *t, size_t start, struct err *err)
{
    struct table_source *s = t->source;

    if (s->n_cells == CELLS_MAX(t->limit))
        return table_fault(err, t,
                           "a line of more than %zu cells: this is the limit; check that the file "
                           "is a table of text",
                           CELLS_MAX(t->limit));
    if (array_extend(&s->start, &s->cell_capacity, s->n_cells, sizeof *s->start, t->path, err))
        return -1;
    s->start[s->n_cells++] = start;
    return 0;
}

/* Remove the quotes of the cell at *at, in place; it may go on in further lines. *n out: its bytes.
 * *at out: behind its closing quote. */
static int unquote(size_t *at, size_t *n, struct table *t, struct err *err)
{
    struct textline *line = &t->source->line;
    size_t to = *at, from = *at + 1;

    for (;; from++) {
        int status = line->text.data[from] ? 1 : textline_append(line, err);

        if (status <= 0)
            return status ? -1 : table_fault(err, t, "a quoted cell has no closing quote");
        if (line->text.data[from] == '"' && line->text.data[++from] != '"')
            break;
        line->text.data[to++] = line->text.data[from];
    }
    *n = to - *at;
    *at = from;
    return 0;
}

static bool is_padding(char c, char separator)
{
    return c == ' ' || (c == '\t' && separator != '\t');
}

/* Cut the row into cells, in place: each ends with a NUL. */
static int cut(struct table *t, struct err *err)
{
    struct table_source *s = t->source;
    struct buf *text = &s->line.text;
    char separator = t->separator, other = separator == ' ' ? '\t' : separator;

    s->n_cells = 0;
    s->is_empty = true;
    for (size_t at = 0; at <= text->size; at++) {
        size_t start, n = 0;
        char *cell, end;

        while (is_padding(text->data[at], separator))
            at++;
        if (separator == ' ' && at == text->size)
            break;
        start = at;
        if (text->data[at] == '"') {
            if (unquote(&at, &n, t, err))
                return -1;
            while (separator != ' ' && is_padding(text->data[at], separator))
                at++;
        } else {
            while (text->data[at] && text->data[at] != separator && text->data[at] != other)
                at++;
            n = at - start;
        }
        end = text->data[at];
        if (end && end != separator && end != other) {
            t->line = s->line.number;
            return table_fault(err, t,
                               "a misplaced quote: a cell must end after its closing quote; double "
                               "the quotes inside a quoted cell");
        }
        cell = trim(text->data + start, &n);
        cell[n] = '\0';
        s->is_empty = s->is_empty && !n;
        if (add_cell(t, (size_t)(cell - text->data), err))
            return -1;
    }
    return 0;
}

/* Rows of empty cells are skipped. */
static int read_row(struct table *t, struct err *err)
{
    struct table_source *s = t->source;
    int status;

    s->line.limit = t->limit;
    do {
        status = textline_next(&s->line, err);
        if (status <= 0)
            return status;
        t->line = s->line.number;
        if (cut(t, err))
            return -1;
    } while (s->is_empty);
    return 1;
}

/* ---- opening ---- */

/* Spreadsheets write empty columns and rows behind the table. */
static void drop_empty(struct table_source *s, size_t n)
{
    while (s->n_cells > n && !s->line.text.data[s->start[s->n_cells - 1]])
        s->n_cells--;
}

/* TASSEL writes lines of ## before the header. */
static int find_separator(struct table *t, struct err *err)
{
    struct textline *line = &t->source->line;
    const char *at;
    size_t n;

    if (textline_peek(line, err))
        return -1;
    line->chunk_at = stream_mark_bytes(line->chunk, line->chunk_size);
    for (;;) {
        if (textline_peek(line, err))
            return -1;
        at = line->chunk + line->chunk_at;
        n = line->chunk_size - line->chunk_at;
        if (n < 2 || memcmp(at, "##", 2) != 0)
            break;
        if (textline_next(line, err) < 0)
            return -1;
    }
    t->separator = separator_named(at, n);
    if (!t->separator) {
        t->separator = separator_find(at, n);
        return 0;
    }
    if (textline_next(line, err) < 0)
        return -1;
    t->line = line->number;
    return strchr("\t,;", t->separator)
               ? 0
               : table_fault(err, t, "sep=%c: must be a comma, a semicolon or a tab", t->separator);
}

/* The first call allocates out[]. */
static int point_at_cells(char ***out, const struct table_source *s, struct err *err)
{
    if (!*out)
        *out = malloc(s->n_cells * sizeof **out);
    if (!*out)
        return err_nomem(err, "a row of cells", s->n_cells * sizeof **out);
    for (size_t i = s->n_skipped; i < s->n_cells; i++)
        (*out)[i - s->n_skipped] = s->line.text.data + s->start[i];
    return 0;
}

static bool is_all_numbers(const struct table *t)
{
    double number;

    for (int32_t i = 0; i < t->n_cols; i++)
        if (!table_parse_number(&number, t->name[i]))
            return false;
    return true;
}

static int read_header(struct table *t, struct err *err)
{
    struct table_source *s = t->source;
    int status = read_row(t, err);

    if (status < 0)
        return -1;
    if (!status)
        return err_set(err, "%s: is empty: must begin with a line that names the columns", t->path);
    s->n_unnamed = s->n_cells;
    drop_empty(s, 1);
    s->n_unnamed -= s->n_cells;
    t->n_cols = (int32_t)s->n_cells;
    if (point_at_cells(&t->name, s, err))
        return -1;
    s->header_text = s->line.text.data;
    memset(&s->line.text, 0, sizeof s->line.text);
    return 0;
}

/* ---- row names ---- */

/* A header that begins with the name of an id column lacks the name of another one. */
static bool names_ids(const struct table *t)
{
    static const char *const ids[] = {"id",           "iid",       "fid",        "taxa", "taxon",
                                      "sample",       "sample_id", "sampleid",   "line", "name",
                                      "genotype",     "accession", "individual", "node", "ecotype",
                                      "accession_id", "rs#",       "rs"};

    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (!strcasecmp(t->name[0], ids[i]))
            return true;
    return false;
}

/* R numbers unnamed rows from 1; ids in words follow. */
static bool has_row_numbers(const struct table *t)
{
    const struct table_source *s = t->source;
    const char *next = s->line.text.data + s->start[1];
    double number;

    return !strcmp(s->line.text.data + s->start[0], "1") && !table_is_missing(next) &&
           !table_parse_number(&number, next);
}

/* R's write.csv() counts from 1, pandas' to_csv() from 0. These numbers may equal ids of another
 * table. */
static int refuse_row_numbers(const struct table *t, struct err *err)
{
    const struct table_source *s = t->source;
    const char *first = s->line.text.data + s->start[0];

    if (t->name[0][0] || s->first.status <= 0 || (strcmp(first, "0") && strcmp(first, "1")))
        return 0;
    return table_fault(err, t,
                       "the first column has no name and numbers the rows: write the table without "
                       "it (R: row.names = FALSE, pandas: index=False), or name it if it holds the "
                       "ids");
}

static int add_row_names(struct table *t, struct err *err)
{
    static char row_names[] = "row.names";
    size_t n = (size_t)t->n_cols;
    char **grown = realloc(t->name, (n + 1) * sizeof *grown);

    if (!grown)
        return err_nomem(err, "column names", (n + 1) * sizeof *grown);
    memmove(grown + 1, grown, n * sizeof *grown);
    grown[0] = row_names;
    t->name = grown;
    t->n_cols++;
    t->has_row_names = true;
    return 0;
}

/* The first row shows if the header lacks a cell. An error in it is reported in its turn. */
static int read_ahead(struct table *t, struct err *err)
{
    struct table_source *s = t->source;
    int64_t line = t->line;

    s->first.is_there = true;
    s->first.status = read_row(t, &s->first.err);
    s->first.line = t->line;
    t->line = line;
    /* R's write.table() omits the first cell of the header; an empty last cell is only a separator */
    if (s->first.status <= 0 || s->n_cells != (size_t)t->n_cols + 1 ||
        !s->line.text.data[s->start[s->n_cells - 1]])
        return is_all_numbers(t)
                   ? table_fault(err, t,
                                 "a header is missing: the first line must name the columns, "
                                 "this one begins with the number %.80s",
                                 t->name[0])
                   : refuse_row_numbers(t, err);
    if (has_row_numbers(t))
        s->n_skipped = 1;
    else if (!names_ids(t))
        return add_row_names(t, err);
    return 0;
}

static int begin(struct table *t, const char *path, struct err *err)
{
    memset(t, 0, sizeof *t);
    t->path = path;
    t->limit = TEXTLINE_BYTES_MAX;
    t->source = calloc(1, sizeof *t->source);
    if (!t->source)
        return err_nomem(err, path, sizeof *t->source);
    return textline_open(&t->source->line, path, "a table of text", err);
}

int table_open(struct table *t, const char *path, struct err *err)
{
    if (!begin(t, path, err) && !find_separator(t, err) && !read_header(t, err) &&
        !read_ahead(t, err))
        return 0;
    table_close(t);
    return -1;
}

void table_close(struct table *t)
{
    struct table_source *s = t ? t->source : NULL;

    if (!s)
        return;
    textline_close(&s->line);
    free(s->start);
    free(s->header_text);
    free(s);
    free(t->name);
    free(t->cell);
    memset(t, 0, sizeof *t);
}

int table_next(struct table *t, struct err *err)
{
    struct table_source *s = t->source;
    bool is_first = s->first.is_there;
    size_t n;
    int status = is_first ? s->first.status : read_row(t, err);

    if (is_first) {
        t->line = s->first.line;
        if (status < 0 && err)
            *err = s->first.err;
    }
    s->first.is_there = false;
    if (status <= 0)
        return status;
    n = (size_t)t->n_cols + s->n_skipped;
    if (s->n_unnamed) /* cells below the empty names of a header belong to no column */
        drop_empty(s, n);
    if (s->n_unnamed && s->n_cells > n && s->n_cells <= n + s->n_unnamed)
        s->n_cells = n;
    if (s->n_cells == (size_t)t->n_cols + 1 && is_first && !s->n_skipped &&
        !strcmp(s->line.text.data + s->start[0], "1"))
        return table_fault(err, t,
                           "one cell more than the header: if R's write.table() numbered the rows, "
                           "write the table with row.names = FALSE");
    if (s->n_cells != n)
        return table_fault(err, t, "%zu cells: the %s has %zu", s->n_cells,
                           t->has_row_names || s->n_skipped ? "first row" : "header", n);
    if (point_at_cells(&t->cell, s, err))
        return -1;
    return 1;
}

int table_read_rows(const char *path,
                    int (*take)(void *arg, const struct table *t, struct err *err), void *arg,
                    struct err *err)
{
    struct table t;
    int64_t n_rows = 0;
    int status = begin(&t, path, err);

    t.separator = ',';
    while (!status && (status = read_row(&t, err)) > 0) {
        size_t n = t.source->n_cells;

        if (n_rows == 0)
            t.n_cols = (int32_t)n;
        if (t.line != ++n_rows) {
            t.line = n_rows;
            status = table_fault(err, &t,
                                 "an empty line before the last row: rows are identified by their "
                                 "line number");
        } else if (n != (size_t)t.n_cols) {
            status = table_fault(err, &t, "%zu cells: the first line has %d", n, t.n_cols);
        } else {
            status = point_at_cells(&t.cell, t.source, err) || take(arg, &t, err) ? -1 : 0;
        }
    }
    table_close(&t);
    return status;
}

/* ---- columns ---- */

enum { MOST_LISTED = 10 };

void table_put_columns(struct buf *out, const struct table *t, const char *wrong,
                       bool (*is_listed)(const void *arg, int32_t col), const void *arg)
{
    struct nearest nearest = {.wrong = wrong ? wrong : ""};
    char hint[NEAREST_HINT];
    int32_t n = 0;

    for (int32_t j = 0; j < t->n_cols; j++) {
        if (is_listed && !is_listed(arg, j))
            continue;
        if (n++ < MOST_LISTED)
            buf_printf(out, "%s\"%.40s\"", n > 1 ? ", " : "", t->name[j]);
        if (*nearest.wrong)
            nearest_offer_part(&nearest, t->name[j]);
    }
    if (n > MOST_LISTED)
        buf_printf(out, " ... (%d columns)", n);
    buf_puts(out, nearest_hint(hint, "\"", nearest.best, "\"", ""));
}

int32_t table_column(const struct table *t, const char *name, int32_t except, struct err *err)
{
    int32_t n_found = 0, found;

    for (int32_t j = 0; j < t->n_cols; j++)
        n_found += j != except && !strcmp(t->name[j], name);
    if (n_found > 1) {
        table_fault(err, t, "%d columns are named \"%.80s\"", n_found, name);
        return TABLE_REFUSED;
    }
    found = equality_pick((const char *const *)t->name, t->n_cols, except, name);
    if (found >= 0 && strcmp(t->name[found], name) != 0)
        equality_note(&t->source->spelled, name, t->name[found], 1);
    return found;
}

const struct equality_count *table_spelled(const struct table *t)
{
    return &t->source->spelled;
}

/* ---- values ---- */

bool table_is_missing(const char *cell)
{
    switch (cell[0]) {
    case '\0':
        return true;
    case '.':
        return cell[1] == '\0';
    case 'N':
        return strcmp(cell, "NA") == 0 || strcmp(cell, "NaN") == 0;
    case 'n':
        return strcmp(cell, "nan") == 0;
    default:
        return false;
    }
}

bool table_parse_number(double *out, const char *cell)
{
    char *end;

    /* Nearly every cell of a genotype table is one digit. */
    if (cell[0] >= '0' && cell[0] <= '9' && cell[1] == '\0') {
        *out = cell[0] - '0';
        return true;
    }
    if (!cell[0] || cell[strspn(cell, "0123456789+-.eE")])
        return false;
    *out = strtod(cell, &end);
    return *end == '\0' && isfinite((float)*out);
}

bool table_parse_comma(double *out, const char *cell)
{
    char copy[64];
    size_t n = strlen(cell), at = strcspn(cell, ",");

    if (n >= sizeof copy || at == n || strchr(cell, '.'))
        return false;
    memcpy(copy, cell, n + 1);
    copy[at] = '.';
    return table_parse_number(out, copy);
}

/* 0,5 but not 1,234, which may be a thousand. */
static bool read_comma(double *out, const char *cell)
{
    size_t digits = strlen(cell) - strcspn(cell, ",");

    return digits > 1 && *cell != ',' && (digits != 4 || cell[strspn(cell, "+-")] == '0') &&
           table_parse_comma(out, cell);
}

int table_number(double *out, const struct table *t, int32_t col, struct err *err)
{
    const char *cell = t->cell[col];

    if (table_parse_number(out, cell) || (t->separator != ',' && read_comma(out, cell)))
        return 0;
    *out = NAN;
    if (table_is_missing(cell))
        return 0;
    return table_fault(err, t,
                       "column \"%.80s\" = \"%.80s\": must be a number%s, or empty or NA where "
                       "missing",
                       t->name[col], cell, strchr(cell, ',') ? " with a decimal point" : "");
}

int table_whole(int32_t *out, const struct table *t, int32_t col, int32_t low, int32_t high,
                const char *what, struct err *err)
{
    const char *cell = t->cell[col];
    char *end;
    long long v;

    errno = 0;
    v = strtoll(cell, &end, 10);
    if (end == cell || *end || errno)
        return table_fault(err, t, "%s \"%.80s\": must be a whole number", what, cell);
    if (v < low || v > high)
        return table_fault(err, t, "%s %lld: must be in [%d, %d]", what, v, low, high);
    *out = (int32_t)v;
    return 0;
}
