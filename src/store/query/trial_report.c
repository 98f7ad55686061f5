/* SPDX-License-Identifier: BSD-3-Clause */
/* A program's curve and log. */
#include <string.h>

#include "store/db.h"
#include "store/query/query.h"

/* columns of one answer; a program may report any number */
#define MOST_NAMES "50"

static const char sql_names[] = "SELECT DISTINCT name FROM curve_metric WHERE trial_id = ?1"
                                " ORDER BY name LIMIT " MOST_NAMES;
static const char sql_objective[] = "SELECT objective FROM trial JOIN config USING (config_id)"
                                    " JOIN sweep USING (sweep_id)"
                                    " WHERE trial_id = ?1 AND task = 'none'";
static const char sql_log[] = "SELECT bytes, tail FROM log WHERE trial_id = ?1";

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

static int put_names(struct buf *sql, struct store *store, int64_t trial_id, const char *objective,
                     struct err *err)
{
    const char *const taken[] = {"epoch",     "train_loss", "val_loss",
                                 "val_value", "seconds",    objective};
    sqlite3_stmt *row = db_query(store, sql_names, err, "i", trial_id);
    struct buf column = {0};
    const char *name;
    int rc = 0;

    while (db_next(&rc, store, row, err)) {
        bool is_taken = false;

        rc = db_read(store, row, err, "s", &name);
        if (rc)
            break;
        for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
            is_taken |= !sqlite3_stricmp(taken[i], name);
        buf_clear(&column);
        buf_printf(&column, "%s%s", is_taken ? "metric_" : "", name);
        buf_puts(sql, ", (SELECT value FROM curve_metric AS m WHERE m.trial_id = ?1"
                      " AND m.epoch = curve.epoch AND m.name = ");
        db_put_text(sql, name);
        buf_puts(sql, ") AS ");
        db_put_name(sql, buf_text(&column));
    }
    sql->failed |= buf_failed(&column);
    buf_release(&column);
    sqlite3_finalize(row);
    return rc;
}

int query_trial_curve(struct result_table *out, struct store *store, int64_t trial_id,
                      struct err *err)
{
    sqlite3_stmt *of = db_query(store, sql_objective, err, "i", trial_id), *row = NULL;
    struct buf sql = {0};
    const char *objective = "";
    int rc = db_step(store, of, err);

    memset(out, 0, sizeof *out);
    if (rc == 1)
        rc = db_read(store, of, err, "s", &objective);
    if (!rc) {
        put_head(&sql, objective);
        rc = put_names(&sql, store, trial_id, objective, err);
    }
    sqlite3_finalize(of);
    buf_puts(&sql, ", nullif(seconds, 0) AS seconds FROM curve WHERE trial_id = ?1 ORDER BY epoch");
    if (!rc && buf_failed(&sql))
        err_nomem(err, "query", sql.size);
    else if (!rc)
        row = db_query(store, buf_text(&sql), err, "i", trial_id);
    buf_release(&sql);
    return row ? query_collect(out, store, row, "", err) : -1;
}

int query_log(struct buf *out, int64_t *total, struct store *store, int64_t trial_id,
              struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_log, err, "i", trial_id);
    int rc = db_step(store, row, err);

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
