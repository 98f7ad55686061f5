/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/log.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/inputs.h"
#include "cli/print/output.h"
#include "data/recognize.h"
#include "predict/predict.h"
#include "report/answer.h"
#include "store/query/query.h"

static const struct answer_section section = {"predictions", NULL, false, "id prediction", NULL};

/* A part of the sweep may have another best configuration, and fewer models of each. */
static int add_predictions(struct answer *answer, struct predict *w, struct err *err)
{
    struct store *store = w->replay.store;
    struct replay_trial trial;

    if (predict_choose(w, err) ||
        (!w->o->trial && (replay_find(&trial, store, w->trial[0], err) ||
                          cli_note_unfinished(store, trial.sweep_id, trial.sweep, err))) ||
        predict_prepare(w, err) || predict_samples(w, err))
        return -1;
    log_info("%lld sample%s predicted by %d model%s of c%lld", (long long)w->table.n_rows,
             plural(w->table.n_rows), w->n_models, plural(w->n_models), (long long)w->config_id);
    answer_table(answer, &section, &w->table);
    return 0;
}

/* Check the output file before the work: it must be none of the files that may be read. */
static int fill(struct answer *answer, struct predict *w, struct err *err)
{
    const struct predict_options *o = w->o;
    const char *const files[] = {o->genotypes, o->graphs, o->phenotypes, o->features, o->edges};
    struct inputs inputs = {.is_forced = o->is_forced};
    struct output_stream stream;
    int rc;

    if (!o->output)
        return add_predictions(answer, w, err);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        inputs_add(&inputs, files[i]);
    rc = inputs_add_database(&inputs, o->db, w->replay.store, &o->set, err) ||
                 output_stream_open(&stream, answer, o->output, &inputs, err)
             ? -1
             : output_stream_close(&stream, add_predictions(answer, w, err));
    inputs_release(&inputs);
    return rc;
}

static int check_options(const struct predict_options *o, struct err *err)
{
    const char *name = o->genotypes ? "genotypes" : o->graphs ? "graphs" : "features";
    int n = (o->genotypes != NULL) + (o->graphs != NULL) + (o->features != NULL);
    int64_t id;

    if ((o->config != NULL) + (o->trial != NULL) + (o->rule != NULL) > 1)
        return err_set(err, "--config, --trial and --rule exclude each other");
    if ((o->config && predict_parse_id(&id, o->config, 'c', err)) ||
        (o->trial && predict_parse_id(&id, o->trial, 't', err)))
        return -1;
    if (n > 1)
        return err_set(err, "--genotypes, --graphs and --features exclude each other");
    if (n && o->part)
        return err_set(err,
                       "--part chooses among the samples of the training data: use it without --%s",
                       name);
    if (n && !o->genotypes && o->is_all)
        return err_set(err, "--%s predicts all new samples: use it without --all", name);
    if (o->edges && !o->features)
        return err_set(err, "--edges needs the new nodes of --features FILE");
    if ((o->phenotypes || o->accepts_few_markers) && !o->genotypes)
        return err_set(err, "--%s needs the new samples of --genotypes FILE",
                       o->phenotypes ? "phenotypes" : "few-markers");
    if (o->is_forced && !o->output)
        return err_set(err, "--force needs -o FILE");
    if (o->is_all && o->part)
        return err_set(err, "--all and --part exclude each other");
    return 0;
}

struct predict_call {
    struct common_options common;
    struct predict_options o;
};

static int predict(struct call *call)
{
    struct predict_call *line = call->options;
    struct predict_options *o = &line->o;
    struct predict work = {.o = o};
    struct store *store = NULL;
    const struct variants_kind *variants;
    enum data_kind kind;
    struct answer answer;
    struct err err, unknown;
    int rc;

    o->db = line->common.db;
    o->format = line->common.format;
    o->sweep = line->common.sweep;
    o->set = line->common.set;
    o->is_forced = line->common.is_forced;
    if (check_options(o, &err))
        return cli_fail_usage(&err);
    work.replay = (struct replay){.db = o->db, .set = &o->set};
    cli_log_database(o->db);
    rc = store_open_reader(&store, o->db, &err);
    /* A file of new samples is not the operand DB. */
    if (rc && !recognize(&kind, &variants, o->db, &unknown) &&
        (kind == KIND_GENOTYPES || kind == KIND_SMI)) {
        struct err what = err;

        err_set(&err, "%s; to predict new samples in it: --%s %s", what.text,
                kind == KIND_SMI ? "graphs" : "genotypes", o->db);
    }
    work.replay.store = store;
    output_begin(&answer, &line->common, OUTPUT_TABLE);
    if (!rc)
        rc = fill(&answer, &work, &err);
    predict_release(&work);
    store_close(store);
    return output_end(rc, &answer, &err);
}

static const struct option_row options[] = {
    {0, "config", "ID", OPTION_TEXT, .into = offsetof(struct predict_call, o.config),
     .help = "Use the models of this configuration (c12).", .shown = "the best one"},
    {0, "trial", "ID", OPTION_TEXT, .into = offsetof(struct predict_call, o.trial),
     .help = "Use the model of this trial (t345)."},
    {0, "rule", "RULE", OPTION_TEXT, .into = offsetof(struct predict_call, o.rule),
     .help = "Use the models of the configuration that best --rule RULE chooses: best or 1se.",
     .choices = "best|1se"},
    {0, "genotypes", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct predict_call, o.genotypes),
     .help = "Predict the new samples in FILE, which may be any kind of genotype file.",
     .shown = "the samples of the training data"},
    {0, "phenotypes", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct predict_call, o.phenotypes),
     .help = "Read the fixed effects of the new samples from the table FILE."},
    {0, "few-markers", NULL, OPTION_FLAG,
     .into = offsetof(struct predict_call, o.accepts_few_markers),
     .help = "Predict also if less than half of the markers are in the file of --genotypes."},
    {0, "graphs", "PATH", OPTION_TEXT, VALUE_FILE, offsetof(struct predict_call, o.graphs),
     .help = "Predict new graphs, in the format of the training data: a table of molecules "
             "or a folder."},
    {0, "features", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct predict_call, o.features),
     .help = "Predict new nodes of the training graph, in a table like data.features."},
    {0, "edges", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct predict_call, o.edges),
     .help = "Read the edges that join the new nodes to the training graph from FILE."},
    {0, "all", NULL, OPTION_FLAG, .into = offsetof(struct predict_call, o.is_all),
     .help = "Predict every sample, including those the models were trained on."},
    {0, "part", "PART", OPTION_TEXT, .into = offsetof(struct predict_call, o.part),
     .help = "Predict one part of each model's own split: val, test, stop, or none (the samples "
             "without a phenotype).",
     .shown = "none", .choices = "val|test|stop|none"},
    {0, "each", NULL, OPTION_FLAG, .into = offsetof(struct predict_call, o.is_each),
     .help = "Add a column for each model."},
    {'o', "output", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct predict_call, o.output),
     .help = "Write to FILE.", .shown = "standard output"},
    {OPTION_FORCE("Replace the file of -o if it exists.")},
    {0, "format", "FORMAT", OPTION_TEXT, .into = offsetof(struct predict_call, common.format),
     .help = "Write csv, json, or a table.", .choices = "table|csv|json", .default_text = "csv"},
    {OPTION_SWEEP},
    {OPTION_SET(SET_DATA)},
    {0},
};

const struct command command_predict = {
    .name = "predict",
    .group = GROUP_RESULTS,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Predict samples with the kept models of a configuration.",
    .about =
        "Each row has the mean prediction of the models, and the standard deviation between "
        "them. That standard deviation is no prediction interval. Numbers have as many digits as "
        "the models compute with.",
    .examples = {{"espalier predict -o predictions.csv",
                  "Predict the samples of the training data that have no phenotype."},
                 {"espalier predict --genotypes new.vcf.gz", "Predict new samples."},
                 {"espalier predict --graphs new.smi", "Predict new molecules."},
                 {"espalier predict --config c12 --part test",
                  "Predict the test part with the models of c12."}},
    .see = "best, show",
    .options = options,
    .common = COMMON_DB | COMMON_WIDE,
    .options_size = sizeof(struct predict_call),
    .multiplies = true,
    .run = predict,
};
