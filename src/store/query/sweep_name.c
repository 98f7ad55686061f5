/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "base/nearest.h"
#include "store/db.h"
#include "store/query/query.h"
#include "store/stored_settings.h"

static const char sql_sweep[] =
    "SELECT sweep_id, name, objective, (SELECT count(*) FROM sweep),"
    " task = 'none', direction = 'max', coalesce(planned, 0) FROM sweep WHERE ?1 IS NULL OR name = ?1"
    " ORDER BY updated DESC, sweep_id DESC LIMIT 1";
static const char sql_sweep_names[] = "SELECT group_concat(name, ', ') FROM"
                                      " (SELECT name FROM sweep ORDER BY sweep_id)";

static void find_nearest_sweep(struct nearest *nearest, struct store *store)
{
    struct result_table table;

    if (query_table(&table, store, QUERY_SWEEP_NAMES, 0, NULL))
        return;
    for (int64_t r = 0; r < table.n_rows; r++)
        nearest_offer(nearest, result_table_text(&table, r, "name"));
    result_table_release(&table);
}

static int no_such_sweep(struct store *store, const char *name, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_sweep_names, err);
    const char *names = NULL;
    struct nearest nearest = {.wrong = name};
    char hint[NEAREST_HINT];

    if (!row)
        return -1;
    if (db_step(store, row, err) == 1 && db_read(store, row, NULL, "S", &names))
        names = NULL;
    if (!names)
        err_set(err, "%s: no sweep in it yet; run 'espalier run' first", store->path);
    else {
        find_nearest_sweep(&nearest, store);
        err_set(err, "%s: no sweep '%s' in it; its sweeps are: %s%s", store->path, name, names,
                nearest_hint(hint, "'", nearest.best, "'", ""));
    }
    sqlite3_finalize(row);
    return -1;
}

int query_sweep(struct query_sweep *sweep, struct store *store, const char *name, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_sweep, err);
    const char *its_name, *objective;
    int64_t is_program = 0, maximize = 0;
    int rc;

    if (!row)
        return -1;
    sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
    rc = db_step(store, row, err);
    if (rc == 1 && (db_read(store, row, err, "issiiii", &sweep->sweep_id, &its_name, &objective,
                            &sweep->n_sweeps, &is_program, &maximize, &sweep->planned) ||
                    stored_settings_check_text(store, "name of a sweep", its_name, err) ||
                    stored_settings_check_text(store, "objective", objective, err)))
        rc = -1;
    if (rc == 1) {
        snprintf(sweep->name, sizeof sweep->name, "%s", its_name);
        snprintf(sweep->objective, sizeof sweep->objective, "%s", objective);
        sweep->is_program = is_program != 0;
        sweep->maximize = maximize != 0;
    }
    sqlite3_finalize(row);
    return rc == 1 ? 0 : rc < 0 ? -1 : no_such_sweep(store, name, err);
}
