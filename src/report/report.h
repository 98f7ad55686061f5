/* SPDX-License-Identifier: BSD-3-Clause */
/* report: answers for people (tables) and programs (CSV, JSON), written into buffers.
 *
 * report.h writes one table of any length, answer.h a document of several; layout.h fits tables to
 * a terminal; rows.h makes small tables.
 *
 *   table  Numbers are aligned to the right and have five significant digits. NULL is "-". Texts
 *          are cut after 300 columns.
 *   csv    RFC 4180 with LF: quotes only where needed, NULL is empty, reals are the shortest
 *          decimals that read back the same.
 *   json   RFC 8259: an array of objects, one a line, without a line feed at the end. Reals that
 *          JSON lacks are null. A text that is itself JSON is a string here too.
 *   jsonl  JSON Lines: the same objects, each followed by a line feed, without the array.
 *   markdown, latex
 *          Tables to paste into a page or a paper (report/markup.h), with numbers as in a table.
 *          NULL is a dash. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "store/result_table.h"

enum report_kind {
    REPORT_TABLE,
    REPORT_CSV,
    REPORT_JSON,
    REPORT_JSONL,
    REPORT_MARKDOWN,
    REPORT_LATEX,
    N_REPORT_KINDS
};

/* From "csv", "json", "jsonl", "markdown" or "latex". Every other name, such as that of a sweep file, and NULL is text. */
enum report_kind report_kind_parse(const char *name);

/* Markdown or LaTeX. */
bool report_is_markup(enum report_kind kind);

struct column;
struct report {
    struct buf *out;    /* borrowed */
    char *const *names; /* [n_cols] borrowed until report_end() */
    int32_t n_cols;
    enum report_kind kind;
    struct column *columns; /* [n_cols] owned */
    struct buf texts;       /* owned: cells, kept until the widths are known */
    int64_t n_rows;
    int64_t gap;         /* "..." stands after this row; 0: nowhere */
    int64_t n_formatted; /* reals converted to decimals so far */

    /* For a table; may be set before report_end(). */
    int width;                /* columns of the terminal; 0: no limit */
    const char *keep, *drop;  /* layout_fit() */
    const char *bold, *plain; /* SGR sequences around the header, or NULL */
    /* The names of columns that do not fit are appended, as in "sd, se". Borrowed, or NULL. */
    struct buf *left_out;

    /* For Markdown and LaTeX; may be set before report_end(). Borrowed, or NULL. */
    const char *caption;
};

/* Pair with report_end(). */
void report_begin(struct report *report, struct buf *out, char *const *names, int32_t n_cols,
                  enum report_kind kind);
/* cells: [n_cols] borrowed. */
void report_row(struct report *report, const struct cell *cells);
/* Append a table to the object of the last row, as an array of objects. Only for JSON Lines; other
 * kinds ignore it. */
void report_row_table(struct report *report, const char *name, const struct result_table *table);
/* Rows before and after this point do not follow each other. At most once in a table. */
void report_gap(struct report *report);
void report_end(struct report *report);

void report_table(struct buf *out, const struct result_table *table, enum report_kind kind);

/* Append a text as a cell of CSV. */
void report_put_csv(struct buf *out, const char *text);

/* Append a cell as a value of JSON. */
void report_put_json(struct buf *out, const struct cell *cell);

/* The first row as a record: a line for each value, or one JSON object (null without a row), or a
 * table of one row in the other kinds. */
void report_record(struct buf *out, const struct result_table *table, enum report_kind kind);

#endif
