/* Text files without a header, a line at a time, plain or gzip: rows of cells apart by commas,
 * where the number of a line says what it is about. Line ends are LF or CRLF; spaces and tabs
 * around a cell are dropped. */
#ifndef DATA_TEXT_LINES_H
#define DATA_TEXT_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/text/textline.h"

struct lines_source;

struct lines {
    const char *path; /* borrowed */
    int64_t line;     /* of the current row, from 1 */
    int32_t n_cells;
    char **cell; /* [n_cells] of the current row; valid until the next call of lines_next() */
    struct textline text; /* the current line, which lines_next() cuts into cells */
    struct lines_source *source;
};

/* -1 and err: no such file, a directory. Pair with lines_close() after success; after an error
 * nothing is held. */
int lines_open(struct lines *l, const char *path, struct err *err);
void lines_close(struct lines *l); /* takes a zeroed one */

/* Step to the next row: 1, or 0 at the end. Empty lines may follow the last row, and nothing else:
 * rows are counted. -1 and err: an empty line before a row, a line with more or fewer cells than
 * the first; as textline_next() and stream_read(). */
int lines_next(struct lines *l, struct err *err);

/* Step to the next line that is not empty, wherever that stands, as one cell: only the blanks at
 * its end are dropped. -1 and err: as textline_next() and stream_read(). */
int lines_next_whole(struct lines *l, struct err *err);

/* Write "PATH:LINE: message" for the current row. Always returns -1. */
int lines_fault(struct err *err, const struct lines *l, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A whole number in [low, high], from a cell that `what` names. -1 and err. */
int lines_whole(int32_t *out, const struct lines *l, int32_t cell, int32_t low, int32_t high,
                const char *what, struct err *err);

#endif
