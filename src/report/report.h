/* SPDX-License-Identifier: BSD-3-Clause */
/* report: answers as text for people, and as CSV and JSON for programs. It writes into buffers,
 * which cli/ prints. report.h writes one table, answer.h a document of several; layout.h fits
 * tables to a terminal; rows.h makes small tables.
 *
 * This file: one table, row by row, with any number of rows.
 *
 *   table  Columns are as wide as their widest cell. Numbers are aligned to the right and have five
 *          significant digits. NULL is "-".
 *   csv    RFC 4180 with LF line ends: quotes only where they are needed, NULL is empty, and reals
 *          are the shortest decimals that read back the same.
 *   json   RFC 8259: an array of objects in column order, one on each line, without a line feed at
 *          the end. Reals that JSON lacks (NaN, inf) are null. A text cell that is itself JSON is
 *          a string here too. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "store/result_table.h"

enum report_kind { REPORT_TABLE, REPORT_CSV, REPORT_JSON };

/* From "csv" or "json". Every other name, such as that of a sweep file, and NULL is text. */
enum report_kind report_kind_parse(const char *name);

struct column;
struct report {
    struct buf *out;    /* borrowed; failed: memory was short */
    char *const *names; /* [n_cols] borrowed until report_end() */
    int32_t n_cols;
    enum report_kind kind;
    struct column *columns; /* [n_cols] owned */
    struct buf texts;       /* owned: the cells of a table, kept until its widths are known */
    int64_t n_rows;
    int64_t gap;         /* "..." stands after this row; 0: nowhere */
    int64_t n_formatted; /* reals that were converted to decimals so far */

    /* For a table. The caller may set them before report_end(). */
    int width;                /* of the terminal, in columns; 0: no limit */
    const char *keep, *drop;  /* layout_fit() */
    const char *bold, *plain; /* around the header: SGR sequences, or NULL */
    struct buf *left_out; /* borrowed, or NULL: the names of columns that do not fit are appended,
                               with ", " between them */
};

/* Pair with report_end(), which completes the text. */
void report_begin(struct report *report, struct buf *out, char *const *names, int32_t n_cols,
                  enum report_kind kind);
/* cells: [n_cols] borrowed for the call. */
void report_row(struct report *report, const struct cell *cells);
/* The rows before and after this point do not follow each other. At most once in a table. */
void report_gap(struct report *report);
void report_end(struct report *report);

/* A whole table. A table without rows is its header. */
void report_table(struct buf *out, const struct result_table *table, enum report_kind kind);

/* The first row as a record. For people, a line for each column that has a value: its name, then the
 * value. JSON: one object, or null without a row. CSV: as report_table(). */
void report_record(struct buf *out, const struct result_table *table, enum report_kind kind);

#endif
