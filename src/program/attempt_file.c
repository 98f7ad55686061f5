/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/attempt_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "program/folder.h"

/* All texts have this length, so that one write replaces the other. */
enum { WIDTH = 10, SIZE = 16 };

static int open_file(const char *folder, int flags)
{
    struct buf path = {0};
    int fd = -1;

    buf_printf(&path, "%s/" FOLDER_ATTEMPTS, folder);
    if (!buf_failed(&path))
        fd = open(buf_text(&path), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    buf_release(&path);
    return fd;
}

int32_t attempt_file_read(const char *folder)
{
    int fd = open_file(folder, O_RDONLY);
    char text[SIZE] = "", *end = text;
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    long attempts = n > 0 ? strtol(text, &end, 10) : 0;

    if (fd >= 0)
        close(fd);
    return *end == '\n' && attempts >= 0 && attempts < INT32_MAX ? (int32_t)attempts : 0;
}

void attempt_file_write(const char *folder, int32_t n)
{
    char text[SIZE];
    int size = snprintf(text, sizeof text, "%*d\n", WIDTH, (int)n);
    int fd = open_file(folder, O_WRONLY | O_CREAT);

    if (fd < 0)
        return;
    (void)!pwrite(fd, text, (size_t)size, 0);
    close(fd);
}

void attempt_file_remove(const char *folder)
{
    struct buf path = {0};

    buf_printf(&path, "%s/" FOLDER_ATTEMPTS, folder);
    if (!buf_failed(&path))
        unlink(buf_text(&path));
    buf_release(&path);
}
