#include <stdlib.h>

#include "base/log.h"
#include "cli/models.h"
#include "cli/predict.h"
#include "store/query.h"

/* "c12" or "12", with that letter. */
static int parse_id(int64_t *id, const char *text, char letter, struct err *err)
{
    if (!cli_parse_id(id, text, letter))
        return err_set(err, "'%s' is no %s: must be %c12 for example", text,
                       letter == 'c' ? "configuration" : "trial", letter);
    return 0;
}

/* The trials in the first column, which have models. */
static int take_trials(struct predict *w, const struct table *table, struct err *err)
{
    size_t n = (size_t)table->n_rows;

    w->n_models = (int32_t)n;
    w->trial = malloc((n + 1) * sizeof *w->trial);
    w->held = calloc(n + 1, sizeof *w->held);
    if (!w->trial || !w->held)
        return err_nomem(err, "models", (n + 1) * sizeof *w->held);
    for (size_t i = 0; i < n; i++)
        w->trial[i] = table->cells[i * (size_t)table->n_cols].i;
    return 0;
}

static int choose_trial(struct predict *w, int64_t id, struct err *err)
{
    struct cell cell = {.type = CELL_INTEGER, .i = id};
    const struct table one = {.cells = &cell, .n_rows = 1, .n_cols = 1};
    struct store *store = w->replay.store;
    struct replay_trial trial;
    struct table table;
    bool has_model;

    if (replay_find(&trial, store, id, err))
        return -1;
    if (trial.state != TRIAL_DONE)
        return err_set(err, "%s: t%lld is not done: it is %s", w->o->db, (long long)id,
                       trial_state_name(trial.state));
    if (query_table(&table, store, QUERY_TRIAL_MODEL, id, err))
        return -1;
    has_model = table.n_rows > 0;
    table_release(&table);
    w->config_id = trial.config_id;
    return has_model ? take_trials(w, &one, err) : models_none(w->o->db, 't', id, err);
}

/* The best of a sweep that has models, or the one that was asked for. */
static int find_config(int64_t *id, struct store *store, const struct predict_options *o,
                       struct err *err)
{
    struct query_sweep sweep;
    struct table table;

    if (o->config)
        return parse_id(id, o->config, 'c', err);
    if (query_sweep(&sweep, store, o->sweep, err) ||
        query_table(&table, store, QUERY_BEST, sweep.sweep_id, err))
        return -1;
    *id = table.n_rows ? table.cells[0].i : 0;
    if (*id)
        log_info("the best configuration of sweep '%s': c%lld, mean %s %.4g", sweep.name,
                 (long long)*id, sweep.objective, table.cells[1].f);
    table_release(&table);
    if (!*id)
        return err_set(err, "%s: sweep '%s' has no finished configuration yet", o->db, sweep.name);
    return 0;
}

/* n_done: its trials that could have a model. */
static int check_config(int32_t *n_done, const struct predict *w, struct err *err)
{
    enum { STATE = 3 };
    struct table table;
    int64_t n;

    *n_done = 0;
    if (query_table(&table, w->replay.store, QUERY_CONFIG_TRIALS, w->config_id, err))
        return -1;
    n = table.n_rows;
    for (int64_t i = 0; i < n; i++)
        *n_done += trial_state_parse(table.cells[i * table.n_cols + STATE].s) == TRIAL_DONE;
    table_release(&table);
    return n ? 0 : err_set(err, "%s: no configuration c%lld", w->o->db, (long long)w->config_id);
}

static void tell_fewer(const struct predict *w, int32_t n_done)
{
    struct buf trials = {0};

    for (int32_t i = 0; i < w->n_models; i++)
        buf_printf(&trials, "%st%lld", i ? ", " : "", (long long)w->trial[i]);
    if (w->n_models < n_done)
        log_warn("c%lld: %d of its %d trials have models: %s; predictions are of these",
                 (long long)w->config_id, w->n_models, n_done, buf_text(&trials));
    buf_release(&trials);
}

static int choose_config(struct predict *w, struct err *err)
{
    struct store *store = w->replay.store;
    struct table table;
    int32_t n_done;
    int rc;

    if (find_config(&w->config_id, store, w->o, err) || check_config(&n_done, w, err) ||
        query_table(&table, store, QUERY_CONFIG_MODELS, w->config_id, err))
        return -1;
    rc = take_trials(w, &table, err);
    table_release(&table);
    if (rc)
        return -1;
    if (!w->n_models)
        return models_none(w->o->db, 'c', w->config_id, err);
    tell_fewer(w, n_done);
    return 0;
}

int predict_choose(struct predict *w, struct err *err)
{
    int64_t id;

    if (!w->o->trial)
        return choose_config(w, err);
    return parse_id(&id, w->o->trial, 't', err) || choose_trial(w, id, err) ? -1 : 0;
}
