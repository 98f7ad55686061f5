/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/stored_settings.h"

#include <string.h>

#include "grid/sweep_file.h"
#include "store/db.h"

/* The operator -> returns a number as it was written, json_each.value only 15 digits. */
static const char sql_params[] = "SELECT p.key, iif(p.type = 'text', p.value, ?1 -> p.key)"
                                 " FROM json_each(?1) AS p";

int stored_settings_parse_sweep(struct sweep *sweep, struct store *store, const char *ini,
                                struct err *err)
{
    struct errlist faults = {0};
    int rc = sweep_parse_stored(sweep, store->path, ini, &faults);

    if (rc)
        rc = err_set(err, "%s: the stored sweep file: %s", store->path,
                     faults.n ? faults.text[0] : "out of memory");
    errlist_release(&faults);
    return rc;
}

int stored_settings_mark_axes(bool varies[P_MAX], const struct free_names *names,
                              struct store *store, sqlite3_stmt *row, struct err *err)
{
    const char *name;
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1) {
        int id;

        if (db_read(store, row, err, "s", &name)) {
            sqlite3_reset(row);
            return -1;
        }
        id = settings_find(names, name);
        if (id < P_MAX)
            varies[id] = true;
    }
    return rc;
}

/* Settings that a configuration lacks keep the value from before they existed, even if a later run
 * stored the sweep again. No configuration has texts. */
void stored_settings_keep_meaning(struct settings *settings, const bool given[P_MAX])
{
    for (int id = 0; id < P_COUNT; id++)
        if (param_table[id].flags & PARAM_LATER && settings_json_has((enum param_id)id) &&
            !given[id])
            settings->v[id] = param_before((enum param_id)id);
    for (int id = P_COUNT; id < settings_end(settings); id++)
        if (!given[id])
            settings->v[id].s = NULL; /* an axis whose condition does not hold */
}

int stored_settings_check_text(const struct store *store, const char *what, const char *text,
                               struct err *err)
{
    for (const char *at = text; *at; at++)
        if (((unsigned char)*at < ' ' && *at != '\t') || *at == 0x7f)
            return err_set(err,
                           "%s: the stored %s '%s' contains the control character 0x%02x: no "
                           "espalier stores that, so trust nothing in this file",
                           store->path, what, text, (unsigned)(unsigned char)*at);
    return 0;
}

static int set_param(union value *out, int id, struct sweep *owner, const struct store *store,
                     const char *value, struct err *err)
{
    if (!param_is_text((enum param_id)id))
        return param_parse(out, (enum param_id)id, value, err) ? err_wrap(err, "%s", store->path)
                                                               : 0;
    /* A PARAM_VALUE may have line feeds, which are written as \n. */
    if (param_row((enum param_id)id)->type != PARAM_VALUE &&
        stored_settings_check_text(store, param_row((enum param_id)id)->key, value, err))
        return -1;
    out->s = sweep_keep_text(owner, strdup(value));
    return out->s ? 0 : err_nomem(err, "setting", strlen(value));
}

static int overlay_param(struct settings *settings, bool given[P_MAX], struct sweep *owner,
                         struct store *store, sqlite3_stmt *row, struct err *err)
{
    const char *name, *value, *gone;
    int id;

    if (db_check_row(store, row, "s?", err))
        return -1;
    name = (const char *)sqlite3_column_text(row, 0);
    value = (const char *)sqlite3_column_text(row, 1);
    id = settings_find(settings->names, name);
    gone = settings_gone_value(name);
    if (id == P_MAX && gone && value && !strcmp(value, gone))
        return 0;
    if (id == P_MAX)
        return err_set(err, "%s: a configuration has an unknown setting '%s'", store->path, name);
    if (!value)
        return err_set(err, "%s: a configuration has no value for '%s'", store->path, name);
    if (set_param(&settings->v[id], id, owner, store, value, err))
        return -1;
    given[id] = true;
    return 0;
}

int stored_settings_add(struct settings *settings, bool given[P_MAX], struct sweep *owner,
                        struct store *store, const char *params, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_params, err);
    int rc = row ? 1 : -1;

    if (row)
        sqlite3_bind_text(row, 1, params, -1, SQLITE_STATIC);
    while (rc == 1 && (rc = db_step(store, row, err)) == 1)
        rc = overlay_param(settings, given, owner, store, row, err) ? -1 : 1;
    sqlite3_finalize(row);
    return rc;
}

int stored_settings_overlay(struct settings *settings, struct sweep *owner, struct store *store,
                            const char *params, struct err *err)
{
    bool given[P_MAX] = {false};
    int rc = stored_settings_add(settings, given, owner, store, params, err);

    stored_settings_keep_meaning(settings, given);
    return rc;
}
