/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the bytes of a file, plain or gzip with one or several members (as in BGZF). VCF and BCF
 * (htslib) and PLINK's .bed do not use it. */
#ifndef DATA_TEXT_STREAM_H
#define DATA_TEXT_STREAM_H

#include <stddef.h>

#include "base/err.h"

/* The byte order mark of UTF-8. */
#define STREAM_MARK "\xEF\xBB\xBF"
/* Returns the mark's length if the first n bytes begin with it, else 0. */
size_t stream_mark_bytes(const void *head, size_t n);

struct stream_source;

struct stream {
    const char *path; /* borrowed */
    struct stream_source *source;
};

/* wanted: what the file must be, for messages. -1 and err like stream_check(), or if the file does
 * not exist, is BGZF without its end marker, or is a workbook, R data, an archive or the like, on disk or unpacked. Pair with stream_close()
 * after success; after an error nothing is held. */
int stream_open(struct stream *s, const char *path, const char *wanted, struct err *err);
void stream_close(struct stream *s);

/* Read n bytes, *got of them; fewer only at the end. -1 and err if gzip is damaged, truncated or
 * followed by other bytes, or the disk fails. */
int stream_read(void *out, size_t *got, struct stream *s, size_t n, struct err *err);

/* Read the first bytes, unpacked, and append a NUL. Returns their number, 0 if unreadable. */
size_t stream_peek(char *head, size_t size, const char *path);

/* -1 and err unless path is a regular file: recognising reads it once more, which a pipe does not
 * permit. */
int stream_check(const char *path, const char *wanted, struct err *err);

#endif
