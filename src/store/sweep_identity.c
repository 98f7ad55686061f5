/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "base/fault.h"
#include "grid/sweep_file.h"
#include "store/db.h"
#include "store/store.h"
#include "store/stored_settings.h"

/* ---- differences between a plan and the stored sweep ----
 *
 * Fixed settings come from the sweep file that the last run stored. Today's pass through the same
 * writer and reader, so that both have absolute paths and the same notation. */

struct sweep_comparison {
    struct store *store;
    const struct plan *plan;
    const struct dataset *data;
    struct errlist *out;
    int64_t sweep_id; /* 0: none of this name */
    struct sweep there, here;
    char digest[HASH_HEX_SIZE]; /* of the stored data */
    bool varies[P_MAX];         /* axes of the stored sweep or of the plan */
};

static int read_there(struct sweep_comparison *c, const char *name, struct err *err)
{
    sqlite3_stmt *row = db_bind(c->store, STATEMENT_SWEEP_FIND, err, "s", name);
    int rc = db_step(c->store, row, err);
    const char *ini, *digest;

    if (rc != 1)
        return rc;
    rc = db_read(c->store, row, err, "iss", &c->sweep_id, &ini, &digest);
    if (!rc) {
        snprintf(c->digest, sizeof c->digest, "%s", digest);
        rc = stored_settings_parse_sweep(&c->there, c->store, ini, err);
    }
    sqlite3_reset(row);
    return rc;
}

/* Append the line that restores the stored value, if the file does not set it and the default has
 * changed. */
static void put_remedy(struct buf *out, const struct sweep_comparison *c, enum param_id id)
{
    const struct param *row = sweep_row(&c->here, (int)id);
    bool has_changed = id == P_SCALE || !param_equal(id, param_default(id), param_before(id));

    if (c->plan->sweep->line[id] || !has_changed)
        return;
    buf_printf(out, " (the default of this version; to go on with the sweep, add to [%s]: %s = ",
               row->section, row->key);
    param_format(out, id, c->there.fixed.v[id]);
    buf_putc(out, ')');
}

static void compare(struct sweep_comparison *c, enum param_id id)
{
    const struct param *row = sweep_row(&c->here, (int)id);
    int other = id < P_COUNT ? (int)id : free_names_find(c->there.names, row->key);
    union value there = other < P_MAX ? c->there.fixed.v[other] : (union value){.s = ""};
    union value here = c->here.fixed.v[id];
    struct buf line = {0}, before = {0}, now = {0};

    if (param_equal(id, there, here))
        return;
    param_format(&before, id, there);
    param_format(&now, id, here);
    buf_printf(&line, "%s.%s: %s -> %s", row->section, row->key,
               before.size ? buf_text(&before) : "(none)", now.size ? buf_text(&now) : "(none)");
    buf_release(&before);
    buf_release(&now);
    put_remedy(&line, c, id);
    errlist_add(c->out, "%s", buf_text(&line));
    buf_release(&line);
}

/* True for a setting that is no part of a key but decides which data are read. */
static bool is_of_data(enum param_id id)
{
    return !(param_table[id].flags & PARAM_IDENTITY) &&
           (!strcmp(param_table[id].section, "data") || !strcmp(param_table[id].section, "split") ||
            id == P_INPUTS);
}

static void compare_data(struct sweep_comparison *c)
{
    char digest[HASH_HEX_SIZE];
    struct buf files = {0};

    if (!strcmp(hash_hex(c->data->digest, digest), c->digest))
        return;
    for (int id = 0; id < P_COUNT; id++) {
        if (!is_of_data((enum param_id)id))
            continue;
        compare(c, (enum param_id)id);
        if (param_table[id].type == PARAM_PATH && *c->plan->sweep->fixed.v[id].s)
            buf_printf(&files, "%s %s", files.size ? "," : ":", c->plan->sweep->fixed.v[id].s);
    }
    if (sweep_is_program(c->plan->sweep))
        errlist_add(c->out, "the files of program.inputs differ (digest %s -> %s)", c->digest,
                    digest);
    else if (!param_equal(P_FIXED, c->there.fixed.v[P_FIXED], c->here.fixed.v[P_FIXED]))
        errlist_add(c->out, "the data with these fixed effects differ (digest %s -> %s)", c->digest,
                    digest);
    else
        errlist_add(c->out, "the data differ%s (digest %s -> %s)", buf_text(&files), c->digest,
                    digest);
    buf_release(&files);
}

int store_differences(struct store *store, const struct plan *plan, const struct dataset *data,
                      struct errlist *out, struct err *err)
{
    struct sweep_comparison c = {.store = store, .plan = plan, .data = data, .out = out};
    const struct sweep *sweep = plan->sweep;
    struct buf ini = {0};
    int rc = read_there(&c, sweep->fixed.v[P_SWEEP_NAME].s, err);

    if (!rc && c.sweep_id) {
        sweep_write(&ini, sweep, plan->fixed.v);
        memcpy(c.varies, sweep->swept, sizeof c.varies);
        rc = buf_failed(&ini) ? err_nomem(err, "sweep file", ini.size)
                              : stored_settings_parse_sweep(&c.here, store, buf_text(&ini), err);
        if (!rc)
            rc = stored_settings_mark_axes(
                c.varies, c.here.names, store,
                db_bind(store, STATEMENT_AXIS_NAMES, err, "i", c.sweep_id), err);
    }
    if (!rc && c.sweep_id) {
        for (int id = 0; id < sweep_end(&c.here); id++)
            if (param_row((enum param_id)id)->flags & PARAM_IDENTITY && !c.varies[id])
                compare(&c, (enum param_id)id);
        compare_data(&c);
    }
    if (!rc && out->n_lost)
        rc = err_nomem(err, "differences", sizeof err->text);
    buf_release(&ini);
    sweep_release(&c.there);
    sweep_release(&c.here);
    return rc;
}

int store_find_digest(struct hash *out, struct store *store, const char *name, struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_SWEEP_FIND, err, "s", name);
    int rc = db_step(store, row, err);
    const char *ini, *digest;
    int64_t id;

    if (rc == 1 && db_read(store, row, err, "iss", &id, &ini, &digest))
        rc = -1;
    else if (rc == 1 && hash_parse(out, digest))
        rc = err_set(err, "%s: sweep '%s' has the key '%.80s': must be 32 hexadecimal digits",
                     store->path, name, digest);
    sqlite3_reset(row);
    return rc;
}

int store_supersede(struct store *store, const char *name, struct buf *renamed, struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_SWEEP_PAST_NAME, err, "s", name);
    const char *past;
    int rc = db_step(store, row, err) == 1 ? db_read(store, row, err, "s", &past) : -1;

    if (!rc) {
        buf_clear(renamed);
        buf_puts(renamed, past);
        rc = buf_failed(renamed) ? err_nomem(err, "name", renamed->size) : 0;
    }
    sqlite3_reset(row);
    FAULT("store: before a sweep is renamed");
    if (!rc)
        rc = db_do(store, STATEMENT_SWEEP_RENAME, err, "ss", name, buf_text(renamed));
    return rc;
}
