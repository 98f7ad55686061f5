/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads text files without a header, plain or gzip, line by line: rows of cells separated by
 * commas, where the line number identifies the row. Line ends are LF or CRLF. Spaces and tabs
 * around a cell are dropped. */
#ifndef DATA_TEXT_LINES_H
#define DATA_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* struct textline reads lines from any source of bytes. Lines have a bounded length, because a
 * small gzip file may unpack to one line that fills the memory. */

/* Longest line of a text file, and longest row of a table. */
#define TEXTLINE_BYTES_MAX ((size_t)1 << 30)

/* Most cells in a line of at most `limit` bytes. Their pointers take no more memory than the
 * line. */
#define TEXTLINE_CELLS_MAX(limit) ((limit) / sizeof(char *))

/* Read up to n bytes into out. *got is their number, 0 only at the end. -1 and err on failure. */
typedef int textline_read(void *source, void *out, size_t *got, size_t n, struct err *err);

/* Reads from a struct stream (data/text/stream.h). */
textline_read textline_read_stream;

struct textline {
    const char *path; /* borrowed, for messages */
    size_t limit;     /* most bytes in a line; textline_open() sets TEXTLINE_BYTES_MAX */
    int64_t number;   /* of the current line, from 1 */
    struct buf text;  /* the current line without its LF; the caller may write into it */
    textline_read *read;
    void *source; /* borrowed */
    char *chunk;  /* bytes read from the source but not yet in a line */
    size_t chunk_size;
    size_t chunk_at;
};

/* Pair with textline_close() after success. */
int textline_open(struct textline *t, const char *path, textline_read *read, void *source,
                  struct err *err);
void textline_close(struct textline *t);

/* Step to the next line: 1, or 0 at the end. -1 and err if a line is longer than the limit or
 * contains a NUL byte, or like read(). */
int textline_next(struct textline *t, struct err *err);

/* Set err to "PATH:NUMBER: ..." for a line longer than `limit` bytes, or with more cells than fit.
 * Always return -1. */
int textline_too_long(struct err *err, const char *path, int64_t number, size_t limit);
int textline_too_many(struct err *err, const char *path, int64_t number, size_t limit);

struct lines_source;

struct lines {
    const char *path; /* borrowed */
    int64_t line;     /* of the current row, from 1 */
    int32_t n_cells;
    char **cell; /* [n_cells] of the current row; valid until the next call of lines_next() */
    struct textline text; /* the current line; lines_next() cuts it into cells */
    struct lines_source *source;
};

/* -1 and err if the file does not exist or is a directory. Pair with lines_close() after success;
 * after an error nothing is held. */
int lines_open(struct lines *l, const char *path, struct err *err);
void lines_close(struct lines *l);

/* Step to the next row: 1, or 0 at the end. Empty lines are allowed only after the last row,
 * because rows are identified by line number. -1 and err for an empty line before a row, for a line
 * with more or fewer cells than the first, or like textline_next() and stream_read(). */
int lines_next(struct lines *l, struct err *err);

/* Step to the next line that is not empty, and return it as one cell without the blanks at its end.
 * -1 and err like textline_next() and stream_read(). */
int lines_next_whole(struct lines *l, struct err *err);

/* Set err to "PATH:LINE: message" for the current row. Always returns -1. */
int lines_fault(struct err *err, const struct lines *l, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Parse a whole number in [low, high]. `what` names the cell in messages. -1 and err. */
int lines_whole(int32_t *out, const struct lines *l, int32_t cell, int32_t low, int32_t high,
                const char *what, struct err *err);

#endif
