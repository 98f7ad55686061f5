/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/predict.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/log.h"
#include "data/format.h"
#include "store/query/query.h"
#include "trial/kept.h"
#include "trial/spec.h"

/* ---- which models ---- */

int predict_no_model(struct store *store, char letter, int64_t id, struct err *err)
{
    static const char which[] = "keep = best keeps models of the best configuration and of the one "
                                "that 'best --rule 1se' chooses, keep = all keeps every model";
    const char *db = store_path(store);
    struct buf word = {0};
    struct result_table table;
    long long n = id;
    bool is_of_program;

    if (query_table(&table, store, letter == 't' ? QUERY_TRIAL_OF_PROGRAM : QUERY_CONFIG_OF_PROGRAM,
                    id, err))
        return -1;
    is_of_program = table.n_rows > 0;
    result_table_release(&table);
    if (is_of_program)
        return err_set(err,
                       "%s: %c%lld has no model that espalier can apply, because a program ran it; "
                       "[program] keep_files keeps files of the program",
                       db, letter, n);
    if (letter == 't')
        return err_set(err,
                       "%s: no model of t%lld is kept: %s; to train it again, run the same sweep "
                       "with another --db",
                       db, n, which);
    err_set(err,
            "%s: no model of c%lld is kept: %s; to train it again, with the same bits: 'espalier "
            "best %s --where \"config = %lld\" --format ini >c%lld.ini', then 'espalier run "
            "c%lld.ini --db c%lld.db'",
            db, n, which, escape_shell(&word, db), n, n, n, n);
    buf_release(&word);
    return -1;
}

int predict_parse_id(int64_t *id, const char *text, char letter, struct err *err)
{
    if (!query_parse_id(id, text, letter))
        return err_set(err, "'%s' is not a %s: must be a number, as in %c12", text,
                       letter == 'c' ? "configuration" : "trial", letter);
    return 0;
}

static int refuse_program(struct store *store, const char *db, const char *name, struct err *err)
{
    struct query_sweep sweep;
    struct buf word = {0};

    if (query_sweep(&sweep, store, name, err))
        return -1;
    if (!sweep.is_program)
        return 0;
    err_set(
        err,
        "sweep '%s' runs a program, whose models espalier cannot apply: the program itself must "
        "predict; with [program] keep_files = model.pt, 'espalier show %s t1' prints where its "
        "models are",
        sweep.name, escape_shell(&word, db));
    buf_release(&word);
    return -1;
}

static int make_trials(struct predict *w, size_t n, struct err *err)
{
    w->n_models = (int32_t)n;
    w->trial = malloc((n + 1) * sizeof *w->trial);
    w->held = calloc(n + 1, sizeof *w->held);
    return w->trial && w->held ? 0 : err_nomem(err, "models", (n + 1) * sizeof *w->held);
}

static int choose_trial(struct predict *w, int64_t id, struct err *err)
{
    struct store *store = w->replay.store;
    struct replay_trial trial;
    struct result_table table;
    bool has_model;

    if (replay_find(&trial, store, id, err) || refuse_program(store, w->o->db, trial.sweep, err))
        return -1;
    if (trial.state != TRIAL_DONE)
        return err_set(err, "%s: t%lld is not done: it is %s", w->o->db, (long long)id,
                       trial_state_name(trial.state));
    if (query_table(&table, store, QUERY_TRIAL_MODEL, id, err))
        return -1;
    has_model = table.n_rows > 0;
    result_table_release(&table);
    w->config_id = trial.config_id;
    if (!has_model)
        return predict_no_model(store, 't', id, err);
    if (make_trials(w, 1, err))
        return -1;
    w->trial[0] = id;
    return 0;
}

static int find_config(int64_t *id, struct store *store, const struct predict_options *o,
                       struct err *err)
{
    enum query_rule rule = query_rule_parse(o->rule ? o->rule : "best");
    struct query_filter filter = {.limit = 1};
    struct query_sweep sweep;
    struct result_table table;
    struct err none;

    if (o->config)
        return predict_parse_id(id, o->config, 'c', err);
    if (query_sweep(&sweep, store, o->sweep, err) ||
        query_choose(&table, NULL, store, &sweep, rule, &filter, err))
        return -1;
    *id = result_table_integer(&table, 0, "config");
    log_info("sweep '%s': c%lld is %s, with a mean %s of %.4g", sweep.name, (long long)*id,
             query_rule_words(rule), sweep.objective, result_table_real(&table, 0, "mean"));
    result_table_release(&table);
    /* without several trials of the best configuration, 1se chooses none */
    if (o->rule || query_choose(&table, NULL, store, &sweep, QUERY_RULE_1SE, &filter, &none))
        return 0;
    if (result_table_integer(&table, 0, "config") != *id)
        log_info("--rule 1se would use c%lld, %s",
                 (long long)result_table_integer(&table, 0, "config"),
                 query_rule_words(QUERY_RULE_1SE));
    result_table_release(&table);
    return 0;
}

static int choose_config(struct predict *w, struct err *err)
{
    struct store *store = w->replay.store;
    struct result_table trials = {0}, models = {0};
    struct buf list = {0};
    int32_t n_done = 0;
    int rc = refuse_program(store, w->o->db, w->o->sweep, err) ||
                     find_config(&w->config_id, store, w->o, err) ||
                     query_table(&trials, store, QUERY_CONFIG_TRIALS, w->config_id, err) ||
                     query_table(&models, store, QUERY_CONFIG_MODELS, w->config_id, err) ||
                     make_trials(w, (size_t)models.n_rows, err)
                 ? -1
                 : 0;

    for (int64_t i = 0; !rc && i < trials.n_rows; i++)
        n_done += trial_state_parse(result_table_text(&trials, i, "state")) == TRIAL_DONE;
    for (int64_t i = 0; !rc && i < models.n_rows; i++) {
        w->trial[i] = result_table_integer(&models, i, "trial");
        buf_printf(&list, "%st%lld", i ? ", " : "", (long long)w->trial[i]);
    }
    if (!rc && !trials.n_rows)
        rc = err_set(err, "%s: no configuration c%lld in it", w->o->db, (long long)w->config_id);
    else if (!rc && !w->n_models)
        rc = predict_no_model(store, 'c', w->config_id, err);
    else if (!rc && w->n_models < n_done)
        log_warn("c%lld: %d of its %d trials %s: %s; predictions use only these",
                 (long long)w->config_id, w->n_models, n_done,
                 w->n_models == 1 ? "has a model" : "have models", buf_text(&list));
    result_table_release(&trials);
    result_table_release(&models);
    buf_release(&list);
    return rc;
}

int predict_choose(struct predict *w, struct err *err)
{
    int64_t id;

    if (!w->o->trial)
        return choose_config(w, err);
    return predict_parse_id(&id, w->o->trial, 't', err) || choose_trial(w, id, err) ? -1 : 0;
}

/* ---- without the training data ---- */

/* It stays in memory for the prediction. */
static int read_first(struct predict *w, struct err *err)
{
    if (w->held[0].size)
        return 0;
    if (store_find_model(&w->held[0], w->replay.store, w->trial[0], err) < 0)
        return -1;
    w->held_bytes += w->held[0].size;
    return 0;
}

static int stand_alone(struct predict *w, const struct replay_trial *trial, struct err *err)
{
    const struct buf *first = &w->held[0];
    struct graph_spec graph;

    if (read_first(w, err) || training_summary_init(&w->summary, first->data, first->size, err) ||
        replay_prepare_alone(&w->replay, trial, w->summary.data.task, err))
        return -1;
    w->data = &w->summary.data;
    replay_settings(&w->replay, &w->settings);
    spec_graph(&graph, &w->settings);
    if (!data_format_at(w->settings.v[P_FORMAT].i)->has_genotypes)
        return err_set(err, "they were not trained on genotypes");
    if (graph.build != GRAPH_NONE)
        return err_set(err, "a gcn needs the genotypes of the training samples that are neighbours "
                            "of a new one");
    if (predictor_init(&w->predictor, &w->summary.nobody, NULL, &w->settings, err))
        return -1;
    return training_summary_scaling(&w->predictor.scaling, first->data, first->size, err);
}

/* why: why the models need the data; NULL: samples of the data are asked for. */
static int explain(const struct predict *w, const struct err *why, struct err *err)
{
    struct err what = *err;
    const union value *v = w->replay.sweep.fixed.v;
    int absent = w->replay.sweep.path ? 0 : P_COUNT;

    while (absent < P_COUNT && (param_table[absent].type != PARAM_PATH || !*v[absent].s ||
                                access(v[absent].s, R_OK) == 0))
        absent++;
    if (why)
        err_set(&what, "%s; the models need the training data: %s", err->text, why->text);
    if (absent < P_COUNT)
        return err_set(err, "%s; if the file has moved, give --set %s=FILE", what.text,
                       param_table[absent].key);
    *err = what;
    return -1;
}

/* ---- with the training data, or without ---- */

static int with_data(struct predict *w, const struct replay_trial *trial, struct err *err)
{
    int64_t number;

    if (replay_prepare(&w->replay, trial, &number, err))
        return -1;
    w->data = &w->replay.data;
    replay_settings(&w->replay, &w->settings);
    return predictor_init(&w->predictor, &w->replay.data, w->replay.prepared, &w->settings, err);
}

static void forget(struct predict *w)
{
    predictor_release(&w->predictor);
    training_summary_release(&w->summary);
    w->held_bytes -= w->held[0].size;
    buf_release(&w->held[0]);
}

int predict_prepare(struct predict *w, struct err *err)
{
    const char *path = w->o->genotypes;
    bool is_all_new = path && w->o->is_all;
    struct replay_trial trial;
    struct err why;

    if (replay_find(&trial, w->replay.store, w->trial[0], err) || (path && read_first(w, err)))
        return -1;
    if (is_all_new && stand_alone(w, &trial, &why) == 0) {
        log_info("%s: predicting without the training data, which these models do not need", path);
        return 0;
    }
    forget(w);
    if (with_data(w, &trial, err) == 0)
        return 0;
    forget(w);
    if (!path || stand_alone(w, &trial, &why))
        return explain(w, path ? &why : NULL, err);
    log_warn("%s; predicting without the training data: it is not known which samples they "
             "contain, so all samples of %s are predicted",
             err->text, path);
    return 0;
}

void predict_release(struct predict *w)
{
    for (int32_t m = 0; w->held && m < w->n_models; m++)
        buf_release(&w->held[m]);
    free(w->held);
    kept_products_release(&w->products);
    free(w->trial);
    free(w->part);
    result_table_release(&w->table);
    predictor_release(&w->predictor);
    training_summary_release(&w->summary);
    replay_release(&w->replay);
}
