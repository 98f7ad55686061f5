/* SPDX-License-Identifier: BSD-3-Clause */
/* The bytes of a file, plain or gzip, of one member or several (BGZF is the latter). All that is
 * read of files but of VCF and BCF, which htslib reads, and of PLINK's .bed comes through here. */
#ifndef DATA_TEXT_STREAM_H
#define DATA_TEXT_STREAM_H

#include <stddef.h>

#include "base/err.h"

/* Files that people hand over by mistake: workbooks, R data, archives. No reader takes them. */
struct foreign_file {
    const char *name;   /* "an Excel workbook" */
    const char *remedy; /* what to do: "save it as CSV" */
};

/* Recognise a file by its first n bytes, as they are on disk or unpacked from gzip. Returns NULL
 * for everything else: text, gzip, and the binary formats that have a reader. */
const struct foreign_file *stream_foreign(const void *head, size_t n);

/* The byte order mark of UTF-8. */
#define STREAM_MARK "\xEF\xBB\xBF"
/* How many of the first n bytes of a file are the mark: 3 or 0. */
size_t stream_mark_bytes(const void *head, size_t n);

struct stream_source;

struct stream {
    const char *path; /* borrowed */
    struct stream_source *source;
};

/* wanted: what the file must be, for the message on a directory. -1 and err: as stream_check(), no
 * such file, a BGZF file without the mark that ends it, a kind of file
 * that stream_foreign() recognises. Pair with stream_close() after success; after an error nothing
 * is held. */
int stream_open(struct stream *s, const char *path, const char *wanted, struct err *err);
void stream_close(struct stream *s); /* takes a zeroed one */

/* n bytes into out; *got of them were there, fewer only at the end. -1 and err: a gzip stream that
 * is damaged, cut off or followed by anything else, an error of the disk. */
int stream_read(void *out, size_t *got, struct stream *s, size_t n, struct err *err);

/* The first bytes of a file, unpacked, with a NUL behind; returns how many, 0 where it cannot be
 * read. */
size_t stream_peek(char *head, size_t size, const char *path);

/* -1 and err unless there is a file at path: what is to be read more than once (its kind is told
 * by its first bytes) cannot be a pipe. */
int stream_check(const char *path, const char *wanted, struct err *err);

#endif
