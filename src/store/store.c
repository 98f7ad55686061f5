/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/fault.h"
#include "base/hash.h"
#include "data/core/dataset.h"
#include "gcn/cost.h"
#include "grid/plan.h"
#include "store/database_file.h"
#include "store/db.h"
#include "store/schema.h"
#include "store/session_check.h"
#include "store/sqlite_error.h"
#include "store/trial_files.h"
#include "trial/result.h"

#define TEXT(number) #number
#define AS_TEXT(number) TEXT(number)

#define WRITER_PATIENCE_S 10.0
#define READER_PATIENCE_MS 10000
#define WAIT_S 0.05

#define CHECKED_WHOLE_BYTES (16 << 20) /* takes 0.1 s */

enum { HEADER_BYTES = 100, HEADER_PAGE_SIZE = 16, HEADER_PAGES = 28, HEADER_APPLICATION_ID = 68 };

static uint32_t big_endian(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Check the header before SQLite opens the file and repairs, checkpoints or locks it: a file that
 * is not ours must stay as it is (https://sqlite.org/fileformat2.html, 1.3). Our header is never
 * older than the log, since it is written before there is a log. */
static int check_header(const char *path, bool *is_empty, struct err *err)
{
    unsigned char header[HEADER_BYTES];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int failure = errno;
    struct stat st;
    ssize_t n = 0;

    *is_empty = fd < 0 && failure == ENOENT;
    if (*is_empty)
        return 0;
    if (fd < 0)
        return err_set(err, "%s: %s", path, strerror(failure));
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return err_set(err, "%s: not a regular file", path);
    }
    n = pread(fd, header, sizeof header, 0);
    failure = errno;
    close(fd);
    if (n < 0)
        return err_set(err, "%s: cannot be read: %s", path, strerror(failure));
    *is_empty = n == 0;
    if (*is_empty)
        return 0;
    if (n != HEADER_BYTES || memcmp(header, "SQLite format 3", 16) != 0)
        return err_set(err, "%s: not a database", path);
    if (big_endian(header + HEADER_APPLICATION_ID) != SCHEMA_APPLICATION_ID)
        return err_set(err, "%s: a database of another program", path);
    return 0;
}

/* Refuse a journal that names a super-journal: SQLite deletes that file when it rolls back
 * (https://sqlite.org/fileformat2.html, 3). Only transactions over attached files have one. */
static int check_journal(const char *path, struct err *err)
{
    static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char end[sizeof magic];
    char *real = realpath(path, NULL), *name = NULL;
    struct stat st;
    int fd = -1;
    bool names_one;

    if (asprintf(&name, "%s-journal", real ? real : path) >= 0)
        fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    free(real);
    free(name);
    if (fd < 0)
        return 0;
    names_one = !fstat(fd, &st) && st.st_size > (off_t)sizeof end &&
                pread(fd, end, sizeof end, st.st_size - (off_t)sizeof end) == sizeof end &&
                !memcmp(end, magic, sizeof end);
    close(fd);
    if (!names_one)
        return 0;
    return err_set(err,
                   "%s: its journal (%s-journal) names another file, which SQLite would delete; "
                   "espalier never writes such a journal: remove it, or ask the sender",
                   path, path);
}

static struct store *store_new(const char *path, struct err *err)
{
    struct store *store = calloc(1, sizeof *store);

    if (store)
        store->path = strdup(path);
    if (!store || !store->path) {
        free(store);
        err_nomem(err, "database", sizeof *store);
        return NULL;
    }
    return store;
}

/* In a URI no name is special to SQLite (":memory:", "file:..."). */
static int open_uri(struct store *store, int flags, const char *suffix, struct err *err)
{
    struct buf uri = {0};
    int rc;

    buf_printf(&uri, "file:%s", *store->path == '/' ? "" : "./");
    for (const char *p = store->path; *p; p++)
        buf_printf(&uri, strchr("%?#", *p) ? "%%%02x" : "%c", (unsigned char)*p);
    buf_puts(&uri, suffix);
    rc = buf_failed(&uri)
             ? SQLITE_NOMEM
             : sqlite3_open_v2(
                   buf_text(&uri), &store->db,
                   flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);
    buf_release(&uri);
    if (rc != SQLITE_OK)
        return db_fail(store, err);
    return db_distrust(store, err) || db_add_functions(store, err) ? -1 : 0;
}

static int create_schema(struct store *store, struct err *err)
{
    FAULT("store: before the tables are made");
    if (db_exec(store, "BEGIN EXCLUSIVE", err) || db_exec(store, schema_sql[0], err) ||
        views_update(store, err))
        return -1;
    FAULT("store: before the tables are committed");
    return db_exec(store, "COMMIT", err);
}

/* While nobody writes, a file has a rollback journal (store_close), so it is complete by itself. A
 * file that a killed run left with a log may have been moved to where logs are not safe. A reader
 * that blocks the change is no error. */
static int use_journal(struct store *store, struct err *err)
{
    bool is_wal = !strcmp(database_file_journal_mode(store->path, NULL), "wal");
    const char *sql = is_wal ? "PRAGMA journal_mode = wal" : "PRAGMA journal_mode = delete";
    int rc;

    FAULT("store: before a journal is chosen");
    rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);
    FAULT("store: a journal is chosen");
    return rc == SQLITE_OK || (rc & 0xff) == SQLITE_BUSY ? 0 : db_fail(store, err);
}

/* n counts the calls for one lock. */
static int wait_for_others(void *arg, int n)
{
    struct store *store = arg;
    double now_s = clock_now(&clock_system);
    double waited_s;
    char holder[DATABASE_FILE_HOLDER];

    if (!n)
        store->waiting_since_s = now_s;
    waited_s = now_s - store->waiting_since_s;
    if (waited_s >= store->patience_s)
        return 0;
    if (store->wait) {
        database_file_holder(holder, store);
        if (!store->wait(store->wait_arg, waited_s, holder))
            return 0;
    }
    clock_sleep(n < 10 ? WAIT_S / 50 : WAIT_S);
    return 1;
}

void store_be_patient(struct store *store, double patience_s,
                      bool (*wait)(void *arg, double waited_s, const char *holder), void *arg)
{
    store->patience_s = patience_s;
    store->wait = wait;
    store->wait_arg = arg;
}

bool store_was_full(const struct store *store)
{
    return store->is_full;
}

static int check_part(struct store *store, const char *sql, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql, err);
    int rc = row ? db_step(store, row, err) : -1;
    const char *text = rc == 1 ? (const char *)sqlite3_column_text(row, 0) : "ok";
    const char *last;

    if (rc == 1)
        rc = 0;
    if (!rc && (!text || strcmp(text, "ok") != 0)) {
        last = text ? strrchr(text, '\n') : NULL;
        rc = sqlite_error_damage(store, last ? last + 1 : text ? text : "out of memory", err);
    }
    sqlite3_finalize(row);
    return rc;
}

/* SQLite would notice an overwritten page or forbidden value only when it reads it, perhaps after
 * hours. A sweep is resumed from some tables; the others grow with epochs and metrics, and may take
 * seconds to read. */
static int check_pages(struct store *store, struct err *err)
{
    static const struct {
        const char *check;
        bool is_resumed_from;
    } parts[] = {
        {"PRAGMA quick_check(sweep)", true},         {"PRAGMA quick_check(axis)", true},
        {"PRAGMA quick_check(config)", true},        {"PRAGMA quick_check(trial)", true},
        {"PRAGMA quick_check(session)", true},       {"PRAGMA quick_check(checkpoint)", true},
        {"PRAGMA quick_check(attempt)", false},      {"PRAGMA quick_check(metric)", false},
        {"PRAGMA quick_check(curve)", false},        {"PRAGMA quick_check(timing)", false},
        {"PRAGMA quick_check(model)", false},        {"PRAGMA quick_check(prediction)", false},
        {"PRAGMA quick_check(traffic)", false},      {"PRAGMA quick_check(data_fact)", false},
        {"PRAGMA quick_check(curve_metric)", false}, {"PRAGMA quick_check(log)", false},
        {"PRAGMA quick_check(file)", false},         {"PRAGMA quick_check(member)", false},
    };
    struct stat st;
    bool is_small = stat(store->path, &st) || st.st_size <= CHECKED_WHOLE_BYTES;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if ((is_small || parts[i].is_resumed_from) && check_part(store, parts[i].check, err))
            return -1;
    return 0;
}

/* A run that was killed while it created the file may have left only its journal. */
static int check_empty(struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, "PRAGMA page_count", err);
    int64_t pages = 0;
    int rc = db_integer(store, row, 0, &pages, err);

    sqlite3_finalize(row);
    store->is_new |= !rc && !pages;
    return rc;
}

static int check_file(struct store *store, uint32_t version, struct err *err)
{
    if (store->is_new)
        return 0;
    return schema_check(store, &schema_history, version, err) || check_pages(store, err) ? -1 : 0;
}

/* synchronous = full lets a commit survive a power cut, at no cost with two commits a second. */
static int open_writer(struct store *store, struct err *err)
{
    uint32_t version;

    if (open_uri(store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "", err))
        return -1;
    store->patience_s = WRITER_PATIENCE_S;
    sqlite3_busy_handler(store->db, wait_for_others, store);
    if (sqlite3_db_readonly(store->db, "main") == 1)
        return err_set(err,
                       "%s: its permissions or the filesystem forbid writing; use another --db",
                       store->path);
    /* A commit's models fit into the cache. secure_delete, which Debian's SQLite turns on, would
     * overwrite dropped models with zeros and double the bytes written. */
    if (db_exec(store,
                "PRAGMA synchronous = full; PRAGMA foreign_keys = on;"
                "PRAGMA cache_size = -" AS_TEXT(STORE_CACHE_KIB) "; PRAGMA secure_delete = off",
                err) ||
        check_empty(store, err) || (store->is_new && create_schema(store, err)) ||
        schema_version(store, &version, err) || check_file(store, version, err) ||
        session_check_all(store, err) || session_check_refuse(store, err) ||
        schema_migrate(store, &schema_history, version, err) || views_for_reading(store, err) ||
        session_release(store, err))
        return -1;
    return use_journal(store, err);
}

static void discard(struct store *store, bool with_file)
{
    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->db);
    database_file_release(store);
    if (with_file)
        unlink(store->path);
    lock_release(&store->lock);
    errlist_release(&store->released);
    buf_release(&store->models);
    buf_release(&store->dropped);
    buf_release(&store->ended);
    buf_release(&store->gangs);
    buf_release(&store->reported);
    buf_release(&store->written);
    buf_release(&store->saved);
    free(store->checks);
    free(store->path);
    free(store);
}

int store_open(struct store **out, const char *path, struct err *err)
{
    struct store *store = store_new(path, err);
    int rc;

    *out = NULL;
    if (!store)
        return -1;
    store->is_writer = true;
    rc = lock_take(&store->lock, path, err);
    if (!rc)
        rc = database_file_check(path, true, err);
    if (!rc)
        rc = check_header(path, &store->is_new, err) || check_journal(path, err) ? -1 : 0;
    if (!rc)
        rc = open_writer(store, err);
    if (rc) {
        /* Do not fold a log into a refused file. */
        if (store->db && !store->is_new)
            sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        discard(store, store->is_new);
        return -1;
    }
    *out = store;
    return 0;
}

static bool has_log(const char *path)
{
    struct stat st;
    char *log;
    bool has;

    if (asprintf(&log, "%s-wal", path) < 0)
        return true;
    has = !stat(log, &st) && st.st_size > 0;
    free(log);
    return has;
}

static int open_reading(struct store *store, int flags, const char *suffix, struct err *err)
{
    uint32_t version;

    sqlite3_close(store->db);
    store->db = NULL;
    store->n_checks = 0;
    if (open_uri(store, flags, suffix, err))
        return -1;
    sqlite3_busy_timeout(store->db, READER_PATIENCE_MS);
    if (schema_version(store, &version, err) ||
        schema_check(store, &schema_history, version, err) ||
        schema_migrate_for_reading(store, &schema_history, version, err) ||
        views_for_reading(store, err) || session_check_all(store, err) ||
        session_check_hide(store, err))
        return -1;
    return db_exec(store, "PRAGMA query_only = on", err);
}

/* Rolling back a killed run's journal needs write permission. In a directory without it, a WAL
 * database cannot be opened as usual, since its readers share a memory file; without a log nothing
 * can change there, so "immutable" is safe. */
static int open_reader(struct store *store, struct err *err)
{
    int code;

    if (!open_reading(store, SQLITE_OPEN_READONLY, "", err))
        return 0;
    code = sqlite3_extended_errcode(store->db);
    if (code == SQLITE_READONLY_ROLLBACK || code == SQLITE_READONLY_RECOVERY)
        return open_reading(store, SQLITE_OPEN_READWRITE, "", err);
    code &= 0xff;
    if ((code == SQLITE_READONLY || code == SQLITE_CANTOPEN) && !has_log(store->path))
        return open_reading(store, SQLITE_OPEN_READONLY, "?immutable=1", err);
    if (code == SQLITE_READONLY || code == SQLITE_CANTOPEN)
        return err_set(
            err,
            "%s: a run left its log %s-wal, which cannot be read in a folder without write "
            "permission; copy both files to a folder that you can write",
            store->path, store->path);
    return -1;
}

const char *store_path(const struct store *store)
{
    return store->path;
}

int store_open_reader(struct store **out, const char *path, struct err *err)
{
    struct store *store;
    bool is_empty;

    *out = NULL;
    if (database_file_check(path, false, err) || check_header(path, &is_empty, err) ||
        check_journal(path, err))
        return -1;
    if (is_empty)
        return err_set(err, "%s: %s; run 'espalier run' first", path,
                       access(path, F_OK) ? "no such file" : "empty");
    store = store_new(path, err);
    if (!store)
        return -1;
    if (open_reader(store, err)) {
        discard(store, false);
        return -1;
    }
    *out = store;
    return 0;
}

int store_begin_look(struct store *store, struct err *err)
{
    return db_exec(store, "BEGIN", err);
}

void store_end_look(struct store *store)
{
    sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

void store_close(struct store *store)
{
    if (!store)
        return;
    if (store->is_writer) {
        /* Otherwise the next open would do this from the journal. */
        if (!sqlite3_get_autocommit(store->db))
            sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
        trial_files_remove_gangs(store);
        store_settle(store, NULL);
    }
    discard(store, false);
}

void store_abandon(struct store *store)
{
    if (store && store->is_new)
        discard(store, true);
    else
        store_close(store);
}
