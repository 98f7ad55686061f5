/* Bytes as a file without a disk, for parsers that take a path. */
#ifndef TESTS_MEMFILE_H
#define TESTS_MEMFILE_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memfile {
    int fd;
    char path[32];
};

static inline void memfile_open(struct memfile *file, const void *bytes, size_t n)
{
    file->fd = memfd_create("fuzz", 0);
    if (file->fd < 0 || write(file->fd, bytes, n) != (ssize_t)n)
        abort();
    snprintf(file->path, sizeof file->path, "/proc/self/fd/%d", file->fd);
}

static inline void memfile_close(struct memfile *file)
{
    close(file->fd);
}

#endif
