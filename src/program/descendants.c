/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/descendants.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process.h"

void descendants_release(struct descendants *d)
{
    if (!d)
        return;
    free(d->of);
    memset(d, 0, sizeof *d);
}

bool descendants_have_lists(void)
{
    return !access("/proc/thread-self/children", R_OK);
}

static void add(struct descendants *d, pid_t pid)
{
    if (d->n == d->capacity) {
        size_t capacity = d->capacity ? 2 * d->capacity : 64;
        pid_t *grown = realloc(d->of, capacity * sizeof *grown);

        if (!grown)
            return;
        d->of = grown;
        d->capacity = capacity;
    }
    d->of[d->n++] = pid;
}

/* The file has decimal numbers, each followed by a blank. */
static void add_listed(struct descendants *d, int fd)
{
    char piece[4096];
    pid_t pid = 0;
    ssize_t n;

    while ((n = read(fd, piece, sizeof piece)) > 0)
        for (ssize_t i = 0; i < n; i++) {
            if (piece[i] >= '0' && piece[i] <= '9') {
                pid = 10 * pid + (piece[i] - '0');
            } else if (pid) {
                add(d, pid);
                pid = 0;
            }
        }
}

/* A process is listed with the thread that started it. */
static void add_children(struct descendants *d, pid_t parent)
{
    char path[300];
    const struct dirent *entry;
    DIR *tasks;

    snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
    tasks = opendir(path);
    while (tasks && (entry = readdir(tasks))) {
        int fd;

        if (*entry->d_name == '.')
            continue;
        snprintf(path, sizeof path, "%s/children", entry->d_name);
        fd = openat(dirfd(tasks), path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        add_listed(d, fd);
        close(fd);
    }
    if (tasks)
        closedir(tasks);
}

struct related {
    pid_t pid, parent;
};

/* Return all processes, owned by the caller. */
static struct related *read_all(size_t *n)
{
    struct descendants all = {0};
    struct related *out;
    const struct dirent *entry;
    DIR *processes = opendir("/proc");

    while (processes && (entry = readdir(processes)))
        if (*entry->d_name >= '1' && *entry->d_name <= '9')
            add(&all, atoi(entry->d_name));
    if (processes)
        closedir(processes);
    out = calloc(all.n + 1, sizeof *out);
    *n = out ? all.n : 0;
    for (size_t i = 0; i < *n; i++)
        out[i] = (struct related){all.of[i], (pid_t)process_parent(all.of[i])};
    descendants_release(&all);
    return out;
}

/* Children of root, then those of the first child and so on, while is_deep. */
static void find(struct descendants *d, pid_t root, bool is_deep)
{
    size_t n_all = 0, next = 0;
    struct related *all = d->by_parent ? read_all(&n_all) : NULL;
    pid_t parent = root;

    d->n = 0;
    for (;;) {
        if (!d->by_parent)
            add_children(d, parent);
        for (size_t i = 0; i < n_all; i++)
            if (all[i].parent == parent)
                add(d, all[i].pid);
        if (!is_deep || next == d->n)
            break;
        parent = d->of[next++];
    }
    free(all);
}

void descendants_children(struct descendants *d, pid_t root)
{
    find(d, root, false);
}

void descendants_all(struct descendants *d, pid_t root)
{
    find(d, root, true);
}

static int64_t resident_bytes(pid_t pid)
{
    char path[40];
    long long pages = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
    file = fopen(path, "re");
    if (!file)
        return 0;
    if (fscanf(file, "%*d %lld", &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

/* -1: cannot be read. */
static int64_t proportional_bytes(pid_t pid)
{
    char path[40], line[256];
    long long kilobytes = -1;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)pid);
    file = fopen(path, "re");
    while (file && kilobytes < 0 && fgets(line, sizeof line, file))
        if (sscanf(line, "Pss: %lld", &kilobytes) != 1)
            kilobytes = -1;
    if (file)
        fclose(file);
    return kilobytes < 0 ? -1 : 1024 * kilobytes;
}

int64_t descendants_bytes(const struct descendants *d, int64_t limit_bytes)
{
    int64_t bytes = 0;

    for (size_t i = 0; i < d->n; i++)
        bytes += resident_bytes(d->of[i]);
    if (bytes <= limit_bytes)
        return bytes;
    bytes = 0;
    for (size_t i = 0; i < d->n; i++) {
        int64_t share = proportional_bytes(d->of[i]);

        bytes += share < 0 ? resident_bytes(d->of[i]) : share;
    }
    return bytes;
}
