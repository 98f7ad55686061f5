/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/words.h"
#include "cli/init/init_columns.h"
#include "cli/init/init_propose.h"
#include "cli/print/cli.h"
#include "launch/address_space.h"
#include "run/advice.h"
#include "run/calibrate.h"
#include "run/job_prepare.h"
#include "sched/cost.h"

struct init_options {
    struct common_options common;
    const char *output, *trait;
    double budget_s;
};

struct init {
    const struct init_options *options;
    struct outfile out; /* closed for standard output */
    const char *sweep;  /* the file that paths are relative to */
    struct init_files files;
    struct init_columns columns;
    struct init_lines lines;
    struct init_facts facts;
    struct job job;
    struct buf text;
    struct init_cost cost;
};

static int32_t count_ranks(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 1 ? (int32_t)n : 1;
}

#define PARTS "which sample trains, validates and tests"

static void add(struct init *in, enum param_id id, const char *value, const char *comment)
{
    init_lines_add(&in->lines, INIT_SET, id, value, comment);
}

/* Samples without a value enlarge the graph. If fewer than this share have a value, the others cost
 * more than they help. */
#define FEW_PHENOTYPED 0.8
/* IC50 in nM and the like */
#define MANY_MAGNITUDES 1e4

static void add_columns(struct init *in)
{
    const struct data_format *format = in->files.format;
    const struct init_columns *c = &in->columns;
    const struct profile_column *col = c->rows.col, *trait = &col[c->trait];
    const struct profile_column *group = c->group < 0 ? NULL : &col[c->group];
    enum data_task task = init_columns_task(c, format);
    struct buf design = {0};

    if (c->writes_id)
        add(in, P_ID, col[c->id].name, "column of the ids");
    if (c->table->role == P_MOLECULES)
        add(in, P_SMILES, col[c->table->column].name, "column of the molecules");
    if (data_format_setting(format, "trait"))
        add(in, P_TRAIT, trait->name,
            !strcmp(trait->name, "Standard Value") &&
                    profile_find(&c->rows, "Standard Relation") >= 0
                ? "column to predict; some may be bounds (Standard Relation)"
                : "column to predict");
    if (task == DATA_TASK_CLASSIFICATION)
        add(in, P_TASK, "classification", "the trait has few different values; or: regression");
    else if (task == DATA_TASK_REGRESSION)
        add(in, P_TASK, "regression",
            trait->low > 0 && trait->high >= MANY_MAGNITUDES * trait->low
                ? "the largest values decide the fit: better predict their logarithm"
                : "the trait is an amount");
    if (data_format_setting(format, "subset") && !init_files_find(&in->files, P_SPLIT_FILE) &&
        (double)trait->n < FEW_PHENOTYPED * c->ids->n)
        add(in, P_SUBSET, "phenotyped",
            "only samples with a value; all: the others join the graph too");
    if (c->is_sure_group && propose_group(group->seen.n, in->facts.has_split))
        in->facts.n_groups = group->seen.n;
    if (in->facts.n_groups)
        add(in, P_GROUP, group->name,
            "whole groups are left out, which is harder; delete it for random folds");
    else if (group)
        init_lines_add(&in->lines, INIT_OFF, P_GROUP, group->name,
                       "switch on to leave whole groups out, which is harder");
    init_columns_design(&design, c, in->facts.n_groups > 0);
    if (design.size && data_format_setting(format, param_table[P_FIXED].key))
        init_lines_add(&in->lines, INIT_OFF, P_FIXED, buf_text(&design),
                       "factors of the design; switch on, and add fixed to type");
    buf_release(&design);
}

static void add_data(struct init *in)
{
    const struct init_columns *c = &in->columns;
    const struct data_format *format = in->files.format;
    const struct init_file *split = init_files_find(&in->files, P_SPLIT_FILE);
    const struct profile *p = split ? &split->profile : &c->rows;
    int32_t part = split ? split->column : c->part;
    char code[32];

    add(in, P_FORMAT, format->name, "");
    for (int32_t i = 0; i < in->files.n; i++) {
        const struct init_file *file = &in->files.file[i];
        struct buf path = {0};

        init_path(&path, in->options->output, file->path);
        add(in, file->role, buf_text(&path),
            file == split ? PARTS
                          : data_format_setting(format, param_table[file->role].key)->comment);
        buf_release(&path);
    }
    snprintf(code, sizeof code, "%g", c->code);
    if (c->has_code)
        add(in, P_MISSING_GENOTYPE, code, "unlike the dosages: stands for a missing call");
    if (c->has_ds)
        add(in, P_DOSAGE, "DS", "dosages of imputation; GT: called alleles");
    if (c->number)
        add(in, P_TRAIT, c->number, "number of the column to predict");
    in->facts.has_split = part >= 0;
    /* A split file of two columns needs no name. */
    if (part >= 0 && !(split && p->n_cols == 2) && strcmp(p->col[part].name, "part") != 0)
        add(in, P_PART, p->col[part].name, PARTS);
    if (c->table)
        add_columns(in);
}

/* With fewer samples, a test part and two folds leave none for the stop part. */
#define LEAST_SAMPLES 7

/* -1 and err: the data are too few. */
static int collect_facts(struct init *in, struct err *err)
{
    const struct dataset *d = &in->job.data;
    struct init_facts *f = &in->facts;
    int32_t n_of[PART_COUNT] = {0}; /* samples with a value */

    for (int32_t i = 0; d->part && i < d->n_samples; i++)
        n_of[d->part[i]] += dataset_is_labelled(d, i);
    f->format = in->files.format;
    f->is_classification = d->task == TASK_CLASSIFICATION;
    f->n_samples = d->n_samples;
    f->n_labelled = dataset_count_labelled(d);
    f->n_features = d->n_features;
    f->n_classes = d->n_classes;
    f->n_rarest = d->n_samples;
    for (int32_t k = 0; k < d->n_classes; k++) {
        int32_t n = 0;

        for (int32_t i = 0; i < d->n_samples; i++)
            n += d->label[i] == k;
        f->n_rarest = n < f->n_rarest ? n : f->n_rarest;
    }
    f->is_sparse = d->is_sparse;
    f->is_dosages = in->job.report.low >= 0 && in->job.report.high <= 2;
    f->has_edges = d->n_edges > 0;
    f->n_train = n_of[PART_TRAIN];
    f->n_val = n_of[PART_VAL];
    f->n_stop = n_of[PART_STOP];
    if (f->has_split || f->n_labelled >= LEAST_SAMPLES)
        return 0;
    return err_set(err, "%s: %d sample%s with a value, too few: a sweep needs at least %d",
                   in->files.file[0].path, f->n_labelled, plural(f->n_labelled), LEAST_SAMPLES);
}

/* ---- the budget ---- */

/* As in `plan`, a configuration that takes more memory is not tried. */
#define MOST_TRIED_BYTES 1e9

/* Find the number and the seconds of configurations whose values are all left in the lines. Settings
 * that the model type lacks do not count. */
static void sum_seconds(struct init *in, const struct cost *cost)
{
    double epochs = atof(buf_text(&init_lines_find(&in->lines, P_EPOCHS)->value)), sum = 0;
    const struct sweep *sweep = &in->job.sweep;
    struct settings s;

    in->cost.n_configs = 0;
    for (int32_t c = 0; c < in->job.plan.n_configs; c++) {
        bool is_kept = true;

        plan_settings(&in->job.plan, c, &s);
        for (size_t a = 0; a < sweep->n_axes && is_kept; a++) {
            enum param_id id = sweep->axes[a].id;
            struct buf value = {0};

            param_format(&value, id, s.v[id]);
            is_kept =
                !settings_has(&s, id) || init_lines_has_value(&in->lines, id, buf_text(&value));
            buf_release(&value);
        }
        in->cost.n_configs += is_kept;
        if (is_kept)
            sum += cost_seconds(cost, c) *
                   (settings_has(&s, P_EPOCHS) ? epochs / (double)s.v[P_EPOCHS].i : 1);
    }
    in->cost.full_s = sum * (double)propose_repeats(&in->lines);
}

/* Let the proposal be searched, and shrink it, until its time on one core is within the budget. The
 * job is planned from the whole proposal, and some of its configurations are trained for a moment.
 * -1 and err: memory is short. */
static int fit_budget(struct init *in, struct err *err)
{
    struct store_trials known = {0};
    struct cost *cost = cost_create(in->job.rank_work, in->job.plan.n_configs, 0, err);
    const struct settings *fixed = &in->job.plan.fixed;
    int rc = cost ? store_trials_init(&known, in->job.plan.n_trials, err) : -1;

    if (!rc && calibrate_cost(cost, &in->job, &known, 1, MOST_TRIED_BYTES, err) < 0)
        rc = -1;
    if (!rc)
        do
            sum_seconds(in, cost);
        while (!propose_search(&in->lines, &in->facts, fixed, &in->cost) &&
               propose_smaller(&in->lines, &in->facts));
    store_trials_release(&known);
    cost_destroy(cost);
    return rc;
}

/* ---- the steps ---- */

/* Write the lines as text, and parse it. */
static int parse(struct init *in, struct errlist *faults)
{
    struct buf name = {0};
    struct err err;

    escape_shell(&name, in->sweep);
    buf_clear(&in->text);
    buf_printf(&in->text,
               "; A first sweep, written by espalier init. Edit it as you like.\n"
               ";\n"
               ";     espalier inspect %s\n"
               ";     espalier run %s -n %d\n"
               ";     espalier best --rule best\n"
               ";\n"
               "; Text after ' ;' is a comment. espalier params lists all settings.\n",
               buf_text(&name), buf_text(&name), count_ranks());
    buf_release(&name);
    init_write(&in->text, &in->lines);
    if (in->lines.has_failed)
        return errlist_add_err(faults, &in->lines.err);
    if (buf_failed(&in->text)) {
        err_nomem(&err, "sweep file", in->text.size);
        return errlist_add_err(faults, &err);
    }
    return in->job.data.n_samples
               ? job_parse_again(&in->job, in->sweep, buf_text(&in->text), faults)
               : job_parse_text(&in->job, in->sweep, buf_text(&in->text), faults);
}

/* ---- what is printed ---- */

static void put_data(struct buf *out, struct init *in)
{
    static const enum param_id columns[] = {P_ID, P_TRAIT, P_GROUP};
    const struct data_report *r = &in->job.report;

    for (int32_t i = 0; i < in->files.n; i++) {
        const struct init_file *file = &in->files.file[i];

        buf_printf(out, "%-11s %s: %s\n",
                   file->role == P_SPLIT_FILE ? "split" : param_table[file->role].key, file->path,
                   file->kind == KIND_TABLE ? "table"
                   : file->variants         ? file->variants->name
                                            : "TUDataset");
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        const struct init_line *line = init_lines_find(&in->lines, columns[i]);

        if (line && line->kind == INIT_SET)
            buf_printf(out, "%-11s %s (%s)\n", param_table[line->id].key, buf_text(&line->value),
                       buf_text(&line->comment));
    }
    buf_printf(out, "samples     %d, %d with a value, %d features%s\n", in->facts.n_samples,
               in->facts.n_labelled, in->facts.n_features,
               in->job.data.graph_start ? " of each node" : "");
    for (int32_t i = 0; i < r->n_notes; i++)
        if (r->note[i].kind == DATA_NOTE_FACT)
            buf_printf(out, "%-11s %s\n", r->note[i].label, r->note[i].text);
}

static int finish(struct init *in, struct err *err)
{
    const struct init_cost *cost = &in->cost;
    bool fits = cost->expected_s <= cost->budget_s;
    char took[DURATION_TEXT], budget[DURATION_TEXT], most[DURATION_TEXT];
    struct buf out = {0}, word = {0};
    int rc;

    put_data(&out, in);
    buf_puts(&out, "sweep       ");
    plan_put_size(&out, &in->job.plan);
    buf_printf(&out, "\ncost        about %s on one core%s --budget %s%s\n",
               duration_words(took, cost->expected_s), fits ? " (within" : ", more than",
               duration_words(budget, cost->budget_s),
               fits ? ")" : ": a smaller sweep would have nothing to compare");
    if (cost->full_s > cost->expected_s)
        buf_printf(&out, "            at most %s, if the search stops nothing: see [search]\n",
                   duration_words(most, cost->full_s));
    if (in->out.file)
        buf_printf(&out, "wrote       %s: check it, and change what you know better\n", in->sweep);
    escape_shell(&word, in->sweep);
    buf_printf(&out, "next        espalier inspect %s\n            espalier run %s -n %d\n",
               buf_text(&word), buf_text(&word), count_ranks());
    if (in->out.file) {
        rc = outfile_write(&in->out, in->text.data, in->text.size, err) ||
                     outfile_commit(&in->out, err) || cli_print(&out, CLI_PLAIN, err)
                 ? -1
                 : 0;
    } else {
        rc = cli_print(&in->text, CLI_PLAIN, err);
        if (!rc && !buf_failed(&out)) {
            escape_terminal(out.data, true);
            fputs(buf_text(&out), stderr);
        }
    }
    buf_release(&word);
    buf_release(&out);
    return rc;
}

static int propose_sweep(struct init *in, struct errlist *faults)
{
    struct err err;

    if (parse(in, faults) || job_load(&in->job, faults))
        return -1;
    if (collect_facts(in, &err))
        return errlist_add_err(faults, &err);
    propose(&in->lines, &in->facts);
    if (parse(in, faults) || job_plan(&in->job, faults))
        return -1;
    return fit_budget(in, &err) ? errlist_add_err(faults, &err) : 0;
}

/* Warnings are printed once, for the final text. */
static int init(struct init *in, const struct call *call, struct errlist *faults)
{
    const char *output = in->options->output;
    enum log_level level;
    struct err err;
    int rc;

    /* Standard output stays closed: its text comes last. */
    in->cost.budget_s = in->options->budget_s;
    in->sweep = strcmp(output, "-") ? output : "grid.ini";
    if ((in->sweep == output && outfile_open(&in->out, output, OUTFILE_NEW, &err)) ||
        init_files_read(&in->files, call->operands, call->n_operands, &err))
        return errlist_add_err(faults, &err);
    if (init_columns_read(&in->columns, &in->files, in->options->trait, faults))
        return -1;
    add_data(in);
    level = log_set_level(LOG_QUIET);
    rc = propose_sweep(in, faults);
    log_set_level(level);
    if (rc)
        return -1;
    address_space_warn();
    job_print_notes(&in->job);
    if (parse(in, faults) || job_plan(&in->job, faults))
        return -1;
    advice_print(&in->job.advice, in->sweep);
    return finish(in, &err) ? errlist_add_err(faults, &err) : 0;
}

static int run_init(struct call *call)
{
    struct init in = {.options = call->options};
    struct errlist faults = {0};
    int status = init(&in, call, &faults) ? cli_fail_all(&faults) : EXIT_OK;

    outfile_discard(&in.out);
    job_release(&in.job);
    init_lines_release(&in.lines);
    init_columns_release(&in.columns);
    init_files_release(&in.files);
    buf_release(&in.text);
    return status;
}

static const struct option_row options[] = {
    {0, "trait", "NAME", OPTION_TEXT, .into = offsetof(struct init_options, trait),
     .help = "Predict the column NAME. Needed where there are several."},
    {0, "budget", "TIME", OPTION_DURATION, .into = offsetof(struct init_options, budget_s),
     .help = "Propose a sweep that is expected to take at most TIME on one core: 90s, 10m, 2h.",
     .default_text = "10m", .min = 1, .max = INT_MAX},
    {'o', "output", "FILE", OPTION_TEXT, VALUE_GRID, offsetof(struct init_options, output),
     .help = "Write the sweep file to FILE, which must not exist (- = standard output).",
     .default_text = "grid.ini"},
    {0},
};

const struct command command_init = {
    .name = "init",
    .group = GROUP_PREPARE,
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = INT_MAX,
    .operand_kind = VALUE_FILE,
    .summary = "Write a first sweep file for your data files.",
    .about =
        "The files are recognised by their content: genotypes such as VCF or PLINK 1, tables of "
        "genotypes, phenotypes, edges, features, labels, parts or SMILES, and a TUDataset "
        "folder. A grid that takes longer than --budget gets a [search], or is made smaller.",
    .examples = {{"espalier init panel.vcf.gz traits.csv --trait yield",
                  "Write grid.ini, which predicts the column yield from genotypes."},
                 {"espalier init molecules.csv --budget 1h -o molecules.ini",
                  "Propose a sweep of about an hour for a table of SMILES."}},
    .see = "inspect, run, params",
    .options = options,
    .options_size = sizeof(struct init_options),
    .multiplies = true,
    .run = run_init,
};
