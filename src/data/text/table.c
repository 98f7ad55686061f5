/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/text/table.h"

#include <csv.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/nearest.h"
#include "data/text/equality.h"
#include "data/text/lines.h"
#include "data/text/stream.h"

/* libcsv is either stricter about quotes than data/text/table.h or accepts everything. */
enum quotes {
    QUOTES_START, /* before a cell */
    QUOTES_PLAIN,
    QUOTES_INSIDE,
    QUOTES_CLOSED, /* after a quote inside: the last, or the first of two */
    QUOTES_BLANK,  /* after a blank behind it */
};

struct squeeze {
    bool has_cell;
    bool is_apart;              /* after a cell and a blank */
    bool is_inside, was_inside; /* now and at the byte before */
};

/* ---- quotes ---- */

static bool is_other_blank(unsigned char c, unsigned char separator)
{
    return (c == ' ' || c == '\t') && c != separator;
}

static bool ends_cell(unsigned char c, unsigned char separator)
{
    return c == separator || c == '\n' || c == '\r';
}

static enum quotes next(enum quotes state, unsigned char c, unsigned char separator, bool *is_sound)
{
    switch (state) {
    case QUOTES_START:
        if (c == '"')
            return QUOTES_INSIDE;
        return ends_cell(c, separator) || is_other_blank(c, separator) ? QUOTES_START
                                                                       : QUOTES_PLAIN;
    case QUOTES_PLAIN:
        return ends_cell(c, separator) ? QUOTES_START : QUOTES_PLAIN;
    case QUOTES_INSIDE:
        return c == '"' ? QUOTES_CLOSED : QUOTES_INSIDE;
    case QUOTES_CLOSED:
        if (c == '"')
            return QUOTES_INSIDE;
        break;
    case QUOTES_BLANK:
        break;
    }
    if (ends_cell(c, separator))
        return QUOTES_START;
    *is_sound = *is_sound && is_other_blank(c, separator);
    return QUOTES_BLANK;
}

/* Nearly every line has no quote; its end alone determines the state. */
static enum quotes after_plain(enum quotes state, const unsigned char *bytes, size_t n,
                               unsigned char separator)
{
    while (n && is_other_blank(bytes[n - 1], separator))
        n--;
    if (n == 0)
        return state;
    return ends_cell(bytes[n - 1], separator) ? QUOTES_START : QUOTES_PLAIN;
}

/* Returns false if something follows a closing quote within its cell. Zero-initialise the state. */
static bool quotes_follow(enum quotes *state, const unsigned char *bytes, size_t n,
                          unsigned char separator)
{
    bool is_sound = true;

    if (*state <= QUOTES_PLAIN && !memchr(bytes, '"', n)) {
        *state = after_plain(*state, bytes, n, separator);
        return true;
    }
    for (size_t i = 0; i < n && is_sound; i++)
        *state = next(*state, bytes[i], separator, &is_sound);
    return is_sound;
}

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

/* Returns the separator of a first line "sep=;", quoted or not, in any case; else 0. *length is
 * that of the line and its end. */
static char separator_named(size_t *length, const char *bytes, size_t n)
{
    const char *end = bytes + n, *at = bytes;
    bool is_quoted = n && *at == '"';
    char separator;

    at += is_quoted;
    if (end - at < 5 || strncasecmp(at, "sep=", 4) != 0 || is_end(at[4]))
        return '\0';
    separator = at[4];
    at += 5;
    if (is_quoted && (at == end || *at++ != '"'))
        return '\0';
    if (at < end && !is_end(*at))
        return '\0';
    if (at < end)
        at += at[0] == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1;
    *length = (size_t)(at - bytes);
    return separator;
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

/* ---- runs of blanks ---- */

/* Copy bytes with one tab for each run of blanks between cells. out has room for n + 1. Returns the
 * size. Zero-initialise s; pieces may be cut anywhere. */
static size_t separator_squeeze(char *out, struct squeeze *s, const char *bytes, size_t n)
{
    size_t size = 0;

    for (size_t i = 0; i < n; i++) {
        char c = bytes[i];
        bool is_inside = s->is_inside;

        if (!is_inside && is_blank(c)) {
            s->is_apart = true;
        } else if (!is_inside && is_end(c)) {
            s->has_cell = s->is_apart = false;
            out[size++] = c;
        } else {
            bool begins = !s->has_cell || s->is_apart || s->was_inside;

            if (c == '"' && (is_inside || begins))
                s->is_inside = !is_inside;
            if (s->has_cell && s->is_apart)
                out[size++] = '\t';
            s->has_cell = true;
            s->is_apart = false;
            out[size++] = c;
        }
        s->was_inside = is_inside;
    }
    return size;
}

/* libcsv gets one line at a time, so that each call completes at most one row and the line number
 * is known. With CSV_REPALL_NL it reports every line end outside quotes. */

#define CHUNK_BYTES ((size_t)1 << 18)

struct table_source {
    struct stream file;
    struct csv_parser parser;
    unsigned char separator; /* a tab for blanks */
    enum quotes quotes;
    struct squeeze squeeze;
    struct buf squeezed;  /* the line, if blanks separate */
    unsigned char *chunk; /* [CHUNK_BYTES] */
    size_t chunk_size;
    size_t chunk_at;
    int64_t n_lines; /* parsed so far */
    size_t row_bytes;
    bool after_cr; /* a LF now belongs to the CR before */
    bool is_row_begun;
    bool is_row_done;
    bool has_nul;
    struct buf text; /* cells of the row, each with a NUL */
    size_t *start;   /* [n_cells] offsets in text */
    size_t n_cells;
    size_t cell_capacity;
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

/* ---- callbacks of libcsv ---- */

/* libcsv keeps the blanks of quoted cells, and no-break spaces (C2 A0), which web pages have. */
static const unsigned char *trim(const unsigned char *at, size_t *n)
{
    static const char hard[] = "\xc2\xa0";
    const unsigned char *end = at + *n;

    while (at < end && (is_blank((char)*at) || (end - at > 1 && !memcmp(at, hard, 2))))
        at += is_blank((char)*at) ? 1 : 2;
    while (at < end && (is_blank((char)end[-1]) || (end - at > 1 && !memcmp(end - 2, hard, 2))))
        end -= is_blank((char)end[-1]) ? 1 : 2;
    *n = (size_t)(end - at);
    return at;
}

static void on_cell(void *bytes, size_t n, void *arg)
{
    struct table_source *s = arg;
    const unsigned char *cell = trim(bytes, &n);
    char *copy;

    if (s->n_cells == s->cell_capacity) {
        size_t capacity = s->cell_capacity ? 2 * s->cell_capacity : 16;
        size_t *grown = realloc(s->start, capacity * sizeof *grown);

        if (!grown) {
            s->text.failed = true;
            return;
        }
        s->start = grown;
        s->cell_capacity = capacity;
    }
    s->start[s->n_cells++] = s->text.size;
    copy = buf_extend(&s->text, n + 1);
    if (copy) {
        memcpy(copy, cell, n);
        copy[n] = '\0';
    }
}

static void on_line_end(int terminator, void *arg)
{
    struct table_source *s = arg;

    (void)terminator;
    s->is_row_begun = false;
    if (s->n_cells)
        s->is_row_done = true;
}

/* ---- chunks and lines ---- */

/* An empty chunk means the end. */
static int refill(struct table *t, struct err *err)
{
    struct table_source *s = t->source;

    s->chunk_at = 0;
    return stream_read(s->chunk, &s->chunk_size, &s->file, CHUNK_BYTES, err);
}

/* The length includes the line end, unless the chunk ends before it. */
static size_t line_length(const unsigned char *bytes, size_t n)
{
    const unsigned char *lf = memchr(bytes, '\n', n);
    size_t with_lf = lf ? (size_t)(lf - bytes) + 1 : n;
    const unsigned char *cr = memchr(bytes, '\r', with_lf);

    if (cr && !(cr + 1 < bytes + with_lf && cr[1] == '\n'))
        return (size_t)(cr - bytes) + 1;
    return with_lf;
}

static int feed(struct table *t, const unsigned char *bytes, size_t n, struct err *err)
{
    struct table_source *s = t->source;

    if (t->separator == ' ') {
        char *out;

        buf_clear(&s->squeezed);
        out = buf_extend(&s->squeezed, n + 1);
        if (!out)
            return err_nomem(err, t->path, n + 1);
        n = separator_squeeze(out, &s->squeeze, (const char *)bytes, n);
        bytes = (const unsigned char *)out;
    }
    if (!quotes_follow(&s->quotes, bytes, n, s->separator)) {
        t->line = s->n_lines + 1;
        return table_fault(err, t,
                           "a misplaced quote: a cell must end after its closing quote; double the "
                           "quotes inside a quoted cell");
    }
    if (csv_parse(&s->parser, bytes, n, on_cell, on_line_end, s) != n)
        return err_nomem(err, t->path, n);
    return 0;
}

static int feed_line(struct table *t, struct err *err)
{
    struct table_source *s = t->source;
    const unsigned char *bytes = s->chunk + s->chunk_at;
    size_t n = line_length(bytes, s->chunk_size - s->chunk_at);
    unsigned char last = bytes[n - 1];

    if (!s->is_row_begun) {
        t->line = s->n_lines + 1;
        s->row_bytes = 0;
    }
    s->is_row_begun = true;
    s->row_bytes += n;
    if (s->row_bytes > t->limit)
        return textline_too_long(err, t->path, t->line, t->limit);
    s->has_nul = s->has_nul || memchr(bytes, '\0', n);
    if (feed(t, bytes, n, err))
        return -1;
    if (s->n_cells > TEXTLINE_CELLS_MAX(t->limit))
        return textline_too_many(err, t->path, t->line, t->limit);
    if ((last == '\n' && !(n == 1 && s->after_cr)) || last == '\r')
        s->n_lines++;
    s->after_cr = last == '\r';
    s->chunk_at += n;
    return 0;
}

static int finish_parsing(struct table *t, struct err *err)
{
    struct table_source *s = t->source;

    if (s->quotes == QUOTES_INSIDE)
        return table_fault(err, t, "a quoted cell has no closing quote");
    if (!csv_fini(&s->parser, on_cell, on_line_end, s))
        return 0;
    return err_nomem(err, t->path, s->text.size);
}

static int read_line(struct table *t, struct err *err)
{
    struct table_source *s = t->source;

    buf_clear(&s->text);
    s->n_cells = 0;
    s->is_row_done = false;
    while (!s->is_row_done) {
        if (s->chunk_at == s->chunk_size) {
            if (refill(t, err))
                return -1;
            if (s->chunk_size == 0) {
                if (finish_parsing(t, err))
                    return -1;
                break;
            }
        }
        if (feed_line(t, err))
            return -1;
    }
    if (buf_failed(&s->text))
        return err_nomem(err, t->path, s->text.size);
    if (s->has_nul)
        return table_fault(err, t,
                           "a NUL byte: this is not a table of text (save UTF-16 as UTF-8)");
    return s->is_row_done;
}

/* Spreadsheets write empty columns and rows behind the table. */
static void drop_empty(struct table_source *s, size_t n)
{
    while (s->n_cells > n && !s->text.data[s->start[s->n_cells - 1]])
        s->n_cells--;
}

/* Cells below the empty names of a header belong to no column. */
static void drop_unnamed(struct table_source *s, size_t n)
{
    if (!s->n_unnamed)
        return;
    drop_empty(s, n);
    if (s->n_cells > n && s->n_cells <= n + s->n_unnamed)
        s->n_cells = n;
}

static int read_row(struct table *t, struct err *err)
{
    struct table_source *s = t->source;
    int status;

    do
        status = read_line(t, err);
    while (status > 0 && s->text.size == s->n_cells); /* all cells are empty */
    return status;
}

/* ---- opening ---- */

static int open_file(struct table *t, struct err *err)
{
    struct table_source *s = t->source;

    s->chunk = malloc(CHUNK_BYTES);
    if (!s->chunk)
        return err_nomem(err, t->path, CHUNK_BYTES);
    if (stream_open(&s->file, t->path, "a table of text", err))
        return -1;
    return refill(t, err);
}

static int read_separator(struct table *t, struct err *err)
{
    struct table_source *s = t->source;
    const char *at = (const char *)s->chunk + s->chunk_at;
    size_t n = s->chunk_size - s->chunk_at;
    char separator = separator_named(&n, at, n);

    if (!separator)
        return 0;
    if (!strchr("\t,;", separator)) {
        t->line = 1;
        return table_fault(err, t, "sep=%c: must be a comma, a semicolon or a tab", separator);
    }
    t->separator = separator;
    s->chunk_at += n;
    s->n_lines = 1;
    return 0;
}

/* TASSEL writes lines of ## before the header. */
static void skip_remarks(struct table_source *s)
{
    const char *at = (const char *)s->chunk + s->chunk_at, *next;
    size_t n = s->chunk_size - s->chunk_at;

    for (; n > 1 && !memcmp(at, "##", 2) && (next = memchr(at, '\n', n)); at = next + 1) {
        n -= (size_t)(next + 1 - at);
        s->n_lines++;
    }
    s->chunk_at = s->chunk_size - n;
}

static int start_parsing(struct table *t, struct err *err)
{
    struct table_source *s = t->source;

    s->chunk_at = stream_mark_bytes(s->chunk, s->chunk_size);
    skip_remarks(s);
    if (csv_init(&s->parser, CSV_REPALL_NL))
        return err_nomem(err, t->path, sizeof s->parser);
    if (read_separator(t, err))
        return -1;
    if (!t->separator)
        t->separator =
            separator_find((const char *)s->chunk + s->chunk_at, s->chunk_size - s->chunk_at);
    s->separator = t->separator == ' ' ? '\t' : (unsigned char)t->separator;
    csv_set_delim(&s->parser, s->separator);
    return 0;
}

/* The first call allocates out[]. */
static int point_at_cells(char ***out, const struct table_source *s, struct err *err)
{
    if (!*out)
        *out = malloc(s->n_cells * sizeof **out);
    if (!*out)
        return err_nomem(err, "a row of cells", s->n_cells * sizeof **out);
    for (size_t i = s->n_skipped; i < s->n_cells; i++)
        (*out)[i - s->n_skipped] = s->text.data + s->start[i];
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
    if (s->n_cells > INT32_MAX)
        return table_fault(err, t, "%zu columns: at most 2147483647", s->n_cells);
    t->n_cols = (int32_t)s->n_cells;
    if (point_at_cells(&t->name, s, err))
        return -1;
    s->header_text = s->text.data;
    memset(&s->text, 0, sizeof s->text);
    return 0;
}

/* ---- row names ---- */

/* R's write.table() omits the first cell of the header. An empty last cell is only a separator. */
static bool is_header_short(const struct table *t)
{
    const struct table_source *s = t->source;

    return s->first.status > 0 && t->n_cols < INT32_MAX && s->n_cells == (size_t)t->n_cols + 1 &&
           s->text.data[s->start[s->n_cells - 1]];
}

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
    const char *next = s->text.data + s->start[1];
    double number;

    return !strcmp(s->text.data + s->start[0], "1") && !table_is_missing(next) &&
           !table_parse_number(&number, next);
}

/* R's write.csv() counts from 1, pandas' to_csv() from 0. These numbers may equal ids of another
 * table. */
static int refuse_row_numbers(const struct table *t, struct err *err)
{
    const struct table_source *s = t->source;
    const char *first = s->text.data + s->start[0];

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
    if (!is_header_short(t))
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

int table_open(struct table *t, const char *path, struct err *err)
{
    memset(t, 0, sizeof *t);
    t->path = path;
    t->limit = TEXTLINE_BYTES_MAX;
    t->source = calloc(1, sizeof *t->source);
    if (!t->source)
        return err_nomem(err, path, sizeof *t->source);
    if (open_file(t, err) || start_parsing(t, err) || read_header(t, err) || read_ahead(t, err)) {
        table_close(t);
        return -1;
    }
    return 0;
}

void table_close(struct table *t)
{
    struct table_source *s = t ? t->source : NULL;

    if (!s)
        return;
    stream_close(&s->file);
    csv_free(&s->parser);
    free(s->chunk);
    buf_release(&s->text);
    buf_release(&s->squeezed);
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
    int status = is_first ? s->first.status : read_row(t, err);

    if (is_first) {
        t->line = s->first.line;
        if (status < 0 && err)
            *err = s->first.err;
    }
    s->first.is_there = false;
    if (status <= 0)
        return status;
    drop_unnamed(s, (size_t)t->n_cols + s->n_skipped);
    if (s->n_cells == (size_t)t->n_cols + 1 && is_first && !s->n_skipped &&
        !strcmp(s->text.data + s->start[0], "1"))
        return table_fault(err, t,
                           "one cell more than the header: if R's write.table() numbered the rows, "
                           "write the table with row.names = FALSE");
    if (s->n_cells != (size_t)t->n_cols + s->n_skipped)
        return table_fault(err, t, "%zu cells: the %s has %zu", s->n_cells,
                           t->has_row_names || s->n_skipped ? "first row" : "header",
                           (size_t)t->n_cols + s->n_skipped);
    if (point_at_cells(&t->cell, s, err))
        return -1;
    return 1;
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
