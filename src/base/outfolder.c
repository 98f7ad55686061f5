/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/outfolder.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/leftover.h"
#include "base/outfile.h"

static void release(struct outfolder *out)
{
    free(out->path);
    leftover_forget(out->temporary);
    *out = (struct outfolder){0};
}

static int check_entry(const struct outfolder *out, const FTSENT *entry, bool is_forced,
                       bool (*is_own)(const char *name), struct err *err)
{
    if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS)
        return err_set(err, "%s: %s", entry->fts_path, strerror(entry->fts_errno));
    if (entry->fts_level == 0 || entry->fts_info == FTS_DP)
        return 0;
    if (!is_forced)
        return err_set(err, "%s: is not empty; --force replaces it", out->path);
    if (entry->fts_info == FTS_D || (entry->fts_info == FTS_F && is_own(entry->fts_name)))
        return 0;
    return err_set(err,
                   "%s: will not be removed with its folder: is not a file that this command "
                   "writes",
                   entry->fts_path);
}

static int check_target(const struct outfolder *out, bool is_forced,
                        bool (*is_own)(const char *name), struct err *err)
{
    char *const paths[] = {out->path, NULL};
    struct stat st;
    FTS *tree;
    int rc = 0;

    if (lstat(out->path, &st))
        return errno == ENOENT ? 0 : err_set(err, "%s: %s", out->path, strerror(errno));
    if (!S_ISDIR(st.st_mode))
        return err_set(err, "%s: is not a folder: must be a folder to write", out->path);
    tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    if (!tree)
        return err_set(err, "%s: %s", out->path, strerror(errno));
    for (FTSENT *entry; !rc && (entry = fts_read(tree));)
        rc = check_entry(out, entry, is_forced, is_own, err);
    fts_close(tree);
    return rc;
}

int outfolder_open(struct outfolder *out, const char *path, bool is_forced,
                   bool (*is_own)(const char *name), struct err *err)
{
    size_t n = strlen(path);

    while (n > 1 && path[n - 1] == '/')
        n--;
    *out = (struct outfolder){.path = strndup(path, n)};
    if (!out->path)
        return err_nomem(err, "name of a folder", n);
    if (check_target(out, is_forced, is_own, err)) {
        release(out);
        return -1;
    }
    out->temporary = leftover_name(out->path);
    if (out->temporary && !mkdir(out->temporary, 0777))
        return 0;
    err_set(err, "%s: cannot make a folder beside it: %s", out->path, strerror(errno));
    release(out);
    return -1;
}

/* at: of the slash behind the last folder in the name. */
static int make_folders(char *path, size_t at)
{
    for (size_t i = at; path[i]; i++) {
        int rc;

        if (path[i] != '/')
            continue;
        path[i] = '\0';
        rc = mkdir(path, 0777);
        path[i] = '/';
        if (rc && errno != EEXIST)
            return -1;
    }
    return 0;
}

static int write_file(const char *path, const void *data, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    int rc = 0;

    if (!file)
        return -1;
    if (bytes && fwrite(data, bytes, 1, file) != 1)
        rc = -1;
    return fclose(file) ? -1 : rc;
}

int outfolder_save(struct outfolder *out, const char *name, const void *data, size_t bytes,
                   struct err *err)
{
    char *path;
    int rc;

    if (asprintf(&path, "%s/%s", out->temporary, name) < 0)
        return err_nomem(err, "name of a file", strlen(name));
    errno = 0;
    rc = make_folders(path, strlen(out->temporary) + 1) || write_file(path, data, bytes)
             ? err_set(err, "%s/%s: cannot write: %s", out->path, name, outfile_reason(errno))
             : 0;
    free(path);
    return rc;
}

/* For filesystems without RENAME_EXCHANGE: there is a moment without the folder. */
static int rename_twice(struct outfolder *out)
{
    char *old = leftover_name(out->path);
    int rc, error;

    if (!old)
        return -1;
    rc = rename(out->path, old) || rename(out->temporary, out->path) ? -1 : 0;
    error = errno;
    if (rc)
        rename(old, out->path);
    leftover_remove(old);
    errno = error;
    return rc;
}

static int take_place(struct outfolder *out)
{
    if (!rename(out->temporary, out->path))
        return 0;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return -1;
    if (renameat2(AT_FDCWD, out->temporary, AT_FDCWD, out->path, RENAME_EXCHANGE))
        return errno == EINVAL || errno == ENOSYS ? rename_twice(out) : -1;
    leftover_remove(out->temporary); /* the old one */
    out->temporary = NULL;
    return 0;
}

int outfolder_commit(struct outfolder *out, struct err *err)
{
    int rc = take_place(out) ? err_set(err, "%s: cannot write: %s", out->path, strerror(errno)) : 0;

    outfolder_discard(out);
    return rc;
}

void outfolder_discard(struct outfolder *out)
{
    if (!out)
        return;
    leftover_remove(out->temporary);
    out->temporary = NULL;
    release(out);
}
