/* The files that a run keeps beside its database: the lock (PATH.lock), and those of SQLite (-wal,
 * -shm, -journal). In a folder that others may write to, anything may stand in their place: a link
 * that leads to a file of ours, a pipe that never answers. */
#ifndef STORE_DATABASE_FILE_H
#define STORE_DATABASE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

/* What kind of filesystem a path is on, and whether SQLite's write-ahead log is safe there. */

struct filesystem {
    uint32_t magic; /* f_type of statfs(2) */
    const char *name;
    bool is_shared; /* other nodes may see the same file: no shared memory between all readers */
};

/* The row of a magic number; an unknown one counts as shared, which is slower but always right. */
const struct filesystem *filesystem_find(uint32_t magic);

/* Of a path, or of its directory where the path does not exist yet. */
const struct filesystem *filesystem_of(const char *path);

enum { DATABASE_FILE_OWNER = 96 };

/* "BEFOREuser eve"; "" where the owner is the user of this process. */
const char *database_file_owner(char out[DATABASE_FILE_OWNER], const char *before, uid_t owner);

/* -1 and err unless it is a regular file with one name. st: of lstat(2); name: of the file; path:
 * of the database, for the message. */
int database_file_check_kind(const struct stat *st, const char *name, const char *path,
                             struct err *err);

/* The same of SQLite's files beside the database at path, where they are there. SQLite follows no
 * link either, but waits for a pipe. A reader may meet a second name of a file, as in a snapshot of
 * the folder. */
int database_file_check(const char *path, bool is_writer, struct err *err);

#endif
