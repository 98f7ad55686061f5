/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/refit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/real.h"
#include "gcn/cost.h"
#include "gcn/reducer.h"
#include "store/query/query.h"
#include "trial/kept.h"
#include "trial/model_type.h"
#include "trial/spec.h"

const char *refit_text(char out[REFIT_TEXT], const struct refit_config *config)
{
    snprintf(out, REFIT_TEXT, "c%lld is the %s, and %lld of its trials %s no model",
             (long long)config->id,
             config->is_best ? "best" : "cheapest within one standard error of the best",
             (long long)config->n_due, config->n_due == 1 ? "has" : "have");
    return out;
}

void refit_release(struct refit *refit)
{
    free(refit->is_due);
    free(refit->value);
    memset(refit, 0, sizeof *refit);
}

bool refit_has(const struct refit *refit, int64_t trial)
{
    return refit->n_due && refit->is_due[trial];
}

static bool may_have_model(const struct settings *s, const struct dataset *data)
{
    bool is_reduced = s->v[P_REDUCE].i != REDUCE_NONE;
    struct gcn_spec spec;

    if (!model_type_of(s)->trains)
        return false;
    spec_gcn(&spec, s);
    return sizeof(float) *
               gcn_weights(&spec, data, is_reduced ? data->n_samples : data->n_features) <
           (double)KEPT_MAX_BYTES;
}

bool refit_has_models(const struct plan *plan, const struct dataset *data)
{
    struct settings s;

    for (int32_t c = 0; c < plan->n_configs; c++) {
        plan_settings(plan, c, &s);
        if (may_have_model(&s, data))
            return true;
    }
    return false;
}

int refit_find(struct refit *refit, struct store *store, const struct plan *plan,
               const struct dataset *data, const struct store_trials *known, struct err *err)
{
    size_t n = (size_t)plan->n_trials;
    struct query_sweep sweep;
    struct result_table table;

    if (!refit_has_models(plan, data))
        return 0;
    refit->is_due = calloc(n, sizeof *refit->is_due);
    refit->value = calloc(n, sizeof *refit->value);
    if (!refit->is_due || !refit->value)
        return err_nomem(err, "trials", n * (1 + sizeof *refit->value));
    if (query_sweep(&sweep, store, plan->sweep->fixed.v[P_SWEEP_NAME].s, err) ||
        query_table(&table, store, QUERY_MODELS_MISSING, sweep.sweep_id, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows; r++) {
        int64_t id = result_table_integer(&table, r, "config");
        int64_t t =
            store_trials_find(known, plan->n_trials, result_table_integer(&table, r, "trial"));
        struct settings s;

        if (t < 0) /* from an earlier grid */
            continue;
        plan_settings(plan, plan_trial(plan, t).config, &s);
        if (!may_have_model(&s, data))
            continue;
        refit->is_due[t] = true;
        refit->value[t] = result_table_real(&table, r, "value");
        refit->n_due++;
        /* rows of one configuration are adjacent */
        if (!refit->n_configs || refit->configs[refit->n_configs - 1].id != id)
            refit->configs[refit->n_configs++] = (struct refit_config){
                .id = id, .is_best = result_table_integer(&table, r, "is_best")};
        refit->configs[refit->n_configs - 1].n_due++;
    }
    result_table_release(&table);
    return 0;
}

int refit_count_without(int64_t *n, struct store *store, const struct plan *plan,
                        const struct dataset *data, const struct store_trials *known,
                        struct err *err)
{
    bool *has_model = calloc((size_t)plan->n_trials, sizeof *has_model);
    struct query_sweep sweep;
    struct settings s;
    struct result_table has;
    int rc = 0;

    *n = 0;
    if (!has_model)
        rc = err_nomem(err, "trials", (size_t)plan->n_trials);
    else if (query_sweep(&sweep, store, plan->sweep->fixed.v[P_SWEEP_NAME].s, err) ||
             query_table(&has, store, QUERY_WITH_MODELS, sweep.sweep_id, err))
        rc = -1;
    for (int64_t r = 0; !rc && r < has.n_rows; r++) {
        int64_t t =
            store_trials_find(known, plan->n_trials, result_table_integer(&has, r, "trial"));

        if (t >= 0)
            has_model[t] = true;
    }
    if (!rc)
        result_table_release(&has);
    for (int64_t t = 0; !rc && t < plan->n_trials; t++) {
        plan_settings(plan, plan_trial(plan, t).config, &s);
        *n += known->ours[t] && known->states[t] == TRIAL_DONE && !has_model[t] &&
              may_have_model(&s, data);
    }
    free(has_model);
    return rc;
}

int refit_take(struct refit *refit, struct store *store, int64_t trial_id,
               const struct trial_result *result, struct err *err)
{
    double value = refit->value[result->trial];
    bool is_done = result->state == TRIAL_DONE;

    if (is_done && result->model && real_is_same(result->value, value))
        return store_put_model(store, trial_id, result->model, result->model_bytes, err);
    if (!refit->has_warned && is_done && !real_is_same(result->value, value))
        log_warn("t%lld: trained again for its model, it scores %.9g instead of %.9g: the model is "
                 "not kept ('espalier verify' shows what differs)",
                 (long long)trial_id, result->value, value);
    else if (!refit->has_warned)
        log_warn("t%lld: could not be trained again for its model: %s", (long long)trial_id,
                 *result->error ? result->error : trial_state_name(result->state));
    refit->has_warned = true;
    return 0;
}
