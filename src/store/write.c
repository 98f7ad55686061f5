#include <math.h>

#include "base/clock.h"
#include "store/db.h"

static int begin(struct store *store, struct err *err)
{
    if (!sqlite3_get_autocommit(store->db))
        return 0;
    return db_finish(store, db_bind(store, STATEMENT_BEGIN, err, ""), err);
}

int store_commit(struct store *store, struct err *err)
{
    if (sqlite3_get_autocommit(store->db))
        return 0;
    return db_finish(store, db_bind(store, STATEMENT_COMMIT, err, ""), err);
}

int store_begin_session(struct store *store, const struct store_session *s, struct err *err)
{
    if (begin(store, err) ||
        db_finish(store, db_bind(store, STATEMENT_SESSION_LOST, err, ""), err) ||
        db_finish(store,
                  db_bind(store, STATEMENT_SESSION_INSERT, err, "sssnnssssd", s->command,
                          s->version, s->host, (int)s->pid, (int)s->ranks, s->cpu, s->mpi, s->blas,
                          s->blas_kernel, clock_unix()),
                  err))
        return -1;
    store->session_id = sqlite3_last_insert_rowid(store->db);
    return store_commit(store, err);
}

int store_end_session(struct store *store, const char *outcome, struct err *err)
{
    if (begin(store, err) || db_finish(store,
                                       db_bind(store, STATEMENT_SESSION_END, err, "ids",
                                               store->session_id, clock_unix(), outcome),
                                       err))
        return -1;
    return store_commit(store, err);
}

static int write_attempt(struct store *store, int64_t trial_id, const struct trial_result *r,
                         struct err *err)
{
    const char *outcome = r->state == TRIAL_PENDING ? "stopped" : trial_state_name(r->state);

    return db_finish(store,
                     db_bind(store, STATEMENT_ATTEMPT_INSERT, err, "iinsnddss", trial_id,
                             store->session_id, (int)r->rank, r->host, (int)r->pid, r->started,
                             r->finished, outcome, *r->error ? r->error : NULL),
                     err);
}

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
    for (int part = PART_TRAIN; part <= PART_TEST; part++) {
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
                                             STATEMENT_TIMING_DELETE};

    for (size_t i = 0; i < sizeof deletes / sizeof *deletes; i++)
        if (db_finish(store, db_bind(store, deletes[i], err, "i", trial_id), err))
            return -1;
    return 0;
}

static int update_trial(struct store *store, int64_t trial_id, const struct trial_result *r,
                        int64_t *attempts, struct err *err)
{
    sqlite3_stmt *statement =
        r->state == TRIAL_PENDING
            ? db_bind(store, STATEMENT_ATTEMPT_COUNT, err, "i", trial_id)
            : db_bind(store, STATEMENT_RESULT_UPDATE, err, "isdnndddis", trial_id,
                      trial_state_name(r->state), r->value, (int)r->epochs_run, (int)r->best_epoch,
                      r->seconds, r->predicted, r->flops, r->peak_bytes,
                      *r->error ? r->error : NULL);

    if (db_finish(store, statement, err) ||
        db_integer(store, db_bind(store, STATEMENT_ATTEMPTS, err, "i", trial_id), 0, attempts, err))
        return -1;
    return *attempts
               ? 0
               : err_set(err, "%s: trial %lld is not in it", store->path, (long long)trial_id);
}

int store_result(struct store *store, int64_t trial_id, const struct trial_result *result,
                 struct err *err)
{
    int64_t attempts;

    if (begin(store, err) || update_trial(store, trial_id, result, &attempts, err) ||
        write_attempt(store, trial_id, result, err))
        return -1;
    if (result->state == TRIAL_PENDING)
        return 0;
    if ((attempts > 1 && delete_details(store, trial_id, err)) ||
        write_metrics(store, trial_id, result, err) || write_curve(store, trial_id, result, err))
        return -1;
    return write_timing(store, trial_id, result, err);
}
