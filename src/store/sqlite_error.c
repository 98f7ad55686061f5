/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/sqlite_error.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "store/connection.h"
#include "store/database_file.h"

static const struct {
    int code;
    const char *doing;
} doings[] = {
    {SQLITE_IOERR_READ, "read"},
    {SQLITE_IOERR_SHORT_READ, "read it to its end"},
    {SQLITE_IOERR_WRITE, "write"},
    {SQLITE_IOERR_FSYNC, "flush to disk (fsync)"},
    {SQLITE_IOERR_DIR_FSYNC, "flush its directory to disk (fsync)"},
    {SQLITE_IOERR_TRUNCATE, "truncate"},
    {SQLITE_IOERR_FSTAT, "stat"},
    {SQLITE_IOERR_LOCK, "lock"},
    {SQLITE_IOERR_RDLOCK, "lock"},
    {SQLITE_IOERR_UNLOCK, "unlock"},
    {SQLITE_IOERR_CHECKRESERVEDLOCK, "check its locks"},
    {SQLITE_IOERR_DELETE, "delete the journal"},
    {SQLITE_IOERR_CLOSE, "close"},
    {SQLITE_IOERR_SHMOPEN, "open the shared memory (-shm)"},
    {SQLITE_IOERR_SHMSIZE, "enlarge the shared memory (-shm)"},
    {SQLITE_IOERR_SHMMAP, "map the shared memory (-shm)"},
    {SQLITE_IOERR_SHMLOCK, "lock the shared memory (-shm)"},
};

static const char *doing(int code)
{
    for (size_t i = 0; i < sizeof doings / sizeof *doings; i++)
        if (doings[i].code == code)
            return doings[i].doing;
    return "reach the file";
}

/* SQLite passes errno on from statements but not from a commit; its file objects keep it. */
static int last_errno(const struct store *store)
{
    static const int pointers[] = {SQLITE_FCNTL_JOURNAL_POINTER, SQLITE_FCNTL_FILE_POINTER};
    int number = sqlite3_system_errno(store->db);

    for (size_t i = 0; !number && i < sizeof pointers / sizeof *pointers; i++) {
        sqlite3_file *file = NULL;

        sqlite3_file_control(store->db, "main", pointers[i], &file);
        if (file && file->pMethods)
            file->pMethods->xFileControl(file, SQLITE_FCNTL_LAST_ERRNO, &number);
    }
    return number;
}

static const char *reason(const struct store *store, const char *otherwise)
{
    int number = last_errno(store);

    return number ? strerror(number) : otherwise;
}

static void describe_busy(char *out, size_t size, struct store *store)
{
    char holder[DATABASE_FILE_HOLDER];

    database_file_holder(holder, store);
    snprintf(out, size,
             "%s prevents writing (an open transaction in 'sqlite3', or a query that does not "
             "end): end it%s",
             *holder ? holder : "another process, or a lock service that does not answer,",
             *holder ? "" : "; 'fuser' on its host shows which process it is");
}

static void describe_damage(char *out, size_t size, const struct store *store, const char *what)
{
    struct buf word = {0};

    snprintf(out, size,
             "damaged (%s); use an older copy, or recover the readable part with 'sqlite3 %s "
             ".recover | sqlite3 NEW.db' (sqlite3 of Debian 12 lacks .recover); then 'run --db "
             "NEW.db' runs the missing trials",
             what, escape_shell(&word, store->path));
    buf_release(&word);
}

int sqlite_error_damage(struct store *store, const char *what, struct err *err)
{
    char text[sizeof((struct err *)0)->text];

    describe_damage(text, sizeof text, store, what);
    return err_set(err, "%s: %s", store->path, text);
}

/* SQLite calls a full quota an input/output error. */
static int kind_of(int code, const struct store *store)
{
    int kind = code & 0xff;

    return kind == SQLITE_IOERR && err_is_disk_full(last_errno(store)) ? SQLITE_FULL : kind;
}

void sqlite_error_describe(char *out, size_t size, struct store *store)
{
    int code = sqlite3_extended_errcode(store->db);

    switch (kind_of(code, store)) {
    case SQLITE_FULL:
        store->is_full = store->is_writer;
        snprintf(out, size, "%s",
                 store->is_writer
                     ? "the disk or a quota is full: make room (df, quota)"
                     : "no room for temporary files: set SQLITE_TMPDIR to another folder");
        return;
    case SQLITE_IOERR:
        snprintf(out, size, "cannot %s: %s", doing(code), reason(store, "input/output error"));
        return;
    case SQLITE_CANTOPEN:
        snprintf(out, size, "cannot open it or its journal: %s",
                 reason(store, sqlite3_errmsg(store->db)));
        return;
    case SQLITE_BUSY:
        describe_busy(out, size, store);
        return;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        describe_damage(out, size, store, sqlite3_errmsg(store->db));
        return;
    default:
        snprintf(out, size, "%s", sqlite3_errmsg(store->db));
    }
}
