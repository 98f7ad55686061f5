/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/sweep_predictions.h"

#include <math.h>

#include "base/fault.h"
#include "base/log.h"
#include "base/words.h"
#include "launch/stop.h"
#include "predict/out_of_fold.h"
#include "run/job.h"
#include "store/query/query.h"
#include "tensor/gemm.h"
#include "trial/kept.h"

/* of a configuration, about 50 MB in the file; later trials are left out */
#define MOST_OUTPUTS 1000000
/* as for results: a commit waits for the disk */
#define COMMIT_S 0.5

struct work {
    struct sweep_session *session;
    struct result_table trials; /* of QUERY_PREDICTABLE */
    struct out_of_fold now;
    int64_t config_id; /* of `now`; 0: none */
    int64_t n_outputs; /* of this configuration so far */
    double begun_s, committed_s;
    double expected_s; /* of the next trial; NaN: unknown */
    int64_t n_stored, n_left, n_over;
    bool is_over; /* no time left, or asked to stop */
};

static int change_config(struct work *w, int64_t config_id, int32_t config, struct err *err)
{
    struct job *job = w->session->job;

    out_of_fold_release(&w->now);
    w->now = (struct out_of_fold){
        .store = w->session->store, .prepared = job->prepared, .data = &job->data};
    plan_settings(&job->plan, config, &w->now.settings);
    w->config_id = config_id;
    w->n_outputs = 0;
    w->expected_s = (double)NAN;
    return out_of_fold_init(&w->now, err);
}

static bool has_time(const struct work *w, int64_t row)
{
    double expected_s =
        isnan(w->expected_s) ? result_table_real(&w->trials, row, "epoch_s") : w->expected_s;

    return !stop_signal &&
           (isnan(expected_s) || walltime_within(&w->session->walltime, expected_s) >= expected_s);
}

/* Returns 1 if the model cannot be applied. */
static int put(struct work *w, int64_t trial_id, struct plan_trial where, struct err *err)
{
    double begun_s = clock_now(&clock_system), now_s;
    enum out_of_fold_end end = out_of_fold_put(&w->now, trial_id, where.replicate, where.fold, err);

    if (end == OUT_OF_FOLD_IMPOSSIBLE)
        return 1;
    if (end == OUT_OF_FOLD_UNWRITTEN)
        return -1;
    FAULT("store: predictions of a trial were written");
    w->n_stored++;
    now_s = clock_now(&clock_system);
    w->expected_s = now_s - begun_s;
    if (now_s - w->committed_s < COMMIT_S)
        return 0;
    w->committed_s = now_s;
    return store_commit(w->session->store, err);
}

static int take_trial(struct work *w, int64_t row, struct err *err)
{
    int64_t trial_id = result_table_integer(&w->trials, row, "trial");
    int64_t config_id = result_table_integer(&w->trials, row, "config");
    const struct plan *plan = &w->session->job->plan;
    int64_t number = store_trials_find(&w->session->known, plan->n_trials, trial_id), n;
    struct plan_trial where;

    if (number < 0) /* it is of an earlier grid */
        return 0;
    where = plan_trial(plan, number);
    if (config_id != w->config_id && change_config(w, config_id, where.config, err))
        return 1;
    n = out_of_fold_count(&w->now, where.replicate, where.fold, err);
    if (n < 0)
        return 1;
    w->n_outputs += n;
    if (result_table_integer(&w->trials, row, "is_stored"))
        return 0;
    if (w->n_outputs > MOST_OUTPUTS) {
        w->n_over++;
        return 0;
    }
    w->is_over = w->is_over || !has_time(w, row);
    if (w->is_over) {
        w->n_left++;
        return 0;
    }
    sweep_session_keep_alive(w->session);
    return put(w, trial_id, where, err);
}

static int take_all(struct work *w, struct err *err)
{
    int rc = 0;

    for (int64_t r = 0; rc >= 0 && r < w->trials.n_rows; r++) {
        rc = take_trial(w, r, err);
        if (rc <= 0)
            continue;
        log_warn("t%lld: its predictions for the validation part are not stored: %s",
                 (long long)result_table_integer(&w->trials, r, "trial"), err->text);
        break;
    }
    return rc < 0 ? -1 : 0;
}

static bool is_due(const struct result_table *trials)
{
    for (int64_t r = 0; r < trials->n_rows; r++)
        if (!result_table_integer(trials, r, "is_stored"))
            return true;
    return false;
}

static void report(const struct work *w)
{
    if (w->n_stored)
        log_verbose("stored the predictions of %lld trial%s for their validation parts in %.3f s",
                    (long long)w->n_stored, plural(w->n_stored),
                    clock_now(&clock_system) - w->begun_s);
    if (w->n_stored && w->n_over)
        log_info("the predictions of %lld trial%s are not stored: a configuration may have at most "
                 "%d outputs in the database",
                 (long long)w->n_over, plural(w->n_over), MOST_OUTPUTS);
    if (w->n_left)
        log_info("the predictions of %lld trial%s for their validation parts are not stored yet: "
                 "the same command adds them",
                 (long long)w->n_left, plural(w->n_left));
}

int sweep_predictions_store(struct sweep_session *session, struct err *err)
{
    const struct given *fixed = &session->job->sweep.fixed;
    const char *name = fixed->v[P_SWEEP_NAME].s;
    struct work w = {.session = session};
    int rc = 0;

    if (keep_of(fixed->v) == KEEP_NONE || session->n_others ||
        !refit_has_models(&session->job->plan, &session->job->data))
        return 0;
    if (store_prune_predictions(session->store, name, err) || store_commit(session->store, err) ||
        query_table(&w.trials, session->store, QUERY_PREDICTABLE, session->progress.sweep.sweep_id,
                    err))
        return -1;
    if (is_due(&w.trials) && !session->before.pending)
        walltime_begin(&session->walltime, session->options->time_limit_s,
                       session->options->begun_s, session->job->stop_s);
    /* Otherwise each core of the host takes memory for the products of this thread. */
    gemm_set_threads((int)fixed->v[P_THREADS].i);
    w.begun_s = w.committed_s = clock_now(&clock_system);
    if (is_due(&w.trials) && (take_all(&w, err) || store_commit(session->store, err)))
        rc = -1;
    if (!rc)
        report(&w);
    out_of_fold_release(&w.now);
    result_table_release(&w.trials);
    return rc;
}
