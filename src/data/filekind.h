/* Files that people hand over by mistake: workbooks, R data, archives. No reader takes them. */
#ifndef DATA_FILEKIND_H
#define DATA_FILEKIND_H

#include <stddef.h>

#include "base/err.h"

/* The readers look at this many bytes of a file to recognise it. */
enum { FILEKIND_HEAD_BYTES = 4096 };

struct filekind {
    const char *name;   /* "an Excel workbook" */
    const char *remedy; /* what to do: "save it as CSV" */
};

/* Recognise a file by its first n bytes, as they are on disk or unpacked from gzip. Returns NULL
 * for everything else: text, gzip, and the binary formats that have a reader. */
const struct filekind *filekind_find(const void *head, size_t n);

/* -1 and err, which names the file, its kind and the remedy, where filekind_find() recognises these
 * bytes. */
int filekind_check(const char *path, const void *head, size_t n, struct err *err);

#endif
