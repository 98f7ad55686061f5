/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/query/condition.h"

#include <string.h>

#include "base/nearest.h"
#include "store/query/query.h"
#include "trial/model_type.h"

/* some milliseconds */
#define STEPS_A_CALL 1000000
/* Enough for the leaderboard, some thousand steps a trial, and a condition on each row. */
#define CALLS_LEAST 50
#define TRIALS_A_CALL 50

static bool is_readable(const char *table)
{
    static const char *const readable[] = {
        "leaderboard", "trials",    "sweep",     "axis",     "config",       "trial",
        "metric",      "curve",     "timing",    "session",  "attempt",      "member",
        "checkpoint",  "model",     "log",       "file",     "curve_metric", "prediction",
        "traffic",     "data_fact", "json_each", "json_tree"};

    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++)
        if (!sqlite3_stricmp(table, readable[i]))
            return true;
    return false;
}

/* names: NUL-terminated other tables and views of the file. */
static bool is_foreign(const struct buf *names, const char *table)
{
    const char *name = buf_text(names), *end = name + names->size;

    for (; name < end; name += strlen(name) + 1)
        if (!sqlite3_stricmp(name, table))
            return true;
    return !sqlite3_strnicmp(table, "sqlite_", 7) || !sqlite3_strnicmp(table, "pragma_", 7);
}

/* Allow only the leaderboard and, in subqueries, tables of this program. A view was checked when it
 * was named. If no column is read, as by count(*), a WITH table looks like one of the file. */
static int authorize_tables(void *arg, int action, const char *a, const char *b,
                            const char *database, const char *view)
{
    if (action == SQLITE_SELECT || action == SQLITE_RECURSIVE)
        return SQLITE_OK;
    if (action == SQLITE_FUNCTION)
        return b && strcmp(b, "load_extension") != 0 ? SQLITE_OK : SQLITE_DENY;
    if (action != SQLITE_READ || !a)
        return SQLITE_DENY;
    if (view && !database && !is_foreign(arg, a))
        return SQLITE_OK;
    return is_readable(a) ? SQLITE_OK : SQLITE_DENY;
}

static int find_foreign(struct buf *names, struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_prepare(
        store, "SELECT name FROM main.sqlite_schema WHERE type IN ('table', 'view')", err);
    const char *name;
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1) {
        if (db_read(store, row, err, "s", &name))
            rc = -1;
        else if (!is_readable(name))
            buf_add(names, name, strlen(name) + 1);
    }
    sqlite3_finalize(row);
    return rc ? -1 : buf_failed(names) ? err_nomem(err, "names of tables", names->size) : 0;
}

static void find_nearest_column(struct nearest *nearest, struct store *store)
{
    struct buf columns = {0};

    if (!query_columns(&columns, store, NULL)) {
        const char *column = buf_text(&columns), *end = column + columns.size;

        for (; column < end; column += strlen(column) + 1)
            nearest_offer(nearest, column);
    }
    buf_release(&columns);
}

/* SQLite takes a word without quotes for a column. */
static void explain(struct store *store, const char *where, struct err *err)
{
    static const char no_column[] = "no such column: ";
    struct err why = *err;
    const char *type = "", *wrong = strstr(why.text, no_column);
    struct nearest nearest = {.best = ""};
    char hint[NEAREST_HINT];

    for (int i = 0; model_type(i); i++)
        type = model_type(i)->trains ? model_type(i)->name : type;
    if (wrong) {
        nearest.wrong = wrong + strlen(no_column);
        find_nearest_column(&nearest, store);
    }
    if (wrong && !*nearest.best)
        err_set(err, "where %s: %s; put text in quotes, as in type = '%s'", where, why.text, type);
    else
        err_set(err, "where %s: %s%s", where, why.text,
                nearest_hint(hint, "", nearest.best, "", ""));
}

sqlite3_stmt *condition_prepare(struct store *store, const char *sql, const char *where,
                                struct err *err)
{
    struct buf foreign = {0};
    sqlite3_stmt *row = NULL;

    if (!where)
        return db_prepare(store, sql, err);
    if (!find_foreign(&foreign, store, err)) {
        sqlite3_set_authorizer(store->db, authorize_tables, &foreign);
        row = db_prepare(store, sql, err);
        sqlite3_set_authorizer(store->db, NULL, NULL);
        if (!row)
            explain(store, where, err);
    }
    buf_release(&foreign);
    return row;
}

static int allowed_calls(int64_t *calls, struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, "SELECT count(*) FROM trial", err);
    int64_t n_trials;
    int rc = db_integer(store, row, 0, &n_trials, err);

    sqlite3_finalize(row);
    *calls = CALLS_LEAST + n_trials / TRIALS_A_CALL;
    return rc;
}

int condition_begin(struct step_limit *limit, struct store *store, struct err *err)
{
    if (allowed_calls(&limit->calls, store, err))
        return -1;
    db_limit_steps(store->db, STEPS_A_CALL, limit);
    return 0;
}

int condition_end(const struct step_limit *limit, struct store *store, const char *where,
                  struct err *err)
{
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    if (limit->calls >= 0)
        return 0;
    return err_set(err, "where %s: it takes too long and was stopped; simplify the condition",
                   where);
}
