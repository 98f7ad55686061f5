/* SPDX-License-Identifier: BSD-3-Clause */
/* An output file that appears whole or not at all.
 *
 * The caller writes to a temporary file in the folder of PATH (base/leftover.h).
 * outfile_commit() flushes it, renames it to PATH and flushes the folder.
 *
 *   PATH                 what happens
 *   nothing yet          the new file gets the permissions of the umask
 *   a file               is replaced and keeps its permissions; must be writable. A second hard
 *                        link to it keeps the old content.
 *   a symbolic link      is refused: in a shared folder another user may have made it, and it
 *                        may point to any file of the caller
 *   a pipe, a device     is written directly, so a reader may see a part of the content
 *   /dev/stdout, /dev/stderr, /dev/fd/N, /proc/self/fd/N
 *                        is written directly, through that open descriptor
 *   a folder             is refused */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* OUTFILE_NEW: refuse a PATH that exists already or appears before the commit. */
enum outfile_mode { OUTFILE_REPLACE, OUTFILE_NEW };

struct outfile {
    FILE *file;      /* owned; write here without checking each write, or by outfile_write() */
    char *path;      /* owned */
    char *temporary; /* owned; NULL if PATH is written directly */
    enum outfile_mode mode;
};

/* Open PATH. -1 and err: refused, or no temporary file. After success, call outfile_commit() or
 * outfile_discard(). */
int outfile_open(struct outfile *out, const char *path, enum outfile_mode mode, struct err *err);

/* Write and check at once, for a message with the reason. -1 and err: a write failed, and out is
 * discarded. */
int outfile_write(struct outfile *out, const void *data, size_t bytes, struct err *err);

/* Write all to the disk without a name yet. With several files, call it for each before the first
 * commit: a full disk then leaves none. -1 and err: a write failed, and out is discarded. */
int outfile_flush(struct outfile *out, struct err *err);

/* Make the content appear at PATH, and release out. -1 and err: a write failed. PATH is then
 * unchanged, unless written directly. */
int outfile_commit(struct outfile *out, struct err *err);

/* Leave PATH unchanged. out may be released or zeroed. */
void outfile_discard(struct outfile *out);

int outfile_save(const char *path, enum outfile_mode mode, const void *data, size_t bytes,
                 struct err *err);

/* Describe errno after a failed write. */
const char *outfile_reason(int error);

/* True if both names refer to one existing file (device and inode). "" refers to none. */
bool outfile_is_same(const char *a, const char *b);

#endif
