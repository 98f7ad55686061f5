/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/beneath.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FOLDER (O_PATH | O_NOFOLLOW | O_CLOEXEC)

/* The component DB.files, which is the last one or has a trial's folder behind it; else the last. */
static const char *first_guarded(const char *path)
{
    size_t ending = strlen(BENEATH_FILES);
    const char *last = path;

    for (const char *at = path; at; at = strchr(at, '/')) {
        const char *name = at + (*at == '/'), *end = strchr(name, '/');
        size_t n = end ? (size_t)(end - name) : strlen(name);
        bool is_files = n > ending && !strncmp(name + n - ending, BENEATH_FILES, ending);

        if (is_files && (!end || (end[1] == 't' && end[2] >= '0' && end[2] <= '9')))
            return name;
        if (n)
            last = name;
        at = name;
    }
    return last;
}

/* Close, keep errno, and return rc. */
static int finish(int fd, int rc)
{
    int code = errno;

    if (fd >= 0)
        close(fd);
    errno = code;
    return rc;
}

static int fail(int fd, int code)
{
    errno = code;
    return finish(fd, -1);
}

/* Takes fd. Go into a folder. */
static int enter(int fd, const char *name, size_t n, bool changes)
{
    char *part = strndup(name, n);
    int next = part ? openat(fd, part, FOLDER) : -1, code = part ? errno : ENOMEM;
    struct stat status;

    free(part);
    close(fd);
    if (next < 0 || fstat(next, &status))
        return fail(next, code);
    if (!S_ISDIR(status.st_mode))
        return fail(next, S_ISLNK(status.st_mode) ? ELOOP : ENOTDIR);
    return changes && status.st_uid != geteuid() ? fail(next, EPERM) : next;
}

int beneath_parent(const char *path, bool changes, const char **last)
{
    const char *name = first_guarded(path), *end;
    char *before = strndup(path, (size_t)(name - path));
    int fd = before ? open(*before ? before : ".", O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;

    free(before);
    for (; fd >= 0 && (end = strchr(name, '/')); name = end + 1)
        fd = enter(fd, name, (size_t)(end - name), changes);
    *last = name;
    return fd;
}

int beneath_open(const char *path, int flags)
{
    bool changes = (flags & O_ACCMODE) != O_RDONLY;
    const char *name;
    int folder = beneath_parent(path, changes, &name), fd;
    struct stat status;

    if (folder < 0)
        return -1;
    fd = openat(folder, name, flags | (changes ? O_CREAT : 0) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                0666);
    if (fd < 0 && errno == ENOTDIR && !fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) &&
        S_ISLNK(status.st_mode))
        errno = ELOOP;
    if (finish(folder, fd) < 0)
        return -1;
    if (changes && fstat(fd, &status))
        return finish(fd, -1);
    if (changes && status.st_uid != geteuid())
        return fail(fd, EPERM);
    return changes && !S_ISREG(status.st_mode) ? fail(fd, EINVAL) : fd;
}

int beneath_create(const char *path)
{
    const char *name;
    int folder = beneath_parent(path, true, &name), fd = -1;

    if (folder >= 0 && (!unlinkat(folder, name, 0) || errno == ENOENT))
        fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    return finish(folder, fd);
}

DIR *beneath_list(const char *path)
{
    int fd = beneath_open(path, O_RDONLY | O_DIRECTORY);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);

    if (!entries && fd >= 0)
        close(fd);
    return entries;
}

int beneath_stat(const char *path, struct stat *status)
{
    const char *name;
    int folder = beneath_parent(path, false, &name);

    return finish(folder,
                  folder < 0 || fstatat(folder, name, status, AT_SYMLINK_NOFOLLOW) ? -1 : 0);
}

static int unlink_one(const char *path, int flags)
{
    const char *name;
    int folder = beneath_parent(path, true, &name);

    return finish(folder, folder < 0 || unlinkat(folder, name, flags) ? -1 : 0);
}

int beneath_unlink(const char *path)
{
    return unlink_one(path, 0);
}

int beneath_rmdir(const char *path)
{
    return unlink_one(path, AT_REMOVEDIR);
}

int beneath_mkdir(const char *path)
{
    const char *name;
    int folder = beneath_parent(path, true, &name);

    if (folder < 0 || (mkdirat(folder, name, 0777) && errno != EEXIST))
        return finish(folder, -1);
    folder = enter(folder, name, strlen(name), true);
    return folder < 0 ? -1 : close(folder);
}

int beneath_rename(const char *path, const char *to)
{
    const char *name;
    int folder = beneath_parent(path, true, &name);

    return finish(folder, folder < 0 || renameat(folder, name, folder, to) ? -1 : 0);
}

const char *beneath_reason(void)
{
    return errno == ELOOP
               ? "it or its folder is a link, which espalier does not follow: remove the link"
           : errno == EPERM
               ? "its folder belongs to another user: use a database of your own (--db)"
               : strerror(errno);
}
