/* Whether a plan goes on with a sweep of the database. What was fixed is read from the sweep file
 * that the last run stored, and today's goes through the same writer and reader, so that both
 * have absolute paths and nothing is left of how they were written. */
#include <stdio.h>
#include <string.h>

#include "base/fault.h"
#include "store/db.h"

struct comparison {
    struct store *store;
    const struct plan *plan;
    const struct dataset *data;
    struct errlist *out;
    int64_t sweep_id; /* 0: the database has no sweep of this name */
    struct sweep there, here;
    char digest[HASH_HEX_SIZE]; /* of the data there */
    bool varies[P_COUNT];       /* an axis of either */
};

int stored_sweep_parse(struct sweep *sweep, struct store *store, const char *ini, struct err *err)
{
    struct errlist faults = {0};
    int rc = sweep_parse(sweep, store->path, ini, NULL, 0, &faults);

    if (rc)
        rc = err_set(err, "%s: the stored sweep file: %s", store->path,
                     faults.n ? faults.text[0] : "out of memory");
    errlist_release(&faults);
    return rc;
}

static int read_there(struct comparison *c, const char *name, struct err *err)
{
    sqlite3_stmt *row = db_bind(c->store, STATEMENT_SWEEP_FIND, err, "s", name);
    int rc = row ? db_step(c->store, row, err) : -1;

    if (rc != 1)
        return rc;
    c->sweep_id = sqlite3_column_int64(row, 0);
    rc = stored_sweep_parse(&c->there, c->store, (const char *)sqlite3_column_text(row, 1), err);
    snprintf(c->digest, sizeof c->digest, "%s", sqlite3_column_text(row, 2));
    sqlite3_reset(row);
    return rc;
}

static int read_here(struct comparison *c, struct err *err)
{
    const struct sweep *sweep = c->plan->sweep;
    struct buf ini = {0};
    int rc;

    sweep_write(&ini, sweep, &sweep->fixed);
    rc = buf_failed(&ini) ? err_nomem(err, "sweep file", ini.size)
                          : stored_sweep_parse(&c->here, c->store, buf_text(&ini), err);
    buf_release(&ini);
    return rc;
}

static int read_axes(struct comparison *c, struct err *err)
{
    sqlite3_stmt *row = db_bind(c->store, STATEMENT_AXIS_NAMES, err, "i", c->sweep_id);
    int rc = row ? 1 : -1;

    memcpy(c->varies, c->plan->sweep->swept, sizeof c->varies);
    while (rc == 1 && (rc = db_step(c->store, row, err)) == 1) {
        enum param_id id = param_find(NULL, (const char *)sqlite3_column_text(row, 0));

        if (id < P_COUNT)
            c->varies[id] = true;
    }
    return rc;
}

static void put_value(struct buf *out, enum param_id id, union value value)
{
    size_t before = out->size;

    param_format(out, id, value);
    if (out->size == before)
        buf_puts(out, "(none)");
}

static void compare(struct comparison *c, enum param_id id)
{
    union value there = c->there.fixed.v[id], here = c->here.fixed.v[id];
    struct buf line = {0};

    if (param_equal(id, there, here))
        return;
    buf_printf(&line, "%s.%s: ", param_table[id].section, param_table[id].key);
    put_value(&line, id, there);
    buf_puts(&line, " -> ");
    put_value(&line, id, here);
    errlist_add(c->out, "%s", buf_text(&line));
    buf_release(&line);
}

/* A setting that is no part of a key, but of what is read. */
static bool is_of_data(enum param_id id)
{
    return !(param_table[id].flags & PARAM_IDENTITY) &&
           (!strcmp(param_table[id].section, "data") || id == P_SPLIT_FILE);
}

/* The data line names the files: where their settings are the same, what is in one changed. */
static void compare_data(struct comparison *c)
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
    errlist_add(c->out, "the data are others%s (digest %s -> %s)", buf_text(&files), c->digest,
                digest);
    buf_release(&files);
}

int store_differences(struct store *store, const struct plan *plan, const struct dataset *data,
                      struct errlist *out, struct err *err)
{
    struct comparison c = {.store = store, .plan = plan, .data = data, .out = out};
    int rc = read_there(&c, plan->sweep->fixed.v[P_SWEEP_NAME].s, err);

    if (!rc && c.sweep_id)
        rc = read_here(&c, err) || read_axes(&c, err) ? -1 : 0;
    if (!rc && c.sweep_id) {
        for (int id = 0; id < P_COUNT; id++)
            if (param_table[id].flags & PARAM_IDENTITY && !c.varies[id])
                compare(&c, (enum param_id)id);
        compare_data(&c);
    }
    if (!rc && out->n_lost)
        rc = err_nomem(err, "differences", sizeof err->text);
    sweep_release(&c.there);
    sweep_release(&c.here);
    return rc;
}

int store_supersede(struct store *store, const char *name, struct buf *renamed, struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_SWEEP_PAST_NAME, err, "s", name);
    int rc = row ? db_step(store, row, err) : -1;

    if (rc == 1) {
        buf_clear(renamed);
        buf_puts(renamed, (const char *)sqlite3_column_text(row, 0));
        sqlite3_reset(row);
        rc = buf_failed(renamed) ? err_nomem(err, "name", renamed->size) : 0;
    }
    FAULT("store: before a sweep is renamed");
    if (!rc)
        rc = db_finish(
            store, db_bind(store, STATEMENT_SWEEP_RENAME, err, "ss", name, buf_text(renamed)), err);
    return rc;
}
