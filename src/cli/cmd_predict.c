/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "base/log.h"
#include "cli/cli.h"
#include "cli/inputs.h"
#include "predict/predict.h"
#include "report/report.h"
#include "store/query.h"

static int parse(int *status, struct predict_options *o, int argc, char **argv)
{
    const struct option_row rows[] = {
        {0, "config", "ID", OPTION_TEXT, &o->config, 0, 0, NULL,
         "the models of this configuration (c12); default: the best one of those with models"},
        {0, "trial", "ID", OPTION_TEXT, &o->trial, 0, 0, NULL, "the model of this trial (t345)"},
        {0, "genotypes", "FILE", OPTION_TEXT, &o->genotypes, 0, 0, NULL,
         "new samples, from any kind of file of genotypes; default: those of the training data"},
        {0, "phenotypes", "FILE", OPTION_TEXT, &o->phenotypes, 0, 0, NULL,
         "where the models take covariates: a table of those of the new samples"},
        {0, "force", NULL, OPTION_FLAG, &o->is_forced, 0, 0, NULL,
         "also where less than half of the markers are in that file"},
        {0, "graphs", "PATH", OPTION_TEXT, &o->graphs, 0, 0, NULL,
         "new graphs, in the format of the training data: a table of molecules, a folder, images"},
        {0, "features", "FILE", OPTION_TEXT, &o->features, 0, 0, NULL,
         "new nodes for a graph of nodes, in a table like data.features"},
        {0, "edges", "FILE", OPTION_TEXT, &o->edges, 0, 0, NULL,
         "the edges that join them to nodes of the training data"},
        {0, "all", NULL, OPTION_FLAG, &o->is_all, 0, 0, NULL,
         "every sample, also those with a phenotype, most of which were trained on"},
        {0, "part", "PART", OPTION_TEXT, &o->part, 0, 0, "val|test|stop|none",
         "of each model's own split: what it was scored by, what was held out, what chose its "
         "epoch, "
         "or what has no phenotype [none]"},
        {0, "each", NULL, OPTION_FLAG, &o->is_each, 0, 0, NULL, "a column for each model too"},
        {'o', "output", "FILE", OPTION_TEXT, &o->output, 0, 0, NULL, "write there, not to stdout"},
        {0, "format", "FORMAT", OPTION_TEXT, &o->format, 0, 0, "csv|json", "csv or json"},
        {0, "sweep", "NAME", OPTION_TEXT, &o->sweep, 0, 0, NULL,
         "of this sweep of the file; default: the one that was run last"},
        {0, "set", "[S.]K=V", OPTION_LIST, &o->set, 0, 0, NULL,
         "the path of training data that have moved; may be repeated"},
        {0, NULL, NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
    };
    struct operands operands;

    if (cli_parse(status, &operands, "predict", rows, argc, argv))
        return -1;
    if (operands.n)
        o->db = operands.at[0];
    return 0;
}

static int answer(struct buf *out, struct predict *w, struct err *err)
{
    if (predict_choose(w, err) || predict_prepare(w, err) || predict_samples(w, err))
        return -1;
    log_info("%lld samples by %d model%s of c%lld", (long long)w->table.n_rows, w->n_models,
             w->n_models == 1 ? "" : "s", (long long)w->config_id);
    report_format(out, &w->table, w->o->format);
    return 0;
}

/* All that may be read: the file to write must be none of it. */
static int find_inputs(struct inputs *inputs, const struct predict *w, struct err *err)
{
    const struct predict_options *o = w->o;

    inputs_add(inputs, o->genotypes);
    inputs_add(inputs, o->graphs);
    inputs_add(inputs, o->phenotypes);
    inputs_add(inputs, o->features);
    inputs_add(inputs, o->edges);
    return inputs_add_database(inputs, o->db, w->replay.store, &o->set, err);
}

/* The answer, into the file where one is to be written: refused before the work. */
static int answer_into(struct buf *out, struct predict *w, struct err *err)
{
    const char *path = w->o->output;
    struct inputs inputs = {0};
    int rc;

    if (!path)
        return answer(out, w, err);
    rc = find_inputs(&inputs, w, err) || inputs_check(&inputs, path, err) || answer(out, w, err)
             ? -1
             : cli_save(path, out, &inputs, err);
    inputs_release(&inputs);
    buf_release(out);
    return rc;
}

/* Of the options that name new samples. */
static int check_new(const struct predict_options *o, struct err *err)
{
    const char *name = o->genotypes ? "genotypes" : o->graphs ? "graphs" : "features";
    int n = (o->genotypes != NULL) + (o->graphs != NULL) + (o->features != NULL);

    if (n > 1)
        return err_set(err, "--genotypes, --graphs and --features: one of them alone");
    if (n && o->part)
        return err_set(err, "--part is of the samples of the training data: not with --%s", name);
    if (n && !o->genotypes && o->is_all)
        return err_set(err, "--%s predicts all that are there: not with --all", name);
    if (o->edges && !o->features)
        return err_set(err, "--edges is about the new nodes of --features FILE");
    return 0;
}

static int check_options(const struct predict_options *o, struct err *err)
{
    if (o->config && o->trial)
        return err_set(err, "--config and --trial: one of them alone");
    if (check_new(o, err))
        return -1;
    if (o->phenotypes && !o->genotypes)
        return err_set(err, "--phenotypes is about the new samples of --genotypes FILE");
    if (o->is_forced && !o->genotypes)
        return err_set(err, "--force is about the markers of --genotypes FILE");
    if (o->is_all && o->part)
        return err_set(err, "--all and --part: one of them alone");
    return 0;
}

int cmd_predict(int argc, char **argv)
{
    struct predict_options o = {.db = "results.db", .format = "csv"};
    struct predict work = {.o = &o};
    struct store *store = NULL;
    struct buf text = {0};
    struct err err;
    int status, rc;

    if (parse(&status, &o, argc, argv))
        return status;
    if (check_options(&o, &err))
        return cli_fail_usage(&err);
    work.replay = (struct replay){.db = o.db, .set = &o.set};
    rc = store_open_reader(&store, o.db, &err);
    work.replay.store = store;
    if (!rc)
        rc = answer_into(&text, &work, &err);
    predict_release(&work);
    store_close(store);
    free(o.set.text);
    return cli_answer(rc, &text, o.format, &err);
}
