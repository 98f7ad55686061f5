/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/fault.h"
#include "store/db.h"
#include "store/store.h"

/* held back until the commit */
#define HELD_BYTES ((size_t)64 << 20)

int model_write_held(struct store *store, struct err *err)
{
    struct cursor in = {.data = store->models.data, .size = store->models.size};

    while (in.at < in.size) {
        int64_t trial_id = cursor_i64(&in);
        size_t bytes = (size_t)cursor_i64(&in);
        const void *model = cursor_bytes(&in, bytes);
        char hex[HASH_HEX_SIZE];

        hash_hex(hash_bytes(model, bytes), hex);
        if (db_do(store, STATEMENT_MODEL_FILL, err, "isb", trial_id, hex, model, bytes))
            return -1;
    }
    buf_clear(&store->models);
    return 0;
}

/* Insert the row now, and fill it before the commit if it still exists: a deletion does not undo
 * what was written to the log. */
int store_put_model(struct store *store, int64_t trial_id, const void *model, size_t bytes,
                    struct err *err)
{
    if (db_begin(store, err) || db_do(store, STATEMENT_MODEL_PUT, err, "i", trial_id))
        return -1;
    buf_put_i64(&store->models, trial_id);
    buf_put_i64(&store->models, (int64_t)bytes);
    buf_add(&store->models, model, bytes);
    if (buf_failed(&store->models))
        return err_nomem(err, "models", bytes);
    return store->models.size > HELD_BYTES ? model_write_held(store, err) : 0;
}

static bool is_whole(sqlite3_stmt *row)
{
    const char *hash = (const char *)sqlite3_column_text(row, 0);
    const void *model = sqlite3_column_blob(row, 1);
    char hex[HASH_HEX_SIZE];

    if (!hash || !model)
        return false;
    hash_hex(hash_bytes(model, (size_t)sqlite3_column_bytes(row, 1)), hex);
    return !strcmp(hex, hash);
}

int store_find_model(struct buf *out, struct store *store, int64_t trial_id, struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_MODEL_FIND, err, "i", trial_id);
    int rc = db_step(store, row, err);
    bool has_hash;
    size_t bytes;

    if (rc != 1)
        return rc;
    bytes = (size_t)sqlite3_column_bytes(row, 1);
    has_hash = is_whole(row);
    if (has_hash)
        buf_add(out, sqlite3_column_blob(row, 1), bytes);
    if (db_finish(store, row, err))
        return -1;
    if (!has_hash)
        return err_set(err,
                       "%s: the model of t%lld is damaged: its %zu bytes do not have the hash that "
                       "was stored with them; 'espalier run' of its sweep drops it, and trains it "
                       "again if its configuration is chosen",
                       store->path, (long long)trial_id, bytes);
    return buf_failed(out) ? err_nomem(err, "model", out->size) : 1;
}

int model_find_damaged(struct buf *ids, struct store *store, sqlite3_stmt *row, struct err *err)
{
    int rc = 0;

    while (db_next(&rc, store, row, err))
        if (!is_whole(row))
            buf_put_i64(ids, sqlite3_column_int64(row, 2));
    return !rc && buf_failed(ids) ? err_nomem(err, "models", ids->size) : rc;
}

int store_drop_damaged(struct store *store, const char *sweep, struct errlist *notes,
                       struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_MODELS_OF, err, "s", sweep);
    struct buf ids = {0};
    struct cursor in;
    int rc = db_begin(store, err) || model_find_damaged(&ids, store, row, err) ? -1 : 0;

    in = (struct cursor){.data = ids.data, .size = ids.size};
    while (!rc && in.at < in.size) {
        int64_t id = cursor_i64(&in);

        errlist_add(notes,
                    "the model of t%lld is damaged (its bytes do not have the hash that was "
                    "stored with them) and was dropped",
                    (long long)id);
        rc = db_do(store, STATEMENT_MODEL_DELETE, err, "i", id);
    }
    buf_release(&ids);
    return rc;
}

static int drop(struct store *store, enum statement id, const char *sweep, int64_t each,
                bool is_whole, int64_t *n, struct err *err)
{
    bool is_pruned = id == STATEMENT_MODEL_PRUNE || id == STATEMENT_FILE_PRUNE;
    bool is_file = id == STATEMENT_FILE_DROP || id == STATEMENT_FILE_PRUNE;
    int64_t sweep_id, last = 0;
    sqlite3_stmt *row;
    int rc = 0;

    if (db_ask(&sweep_id, store, STATEMENT_SWEEP_FIND, err, "s", sweep) || db_begin(store, err))
        return -1;
    row = db_bind(store, id, err, is_pruned ? "iin" : "i", sweep_id, each, (int)is_whole);
    /* Statements that drop rows of `file` return their trials. */
    while (db_next(&rc, store, row, err)) {
        int64_t trial_id = sqlite3_column_int64(row, 0);

        if (trial_id != last)
            buf_put_i64(&store->dropped, trial_id);
        last = trial_id;
    }
    if (!rc && buf_failed(&store->dropped))
        rc = err_nomem(err, "files", store->dropped.size);
    if (!rc && n)
        *n = sqlite3_changes(store->db);
    if (!rc && !is_file)
        FAULT("store: models were dropped");
    return rc;
}

int store_prune_models(struct store *store, const char *sweep, int64_t each, bool is_whole,
                       int64_t *n, struct err *err)
{
    return drop(store, STATEMENT_FILE_PRUNE, sweep, each, is_whole, NULL, err) ||
                   drop(store, STATEMENT_MODEL_PRUNE, sweep, each, is_whole, n, err)
               ? -1
               : 0;
}

int store_drop_models(struct store *store, const char *sweep, int64_t *n, struct err *err)
{
    return drop(store, STATEMENT_PREDICTION_DROP, sweep, 0, false, NULL, err) ||
                   drop(store, STATEMENT_FILE_DROP, sweep, 0, false, NULL, err) ||
                   drop(store, STATEMENT_MODEL_DROP, sweep, 0, false, n, err)
               ? -1
               : 0;
}

int store_put_prediction(struct store *store, int64_t trial_id, const struct store_prediction *row,
                         struct err *err)
{
    return db_begin(store, err) ||
                   db_do(store, STATEMENT_PREDICTION_INSERT, err, "inssccss", trial_id,
                         (int)row->sample, row->id, row->group, &row->observed, &row->predicted,
                         row->probabilities, row->scores)
               ? -1
               : 0;
}

int store_prune_predictions(struct store *store, const char *sweep, struct err *err)
{
    return drop(store, STATEMENT_PREDICTION_PRUNE, sweep, 0, false, NULL, err);
}
