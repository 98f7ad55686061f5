/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "program/beneath.h"

#define FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* ---- removal ---- */

/* Each level holds a descriptor. */
enum { DEEPEST = 200 };

static bool is_dots(const char *name)
{
    return !strcmp(name, ".") || !strcmp(name, "..");
}

static int open_any(int folder, const char *name)
{
    int fd = openat(folder, name, FLAGS);
    struct stat st;

    if (fd < 0 && errno == EACCES && !fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) &&
        S_ISDIR(st.st_mode) && !fchmodat(folder, name, S_IRWXU, 0))
        fd = openat(folder, name, FLAGS);
    if (fd >= 0)
        (void)!fchmod(fd, S_IRWXU); /* a failure shows at the first removal */
    return fd;
}

static int remove_at(int folder, const char *name, int depth)
{
    int fd, rc = 0, failure;
    DIR *entries;

    if (!unlinkat(folder, name, 0) || errno == ENOENT)
        return 0;
    if ((errno != EISDIR && errno != EPERM) || depth == DEEPEST)
        return -1;
    fd = open_any(folder, name);
    entries = fd < 0 ? NULL : fdopendir(fd);
    if (!entries) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    for (struct dirent *entry; !rc && (errno = 0, entry = readdir(entries));)
        if (!is_dots(entry->d_name))
            rc = remove_at(fd, entry->d_name, depth + 1);
    failure = errno;
    closedir(entries);
    errno = failure;
    return rc ? rc : unlinkat(folder, name, AT_REMOVEDIR);
}

int folder_remove(const char *path, struct err *err)
{
    const char *name;
    int parent = beneath_parent(path, true, &name), rc;

    if (parent < 0 && errno == ENOENT)
        return 0;
    rc = parent < 0 || remove_at(parent, name, 0)
             ? err_set(err, "%s: cannot be removed: %s", path, beneath_reason())
             : 0;
    if (parent >= 0)
        close(parent);
    return rc;
}

int folder_remove_some(const char *path, const char *beginning, struct err *err)
{
    struct buf inside = {0};
    const struct dirent *entry;
    const char *name;
    int parent, fd, rc = 0;
    DIR *entries;

    buf_printf(&inside, "%s/%s", path, beginning);
    parent = buf_failed(&inside) ? -1 : beneath_parent(buf_text(&inside), true, &name);
    fd = parent < 0 ? -1 : openat(parent, ".", FLAGS);
    entries = fd < 0 ? NULL : fdopendir(fd);
    if (parent >= 0)
        close(parent);
    else if (errno != ENOENT)
        rc = err_set(err, "%s: cannot be removed: %s", path, beneath_reason());
    buf_release(&inside);

    while (!rc && entries && (entry = readdir(entries)))
        if (!strncmp(entry->d_name, beginning, strlen(beginning)) &&
            remove_at(fd, entry->d_name, 0))
            rc = err_set(err, "%s/%s: cannot be removed: %s", path, entry->d_name, strerror(errno));
    if (entries)
        closedir(entries);
    else if (fd >= 0)
        close(fd);
    return rc;
}

static void find_newest(double *newest, int folder, const char *name, int depth)
{
    struct stat st;
    DIR *entries;
    int fd;

    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
        return;
    *newest = fmax(*newest, (double)st.st_mtim.tv_sec + 1e-9 * (double)st.st_mtim.tv_nsec);
    fd = S_ISDIR(st.st_mode) && depth < DEEPEST ? openat(folder, name, FLAGS) : -1;
    entries = fd < 0 ? NULL : fdopendir(fd);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (!is_dots(entry->d_name))
            find_newest(newest, fd, entry->d_name, depth + 1);
    if (entries)
        closedir(entries);
    else if (fd >= 0)
        close(fd);
}

double folder_newest(const char *path)
{
    const char *name;
    int parent = beneath_parent(path, false, &name);
    double newest = 0;

    if (parent < 0)
        return 0;
    find_newest(&newest, parent, name, 0);
    close(parent);
    return newest;
}

#define FULL_BYTES 65536

bool folder_lacks_room(int folder)
{
    struct statvfs disk;
    bool is_full;
    int file;

    if (!fstatvfs(folder, &disk) && (double)disk.f_bavail * (double)disk.f_frsize < FULL_BYTES)
        return true;
    file = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file < 0)
        return err_is_disk_full(errno);
    is_full = fallocate(file, 0, 0, FULL_BYTES) && err_is_disk_full(errno);
    close(file);
    return is_full;
}

/* ---- files ---- */

void folder_replace(const char *folder, int32_t member, const char *name, const struct buf *text)
{
    struct buf fresh = {0};
    int fd;

    buf_printf(&fresh, "%s/" FOLDER_SCRATCH "%d.%s", folder, (int)member, name);
    fd = buf_failed(&fresh) || buf_failed(text) ? -1 : beneath_create(buf_text(&fresh));
    if (fd >= 0) {
        bool is_whole = write(fd, text->data, text->size) == (ssize_t)text->size;

        if (close(fd) || !is_whole || beneath_rename(buf_text(&fresh), name))
            beneath_unlink(buf_text(&fresh));
    }
    buf_release(&fresh);
}

bool folder_contains(const char *name)
{
    for (const char *at = name;; at++) {
        size_t n = strcspn(at, "/");

        if (!n || (n == 1 && *at == '.') || (n == 2 && at[0] == '.' && at[1] == '.'))
            return false;
        at += n;
        if (!*at)
            return true;
    }
}

bool folder_has_files(const char *path)
{
    DIR *folder = beneath_list(path);
    struct dirent *entry;
    bool has = false;

    while (folder && !has && (entry = readdir(folder)))
        has = !is_dots(entry->d_name);
    if (folder)
        closedir(folder);
    return has;
}

bool folder_is_own_name(const char *name)
{
    static const char *const own[] = {FOLDER_CHECKPOINT, FOLDER_CURVE, FOLDER_ATTEMPTS, FOLDER_LOG};
    size_t n = strcspn(name, "/");

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (n == strlen(own[i]) && !strncmp(name, own[i], n))
            return true;
    return !strncmp(name, FOLDER_SCRATCH, sizeof FOLDER_SCRATCH - 1) ||
           !strncmp(name, FOLDER_LOG_OF, sizeof FOLDER_LOG_OF - 1);
}

/* Open the folder of a name step by step. *last: its last component. -1 and errno. */
static int open_parent(const char *root, const char *name, bool makes, const char **last)
{
    int fd = -1, next;
    const char *end;

    if (!makes || !beneath_mkdir(root))
        fd = beneath_open(root, O_RDONLY | O_DIRECTORY);
    for (*last = name; fd >= 0 && (end = strchr(*last, '/')); *last = end + 1) {
        char *part = strndup(*last, (size_t)(end - *last));

        if (part && makes)
            (void)!mkdirat(fd, part, 0777); /* a failure shows at the next line */
        next = part ? openat(fd, part, FLAGS) : -1;
        free(part);
        close(fd);
        fd = next;
    }
    return fd;
}

static int copy_file(int to_folder, const char *to_name, int from_folder, const char *from_name)
{
    int from = openat(from_folder, from_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int to =
        from < 0 ? -1 : openat(to_folder, to_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    ssize_t n = to < 0 ? -1 : 0;
    int failure;

    while (to >= 0 && (n = sendfile(to, from, NULL, 1 << 30)) > 0)
        continue;
    failure = errno;
    if (to >= 0 && close(to) && !n) {
        n = -1;
        failure = errno;
    }
    if (from >= 0)
        close(from);
    if (n && to >= 0)
        unlinkat(to_folder, to_name, 0);
    errno = failure;
    return n ? -1 : 0;
}

int folder_take_file(const char *to, const char *from, const char *name, struct err *err)
{
    const char *from_name, *to_name;
    int from_folder = folder_contains(name) ? open_parent(from, name, false, &from_name) : -1;
    int to_folder, rc = -1;
    struct stat st;

    if (from_folder < 0 || fstatat(from_folder, from_name, &st, AT_SYMLINK_NOFOLLOW) ||
        !S_ISREG(st.st_mode)) {
        if (from_folder >= 0)
            close(from_folder);
        return 1;
    }
    to_folder = open_parent(to, name, true, &to_name);
    if (to_folder >= 0 && (!unlinkat(to_folder, to_name, 0) || errno == ENOENT))
        rc = linkat(from_folder, from_name, to_folder, to_name, 0)
                 ? copy_file(to_folder, to_name, from_folder, from_name)
                 : 0;
    if (rc)
        rc = err_set(err, "%s/%s: cannot be written: %s", to, name, beneath_reason());
    if (to_folder >= 0)
        close(to_folder);
    close(from_folder);
    return rc;
}
