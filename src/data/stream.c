#include "data/stream.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <zlib.h>

#define CHUNK_BYTES ((size_t)1 << 18)
#define MOST_AT_ONCE ((size_t)1 << 30) /* zlib counts in int */

int stream_open(struct stream *s, const char *path, const char *wanted, struct err *err)
{
    struct stat status;

    *s = (struct stream){.path = path};
    if (stat(path, &status) != 0)
        return err_set(err, "%s: cannot open: %s", path, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return err_set(err, "%s: is a directory: must be %s", path, wanted);
    s->file = gzopen(path, "rb");
    if (!s->file)
        return err_set(err, "%s: cannot open: %s", path, strerror(errno));
    gzbuffer(s->file, CHUNK_BYTES);
    return 0;
}

void stream_close(struct stream *s)
{
    if (s && s->file)
        gzclose(s->file);
    if (s)
        s->file = NULL;
}

static int fault(const struct stream *s, struct err *err)
{
    int status = Z_OK;
    const char *reason = gzerror(s->file, &status);

    if (status == Z_ERRNO)
        reason = strerror(errno);
    else if (status == Z_BUF_ERROR)
        reason = "the gzip stream ends too early";
    return err_set(err, "%s: cannot read: %s", s->path, reason);
}

int stream_read(void *out, size_t *got, struct stream *s, size_t n, struct err *err)
{
    int status = Z_OK;

    *got = 0;
    while (*got < n) {
        size_t left = n - *got;
        int part = gzread(s->file, (char *)out + *got,
                          (unsigned)(left < MOST_AT_ONCE ? left : MOST_AT_ONCE));

        if (part < 0)
            return fault(s, err);
        if (part == 0)
            break;
        *got += (size_t)part;
    }
    /* A stream that was cut off looks like an end until it is asked. */
    gzerror(s->file, &status);
    return status == Z_OK || status == Z_STREAM_END ? 0 : fault(s, err);
}
