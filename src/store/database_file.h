/* SPDX-License-Identifier: BSD-3-Clause */
/* The database file and those beside it: the lock (PATH.lock) and SQLite's (-wal, -shm, -journal).
 * Where others may write to the folder, such a name may be a link to a file of ours, or a pipe. */
#ifndef STORE_DATABASE_FILE_H
#define STORE_DATABASE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/err.h"

struct store;

/* Return "wal" or "delete", by the filesystem of a path, which need not exist if its folder does.
 * filesystem: its name, or NULL. */
const char *database_file_journal_mode(const char *path, const char **filesystem);

/* Fail if the folder of a database to be created does not exist. */
int database_file_check_folder(const char *path, struct err *err);

/* Free bytes on the disk of a file or folder; NaN: unknown. A quota shows in database_file_is_full()
 * only. */
double database_file_room(const char *path);

/* True if there is hardly room. */
bool database_file_is_full(const char *path);

/* Reserve room in the write-ahead log, so that a commit ends while a program fills the disk. Without
 * such a log, or where the filesystem cannot do it, does nothing. */
void database_file_reserve(const char *path);

/* True if the path no longer leads to the open file. */
bool database_file_has_moved(struct store *store);

/* True if another process shortened the file or its log: commits may be lost. */
bool database_file_is_cut_off(const struct store *store);

/* Internal to src/store: */

enum { DATABASE_FILE_OWNER = 96 };

/* Return "BEFOREuser eve", or "" if the owner is the user of this process. */
const char *database_file_owner(char out[DATABASE_FILE_OWNER], const char *before, uid_t owner);

/* Return the name of a file beside the database, with links in the path followed: two names of a
 * database share its lock and its journal. The caller frees it; NULL: no memory. */
char *database_file_beside(const char *path, const char *ending);

/* The size of the open database ("") or of a file beside it; 0: it does not exist. */
int64_t database_file_size(const struct store *store, const char *ending);

/* Fail unless it is a regular file with one name. st: from lstat(2); path: of the database. */
int database_file_check_kind(const struct stat *st, const char *name, const char *path,
                             struct err *err);

/* Check SQLite's files likewise: SQLite follows no link, but waits for a pipe. A reader accepts a
 * second name, as in a snapshot of the folder. */
int database_file_check(const char *path, bool is_writer, struct err *err);

/* Fail, after a commit, if the file is no longer at its path. Its contents are saved once, as
 * PATH.saved or PATH.saved.N, which err names. */
int database_file_check_place(struct store *store, struct err *err);

/* Note the sizes of file and log, before a transaction and after a commit. Fails if one was
 * shortened, except by folding in the log or by VACUUM. */
int database_file_note_size(struct store *store, struct err *err);

/* Fail, inside a transaction, if the file or its log is shorter than noted: SQLite would not
 * notice, and a commit would be lost. */
int database_file_check_size(struct store *store, struct err *err);

/* Name the process that keeps a writer waiting: "pid 4711 (sqlite3)", or "". Files opened for this
 * stay open until database_file_release(): closing one drops all locks of the process on it
 * (fcntl(2)), including SQLite's. */
enum { DATABASE_FILE_HOLDER = 64 };
void database_file_holder(char out[DATABASE_FILE_HOLDER], struct store *store);
void database_file_release(struct store *store); /* after the connection was closed */

#endif
