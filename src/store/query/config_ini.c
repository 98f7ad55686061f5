/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/sweep_file.h"
#include "store/db.h"
#include "store/query/query.h"
#include "store/query/query_rows.h"
#include "store/stored_settings.h"
#include "trial/kept.h"

static const char sql_config_ini[] =
    "SELECT ini, name, params FROM config JOIN sweep USING (sweep_id)"
    " WHERE config_id = ?1";

/* The sweep may have been superseded: use its current name. */
static int write_ini(struct buf *out, struct store *store, sqlite3_stmt *row, struct err *err)
{
    const char *ini, *name, *params;
    struct sweep sweep;
    struct settings settings;
    int rc;

    if (db_read(store, row, err, "sss", &ini, &name, &params) ||
        stored_settings_check_text(store, "name of a sweep", name, err))
        return -1;
    rc = stored_settings_parse_sweep(&sweep, store, ini, err);
    settings_stored(&settings, &sweep.fixed);
    settings.v[P_SWEEP_NAME].s = name;
    settings.v[P_WHERE].s = "";
    if (keep_of(settings.v) == KEEP_NONE) /* it is trained again for its models */
        settings.v[P_KEEP].i = KEEP_BEST;
    if (!rc)
        rc = stored_settings_overlay(&settings, &sweep, store, params, err);
    if (!rc)
        sweep_write_effective(out, &sweep, settings.v);
    sweep_release(&sweep);
    return rc;
}

int query_ini(struct buf *out, struct store *store, int64_t config_id, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_config_ini, err);
    int rc;

    if (!row)
        return -1;
    sqlite3_bind_int64(row, 1, config_id);
    rc = db_step(store, row, err);
    if (rc == 1)
        rc = write_ini(out, store, row, err)
                 ? err_wrap(err, "configuration %lld", (long long)config_id)
                 : 0;
    else if (rc == 0)
        rc = err_set(err, "%s: no configuration c%lld in it", store->path, (long long)config_id);
    sqlite3_finalize(row);
    return rc;
}

/* ---- a whole sweep ---- */

static const char sql_sweep_ini[] = "SELECT ini, name FROM sweep WHERE sweep_id = ?1";
static const char sql_axes[] = "SELECT name FROM axis WHERE sweep_id = ?1";
/* The first configuration of each model type: a type may lack settings that others have. */
static const char sql_examples[] =
    "SELECT params FROM config WHERE config_id IN (SELECT min(config_id) FROM config"
    " WHERE sweep_id = ?1 GROUP BY params ->> 'type') ORDER BY config_id";

static int mark_axes(struct sweep *sweep, struct store *store, int64_t sweep_id, struct err *err)
{
    sqlite3_stmt *row = query_prepare(store, sql_axes, sweep_id, err);
    int rc = stored_settings_mark_axes(sweep->swept, sweep->names, store, row, err);

    sqlite3_finalize(row);
    return rc;
}

static int add_examples(struct settings *settings, struct sweep *owner, struct store *store,
                        int64_t sweep_id, struct err *err)
{
    sqlite3_stmt *row = query_prepare(store, sql_examples, sweep_id, err);
    bool given[P_MAX] = {false};
    const char *params;
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        if (db_read(store, row, err, "s", &params) ||
            stored_settings_add(settings, given, owner, store, params, err))
            rc = -1;
    sqlite3_finalize(row);
    stored_settings_keep_meaning(settings, given);
    return rc;
}

static int write_sweep(struct buf *out, struct store *store, int64_t sweep_id, sqlite3_stmt *row,
                       struct err *err)
{
    const char *ini, *name;
    struct settings settings;
    struct sweep sweep;
    int rc;

    if (db_read(store, row, err, "ss", &ini, &name) ||
        stored_settings_check_text(store, "name of a sweep", name, err))
        return -1;
    rc = stored_settings_parse_sweep(&sweep, store, ini, err);
    settings_stored(&settings, &sweep.fixed);
    settings.v[P_SWEEP_NAME].s = name;
    if (!rc)
        rc = mark_axes(&sweep, store, sweep_id, err) ||
                     add_examples(&settings, &sweep, store, sweep_id, err)
                 ? -1
                 : 0;
    if (!rc)
        sweep_write_fixed(out, &sweep, settings.v);
    sweep_release(&sweep);
    return rc;
}

int query_sweep_ini(struct buf *out, struct store *store, int64_t sweep_id, struct err *err)
{
    sqlite3_stmt *row = query_prepare(store, sql_sweep_ini, sweep_id, err);
    int rc = row ? db_step(store, row, err) : -1;

    if (rc == 1)
        rc = write_sweep(out, store, sweep_id, row, err);
    else if (rc == 0)
        rc = err_set(err, "%s: another program changed it; repeat the command", store->path);
    sqlite3_finalize(row);
    return rc;
}
