/* SPDX-License-Identifier: BSD-3-Clause */
/* A row of `attempt` is open while a trial runs; trial.attempts counts the rows. trial.state is
 * 'running' while one is open and the trial has no result of the session. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/fault.h"
#include "store/db.h"
#include "store/store.h"

/* ---- attempts ---- */

struct attempt {
    int64_t trial_id;
    struct store_place place;
    double started, finished; /* Unix seconds; started NaN: keep that of the open row */
    const char *outcome;      /* never 'running' */
    const char *error;
};

static int insert(struct store *store, const struct attempt *a, struct err *err)
{
    int rc = db_do(store, STATEMENT_ATTEMPT_INSERT, err, "iinsnddss", a->trial_id,
                   store->session_id, (int)a->place.rank, a->place.host, (int)a->place.pid,
                   a->started, a->finished, a->outcome, a->error);
    int64_t id = sqlite3_last_insert_rowid(store->db);

    for (int32_t i = 0; !rc && i < a->place.n_members; i++)
        rc = db_do(store, STATEMENT_MEMBER_INSERT, err, "ins", id, (int)a->place.members[i].rank,
                   a->place.members[i].host);
    return rc;
}

static int close_row(struct store *store, int64_t open, const struct attempt *a, struct err *err)
{
    return db_do(store, STATEMENT_ATTEMPT_CLOSE, err, "isnddss", open, a->place.host,
                 (int)a->place.pid, a->started, a->finished, a->outcome, a->error);
}

/* open: from STATEMENT_ATTEMPT_OPEN. Without an open row inserts one, which the caller counts. A result ends
 * open attempts of other ranks as 'stopped'. */
static int end_attempt(struct store *store, int64_t open, const struct attempt *attempt,
                       struct err *err)
{
    if (open > 0 ? close_row(store, open, attempt, err) : insert(store, attempt, err))
        return -1;
    FAULT("store: an attempt has ended");
    if (!trial_is_result(attempt->outcome))
        return db_do(store, STATEMENT_TRIAL_RETURNS, err, "i", attempt->trial_id);
    return open < 0 ? 0
                    : db_do(store, STATEMENT_ATTEMPTS_STOP, err, "id", attempt->trial_id,
                            attempt->finished);
}

int store_attempt_begin(struct store *store, int64_t trial_id, const struct store_place *place,
                        double started, struct err *err)
{
    struct attempt attempt = {.trial_id = trial_id,
                              .place = *place,
                              .started = started,
                              .finished = NAN,
                              .outcome = "running"};
    int64_t open, has_result;

    if (db_begin(store, err) ||
        db_ask(&open, store, STATEMENT_ATTEMPT_OPEN, err, "in", trial_id, (int)place->rank) ||
        db_ask(&has_result, store, STATEMENT_TRIAL_HAS_RESULT, err, "ii", trial_id,
               store->session_id))
        return -1;
    /* A late message must not restart a trial that has a result. */
    if (open > 0 || has_result)
        return 0;
    if (db_do(store, STATEMENT_TRIAL_RUNS, err, "i", trial_id))
        return -1;
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

    if (db_begin(store, err) ||
        db_ask(&open, store, STATEMENT_ATTEMPT_OPEN, err, "in", trial_id, (int)place->rank))
        return -1;
    if (open <= 0 && db_do(store, STATEMENT_ATTEMPT_COUNT, err, "in", trial_id, 1))
        return -1;
    attempt.started = open > 0 ? (double)NAN : now;
    return end_attempt(store, open, &attempt, err);
}

int store_attempt_stopped(struct store *store, int64_t trial_id, const struct store_place *place,
                          struct err *err)
{
    struct attempt attempt = {.trial_id = trial_id,
                              .place = *place,
                              .started = NAN,
                              .finished = clock_unix(),
                              .outcome = "stopped"};
    int64_t open;

    if (db_begin(store, err) ||
        db_ask(&open, store, STATEMENT_ATTEMPT_OPEN, err, "in", trial_id, (int)place->rank))
        return -1;
    return open > 0 ? end_attempt(store, open, &attempt, err) : 0;
}

/* ---- the search ---- */

/* A stopped trial needs neither checkpoint nor folder any more. */
int store_set_state(struct store *store, int64_t trial_id, enum trial_state state, struct err *err)
{
    if (db_begin(store, err) ||
        db_do(store, STATEMENT_STATE_SET, err, "is", trial_id, trial_state_name(state)))
        return -1;
    if (state != TRIAL_STOPPED)
        return 0;
    buf_put_i64(&store->dropped, trial_id);
    if (buf_failed(&store->dropped))
        return err_nomem(err, "stopped trials", store->dropped.size);
    return db_do(store, STATEMENT_CHECKPOINT_DELETE, err, "i", trial_id);
}

static int score_curve(double *value, struct store *store, const struct store_rung *r,
                       struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_CURVE_UNTIL, err, "ii", r->trial_id, r->until);
    double best = NAN;
    int rc = 0;

    *value = NAN;
    while (db_next(&rc, store, row, err)) {
        double loss, score, merit;

        rc = db_read(store, row, err, "RR", &loss, &score);
        merit = r->by_loss ? -loss : r->is_max ? score : -score;
        if (rc || isnan(merit) || merit <= best)
            continue;
        best = merit;
        *value = score;
    }
    return rc;
}

int store_rung_score(double *value, struct store *store, const struct store_rung *r,
                     struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_RUNG_FIND, err, "in", r->trial_id, (int)r->rung);
    bool has_failed = r->state == TRIAL_FAILED || r->state == TRIAL_DIVERGED;
    int rc = db_step(store, row, err);
    int64_t epochs_run;

    if (rc == 1) {
        rc = db_read(store, row, err, "R", value);
        *value = isnan(*value) ? -(double)INFINITY : *value;
        return db_finish(store, row, err) || rc ? -1 : 1;
    }
    if (rc || db_ask(&epochs_run, store, STATEMENT_EPOCHS_RUN, err, "i", r->trial_id))
        return -1;
    if (epochs_run < r->until && !has_failed && r->state != TRIAL_DONE)
        return 0;
    if (score_curve(value, store, r, err))
        return -1;
    if (epochs_run < r->until && has_failed)
        *value = -(double)INFINITY;
    if (!isnan(*value) &&
        (db_begin(store, err) || db_do(store, STATEMENT_RUNG_PUT, err, "ind", r->trial_id,
                                       (int)r->rung, isinf(*value) ? (double)NAN : *value)))
        return -1;
    return 1;
}

int store_forget_rungs(struct store *store, int64_t trial_id, struct err *err)
{
    return db_begin(store, err) || db_do(store, STATEMENT_RUNGS_FORGET, err, "i", trial_id) ? -1
                                                                                            : 0;
}

int store_put_decisions(struct store *store, const struct store_decision *decisions, int64_t n,
                        bool replaces, struct err *err)
{
    int64_t sweep_id;
    int rc = n ? db_begin(store, err) : 0;

    if (!rc && n && replaces)
        rc = db_ask(&sweep_id, store, STATEMENT_CONFIG_SWEEP, err, "i", decisions[0].config_id) ||
                     db_do(store, STATEMENT_DECISIONS_DELETE, err, "i", sweep_id)
                 ? -1
                 : 0;
    store->has_new_metrics |= n > 0 && !store->has_search;
    for (int64_t i = 0; !rc && i < n; i++) {
        const struct store_decision *d = &decisions[i];

        rc = db_do(store, STATEMENT_DECISION_PUT, err, "insndd", d->config_id, (int)d->step,
                   d->action, (int)d->rung, isfinite(d->value) ? d->value : (double)NAN,
                   isfinite(d->threshold) ? d->threshold : (double)NAN);
    }
    return rc;
}

/* ---- checkpoints ---- */

int store_checkpoint(struct store *store, int64_t trial_id, const struct trial_checkpoint *c,
                     struct err *err)
{
    if (db_begin(store, err))
        return -1;
    return db_do(store, STATEMENT_CHECKPOINT_PUT, err, "inddb", trial_id, (int)c->epoch, c->left,
                 c->seconds, c->state, c->bytes);
}

int store_checkpoint_find(struct trial_checkpoint *out, struct buf *state, struct store *store,
                          int64_t trial_id, struct err *err)
{
    sqlite3_stmt *row = db_bind(store, STATEMENT_CHECKPOINT_FIND, err, "i", trial_id);
    int rc = db_step(store, row, err);

    if (rc != 1)
        return rc;
    if (db_check_row(store, row, "nrrb", NULL) ||
        db_read(store, row, err, "nrr", &out->epoch, &out->left, &out->seconds) ||
        !trial_checkpoint_is_valid(out))
        return db_finish(store, row, err); /* changed by another program: counts as missing */
    buf_clear(state);
    buf_add(state, sqlite3_column_blob(row, 3), (size_t)sqlite3_column_bytes(row, 3));
    out->state = state->data;
    out->bytes = state->size;
    if (db_finish(store, row, err))
        return -1;
    return buf_failed(state) ? err_nomem(err, "checkpoint", state->size) : 1;
}

/* ---- results ---- */

static int write_metric(struct store *store, int64_t trial_id, const char *split, const char *name,
                        double value, struct err *err)
{
    if (isnan(value))
        return 0;
    return db_do(store, STATEMENT_METRIC_INSERT, err, "issd", trial_id, split, name, value);
}

static int write_metrics(struct store *store, int64_t trial_id, const struct trial_result *r,
                         struct err *err)
{
    for (int part = PART_TRAIN; part < PART_COUNT; part++) {
        const char *split = part_name((enum part)part);

        if (write_metric(store, trial_id, split, "loss", r->losses[part], err))
            return -1;
        for (int m = 0; m < METRIC_COUNT; m++)
            if (write_metric(store, trial_id, split, metric_rows[m].name, r->metrics[part][m], err))
                return -1;
    }
    return 0;
}

static int write_curve(struct store *store, int64_t trial_id, const struct trial_result *r,
                       struct err *err)
{
    for (int32_t i = 0; i < r->n_curve; i++) {
        const struct gcn_epoch *e = &r->curve[i];

        if (db_do(store, STATEMENT_CURVE_INSERT, err, "indddd", trial_id,
                  r->epochs ? (int)r->epochs[i] : (int)i + 1, e->train_loss, e->val_loss,
                  e->val_value, e->seconds))
            return -1;
    }
    return 0;
}

/* ---- what programs report ---- */

/* "val_accuracy" is accuracy on the part val; other names have no part. */
static const char *split_name(const char **split, const char *name)
{
    for (int part = PART_TRAIN; part < PART_COUNT; part++) {
        size_t n = strlen(part_name((enum part)part));

        *split = part_name((enum part)part);
        if (!strncmp(name, *split, n) && name[n] == '_' && name[n + 1])
            return name + n + 1;
    }
    *split = "";
    return name;
}

/* A program that makes up names does not get a column for each. */
enum { MOST_WRITTEN = 1 << 15 };

static int write_reported(struct store *store, int64_t trial_id, const struct trial_result *r,
                          struct err *err)
{
    for (int32_t i = 0; i < r->n_reported; i++) {
        const char *split, *name = split_name(&split, r->reported[i].name);

        if (write_metric(store, trial_id, split, name, r->reported[i].value, err))
            return -1;
        if (db_find_pair(&store->written, split, name) >= 0 || store->written.size > MOST_WRITTEN)
            continue;
        buf_add(&store->written, split, strlen(split) + 1);
        buf_add(&store->written, name, strlen(name) + 1);
        store->has_new_metrics = true;
    }
    for (int32_t i = 0; i < r->n_points; i++) {
        const struct program_point *p = &r->points[i];

        if (!isnan(p->value) && db_do(store, STATEMENT_CURVE_METRIC_INSERT, err, "insd", trial_id,
                                      (int)p->epoch, r->curve_names[p->name], p->value))
            return -1;
    }
    return 0;
}

static int delete_details(struct store *store, int64_t trial_id, struct err *err)
{
    static const enum statement deletes[] = {STATEMENT_METRIC_DELETE,       STATEMENT_CURVE_DELETE,
                                             STATEMENT_TIMING_DELETE,       STATEMENT_MODEL_DELETE,
                                             STATEMENT_CURVE_METRIC_DELETE, STATEMENT_LOG_DELETE,
                                             STATEMENT_FILE_DELETE};

    for (size_t i = 0; i < sizeof deletes / sizeof *deletes; i++)
        if (db_do(store, deletes[i], err, "i", trial_id))
            return -1;
    return 0;
}

/* open: before write_attempts(). */
static int update_trial(struct store *store, int64_t trial_id, const struct trial_result *r,
                        int64_t open, int64_t *attempts, struct err *err)
{
    int more = (open > 0 ? 0 : 1) + (int)r->n_restarts;
    sqlite3_stmt *statement =
        r->state == TRIAL_PENDING
            ? db_bind(store, STATEMENT_ATTEMPT_COUNT, err, "in", trial_id, more)
            : db_bind(store, STATEMENT_RESULT_UPDATE, err, "isdnndddisn", trial_id,
                      trial_state_name(r->state), r->value, (int)r->epochs_run, (int)r->best_epoch,
                      r->seconds, r->predicted, r->flops, r->peak_bytes,
                      *r->error ? r->error : NULL, more);

    return db_finish(store, statement, err) ||
                   db_ask(attempts, store, STATEMENT_ATTEMPTS, err, "i", trial_id)
               ? -1
               : 0;
}

/* The attempts of programs that were started again, of which the first closes the open row, then that
 * of the result. update_trial() counts them. */
static int write_attempts(struct store *store, int64_t trial_id, const struct trial_result *r,
                          int64_t open, struct err *err)
{
    struct attempt attempt = {
        .trial_id = trial_id,
        .place = {r->rank, r->host, r->pid, r->members, r->n_members},
        .outcome = "stopped",
    };

    for (int32_t i = 0; i < r->n_restarts; i++) {
        attempt.started = r->restarts[i].started;
        attempt.finished = r->restarts[i].finished;
        attempt.error =
            r->restarts[i].was_killed ? "the program was killed (SIGKILL) and started again" : NULL;
        if (open > 0 ? close_row(store, open, &attempt, err) : insert(store, &attempt, err))
            return -1;
        open = open > 0 ? -1 : open;
    }
    attempt.started = r->started;
    attempt.finished = r->finished;
    attempt.error = *r->error ? r->error : NULL;
    if (r->state != TRIAL_PENDING)
        attempt.outcome = trial_state_name(r->state);
    return end_attempt(store, open, &attempt, err);
}

/* It stays until the trial has a result. */
int store_report(struct store *store, int64_t trial_id, const struct trial_result *so_far,
                 struct err *err)
{
    if (!so_far->n_curve && !so_far->n_reported)
        return 0;
    return db_begin(store, err) || delete_details(store, trial_id, err) ||
                   write_curve(store, trial_id, so_far, err) ||
                   write_reported(store, trial_id, so_far, err)
               ? -1
               : 0;
}

static int write_log(struct store *store, int64_t trial_id, const struct trial_result *r,
                     struct err *err)
{
    return r->log ? db_do(store, STATEMENT_LOG_INSERT, err, "iib", trial_id, r->log_total, r->log,
                          r->log_bytes)
                  : 0;
}

/* The report of a trial up to its rung. Its checkpoint stays. */
static int write_held(struct store *store, int64_t trial_id, const struct trial_result *r,
                      struct err *err)
{
    if (!isnan(r->value) &&
        db_do(store, STATEMENT_RUNG_PUT, err, "ind", trial_id, (int)r->rung, r->value))
        return -1;
    return delete_details(store, trial_id, err) || write_metrics(store, trial_id, r, err) ||
                   write_curve(store, trial_id, r, err) ||
                   write_reported(store, trial_id, r, err) || write_log(store, trial_id, r, err)
               ? -1
               : 0;
}

int store_result(struct store *store, int64_t trial_id, const struct trial_result *result,
                 struct err *err)
{
    int64_t attempts, open;

    if (db_begin(store, err) ||
        db_ask(&open, store, STATEMENT_ATTEMPT_OPEN, err, "in", trial_id, (int)result->rank) ||
        update_trial(store, trial_id, result, open, &attempts, err) ||
        write_attempts(store, trial_id, result, open, err))
        return -1;
    FAULT("store: a result is written in part");
    if (result->state == TRIAL_PENDING)
        return store_report(store, trial_id, result, err);
    if (result->state == TRIAL_HELD)
        return write_held(store, trial_id, result, err);
    if (db_do(store, STATEMENT_CHECKPOINT_DELETE, err, "i", trial_id))
        return -1;
    /* A trial in its first attempt has rows of reports only if that was recorded as running. */
    if (((attempts > 1 || open > 0) && delete_details(store, trial_id, err)) ||
        write_metrics(store, trial_id, result, err) || write_curve(store, trial_id, result, err) ||
        write_reported(store, trial_id, result, err) || write_log(store, trial_id, result, err))
        return -1;
    for (int32_t i = 0; i < result->n_files; i++)
        if (db_do(store, STATEMENT_FILE_INSERT, err, "isi", trial_id, result->files[i],
                  result->files_bytes[i]))
            return -1;
    FAULT("store: a result is written but for its times");
    if (result->model && store_put_model(store, trial_id, result->model, result->model_bytes, err))
        return -1;
    if (result->drops_checkpoint)
        buf_put_i64(&store->ended, trial_id);
    /* One that failed may have left its folder; a model's has none. */
    if (result->n_members > 1 && (result->drops_checkpoint || result->state == TRIAL_FAILED)) {
        buf_put_i64(&store->gangs, trial_id);
        buf_put_u32(&store->gangs, result->drops_checkpoint);
    }
    if (buf_failed(&store->ended) || buf_failed(&store->gangs))
        return err_nomem(err, "ended trials", store->ended.size);
    for (int phase = 0; phase < PHASE_COUNT; phase++)
        if (result->timing[phase] > 0 &&
            db_do(store, STATEMENT_TIMING_INSERT, err, "isd", trial_id,
                  trial_phase_name((enum trial_phase)phase), result->timing[phase]))
            return -1;
    return 0;
}
