/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/fault.h"
#include "store/db.h"
#include "store/store.h"

int store_put_prediction(struct store *store, int64_t trial_id, const struct store_prediction *row,
                         struct err *err)
{
    sqlite3_stmt *insert;

    if (db_begin(store, err))
        return -1;
    if (row->observed_class)
        insert = db_bind(store, STATEMENT_PREDICTION_INSERT, err, "inssssss", trial_id,
                         (int)row->sample, row->id, row->group, row->observed_class,
                         row->predicted_class, row->probabilities, row->scores);
    else
        insert = db_bind(store, STATEMENT_PREDICTION_INSERT, err, "inssddss", trial_id,
                         (int)row->sample, row->id, row->group, row->observed, row->predicted,
                         row->probabilities, row->scores);
    return db_finish(store, insert, err);
}

int store_prune_predictions(struct store *store, const char *sweep, struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_SWEEP_FIND, err, "s", sweep);
    int64_t sweep_id;

    if (db_integer(store, row, 0, &sweep_id, err) || db_begin(store, err) ||
        db_finish(store, db_bind(store, STATEMENT_PREDICTION_PRUNE, err, "i", sweep_id), err))
        return -1;
    FAULT("store: predictions were dropped");
    return 0;
}
