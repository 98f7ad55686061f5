/* SPDX-License-Identifier: BSD-3-Clause */
/* Files in the folders of trials, DB.files/t345, which other users may share.
 *
 * No function follows a link at DB.files or beneath it; the folders before it may be links. A path
 * without such a part is guarded at its last component alone. Functions that change something also
 * require that each folder on the way, from DB.files on, belongs to this user.
 *
 * They fail with errno: ELOOP for a link, EPERM for a folder of another user (beneath_reason()). */
#ifndef PROGRAM_BENEATH_H
#define PROGRAM_BENEATH_H

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Added to the name of a database. */
#define BENEATH_FILES ".files"

/* Open the folder that contains the last component of a path, for the calls that end in "at". *last:
 * this component, a part of path. Returns a descriptor (O_PATH) or -1. */
int beneath_parent(const char *path, bool changes, const char **last);

/* Open a file or a folder (O_DIRECTORY) to read: of any kind, so look before you trust it. With O_WRONLY
 * it must be regular, and is made if it is missing. */
int beneath_open(const char *path, int flags);
/* Open an empty file to write, in place of any entry of this name. */
int beneath_create(const char *path);
/* Folders are read without regard to their owner. NULL: it is none. */
DIR *beneath_list(const char *path);
/* Like lstat(). */
int beneath_stat(const char *path, struct stat *status);
int beneath_unlink(const char *path);
int beneath_rmdir(const char *path);
/* An existing folder of this user is fine. */
int beneath_mkdir(const char *path);
/* Both in the same folder, to which `to` is the name. */
int beneath_rename(const char *path, const char *to);

/* strerror() of errno with the remedy. */
const char *beneath_reason(void);

#endif
