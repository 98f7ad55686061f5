/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/time_file.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "program/beneath.h"
#include "program/folder.h"

#define PERIOD_S 1.0
#define MOST_S 1e10

/* All texts have this length, so that one write replaces the other. */
enum { WIDTH = 15, SIZE = 32 };

struct time_file time_file_begin(const char *folder, double now_s)
{
    return (struct time_file){.folder = folder, .due_s = now_s + PERIOD_S};
}

static int open_file(const struct time_file *f, int flags)
{
    struct buf path = {0};
    int fd = -1;

    buf_printf(&path, "%s/" FOLDER_SECONDS, f->folder);
    if (!buf_failed(&path))
        fd = beneath_open(buf_text(&path), flags);
    buf_release(&path);
    return fd;
}

double time_file_read(const struct time_file *f)
{
    int fd = open_file(f, O_RDONLY);
    char text[SIZE] = "", *end = text;
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    double seconds = n > 0 ? strtod(text, &end) : 0;

    if (fd >= 0)
        close(fd);
    return *end == '\n' && seconds >= 0 && seconds < MOST_S ? seconds : 0;
}

void time_file_write(const struct time_file *f, double seconds)
{
    char text[SIZE];
    int n = snprintf(text, sizeof text, "%*.3f\n", WIDTH, fmin(fmax(seconds, 0), MOST_S));
    int fd = open_file(f, O_WRONLY);

    if (fd < 0)
        return;
    (void)!pwrite(fd, text, (size_t)n, 0);
    close(fd);
}

void time_file_refresh(struct time_file *f, double seconds, double now_s)
{
    if (now_s < f->due_s)
        return;
    f->due_s = now_s + PERIOD_S;
    time_file_write(f, seconds);
}

void time_file_remove(const struct time_file *f)
{
    struct buf path = {0};

    buf_printf(&path, "%s/" FOLDER_SECONDS, f->folder);
    if (!buf_failed(&path))
        beneath_unlink(buf_text(&path));
    buf_release(&path);
}
