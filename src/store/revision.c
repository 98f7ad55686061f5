#include "store/revision.h"

#include <string.h>

#include "store/db.h"

#define FIRST(sweep, config)                                                                \
    "SELECT c.key, c.params, w.ini, w.data_digest, w.task FROM " config " AS c JOIN " sweep \
    " AS w USING (sweep_id) WHERE w.name = ?1 AND c.params ->> 'type' = ?2"                 \
    " ORDER BY c.config_id LIMIT 1"

static const char *const sql_first[] = {
    [REVISION_MAIN] = FIRST("main.sweep", "main.config"),
    [REVISION_INPUT] = FIRST("temp.in_sweep", "temp.in_config"),
};

static const char *text(sqlite3_stmt *row, int column)
{
    return (const char *)sqlite3_column_text(row, column);
}

/* The settings of the row, as its key was made from them. */
static int read_settings(struct settings *s, const struct sweep *sweep, struct store *store,
                         sqlite3_stmt *row, struct err *err)
{
    bool is_regression = !strcmp(text(row, 4), task_name(TASK_REGRESSION));

    *s = sweep->fixed;
    if (stored_params_overlay(s, store, text(row, 1), err))
        return -1;
    settings_trim(s);
    return settings_resolve(s, is_regression ? TASK_REGRESSION : TASK_CLASSIFICATION, err);
}

/* Settings that are in a key only as axes are in all of them or in none. */
static bool is_before(const struct settings *s, struct hash digest, struct hash key)
{
    bool swept[P_COUNT];
    struct buf scratch = {0};
    bool found = false;

    for (int all = 0; all < 2; all++) {
        memset(swept, all, sizeof swept);
        found |= settings_made_before(s, swept, digest, -1, -1, key, &scratch);
    }
    buf_release(&scratch);
    return found;
}

static int judge(enum revision_found *found, struct store *store, sqlite3_stmt *row,
                 struct err *err)
{
    struct sweep sweep;
    struct settings s;
    struct hash key, digest;
    int rc;

    if (db_check_row(store, row, "sssss", err))
        return -1;
    rc = stored_sweep_parse(&sweep, store, text(row, 2), err);
    if (!rc)
        rc = read_settings(&s, &sweep, store, row, err);
    if (!rc && (hash_parse(&key, text(row, 0)) || hash_parse(&digest, text(row, 3))))
        rc = err_set(err, "%s: a key that is no hash", store->path);
    if (!rc)
        *found = is_before(&s, digest, key) ? REVISION_BEFORE : REVISION_NOW;
    sweep_release(&sweep);
    return rc;
}

int revision_find(enum revision_found *found, struct store *store, enum revision_tables tables,
                  const char *name, const struct settings *s, struct err *err)
{
    struct buf type = {0};
    sqlite3_stmt *row;
    int rc;

    *found = REVISION_NONE;
    if (settings_revision(s) == 1)
        return 0;
    row = db_prepare(store, sql_first[tables], err);
    param_format(&type, P_TYPE, s->v[P_TYPE]);
    if (row) {
        sqlite3_bind_text(row, 1, name, -1, SQLITE_STATIC);
        sqlite3_bind_text(row, 2, buf_text(&type), -1, SQLITE_STATIC);
    }
    rc = row ? db_step(store, row, err) : -1;
    if (rc == 1)
        rc = judge(found, store, row, err);
    sqlite3_finalize(row);
    buf_release(&type);
    return rc;
}
