/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/duration.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/outfile.h"
#include "cli/init/init_data.h"
#include "cli/init/init_propose.h"
#include "cli/print/cli.h"
#include "launch/address_space.h"
#include "run/calibrate.h"
#include "run/job_prepare.h"
#include "sched/cost.h"

struct init_options {
    struct common_options common;
    const char *output, *trait;
    double budget_s;
};

struct init {
    const char *output, *trait;
    double budget_s;
    struct init_files files;
    struct init_columns columns;
    struct init_lines lines;
    struct init_facts facts;
    struct proposal proposal;
    struct job job;
    struct buf text;
    double seconds; /* of the whole sweep on one core */
};

static void release(struct init *in)
{
    job_release(&in->job);
    init_lines_release(&in->lines);
    init_columns_release(&in->columns);
    init_files_release(&in->files);
    buf_release(&in->text);
}

/* ---- what is written ---- */

static bool is_stdout(const char *output)
{
    return !strcmp(output, "-");
}

static int check_output(const char *output, struct err *err)
{
    const char *slash = strrchr(output, '/');
    char *folder = slash ? strndup(output, (size_t)(slash - output) + 1) : strdup(".");
    struct stat status;
    int rc = 0;

    if (is_stdout(output))
        rc = 0;
    else if (!folder)
        rc = err_nomem(err, output, strlen(output));
    else if (!*output || (slash && !slash[1]))
        rc = err_set(err, "-o %s: must be the name of a file", output);
    else if (lstat(output, &status) == 0)
        rc = err_set(err,
                     "%s: exists and will not be overwritten: name another file with -o, or move "
                     "this one away",
                     output);
    else if (access(folder, W_OK) != 0)
        rc = err_set(err, "%s: cannot write to the folder: %s", output, strerror(errno));
    free(folder);
    return rc;
}

static int save(const char *output, struct buf *text, struct err *err)
{
    if (is_stdout(output))
        return cli_print(text, CLI_PLAIN, err);
    if (buf_failed(text))
        return err_nomem(err, output, text->size);
    return outfile_save(output, OUTFILE_NEW, text->data, text->size, err);
}

/* ---- the steps ---- */

static int recognise(struct init *in, const char *const *paths, int32_t n, struct errlist *faults)
{
    struct err err;

    if (init_files_read(&in->files, paths, n, &err))
        return errlist_add_err(faults, &err);
    if (init_columns_read(&in->columns, &in->files, in->trait, faults))
        return -1;
    if (init_data_lines(&in->lines, &in->files, &in->columns, in->output, &err))
        return errlist_add_err(faults, &err);
    return 0;
}

static int32_t count_ranks(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    return n > 1 ? (int32_t)n : 1;
}

static void put_text(struct init *in)
{
    struct buf title = {0}, name = {0};

    escape_shell(&name, is_stdout(in->output) ? "grid.ini" : in->output);
    buf_printf(&title,
               "A first sweep, written by espalier init. Edit it as you like.\n"
               "\n"
               "    espalier inspect %s\n"
               "    espalier run %s -n %d\n"
               "    espalier best --rule best\n"
               "\n"
               "Text after ' ;' is a comment. espalier params lists all settings.\n",
               buf_text(&name), buf_text(&name), count_ranks());
    buf_clear(&in->text);
    init_write(&in->text, buf_text(&title), &in->lines, in->proposal.n ? &in->proposal : NULL);
    buf_release(&title);
    buf_release(&name);
}

/* The file that paths are relative to. */
static const char *sweep_path(const struct init *in)
{
    return is_stdout(in->output) ? "grid.ini" : in->output;
}

/* Warnings are printed with the final text. */
static int load(struct init *in, struct errlist *faults)
{
    enum log_level level;
    struct err err;
    int rc;

    put_text(in);
    if (job_parse_text(&in->job, sweep_path(in), buf_text(&in->text), faults))
        return -1;
    level = log_set_level(LOG_QUIET);
    rc = job_load(&in->job, faults);
    log_set_level(level);
    if (rc || !in->columns.is_unjoined)
        return rc;
    err_set(
        &err,
        "%s: none of its ids occurs in the genotypes: ids must be spelled the same in both files",
        in->columns.table->path);
    return errlist_add_err(faults, &err);
}

static int plan(struct init *in, struct errlist *faults)
{
    put_text(in);
    return job_parse_again(&in->job, sweep_path(in), buf_text(&in->text), faults) ||
                   job_plan(&in->job, faults)
               ? -1
               : 0;
}

/* Groups decide which samples are in a part, and are read with the data. */
static int load_groups(struct init *in, struct errlist *faults)
{
    if (!in->proposal.uses_group)
        return 0;
    job_release(&in->job);
    return load(in, faults);
}

/* As in `plan`, a configuration that takes more memory is not tried. */
#define MOST_TRIED_BYTES 1e9

/* Return the seconds of a trial of each configuration, owned. NULL and err: memory is short. */
static double *seconds_of_configs(struct job *job, struct err *err)
{
    int32_t n = job->plan.n_configs;
    double *seconds = calloc((size_t)n, sizeof *seconds);
    struct cost *cost = job_cost_create(job, 0, err);
    struct store_trials known = {0};
    int64_t n_tried = -1;

    if (!seconds)
        err_nomem(err, "costs", (size_t)n * sizeof *seconds);
    else if (cost && store_trials_init(&known, job->plan.n_trials, err) == 0)
        n_tried = calibrate_cost(cost, job, &known, 1, MOST_TRIED_BYTES, err);
    for (int32_t c = 0; n_tried >= 0 && c < n; c++)
        seconds[c] = cost_seconds(cost, c);
    store_trials_release(&known);
    cost_destroy(cost);
    if (n_tried >= 0)
        return seconds;
    free(seconds);
    return NULL;
}

/* Settings that the model type lacks do not count. */
static bool is_kept(const struct proposal *p, const struct job *job, const struct settings *s)
{
    bool is_kept = true;

    for (size_t a = 0; a < job->sweep.n_axes && is_kept; a++) {
        enum param_id id = job->sweep.axes[a].id;
        struct buf value = {0};

        param_format(&value, id, s->v[id]);
        is_kept = !settings_has(s, id) || proposal_has_value(p, id, buf_text(&value));
        buf_release(&value);
    }
    return is_kept;
}

static double sum_seconds(const struct proposal *p, const struct job *job, const double *seconds)
{
    double epochs = atof(proposal_find(p, P_EPOCHS)->value[0]), sum = 0;
    struct settings s;

    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, &s);
        if (is_kept(p, job, &s))
            sum += seconds[c] * (settings_has(&s, P_EPOCHS) ? epochs / (double)s.v[P_EPOCHS].i : 1);
    }
    return sum * (double)proposal_repeats(p);
}

/* Shrink the proposal until its time on one core is within the budget. The job is planned from the
 * whole proposal, and some of its configurations are trained for a moment. -1 and err: memory is
 * short. */
static int fit_budget(struct init *in, struct err *err)
{
    double *of_config = seconds_of_configs(&in->job, err);

    if (!of_config)
        return -1;
    do
        in->seconds = sum_seconds(&in->proposal, &in->job, of_config);
    while (in->seconds > in->budget_s && proposal_shrink(&in->proposal));
    free(of_config);
    return 0;
}

static int plan_within_budget(struct init *in, struct errlist *faults)
{
    struct err err;

    if (plan(in, faults))
        return -1;
    return fit_budget(in, &err) ? errlist_add_err(faults, &err) : 0;
}

/* With fewer samples, a test part and two folds leave none for the stop part. */
#define LEAST_SAMPLES 7

static int check_size(const struct init *in, struct err *err)
{
    if (in->facts.has_split || in->facts.n_labelled >= LEAST_SAMPLES)
        return 0;
    return err_set(err, "%s: %d sample%s with a value %s too few: a sweep needs at least %d",
                   in->files.file[0].path, in->facts.n_labelled,
                   in->facts.n_labelled == 1 ? "" : "s", in->facts.n_labelled == 1 ? "is" : "are",
                   LEAST_SAMPLES);
}

static void warn_meanings(const struct init *in)
{
    struct buf columns = {0};

    init_columns_meanings(&columns, &in->columns);
    if (columns.size)
        log_warn(
            "%s: rows differ in %s, which the sweep does not use: convert the values to one "
            "unit, leave out other types, and make classes at a threshold where they are bounds",
            in->columns.table->path, buf_text(&columns));
    buf_release(&columns);
}

/* IC50 in nM and the like, whose few largest values decide the fit. */
#define MANY_MAGNITUDES 4

static void warn_magnitudes(const struct init *in)
{
    int n = init_columns_magnitudes(&in->columns, in->files.format);

    if (n >= MANY_MAGNITUDES)
        log_warn(
            "%s: the trait spans %d orders of magnitude, so its largest values decide the fit: "
            "write a column with its logarithm and predict that",
            in->columns.table->path, n);
}

/* Warnings are printed once, for the final file. */
static int propose_sweep(struct init *in, struct errlist *faults)
{
    enum log_level level;
    struct err err;
    int rc;

    init_data_facts(&in->facts, &in->files, &in->columns, &in->job);
    if (check_size(in, &err))
        return errlist_add_err(faults, &err);
    propose(&in->proposal, &in->facts);
    if (init_data_finish(&in->lines, &in->files, &in->columns, &in->job, &in->proposal, &err))
        return errlist_add_err(faults, &err);
    if (load_groups(in, faults))
        return -1;
    level = log_set_level(LOG_QUIET);
    rc = plan_within_budget(in, faults);
    log_set_level(level);
    if (rc)
        return -1;
    address_space_warn();
    warn_meanings(in);
    warn_magnitudes(in);
    job_print_notes(&in->job);
    return plan(in, faults);
}

static void put_choice(struct buf *out, const char *what, const struct proposal_setting *s)
{
    if (!s)
        return;
    buf_printf(out, "%-11s ", what);
    for (int32_t i = 0; i < s->n; i++)
        buf_printf(out, "%s%s", i ? ", " : "", s->value[i]);
    buf_printf(out, " (%s)\n", s->comment);
}

static void put_summary(struct buf *out, const struct init *in)
{
    const struct plan *plan = &in->job.plan;
    const char *name = sweep_path(in);
    struct buf word = {0};
    char took[DURATION_TEXT], budget[DURATION_TEXT];

    duration_words(took, in->seconds);
    duration_words(budget, in->budget_s);
    put_choice(out, "models", proposal_find(&in->proposal, P_TYPE));
    put_choice(out, "stop", proposal_find(&in->proposal, P_STOP));
    buf_printf(out, "%-11s ", "sweep");
    plan_put_size(out, plan);
    buf_putc(out, '\n');
    if (in->seconds <= in->budget_s)
        buf_printf(out, "%-11s about %s on one core (--budget %s)\n", "cost", took, budget);
    else
        buf_printf(out,
                   "%-11s about %s on one core, more than --budget %s: a smaller sweep would have "
                   "nothing to compare\n",
                   "cost", took, budget);
    escape_shell(&word, name);
    if (!is_stdout(in->output))
        buf_printf(out, "%-11s %s: check it, and change what you know better\n", "wrote", name);
    buf_printf(out, "%-11s espalier inspect %s\n%-11s espalier run %s -n %d\n", "next",
               buf_text(&word), "", buf_text(&word), count_ranks());
    buf_release(&word);
}

static int finish(struct init *in, struct err *err)
{
    struct buf report = {0};
    int rc;

    init_data_report(&report, &in->files, &in->columns, &in->job);
    put_summary(&report, in);
    rc = buf_failed(&in->text) ? err_nomem(err, "sweep file", in->text.size)
                               : save(in->output, &in->text, err);
    if (!rc && is_stdout(in->output))
        cli_warnf("%s", buf_text(&report));
    else if (!rc)
        rc = cli_print(&report, CLI_PLAIN, err);
    buf_release(&report);
    return rc;
}

static int init(struct init *in, const struct call *files, struct errlist *faults)
{
    struct err err;

    if (check_output(in->output, &err))
        return errlist_add_err(faults, &err);
    if (recognise(in, files->operands, files->n_operands, faults) || load(in, faults) ||
        propose_sweep(in, faults))
        return -1;
    return finish(in, &err) ? errlist_add_err(faults, &err) : 0;
}

static int run_init(struct call *call)
{
    const struct init_options *o = call->options;
    struct init in = {.output = o->output, .trait = o->trait, .budget_s = o->budget_s};
    struct errlist faults = {0};
    int status = init(&in, call, &faults) ? cli_fail_all(&faults) : EXIT_OK;

    release(&in);
    return status;
}

static const struct option_row options[] = {
    {0, "trait", "NAME", OPTION_TEXT, .into = offsetof(struct init_options, trait),
     .help = "Predict the column NAME. Needed where there are several."},
    {0, "budget", "TIME", OPTION_DURATION, .into = offsetof(struct init_options, budget_s),
     .help = "Propose a sweep that takes at most TIME on one core: 90s, 10m, 2h.",
     .default_text = "10m", .min = 1, .max = INT_MAX},
    {'o', "output", "FILE", OPTION_TEXT, VALUE_GRID, offsetof(struct init_options, output),
     .help = "Write the sweep file to FILE, which must not exist (- = standard output).",
     .default_text = "grid.ini"},
    {0},
};

static const struct example examples[] = {
    {"espalier init panel.vcf.gz traits.csv --trait yield",
     "Write grid.ini, which predicts the column yield from genotypes."},
    {"espalier init molecules.csv --budget 1h -o molecules.ini",
     "Propose a sweep of about an hour for a table of SMILES."},
    {NULL, NULL},
};

const struct command command_init = {
    .name = "init",
    .group = GROUP_PREPARE,
    .operands = "FILE...",
    .min_operands = 1,
    .max_operands = INT_MAX,
    .operand_kind = VALUE_FILE,
    .summary = "Write a first sweep file for your data files.",
    .about = "The files are recognised by their content: " VARIANTS_NAMES ", tables of "
             "genotypes, phenotypes, edges, features, labels, parts or SMILES, and a TUDataset "
             "folder.",
    .examples = examples,
    .see = "inspect, run, params",
    .options = options,
    .options_size = sizeof(struct init_options),
    .multiplies = true,
    .run = run_init,
};
