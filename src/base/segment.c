/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

int segment_create(struct segment *s, const char *folder, struct err *err)
{
    int length;

    *s = (struct segment){.is_writer = true};
    length = snprintf(s->path, sizeof s->path, "%s/espalier-XXXXXX", folder);
    if (length >= (int)sizeof s->path)
        return err_set(err, "%s: longer than %zu characters", folder, sizeof s->path - 16);
    s->fd = mkostemp(s->path, O_CLOEXEC);
    if (s->fd < 0)
        return err_set(err, "%s: %s", folder, strerror(errno));
    s->is_open = true;
    return 0;
}

int segment_join(struct segment *s, const char *path, struct err *err)
{
    *s = (struct segment){.is_writer = false};
    snprintf(s->path, sizeof s->path, "%s", path);
    s->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (s->fd < 0)
        return err_set(err, "%s: %s", path, strerror(errno));
    s->is_open = true;
    return 0;
}

void segment_unlink(const struct segment *s)
{
    unlink(s->path);
}

static int fail_reserve(const struct segment *s, size_t n, int code, struct err *err)
{
    const double mb = 1e6;
    int length = (int)(strrchr(s->path, '/') - s->path);
    struct statvfs fs;

    if (!err_is_disk_full(code) || fstatvfs(s->fd, &fs))
        return err_set(err, "%.*s: %.2f MB: %s", length, s->path, (double)n / mb, strerror(code));
    return err_set(err, "%.*s has %.2f MB left: %.2f MB are needed", length, s->path,
                   (double)fs.f_bavail * (double)fs.f_frsize / mb, (double)n / mb);
}

int segment_reserve(const struct segment *s, size_t n, struct err *err)
{
    /* main() ignores the signal that the kernel sends beyond `ulimit -f` */
    int code = posix_fallocate(s->fd, 0, (off_t)n);

    if (!code)
        return 0;
    /* Give back the space taken before the failure. */
    if (ftruncate(s->fd, 0))
        code = errno;
    return fail_reserve(s, n, code, err);
}

int segment_map(struct segment *s, size_t n, struct err *err)
{
    int protection = s->is_writer ? PROT_READ | PROT_WRITE : PROT_READ;
    void *bytes = mmap(NULL, n, protection, MAP_SHARED, s->fd, 0);

    if (bytes == MAP_FAILED)
        return err_set(err, "%s: %zu bytes: %s", s->path, n, strerror(errno));
    s->bytes = bytes;
    s->n = n;
    close(s->fd);
    s->is_open = false;
    return 0;
}

void segment_seal(const struct segment *s)
{
    mprotect(s->bytes, s->n, PROT_READ);
}

void segment_release(struct segment *s)
{
    if (!s)
        return;
    if (s->bytes)
        munmap(s->bytes, s->n);
    if (s->is_open)
        close(s->fd);
    *s = (struct segment){0};
}
