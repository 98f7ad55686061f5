#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/newcomers.h"
#include "cli/predictions.h"
#include "cli/replay.h"
#include "report/report.h"
#include "store/query.h"
#include "trial/predictor.h"
#include "trial/spec.h"

struct predict_options {
    const char *db;
    const char *config;
    const char *trial;
    const char *sweep;
    const char *genotypes;
    bool is_forced;
    const char *part;
    bool is_all;
    const char *output;
    const char *format;
    bool is_each;
    struct option_list set;
};

static int parse(struct predict_options *o, int argc, char **argv)
{
    const struct option_row rows[] = {
        {0, "config", "ID", OPTION_TEXT, &o->config, 0, 0, NULL,
         "the models of this configuration (c12); default: the best one of those with models"},
        {0, "trial", "ID", OPTION_TEXT, &o->trial, 0, 0, NULL, "the model of this trial (t345)"},
        {0, "genotypes", "FILE", OPTION_TEXT, &o->genotypes, 0, 0, NULL,
         "new samples, from any kind of file of genotypes; default: those of the training data"},
        {0, "force", NULL, OPTION_FLAG, &o->is_forced, 0, 0, NULL,
         "also where less than half of the markers are in that file"},
        {0, "all", NULL, OPTION_FLAG, &o->is_all, 0, 0, NULL,
         "every sample, also those with a phenotype, most of which were trained on"},
        {0, "part", "PART", OPTION_TEXT, &o->part, 0, 0, "val|test|none",
         "of each model's own split: what it was chosen by, what was held out, or what has no "
         "phenotype [none]"},
        {0, "each", NULL, OPTION_FLAG, &o->is_each, 0, 0, NULL, "a column for each model too"},
        {'o', "output", "FILE", OPTION_TEXT, &o->output, 0, 0, NULL, "write there, not to stdout"},
        {0, "format", "FORMAT", OPTION_TEXT, &o->format, 0, 0, "csv|json", "csv or json"},
        {0, "sweep", "NAME", OPTION_TEXT, &o->sweep, 0, 0, NULL,
         "of this sweep of the file; default: the one that was run last"},
        {0, "set", "[S.]K=V", OPTION_LIST, &o->set, 0, 0, NULL,
         "the path of training data that have moved; may be repeated"},
        {0, NULL, NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
    };
    int first;
    int status = cli_parse(command_find("predict"), rows, argc, argv, 0, 1, &first);

    if (status == CLI_GO_ON && first < argc)
        o->db = argv[first];
    return status;
}

/* ---- which models ---- */

struct chosen {
    int64_t config_id;
    int64_t *trial; /* [n] with a model; owned */
    int32_t n;
};

/* "c12" or "12", with that letter. */
static int parse_id(int64_t *id, const char *text, char letter, struct err *err)
{
    if (!cli_parse_id(id, text, letter))
        return err_set(err, "'%s' is no %s: must be %c12 for example", text,
                       letter == 'c' ? "configuration" : "trial", letter);
    return 0;
}

static int none_kept(const char *what, int64_t id, const struct predict_options *o, struct err *err)
{
    return err_set(err,
                   "%s: no model of %s%lld is kept: with keep = best those of the best "
                   "configuration are, with keep = all every one; the same trials can be run "
                   "again, in another --db",
                   o->db, what, (long long)id);
}

static int choose_trial(struct chosen *c, struct store *store, const struct predict_options *o,
                        struct err *err)
{
    struct replay_trial trial;
    struct table table;
    int64_t id;

    if (parse_id(&id, o->trial, 't', err) || replay_find(&trial, store, id, err))
        return -1;
    if (trial.state != TRIAL_DONE)
        return err_set(err, "%s: t%lld is not done: it is %s", o->db, (long long)id,
                       trial_state_name(trial.state));
    if (query_table(&table, store, QUERY_TRIAL_MODEL, id, err))
        return -1;
    c->config_id = trial.config_id;
    c->n = table.n_rows > 0;
    table_release(&table);
    if (!c->n)
        return none_kept("t", id, o, err);
    c->trial = malloc(sizeof *c->trial);
    if (!c->trial)
        return err_nomem(err, "trials", sizeof *c->trial);
    *c->trial = id;
    return 0;
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

static int check_config(struct store *store, int64_t id, const struct predict_options *o,
                        struct err *err)
{
    struct table table;
    int64_t n;

    if (query_table(&table, store, QUERY_CONFIG_TRIALS, id, err))
        return -1;
    n = table.n_rows;
    table_release(&table);
    return n ? 0 : err_set(err, "%s: no configuration c%lld", o->db, (long long)id);
}

static int choose_config(struct chosen *c, struct store *store, const struct predict_options *o,
                         struct err *err)
{
    struct table table;

    if (find_config(&c->config_id, store, o, err) || check_config(store, c->config_id, o, err) ||
        query_table(&table, store, QUERY_CONFIG_MODELS, c->config_id, err))
        return -1;
    c->n = (int32_t)table.n_rows;
    c->trial = malloc(((size_t)c->n + 1) * sizeof *c->trial);
    for (int32_t i = 0; c->trial && i < c->n; i++)
        c->trial[i] = table.cells[i * table.n_cols].i;
    table_release(&table);
    if (!c->trial)
        return err_nomem(err, "trials", ((size_t)c->n + 1) * sizeof *c->trial);
    return c->n ? 0 : none_kept("c", c->config_id, o, err);
}

/* ---- predictions ---- */

struct work {
    const struct predict_options *o;
    struct chosen chosen;
    struct replay replay;
    struct settings settings;
    struct predictor predictor;
    struct table table;
};

/* What model m says of these nodes, each at its own place in p: node i in row i - first. */
static int ask(struct predictions *p, struct work *w, int32_t m, const int32_t *nodes, int32_t n,
               int32_t first, struct err *err)
{
    int64_t trial_id = w->chosen.trial[m];
    size_t each = (size_t)p->n_outputs;
    float *out = malloc(((size_t)n + 1) * each * sizeof *out);
    struct buf file = {0};
    int rc = out ? store_find_model(&file, w->replay.store, trial_id, err) : -1;

    if (!out)
        err_nomem(err, "predictions", (size_t)n * each * sizeof *out);
    if (rc >= 0)
        rc = predictor_predict(out, &w->predictor, file.data, file.size, nodes, n, err);
    if (rc < 0)
        err_wrap(err, "t%lld", (long long)trial_id);
    for (int32_t i = 0; rc == 0 && i < n; i++)
        memcpy(p->v + ((size_t)m * (size_t)p->n + (size_t)(nodes[i] - first)) * each,
               out + (size_t)i * each, each * sizeof *out);
    buf_release(&file);
    free(out);
    return rc < 0 ? -1 : 0;
}

/* nodes out [N]: samples of the panel that model m is asked of, ascending. Returns how many. */
static int32_t find_nodes(int32_t *nodes, struct work *w, int32_t m, struct err *err)
{
    const struct dataset *data = &w->replay.data;
    const char *part = w->o->part;
    struct replay_trial trial;
    const struct split *split;
    int32_t n = 0;

    if (!part || !strcmp(part, "none")) {
        for (int32_t i = 0; i < data->n_samples; i++)
            if (w->o->is_all || !dataset_is_labelled(data, i))
                nodes[n++] = i;
        return n;
    }
    if (replay_find(&trial, w->replay.store, w->chosen.trial[m], err))
        return -1;
    split = prepared_split(w->replay.prepared, &w->settings, trial.replicate, trial.fold, err);
    if (!split)
        return -1;
    n = strcmp(part, "val") ? split->n_test : split->n_val;
    if (n)
        memcpy(nodes, strcmp(part, "val") ? split->test : split->val, (size_t)n * sizeof *nodes);
    return n;
}

static int nothing(const struct work *w, struct err *err)
{
    const char *part = w->o->part;

    if (part && strcmp(part, "none") != 0)
        return err_set(err, "the split has no %s part", part);
    return err_set(err, "every sample of the panel has a phenotype: there are --part val, --part "
                        "test and --all");
}

static int ask_panel(struct predictions *p, struct work *w, struct err *err)
{
    int32_t *nodes = malloc((size_t)w->replay.data.n_samples * sizeof *nodes);
    int rc = 0;

    if (!nodes)
        return err_nomem(err, "samples", (size_t)w->replay.data.n_samples * sizeof *nodes);
    for (int32_t m = 0; !rc && m < w->chosen.n; m++) {
        int32_t n = find_nodes(nodes, w, m, err);

        if (n == 0)
            rc = nothing(w, err);
        else
            rc = n < 0 ? -1 : ask(p, w, m, nodes, n, 0, err);
    }
    free(nodes);
    return rc;
}

static struct predictions describe(const struct work *w, const char *const *id)
{
    return (struct predictions){.data = &w->replay.data,
                                .id = id,
                                .trial = w->chosen.trial,
                                .is_probability = predictor_has_probabilities(&w->predictor)};
}

static int predict_panel(struct work *w, struct err *err)
{
    const struct dataset *data = &w->replay.data;
    const char **id = malloc((size_t)data->n_samples * sizeof *id);
    struct predictions p = describe(w, id);
    int rc;

    if (!id)
        return err_nomem(err, "samples", (size_t)data->n_samples * sizeof *id);
    for (int32_t i = 0; i < data->n_samples; i++)
        id[i] = dataset_id(data, i);
    rc = predictions_init(&p, data->n_samples, w->chosen.n, predictor_outputs(&w->predictor), err);
    if (!rc)
        rc = ask_panel(&p, w, err);
    if (!rc)
        rc = predictions_put(&w->table, &p, w->o->is_each, err);
    predictions_release(&p);
    free(id);
    return rc;
}

/* ---- new samples ---- */

/* Those of one batch, who are in x. */
static int ask_batch(struct predictions *p, struct work *w, const struct mat *x, struct err *err)
{
    int32_t n_panel = w->replay.data.n_samples;
    int32_t *nodes = malloc((size_t)x->n_rows * sizeof *nodes);
    int rc = nodes ? predictor_join(&w->predictor, x, err)
                   : err_nomem(err, "samples", (size_t)x->n_rows * sizeof *nodes);

    for (int32_t i = 0; !rc && i < x->n_rows; i++)
        nodes[i] = n_panel + i;
    for (int32_t m = 0; !rc && m < w->chosen.n; m++)
        rc = ask(p, w, m, nodes, x->n_rows, n_panel, err);
    free(nodes);
    return rc;
}

static int predict_batch(struct work *w, struct newcomers *new, const struct mat *room,
                         int32_t first, struct err *err)
{
    int32_t n = new->n - first < room->n_rows ? new->n - first : room->n_rows;
    struct mat x = mat_view(room->v, n, room->n_cols);
    struct predictions p = describe(w, new->id + first);
    int rc = newcomers_read(&x, new, first, n, w->o->is_forced, err);

    if (!rc)
        rc = predictions_init(&p, n, w->chosen.n, predictor_outputs(&w->predictor), err);
    if (!rc)
        rc = ask_batch(&p, w, &x, err);
    if (!rc)
        rc = predictions_put(&w->table, &p, w->o->is_each, err);
    predictions_release(&p);
    return rc;
}

static int predict_new(struct work *w, struct err *err)
{
    struct newcomers new;
    struct mat room = {0};
    int rc =
        newcomers_open(&new, &w->replay.data, &w->settings, w->o->genotypes, w->o->is_all, err);

    if (!rc)
        rc = mat_init(&room, newcomers_batch(&new), w->replay.data.n_features, err);
    for (int32_t first = 0; !rc && first < new.n; first += room.n_rows)
        rc = predict_batch(w, &new, &room, first, err);
    if (!rc)
        newcomers_tell_missing(&new);
    mat_release(&room);
    newcomers_close(&new);
    return rc;
}

/* ---- together ---- */

static int prepare(struct work *w, struct err *err)
{
    struct replay_trial trial;
    int64_t number;

    if (replay_find(&trial, w->replay.store, w->chosen.trial[0], err) ||
        replay_prepare(&w->replay, &trial, &number, err))
        return -1;
    replay_settings(&w->replay, &w->settings);
    return predictor_init(&w->predictor, &w->replay.data, &w->settings, err);
}

static int answer(struct buf *out, struct work *w, struct err *err)
{
    struct store *store = w->replay.store;

    if ((w->o->trial ? choose_trial : choose_config)(&w->chosen, store, w->o, err) ||
        prepare(w, err) || (w->o->genotypes ? predict_new : predict_panel)(w, err))
        return -1;
    log_info("%lld samples by %d model%s of c%lld", (long long)w->table.n_rows, w->chosen.n,
             w->chosen.n == 1 ? "" : "s", (long long)w->chosen.config_id);
    report_format(out, &w->table, w->o->format);
    return 0;
}

/* To the file, which must be none that was read. */
static int save(const struct work *w, const struct buf *text, struct err *err)
{
    const char *inputs[P_COUNT + 2] = {w->o->db, w->o->genotypes ? w->o->genotypes : ""};
    size_t n = 2;

    for (int id = 0; id < P_COUNT; id++)
        if (param_table[id].type == PARAM_PATH)
            inputs[n++] = w->replay.sweep.fixed.v[id].s;
    return cli_save(w->o->output, text, inputs, n, err);
}

static int check_options(const struct predict_options *o, struct err *err)
{
    if (o->config && o->trial)
        return err_set(err, "--config and --trial: one of them alone");
    if (o->genotypes && o->part)
        return err_set(err, "--part is of the samples of the training data: not with --genotypes");
    if (o->is_forced && !o->genotypes)
        return err_set(err, "--force is about the markers of --genotypes FILE");
    if (o->is_all && o->part)
        return err_set(err, "--all and --part: one of them alone");
    return 0;
}

int cmd_predict(int argc, char **argv)
{
    struct predict_options o = {.db = "results.db", .format = "csv"};
    struct work work = {.o = &o};
    struct store *store = NULL;
    struct buf text = {0};
    struct err err;
    int status = parse(&o, argc, argv);

    if (status != CLI_GO_ON)
        return status;
    if (check_options(&o, &err))
        return cli_fail(&err, EXIT_USAGE);
    work.replay = (struct replay){.db = o.db, .set = &o.set};
    status = store_open_reader(&store, o.db, &err);
    work.replay.store = store;
    if (!status)
        status = answer(&text, &work, &err);
    if (!status && o.output)
        status = save(&work, &text, &err);
    if (o.output)
        buf_release(&text);
    table_release(&work.table);
    predictor_release(&work.predictor);
    replay_release(&work.replay);
    free(work.chosen.trial);
    store_close(store);
    free(o.set.text);
    return cli_answer(status, &text, &err);
}
