/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads tables of text row by row, plain or gzip; commas, tabs, semicolons or runs of blanks
 * separate cells.
 *
 * The first line that is not empty is the header; one of only numbers is refused. Cells may be
 * quoted as in RFC 4180; quotes in a cell that does not begin with one are ordinary characters.
 * Blanks around a cell are dropped, also in quotes. Line ends are LF, CRLF or CR. A byte order mark,
 * lines of ## before the header, empty lines and rows of empty cells are skipped, and so are empty
 * columns without a name behind the others. Rows have as many cells as the header.
 *
 * Excel's first line "sep=;" sets the separator. If all rows have one cell more than the header
 * (R's write.table()), the first column is named "row.names", unless the header begins with the
 * name of an id column (id, taxa, sample ...). If it only numbers the rows from 1 and words follow,
 * it is dropped. A first column without a name that numbers the rows (R's write.csv(), pandas) is
 * refused. */
#ifndef DATA_TEXT_TABLE_H
#define DATA_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "data/text/equality.h"

struct table_source;

struct table {
    const char *path; /* borrowed */
    size_t limit;     /* bytes in a row */
    char separator;   /* tab, comma, semicolon, or blank for runs */
    int64_t line;     /* of the current row, from 1 */
    int32_t n_cols;
    bool has_row_names; /* the header lacks the first name */
    char **name;        /* [n_cols] valid until table_close() */
    char **cell;        /* [n_cols] valid until the next table_next() */
    struct table_source *source;
};

/* Read the header. -1 and err like stream_open(), or if there is none. Pair with table_close()
 * after success; after an error nothing is held. */
int table_open(struct table *t, const char *path, struct err *err);

/* Step to the next row: 1, or 0 at the end. -1 and err for a faulty row, or like textline_next(). */
int table_next(struct table *t, struct err *err);

void table_close(struct table *t);

/* Read a table without a header, in which commas separate cells: call take() with each row, until it
 * returns -1. Rows are identified by the number of their line, so empty lines may only follow the
 * last one. name is NULL. */
int table_read_rows(const char *path,
                    int (*take)(void *arg, const struct table *t, struct err *err), void *arg,
                    struct err *err);

/* Set err to "PATH:LINE: message". Always -1. */
int table_fault(struct err *err, const struct table *t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Append the quoted names of the columns for which is_listed() is true (NULL: all): all, or the
 * first ten and their number. wrong: a name that none has, or NULL; the nearest one is suggested
 * (base/nearest.h). */
void table_put_columns(struct buf *out, const struct table *t, const char *wrong,
                       bool (*is_listed)(const void *arg, int32_t col), const void *arg);

/* Find the column called `name` by data/text/equality.h among those but `except` (-1: none). Returns
 * TABLE_NO_COLUMN if there is none; TABLE_REFUSED and err if several have exactly this name. */
enum { TABLE_NO_COLUMN = -1, TABLE_REFUSED = -2 };
int32_t table_column(const struct table *t, const char *name, int32_t except, struct err *err);

/* The names that table_column() found though the header spells them in another way; valid until
 * table_close(). */
const struct equality_count *table_spelled(const struct table *t);

/* Empty, NA, NaN, nan and a single point mean "missing". */
bool table_is_missing(const char *cell);

/* Parse a decimal number that a float can hold. */
bool table_parse_number(double *out, const char *cell);
/* Only with a decimal comma: 0,5. */
bool table_parse_comma(double *out, const char *cell);

/* NaN if missing. Where commas do not separate cells, one may be the decimal mark. -1 and err for a cell that is no number. */
int table_number(double *out, const struct table *t, int32_t col, struct err *err);

/* Parse a whole number in [low, high]; `what` names it in messages. */
int table_whole(int32_t *out, const struct table *t, int32_t col, int32_t low, int32_t high,
                const char *what, struct err *err);

#endif
