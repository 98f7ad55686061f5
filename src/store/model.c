#include <string.h>

#include "base/fault.h"
#include "store/db.h"

/* More than this is not held back until the commit. */
#define HELD_BYTES ((size_t)64 << 20)

int models_write(struct store *store, struct err *err)
{
    struct cursor in = {.data = store->models.data, .size = store->models.size};

    while (in.at < in.size) {
        int64_t trial_id = cursor_i64(&in);
        size_t bytes = (size_t)cursor_i64(&in);
        const void *model = cursor_bytes(&in, bytes);
        char hex[HASH_HEX_SIZE];

        hash_hex(hash_bytes(model, bytes), hex);
        if (db_finish(store,
                      db_bind(store, STATEMENT_MODEL_FILL, err, "isb", trial_id, hex, model, bytes),
                      err))
            return -1;
    }
    buf_clear(&store->models);
    return 0;
}

/* Its row is made now, and filled before the commit, if it is there still: what a log is written
 * for is not taken back by a deletion. */
int store_put_model(struct store *store, int64_t trial_id, const void *model, size_t bytes,
                    struct err *err)
{
    if (db_begin(store, err) ||
        db_finish(store, db_bind(store, STATEMENT_MODEL_PUT, err, "i", trial_id), err))
        return -1;
    buf_put_i64(&store->models, trial_id);
    buf_put_i64(&store->models, (int64_t)bytes);
    buf_add(&store->models, model, bytes);
    if (buf_failed(&store->models))
        return err_nomem(err, "models", bytes);
    return store->models.size > HELD_BYTES ? models_write(store, err) : 0;
}

int store_find_model(struct buf *out, struct store *store, int64_t trial_id, struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_MODEL_FIND, err, "i", trial_id);
    int rc = row ? db_step(store, row, err) : -1;
    char hex[HASH_HEX_SIZE];
    size_t bytes;
    bool is_whole;

    if (rc != 1)
        return rc;
    bytes = (size_t)sqlite3_column_bytes(row, 1);
    hash_hex(hash_bytes(sqlite3_column_blob(row, 1), bytes), hex);
    is_whole = !strcmp(hex, (const char *)sqlite3_column_text(row, 0));
    if (is_whole)
        buf_add(out, sqlite3_column_blob(row, 1), bytes);
    if (db_finish(store, row, err))
        return -1;
    if (!is_whole)
        return err_set(err,
                       "%s: the model of t%lld is damaged: its %zu bytes do not have the hash that "
                       "was stored with them; the same trial can be run again, in another --db",
                       store->path, (long long)trial_id, bytes);
    return buf_failed(out) ? err_nomem(err, "model", out->size) : 1;
}

/* Run a deletion of a sweep's models; each, is_whole: its other parameters, where it has them. */
static int drop(struct store *store, enum statement id, const char *sweep, int64_t each,
                bool is_whole, int64_t *n, struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_SWEEP_FIND, err, "s", sweep);
    const char *types = id == STATEMENT_MODEL_PRUNE ? "iin" : "i";
    int64_t sweep_id;

    if (db_integer(store, row, 0, &sweep_id, err) || db_begin(store, err) ||
        db_finish(store, db_bind(store, id, err, types, sweep_id, each, (int)is_whole), err))
        return -1;
    if (n)
        *n = sqlite3_changes(store->db);
    FAULT("store: models were dropped");
    return 0;
}

int store_prune_models(struct store *store, const char *sweep, int64_t each, bool is_whole,
                       int64_t *n, struct err *err)
{
    return drop(store, STATEMENT_MODEL_PRUNE, sweep, each, is_whole, n, err);
}

int store_drop_models(struct store *store, const char *sweep, int64_t *n, struct err *err)
{
    return drop(store, STATEMENT_MODEL_DROP, sweep, 0, false, n, err);
}
