#include "store/db.h"

#include <assert.h>
#include <stdarg.h>

#include "base/fault.h"
#include "store/fault.h"

int db_fail(struct store *store, struct err *err)
{
    char text[sizeof((struct err *)0)->text];

    if (sqlite3_extended_errcode(store->db) == SQLITE_READONLY_DBMOVED &&
        fault_check_place(store, err))
        return -1;
    fault_describe(text, sizeof text, store);
    return err_set(err, "%s: %s", store->path, text);
}

int db_exec(struct store *store, const char *sql, struct err *err)
{
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : db_fail(store, err);
}

int db_begin(struct store *store, struct err *err)
{
    if (!sqlite3_get_autocommit(store->db))
        return 0;
    FAULT("store: before a transaction");
    return db_finish(store, db_bind(store, STATEMENT_BEGIN, err, ""), err);
}

sqlite3_stmt *db_prepare(struct store *store, const char *sql, struct err *err)
{
    sqlite3_stmt *row = NULL;

    if (sqlite3_prepare_v2(store->db, sql, -1, &row, NULL) != SQLITE_OK)
        db_fail(store, err);
    return row;
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
