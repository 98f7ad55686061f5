/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of text: separated by commas, tabs, semicolons or runs of blanks, plain or gzip, read row
 * by row.
 *
 * The first line that is not empty is the header and names the columns; a header of numbers alone
 * is taken for a missing one and refused. The separator is that of separator_find(). Cells may be
 * quoted as in RFC 4180; in one that does not
 * begin with a quote they are letters like others. Spaces around an unquoted cell are dropped. Line
 * ends are LF, CRLF or CR, a byte order mark is skipped, empty lines are too. Every row has as many
 * cells as the header.
 *
 * A first line "sep=;" names the separator, as Excel writes it. Where all rows have one cell more
 * than the header, as R's write.table() writes them, the first column is named "row.names", unless
 * the header begins with the name of an id column (id, taxa, sample ...). If it only numbers the
 * rows, 1 in the first, and words follow it, it is left out. */
#ifndef DATA_TEXT_TABLE_H
#define DATA_TEXT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct table_source;

struct table {
    const char *path; /* borrowed */
    size_t limit;     /* bytes of a row; table_open() sets TEXTLINE_BYTES_MAX */
    char separator;   /* tab, comma, semicolon, or a blank for runs of them */
    int64_t line;     /* on which the current row begins, from 1 */
    int32_t n_cols;
    bool has_row_names; /* the first column is R's "row.names", which the header does not name */
    char **name;        /* [n_cols] the header; valid until table_close() */
    char **cell;        /* [n_cols] the current row; valid until the next call of table_next() */
    struct table_source *source;
};

/* Read the header. -1 and err: as stream_open() and stream_read(), empty, no header. Pair with
 * table_close() after success; after an error nothing is held. */
int table_open(struct table *t, const char *path, struct err *err);

/* Step to the next row: 1, or 0 at the end. -1 and err: a ragged row, a quote out of place, a NUL
 * byte, a row beyond the limit; as stream_read(). */
int table_next(struct table *t, struct err *err);

void table_close(struct table *t); /* takes a zeroed one */

/* Write "PATH:LINE: message" for the current row. Always returns -1. */
int table_fault(struct err *err, const struct table *t, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Empty, NA, NaN, nan and a lone point stand for a missing value. */
bool table_is_missing(const char *cell);

/* A decimal number that a float can hold; not hexadecimal, not an infinity. */
bool table_parse_number(double *out, const char *cell);

/* The number in a column of the current row, NaN where it is missing. -1 and err if the cell is
 * anything else. */
int table_number(double *out, const struct table *t, int32_t col, struct err *err);

#endif
