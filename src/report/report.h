/* SPDX-License-Identifier: BSD-3-Clause */
/* Answers of the store as text: aligned for people, csv and json for programs. Writes into a
 * buffer; cli/ prints it. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/buf.h"
#include "store/result_table.h"

/* Rows in turn, of any number: what they need is formatted as they come. report_text(),
 * report_csv(), report_json() below say how each format looks. */
enum report_kind { REPORT_TABLE, REPORT_CSV, REPORT_JSON };

struct column;
struct report {
    struct buf *out;    /* borrowed; failed: memory was short */
    char *const *names; /* [n_cols] borrowed until report_end() */
    int32_t n_cols;
    enum report_kind kind;
    struct column *columns; /* [n_cols] owned */
    struct buf texts;       /* owned: cells of a table, whose widths are known at its end */
    int64_t n_rows;
    int64_t gap;         /* after so many rows; 0: none */
    int64_t n_formatted; /* reals that were put into decimals so far */
};

/* format: "table", "csv", "json" (asserted). Pair with report_end(), which ends the text. */
void report_begin(struct report *report, struct buf *out, char *const *names, int32_t n_cols,
                  const char *format);
/* cells: [n_cols] borrowed for the call. */
void report_row(struct report *report, const struct cell *cells);
/* Rows are left out here; once in a report. A table has a line "..." between those around it. */
void report_gap(struct report *report);
void report_end(struct report *report);

/* Columns as wide as their widest cell (in characters of UTF-8, not bytes), numbers to the right
 * with five significant digits, NULL as "-". No rows: the header alone. */
void report_text(struct buf *out, const struct result_table *table);

/* The first row as a record: a line for each column, its name before it; NULL is left out. */
void report_record(struct buf *out, const struct result_table *table);

/* RFC 4180 with LF line ends: quotes only where they are needed, NULL as nothing, reals as the
 * shortest decimal that reads back the same. */
void report_csv(struct buf *out, const struct result_table *table);

/* An array of objects in column order, one a line. Reals that JSON cannot hold (NaN, inf) are null.
 * A text cell that is JSON already (params) is a string here too. Source: RFC 8259. */
void report_json(struct buf *out, const struct result_table *table);

/* By name: "table", "csv", "json" (asserted). */
void report_format(struct buf *out, const struct result_table *table, const char *format);

#endif
