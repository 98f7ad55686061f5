/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/query/query.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/db.h"
#include "store/stored_settings.h"

static const struct {
    const char *types, *sql;
} queries[QUERY_COUNT] = {
#define QUERY_ROW(id, types, sql) {types, sql},
    QUERY_TABLE(QUERY_ROW)
#undef QUERY_ROW
};

static int add_row(struct result_table *out, int64_t *capacity, sqlite3_stmt *row)
{
    struct cell *grown, *cell;
    int rc = 0;

    if (out->n_rows == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 64;
        grown = realloc(out->cells, (size_t)(*capacity * out->n_cols) * sizeof *grown);
        if (!grown)
            return -1;
        out->cells = grown;
    }
    cell = &out->cells[out->n_rows++ * out->n_cols];
    for (int c = 0; c < out->n_cols; c++, cell++) {
        db_view_cell(cell, row, c);
        if (cell->type == CELL_TEXT && !(cell->s = strdup(cell->s))) {
            cell->type = CELL_NULL;
            rc = -1;
        }
    }
    return rc;
}

enum { TYPED_COLUMNS = 31 };

/* Order the letters of `types` like the columns. */
static void order_types(char out[TYPED_COLUMNS + 1], const struct result_table *table,
                        const char *types)
{
    int32_t n = *types ? table->n_cols : 0, n_missing = 0;

    assert(n <= TYPED_COLUMNS);
    for (const char *p = types; *p; p++)
        n_missing += *p == ':';
    for (int32_t c = 0; c < n; c++) {
        size_t length = strlen(table->names[c]);

        out[c] = '?';
        for (const char *p = types; *p; p += strcspn(p, " "), p += strspn(p, " "))
            if (!strncmp(p, table->names[c], length) && p[length] == ':')
                out[c] = p[length + 1];
        n_missing -= out[c] != '?';
    }
    out[n] = '\0';
    assert(!n_missing);
}

int query_collect(struct result_table *out, struct store *store, sqlite3_stmt *row,
                  const char *types_of, struct err *err)
{
    char types[TYPED_COLUMNS + 1];
    int64_t capacity = 0;
    bool is_short = db_column_names(out, row) != 0;
    int rc = 0;

    if (!is_short)
        order_types(types, out, types_of);
    while (!is_short && db_next(&rc, store, row, err)) {
        rc = db_check_row(store, row, types, err);
        is_short = !rc && add_row(out, &capacity, row) != 0;
    }
    sqlite3_finalize(row);
    if (is_short)
        rc = err_nomem(err, "answer", (size_t)(capacity * out->n_cols) * sizeof *out->cells);
    if (rc)
        result_table_release(out);
    return rc;
}

static sqlite3_stmt *prepare(struct store *store, enum query query, int64_t id, struct err *err)
{
    sqlite3_stmt *row = db_query(store, queries[query].sql, err, "");

    if (row && sqlite3_bind_parameter_count(row))
        sqlite3_bind_int64(row, 1, id);
    return row;
}

int query_table(struct result_table *out, struct store *store, enum query query, int64_t id,
                struct err *err)
{
    sqlite3_stmt *row = prepare(store, query, id, err);

    memset(out, 0, sizeof *out);
    return row ? query_collect(out, store, row, queries[query].types, err) : -1;
}

int query_each(struct store *store, enum query query, int64_t id,
               int (*row)(void *arg, const struct result_table *row, struct err *err), void *arg,
               struct err *err)
{
    sqlite3_stmt *statement = prepare(store, query, id, err);
    struct result_table view = {0};
    char types[TYPED_COLUMNS + 1];
    int rc = 0;

    if (!statement)
        return -1;
    if (!db_column_names(&view, statement))
        view.cells = calloc((size_t)view.n_cols + 1, sizeof *view.cells);
    if (view.cells)
        order_types(types, &view, queries[query].types);
    else
        rc = err_nomem(err, "answer", sizeof *view.cells);
    view.n_rows = 1;
    while (db_next(&rc, store, statement, err)) {
        rc = db_check_row(store, statement, types, err);
        for (int c = 0; c < view.n_cols; c++)
            db_view_cell(&view.cells[c], statement, c);
        if (!rc && row(arg, &view, err))
            rc = -1;
    }
    view.n_rows = 0; /* the table does not own the texts */
    result_table_release(&view);
    sqlite3_finalize(statement);
    return rc;
}

/* ---- the sweep ---- */

static const char sql_sweep[] =
    "SELECT sweep_id, name, objective, (SELECT count(*) FROM sweep),"
    " task = 'none', direction = 'max', coalesce(planned, 0), EXISTS"
    " (SELECT 1 FROM decision AS d WHERE d.sweep_id = sweep.sweep_id) FROM "
    "sweep WHERE ?1 IS NULL OR name = ?1"
    " ORDER BY updated DESC, sweep_id DESC LIMIT 1";
static const char sql_sweep_names[] = "SELECT group_concat(name, ', ') FROM"
                                      " (SELECT name FROM sweep ORDER BY sweep_id)";

static int no_such_sweep(struct store *store, const char *name, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_sweep_names, err, "");
    const char *names;

    if (db_step(store, row, err) == 1 && !db_read(store, row, err, "S", &names)) {
        if (names)
            err_set(err, "%s: no sweep '%s' in it; its sweeps are: %s", store->path, name, names);
        else
            err_set(err, "%s: no sweep in it yet; run 'espalier run' first", store->path);
    }
    sqlite3_finalize(row);
    return -1;
}

int query_sweep(struct query_sweep *sweep, struct store *store, const char *name, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_sweep, err, "s", name);
    const char *its_name, *objective;
    int64_t is_program = 0, maximize = 0, has_search = 0;
    int rc = db_step(store, row, err);

    if (rc == 1 &&
        (db_read(store, row, err, "issiiiii", &sweep->sweep_id, &its_name, &objective,
                 &sweep->n_sweeps, &is_program, &maximize, &sweep->planned, &has_search) ||
         stored_settings_check_text(store, "name of a sweep", its_name, err) ||
         stored_settings_check_text(store, "objective", objective, err)))
        rc = -1;
    if (rc == 1) {
        snprintf(sweep->name, sizeof sweep->name, "%s", its_name);
        snprintf(sweep->objective, sizeof sweep->objective, "%s", objective);
        sweep->is_program = is_program != 0;
        sweep->maximize = maximize != 0;
        /* a reader from before its first decision has no column for it */
        sweep->has_search = has_search && store->has_search;
    }
    sqlite3_finalize(row);
    return rc == 1 ? 0 : rc < 0 ? -1 : no_such_sweep(store, name, err);
}

/* ---- checks of tables ---- */

static const struct {
    const char *table;
    enum query query;
} checked[QUERY_CHECKED_TABLES] = {
    {"prediction", QUERY_CHECK_PREDICTION},
    {"traffic", QUERY_CHECK_TRAFFIC},
    {"data_fact", QUERY_CHECK_FACT},
    {"log", QUERY_CHECK_LOG},
    {"file", QUERY_CHECK_FILE},
    {"curve_metric", QUERY_CHECK_CURVE_METRIC},
    {"member", QUERY_CHECK_MEMBER},
};

static int count_row(void *arg, const struct result_table *row, struct err *err)
{
    struct query_table_check *to = arg;
    const char *fault = result_table_text(row, 0, "fault");

    (void)err;
    to->n_rows++;
    if (*fault && !to->n_damaged++)
        err_set(&to->first, "%s: %s", result_table_text(row, 0, "place"), fault);
    return 0;
}

int query_check_tables(struct query_table_check out[QUERY_CHECKED_TABLES], struct store *store,
                       struct err *err)
{
    for (int i = 0; i < QUERY_CHECKED_TABLES; i++) {
        out[i] = (struct query_table_check){.table = checked[i].table};
        if (query_each(store, checked[i].query, 0, count_row, &out[i], err))
            return -1;
    }
    return 0;
}

int query_check_traffic(struct store *store, int64_t session_id, struct err *err)
{
    struct query_table_check of = {.n_rows = 0};

    if (query_each(store, QUERY_CHECK_TRAFFIC, session_id, count_row, &of, err))
        return -1;
    return of.n_damaged ? err_set(err,
                                  "%s: table 'traffic', %s; the file is damaged, or another "
                                  "program changed it",
                                  store->path, of.first.text)
                        : 0;
}

bool query_parse_id(int64_t *id, const char *text, char letter)
{
    const char *digits = text + (*text == letter);
    char *end;

    errno = 0;
    *id = strtoll(digits, &end, 10);
    return !errno && end != digits && !*end && *id > 0;
}
