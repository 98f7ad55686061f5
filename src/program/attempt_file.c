/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/attempt_file.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "program/beneath.h"
#include "program/folder.h"

/* All texts have one length, so that one write replaces the other. */
enum { WIDTH = 10, WIDTH_S = 15, WIDTH_OVER = ATTEMPT_FILE_TOKEN - 1, SIZE = 128 };
#define MOST_S 1e10
#define NOBODY "-"

static int open_file(const char *folder, int flags)
{
    struct buf path = {0};
    int fd = -1;

    buf_printf(&path, "%s/" FOLDER_ATTEMPTS, folder);
    if (!buf_failed(&path))
        fd = beneath_open(buf_text(&path), flags);
    buf_release(&path);
    return fd;
}

struct attempt_file attempt_file_read(const char *folder)
{
    int fd = open_file(folder, O_RDONLY), end = 0;
    char bytes[SIZE] = "";
    struct attempt_file file;

    if (fd >= 0) {
        (void)!read(fd, bytes, sizeof bytes - 1);
        close(fd);
    }
    if (sscanf(bytes, "%10d %10d %lf %79s%n", &file.n, &file.n_idle, &file.seconds, file.over,
               &end) != 4 ||
        bytes[end] != '\n' || file.n < 0 || file.n_idle < 0 || file.n == INT32_MAX ||
        !(file.seconds >= 0 && file.seconds <= MOST_S))
        return (struct attempt_file){0};
    if (!strcmp(file.over, NOBODY))
        *file.over = '\0';
    return file;
}

void attempt_file_write(const char *folder, struct attempt_file file)
{
    char text[SIZE];
    int size = snprintf(text, sizeof text, "%*d %*d %*.3f %*s\n", WIDTH, (int)file.n, WIDTH,
                        (int)file.n_idle, WIDTH_S, fmin(fmax(file.seconds, 0), MOST_S), WIDTH_OVER,
                        *file.over ? file.over : NOBODY);
    int fd = open_file(folder, O_WRONLY);

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
        beneath_unlink(buf_text(&path));
    buf_release(&path);
}
