/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads text without a header, plain or gzip: rows of cells separated by commas, identified by line
 * number. Line ends are LF or CRLF. Spaces and tabs around a cell are dropped. */
#ifndef DATA_TEXT_LINES_H
#define DATA_TEXT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "data/text/stream.h"

/* Lines from any source of bytes. Their length is bounded: a small gzip file may unpack to one line
 * that fills the memory. */

#define TEXTLINE_BYTES_MAX ((size_t)1 << 30)

/* Most cells in a line of `limit` bytes: their pointers take no more memory than the line. */
#define TEXTLINE_CELLS_MAX(limit) ((limit) / sizeof(char *))

/* Read up to n bytes into out, *got of them; 0 only at the end. */
typedef int textline_read(void *source, void *out, size_t *got, size_t n, struct err *err);

/* Reads from a struct stream. */
textline_read textline_read_stream;

struct textline {
    const char *path; /* borrowed */
    size_t limit;     /* bytes in a line */
    int64_t number;   /* from 1 */
    struct buf text;  /* without LF; the caller may write into it */
    textline_read *read;
    void *source; /* borrowed */
    char *chunk;
    size_t chunk_size;
    size_t chunk_at;
};

/* Pair with textline_close() after success. */
int textline_open(struct textline *t, const char *path, textline_read *read, void *source,
                  struct err *err);
void textline_close(struct textline *t);

/* Step to the next line: 1, or 0 at the end. -1 and err if it is too long or has a NUL byte, or
 * like read(). */
int textline_next(struct textline *t, struct err *err);

/* Cut blanks and carriage returns off the end, in place. */
void textline_trim_end(char *text);

/* Set err to "PATH:NUMBER: ..." for a line of too many bytes or cells. Always -1. */
int textline_too_long(struct err *err, const char *path, int64_t number, size_t limit);
int textline_too_many(struct err *err, const char *path, int64_t number, size_t limit);

struct lines {
    const char *path; /* borrowed */
    int64_t line;
    int32_t n_cells;
    char **cell; /* [n_cells] valid until the next call of lines_next() */
    int32_t cell_capacity;
    struct textline text; /* cut into cells */
    struct stream file;
};

/* Pair with lines_close() after success; after an error nothing is held. l must stay where it is. */
int lines_open(struct lines *l, const char *path, struct err *err);
void lines_close(struct lines *l);

/* Step to the next row: 1, or 0 at the end. Empty lines may only follow the last row. -1 and err
 * for a faulty row, or like textline_next(). */
int lines_next(struct lines *l, struct err *err);

/* Set err to "PATH:LINE: message". Always -1. */
int lines_fault(struct err *err, const struct lines *l, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Parse a whole number in [low, high]; `what` names it in messages. */
int lines_whole(int32_t *out, const struct lines *l, int32_t cell, int32_t low, int32_t high,
                const char *what, struct err *err);

#endif
