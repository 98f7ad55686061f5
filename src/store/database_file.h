/* SPDX-License-Identifier: BSD-3-Clause */
/* The database as a file, and those that a run keeps beside it: the lock (PATH.lock), and those of
 * SQLite (-wal, -shm, -journal). In a folder that others may write to, anything may stand in their
 * place: a link that leads to a file of ours, a pipe that never answers. */
#ifndef STORE_DATABASE_FILE_H
#define STORE_DATABASE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

struct store;

/* A kind of filesystem, and whether SQLite's write-ahead log is safe there. */
struct filesystem {
    uint32_t magic; /* f_type of statfs(2) */
    const char *name;
    bool is_shared; /* other nodes may see the same file: no shared memory between all readers */
};

/* The row of a magic number; an unknown one counts as shared, which is slower but always right. */
const struct filesystem *database_file_filesystem_find(uint32_t magic);

/* Of a path, or of its directory where the path does not exist yet. */
const struct filesystem *database_file_filesystem(const char *path);

/* "wal" or "delete", by the filesystem type; also answers for a path that does not exist yet. */
const char *database_file_journal_mode(const char *path, const char **filesystem);

/* Whether the file is there and in WAL mode: a writer has it open, or was killed. */
bool database_file_has_wal(const char *path);

/* Whether what is at the path now is not the file that is open. */
bool database_file_has_moved(struct store *store);

/* Whether a call has failed because somebody has shortened the file or its log: what was committed
 * may be lost. */
bool database_file_is_cut_off(const struct store *store);

/* The rest is internal to src/store. */

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

/* After a commit: -1 and err where the file is no longer at its path (removed, moved, replaced),
 * and so will be gone when it is closed; what it holds is then saved as PATH.saved (PATH.saved.2
 * where there is one), which err names: once, however often it is asked. */
int database_file_check_place(struct store *store, struct err *err);

/* Before a transaction, and after a commit: note the size of the file and of its log. -1 and err:
 * the log is shorter than it was, and not because another process has folded it into the file. */
int database_file_note_size(struct store *store, struct err *err);

/* Inside a transaction, which keeps all others from writing: -1 and err where the file or its log
 * is shorter than it was. SQLite would not notice, and a commit would be lost. */
int database_file_check_size(struct store *store, struct err *err);

/* "pid 4711 (sqlite3)" of a process on this host that keeps a writer waiting; "" where none is
 * found, as with one on another host. Opens files that stay open until database_file_release(): to
 * close a file drops all locks that the process has on it (fcntl(2)), SQLite's too. */
enum { DATABASE_FILE_HOLDER = 64 };
void database_file_holder(char out[DATABASE_FILE_HOLDER], struct store *store);
void database_file_release(struct store *store); /* after the connection has been closed */

#endif
