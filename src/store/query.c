#include "store/query.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/student.h"
#include "store/asked.h"
#include "store/db.h"
#include "trial/kept.h"

static const char *const query_sql[QUERY_COUNT] = {
#define QUERY_SQL(id, sql) sql,
    QUERY_TABLE(QUERY_SQL)
#undef QUERY_SQL
};

static const char sql_sweep[] = "SELECT sweep_id, name, objective, (SELECT count(*) FROM sweep)"
                                " FROM sweep WHERE ?1 IS NULL OR name = ?1"
                                " ORDER BY updated DESC, sweep_id DESC LIMIT 1";
static const char sql_sweep_names[] = "SELECT group_concat(name, ', ') FROM"
                                      " (SELECT name FROM sweep ORDER BY sweep_id)";
static const char sql_axes[] = "SELECT name FROM axis WHERE sweep_id = ?1 ORDER BY ordinal";
static const char sql_trials[] = "SELECT * FROM trials WHERE ?1 = 0"
                                 " OR sweep = (SELECT name FROM sweep WHERE sweep_id = ?1)";
static const char sql_config_ini[] = "SELECT ini, name FROM config JOIN sweep USING (sweep_id)"
                                     " WHERE config_id = ?1";
/* -> gives a number as it was written, json_each.value only 15 digits of it. */
static const char sql_config_params[] =
    "SELECT p.key, iif(p.type = 'text', p.value, config.params -> p.key)"
    " FROM config, json_each(config.params) AS p WHERE config_id = ?1";

void table_release(struct table *table)
{
    if (!table)
        return;
    for (int32_t c = 0; table->names && c < table->n_cols; c++)
        free(table->names[c]);
    for (int64_t i = 0; i < table->n_rows * table->n_cols; i++)
        if (table->cells[i].type == CELL_TEXT)
            free((char *)(uintptr_t)table->cells[i].s);
    free(table->names);
    free(table->cells);
    memset(table, 0, sizeof *table);
}

void table_drop_empty(struct table *table)
{
    int32_t last = table->n_cols - 1;

    for (int64_t r = 0; r < table->n_rows; r++)
        if (table->cells[r * table->n_cols + last].type != CELL_NULL)
            return;
    for (int64_t r = 1; r < table->n_rows; r++)
        memmove(&table->cells[r * last], &table->cells[r * table->n_cols],
                (size_t)last * sizeof *table->cells);
    free(table->names[last]);
    table->n_cols = last;
}

static int column_names(struct table *out, sqlite3_stmt *row)
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

static int read_cell(struct cell *cell, sqlite3_stmt *row, int c)
{
    char *text;

    switch (sqlite3_column_type(row, c)) {
    case SQLITE_INTEGER:
        *cell = (struct cell){.type = CELL_INTEGER, .i = sqlite3_column_int64(row, c)};
        return 0;
    case SQLITE_FLOAT:
        *cell = (struct cell){.type = CELL_REAL, .f = sqlite3_column_double(row, c)};
        return 0;
    case SQLITE_NULL:
        *cell = (struct cell){.type = CELL_NULL};
        return 0;
    default:
        text = strdup((const char *)sqlite3_column_text(row, c));
        *cell = (struct cell){.type = text ? CELL_TEXT : CELL_NULL, .s = text};
        return text ? 0 : -1;
    }
}

static int add_row(struct table *out, int64_t *capacity, sqlite3_stmt *row)
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

/* All rows of a bound statement, which is finalized. */
static int collect(struct table *out, struct store *store, sqlite3_stmt *row, struct err *err)
{
    int64_t capacity = 0;
    int rc = column_names(out, row);
    bool is_short = rc != 0;

    while (!is_short && (rc = db_step(store, row, err)) == 1)
        is_short = add_row(out, &capacity, row) != 0;
    sqlite3_finalize(row);
    if (is_short)
        rc = err_nomem(err, "answer", (size_t)(capacity * out->n_cols) * sizeof *out->cells);
    if (rc)
        table_release(out);
    return rc;
}

static sqlite3_stmt *prepare_id(struct store *store, const char *sql, int64_t id, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql, err);

    if (row)
        sqlite3_bind_int64(row, 1, id);
    return row;
}

int query_table(struct table *out, struct store *store, enum query query, int64_t id,
                struct err *err)
{
    sqlite3_stmt *row = prepare_id(store, query_sql[query], id, err);

    memset(out, 0, sizeof *out);
    return row ? collect(out, store, row, err) : -1;
}

int query_trials(struct table *out, struct store *store, const struct query_sweep *sweep,
                 struct err *err)
{
    sqlite3_stmt *row = prepare_id(store, sql_trials, sweep ? sweep->sweep_id : 0, err);

    memset(out, 0, sizeof *out);
    return row ? collect(out, store, row, err) : -1;
}

static int no_such_sweep(struct store *store, const char *name, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_sweep_names, err);
    const char *names = NULL;

    if (!row)
        return -1;
    if (db_step(store, row, err) == 1)
        names = (const char *)sqlite3_column_text(row, 0);
    if (!names)
        err_set(err, "%s: no sweep in it yet; run 'espalier run' first", store->path);
    else
        err_set(err, "%s: no sweep '%s' in it; there is: %s", store->path, name, names);
    sqlite3_finalize(row);
    return -1;
}

int query_sweep(struct query_sweep *sweep, struct store *store, const char *name, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_sweep, err);
    int rc;

    if (!row)
        return -1;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    rc = db_step(store, row, err);
    if (rc == 1) {
        sweep->sweep_id = sqlite3_column_int64(row, 0);
        snprintf(sweep->name, sizeof sweep->name, "%s", sqlite3_column_text(row, 1));
        snprintf(sweep->objective, sizeof sweep->objective, "%s", sqlite3_column_text(row, 2));
        sweep->n_sweeps = sqlite3_column_int64(row, 3);
    }
    sqlite3_finalize(row);
    return rc == 1 ? 0 : rc < 0 ? -1 : no_such_sweep(store, name, err);
}

static int put_axes(struct buf *sql, struct store *store, int64_t sweep_id, struct err *err)
{
    sqlite3_stmt *row = prepare_id(store, sql_axes, sweep_id, err);
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        buf_printf(sql, " \"%s\",", sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    return rc;
}

/* Prepare the leaderboard's SQL; the user's expression is all that can be wrong with it. */
static sqlite3_stmt *prepare_where(struct store *store, const char *sql, const char *where,
                                   struct err *err)
{
    sqlite3_stmt *row = NULL;
    const char *rest = "";

    if (sqlite3_prepare_v2(store->db, sql, -1, &row, &rest) != SQLITE_OK) {
        db_fail(store, err);
    } else if (*rest) {
        err_set(err, "more than one expression");
        sqlite3_finalize(row);
        row = NULL;
    }
    if (!row && where)
        err_wrap(err, "where %s", where);
    return row;
}

/* For SQL of this program: a view must do without it. */
static void t95(sqlite3_context *context, int n, sqlite3_value **values)
{
    (void)n;
    sqlite3_result_double(context, student_two_sided(0.95, sqlite3_value_int64(values[0])));
}

static int add_t95(struct store *store, struct err *err)
{
    return sqlite3_create_function(store->db, "t95", 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, NULL,
                                   t95, NULL, NULL) == SQLITE_OK
               ? 0
               : db_fail(store, err);
}

static int put_rows(struct buf *sql, struct store *store, const struct query_sweep *sweep,
                    const char *where, bool is_brief, struct err *err)
{
    int rc;

    buf_puts(sql, "SELECT place, config,");
    rc = put_axes(sql, store, sweep->sweep_id, err);
    buf_printf(sql,
               " trials, mean, sd, se, diff,%s diff - t95(pairs - 1) * diff_se AS diff_low,"
               " diff + t95(pairs - 1) * diff_se AS diff_high, %s, seconds FROM leaderboard"
               " WHERE sweep = (SELECT name FROM sweep WHERE sweep_id = ?1) AND (%s\n)",
               is_brief ? "" : " diff_se,",
               is_brief ? "CASE within_se WHEN 1 THEN '*' WHEN 0 THEN '' END AS within_se"
                        : "pairs, within_se, flops",
               where ? where : "true");
    return rc;
}

/* Run what has been put together, and release it. */
static int collect_rows(struct table *out, struct store *store, const struct query_sweep *sweep,
                        struct buf *sql, const char *where, int64_t limit, struct err *err)
{
    sqlite3_stmt *row = NULL;
    int rc = buf_failed(sql) ? err_nomem(err, "query", sql->size) : add_t95(store, err);

    if (!rc)
        row = prepare_where(store, buf_text(sql), where, err);
    buf_release(sql);
    if (!row)
        return -1;
    sqlite3_bind_int64(row, 1, sweep->sweep_id);
    sqlite3_bind_int64(row, 2, limit);
    return collect(out, store, row, err);
}

int query_leaderboard(struct table *out, struct store *store, const struct query_sweep *sweep,
                      const char *where, int64_t limit, bool is_brief, struct err *err)
{
    struct buf sql = {0};

    memset(out, 0, sizeof *out);
    if (put_rows(&sql, store, sweep, where, is_brief, err)) {
        buf_release(&sql);
        return -1;
    }
    buf_puts(&sql, " ORDER BY place LIMIT ?2");
    return collect_rows(out, store, sweep, &sql, where, limit, err);
}

int query_cheapest(struct table *out, struct store *store, const struct query_sweep *sweep,
                   const char *where, struct err *err)
{
    struct buf sql = {0};

    memset(out, 0, sizeof *out);
    buf_puts(&sql, "WITH l AS MATERIALIZED (");
    if (put_rows(&sql, store, sweep, where, false, err)) {
        buf_release(&sql);
        return -1;
    }
    buf_puts(&sql, ") " RULE_1SE " LIMIT ?2");
    return collect_rows(out, store, sweep, &sql, where, 1, err);
}

/* Put the values of a configuration into settings; a name that this program does not know comes
 * from a newer one. */
static int overlay_params(struct settings *settings, struct store *store, int64_t config_id,
                          struct err *err)
{
    sqlite3_stmt *row = prepare_id(store, sql_config_params, config_id, err);
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1) {
        const char *name = (const char *)sqlite3_column_text(row, 0);
        enum param_id id = param_find(NULL, name);

        if (id == P_COUNT)
            rc = err_set(err, "%s: configuration %lld has an unknown setting '%s'", store->path,
                         (long long)config_id, name);
        else if (param_parse(&settings->v[id], id, (const char *)sqlite3_column_text(row, 1), err))
            rc = err_wrap(err, "%s: configuration %lld", store->path, (long long)config_id);
    }
    sqlite3_finalize(row);
    return rc;
}

/* Under the name that the sweep has by now: it may have been superseded since. */
static int write_ini(struct buf *out, struct store *store, int64_t config_id, const char *ini,
                     const char *name, struct err *err)
{
    struct sweep sweep;
    struct settings settings;
    int rc = stored_sweep_parse(&sweep, store, ini, err);

    settings = sweep.fixed;
    settings.v[P_SWEEP_NAME].s = name;
    if (keep_of(&settings) == KEEP_NONE) /* what is chosen is trained again for its models */
        settings.v[P_KEEP].i = KEEP_BEST;
    if (!rc)
        rc = overlay_params(&settings, store, config_id, err);
    if (!rc)
        sweep_write(out, &sweep, &settings);
    sweep_release(&sweep);
    return rc;
}

int query_ini(struct buf *out, struct store *store, int64_t config_id, struct err *err)
{
    sqlite3_stmt *row = prepare_id(store, sql_config_ini, config_id, err);
    int rc;

    if (!row)
        return -1;
    rc = db_step(store, row, err);
    if (rc == 1)
        rc = write_ini(out, store, config_id, (const char *)sqlite3_column_text(row, 0),
                       (const char *)sqlite3_column_text(row, 1), err);
    else if (rc == 0)
        rc = err_set(err, "%s: no configuration %lld in it", store->path, (long long)config_id);
    sqlite3_finalize(row);
    return rc;
}

enum query_life query_life(const char **why, const struct store *store, int64_t session_id)
{
    const struct asked *asked = asked_find(store, session_id);

    *why = asked ? asked->why : "";
    if (!asked)
        return QUERY_LIFE_ENDED;
    switch (asked->life) {
    case ASKED_LIVES:
        return QUERY_LIFE_RUNNING;
    case ASKED_ELSEWHERE:
        return QUERY_LIFE_ELSEWHERE;
    default:
        return QUERY_LIFE_GONE;
    }
}

bool query_writer(const char *path, struct lock_holder *holder)
{
    return lock_is_held(path, holder);
}
