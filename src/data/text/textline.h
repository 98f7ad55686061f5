/* The lines of a source of bytes, one at a time and of bounded length: a small gzip file may unpack
 * to a single line that fills the memory. */
#ifndef DATA_TEXT_TEXTLINE_H
#define DATA_TEXT_TEXTLINE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* The longest line of a text file, and the longest row of a table. */
#define TEXTLINE_BYTES_MAX ((size_t)1 << 30)

/* The most cells in a line of at most `limit` bytes. Their pointers take no more than the line. */
#define TEXTLINE_CELLS_MAX(limit) ((limit) / sizeof(char *))

/* Read up to n bytes into out; *got of them, 0 only at the end. -1 and err. */
typedef int textline_read(void *source, void *out, size_t *got, size_t n, struct err *err);

/* From a struct stream (data/text/stream.h). */
textline_read textline_read_stream;

struct textline {
    const char *path; /* borrowed, for messages */
    size_t limit;     /* bytes of a line; textline_open() sets TEXTLINE_BYTES_MAX */
    int64_t number;   /* of the current line, from 1 */
    struct buf text;  /* the current line without its LF; the caller may write into it */
    textline_read *read;
    void *source; /* borrowed */
    char *chunk;  /* bytes of the source that are not in a line yet */
    size_t chunk_size;
    size_t chunk_at;
};

/* Pair with textline_close() after success. */
int textline_open(struct textline *t, const char *path, textline_read *read, void *source,
                  struct err *err);
void textline_close(struct textline *t); /* takes a zeroed one */

/* Step to the next line: 1, or 0 at the end. -1 and err: a line longer than the limit, a NUL byte,
 * as read(). */
int textline_next(struct textline *t, struct err *err);

/* Write "PATH:NUMBER: ..." for a line longer than `limit` bytes, or of more cells than fit.
 * Always return -1. */
int textline_too_long(struct err *err, const char *path, int64_t number, size_t limit);
int textline_too_many(struct err *err, const char *path, int64_t number, size_t limit);

#endif
