#include "predict/predict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/log.h"
#include "data/format.h"
#include "gcn/metric.h"
#include "predict/predictions.h"
#include "predict/predictor.h"
#include "predict/replay.h"
#include "predict/training_summary.h"
#include "store/query.h"
#include "trial/kept.h"
#include "trial/spec.h"

/* What files of models may take while they are asked again and again. */
#define HELD_BYTES ((size_t)1 << 30)
/* Features of a batch, and its smallest size. */
#define BATCH_FLOATS ((int64_t)1 << 27)
#define LEAST_BATCH 16

struct predictions predict_describe(const struct predict *w, const char *const *id)
{
    return (struct predictions){.data = w->data,
                                .id = id,
                                .trial = w->trial,
                                .is_probability = predictor_has_probabilities(&w->predictor)};
}

/* What is new has features alone, no coordinates of a reduction. */
static int complete(struct buf *file, struct predict *w, struct err *err)
{
    struct buf out = {0};

    if (!w->predictor.fresh.n_rows || w->data != &w->replay.data ||
        kept_is_complete(file->data, file->size))
        return 0;
    if (kept_complete(&out, file->data, file->size, &w->replay.data, &w->settings, &w->products,
                      err)) {
        buf_release(&out);
        return -1;
    }
    buf_release(file);
    *file = out;
    return 0;
}

static int read_model(struct buf *file, struct predict *w, int32_t m, struct err *err)
{
    if (store_find_model(file, w->replay.store, w->trial[m], err) < 0)
        return -1;
    return complete(file, w, err);
}

/* The file is handed over. */
static void keep_or_release(struct predict *w, int32_t m, struct buf *file, bool holds)
{
    if (!holds || w->held_bytes + file->size > HELD_BYTES) {
        buf_release(file);
        return;
    }
    w->held_bytes += file->size;
    w->held[m] = *file;
}

static void put(struct predictions *p, int32_t m, const double *out, const int32_t *nodes,
                int32_t n, int32_t first)
{
    size_t each = (size_t)p->n_outputs;

    for (int32_t i = 0; i < n; i++)
        memcpy(p->v + ((size_t)m * (size_t)p->n + (size_t)(nodes[i] - first)) * each,
               out + (size_t)i * each, each * sizeof *out);
}

int predict_ask(struct predictions *p, struct predict *w, int32_t m, const int32_t *nodes,
                int32_t n, int32_t first, bool holds, struct err *err)
{
    size_t size = ((size_t)n + 1) * (size_t)p->n_outputs;
    double *out = malloc(size * sizeof *out);
    struct buf file = w->held[m];
    int rc = out ? 0 : err_nomem(err, "predictions", size * sizeof *out);

    if (!rc && !file.size)
        rc = read_model(&file, w, m, err);
    if (!rc)
        rc = predictor_predict(out, &w->predictor, file.data, file.size, nodes, n, err);
    if (rc)
        err_wrap(err, "t%lld", (long long)w->trial[m]);
    else
        put(p, m, out, nodes, n, first);
    if (!w->held[m].size)
        keep_or_release(w, m, &file, holds && !rc);
    free(out);
    return rc;
}

int32_t predict_batch_size(int32_t n, int32_t n_features)
{
    int64_t most = BATCH_FLOATS / n_features;

    if (most < LEAST_BATCH)
        most = LEAST_BATCH;
    return n < most ? n : (int32_t)most;
}

int predict_rows(struct predict *w, const char *const *id, const int32_t *nodes, int32_t n,
                 int32_t first, bool holds, struct err *err)
{
    struct predictions p = predict_describe(w, id);
    int rc = predictions_init(&p, n, w->n_models, predictor_outputs(&w->predictor), err);

    for (int32_t m = 0; !rc && m < w->n_models; m++)
        rc = predict_ask(&p, w, m, nodes, n, first, holds, err);
    if (!rc)
        rc = predictions_put(&w->table, &p, w->o->is_each, err);
    predictions_release(&p);
    return rc;
}

void predict_release(struct predict *w)
{
    for (int32_t m = 0; w->held && m < w->n_models; m++)
        buf_release(&w->held[m]);
    free(w->held);
    kept_products_release(&w->products);
    free(w->trial);
    result_table_release(&w->table);
    predictor_release(&w->predictor);
    training_summary_release(&w->summary);
    replay_release(&w->replay);
}

/* "c12" or "12", with that letter. */
static int parse_id(int64_t *id, const char *text, char letter, struct err *err)
{
    if (!query_parse_id(id, text, letter))
        return err_set(err, "'%s' is no %s: must be %c12 for example", text,
                       letter == 'c' ? "configuration" : "trial", letter);
    return 0;
}

/* Room for the trials that have models. */
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

    if (replay_find(&trial, store, id, err))
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
        return predict_no_model(w->o->db, 't', id, err);
    if (make_trials(w, 1, err))
        return -1;
    w->trial[0] = id;
    return 0;
}

/* The best of a sweep that has models, or the one that was asked for. */
static int find_config(int64_t *id, struct store *store, const struct predict_options *o,
                       struct err *err)
{
    struct query_sweep sweep;
    struct result_table table;

    if (o->config)
        return parse_id(id, o->config, 'c', err);
    if (query_sweep(&sweep, store, o->sweep, err) ||
        query_table(&table, store, QUERY_BEST, sweep.sweep_id, err))
        return -1;
    *id = table.n_rows ? result_table_integer(&table, 0, "config") : 0;
    if (*id)
        log_info("the best configuration of sweep '%s': c%lld, mean %s %.4g", sweep.name,
                 (long long)*id, sweep.objective, result_table_real(&table, 0, "mean"));
    result_table_release(&table);
    if (!*id)
        return err_set(err, "%s: sweep '%s' has no finished configuration yet", o->db, sweep.name);
    return 0;
}

/* n_done: its trials that could have a model. */
static int check_config(int32_t *n_done, const struct predict *w, struct err *err)
{
    struct result_table table;
    int64_t n;

    *n_done = 0;
    if (query_table(&table, w->replay.store, QUERY_CONFIG_TRIALS, w->config_id, err))
        return -1;
    n = table.n_rows;
    for (int64_t i = 0; i < n; i++)
        *n_done += trial_state_parse(result_table_text(&table, i, "state")) == TRIAL_DONE;
    result_table_release(&table);
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
    struct result_table table;
    int32_t n_done;
    int rc;

    if (find_config(&w->config_id, store, w->o, err) || check_config(&n_done, w, err) ||
        query_table(&table, store, QUERY_CONFIG_MODELS, w->config_id, err))
        return -1;
    rc = make_trials(w, (size_t)table.n_rows, err);
    for (int64_t i = 0; !rc && i < table.n_rows; i++)
        w->trial[i] = result_table_integer(&table, i, "trial");
    result_table_release(&table);
    if (rc)
        return -1;
    if (!w->n_models)
        return predict_no_model(w->o->db, 'c', w->config_id, err);
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

/* ---- without the training data ---- */

/* The first model stays in memory: names are views of it. */
static int read_first(struct predict *w, struct err *err)
{
    if (w->held[0].size)
        return 0;
    if (store_find_model(&w->held[0], w->replay.store, w->trial[0], err) < 0)
        return -1;
    w->held_bytes += w->held[0].size;
    return 0;
}

static bool is_of_genotypes(const struct settings *s)
{
    return data_format_at(s->v[P_FORMAT].i)->has_genotypes;
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
    if (!is_of_genotypes(&w->settings))
        return err_set(err, "they are of no genotypes");
    if (graph.build != GRAPH_NONE)
        return err_set(err, "a gcn takes the genotypes of the samples that a new one is joined to");
    if (predictor_init(&w->predictor, &w->summary.nobody, &w->settings, err))
        return -1;
    return training_summary_scaling(&w->predictor.scaling, first->data, first->size, err);
}

/* ---- what is to be done where that is not enough ---- */

/* The first file of the training data that is not there; P_COUNT: they are. */
static int find_absent(const struct settings *s)
{
    int id = 0;

    while (id < P_COUNT &&
           (param_table[id].type != PARAM_PATH || !*s->v[id].s || access(s->v[id].s, R_OK) == 0))
        id++;
    return id;
}

/* why: the models cannot do without the data; NULL where samples of them are asked about. */
static int explain(const struct predict *w, const struct err *why, struct err *err)
{
    struct err what = *err;
    int absent = w->replay.sweep.path ? find_absent(&w->replay.sweep.fixed) : P_COUNT;

    if (why)
        err_set(&what, "%s; the models need the training data: %s", err->text, why->text);
    if (absent < P_COUNT)
        return err_set(err, "%s; --set %s=FILE says where it lies now", what.text,
                       param_table[absent].key);
    *err = what;
    return -1;
}

/* ---- either ---- */

static int with_data(struct predict *w, const struct replay_trial *trial, struct err *err)
{
    int64_t number;

    if (replay_prepare(&w->replay, trial, &number, err))
        return -1;
    w->data = &w->replay.data;
    replay_settings(&w->replay, &w->settings);
    return predictor_init(&w->predictor, &w->replay.data, &w->settings, err);
}

static void forget(struct predict *w)
{
    predictor_release(&w->predictor);
    training_summary_release(&w->summary);
    w->held_bytes -= w->held[0].size;
    buf_release(&w->held[0]);
}

/* Of a file of which all is asked about the models need to know nothing else. */
static bool is_all_new(const struct predict_options *o)
{
    return o->genotypes && o->is_all;
}

static void tell_alone(const struct predict *w, const struct err *err)
{
    const char *path = w->o->genotypes;

    if (is_all_new(w->o))
        log_info("%s: the models stand alone: the training data are not read", path);
    else
        log_warn("%s; the models stand alone, but who was trained on is not known: all samples of "
                 "%s are predicted",
                 err->text, path);
}

int predict_prepare(struct predict *w, struct err *err)
{
    struct replay_trial trial;
    struct err why;
    bool is_alone;

    if (replay_find(&trial, w->replay.store, w->trial[0], err) ||
        (w->o->genotypes && read_first(w, err)))
        return -1;
    is_alone = is_all_new(w->o) && stand_alone(w, &trial, &why) == 0;
    if (!is_alone) {
        forget(w);
        if (with_data(w, &trial, err) == 0)
            return 0;
        forget(w);
        is_alone = w->o->genotypes && stand_alone(w, &trial, &why) == 0;
    }
    if (!is_alone)
        return explain(w, w->o->genotypes ? &why : NULL, err);
    tell_alone(w, err);
    return 0;
}

/* Predictions beside the truth, as metrics take them. */
struct scored {
    const struct predictions *p;
    int32_t *sample; /* [n] */
    int32_t n;
    float *output;  /* (n, C) log-probabilities or scores of classes, else standardised targets */
    float *truth;   /* [n] regression, standardised */
    int32_t *label; /* [n] classification */
    void *scratch;
    double mean, sd; /* of the targets: floats of them all may have no digits left */
};

/* Model `all` is the mean of those that were asked. */
enum { ALL = -1 };

static double output_of(const struct predictions *p, int32_t model, int32_t sample, int32_t c)
{
    return model == ALL ? predictions_mean(p, sample, c) : predictions_output(p, model, sample, c);
}

static int scored_init(struct scored *s, const struct predictions *p, struct err *err)
{
    size_t n = (size_t)p->n;

    *s = (struct scored){.p = p, .sd = 1};
    s->sample = malloc(n * sizeof *s->sample);
    s->output = malloc(n * (size_t)p->n_outputs * sizeof *s->output);
    s->truth = malloc(n * sizeof *s->truth);
    s->label = malloc(n * sizeof *s->label);
    s->scratch = malloc(metric_scratch_bytes(p->n, p->data->n_classes));
    if (!s->sample || !s->output || !s->truth || !s->label || !s->scratch)
        return err_nomem(err, "scores", n * (size_t)p->n_outputs * sizeof *s->output);
    return 0;
}

static void scored_release(struct scored *s)
{
    free(s->sample);
    free(s->output);
    free(s->truth);
    free(s->label);
    free(s->scratch);
}

static void learn_targets(struct scored *s)
{
    const float *target = s->p->data->target;
    double squares = 0;

    s->mean = 0;
    for (int32_t i = 0; i < s->n; i++)
        s->mean += (double)target[s->sample[i]] / s->n;
    for (int32_t i = 0; i < s->n; i++) {
        double d = (double)target[s->sample[i]] - s->mean;

        squares += d * d;
    }
    s->sd = squares > 0 ? sqrt(squares / s->n) : 1;
}

static void take_classes(struct scored *s, int32_t model)
{
    const struct predictions *p = s->p;

    for (int32_t i = 0; i < s->n; i++) {
        float *to = s->output + (int64_t)i * p->n_outputs;

        s->label[i] = p->data->label[s->sample[i]];
        for (int32_t c = 0; c < p->n_outputs; c++) {
            double v = output_of(p, model, s->sample[i], c);

            to[c] = (float)(p->is_probability ? log(v) : v);
        }
    }
}

static void take_targets(struct scored *s, int32_t model)
{
    const struct predictions *p = s->p;

    learn_targets(s);
    for (int32_t i = 0; i < s->n; i++) {
        double truth = (double)p->data->target[s->sample[i]];

        s->truth[i] = (float)((truth - s->mean) / s->sd);
        s->output[i] = (float)((output_of(p, model, s->sample[i], 0) - s->mean) / s->sd);
    }
}

/* What a model said that it was asked. */
static void take(struct scored *s, int32_t model)
{
    s->n = 0;
    for (int32_t i = 0; i < s->p->n; i++)
        if (!isnan(output_of(s->p, model, i, 0)) && dataset_is_labelled(s->p->data, i))
            s->sample[s->n++] = i;
    (s->p->data->task == TASK_CLASSIFICATION ? take_classes : take_targets)(s, model);
}

static double score(const struct scored *s, enum metric metric)
{
    const struct predictions *p = s->p;
    double value;

    if (p->data->task == TASK_CLASSIFICATION)
        return metric_classification(metric, s->label, s->output, s->n, p->n_outputs, s->scratch);
    value = metric_regression(metric, s->truth, s->output, s->n, s->scratch);
    return metric == METRIC_RMSE || metric == METRIC_MAE ? value * s->sd : value;
}

/* Scores that are no probabilities have no log_loss. */
static bool has_metric(const struct predictions *p, enum metric metric)
{
    return metric_task(metric) == p->data->task && (metric != METRIC_LOG_LOSS || p->is_probability);
}

static void put_scores(struct buf *out, const struct predictions *p,
                       const double value[METRIC_COUNT])
{
    const char *between = "";

    for (int m = 0; m < METRIC_COUNT; m++) {
        if (!has_metric(p, (enum metric)m))
            continue;
        buf_printf(out, "%s%s ", between, metric_name((enum metric)m));
        if (isnan(value[m]))
            buf_puts(out, "undefined");
        else
            buf_printf(out, "%.4g", value[m]);
        between = ", ";
    }
}

static void add_scores(double sum[METRIC_COUNT], const struct scored *s)
{
    for (int m = 0; m < METRIC_COUNT; m++)
        if (has_metric(s->p, (enum metric)m))
            sum[m] += score(s, (enum metric)m) / s->p->n_models;
}

/* How many models were asked of a sample: the fewest and the most. */
static void count_models(int32_t *fewest, int32_t *most, const struct scored *s)
{
    *fewest = s->p->n_models;
    *most = 0;
    for (int32_t i = 0; i < s->n; i++) {
        int32_t n = 0;

        for (int32_t m = 0; m < s->p->n_models; m++)
            n += !isnan(predictions_output(s->p, m, s->sample[i], 0));
        *fewest = n < *fewest ? n : *fewest;
        *most = n > *most ? n : *most;
    }
}

static void put_models(struct buf *out, const struct scored *s)
{
    int32_t fewest, most;

    count_models(&fewest, &most, s);
    if (s->p->n_models == 1)
        buf_printf(out, "by t%lld", (long long)s->p->trial[0]);
    else if (fewest == s->p->n_models)
        buf_printf(out, "each by the mean of %d models", most);
    else if (most == 1)
        buf_printf(out, "pooled, each by the one of %d models that has it there", s->p->n_models);
    else
        buf_printf(out, "pooled, each by the mean of those of %d models that have it there",
                   s->p->n_models);
}

static void tell_together(struct scored *s, const char *part)
{
    double value[METRIC_COUNT] = {0};
    struct buf line = {0};

    take(s, ALL);
    for (int m = 0; m < METRIC_COUNT; m++)
        if (has_metric(s->p, (enum metric)m))
            value[m] = score(s, (enum metric)m);
    buf_printf(&line, "%s: %d samples, ", part, s->n);
    put_models(&line, s);
    buf_puts(&line, ": ");
    put_scores(&line, s->p, value);
    log_info("%s", buf_text(&line));
    buf_release(&line);
}

static void tell_each(struct scored *s, const char *part)
{
    double mean[METRIC_COUNT] = {0};
    struct buf line = {0};

    for (int32_t m = 0; m < s->p->n_models; m++) {
        take(s, m);
        add_scores(mean, s);
    }
    buf_printf(&line, "%s: mean of the %d models' own scores, as best has it: ", part,
               s->p->n_models);
    put_scores(&line, s->p, mean);
    log_info("%s", buf_text(&line));
    buf_release(&line);
}

int predict_score(const struct predictions *p, const char *part, struct err *err)
{
    struct scored s;
    int rc = scored_init(&s, p, err);

    if (!rc)
        tell_together(&s, part);
    if (!rc && p->n_models > 1)
        tell_each(&s, part);
    scored_release(&s);
    return rc;
}

int predict_no_model(const char *db, char letter, int64_t id, struct err *err)
{
    static const char which[] = "with keep = best those of the best configuration are and of the "
                                "one that 'best --rule 1se' chooses, with keep = all every one";
    struct buf word = {0};
    long long n = id;

    if (letter == 't')
        return err_set(err,
                       "%s: no model of t%lld is kept: %s; the same trials can be run again, in "
                       "another --db",
                       db, n, which);
    err_set(err,
            "%s: no model of c%lld is kept: %s; 'espalier best %s --where \"config = %lld\" "
            "--format ini >c%lld.ini' and 'espalier run c%lld.ini --db c%lld.db' train it "
            "again, to the same bits",
            db, n, which, escape_shell(&word, db), n, n, n, n);
    buf_release(&word);
    return -1;
}
