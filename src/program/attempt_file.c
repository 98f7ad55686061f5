/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/attempt_file.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

static double take_seconds(const char **text)
{
    char *rest;
    double seconds = strtod(*text, &rest);

    if (rest == *text || *rest != ' ' || !(seconds >= 0 && seconds <= MOST_S))
        return -1;
    *text = rest + 1;
    return seconds;
}

/* Read the word before the end of the line. -1: it is too long or not alone. */
static int take_word(char out[ATTEMPT_FILE_TOKEN], const char *text)
{
    size_t n;

    text += strspn(text, " ");
    n = strcspn(text, " \n");
    if (!n || n >= ATTEMPT_FILE_TOKEN || text[n] != '\n')
        return -1;
    memcpy(out, text, n);
    out[n] = '\0';
    return 0;
}

struct attempt_file attempt_file_read(const char *folder)
{
    int fd = open_file(folder, O_RDONLY);
    char bytes[SIZE] = "";
    ssize_t size = fd < 0 ? -1 : read(fd, bytes, sizeof bytes - 1);
    const char *text = bytes;
    struct attempt_file file = {.n = size > 0 ? take_number(&text, ' ') : -1};

    if (fd >= 0)
        close(fd);
    file.n_idle = file.n < 0 ? -1 : take_number(&text, ' ');
    file.seconds = file.n_idle < 0 ? -1 : take_seconds(&text);
    if (file.seconds < 0 || take_word(file.over, text))
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
