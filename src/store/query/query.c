/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/query/query.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "store/db.h"
#include "store/query/query_rows.h"

static const struct {
    const char *types, *sql;
} queries[QUERY_COUNT] = {
#define QUERY_ROW(id, types, sql) {types, sql},
    QUERY_TABLE(QUERY_ROW)
#undef QUERY_ROW
};

static int read_cell(struct cell *cell, sqlite3_stmt *row, int c)
{
    db_view_cell(cell, row, c);
    if (cell->type != CELL_TEXT)
        return 0;
    cell->s = strdup(cell->s);
    if (!cell->s)
        cell->type = CELL_NULL;
    return cell->s ? 0 : -1;
}

static int add_row(struct result_table *out, int64_t *capacity, sqlite3_stmt *row)
{
    struct cell *grown;
    int rc = 0;

    if (out->n_rows == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 64;
        grown = realloc(out->cells, (size_t)(*capacity * out->n_cols) * sizeof *grown);
        if (!grown)
            return -1;
        out->cells = grown;
    }
    for (int c = 0; c < out->n_cols; c++)
        rc |= read_cell(&out->cells[out->n_rows * out->n_cols + c], row, c);
    out->n_rows++;
    return rc;
}

static char type_of(const char *types, const char *column)
{
    size_t n = strlen(column);

    for (const char *p = types; *p; p += strcspn(p, " "), p += strspn(p, " "))
        if (!strncmp(p, column, n) && p[n] == ':')
            return p[n + 1];
    return '?';
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
        out[c] = type_of(types, table->names[c]);
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
    int rc = db_column_names(out, row);
    bool is_short = rc != 0;

    if (!is_short)
        order_types(types, out, types_of);
    while (!is_short && rc >= 0 && (rc = db_step(store, row, err)) == 1) {
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

sqlite3_stmt *query_prepare(struct store *store, const char *sql, int64_t id, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql, err);

    if (row && sqlite3_bind_parameter_count(row))
        sqlite3_bind_int64(row, 1, id);
    return row;
}

int query_table(struct result_table *out, struct store *store, enum query query, int64_t id,
                struct err *err)
{
    sqlite3_stmt *row = query_prepare(store, queries[query].sql, id, err);

    memset(out, 0, sizeof *out);
    return row ? query_collect(out, store, row, queries[query].types, err) : -1;
}

static int each_row(struct store *store, sqlite3_stmt *statement, const char *types,
                    int (*row)(void *arg, const struct result_table *row, struct err *err),
                    void *arg, struct result_table *view, struct err *err)
{
    int rc;

    while ((rc = db_step(store, statement, err)) == 1) {
        if (db_check_row(store, statement, types, err))
            return -1;
        for (int c = 0; c < view->n_cols; c++)
            db_view_cell(&view->cells[c], statement, c);
        if (row(arg, view, err))
            return -1;
    }
    return rc;
}

int query_each(struct store *store, enum query query, int64_t id,
               int (*row)(void *arg, const struct result_table *row, struct err *err), void *arg,
               struct err *err)
{
    sqlite3_stmt *statement = query_prepare(store, queries[query].sql, id, err);
    struct result_table view = {0};
    char types[TYPED_COLUMNS + 1];
    int rc = -1;

    if (!statement)
        return -1;
    if (!db_column_names(&view, statement))
        view.cells = calloc((size_t)view.n_cols + 1, sizeof *view.cells);
    if (view.cells) {
        order_types(types, &view, queries[query].types);
        view.n_rows = 1;
        rc = each_row(store, statement, types, row, arg, &view, err);
    } else {
        err_nomem(err, "answer", sizeof *view.cells);
    }
    view.n_rows = 0; /* the table does not own the texts */
    result_table_release(&view);
    sqlite3_finalize(statement);
    return rc;
}

bool query_parse_id(int64_t *id, const char *text, char letter)
{
    const char *digits = text + (*text == letter);
    char *end;

    errno = 0;
    *id = strtoll(digits, &end, 10);
    return !errno && end != digits && !*end && *id > 0;
}
