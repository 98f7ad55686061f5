/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "grid/sweep_file.h"
#include "store/db.h"
#include "store/query/query.h"
#include "store/stored_settings.h"
#include "trial/kept.h"

static const char sql_config_ini[] = "SELECT ini, name FROM config JOIN sweep USING (sweep_id)"
                                     " WHERE config_id = ?1";
static const char sql_params[] = "SELECT params FROM config WHERE config_id = ?1";
static const char sql_sweep_ini[] = "SELECT ini, name FROM sweep WHERE sweep_id = ?1";
/* The first configuration of each model type: a type may lack settings that others have. */
static const char sql_examples[] =
    "SELECT params FROM config WHERE config_id IN (SELECT min(config_id) FROM config"
    " WHERE sweep_id = ?1 GROUP BY params ->> 'type') ORDER BY config_id";
static const char sql_axes[] = "SELECT name FROM axis WHERE sweep_id = ?1";

/* Put the settings of configurations of one sweep into `settings`, in turn. */
static int add_params(struct settings *settings, struct sweep *owner, struct store *store,
                      const char *sql, int64_t id, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql, err, "i", id);
    bool given[P_MAX] = {false};
    const char *params;
    int rc = 0;

    while (db_next(&rc, store, row, err))
        rc = db_read(store, row, err, "s", &params) ||
                     stored_settings_add(settings, given, owner, store, params, err)
                 ? -1
                 : 0;
    sqlite3_finalize(row);
    stored_settings_keep_meaning(settings, given);
    return rc;
}

static int mark_axes(struct sweep *sweep, struct store *store, int64_t sweep_id, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_axes, err, "i", sweep_id);
    int rc = stored_settings_mark_axes(sweep->swept, sweep->names, store, row, err);

    sqlite3_finalize(row);
    return rc;
}

/* row: ini, and the name, since the sweep may have been superseded. id: of a configuration, or of the
 * sweep. */
static int write_ini(struct buf *out, struct store *store, sqlite3_stmt *row, bool is_sweep,
                     int64_t id, struct err *err)
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
    if (!is_sweep) {
        settings.v[P_WHERE].s = "";
        for (int p = 0; p < P_COUNT; p++)
            if (!strcmp(param_table[p].section, "search"))
                settings.v[p] = param_default((enum param_id)p);
        if (keep_of(settings.v) == KEEP_NONE) /* it is trained again for its models */
            settings.v[P_KEEP].i = KEEP_BEST;
    }
    if (!rc && is_sweep)
        rc = mark_axes(&sweep, store, id, err);
    if (!rc)
        rc = add_params(&settings, &sweep, store, is_sweep ? sql_examples : sql_params, id, err);
    if (!rc && is_sweep)
        sweep_write_fixed(out, &sweep, settings.v);
    else if (!rc)
        sweep_write_effective(out, &sweep, settings.v);
    sweep_release(&sweep);
    return rc;
}

int query_ini(struct buf *out, struct store *store, int64_t config_id, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_config_ini, err, "i", config_id);
    int rc = db_step(store, row, err);

    if (rc == 1)
        rc = write_ini(out, store, row, false, config_id, err)
                 ? err_wrap(err, "configuration %lld", (long long)config_id)
                 : 0;
    else if (rc == 0)
        rc = err_set(err, "%s: no configuration c%lld in it", store->path, (long long)config_id);
    sqlite3_finalize(row);
    return rc;
}

int query_sweep_ini(struct buf *out, struct store *store, int64_t sweep_id, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_sweep_ini, err, "i", sweep_id);
    int rc = db_step(store, row, err);

    if (rc == 1)
        rc = write_ini(out, store, row, true, sweep_id, err);
    else if (rc == 0)
        rc = err_set(err, "%s: another program changed it; repeat the command", store->path);
    sqlite3_finalize(row);
    return rc;
}
