/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that appears whole or not at all.
 *
 * The caller writes into a temporary file in the folder of PATH, ".espalier-XXXXXXXX.tmp".
 * outfile_commit() flushes it to disk (fsync), renames it to PATH and flushes the folder. Until
 * then PATH is not touched. A process that is killed may leave the temporary file behind, nothing
 * else.
 *
 * What PATH may be:
 *
 *   nothing yet          the new file gets the permissions of the umask
 *   a file               is replaced; must be writable, and its permissions are kept. A second name
 *                        (hard link) of it keeps the old content.
 *   a symbolic link      is refused, whatever it points to: in a shared folder it may be somebody
 *                        else's, and lead to any file of the caller
 *   a pipe, a device     is written directly, so that a reader may see a part of it
 *   /dev/stdout, /dev/stderr, /dev/fd/N, /proc/self/fd/N
 *                        is written directly, to that open descriptor
 *   a folder             is refused */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* OUTFILE_NEW: refuse a PATH that is there already, also one that appears before the commit. */
enum outfile_mode { OUTFILE_REPLACE, OUTFILE_NEW };

struct outfile {
    FILE *file;      /* write here; owned. The caller need not check each write. */
    char *path;      /* owned */
    char *temporary; /* owned; NULL where PATH is written directly */
    enum outfile_mode mode;
};

/* -1 and err, which names PATH: it is refused, or the temporary file cannot be made. Then nothing
 * is held. After success the caller ends with outfile_commit() or outfile_discard(). */
int outfile_open(struct outfile *out, const char *path, enum outfile_mode mode, struct err *err);

/* Make the content appear at PATH, and release. -1 and err, which names PATH: a write failed, now
 * or before (disk full, quota, limit on file sizes). Then PATH is as it was, unless it is written
 * directly. */
int outfile_commit(struct outfile *out, struct err *err);

/* Leave PATH as it was, and release. Takes a zeroed one, and one that is released. */
void outfile_discard(struct outfile *out);

/* Open, write the bytes, commit. */
int outfile_save(const char *path, enum outfile_mode mode, const void *data, size_t bytes,
                 struct err *err);

/* Why a write failed, by errno: strerror(), and for EFBIG what limits the size. */
const char *outfile_reason(int error);

/* Whether two names are of one file that is there (by device and inode, so that links do not hide
 * it); an empty name is of none. */
bool outfile_is_same(const char *a, const char *b);

#endif
