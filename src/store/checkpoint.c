#include "store/db.h"

int store_checkpoint(struct store *store, int64_t trial_id, const struct trial_checkpoint *c,
                     struct err *err)
{
    if (db_begin(store, err))
        return -1;
    return db_finish(store,
                     db_bind(store, STATEMENT_CHECKPOINT_PUT, err, "inddb", trial_id, (int)c->epoch,
                             c->left, c->seconds, c->state, c->bytes),
                     err);
}

int store_checkpoint_find(struct trial_checkpoint *out, struct buf *state, struct store *store,
                          int64_t trial_id, struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_CHECKPOINT_FIND, err, "i", trial_id);
    int rc = row ? db_step(store, row, err) : -1;

    if (rc != 1)
        return rc;
    if (db_check_row(store, row, "nrrb", NULL) ||
        db_read(store, row, err, "nrr", &out->epoch, &out->left, &out->seconds) ||
        !trial_checkpoint_is_valid(out))
        return db_finish(store, row, err); /* one that another program made counts as none */
    buf_clear(state);
    buf_add(state, sqlite3_column_blob(row, 3), (size_t)sqlite3_column_bytes(row, 3));
    out->state = state->data;
    out->bytes = state->size;
    if (db_finish(store, row, err))
        return -1;
    return buf_failed(state) ? err_nomem(err, "checkpoint", state->size) : 1;
}
