/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/expression.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "store/db.h"
#include "store/query.h"
#include "store/store.h"
#include "trial/model_type.h"

/* ---- expressions that do not end ---- */

/* A nonzero result interrupts the statement. */
static int count_call(void *arg)
{
    struct expression_limit *limit = arg;

    return --limit->calls < 0;
}

static void count_steps(sqlite3 *db, int steps_a_call, struct expression_limit *limit)
{
    sqlite3_progress_handler(db, steps_a_call, count_call, limit);
}

/* ---- a condition on the leaderboard ---- */

/* some milliseconds */
#define STEPS_A_CALL 1000000
/* Enough for the leaderboard, some thousand steps a trial, and a condition on each row. */
#define CALLS_LEAST 50
#define TRIALS_A_CALL 50

static bool is_readable(const char *table)
{
    static const char *const readable[] = {
        "leaderboard", "trials",     "sweep",   "axis",      "config",    "trial",
        "metric",      "curve",      "timing",  "session",   "attempt",   "checkpoint",
        "model",       "prediction", "traffic", "data_fact", "json_each", "json_tree"};

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

sqlite3_stmt *expression_prepare(struct store *store, const char *sql, const char *where,
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

int expression_begin(struct expression_limit *limit, struct store *store, struct err *err)
{
    if (allowed_calls(&limit->calls, store, err))
        return -1;
    count_steps(store->db, STEPS_A_CALL, limit);
    return 0;
}

int expression_end(const struct expression_limit *limit, struct store *store, const char *where,
                   struct err *err)
{
    sqlite3_progress_handler(store->db, 0, NULL, NULL);
    if (limit->calls >= 0)
        return 0;
    return err_set(err, "where %s: it takes too long and was stopped; simplify the condition",
                   where);
}

/* ---- `where` over the axes of a sweep file ---- */

/* An expression takes some hundred steps, but one over long json_each() lists could run forever.
 * Steps, unlike time, are the same on all ranks. */
#define STEPS_A_POINT 1000000
#define STEPS_COUNTED 10000
#define LONGEST_VALUE 10000 /* bytes */

struct store_predicate {
    sqlite3 *db;
    sqlite3_stmt *statement;
    char *expression;
    struct expression_limit limit;
    struct buf word;
};

/* All ranks must make the same plan. */
static bool is_constant_function(const char *name)
{
    static const char *const refused[] = {
        "random",
        "randomblob",
        "date",
        "time",
        "datetime",
        "julianday",
        "strftime",
        "unixepoch",
        "changes",
        "total_changes",
        "current_date",
        "current_time",
        "current_timestamp",
        "load_extension",
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (!strcasecmp(refused[i], name))
            return false;
    return true;
}

static int authorize_axes(void *arg, int action, const char *a, const char *b, const char *database,
                          const char *trigger)
{
    (void)arg;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
        return SQLITE_OK;
    case SQLITE_READ:
        /* The schema table is the only real table. */
        return a && strncmp(a, "sqlite_", 7) == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_FUNCTION:
        return b && is_constant_function(b) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* Append one subquery for each section, so that both k and graph.k are found:
 *     FROM (SELECT ?1 AS "k") AS "graph", (SELECT ?2 AS "dropout") AS "model" */
static void put_axes(struct buf *sql, const struct sweep *sweep)
{
    const char *lead = " FROM ";

    for (size_t first = 0; first < sweep->n_axes; first++) {
        const char *section = param_table[sweep->axes[first].id].section;
        const char *gap = "";
        bool is_seen = false;

        for (size_t a = 0; a < first; a++)
            is_seen |= !strcmp(param_table[sweep->axes[a].id].section, section);
        if (is_seen)
            continue;
        buf_printf(sql, "%s(SELECT ", lead);
        for (size_t a = first; a < sweep->n_axes; a++) {
            const struct param *p = &param_table[sweep->axes[a].id];

            if (strcmp(p->section, section) != 0)
                continue;
            buf_printf(sql, "%s?%zu AS \"%s\"", gap, a + 1, p->key);
            gap = ", ";
        }
        buf_printf(sql, ") AS \"%s\"", section);
        lead = ", ";
    }
}

static int fail(struct store_predicate *p, const struct sweep *sweep, struct err *err)
{
    struct buf axes = {0};
    const char *what = sqlite3_errmsg(p->db);

    for (size_t a = 0; a < sweep->n_axes; a++)
        buf_printf(&axes, "%s%s", a ? ", " : "", param_table[sweep->axes[a].id].key);
    if (!strncmp(what, "no such column", 14))
        err_set(err, "where = %s: %s; the axes are: %s", p->expression, what,
                sweep->n_axes ? buf_text(&axes) : "none");
    else if (!strcmp(what, "not an error"))
        err_set(err, "where = %s: more than one expression", p->expression);
    else if (sqlite3_errcode(p->db) == SQLITE_INTERRUPT)
        err_set(err, "where = %s: it takes more than %d steps for one point; simplify it",
                p->expression, STEPS_A_POINT);
    else
        err_set(err, "where = %s: %s", p->expression, what);
    buf_release(&axes);
    return -1;
}

/* The line break ends a comment in the expression. */
static int prepare(struct store_predicate *p, const struct sweep *sweep, int depth,
                   sqlite3_stmt **statement, struct err *err)
{
    struct buf sql = {0};
    const char *rest = "";
    int rc;

    *statement = NULL;
    buf_printf(&sql, "SELECT %.*s%s\n%.*s", depth, "((", p->expression, depth, "))");
    put_axes(&sql, sweep);
    if (buf_failed(&sql)) {
        buf_release(&sql);
        return err_nomem(err, "where", 0);
    }
    rc = sqlite3_prepare_v2(p->db, buf_text(&sql), -1, statement, &rest);
    if (rc != SQLITE_OK || *rest)
        rc = fail(p, sweep, err);
    buf_release(&sql);
    return rc;
}

/* Reject text that closes our parenthesis and opens another ("1) UNION SELECT (1"): it parses at
 * only one depth. */
static int compile(struct store_predicate *p, const struct sweep *sweep, struct err *err)
{
    sqlite3_stmt *deeper;
    int rc = prepare(p, sweep, 1, &p->statement, err);

    if (rc)
        return rc;
    rc = prepare(p, sweep, 2, &deeper, err);
    sqlite3_finalize(deeper);
    return rc;
}

int store_predicate_open(struct store_predicate **out, const char *expression,
                         const struct sweep *sweep, struct err *err)
{
    struct store_predicate *p = calloc(1, sizeof *p);

    *out = NULL;
    if (p)
        p->expression = strdup(expression);
    if (!p || !p->expression || sqlite3_open(":memory:", &p->db) != SQLITE_OK) {
        store_predicate_close(p);
        return err_nomem(err, "where", sizeof *p);
    }
    sqlite3_db_config(p->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_limit(p->db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_set_authorizer(p->db, authorize_axes, NULL);
    p->limit.calls = STEPS_A_POINT / STEPS_COUNTED;
    count_steps(p->db, STEPS_COUNTED, &p->limit);
    if (compile(p, sweep, err)) {
        store_predicate_close(p);
        return -1;
    }
    *out = p;
    return 0;
}

void store_predicate_close(struct store_predicate *p)
{
    if (!p)
        return;
    sqlite3_finalize(p->statement);
    sqlite3_close(p->db);
    buf_release(&p->word);
    free(p->expression);
    free(p);
}

static int bind_value(struct store_predicate *p, int i, enum param_id id, union value v)
{
    enum param_type type = param_table[id].type;

    if (type == PARAM_INT || (type == PARAM_COUNT && v.i))
        return sqlite3_bind_int64(p->statement, i, v.i);
    if (type == PARAM_REAL || type == PARAM_DURATION)
        return sqlite3_bind_double(p->statement, i, v.f);
    buf_clear(&p->word);
    param_format(&p->word, id, v);
    return sqlite3_bind_text(p->statement, i, buf_text(&p->word), -1, SQLITE_TRANSIENT);
}

int store_predicate_keep(void *predicate, const struct sweep *sweep, const struct settings *point,
                         struct err *err)
{
    struct store_predicate *p = predicate;
    int keep = -1;

    for (size_t a = 0; a < sweep->n_axes; a++)
        if (bind_value(p, (int)a + 1, sweep->axes[a].id, point->v[sweep->axes[a].id]) != SQLITE_OK)
            return fail(p, sweep, err);
    p->limit.calls = STEPS_A_POINT / STEPS_COUNTED;
    if (sqlite3_step(p->statement) == SQLITE_ROW)
        keep = sqlite3_column_double(p->statement, 0) != 0;
    else
        fail(p, sweep, err);
    sqlite3_reset(p->statement);
    return keep;
}
