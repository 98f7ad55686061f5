/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/leftover.h"

#define TRIES 100 /* to find an unused temporary name */

const char *outfile_reason(int error)
{
    if (!error)
        return "a write failed";
    return error == EFBIG ? "File too large: 'ulimit -f' or the filesystem limits its size"
                          : strerror(error);
}

static void release(struct outfile *out)
{
    if (out->file)
        fclose(out->file);
    free(out->path);
    leftover_forget(out->temporary);
    *out = (struct outfile){0};
}

/* ---- direct writing ---- */

/* -1: none */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};

    if (!strcmp(path, "/dev/stdout"))
        return STDOUT_FILENO;
    if (!strcmp(path, "/dev/stderr"))
        return STDERR_FILENO;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t n = strlen(folders[i]);
        const char *digits = path + n;

        if (!strncmp(path, folders[i], n) && *digits && strlen(digits) < 8 &&
            strspn(digits, "0123456789") == strlen(digits))
            return atoi(digits);
    }
    return -1;
}

static FILE *stream_of(int fd)
{
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    int error = errno;

    if (fd >= 0 && !file)
        close(fd);
    errno = error;
    return file;
}

/* ---- the temporary file ---- */

/* open() applies the umask; O_EXCL does not follow links. */
static int open_temporary(struct outfile *out, struct err *err)
{
    int fd = -1;

    for (int i = 0; i < TRIES && fd < 0; i++) {
        leftover_forget(out->temporary);
        out->temporary = leftover_name(out->path);
        if (!out->temporary)
            return err_nomem(err, "name of a file", strlen(out->path));
        fd = open(out->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    out->file = stream_of(fd);
    if (out->file)
        return 0;
    err_set(err, "%s: cannot make a file in its folder: %s", out->path, strerror(errno));
    leftover_forget(out->temporary);
    out->temporary = NULL;
    return -1;
}

static int check_target(const struct outfile *out, const struct stat *st, struct err *err)
{
    if (S_ISLNK(st->st_mode))
        return err_set(err,
                       "%s: is a symbolic link, which is not followed: give the name of the file "
                       "itself, or remove the link",
                       out->path);
    if (S_ISDIR(st->st_mode))
        return err_set(err, "%s: is a folder: must be a file to write", out->path);
    if (out->mode == OUTFILE_NEW)
        return err_set(err, "%s: exists already: will not be overwritten", out->path);
    if (S_ISREG(st->st_mode) && faccessat(AT_FDCWD, out->path, W_OK, AT_EACCESS))
        return err_set(err, "%s: %s", out->path, strerror(errno));
    return 0;
}

static int open_any(struct outfile *out, struct err *err)
{
    int fd = descriptor_of(out->path);
    struct stat st;

    if (fd >= 0) {
        fflush(NULL);
        out->file = stream_of(fcntl(fd, F_DUPFD_CLOEXEC, 0));
        return out->file ? 0 : err_set(err, "%s: %s", out->path, strerror(errno));
    }
    if (lstat(out->path, &st))
        return errno == ENOENT ? open_temporary(out, err)
                               : err_set(err, "%s: %s", out->path, strerror(errno));
    if (check_target(out, &st, err))
        return -1;
    if (!S_ISREG(st.st_mode)) {
        out->file = stream_of(open(out->path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW));
        if (!out->file)
            return err_set(err, "%s: %s", out->path, strerror(errno));
        return fstat(fileno(out->file), &st) || S_ISREG(st.st_mode)
                   ? err_set(err, "%s: was replaced while it was opened", out->path)
                   : 0;
    }
    if (open_temporary(out, err))
        return -1;
    if (fchmod(fileno(out->file), st.st_mode & 0777))
        return err_set(err, "%s: cannot keep its permissions: %s", out->path, strerror(errno));
    return 0;
}

int outfile_open(struct outfile *out, const char *path, enum outfile_mode mode, struct err *err)
{
    *out = (struct outfile){.path = strdup(path), .mode = mode};
    if (!out->path)
        return err_nomem(err, "name of a file", strlen(path));
    if (!open_any(out, err))
        return 0;
    outfile_discard(out);
    return -1;
}

/* ---- commit ---- */

/* Some filesystems cannot flush a folder (EINVAL); the file itself is safe then. */
static void flush_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int fd = folder ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

/* Hard links serve filesystems without RENAME_NOREPLACE. */
static int give_name(struct outfile *out)
{
    if (out->mode == OUTFILE_REPLACE)
        return rename(out->temporary, out->path);
    if (!renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->path, RENAME_NOREPLACE))
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    return link(out->temporary, out->path) || unlink(out->temporary) ? -1 : 0;
}

static int cannot_write(struct outfile *out, int error, struct err *err)
{
    err_set(err, "%s: cannot write: %s", out->path, outfile_reason(error));
    outfile_discard(out);
    return -1;
}

int outfile_write(struct outfile *out, const void *data, size_t bytes, struct err *err)
{
    if (bytes && fwrite(data, bytes, 1, out->file) != 1)
        return cannot_write(out, errno, err);
    return 0;
}

int outfile_flush(struct outfile *out, struct err *err)
{
    bool is_bad = ferror(out->file) != 0;

    errno = 0;
    if (fflush(out->file) || is_bad || (out->temporary && fsync(fileno(out->file))))
        return cannot_write(out, errno, err);
    return 0;
}

int outfile_commit(struct outfile *out, struct err *err)
{
    int rc;

    if (outfile_flush(out, err))
        return -1;
    rc = fclose(out->file);
    out->file = NULL;
    if (rc || (out->temporary && give_name(out)))
        return cannot_write(out, errno, err);
    if (out->temporary)
        flush_folder(out->path);
    release(out);
    return 0;
}

void outfile_discard(struct outfile *out)
{
    if (!out)
        return;
    leftover_remove(out->temporary);
    out->temporary = NULL;
    release(out);
}

int outfile_save(const char *path, enum outfile_mode mode, const void *data, size_t bytes,
                 struct err *err)
{
    struct outfile out;

    if (outfile_open(&out, path, mode, err))
        return -1;
    return outfile_write(&out, data, bytes, err) || outfile_commit(&out, err) ? -1 : 0;
}

bool outfile_is_same(const char *a, const char *b)
{
    struct stat first, second;

    return *a && *b && !stat(a, &first) && !stat(b, &second) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}
