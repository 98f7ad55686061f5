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
    int rc = 0;

    while (db_next(&rc, store, row, err)) {
        int id;

        rc = db_read(store, row, err, "s", &name);
        id = rc ? P_MAX : settings_find(names, name);
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
    given[id] = true;
    if (!param_is_text((enum param_id)id))
        return param_parse(&settings->v[id], (enum param_id)id, value, err)
                   ? err_wrap(err, "%s", store->path)
                   : 0;
    /* A PARAM_VALUE may have line feeds, which are written as \n. */
    if (param_row((enum param_id)id)->type != PARAM_VALUE &&
        stored_settings_check_text(store, name, value, err))
        return -1;
    settings->v[id].s = sweep_keep_text(owner, strdup(value));
    return settings->v[id].s ? 0 : err_nomem(err, "setting", strlen(value));
}

int stored_settings_add(struct settings *settings, bool given[P_MAX], struct sweep *owner,
                        struct store *store, const char *params, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_params, err, "s", params);
    int rc = 0;

    while (db_next(&rc, store, row, err))
        rc = overlay_param(settings, given, owner, store, row, err);
    sqlite3_finalize(row);
    return rc;
}
