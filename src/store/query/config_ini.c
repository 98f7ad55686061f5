/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/sweep_file.h"
#include "store/db.h"
#include "store/query/query.h"
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

    if (db_read(store, row, err, "sss", &ini, &name, &params))
        return -1;
    rc = stored_settings_parse_sweep(&sweep, store, ini, err);
    settings = sweep.fixed;
    settings.v[P_SWEEP_NAME].s = name;
    if (keep_of(&settings) == KEEP_NONE) /* it is trained again for its models */
        settings.v[P_KEEP].i = KEEP_BEST;
    if (!rc)
        rc = stored_settings_overlay(&settings, store, params, err);
    if (!rc)
        sweep_write_effective(out, &sweep, &settings);
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
