#include "store/new_trials.h"

static int bind_trial(sqlite3_stmt *statement, int column, const struct new_trial *trial)
{
    return sqlite3_bind_int64(statement, column, trial->trial_id) ||
           sqlite3_bind_int64(statement, column + 1, trial->config_id) ||
           sqlite3_bind_int(statement, column + 2, trial->replicate) ||
           sqlite3_bind_int(statement, column + 3, trial->fold) ||
           sqlite3_bind_text(statement, column + 4, trial->key, -1, SQLITE_STATIC);
}

/* n: as many as the statement takes. */
static int write_trials(struct store *store, enum statement id, const struct new_trial *trials,
                        int n, struct err *err)
{
    sqlite3_stmt *statement = db_bind(store, id, err, "");

    for (int i = 0; statement && i < n; i++)
        if (bind_trial(statement, 1 + 5 * i, &trials[i]))
            return db_fail(store, err);
    return db_finish(store, statement, err);
}

int new_trials_flush(struct new_trials *trials, struct store *store, struct err *err)
{
    int n = trials->n;

    trials->n = 0;
    if (n == TRIALS_AT_ONCE)
        return write_trials(store, STATEMENT_TRIAL_INSERT_16, trials->of, n, err);
    for (int i = 0; i < n; i++)
        if (write_trials(store, STATEMENT_TRIAL_INSERT, &trials->of[i], 1, err))
            return -1;
    return 0;
}

static int find_last(struct new_trials *trials, struct store *store, struct err *err)
{
    if (trials->last_id >= 0)
        return 0;
    if (db_integer(store, db_bind(store, STATEMENT_TRIAL_LAST, err, ""), 0, &trials->last_id, err))
        return -1;
    if (trials->last_id < 0)
        trials->last_id = 0;
    return 0;
}

int new_trials_add(struct new_trials *trials, struct store *store, const struct new_trial *trial,
                   int64_t *trial_id, struct err *err)
{
    struct new_trial *new = &trials->of[trials->n];

    if (find_last(trials, store, err))
        return -1;
    if (trials->last_id == INT64_MAX)
        return err_set(err, "%s: the trial with the largest number there is leaves none for others",
                       store->path);
    *new = *trial;
    *trial_id = new->trial_id = ++trials->last_id;
    return ++trials->n == TRIALS_AT_ONCE ? new_trials_flush(trials, store, err) : 0;
}
