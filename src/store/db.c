/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/db.h"

#include <assert.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/fault.h"
#include "data/core/dataset.h"
#include "store/database_file.h"

static const char *const statement_sql[STATEMENT_COUNT] = {
#define STATEMENT_SQL(id, sql) sql,
    STATEMENT_TABLE(STATEMENT_SQL)
#undef STATEMENT_SQL
};

/* ---- failures ---- */

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

int db_damaged(struct store *store, const char *what, struct err *err)
{
    struct buf word = {0};

    err_set(err,
            "%s: damaged (%s); use an older copy, or recover the readable part with 'sqlite3 %s "
            ".recover | sqlite3 NEW.db' (sqlite3 of Debian 12 lacks .recover); then 'run --db "
            "NEW.db' runs the missing trials",
            store->path, what, escape_shell(&word, store->path));
    buf_release(&word);
    return -1;
}

int db_fail(struct store *store, struct err *err)
{
    int code = sqlite3_extended_errcode(store->db), number = last_errno(store);
    const char *why = sqlite3_errmsg(store->db);
    char holder[DATABASE_FILE_HOLDER];

    if (code == SQLITE_READONLY_DBMOVED && database_file_check_place(store, err))
        return -1;
    /* SQLite calls a full quota an input/output error. */
    switch ((code & 0xff) == SQLITE_IOERR && err_is_disk_full(number) ? SQLITE_FULL : code & 0xff) {
    case SQLITE_FULL:
        store->is_full = store->is_writer;
        return err_set(err, "%s: %s", store->path,
                       store->is_writer
                           ? "the disk or a quota is full: make room (df, quota)"
                           : "no room for temporary files: set SQLITE_TMPDIR to another folder");
    case SQLITE_IOERR:
        return err_set(err, "%s: cannot %s: %s", store->path, doing(code),
                       number ? strerror(number) : "input/output error");
    case SQLITE_CANTOPEN:
        return err_set(err, "%s: cannot open it or its journal: %s", store->path,
                       number ? strerror(number) : why);
    case SQLITE_BUSY:
        database_file_holder(holder, store);
        return err_set(err,
                       "%s: %s prevents writing (an open transaction in 'sqlite3', or a query that "
                       "does not end): end it%s",
                       store->path,
                       *holder ? holder
                               : "another process, or a lock service that does not answer,",
                       *holder ? "" : "; 'fuser' on its host shows which process it is");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return db_damaged(store, why, err);
    default:
        return err_set(err, "%s: %s", store->path, why);
    }
}

/* ---- statements ---- */

int db_exec(struct store *store, const char *sql, struct err *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_fail(store, err);
}

int db_execf(struct store *store, struct err *err, const char *format, ...)
{
    va_list args;
    char *sql;
    int rc;

    va_start(args, format);
    sql = sqlite3_vmprintf(format, args);
    va_end(args);
    rc = sql ? db_exec(store, sql, err) : err_nomem(err, "statement", strlen(format));
    sqlite3_free(sql);
    return rc;
}

int db_begin(struct store *store, struct err *err)
{
    if (!sqlite3_get_autocommit(store->db))
        return 0;
    FAULT("store: before a transaction");
    return database_file_note_size(store, err) || db_do(store, STATEMENT_BEGIN, err, "") ? -1 : 0;
}

static void put_quoted(struct buf *sql, const char *text, char quote)
{
    buf_putc(sql, quote);
    for (const char *p = text; *p; p++) {
        buf_putc(sql, *p);
        if (*p == quote)
            buf_putc(sql, quote);
    }
    buf_putc(sql, quote);
}

void db_put_name(struct buf *sql, const char *name)
{
    put_quoted(sql, name, '"');
}

void db_put_text(struct buf *sql, const char *text)
{
    put_quoted(sql, text, '\'');
}

static int bind_one(sqlite3_stmt *statement, int i, char type, va_list *args)
{
    const struct cell *cell;
    const void *bytes;

    switch (type) {
    case 'i':
        return sqlite3_bind_int64(statement, i, va_arg(*args, int64_t));
    case 'n':
        return sqlite3_bind_int(statement, i, va_arg(*args, int));
    case 'd':
        return sqlite3_bind_double(statement, i, va_arg(*args, double));
    case 'b':
        bytes = va_arg(*args, const void *);
        return sqlite3_bind_blob64(statement, i, bytes, va_arg(*args, size_t), SQLITE_STATIC);
    case 'c':
        cell = va_arg(*args, const struct cell *);
        if (cell->type == CELL_INTEGER)
            return sqlite3_bind_int64(statement, i, cell->i);
        if (cell->type == CELL_REAL)
            return sqlite3_bind_double(statement, i, cell->f);
        return sqlite3_bind_text(statement, i, cell->type == CELL_TEXT ? cell->s : NULL, -1,
                                 SQLITE_STATIC);
    default:
        assert(type == 's');
        return sqlite3_bind_text(statement, i, va_arg(*args, const char *), -1, SQLITE_STATIC);
    }
}

/* False and err on failure. */
static bool bind_all(struct store *store, sqlite3_stmt *statement, struct err *err,
                     const char *types, va_list *args)
{
    if (!statement)
        return false;
    for (int i = 1; types[i - 1]; i++)
        if (bind_one(statement, i, types[i - 1], args) != SQLITE_OK) {
            db_fail(store, err);
            return false;
        }
    return true;
}

static sqlite3_stmt *query(struct store *store, const char *sql, struct err *err, const char *types,
                           va_list *args)
{
    sqlite3_stmt *row = NULL;
    const char *rest = "";

    if (sqlite3_prepare_v2(store->db, sql, -1, &row, &rest) != SQLITE_OK) {
        db_fail(store, err);
    } else if (*rest) {
        sqlite3_finalize(row);
        row = NULL;
        err_set(err, "more than one statement");
    }
    if (bind_all(store, row, err, types, args))
        return row;
    sqlite3_finalize(row);
    return NULL;
}

sqlite3_stmt *db_query(struct store *store, const char *sql, struct err *err, const char *types,
                       ...)
{
    sqlite3_stmt *row;
    va_list args;

    va_start(args, types);
    row = query(store, sql, err, types, &args);
    va_end(args);
    return row;
}

static sqlite3_stmt *bind(struct store *store, enum statement id, struct err *err,
                          const char *types, va_list *args)
{
    sqlite3_stmt **statement = &store->statements[id];

    if (*statement)
        sqlite3_reset(*statement);
    else if (sqlite3_prepare_v3(store->db, statement_sql[id], -1, SQLITE_PREPARE_PERSISTENT,
                                statement, NULL) != SQLITE_OK)
        db_fail(store, err);
    return bind_all(store, *statement, err, types, args) ? *statement : NULL;
}

sqlite3_stmt *db_bind(struct store *store, enum statement id, struct err *err, const char *types,
                      ...)
{
    sqlite3_stmt *statement;
    va_list args;

    va_start(args, types);
    statement = bind(store, id, err, types, &args);
    va_end(args);
    return statement;
}

int db_step(struct store *store, sqlite3_stmt *statement, struct err *err)
{
    int rc = statement ? sqlite3_step(statement) : SQLITE_ERROR;

    if (rc == SQLITE_ROW)
        return 1;
    if (statement && rc != SQLITE_DONE)
        db_fail(store, err);
    sqlite3_reset(statement);
    return rc == SQLITE_DONE ? 0 : -1;
}

bool db_next(int *rc, struct store *store, sqlite3_stmt *statement, struct err *err)
{
    int step = 0;

    if (*rc)
        sqlite3_reset(statement);
    else
        step = db_step(store, statement, err);
    if (step < 0)
        *rc = -1;
    return step == 1;
}

int db_finish(struct store *store, sqlite3_stmt *statement, struct err *err)
{
    int rc = 1;

    while (rc == 1)
        rc = db_step(store, statement, err);
    return rc;
}

int db_do(struct store *store, enum statement id, struct err *err, const char *types, ...)
{
    va_list args;
    int rc;

    va_start(args, types);
    rc = db_finish(store, bind(store, id, err, types, &args), err);
    va_end(args);
    return rc;
}

static int read_integer(int64_t *out, struct store *store, sqlite3_stmt *row, struct err *err)
{
    int rc = db_step(store, row, err);

    *out = rc == 1 ? sqlite3_column_int64(row, 0) : 0;
    return rc == 1 ? db_finish(store, row, err) : rc;
}

int db_ask(int64_t *out, struct store *store, enum statement id, struct err *err, const char *types,
           ...)
{
    va_list args;
    int rc;

    va_start(args, types);
    rc = read_integer(out, store, bind(store, id, err, types, &args), err);
    va_end(args);
    return rc;
}

int db_integer(int64_t *out, struct store *store, const char *sql, struct err *err,
               const char *types, ...)
{
    sqlite3_stmt *row;
    va_list args;
    int rc;

    va_start(args, types);
    row = query(store, sql, err, types, &args);
    va_end(args);
    rc = read_integer(out, store, row, err);
    sqlite3_finalize(row);
    return rc;
}

/* ---- values of the file ---- */

static const struct {
    char letter;
    int type;
    const char *wanted;
} kinds[] = {
    {'i', SQLITE_INTEGER, "an integer"},
    {'n', SQLITE_INTEGER, "an integer from 0 to 2147483647"},
    {'r', SQLITE_FLOAT, "a real number"},
    {'s', SQLITE_TEXT, "a text"},
    {'t', SQLITE_TEXT, "pending, running, done, diverged or failed"},
    {'p', SQLITE_TEXT, "train, val, test, stop or empty"},
    {'b', SQLITE_BLOB, "a blob"},
};

static const char *text_of(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return text ? text : ""; /* NULL: an empty blob, or no memory */
}

static bool is_in_range(sqlite3_stmt *row, int column, char letter)
{
    enum part part;
    int64_t i;

    switch (letter) {
    case 't':
        return trial_state_parse(text_of(row, column)) >= 0;
    case 'p':
        part = part_parse(text_of(row, column));
        return !*text_of(row, column) || (part != PART_NONE && part != PART_COUNT);
    case 'n':
        i = sqlite3_column_int64(row, column);
        return i >= 0 && i <= INT32_MAX;
    default:
        return true;
    }
}

static int check_column(struct store *store, sqlite3_stmt *row, int column, int type, char letter,
                        struct err *err)
{
    bool allows_null = letter >= 'A' && letter <= 'Z';
    char found[80] = "NULL";
    size_t k = 0;

    if (letter == '?' || (allows_null && type == SQLITE_NULL))
        return 0;
    if (allows_null)
        letter = (char)(letter - 'A' + 'a');
    while (kinds[k].letter != letter) {
        k++;
        assert(k < sizeof kinds / sizeof *kinds);
    }
    if (type == kinds[k].type && is_in_range(row, column, letter))
        return 0;
    if (type != SQLITE_NULL)
        snprintf(found, sizeof found, type == SQLITE_BLOB ? "a blob" : "'%.64s'",
                 text_of(row, column));
    return err_set(err,
                   "%s: a row has %s in the column '%s': must be %s; the file is damaged, or "
                   "another program changed it",
                   store->path, found, sqlite3_column_name(row, column), kinds[k].wanted);
}

int db_check_row(struct store *store, sqlite3_stmt *row, const char *types, struct err *err)
{
    for (int c = 0; types[c]; c++)
        if (check_column(store, row, c, sqlite3_column_type(row, c), types[c], err))
            return -1;
    return 0;
}

static void read_column(sqlite3_stmt *row, int column, bool is_null, char letter, va_list *args)
{
    switch (letter) {
    case 'i':
    case 'I':
        *va_arg(*args, int64_t *) = sqlite3_column_int64(row, column);
        return;
    case 'n':
    case 'N':
        *va_arg(*args, int32_t *) = sqlite3_column_int(row, column);
        return;
    case 'r':
    case 'R':
        *va_arg(*args, double *) = is_null ? (double)NAN : sqlite3_column_double(row, column);
        return;
    case 't':
        *va_arg(*args, enum trial_state *) =
            (enum trial_state)trial_state_parse(text_of(row, column));
        return;
    default:
        assert(letter == 's' || letter == 'S');
        *va_arg(*args, const char **) = is_null ? NULL : text_of(row, column);
    }
}

int db_read(struct store *store, sqlite3_stmt *row, struct err *err, const char *types, ...)
{
    va_list args;
    int rc = 0;

    va_start(args, types);
    for (int c = 0; !rc && types[c]; c++) {
        int type = sqlite3_column_type(row, c);

        rc = check_column(store, row, c, type, types[c], err);
        if (!rc)
            read_column(row, c, type == SQLITE_NULL, types[c], &args);
    }
    va_end(args);
    return rc;
}

int db_find_pair(const struct buf *pairs, const char *split, const char *name)
{
    const char *at = buf_text(pairs), *end = at + pairs->size;

    for (int i = 0; at < end; i++) {
        bool is_same = !strcmp(at, split);

        at += strlen(at) + 1;
        if (is_same && !strcmp(at, name))
            return i;
        at += strlen(at) + 1;
    }
    return -1;
}

bool db_has_name(const struct buf *names, const char *name)
{
    const char *at = buf_text(names), *end = at + names->size;

    for (; at < end; at += strlen(at) + 1)
        if (!sqlite3_stricmp(at, name))
            return true;
    return false;
}

int db_column_names(struct result_table *out, sqlite3_stmt *row)
{
    int n = sqlite3_column_count(row);

    out->names = calloc((size_t)n, sizeof *out->names);
    if (!out->names)
        return -1;
    out->n_cols = n;
    for (int c = 0; c < n; c++) {
        out->names[c] = strdup(sqlite3_column_name(row, c));
        if (!out->names[c])
            return -1;
    }
    return 0;
}

void db_view_cell(struct cell *cell, sqlite3_stmt *row, int c)
{
    const char *text;

    switch (sqlite3_column_type(row, c)) {
    case SQLITE_INTEGER:
        *cell = (struct cell){.type = CELL_INTEGER, .i = sqlite3_column_int64(row, c)};
        break;
    case SQLITE_FLOAT:
        *cell = (struct cell){.type = CELL_REAL, .f = sqlite3_column_double(row, c)};
        break;
    case SQLITE_NULL:
        *cell = (struct cell){.type = CELL_NULL};
        break;
    default:
        text = (const char *)sqlite3_column_text(row, c);
        *cell = (struct cell){.type = CELL_TEXT, .s = text ? text : ""};
    }
}

/* A nonzero result interrupts the statement. */
static int count_call(void *arg)
{
    struct step_limit *limit = arg;

    return --limit->calls < 0;
}

void db_limit_steps(sqlite3 *db, int steps_a_call, struct step_limit *limit)
{
    sqlite3_progress_handler(db, steps_a_call, count_call, limit);
}
