/* The bytes of a file, plain or gzip. */
#ifndef DATA_STREAM_H
#define DATA_STREAM_H

#include <stddef.h>

#include "base/err.h"

struct stream {
    const char *path; /* borrowed */
    void *file;       /* of zlib */
};

/* wanted: what the file must be, for the message on a directory. -1 and err: that, no such file.
 * Pair with stream_close() after success; after an error nothing is held. */
int stream_open(struct stream *s, const char *path, const char *wanted, struct err *err);
void stream_close(struct stream *s); /* takes a zeroed one */

/* n bytes into out; *got of them were there, fewer only at the end. -1 and err: a damaged or
 * truncated gzip stream, an error of the disk. */
int stream_read(void *out, size_t *got, struct stream *s, size_t n, struct err *err);

#endif
