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

static void put_path(struct buf *out, const char *folder, int32_t member)
{
    if (member)
        buf_printf(out, "%s/" FOLDER_LOG_OF "%d", folder, (int)member);
    else
        buf_printf(out, "%s/" FOLDER_LOG, folder);
}

struct log_file log_file_begin(const char *folder, int32_t member, double now_s)
{
    return (struct log_file){.folder = folder, .member = member, .due_s = now_s + PERIOD_S};
}

/* A reader sees the old file or the new one. */
void log_file_write(struct log_file *f, const struct log_tail *tail)
{
    struct buf path = {0}, fresh = {0}, text = {0};
    FILE *file;
    int fd = -1;

    f->written = tail->total;
    if (!tail->total)
        return;
    put_path(&path, f->folder, f->member);
    buf_printf(&fresh, "%s/" FOLDER_SCRATCH "%d.log", f->folder, (int)f->member);
    log_tail_put(&text, tail);
    if (!buf_failed(&path) && !buf_failed(&fresh) && !buf_failed(&text))
        fd = beneath_create(buf_text(&fresh));
    file = fd < 0 ? NULL : fdopen(fd, "w");
    if (!file && fd >= 0)
        close(fd);
    if (file) {
        bool is_whole = fwrite(buf_text(&text), 1, text.size, file) == text.size;

        if (fclose(file) || !is_whole ||
            beneath_rename(buf_text(&fresh), strrchr(buf_text(&path), '/') + 1))
            beneath_unlink(buf_text(&fresh));
    }
    buf_release(&path);
    buf_release(&fresh);
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

    put_path(&path, f->folder, f->member);
    if (!buf_failed(&path))
        beneath_unlink(buf_text(&path));
    if (!f->member) /* ranks that were killed have left theirs */
        (void)!folder_remove_some(f->folder, FOLDER_LOG_OF, &ignored);
    buf_release(&path);
}

/* ---- reading ---- */

static int open_log(const char *folder, int32_t member)
{
    struct buf path = {0};
    struct stat st;
    int fd = -1;

    put_path(&path, folder, member);
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
    int fd = open_log(folder, 0);

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
    int fd = open_log(f->folder, f->member);
    struct buf text = {0};

    if (fd < 0)
        return;
    put_file(&text, fd);
    close(fd);
    if (!buf_failed(&text))
        log_tail_add(tail, buf_text(&text), text.size);
    buf_release(&text);
}

static void put_head(struct buf *out, int32_t member)
{
    if (out->size && out->data[out->size - 1] != '\n')
        buf_putc(out, '\n');
    buf_printf(out, "rank %d:\n", (int)member);
}

static int compare(const void *a, const void *b)
{
    int32_t left = *(const int32_t *)a, right = *(const int32_t *)b;

    return (left > right) - (left < right);
}

/* The rank whose output a file of this name holds; -1: it is something else. */
static int32_t parse_name(const char *name)
{
    size_t n = sizeof FOLDER_LOG_OF - 1;

    if (!strcmp(name, FOLDER_LOG))
        return 0;
    if (strncmp(name, FOLDER_LOG_OF, n) != 0 || name[n] < '1' || name[n] > '9' ||
        name[n + strspn(name + n, "0123456789")] || strlen(name + n) > 8)
        return -1;
    return (int32_t)strtol(name + n, NULL, 10);
}

/* Append the ranks, as int32_t, in ascending order. */
static void find_ranks(struct buf *out, const char *folder)
{
    DIR *entries = beneath_list(folder);
    const struct dirent *entry;

    while (entries && (entry = readdir(entries))) {
        int32_t rank = parse_name(entry->d_name);

        if (rank >= 0)
            buf_add(out, &rank, sizeof rank);
    }
    if (entries)
        closedir(entries);
    if (out->size && !buf_failed(out))
        qsort(out->data, out->size / sizeof(int32_t), sizeof(int32_t), compare);
}

int log_file_read(struct buf *out, const char *folder, struct err *err)
{
    struct buf ranks = {0};
    size_t n_ranks;
    int n = 0;

    find_ranks(&ranks, folder);
    out->failed |= buf_failed(&ranks);
    n_ranks = buf_failed(out) ? 0 : ranks.size / sizeof(int32_t);
    for (size_t i = 0; i < n_ranks; i++) {
        int32_t rank;
        int fd;

        memcpy(&rank, ranks.data + i * sizeof rank, sizeof rank);
        fd = open_log(folder, rank);
        if (fd < 0)
            continue;
        if (rank || n_ranks > 1)
            put_head(out, rank);
        put_file(out, fd);
        close(fd);
        n++;
    }
    buf_release(&ranks);
    return buf_failed(out) ? err_nomem(err, "log", out->size) : n;
}
