/* The files that a run keeps beside its database: the lock (PATH.lock), and those of SQLite (-wal,
 * -shm, -journal). In a folder that others may write to, anything may stand in their place: a link
 * that leads to a file of ours, a pipe that never answers. */
#ifndef STORE_BESIDE_H
#define STORE_BESIDE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "base/err.h"

enum { BESIDE_OWNER = 96 };

/* "BEFOREuser eve"; "" where the owner is the user of this process. */
const char *beside_owner(char out[BESIDE_OWNER], const char *before, uid_t owner);

/* -1 and err unless it is a regular file with one name. st: of lstat(2); name: of the file; path:
 * of the database, for the message. */
int beside_check_kind(const struct stat *st, const char *name, const char *path, struct err *err);

/* The same of SQLite's files beside the database at path, where they are there. SQLite follows no
 * link either, but waits for a pipe. A reader may meet a second name of a file, as in a snapshot of
 * the folder. */
int beside_check(const char *path, bool is_writer, struct err *err);

#endif
