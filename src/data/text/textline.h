/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads text line by line, from a file or another source of bytes. LF, CRLF and CR end a line. The
 * length of a line is bounded: a small gzip file may unpack to one line that fills the memory. */
#ifndef DATA_TEXT_TEXTLINE_H
#define DATA_TEXT_TEXTLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "data/text/stream.h"

#define TEXTLINE_BYTES_MAX ((size_t)1 << 30)

/* Read up to n bytes into out, *got of them; 0 only at the end. */
typedef int textline_read(void *source, void *out, size_t *got, size_t n, struct err *err);

struct textline {
    const char *path; /* borrowed */
    size_t limit;     /* bytes in a line */
    int64_t number;   /* from 1 */
    struct buf text;  /* without the line end; the caller may write into it */
    char *chunk;      /* bytes that were read, [chunk_size] */
    size_t chunk_size;
    size_t chunk_at; /* of the next line */
    bool is_after_cr;
    textline_read *read;
    void *source; /* borrowed */
    struct stream file;
};

/* wanted, errors: as of stream_open(). Pair with textline_close(), also after a failure. t must stay
 * where it is. */
int textline_open(struct textline *t, const char *path, const char *wanted, struct err *err);
/* The same for another source. path: for messages. */
int textline_open_source(struct textline *t, const char *path, textline_read *read, void *source,
                         struct err *err);
void textline_close(struct textline *t);

/* Step to the next line: 1, or 0 at the end. -1 and err if it is too long or has a NUL byte, or
 * like read(). */
int textline_next(struct textline *t, struct err *err);
/* The same, but append a LF and the line to the text. */
int textline_append(struct textline *t, struct err *err);

/* Read ahead: at chunk_at begin 128 KiB, or all that the file has. -1 and err like read(). */
int textline_peek(struct textline *t, struct err *err);

#endif
