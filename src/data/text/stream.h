/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the bytes of a file, plain or gzip with one or several members (as in BGZF). Every reader
 * uses it, except those of VCF and BCF, which use htslib, and of PLINK's .bed. */
#ifndef DATA_TEXT_STREAM_H
#define DATA_TEXT_STREAM_H

#include <stddef.h>

#include "base/err.h"

/* Files that people pass by mistake: workbooks, R data, archives. No reader accepts them. */
struct foreign_file {
    const char *name;   /* "an Excel workbook" */
    const char *remedy; /* what to do: "save it as CSV" */
};

/* Recognise a file by its first n bytes, as on disk or unpacked from gzip. Returns NULL for all
 * other files: text, gzip, and binary formats that have a reader. */
const struct foreign_file *stream_foreign(const void *head, size_t n);

/* The byte order mark of UTF-8. */
#define STREAM_MARK "\xEF\xBB\xBF"
/* Return how many of the first n bytes of a file belong to the mark: 3 or 0. */
size_t stream_mark_bytes(const void *head, size_t n);

struct stream_source;

struct stream {
    const char *path; /* borrowed */
    struct stream_source *source;
};

/* Open a file. wanted says what the file must be, for the message about a directory. -1 and err
 * like stream_check(), or if the file does not exist, is BGZF without its end marker, or is
 * recognised by stream_foreign(). Pair with stream_close() after success; after an error nothing is
 * held. */
int stream_open(struct stream *s, const char *path, const char *wanted, struct err *err);
void stream_close(struct stream *s);

/* Read n bytes into out. *got is their number, less than n only at the end. -1 and err if a gzip
 * stream is damaged, truncated or followed by other bytes, or the disk fails. */
int stream_read(void *out, size_t *got, struct stream *s, size_t n, struct err *err);

/* Read the first bytes of a file, unpacked, and append a NUL. Returns their number, 0 if the file
 * cannot be read. */
size_t stream_peek(char *head, size_t size, const char *path);

/* -1 and err unless path is a regular file. A pipe is refused because files are read more than
 * once: first to recognise their kind. */
int stream_check(const char *path, const char *wanted, struct err *err);

#endif
