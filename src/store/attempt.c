#include "store/attempt.h"

#include <math.h>

#include "base/clock.h"
#include "base/fault.h"
#include "store/db.h"

int attempt_open(int64_t *open, struct store *store, int64_t trial_id, int32_t rank,
                 struct err *err)
{
    return db_integer(store, db_bind(store, STATEMENT_ATTEMPT_OPEN, err, "in", trial_id, (int)rank),
                      -1, open, err);
}

static int insert(struct store *store, const struct attempt *a, struct err *err)
{
    return db_finish(store,
                     db_bind(store, STATEMENT_ATTEMPT_INSERT, err, "iinsnddss", a->trial_id,
                             store->session_id, (int)a->place.rank, a->place.host,
                             (int)a->place.pid, a->started, a->finished, a->outcome, a->error),
                     err);
}

static int close_row(struct store *store, int64_t open, const struct attempt *a, struct err *err)
{
    return db_finish(store,
                     db_bind(store, STATEMENT_ATTEMPT_CLOSE, err, "isnddss", open, a->place.host,
                             (int)a->place.pid, a->started, a->finished, a->outcome, a->error),
                     err);
}

static bool is_result(const char *outcome)
{
    return trial_state_parse(outcome) > TRIAL_RUNNING;
}

int attempt_end(struct store *store, int64_t open, const struct attempt *attempt, struct err *err)
{
    if (open > 0 ? close_row(store, open, attempt, err) : insert(store, attempt, err))
        return -1;
    FAULT("store: an attempt has ended");
    if (!is_result(attempt->outcome))
        return db_finish(store,
                         db_bind(store, STATEMENT_TRIAL_RETURNS, err, "i", attempt->trial_id), err);
    return open < 0 ? 0
                    : db_finish(store,
                                db_bind(store, STATEMENT_ATTEMPTS_STOP, err, "id",
                                        attempt->trial_id, attempt->finished),
                                err);
}

/* What the scheduler still has under way elsewhere is not begun anew by its being late. */
static int has_result(bool *has, struct store *store, int64_t trial_id, struct err *err)
{
    int64_t found;
    int rc = db_integer(
        store, db_bind(store, STATEMENT_TRIAL_HAS_RESULT, err, "ii", trial_id, store->session_id),
        0, &found, err);

    *has = found != 0;
    return rc;
}

int store_attempt_begin(struct store *store, int64_t trial_id, const struct store_place *place,
                        double started, struct err *err)
{
    struct attempt attempt = {.trial_id = trial_id,
                              .place = *place,
                              .started = started,
                              .finished = NAN,
                              .outcome = "running"};
    int64_t open;
    bool is_over;

    if (db_begin(store, err) || attempt_open(&open, store, trial_id, place->rank, err) ||
        has_result(&is_over, store, trial_id, err))
        return -1;
    if (open > 0 || is_over)
        return 0;
    if (db_finish(store, db_bind(store, STATEMENT_TRIAL_RUNS, err, "i", trial_id), err))
        return -1;
    if (!sqlite3_changes(store->db))
        return err_set(err, "%s: trial %lld is not in it", store->path, (long long)trial_id);
    FAULT("store: a trial is said to run");
    return insert(store, &attempt, err);
}

int store_attempt_crashed(struct store *store, int64_t trial_id, const struct store_place *place,
                          const char *reason, struct err *err)
{
    double now = clock_unix();
    struct attempt attempt = {.trial_id = trial_id,
                              .place = *place,
                              .finished = now,
                              .outcome = "crashed",
                              .error = reason};
    int64_t open;

    if (db_begin(store, err) || attempt_open(&open, store, trial_id, place->rank, err))
        return -1;
    if (open <= 0 &&
        db_finish(store, db_bind(store, STATEMENT_ATTEMPT_COUNT, err, "in", trial_id, 1), err))
        return -1;
    attempt.started = open > 0 ? (double)NAN : now;
    return attempt_end(store, open, &attempt, err);
}
