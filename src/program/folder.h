/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders whose contents a stranger made: links in them are never followed. */
#ifndef PROGRAM_FOLDER_H
#define PROGRAM_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Remove a folder with all that is in it, down to 200 levels and whatever its permissions. No error if
 * it does not exist. A link at `path` itself is removed, too. -1 and err. */
int folder_remove(const char *path, struct err *err);

/* Unix seconds of the last change of a folder or of anything in it, down to 200 levels. 0: it does
 * not exist. */
double folder_newest(const char *path);

/* True if an open folder has hardly room for a file. The function reserves room in a file without a
 * name, since a quota shows in no count of free bytes. False: unknown. */
bool folder_lacks_room(int folder);

/* Remove the entries whose names begin so. No error if the folder does not exist. */
int folder_remove_some(const char *path, const char *beginning, struct err *err);

/* True if the relative name "out/model.pt" names something inside its folder: not empty, no
 * component "", "." or "..". */
bool folder_contains(const char *name);

/* True if a folder of this path contains anything. */
bool folder_has_files(const char *path);

/* Make the text the file folder/name of a trial, as a whole: a reader sees the old one or this.
 * member: the rank in its gang that writes. A failure is ignored. */
void folder_replace(const char *folder, int32_t member, const char *name, const struct buf *text);

/* Names that espalier uses in the folder of a trial. */
#define FOLDER_CHECKPOINT "checkpoint"
#define FOLDER_CURVE "curve.jsonl"
#define FOLDER_SCRATCH "scratch."      /* the rank in its gang (0: alone), "." and any text */
#define FOLDER_RESULTS "results.jsonl" /* in that one */
#define FOLDER_ATTEMPTS "attempts"     /* program/attempt_file.h */
#define FOLDER_LOG "log"               /* program/log_file.h */
#define FOLDER_LOG_OF "log.rank"       /* and a number, of a gang */

/* True if a file of this name in the folder of a trial would hide one of espalier's. */
bool folder_is_own_name(const char *name);

/* Give the regular file from/name the second name to/name, or copy it where hard links are not
 * possible. Makes `to` and the folders of name as needed; replaces a file. 1: there is no such
 * regular file in `from`; -1 and err. */
int folder_take_file(const char *to, const char *from, const char *name, struct err *err);

#endif
