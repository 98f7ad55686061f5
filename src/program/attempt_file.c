/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/attempt_file.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "program/folder.h"

/* All texts have one length, so that one write replaces the other. */
enum { WIDTH = 10, SIZE = 32 };

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

/* Read one number and the byte behind it; *text moves behind both. -1: it is something else. */
static int32_t take_number(const char **text, char end)
{
    char *rest;
    long n = strtol(*text, &rest, 10);

    if (rest == *text || *rest != end || n < 0 || n >= INT32_MAX)
        return -1;
    *text = rest + 1;
    return (int32_t)n;
}

struct attempt_file attempt_file_read(const char *folder)
{
    int fd = open_file(folder, O_RDONLY);
    char bytes[SIZE] = "";
    ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof bytes - 1);
    const char *text = bytes;
    int32_t n = size > 0 ? take_number(&text, ' ') : -1;
    int32_t n_idle = n < 0 ? -1 : take_number(&text, '\n');

    if (fd >= 0)
        close(fd);
    return n_idle < 0 ? (struct attempt_file){0} : (struct attempt_file){n, n_idle};
}

void attempt_file_write(const char *folder, struct attempt_file file)
{
    char text[SIZE];
    int size =
        snprintf(text, sizeof text, "%*d %*d\n", WIDTH, (int)file.n, WIDTH, (int)file.n_idle);
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
