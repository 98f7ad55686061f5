/* SPDX-License-Identifier: BSD-3-Clause */
/* The database file and those beside it: the lock (PATH.lock) and SQLite's files (-wal, -shm,
 * -journal). In a folder that others may write to, these names may belong to anything: a link to a
 * file of ours, a pipe that never answers. */
#ifndef STORE_DATABASE_FILE_H
#define STORE_DATABASE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

struct store;

/* A filesystem type; SQLite's write-ahead log is safe unless is_shared. */
struct filesystem {
    uint32_t magic; /* f_type of statfs(2) */
    const char *name;
    bool is_shared; /* other nodes may see the file, so its readers do not all share memory */
};

/* Return the row of a magic number. An unknown one counts as shared, which is slower but always
 * safe. */
const struct filesystem *database_file_filesystem_find(uint32_t magic);

/* Return the filesystem of a path, or of its directory if the path does not exist yet. */
const struct filesystem *database_file_filesystem(const char *path);

/* Return "wal" or "delete" by the filesystem of a path, which need not exist yet. */
const char *database_file_journal_mode(const char *path, const char **filesystem);

/* True if the file exists and is in WAL mode: a writer has it open, or was killed. */
bool database_file_has_wal(const char *path);

/* True if the path no longer leads to the open file. */
bool database_file_has_moved(struct store *store);

/* True if a call failed because another process shortened the file or its log. Commits may be
 * lost. */
bool database_file_is_cut_off(const struct store *store);

/* The rest is internal to src/store. */

enum { DATABASE_FILE_OWNER = 96 };

/* Return "BEFOREuser eve", or "" if the owner is the user of this process. */
const char *database_file_owner(char out[DATABASE_FILE_OWNER], const char *before, uid_t owner);

/* Fail unless it is a regular file with one name. st: from lstat(2); name: of the file; path: of
 * the database, for err. */
int database_file_check_kind(const struct stat *st, const char *name, const char *path,
                             struct err *err);

/* Check SQLite's files beside the database likewise. SQLite follows no link either, but waits for a
 * pipe. A reader accepts a second name, as in a snapshot of the folder. */
int database_file_check(const char *path, bool is_writer, struct err *err);

/* Fail, after a commit, if the file is no longer at its path (removed, moved, replaced) and so will
 * be gone when closed. Its contents are then saved once, as PATH.saved (or PATH.saved.2, ...),
 * which err names. */
int database_file_check_place(struct store *store, struct err *err);

/* Note the sizes of file and log, before a transaction and after a commit. Fails if one was
 * shortened, other than by a process that folded the log into the file or ran VACUUM. */
int database_file_note_size(struct store *store, struct err *err);

/* Fail, inside a transaction (nobody else writes), if the file or its log is shorter than noted.
 * SQLite would not notice, and a commit would be lost. */
int database_file_check_size(struct store *store, struct err *err);

/* Name the process that keeps a writer waiting: "pid 4711 (sqlite3)"; "" if none is found on this
 * host. Files opened for this stay open until database_file_release(): closing one drops all locks
 * that the process has on it (fcntl(2)), including SQLite's. */
enum { DATABASE_FILE_HOLDER = 64 };
void database_file_holder(char out[DATABASE_FILE_HOLDER], struct store *store);
void database_file_release(struct store *store); /* after the connection was closed */

#endif
