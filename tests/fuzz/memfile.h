/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes as a file without a disk, for parsers that take a path. */
#ifndef TESTS_MEMFILE_H
#define TESTS_MEMFILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Split an input at lines of "%%" into at most max files, the last with all that follows. Return
 * their number. */
static inline int memfiles_open(struct memfile *file, int max, const uint8_t *bytes, size_t n)
{
    static const char mark[] = "%%\n";
    int n_files = 0;

    while (n_files < max) {
        const uint8_t *end = memmem(bytes, n, mark, strlen(mark));
        size_t size = end && n_files < max - 1 ? (size_t)(end - bytes) : n;

        memfile_open(&file[n_files++], bytes, size);
        if (size == n)
            break;
        bytes += size + strlen(mark);
        n -= size + strlen(mark);
    }
    return n_files;
}

/* Make a folder of links to the n files. folder: out, at least 32 bytes. */
static inline void memfiles_folder(char *folder, const struct memfile *file,
                                   const char *const *name, int n)
{
    char path[64];

    strcpy(folder, "/tmp/fuzz-XXXXXX");
    if (!mkdtemp(folder))
        abort();
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        if (symlink(file[i].path, path) != 0)
            abort();
    }
}

static inline void memfiles_remove(const char *folder, const char *const *name, int n)
{
    char path[64];

    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, name[i]);
        unlink(path);
    }
    rmdir(folder);
}

#endif
