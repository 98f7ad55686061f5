/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's curve and log. */
#include <string.h>

#include "store/db.h"
#include "store/query/query.h"
#include "store/query/query_rows.h"

/* columns of one answer; a program may report any number */
#define MOST_NAMES "50"

static const char sql_names[] = "SELECT DISTINCT name FROM curve_metric WHERE trial_id = ?1"
                                " ORDER BY name LIMIT " MOST_NAMES;
static const char sql_objective[] = "SELECT objective FROM trial JOIN config USING (config_id)"
                                    " JOIN sweep USING (sweep_id)"
                                    " WHERE trial_id = ?1 AND task = 'none'";
static const char sql_log[] = "SELECT bytes, tail FROM log WHERE trial_id = ?1";

static bool is_taken(const char *name, const char *objective)
{
    const char *const names[] = {"epoch",     "train_loss", "val_loss",
                                 "val_value", "seconds",    objective};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!sqlite3_stricmp(names[i], name))
            return true;
    return false;
}

static void put_column(struct buf *sql, const char *name, const char *objective)
{
    struct buf column = {0};

    buf_printf(&column, "%s%s", is_taken(name, objective) ? "metric_" : "", name);
    buf_puts(sql, ", (SELECT value FROM curve_metric AS m WHERE m.trial_id = ?1"
                  " AND m.epoch = curve.epoch AND m.name = ");
    db_put_text(sql, name);
    buf_puts(sql, ") AS ");
    db_put_name(sql, buf_text(&column));
    sql->failed |= buf_failed(&column);
    buf_release(&column);
}

/* The columns of `curve`. The objective of a program stands under its own name. If that is the name
 * of a loss, the column of the loss is empty, and left out. objective "": a model's trial. */
static void put_head(struct buf *sql, const char *objective)
{
    static const char *const losses[] = {"train_loss", "val_loss"};

    buf_puts(sql, "SELECT epoch");
    if (*objective) {
        buf_puts(sql, ", val_value AS ");
        db_put_name(sql, sqlite3_stricmp(objective, "epoch") ? objective : "val_value");
    }
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (sqlite3_stricmp(losses[i], objective))
            buf_printf(sql, ", %s", losses[i]);
    if (!*objective)
        buf_puts(sql, ", val_value");
}

static int read_objective(struct buf *out, struct store *store, int64_t trial_id, struct err *err)
{
    sqlite3_stmt *row = query_prepare(store, sql_objective, trial_id, err);
    int rc = row ? db_step(store, row, err) : -1;
    const char *name;

    if (rc == 1 && !(rc = db_read(store, row, err, "s", &name)))
        buf_puts(out, name);
    sqlite3_finalize(row);
    return rc;
}

static int put_names(struct buf *sql, struct store *store, int64_t trial_id, const char *objective,
                     struct err *err)
{
    sqlite3_stmt *row = query_prepare(store, sql_names, trial_id, err);
    int rc = row ? 1 : -1;
    const char *name;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        if (db_read(store, row, err, "s", &name))
            rc = -1;
        else
            put_column(sql, name, objective);
    sqlite3_finalize(row);
    return rc;
}

int query_trial_curve(struct result_table *out, struct store *store, int64_t trial_id,
                      struct err *err)
{
    struct buf sql = {0}, objective = {0};
    sqlite3_stmt *row = NULL;
    int rc = read_objective(&objective, store, trial_id, err);

    memset(out, 0, sizeof *out);
    put_head(&sql, buf_text(&objective));
    if (!rc)
        rc = put_names(&sql, store, trial_id, buf_text(&objective), err);
    buf_puts(&sql, ", nullif(seconds, 0) AS seconds FROM curve WHERE trial_id = ?1 ORDER BY epoch");
    if (!rc && (buf_failed(&sql) || buf_failed(&objective)))
        err_nomem(err, "query", sql.size);
    else if (!rc)
        row = query_prepare(store, buf_text(&sql), trial_id, err);
    buf_release(&sql);
    buf_release(&objective);
    return row ? query_collect(out, store, row, "", err) : -1;
}

int query_log(struct buf *out, int64_t *total, struct store *store, int64_t trial_id,
              struct err *err)
{
    sqlite3_stmt *row = query_prepare(store, sql_log, trial_id, err);
    int rc = row ? db_step(store, row, err) : -1;

    *total = 0;
    if (rc == 1 && db_check_row(store, row, "ib", err))
        rc = -1;
    if (rc == 1) {
        *total = sqlite3_column_int64(row, 0);
        buf_add(out, sqlite3_column_blob(row, 1), (size_t)sqlite3_column_bytes(row, 1));
        if (buf_failed(out))
            rc = err_nomem(err, "log", out->size);
    }
    sqlite3_finalize(row);
    return rc;
}
