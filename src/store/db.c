/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/db.h"

#include <assert.h>
#include <math.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/student.h"
#include "data/core/dataset.h"
#include "program/folder.h"
#include "sched/traffic.h"
#include "store/database_file.h"
#include "store/sqlite_error.h"
#include "store/trial_files.h"
#include "trial/failures.h"

static const char *const statement_sql[STATEMENT_COUNT] = {
#define STATEMENT_SQL(id, sql) sql,
    STATEMENT_TABLE(STATEMENT_SQL)
#undef STATEMENT_SQL
};

int db_fail(struct store *store, struct err *err)
{
    char text[sizeof((struct err *)0)->text];

    if (sqlite3_extended_errcode(store->db) == SQLITE_READONLY_DBMOVED &&
        database_file_check_place(store, err))
        return -1;
    sqlite_error_describe(text, sizeof text, store);
    return err_set(err, "%s: %s", store->path, text);
}

int db_distrust(struct store *store, struct err *err)
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

/* ---- SQL functions ---- */

static void t95(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    sqlite3_result_double(context, student_two_sided(0.95, sqlite3_value_int64(values[0])));
}

/* size: -1 for any. */
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

/* The reason of a failure as it is grouped. */
static void failure_stem(sqlite3_context *context, int n, sqlite3_value **values)
{
    const char *reason = (const char *)sqlite3_value_text(values[0]);
    struct buf stem = {0};

    (void)n;
    failures_stem(&stem, reason ? reason : "");
    if (buf_failed(&stem))
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, buf_text(&stem), -1, SQLITE_TRANSIENT);
    buf_release(&stem);
}

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
    if (buf_failed(&ids) || buf_failed(&json))
        sqlite3_result_error_nomem(context);
    else
        sqlite3_result_text(context, buf_text(&json), -1, SQLITE_TRANSIENT);
    buf_release(&ids);
    buf_release(&json);
}

static void program_epoch(sqlite3_context *context, int n, sqlite3_value **values)
{
    const struct store *store = sqlite3_user_data(context);
    int32_t epoch = trial_files_epoch(store->path, sqlite3_value_int64(values[0]));

    (void)n;
    if (epoch >= 0)
        sqlite3_result_int(context, epoch);
}

static void program_seconds(sqlite3_context *context, int n, sqlite3_value **values)
{
    const struct store *store = sqlite3_user_data(context);
    double seconds = trial_files_seconds(store->path, sqlite3_value_int64(values[0]));

    (void)n;
    if (seconds > 0)
        sqlite3_result_double(context, seconds);
}

static void program_saved(sqlite3_context *context, int n, sqlite3_value **values)
{
    const struct store *store = sqlite3_user_data(context);
    double saved = trial_files_saved(store->path, sqlite3_value_int64(values[0]));

    (void)n;
    if (saved > 0)
        sqlite3_result_double(context, saved);
}

int db_add_functions(struct store *store, struct err *err)
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

/* ---- statements ---- */

int db_exec(struct store *store, const char *sql, struct err *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_fail(store, err);
}

int db_begin(struct store *store, struct err *err)
{
    if (!sqlite3_get_autocommit(store->db))
        return 0;
    FAULT("store: before a transaction");
    if (database_file_note_size(store, err))
        return -1;
    return db_finish(store, db_bind(store, STATEMENT_BEGIN, err, ""), err);
}

sqlite3_stmt *db_prepare(struct store *store, const char *sql, struct err *err)
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
    return row;
}

int db_run(struct store *store, const struct buf *sql, struct err *err)
{
    sqlite3_stmt *statement;
    int rc;

    if (buf_failed(sql))
        return err_nomem(err, "statement", sql->size);
    statement = db_prepare(store, buf_text(sql), err);
    rc = db_finish(store, statement, err);
    sqlite3_finalize(statement);
    return rc;
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

static sqlite3_stmt *prepared(struct store *store, enum statement id, struct err *err)
{
    sqlite3_stmt **statement = &store->statements[id];

    if (*statement)
        sqlite3_reset(*statement);
    else if (sqlite3_prepare_v3(store->db, statement_sql[id], -1, SQLITE_PREPARE_PERSISTENT,
                                statement, NULL) != SQLITE_OK)
        db_fail(store, err);
    return *statement;
}

static int bind_one(sqlite3_stmt *statement, int i, char type, va_list *args)
{
    const void *bytes;
    double number;

    switch (type) {
    case 'i':
        return sqlite3_bind_int64(statement, i, va_arg(*args, int64_t));
    case 'n':
        return sqlite3_bind_int(statement, i, va_arg(*args, int));
    case 'd':
        number = va_arg(*args, double);
        return sqlite3_bind_double(statement, i, number);
    case 'b':
        bytes = va_arg(*args, const void *);
        return sqlite3_bind_blob64(statement, i, bytes, va_arg(*args, size_t), SQLITE_STATIC);
    default:
        assert(type == 's');
        return sqlite3_bind_text(statement, i, va_arg(*args, const char *), -1, SQLITE_STATIC);
    }
}

sqlite3_stmt *db_bind(struct store *store, enum statement id, struct err *err, const char *types,
                      ...)
{
    sqlite3_stmt *statement = prepared(store, id, err);
    va_list args;

    if (!statement)
        return NULL;
    va_start(args, types);
    for (int i = 1; types[i - 1]; i++)
        if (bind_one(statement, i, types[i - 1], &args) != SQLITE_OK) {
            db_fail(store, err);
            statement = NULL;
            break;
        }
    va_end(args);
    return statement;
}

int db_step(struct store *store, sqlite3_stmt *statement, struct err *err)
{
    int rc = sqlite3_step(statement);

    if (rc == SQLITE_ROW)
        return 1;
    if (rc != SQLITE_DONE)
        db_fail(store, err);
    sqlite3_reset(statement);
    return rc == SQLITE_DONE ? 0 : -1;
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

static bool is_part(const char *text)
{
    enum part part = part_parse(text);

    return !*text || (part != PART_NONE && part != PART_COUNT);
}

static bool is_in_range(sqlite3_stmt *row, int column, char letter)
{
    int64_t i;

    if (letter == 't')
        return trial_state_parse(text_of(row, column)) >= 0;
    if (letter == 'p')
        return is_part(text_of(row, column));
    if (letter != 'n')
        return true;
    i = sqlite3_column_int64(row, column);
    return i >= 0 && i <= INT32_MAX;
}

static void describe_value(char *out, size_t size, sqlite3_stmt *row, int column)
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL:
        snprintf(out, size, "NULL");
        return;
    case SQLITE_BLOB:
        snprintf(out, size, "a blob");
        return;
    default:
        snprintf(out, size, "'%.64s'", text_of(row, column));
    }
}

static int refuse_value(struct store *store, sqlite3_stmt *row, int column, const char *wanted,
                        struct err *err)
{
    char found[80];

    describe_value(found, sizeof found, row, column);
    return err_set(err,
                   "%s: a row has %s in the column '%s': must be %s; the file is damaged, or "
                   "another program changed it",
                   store->path, found, sqlite3_column_name(row, column), wanted);
}

static int check_column(struct store *store, sqlite3_stmt *row, int column, int type, char letter,
                        struct err *err)
{
    bool allows_null = letter >= 'A' && letter <= 'Z';
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
    return refuse_value(store, row, column, kinds[k].wanted, err);
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

int db_finish(struct store *store, sqlite3_stmt *statement, struct err *err)
{
    int rc = statement ? 1 : -1;

    while (rc == 1)
        rc = db_step(store, statement, err);
    return rc;
}

int db_integer(struct store *store, sqlite3_stmt *statement, int64_t missing, int64_t *out,
               struct err *err)
{
    int rc = statement ? db_step(store, statement, err) : -1;

    *out = missing;
    if (rc <= 0)
        return rc;
    *out = sqlite3_column_int64(statement, 0);
    return db_finish(store, statement, err);
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
