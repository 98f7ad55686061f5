/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/store.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/student.h"
#include "program/folder.h"
#include "store/database_file.h"
#include "store/db.h"
#include "store/schema.h"
#include "store/session_check.h"
#include "store/trial_files.h"
#include "trial/failures.h"

#define WRITER_PATIENCE_S 10.0
#define READER_PATIENCE_MS 10000
#define WAIT_S 0.05

#define CHECKED_WHOLE_BYTES (16 << 20) /* takes 0.1 s */

enum { HEADER_BYTES = 100, HEADER_APPLICATION_ID = 68 };

/* Check the header before SQLite opens the file and repairs, checkpoints or locks it: a file that
 * is not ours must stay as it is (https://sqlite.org/fileformat2.html, 1.3). Our header is never
 * older than the log, since it is written before there is a log. */
static int check_header(const char *path, bool *is_empty, struct err *err)
{
    unsigned char header[HEADER_BYTES];
    uint32_t id;
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
    memcpy(&id, header + HEADER_APPLICATION_ID, sizeof id);
    if (be32toh(id) != SCHEMA_APPLICATION_ID)
        return err_set(err, "%s: a database of another program", path);
    return 0;
}

/* Refuse a journal that names a super-journal: SQLite deletes that file when it rolls back
 * (https://sqlite.org/fileformat2.html, 3). Only transactions over attached files have one. */
static int check_journal(const char *path, struct err *err)
{
    static const unsigned char magic[] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char end[sizeof magic];
    char *name = database_file_beside(path, "-journal");
    int fd = name ? open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) : -1;
    struct stat st;
    bool names_one;

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

/* Restrict a new connection before any other SQL (doc/decisions/0034). Nothing can be attached, the
 * file's triggers and views do not run, its expressions call only harmless functions, and SQLite
 * checks pages as it reads them. */
static int distrust(struct store *store, struct err *err)
{
    static const struct {
        int name, value;
    } switches[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
        {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0}, /* except temporary triggers */
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},    /* except temporary views */
    };
    /* Far above what this program needs, and well below SQLite's defaults. */
    static const struct {
        int name, value;
    } limits[] = {
        {SQLITE_LIMIT_ATTACHED, 0},          {SQLITE_LIMIT_SQL_LENGTH, 1000000},
        {SQLITE_LIMIT_EXPR_DEPTH, 500},      {SQLITE_LIMIT_COMPOUND_SELECT, 100},
        {SQLITE_LIMIT_VDBE_OP, 1000000},     {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
        {SQLITE_LIMIT_VARIABLE_NUMBER, 200}, {SQLITE_LIMIT_WORKER_THREADS, 0},
    };

    for (size_t i = 0; i < sizeof switches / sizeof *switches; i++)
        if (sqlite3_db_config(store->db, switches[i].name, switches[i].value, NULL) != SQLITE_OK)
            return err_set(err, "%s: this SQLite cannot open files safely (option %d)", store->path,
                           switches[i].name);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(store->db, limits[i].name, limits[i].value);
    return db_exec(store, "PRAGMA cell_size_check = on", err);
}

/* ---- SQL functions of this program, which views of the file cannot use ---- */

/* t95(n): the two-sided 95 % point of Student's t with n degrees of freedom */
static void t95(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    sqlite3_result_double(context, student_two_sided(0.95, sqlite3_value_int64(values[0])));
}

/* is_traffic(activity, size): size -1 for any */
static void is_traffic(sqlite3_context *context, int n, sqlite3_value **values)
{
    const char *activity = (const char *)sqlite3_value_text(values[0]);

    (void)n;
    sqlite3_result_int(
        context, activity && traffic_find_cell(activity, sqlite3_value_int64(values[1])) >= 0);
}

static void is_file_name(sqlite3_context *context, int n, sqlite3_value **values)
{
    const char *name = (const char *)sqlite3_value_text(values[0]);

    (void)n;
    sqlite3_result_int(context, name && folder_contains(name));
}

static void result_buf(sqlite3_context *context, struct buf *text)
{
    if (buf_failed(text))
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, buf_text(text), -1, SQLITE_TRANSIENT);
    buf_release(text);
}

/* failure_stem(reason): the reason of a failure as it is grouped */
static void failure_stem(sqlite3_context *context, int n, sqlite3_value **values)
{
    const char *reason = (const char *)sqlite3_value_text(values[0]);
    struct buf stem = {0};

    (void)n;
    failures_stem(&stem, reason ? reason : "");
    result_buf(context, &stem);
}

/* program_checkpoints(): JSON array of the trials of which a program left a checkpoint */
static void checkpoints(sqlite3_context *context, int n, sqlite3_value **values)
{
    const struct store *store = sqlite3_user_data(context);
    struct buf ids = {0}, json = {0};
    struct cursor in;

    (void)n;
    (void)values;
    trial_files_put_checkpoints(&ids, store->path);
    in = (struct cursor){.data = ids.data, .size = ids.size};
    while (in.at < in.size)
        buf_printf(&json, "%c%lld", json.size ? ',' : '[', (long long)cursor_i64(&in));
    buf_puts(&json, json.size ? "]" : "[]");
    json.failed |= buf_failed(&ids);
    buf_release(&ids);
    result_buf(context, &json);
}

/* program_epoch(trial), program_seconds(trial), program_saved(trial): as in trial_files.h; NULL:
 * unknown, or no checkpoint */
static void program_epoch(sqlite3_context *context, int n, sqlite3_value **values)
{
    const struct store *store = sqlite3_user_data(context);
    int32_t epoch = trial_files_epoch(store->path, sqlite3_value_int64(values[0]));

    (void)n;
    if (epoch >= 0)
        sqlite3_result_int(context, epoch);
}

static void result_positive(sqlite3_context *context, sqlite3_value *trial,
                            double (*of)(const char *db, int64_t trial_id))
{
    const struct store *store = sqlite3_user_data(context);
    double value = of(store->path, sqlite3_value_int64(trial));

    if (value > 0)
        sqlite3_result_double(context, value);
}

static void program_seconds(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    result_positive(context, values[0], trial_files_seconds);
}

static void program_saved(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    result_positive(context, values[0], trial_files_saved);
}

static int add_functions(struct store *store, struct err *err)
{
    const struct {
        const char *name;
        int n_arguments, flags;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {{"t95", 1, SQLITE_DETERMINISTIC, t95},
                     {"is_traffic", 2, SQLITE_DETERMINISTIC, is_traffic},
                     {"is_file_name", 1, SQLITE_DETERMINISTIC, is_file_name},
                     {"failure_stem", 1, SQLITE_DETERMINISTIC, failure_stem},
                     {"program_checkpoints", 0, SQLITE_DIRECTONLY, checkpoints},
                     {"program_epoch", 1, SQLITE_DIRECTONLY, program_epoch},
                     {"program_saved", 1, SQLITE_DIRECTONLY, program_saved},
                     {"program_seconds", 1, SQLITE_DIRECTONLY, program_seconds}};

    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (sqlite3_create_function(store->db, functions[i].name, functions[i].n_arguments,
                                    SQLITE_UTF8 | functions[i].flags, store, functions[i].call,
                                    NULL, NULL) != SQLITE_OK)
            return db_fail(store, err);
    return 0;
}

/* ---- opening ---- */

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
    return distrust(store, err) || add_functions(store, err) ? -1 : 0;
}

static int create_schema(struct store *store, struct err *err)
{
    FAULT("store: before the tables are made");
    if (db_exec(store, "BEGIN EXCLUSIVE", err) || db_exec(store, schema_sql[SCHEMA_VERSION - schema_history.oldest], err) ||
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
    sqlite3_stmt *row = db_query(store, sql, err, "");
    int rc = db_step(store, row, err);
    const char *text = rc == 1 ? (const char *)sqlite3_column_text(row, 0) : "ok";
    const char *last = text ? strrchr(text, '\n') : NULL;

    if (rc == 1)
        rc = text && !strcmp(text, "ok") ? 0
                                         : db_damaged(store,
                                                      last   ? last + 1
                                                      : text ? text
                                                             : "out of memory",
                                                      err);
    sqlite3_finalize(row);
    return rc;
}

/* SQLite would notice an overwritten page or forbidden value only when it reads it, perhaps after
 * hours. A sweep is resumed from some tables; the others grow with epochs and metrics, and may take
 * seconds to read. */
static int check_pages(struct store *store, struct err *err)
{
    static const char *const resumed_from[] = {
        "PRAGMA quick_check(sweep)",   "PRAGMA quick_check(axis)",
        "PRAGMA quick_check(config)",  "PRAGMA quick_check(trial)",
        "PRAGMA quick_check(session)", "PRAGMA quick_check(checkpoint)"};
    struct stat st;

    if (stat(store->path, &st) || st.st_size <= CHECKED_WHOLE_BYTES)
        return check_part(store, "PRAGMA quick_check", err);
    for (size_t i = 0; i < sizeof resumed_from / sizeof *resumed_from; i++)
        if (check_part(store, resumed_from[i], err))
            return -1;
    return 0;
}

/* A run that was killed while it created the file may have left only its journal. */
static int check_empty(struct store *store, struct err *err)
{
    int64_t pages;
    int rc = db_integer(&pages, store, "PRAGMA page_count", err, "");

    store->is_new |= !rc && !pages;
    return rc;
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
    if (db_execf(store, err,
                 "PRAGMA synchronous = full; PRAGMA foreign_keys = on;"
                 "PRAGMA cache_size = -%d; PRAGMA secure_delete = off",
                 STORE_CACHE_KIB) ||
        check_empty(store, err) || (store->is_new && create_schema(store, err)) ||
        schema_version(store, &version, err) ||
        (!store->is_new &&
         (schema_check(store, &schema_history, version, err) || check_pages(store, err))) ||
        session_check_all(store, err) || session_check_refuse(store, err) ||
        schema_migrate(store, &schema_history, version, err) || views_for_reading(store, err) ||
        session_release(store, err))
        return -1;
    return use_journal(store, err);
}

static void discard(struct store *store, bool with_file)
{
    struct buf *const bufs[] = {&store->models,   &store->dropped, &store->ended, &store->gangs,
                                &store->reported, &store->written, &store->saved};

    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->db);
    database_file_release(store);
    if (with_file)
        unlink(store->path);
    lock_release(&store->lock);
    errlist_release(&store->released);
    for (size_t i = 0; i < sizeof bufs / sizeof *bufs; i++)
        buf_release(bufs[i]);
    free(store->checks);
    free(store->path);
    free(store);
}

int store_open(struct store **out, const char *path, struct err *err)
{
    struct store *store = store_new(path, err);

    *out = NULL;
    if (!store)
        return -1;
    store->is_writer = true;
    if (lock_take(&store->lock, path, err) || database_file_check(path, true, err) ||
        check_header(path, &store->is_new, err) || check_journal(path, err) ||
        open_writer(store, err)) {
        /* Do not fold a log into a refused file. */
        if (store->db && !store->is_new)
            sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        discard(store, store->is_new);
        return -1;
    }
    *out = store;
    return 0;
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
    if ((code == SQLITE_READONLY || code == SQLITE_CANTOPEN) && !database_file_size(store, "-wal"))
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
