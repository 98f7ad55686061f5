/* SPDX-License-Identifier: BSD-3-Clause */
/* An output folder that appears whole or not at all.
 *
 * The caller writes to a temporary folder beside PATH (base/leftover.h), and outfolder_commit()
 * renames it to PATH.
 *
 *   PATH                       what happens
 *   nothing yet, empty folder  the new folder takes the name
 *   a folder with files        is refused. With is_forced it is replaced, if all files in it and
 *                              in its folders are of the kind that the command writes
 *   anything else              is refused, also a symbolic link */
#ifndef BASE_OUTFOLDER_H
#define BASE_OUTFOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct outfolder {
    char *path;      /* owned; without a slash at its end */
    char *temporary; /* owned */
};

/* is_own: whether a file of this name may be replaced. -1 and err: refused, or no temporary folder.
 * After success, call outfolder_commit() or outfolder_discard(). */
int outfolder_open(struct outfolder *out, const char *path, bool is_forced,
                   bool (*is_own)(const char *name), struct err *err);

/* Write a file: "c12/fold0/NAME". Its folders are made as needed. -1 and err: a write failed. */
int outfolder_save(struct outfolder *out, const char *name, const void *data, size_t bytes,
                   struct err *err);

/* Make the folder appear at PATH, and release out. -1 and err: PATH is unchanged. */
int outfolder_commit(struct outfolder *out, struct err *err);

/* Leave PATH unchanged. out may be released or zeroed. */
void outfolder_discard(struct outfolder *out);

#endif
