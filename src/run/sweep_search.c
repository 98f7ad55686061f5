/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/sweep_search.h"

#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "run/job_prepare.h"
#include "run/sweep_run.h"
#include "search/search.h"
#include "trial/spec.h"

struct sweep_search {
    struct sweep_session *session;
    struct store_proposing *proposing;
    struct search *search; /* NULL: it is over */
    uint8_t *states;       /* [n_trials] as stored */
    double *values;        /* [n_trials] of done trials */
    double *seconds;       /* [n_trials] */
    int64_t n_stored;      /* decisions */
    bool is_max;
    struct err err; /* of score() */
    bool has_failed;
};

/* ---- scores ---- */

static bool is_known(struct sweep_search *s, int64_t trial, int32_t rung, double *value)
{
    const struct sweep_session *session = s->session;
    const enum trial_state state = ledger_state(session->ledger, trial);
    struct store_rung wanted = {
        .trial_id = session->known.ids[trial], .rung = rung, .state = state, .is_max = s->is_max};
    struct settings settings;
    struct err err;
    int found;

    *value = NAN;
    if (rung == SETTINGS_LAST_RUNG) {
        if (state == TRIAL_DONE)
            *value = s->values[trial];
        else
            *value = -(double)INFINITY;
        return state == TRIAL_DONE || state == TRIAL_DIVERGED || state == TRIAL_FAILED;
    }
    plan_settings(&session->job->plan, plan_trial(&session->job->plan, trial).config, &settings);
    wanted.until = settings_rung_epochs(&settings, rung);
    wanted.by_loss =
        settings_has(&settings, P_CHOOSE_EPOCH) && settings.v[P_CHOOSE_EPOCH].i == CHOOSE_LOSS;
    found = store_rung_score(value, session->store, &wanted, &err);
    if (found < 0 && !s->has_failed) {
        s->err = err;
        s->has_failed = true;
    }
    return found > 0;
}

static double score(void *arg, int64_t trial, int32_t rung)
{
    struct sweep_search *s = arg;
    double value;

    is_known(s, trial, rung, &value);
    return isinf(value) || s->is_max ? value : -value;
}

static double seconds(void *arg, int64_t trial)
{
    const struct sweep_search *s = arg;
    struct settings settings;

    plan_settings(&s->session->job->plan, plan_trial(&s->session->job->plan, trial).config,
                  &settings);
    return s->seconds[trial] * (double)settings.v[P_RANKS].i;
}

/* ---- steps ---- */

static int set_state(struct sweep_search *s, int64_t trial, enum trial_state state, struct err *err)
{
    const int64_t id = s->session->known.ids[trial];

    if (!id || s->states[trial] == state)
        return 0;
    s->states[trial] = (uint8_t)state;
    return store_set_state(s->session->store, id, state, err);
}

static int release_trial(struct sweep_search *s, int64_t trial, struct err *err)
{
    struct sweep_session *session = s->session;

    if (session->dispatch)
        dispatch_reopen(session->dispatch, trial);
    else
        ledger_reopen(session->ledger, trial);
    return set_state(s, trial, TRIAL_PENDING, err);
}

/* Stop the trials of configurations that were decided against; with is_over all that wait. */
static int stop_trials(struct sweep_search *s, bool is_over, struct err *err)
{
    struct sweep_session *session = s->session;
    const struct plan *plan = &session->job->plan;

    for (int64_t t = 0; t < plan->n_trials; t++) {
        if (ledger_state(session->ledger, t) != TRIAL_HELD)
            continue;
        if (!is_over && search_fate(s->search, plan_trial(plan, t).config) != SEARCH_STOPPED) {
            if (set_state(s, t, TRIAL_HELD, err))
                return -1;
            continue;
        }
        ledger_stop(session->ledger, t);
        if (set_state(s, t, TRIAL_STOPPED, err))
            return -1;
    }
    return 0;
}

static void take_known(struct sweep_search *s, int64_t t)
{
    const struct store_trials *known = &s->session->known;

    s->states[t] = known->states[t];
    s->values[t] = known->values[t];
    s->seconds[t] = known->seconds[t];
}

int sweep_search_register(struct sweep_session *session, struct err *err)
{
    struct job *job = session->job;
    const int64_t each = (int64_t)job->plan.replicates * job->plan.folds;

    for (int64_t t = job->plan.rows.n * each; t < job->plan.n_trials; t++)
        session->known.ours[t] = false;
    return store_register(session->store, &job->plan, &job->data, job->work, &session->known, err);
}

/* Take configurations that were proposed since. */
static int take_proposed(struct sweep_search *s, int32_t n_before, struct err *err)
{
    struct sweep_session *session = s->session;
    struct job *job = session->job;
    const int64_t each = (int64_t)job->plan.replicates * job->plan.folds;

    if (job->plan.rows.n == n_before)
        return 0;
    for (int64_t t = n_before * each; t < job->plan.rows.n * each; t++)
        session->known.ours[t] = true;
    if (job_price(job, n_before, err) ||
        (session->master && master_tell_rows(session->master, &job->plan, n_before, err)) ||
        sweep_search_register(session, err))
        return -1;
    for (int64_t t = n_before * each; t < job->plan.rows.n * each; t++) {
        const enum trial_state state = (enum trial_state)session->known.states[t];

        take_known(s, t);
        if (sweep_run_is_finished(state, session->options->retry_failed)) /* of an earlier run */
            ledger_finish(session->ledger, t, state);
    }
    return 0;
}

/* Trials that have come to the rung of the step need not run. Returns how many do. */
static int64_t release_step(struct sweep_search *s, struct err *err)
{
    struct sweep_session *session = s->session;
    const int32_t rung = search_rung(s->search);
    int64_t n = 0;
    double value;

    for (int64_t t = 0; t < session->job->plan.n_trials; t++) {
        if (!search_runs(s->search, t) || is_known(s, t, rung, &value))
            continue;
        n++;
        if (release_trial(s, t, err))
            return -1;
    }
    return s->has_failed ? -1 : n;
}

static void set_rung(const struct sweep_search *s)
{
    struct sweep_session *session = s->session;
    const union value *v = session->job->plan.fixed.v;
    const int32_t rung = search_rung(s->search);

    if (!session->dispatch)
        return;
    dispatch_set_rung(
        session->dispatch,
        rung == SETTINGS_LAST_RUNG ? 1 : pow((double)v[P_ETA].i, (double)(rung - v[P_RUNGS].i)),
        search_share(s->search));
    if (session->master)
        master_set_rung(session->master, rung);
}

static int store_decisions(struct sweep_search *s, struct err *err)
{
    const double sign = s->is_max ? 1 : -1;
    const struct search_decision *all;
    struct store_decision *rows;
    int64_t n;
    int rc;

    all = search_decisions(s->search, &n) + s->n_stored;
    n -= s->n_stored;
    rows = malloc((size_t)n * sizeof *rows + 1);
    if (!rows)
        return err_nomem(err, "decisions", (size_t)n * sizeof *rows);
    for (int64_t i = 0; i < n; i++)
        rows[i] = (struct store_decision){
            .config_id = s->session->known.config_ids[all[i].config],
            .step = all[i].step,
            .action = search_action_name(all[i].action),
            .rung = all[i].rung,
            .value = all[i].action == SEARCH_PROPOSE ? all[i].value : sign * all[i].value,
            .threshold = sign * all[i].threshold};
    rc = store_put_decisions(s->session->store, rows, n, !s->n_stored, err);
    s->n_stored += n;
    free(rows);
    return rc;
}

int sweep_search_next(struct sweep_session *session, struct err *err)
{
    struct sweep_search *s = session->search;
    const struct search_scores scores = {score, seconds, s};
    int64_t n_released = 0;
    int goes_on = 1;

    while (s && goes_on > 0 && !n_released) {
        const int32_t n_before = session->job->plan.rows.n;

        goes_on = search_next(s->search, &scores, err);
        if (s->has_failed) {
            *err = s->err;
            return -1;
        }
        if (goes_on < 0 || take_proposed(s, n_before, err) || store_decisions(s, err) ||
            stop_trials(s, !goes_on, err))
            return -1;
        n_released = goes_on ? release_step(s, err) : 0;
        if (n_released < 0)
            return -1;
    }
    if (n_released)
        set_rung(s);
    else if (s)
        sweep_search_end(session);
    return 0;
}

/* ---- life ---- */

/* Without a search, trials that waited or were stopped are pending again. */
static int let_go(struct sweep_session *session, struct err *err)
{
    const struct store_trials *known = &session->known;

    for (int64_t t = 0; t < session->job->plan.n_trials; t++)
        if ((known->states[t] == TRIAL_HELD || known->states[t] == TRIAL_STOPPED) &&
            ledger_state(session->ledger, t) == TRIAL_PENDING &&
            store_set_state(session->store, known->ids[t], TRIAL_PENDING, err))
            return -1;
    return 0;
}

static int hold(struct sweep_search *s, struct err *err)
{
    struct sweep_session *session = s->session;
    const struct store_trials *known = &session->known;

    for (int64_t t = 0; t < session->job->plan.n_trials; t++) {
        take_known(s, t);
        if (ledger_state(session->ledger, t) != TRIAL_PENDING)
            continue;
        ledger_mark(session->ledger, t, TRIAL_HELD);
        if (known->ids[t] && known->states[t] == TRIAL_FAILED && /* it runs again */
            store_forget_rungs(session->store, known->ids[t], err))
            return -1;
    }
    return 0;
}

int sweep_search_begin(struct sweep_session *session, struct err *err)
{
    struct job *job = session->job;
    const bool is_wanted = search_is_wanted(&job->plan.fixed);
    const size_t n = (size_t)job->plan.n_trials + 1;
    struct sweep_search *s;

    if (!is_wanted)
        return let_go(session, err);
    if (session->options->shard.n > 1)
        return err_set(err,
                       "%s: --shard: the search compares all configurations, and a shard has the "
                       "results of a part: run it in one job, or set propose = grid and "
                       "allocate = all",
                       job->sweep.path);
    s = session->search = calloc(1, sizeof *s);
    if (s) {
        s->session = session;
        s->is_max = spec_maximize(&job->plan.fixed);
        s->states = malloc(n * sizeof *s->states);
        s->values = malloc(n * sizeof *s->values);
        s->seconds = malloc(n * sizeof *s->seconds);
    }
    if (!s || !s->states || !s->values || !s->seconds)
        return err_nomem(err, "search", n * 2 * sizeof(double));
    if (hold(s, err))
        return -1;
    if (store_proposing_open(&s->proposing, &job->sweep, &job->plan.fixed, err))
        return -1;
    s->search = search_create(&job->plan, store_proposing_of(s->proposing), err);
    return s->search ? sweep_search_next(session, err) : -1;
}

void sweep_search_start(struct sweep_session *session)
{
    if (session->search)
        set_rung(session->search);
}

void sweep_search_note(struct sweep_session *session, const struct trial_result *result)
{
    struct sweep_search *s = session->search;

    if (!s || result->state == TRIAL_PENDING)
        return;
    s->states[result->trial] = (uint8_t)result->state;
    s->values[result->trial] = result->value;
    s->seconds[result->trial] = result->seconds;
}

void sweep_search_end(struct sweep_session *session)
{
    if (!session->search)
        return;
    search_destroy(session->search->search);
    store_proposing_close(session->search->proposing);
    free(session->search->states);
    free(session->search->values);
    free(session->search->seconds);
    free(session->search);
    session->search = NULL;
}
