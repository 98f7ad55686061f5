/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/log_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "program/beneath.h"
#include "program/folder.h"

#define PERIOD_S 1.0

enum { NAME = sizeof FOLDER_LOG_OF + 12 };

static const char *name_of(char out[NAME], int32_t member)
{
    snprintf(out, NAME, member ? FOLDER_LOG_OF "%d" : FOLDER_LOG, (int)member);
    return out;
}

struct log_file log_file_begin(const char *folder, int32_t member, double now_s)
{
    return (struct log_file){.folder = folder, .member = member, .due_s = now_s + PERIOD_S};
}

void log_file_write(struct log_file *f, const struct log_tail *tail)
{
    struct buf text = {0};
    char name[NAME];

    f->written = tail->total;
    if (!tail->total)
        return;
    log_tail_put(&text, tail);
    folder_replace(f->folder, f->member, name_of(name, f->member), &text);
    buf_release(&text);
}

void log_file_refresh(struct log_file *f, const struct log_tail *tail, double now_s)
{
    if (now_s < f->due_s || tail->total == f->written)
        return;
    f->due_s = now_s + PERIOD_S;
    log_file_write(f, tail);
}

void log_file_remove(const struct log_file *f)
{
    struct buf path = {0};
    struct err ignored;
    char name[NAME];

    buf_printf(&path, "%s/%s", f->folder, name_of(name, f->member));
    if (!buf_failed(&path))
        beneath_unlink(buf_text(&path));
    if (!f->member) /* ranks that were killed have left theirs */
        (void)!folder_remove_some(f->folder, FOLDER_LOG_OF, &ignored);
    buf_release(&path);
}

/* ---- reading ---- */

static int open_log(const char *folder, const char *name)
{
    struct buf path = {0};
    struct stat st;
    int fd = -1;

    buf_printf(&path, "%s/%s", folder, name);
    if (!buf_failed(&path))
        fd = beneath_open(buf_text(&path), O_RDONLY);
    buf_release(&path);
    if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool log_file_exists(const char *folder)
{
    int fd = open_log(folder, FOLDER_LOG);

    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

static void put_file(struct buf *out, int fd)
{
    char *bytes = malloc(LOG_TAIL_BYTES);
    size_t n = 0;
    ssize_t got;

    out->failed |= !bytes;
    while (bytes && n < LOG_TAIL_BYTES && (got = read(fd, bytes + n, LOG_TAIL_BYTES - n)) > 0)
        n += (size_t)got;
    buf_add(out, bytes, n);
    free(bytes);
}

void log_file_take(struct log_tail *tail, const struct log_file *f)
{
    char name[NAME];
    int fd = open_log(f->folder, name_of(name, f->member));
    struct buf text = {0};

    if (fd < 0)
        return;
    put_file(&text, fd);
    close(fd);
    if (!buf_failed(&text))
        log_tail_add(tail, buf_text(&text), text.size);
    buf_release(&text);
}

static int is_log(const struct dirent *entry)
{
    const char *name = entry->d_name, *rank = name + sizeof FOLDER_LOG_OF - 1;

    return !strcmp(name, FOLDER_LOG) ||
           (!strncmp(name, FOLDER_LOG_OF, sizeof FOLDER_LOG_OF - 1) && *rank >= '1' &&
            *rank <= '9' && !rank[strspn(rank, "0123456789")]);
}

int log_file_read(struct buf *out, const char *folder, struct err *err)
{
    int parent = beneath_open(folder, O_RDONLY | O_DIRECTORY), n = 0, n_names = 0;
    struct dirent **names = NULL;

    if (parent >= 0) {
        n_names = scandirat(parent, ".", &names, is_log, versionsort);
        close(parent);
    }
    for (int i = 0; i < n_names; i++) {
        const char *name = names[i]->d_name;
        int fd = open_log(folder, name);

        if (fd >= 0) {
            if (n_names > 1 || strcmp(name, FOLDER_LOG) != 0)
                buf_printf(out, "%srank %s:\n",
                           out->size && out->data[out->size - 1] != '\n' ? "\n" : "",
                           strcmp(name, FOLDER_LOG) ? name + sizeof FOLDER_LOG_OF - 1 : "0");
            put_file(out, fd);
            close(fd);
            n++;
        }
        free(names[i]);
    }
    free(names);
    return buf_failed(out) || n_names < 0 ? err_nomem(err, "log", out->size) : n;
}
