/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the bytes of a file, plain or gzip with one or several members (as in BGZF). All readers
 * use it, except those of VCF and BCF (htslib) and PLINK's .bed. */
#ifndef DATA_TEXT_STREAM_H
#define DATA_TEXT_STREAM_H

#include <stddef.h>

#include "base/err.h"

/* Files passed by mistake: workbooks, R data, archives. No reader accepts them. */
struct foreign_file {
    const char *name;   /* "an Excel workbook" */
    const char *remedy; /* what to do: "save it as CSV" */
};

/* Recognise a file by its first n bytes, as on disk or unpacked. NULL for text, gzip, and binary
 * formats that have a reader. */
const struct foreign_file *stream_foreign(const void *head, size_t n);

/* The byte order mark of UTF-8. */
#define STREAM_MARK "\xEF\xBB\xBF"
/* Return how many of the first n bytes are the mark: 3 or 0. */
size_t stream_mark_bytes(const void *head, size_t n);

struct stream_source;

struct stream {
    const char *path; /* borrowed */
    struct stream_source *source;
};

/* wanted: what the file must be, for the message about a directory. -1 and err like stream_check(),
 * or if the file does not exist, is BGZF without its end marker, or is a stream_foreign() one. Pair
 * with stream_close() after success; after an error nothing is held. */
int stream_open(struct stream *s, const char *path, const char *wanted, struct err *err);
void stream_close(struct stream *s);

/* Read n bytes into out, *got of them; fewer only at the end. -1 and err if a gzip stream is
 * damaged, truncated or followed by other bytes, or the disk fails. */
int stream_read(void *out, size_t *got, struct stream *s, size_t n, struct err *err);

/* Read the first bytes of a file, unpacked, and append a NUL. Returns their number, 0 if
 * unreadable. */
size_t stream_peek(char *head, size_t size, const char *path);

/* -1 and err unless path is a regular file. Files are read more than once (first to recognise
 * them), which a pipe does not permit. */
int stream_check(const char *path, const char *wanted, struct err *err);

#endif
