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
static const char sql_log[] = "SELECT bytes, tail FROM log WHERE trial_id = ?1";
static const char curve_head[] = "epoch, train_loss, val_loss, val_value";

static bool is_taken(const char *name)
{
    static const char *const names[] = {"epoch", "train_loss", "val_loss", "val_value", "seconds"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!sqlite3_stricmp(names[i], name))
            return true;
    return false;
}

static void put_column(struct buf *sql, const char *name)
{
    struct buf column = {0};

    buf_printf(&column, "%s%s", is_taken(name) ? "metric_" : "", name);
    buf_puts(sql, ", (SELECT value FROM curve_metric AS m WHERE m.trial_id = ?1"
                  " AND m.epoch = curve.epoch AND m.name = ");
    db_put_text(sql, name);
    buf_puts(sql, ") AS ");
    db_put_name(sql, buf_text(&column));
    sql->failed |= buf_failed(&column);
    buf_release(&column);
}

int query_trial_curve(struct result_table *out, struct store *store, int64_t trial_id,
                      struct err *err)
{
    sqlite3_stmt *row = query_prepare(store, sql_names, trial_id, err);
    struct buf sql = {0};
    const char *name;
    int rc = row ? 1 : -1;

    memset(out, 0, sizeof *out);
    buf_printf(&sql, "SELECT %s", curve_head);
    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        if (db_read(store, row, err, "s", &name))
            rc = -1;
        else
            put_column(&sql, name);
    sqlite3_finalize(row);
    buf_puts(&sql, ", seconds FROM curve WHERE trial_id = ?1 ORDER BY epoch");
    row = NULL;
    if (!rc && buf_failed(&sql))
        err_nomem(err, "query", sql.size);
    else if (!rc)
        row = query_prepare(store, buf_text(&sql), trial_id, err);
    buf_release(&sql);
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
