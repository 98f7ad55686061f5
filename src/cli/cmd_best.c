/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/log.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/output.h"
#include "report/answer.h"
#include "report/paper.h"
#include "run/advice.h"
#include "store/query/query.h"

struct best_outcome {
    struct errlist advice;
    int64_t chosen; /* by --rule; 0: none */
    bool has_models, has_test, is_program;
    bool is_wrong; /* the command line is, as the database shows */
};

struct best_options {
    struct common_options common;
    long n;
    const char *sweep;
    const char *objective;
    const char *where;
    const char *rule;
    const char *reference;
    const char *section;
    struct best_outcome *outcome; /* out */
};

static enum query_rule rule_of(const struct best_options *o)
{
    return query_rule_parse(o->rule ? o->rule : "best");
}

static int add_ini(struct answer *answer, struct store *store, const struct query_sweep *sweep,
                   const struct best_options *o, const struct result_table *chosen, struct err *err)
{
    long long config = result_table_integer(chosen, 0, "config");
    long long trials = result_table_integer(chosen, 0, "trials");
    struct buf ini = {0};
    int rc = query_ini(&ini, store, config, err);

    answer_printf(answer, "; configuration c%lld of sweep %s: mean %s %.6g over %lld trial%s",
                  config, sweep->name, sweep->objective, result_table_real(chosen, 0, "mean"),
                  trials, plural(trials));
    if (o->rule)
        answer_printf(answer, ", %s", query_rule_words(rule_of(o)));
    answer_printf(answer, "\n\n");
    answer_printf(answer, "%s", buf_text(&ini));
    answer->out.failed |= buf_failed(&ini);
    buf_release(&ini);
    return rc;
}

static const char kept_columns[] = "place config mean";
/* layout_fit() drops these first. "*" are the axes, "=" those that do not vary in the rows. */
static const char dropped_columns[] = "sd val_r2 trials seconds flops pairs diff_se"
                                      " diff+diff_low+diff_high se = within_se *";

enum { LEADERBOARD, CHOSEN, TEST };
static const struct answer_section sections[] = {
    [LEADERBOARD] = {"leaderboard", NULL, false, kept_columns, dropped_columns},
    [CHOSEN] = {"chosen", NULL, false, kept_columns, dropped_columns},
    [TEST] = {"test", NULL, false, "test mean", NULL},
};

struct shown {
    struct store *store;
    const struct query_sweep *sweep;
    int64_t reference; /* the configuration that diff compares with; 0: the best one */
};

static bool is_paper(const struct answer *answer)
{
    return report_is_markup(answer->style.kind);
}

/* "5 folds", "5 folds of 2 replicates" or "2 replicates" */
static void put_repeats(struct buf *out, int64_t folds, int64_t replicates)
{
    if (folds > 1)
        buf_printf(out, "%lld folds", (long long)folds);
    if (folds > 1 && replicates > 1)
        buf_puts(out, " of ");
    if (replicates > 1 || folds <= 1)
        buf_printf(out, "%lld replicate%s", (long long)replicates, plural(replicates));
}

/* row: one or none, as in a damaged database */
static int64_t count_of(const struct result_table *row, const char *column)
{
    return row->n_rows ? result_table_integer(row, 0, column) : 0;
}

/* Trials that are left in this file, and those of shards that are not in it. */
static void put_preliminary(struct buf *out, const struct result_table *progress)
{
    int64_t missing = count_of(progress, "missing");
    int64_t left = count_of(progress, "unfinished") + missing;

    if (left)
        buf_printf(out,
                   "PRELIMINARY: %lld of %lld trials are left, so all numbers may still change. ",
                   (long long)left, (long long)(count_of(progress, "trials") + missing));
}

static void put_caption(struct buf *out, const struct answer_section *section,
                        const struct shown *shown, const struct paper *paper,
                        const struct result_table *repeats)
{
    int64_t folds = count_of(repeats, "folds"), replicates = count_of(repeats, "replicates");
    const struct query_sweep *sweep = shown->sweep;
    bool is_test = section == &sections[TEST];

    buf_printf(out, "%s: ", sweep->name);
    if (is_test)
        buf_puts(out, "metrics on the test part");
    else
        buf_printf(out, "%s (%s first)", sweep->objective,
                   sweep->maximize ? "largest" : "smallest");
    if (folds * replicates > 1) {
        buf_puts(out, ", mean ± standard deviation over ");
        put_repeats(out, folds, replicates);
        buf_puts(out, ".");
    } else {
        buf_puts(out, ", one trial of each configuration.");
    }
    if (paper->n_differences)
        buf_printf(out, " Differences are on the same %s%s.", folds > 1 ? "folds" : "replicates",
                   !paper->n_intervals ? ""
                   : count_of(repeats, "is_corrected")
                       ? ", with the corrected interval of Nadeau & Bengio (2003)"
                       : ", with the interval of the paired t test");
    if (paper->n_marked)
        buf_printf(out, " † Fewer than %lld trials have a score.", (long long)(folds * replicates));
    if (paper->n_empty)
        buf_puts(out, " –: no trial has a score.");
}

static int put_paper(struct answer *answer, const struct answer_section *section,
                     const struct result_table *rows, const struct shown *shown,
                     const struct result_table *repeats, const struct result_table *progress,
                     struct err *err)
{
    int64_t folds = count_of(repeats, "folds"), replicates = count_of(repeats, "replicates");
    bool is_test = section == &sections[TEST];
    struct buf diff = {0}, caption = {0};
    struct paper paper = {.reference = shown->reference};
    int rc;

    buf_puts(&diff, "difference from ");
    if (shown->reference)
        buf_printf(&diff, "c%lld", (long long)shown->reference);
    else
        buf_puts(&diff, "the best");
    buf_puts(&diff, " (95 % interval)");
    rc = paper_make(&paper, rows, folds * replicates, is_test ? "mean" : shown->sweep->objective,
                    buf_text(&diff), err);
    if (!rc) {
        put_preliminary(&caption, progress);
        put_caption(&caption, section, shown, &paper, repeats);
        answer->caption = buf_text(&caption);
        answer_table(answer, section, &paper.table);
        answer->caption = NULL;
        answer->out.failed |= buf_failed(&caption) || buf_failed(&diff);
    }
    paper_release(&paper);
    buf_release(&caption);
    buf_release(&diff);
    return rc;
}

static int put_rows(struct answer *answer, const struct answer_section *section,
                    const struct result_table *rows, const struct shown *shown, struct err *err)
{
    struct result_table repeats, progress;
    int rc;

    if (!is_paper(answer) || !answer_wants(answer, section)) {
        answer_table(answer, section, rows);
        return 0;
    }
    if (query_table(&repeats, shown->store, QUERY_REPEATS, shown->sweep->sweep_id, err))
        return -1;
    rc = query_table(&progress, shown->store, QUERY_PROGRESS, shown->sweep->sweep_id, err);
    if (!rc) {
        rc = put_paper(answer, section, rows, shown, &repeats, &progress, err);
        result_table_release(&progress);
    }
    result_table_release(&repeats);
    return rc;
}

/* No other command shows test scores of several configurations, so that nobody chooses by them. */
static int add_test(struct answer *answer, const struct shown *shown, const struct best_options *o,
                    const struct result_table *chosen, struct err *err)
{
    int64_t config = result_table_integer(chosen, 0, "config");
    struct result_table test;
    int rc = 0;

    if (query_table(&test, shown->store, QUERY_CONFIG_TEST, config, err))
        return -1;
    o->outcome->has_test = test.n_rows > 0;
    if (test.n_rows)
        answer_printf(answer, "\n");
    if (test.n_rows || answer->style.section)
        rc = put_rows(answer, &sections[TEST], &test, shown, err);
    if (test.n_rows)
        log_info("test scores are for the end: once they influence a choice, they are too good");
    else if (shown->sweep->is_program)
        log_info("no test metrics: the program reported no number test_NAME");
    else
        log_info("no test metrics: there is no test part (split.test = 0), or they are undefined "
                 "on it");
    result_table_release(&test);
    return rc;
}

static int add_choice(struct answer *answer, const struct shown *shown,
                      const struct best_options *o, const struct result_table *chosen,
                      struct err *err)
{
    answer_printf(answer, "\nchosen: c%lld, place %lld, %s%s%s\n",
                  (long long)result_table_integer(chosen, 0, "config"),
                  (long long)result_table_integer(chosen, 0, "place"), query_rule_words(rule_of(o)),
                  o->where ? " where " : "", o->where ? o->where : "");
    if (answer_wants(answer, &sections[CHOSEN]) &&
        put_rows(answer, &sections[CHOSEN], chosen, shown, err))
        return -1;
    return answer_wants(answer, &sections[TEST]) ? add_test(answer, shown, o, chosen, err) : 0;
}

static int note_choice(struct store *store, const struct query_sweep *sweep,
                       const struct best_options *o, const struct result_table *chosen,
                       struct err *err)
{
    int64_t config = result_table_integer(chosen, 0, "config");
    struct result_table models;

    if (query_table(&models, store, QUERY_CONFIG_MODELS, config, err))
        return -1;
    o->outcome->chosen = config;
    o->outcome->has_models = models.n_rows > 0;
    o->outcome->is_program = sweep->is_program;
    result_table_release(&models);
    return 0;
}

static void print_next(const struct best_options *o)
{
    long long config = o->outcome->chosen;
    struct buf word = {0};

    escape_shell(&word, o->common.db);
    if (config && o->outcome->has_models)
        log_info("next: espalier predict %s --config c%lld --all -o predictions.csv",
                 buf_text(&word), config);
    else if (config && o->outcome->is_program)
        log_info("next: espalier show %s c%lld", buf_text(&word), config);
    else if (config)
        log_info(
            "no model of c%lld is kept; espalier predict %s --config c%lld prints how to train "
            "it again",
            config, buf_text(&word), config);
    buf_release(&word);
}

static int find_advice(struct store *store, const struct query_sweep *sweep,
                       const struct best_options *o, const struct result_table *row,
                       const struct query_alike *alike, struct err *err)
{
    struct advice_choice choice = {row, alike, o->where != NULL, o->outcome->has_test};

    if (o->objective)
        return 0; /* advice is about the objective */
    return advice_choice(&o->outcome->advice, store, sweep, &choice, err);
}

static void print_title(const struct query_sweep *sweep)
{
    log_info("%s: mean of %s over replicates and folds, %s first", sweep->name, sweep->objective,
             sweep->maximize ? "largest" : "smallest");
}

static int find_reference(int64_t *config, struct store *store, const struct query_sweep *sweep,
                          const struct best_options *o, struct err *err)
{
    struct result_table row;
    bool is_there, is_scored;

    *config = 0;
    if (!o->reference)
        return 0;
    query_parse_id(config, o->reference, 'c');
    if (query_table(&row, store, QUERY_CONFIG, *config, err))
        return -1;
    is_there = row.n_rows && !strcmp(result_table_text(&row, 0, "sweep"), sweep->name);
    is_scored = is_there && !isnan(result_table_real(&row, 0, "mean"));
    result_table_release(&row);
    o->outcome->is_wrong = !is_there;
    if (!is_there)
        return err_set(err, "--reference %s: sweep '%s' has no such configuration", o->reference,
                       sweep->name);
    if (!is_scored)
        return err_set(err, "--reference %s: it has no finished trial yet", o->reference);
    return query_compare_with(store, *config, err);
}

static int add_leaderboard(struct answer *answer, struct store *store,
                           const struct query_sweep *sweep, const struct best_options *o,
                           int64_t reference, struct err *err)
{
    bool is_brief = answer_is_for_people(answer);
    struct query_filter filter = {o->where, o->n ? o->n : -1, is_brief};
    struct shown shown = {store, sweep, reference};
    struct query_alike alike;
    struct result_table table;
    int rc;

    if (query_leaderboard(&table, &alike, store, sweep, &filter, err))
        return -1;
    if (reference)
        alike = (struct query_alike){0};
    print_title(sweep);
    if (is_brief && table.n_rows)
        log_info("*: within one standard error (se) of the best; diff: difference from %s on the "
                 "same folds, with its 95 %% interval from diff_low to diff_high",
                 reference ? o->reference : "the best");
    if (o->where && !table.n_rows)
        log_warn("--where %s: true of no configuration", o->where);
    rc = put_rows(answer, &sections[LEADERBOARD], &table, &shown, err);
    if (!rc && !o->rule)
        rc = find_advice(store, sweep, o, &table, &alike, err);
    result_table_release(&table);
    return rc;
}

/* is_ini: as a sweep file, which is the whole answer. */
static int add_chosen(struct answer *answer, struct store *store, const struct query_sweep *sweep,
                      const struct best_options *o, int64_t reference, bool is_ini,
                      struct err *err)
{
    bool is_brief = answer_is_for_people(answer) && !o->section;
    struct query_filter filter = {o->where, 1, is_brief};
    struct shown shown = {store, sweep, reference};
    struct query_alike alike;
    struct result_table chosen;
    int rc;

    if (query_choose(&chosen, &alike, store, sweep, rule_of(o), &filter, err))
        return -1;
    if (reference)
        alike = (struct query_alike){0};
    if (is_ini)
        rc = add_ini(answer, store, sweep, o, &chosen, err);
    else if (add_choice(answer, &shown, o, &chosen, err))
        rc = -1;
    else
        rc = note_choice(store, sweep, o, &chosen, err);
    if (!rc)
        rc = find_advice(store, sweep, o, &chosen, &alike, err);
    result_table_release(&chosen);
    return rc;
}

static int check_where(struct store *store, const struct query_sweep *sweep,
                       const struct best_options *o, struct err *err)
{
    o->outcome->is_wrong = o->where && query_check_where(store, sweep, o->where, err);
    return o->outcome->is_wrong ? -1 : 0;
}

static int rank(struct query_sweep *sweep, struct store *store, const struct best_options *o,
                struct err *err)
{
    o->outcome->is_wrong = o->objective && query_rank_by(sweep, store, o->objective, err);
    return o->outcome->is_wrong ? -1 : 0;
}

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    const struct best_options *o = arg;
    bool is_ini = !strcmp(o->common.format, "ini");
    bool is_choice_alone = is_ini || (o->rule && !answer_is_for_people(answer) && !o->section);
    int64_t reference;
    struct query_sweep sweep;

    if (query_sweep(&sweep, store, o->sweep, err) || rank(&sweep, store, o, err) ||
        check_where(store, &sweep, o, err) || find_reference(&reference, store, &sweep, o, err) ||
        cli_note_unfinished(store, sweep.sweep_id, sweep.name, err))
        return -1;
    if (!o->sweep && sweep.n_sweeps > 1)
        log_info("sweep '%s', the last of %lld in %s; --sweep chooses another", sweep.name,
                 (long long)sweep.n_sweeps, o->common.db);
    if (!is_choice_alone && answer_wants(answer, &sections[LEADERBOARD]) &&
        add_leaderboard(answer, store, &sweep, o, reference, err))
        return -1;
    return is_ini || o->rule ? add_chosen(answer, store, &sweep, o, reference, is_ini, err) : 0;
}

static int check_reference(const struct best_options *o, struct err *err)
{
    int64_t config;

    if (o->reference && !query_parse_id(&config, o->reference, 'c'))
        return err_set(err, "--reference %s: must be a configuration, as in c12", o->reference);
    return 0;
}

static int check_section(const struct best_options *o, struct err *err)
{
    if (o->section && !o->rule && strcmp(o->section, "leaderboard") != 0)
        return err_set(err, "--section %s needs --rule best or --rule 1se", o->section);
    if (o->section && !strcmp(o->common.format, "ini"))
        return err_set(err, "--section and --format ini exclude each other");
    return 0;
}

static int best(struct call *call)
{
    struct best_outcome outcome = {0};
    struct best_options *o = call->options;
    struct err err;
    int status;

    if (check_section(o, &err) || check_reference(o, &err))
        return cli_fail_usage(&err);
    o->outcome = &outcome;
    status = output_database(&o->common, o->section, OUTPUT_TABLE, fill, o);
    if (status == EXIT_OK) {
        advice_print(&outcome.advice, NULL);
        print_next(o);
    }
    errlist_release(&outcome.advice);
    return outcome.is_wrong ? EXIT_USAGE : status;
}

static const struct option_row options[] = {
    {'n', "number", "N", OPTION_INT, .into = offsetof(struct best_options, n),
     .help = "Show N configurations (0 = all).", .default_text = "10", .max = 1000000000},
    {0, "sweep", "NAME", OPTION_TEXT, VALUE_SWEEP, offsetof(struct best_options, sweep),
     .help = "Use the sweep NAME of the database.", .shown = "the last one run"},
    {0, "objective", "NAME", OPTION_TEXT, .into = offsetof(struct best_options, objective),
     .help = "Rank by this metric of the trials, such as val_loss, instead of the objective.",
     .shown = "that of the sweep"},
    {0, "where", "SQL", OPTION_TEXT, VALUE_CONDITION, offsetof(struct best_options, where),
     .help =
         "Show only configurations for which this SQL condition on columns and means of metrics "
         "is true."},
    {0, "rule", "RULE", OPTION_TEXT, .into = offsetof(struct best_options, rule),
     .help = "Choose one configuration and show its test metrics. best chooses the first one, 1se "
             "the cheapest within one standard error of it.",
     .choices = "best|1se"},
    {0, "reference", "ID", OPTION_TEXT, .into = offsetof(struct best_options, reference),
     .help = "Compare with this configuration (c12): diff is the difference from it.",
     .shown = "the best one"},
    {0, "format", "FORMAT", OPTION_TEXT, .into = offsetof(struct best_options, common.format),
     .help = "Print the answer as a table, csv or json. markdown and latex print a table for a "
             "paper. ini prints a sweep file that trains exactly the best configuration, or the "
             "one that --rule chooses.",
     .choices = "table|csv|json|markdown|latex|ini", .default_text = "table"},
    {0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct best_options, section),
     .help = "Print only this part of the answer. chosen and test need --rule.",
     .choices = "leaderboard|chosen|test"},
    {0},
};

static const struct example examples[] = {
    {"espalier best", "Show the ten best configurations of the last sweep."},
    {"espalier best -n 0 --where \"hidden_size = 64 and dropout < 0.5\"",
     "Show all configurations that meet a condition."},
    {"espalier best --rule 1se", "Choose a configuration, and show its score on the test part."},
    {"espalier best --reference c12", "Compare the best configurations with configuration 12."},
    {"espalier best -n 5 --format latex > table.tex", "Write a table for a paper."},
    {"espalier best --format ini > best.ini", "Write the best configuration as a sweep file."},
    {NULL, NULL},
};

const struct command command_best = {
    .name = "best",
    .group = GROUP_RESULTS,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Show the leaderboard: the best configurations of a sweep.",
    .about = "Configurations are ranked by the mean of the objective over replicates and folds.",
    .examples = examples,
    .see = "show, predict, export",
    .options = options,
    .common = COMMON_DB | COMMON_WIDE,
    .options_size = sizeof(struct best_options),
    .run = best,
};
