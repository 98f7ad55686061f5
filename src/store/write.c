#include <math.h>

#include "base/fault.h"
#include "store/attempt.h"
#include "store/db.h"

static int write_metric(struct store *store, int64_t trial_id, enum part part, const char *name,
                        double value, struct err *err)
{
    if (isnan(value))
        return 0;
    return db_finish(store,
                     db_bind(store, STATEMENT_METRIC_INSERT, err, "issd", trial_id, part_name(part),
                             name, value),
                     err);
}

static int write_metrics(struct store *store, int64_t trial_id, const struct trial_result *r,
                         struct err *err)
{
    for (int part = PART_TRAIN; part < PART_COUNT; part++) {
        if (write_metric(store, trial_id, (enum part)part, "loss", r->losses[part], err))
            return -1;
        for (int m = 0; m < METRIC_COUNT; m++)
            if (write_metric(store, trial_id, (enum part)part, metric_name((enum metric)m),
                             r->metrics[part][m], err))
                return -1;
    }
    return 0;
}

static int write_curve(struct store *store, int64_t trial_id, const struct trial_result *r,
                       struct err *err)
{
    for (int32_t i = 0; i < r->n_curve; i++) {
        const struct gcn_epoch *e = &r->curve[i];

        if (db_finish(store,
                      db_bind(store, STATEMENT_CURVE_INSERT, err, "indddd", trial_id, (int)i + 1,
                              e->train_loss, e->val_loss, e->val_value, e->seconds),
                      err))
            return -1;
    }
    return 0;
}

static int write_timing(struct store *store, int64_t trial_id, const struct trial_result *r,
                        struct err *err)
{
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if (r->timing[phase] > 0 &&
            db_finish(store,
                      db_bind(store, STATEMENT_TIMING_INSERT, err, "isd", trial_id,
                              trial_phase_name((enum trial_phase)phase), r->timing[phase]),
                      err))
            return -1;
    return 0;
}

/* What an earlier attempt left. */
static int delete_details(struct store *store, int64_t trial_id, struct err *err)
{
    static const enum statement deletes[] = {STATEMENT_METRIC_DELETE, STATEMENT_CURVE_DELETE,
                                             STATEMENT_TIMING_DELETE, STATEMENT_MODEL_DELETE};

    for (size_t i = 0; i < sizeof deletes / sizeof *deletes; i++)
        if (db_finish(store, db_bind(store, deletes[i], err, "i", trial_id), err))
            return -1;
    return 0;
}

/* open: the attempt that ends, as attempt_open() says. */
static int update_trial(struct store *store, int64_t trial_id, const struct trial_result *r,
                        int64_t open, int64_t *attempts, struct err *err)
{
    int more = open > 0 ? 0 : 1;
    sqlite3_stmt *statement =
        r->state == TRIAL_PENDING
            ? db_bind(store, STATEMENT_ATTEMPT_COUNT, err, "in", trial_id, more)
            : db_bind(store, STATEMENT_RESULT_UPDATE, err, "isdnndddisn", trial_id,
                      trial_state_name(r->state), r->value, (int)r->epochs_run, (int)r->best_epoch,
                      r->seconds, r->predicted, r->flops, r->peak_bytes,
                      *r->error ? r->error : NULL, more);

    if (db_finish(store, statement, err) ||
        db_integer(store, db_bind(store, STATEMENT_ATTEMPTS, err, "i", trial_id), 0, attempts, err))
        return -1;
    return *attempts
               ? 0
               : err_set(err, "%s: trial %lld is not in it", store->path, (long long)trial_id);
}

static int write_attempt(struct store *store, int64_t trial_id, const struct trial_result *r,
                         int64_t open, struct err *err)
{
    struct attempt attempt = {
        .trial_id = trial_id,
        .place = {r->rank, r->host, r->pid},
        .started = r->started,
        .finished = r->finished,
        .outcome = r->state == TRIAL_PENDING ? "stopped" : trial_state_name(r->state),
        .error = *r->error ? r->error : NULL,
    };

    return attempt_end(store, open, &attempt, err);
}

int store_result(struct store *store, int64_t trial_id, const struct trial_result *result,
                 struct err *err)
{
    int64_t attempts, open;

    if (db_begin(store, err) || attempt_open(&open, store, trial_id, result->rank, err) ||
        update_trial(store, trial_id, result, open, &attempts, err) ||
        write_attempt(store, trial_id, result, open, err))
        return -1;
    FAULT("store: a result is written in part");
    if (result->state == TRIAL_PENDING)
        return 0;
    if (db_finish(store, db_bind(store, STATEMENT_CHECKPOINT_DELETE, err, "i", trial_id), err))
        return -1;
    if ((attempts > 1 && delete_details(store, trial_id, err)) ||
        write_metrics(store, trial_id, result, err) || write_curve(store, trial_id, result, err))
        return -1;
    FAULT("store: a result is written but for its times");
    if (result->model && store_put_model(store, trial_id, result->model, result->model_bytes, err))
        return -1;
    return write_timing(store, trial_id, result, err);
}
