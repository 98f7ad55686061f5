/* SPDX-License-Identifier: BSD-3-Clause */
#include "program/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "program/beneath.h"

#define FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* ---- removal ---- */

/* Each level holds a descriptor. Folders below this level are moved to the top first. */
enum { DEEPEST = 100 };

struct removal {
    int top;
    long n_moved;
};

static int remove_at(struct removal *r, int folder, const char *name, int depth);

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

static int move_up(struct removal *r, int folder, const char *name)
{
    char other[64];

    do
        snprintf(other, sizeof other, ".espalier-deep-%ld", r->n_moved++);
    while (!faccessat(r->top, other, F_OK, AT_SYMLINK_NOFOLLOW));
    return renameat(folder, name, r->top, other);
}

static int remove_entry(struct removal *r, int folder, const char *name, int depth)
{
    if (!strcmp(name, ".") || !strcmp(name, ".."))
        return 0;
    if (depth < DEEPEST)
        return remove_at(r, folder, name, depth + 1);
    if (!unlinkat(folder, name, 0) || errno == ENOENT)
        return 0;
    return errno == EISDIR || errno == EPERM ? move_up(r, folder, name) : -1;
}

/* Takes fd. */
static int empty(struct removal *r, int fd, int depth)
{
    DIR *entries = fdopendir(fd);
    int rc = entries ? 0 : -1, failure;

    if (!entries)
        close(fd);
    for (struct dirent *entry; !rc && (errno = 0, entry = readdir(entries));)
        rc = remove_entry(r, fd, entry->d_name, depth);
    failure = errno;
    if (entries)
        closedir(entries);
    errno = failure;
    return rc;
}

static int remove_at(struct removal *r, int folder, const char *name, int depth)
{
    bool is_top = !depth;
    int fd;

    if (!unlinkat(folder, name, 0) || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    /* The top is emptied again while folders are moved there. */
    for (;;) {
        long n_moved = r->n_moved;

        fd = open_any(folder, name);
        if (fd < 0)
            return -1;
        if (is_top)
            r->top = fd;
        if (empty(r, fd, depth))
            return -1;
        if (!unlinkat(folder, name, AT_REMOVEDIR))
            return 0;
        if (errno != ENOTEMPTY || !is_top || n_moved == r->n_moved)
            return -1;
    }
}

int folder_remove(const char *path, struct err *err)
{
    struct removal r = {.top = -1};
    const char *name;
    int parent = beneath_parent(path, true, &name), rc;

    if (parent < 0 && errno == ENOENT)
        return 0;
    rc = parent < 0 || remove_at(&r, parent, name, 0)
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

    while (!rc && entries && (entry = readdir(entries))) {
        struct removal r = {.top = -1};

        if (!strncmp(entry->d_name, beginning, strlen(beginning)) &&
            remove_at(&r, fd, entry->d_name, 0))
            rc = err_set(err, "%s/%s: cannot be removed: %s", path, entry->d_name, strerror(errno));
    }
    if (entries)
        closedir(entries);
    else if (fd >= 0)
        close(fd);
    return rc;
}

static void newest_at(double *newest, int folder, const char *name, int depth);

/* Takes fd. */
static void newest_in(double *newest, int fd, int depth)
{
    DIR *entries = fdopendir(fd);

    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            newest_at(newest, fd, entry->d_name, depth + 1);
    if (entries)
        closedir(entries);
    else
        close(fd);
}

static void newest_at(double *newest, int folder, const char *name, int depth)
{
    struct stat st;
    int fd;

    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW))
        return;
    *newest = fmax(*newest, (double)st.st_mtim.tv_sec + 1e-9 * (double)st.st_mtim.tv_nsec);
    fd = S_ISDIR(st.st_mode) && depth < DEEPEST ? openat(folder, name, FLAGS) : -1;
    if (fd >= 0)
        newest_in(newest, fd, depth);
}

double folder_newest(const char *path)
{
    const char *name;
    int parent = beneath_parent(path, false, &name);
    double newest = 0;

    if (parent < 0)
        return 0;
    newest_at(&newest, parent, name, 0);
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
        has = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
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

static int copy_bytes(int to, int from)
{
    char bytes[1 << 16];
    ssize_t n;

    while ((n = read(from, bytes, sizeof bytes)) > 0)
        for (ssize_t done = 0, some; done < n; done += some) {
            some = write(to, bytes + done, (size_t)(n - done));
            if (some < 0)
                return -1;
        }
    return n < 0 ? -1 : 0;
}

static int copy_file(int to_folder, const char *to_name, int from_folder, const char *from_name)
{
    int from = openat(from_folder, from_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    int to =
        from < 0 ? -1 : openat(to_folder, to_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    int rc = to < 0 ? -1 : copy_bytes(to, from), failure = errno;

    if (to >= 0 && close(to) && !rc) {
        rc = -1;
        failure = errno;
    }
    if (from >= 0)
        close(from);
    if (rc && to >= 0)
        unlinkat(to_folder, to_name, 0);
    errno = failure;
    return rc;
}

static int take(int to_folder, const char *to_name, int from_folder, const char *from_name)
{
    if (unlinkat(to_folder, to_name, 0) && errno != ENOENT)
        return -1;
    if (!linkat(from_folder, from_name, to_folder, to_name, 0))
        return 0;
    return copy_file(to_folder, to_name, from_folder, from_name);
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
    if (to_folder >= 0)
        rc = take(to_folder, to_name, from_folder, from_name);
    if (rc)
        rc = err_set(err, "%s/%s: cannot be written: %s", to, name, beneath_reason());
    if (to_folder >= 0)
        close(to_folder);
    close(from_folder);
    return rc;
}
