/* SPDX-License-Identifier: BSD-3-Clause */
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
    const char *objective, *where, *rule, *reference;
    /* The members below are no options. */
    struct best_outcome *outcome; /* out */
};

/* Arguments that the functions below share. */
struct best {
    struct answer *answer;
    struct store *store;
    const struct best_options *o;
    struct query_sweep sweep;
    int64_t reference; /* the configuration that diff compares with; 0: the best one */
};

static enum query_rule rule_of(const struct best_options *o)
{
    return query_rule_parse(o->rule ? o->rule : "best");
}

static int add_ini(const struct best *b, const struct result_table *chosen, struct err *err)
{
    long long config = result_table_integer(chosen, 0, "config");
    long long trials = result_table_integer(chosen, 0, "trials");
    struct buf ini = {0};
    int rc = query_ini(&ini, b->store, config, err);

    answer_printf(
        b->answer, "; configuration c%lld of sweep %s: mean %s %.6g over %lld trial%s%s%s", config,
        b->sweep.name, b->sweep.objective, result_table_real(chosen, 0, "mean"), trials,
        plural(trials), b->o->rule ? ", " : "", b->o->rule ? query_rule_words(rule_of(b->o)) : "");
    answer_printf(b->answer, "\n\n%s", buf_text(&ini));
    b->answer->out.failed |= buf_failed(&ini);
    buf_release(&ini);
    return rc;
}

/* row: one or none, as in a damaged database */
static int64_t count_of(const struct result_table *row, const char *column)
{
    return row->n_rows ? result_table_integer(row, 0, column) : 0;
}

/* The caption for a paper. repeats, progress: see count_of(). */
static void put_caption(struct buf *out, const struct best *b, const struct paper *paper,
                        bool is_test, const struct result_table *repeats,
                        const struct result_table *progress)
{
    long long folds = count_of(repeats, "folds"), replicates = count_of(repeats, "replicates");
    long long missing = count_of(progress, "missing"); /* of shards that are not in this file */
    long long left = count_of(progress, "unfinished") + missing;

    if (left)
        buf_printf(out,
                   "PRELIMINARY: %lld of %lld trials are left, so all numbers may still change. ",
                   left, (long long)count_of(progress, "trials") + missing);
    if (is_test)
        buf_printf(out, "%s: metrics on the test part", b->sweep.name);
    else
        buf_printf(out, "%s: %s (%s first)", b->sweep.name, b->sweep.objective,
                   b->sweep.maximize ? "largest" : "smallest");
    buf_puts(out, folds * replicates > 1 ? ", mean ± standard deviation over "
                                         : ", one trial of each configuration.");
    if (folds > 1)
        buf_printf(out, replicates > 1 ? "%lld folds of " : "%lld folds.", folds);
    if (replicates > 1)
        buf_printf(out, "%lld replicates.", replicates);
    if (paper->n_differences)
        buf_printf(out, " Differences are on the same %s%s.", folds > 1 ? "folds" : "replicates",
                   !paper->n_intervals ? ""
                   : count_of(repeats, "is_corrected")
                       ? ", with the corrected interval of Nadeau & Bengio (2003)"
                       : ", with the interval of the paired t test");
    if (paper->n_marked)
        buf_printf(out, " † Fewer than %lld trials have a score.", folds * replicates);
    if (paper->n_empty)
        buf_puts(out, " –: no trial has a score.");
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

static int put_paper(const struct best *b, const struct answer_section *section,
                     const struct result_table *rows, const struct result_table *repeats,
                     const struct result_table *progress, struct err *err)
{
    int64_t n = count_of(repeats, "folds") * count_of(repeats, "replicates");
    bool is_test = section == &sections[TEST];
    struct buf diff = {0}, caption = {0};
    struct paper paper = {.reference = b->reference};
    int rc;

    buf_puts(&diff, "difference from ");
    if (b->reference)
        buf_printf(&diff, "c%lld", (long long)b->reference);
    else
        buf_puts(&diff, "the best");
    buf_puts(&diff, " (95 % interval)");
    rc = paper_make(&paper, rows, n, is_test ? "mean" : b->sweep.objective, buf_text(&diff), err);
    if (!rc) {
        put_caption(&caption, b, &paper, is_test, repeats, progress);
        b->answer->caption = buf_text(&caption);
        answer_table(b->answer, section, &paper.table);
        b->answer->caption = NULL;
        b->answer->out.failed |= buf_failed(&caption) || buf_failed(&diff);
    }
    paper_release(&paper);
    buf_release(&caption);
    buf_release(&diff);
    return rc;
}

static int put_rows(const struct best *b, const struct answer_section *section,
                    const struct result_table *rows, struct err *err)
{
    struct result_table repeats, progress;
    int rc;

    if (!report_is_markup(b->answer->style.kind) || !answer_wants(b->answer, section)) {
        answer_table(b->answer, section, rows);
        return 0;
    }
    if (query_table(&repeats, b->store, QUERY_REPEATS, b->sweep.sweep_id, err))
        return -1;
    rc = query_table(&progress, b->store, QUERY_PROGRESS, b->sweep.sweep_id, err);
    if (!rc) {
        rc = put_paper(b, section, rows, &repeats, &progress, err);
        result_table_release(&progress);
    }
    result_table_release(&repeats);
    return rc;
}

/* The choice, and its test scores. No other command shows those of several configurations, so that
 * nobody chooses by them. */
static int add_choice(const struct best *b, const struct result_table *chosen, struct err *err)
{
    int64_t config = result_table_integer(chosen, 0, "config");
    const struct best_options *o = b->o;
    struct answer *answer = b->answer;
    struct result_table test, models;
    int rc = 0;

    answer_printf(answer, "\nchosen: c%lld, place %lld, %s%s%s\n", (long long)config,
                  (long long)result_table_integer(chosen, 0, "place"), query_rule_words(rule_of(o)),
                  o->where ? " where " : "", o->where ? o->where : "");
    if (answer_wants(answer, &sections[CHOSEN]) && put_rows(b, &sections[CHOSEN], chosen, err))
        return -1;
    if (answer_wants(answer, &sections[TEST])) {
        if (query_table(&test, b->store, QUERY_CONFIG_TEST, config, err))
            return -1;
        o->outcome->has_test = test.n_rows > 0;
        if (test.n_rows)
            answer_printf(answer, "\n");
        if (test.n_rows || answer->style.section)
            rc = put_rows(b, &sections[TEST], &test, err);
        log_info("%s", test.n_rows ? "test scores are for the end: once they influence a choice, "
                                     "they are too good"
                       : b->sweep.is_program
                           ? "no test metrics: the program reported no number test_NAME"
                           : "no test metrics: there is no test part (split.test = 0), or they are "
                             "undefined on it");
        result_table_release(&test);
    }
    if (rc || query_table(&models, b->store, QUERY_CONFIG_MODELS, config, err))
        return -1;
    o->outcome->chosen = config;
    o->outcome->has_models = models.n_rows > 0;
    o->outcome->is_program = b->sweep.is_program;
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

/* Read the configuration of --reference, and compare with it. */
static int find_reference(struct best *b, struct err *err)
{
    const char *text = b->o->reference;
    struct result_table row;
    bool is_there, is_scored;

    if (!text)
        return 0;
    query_parse_id(&b->reference, text, 'c');
    if (query_table(&row, b->store, QUERY_CONFIG, b->reference, err))
        return -1;
    is_there = row.n_rows && !strcmp(result_table_text(&row, 0, "sweep"), b->sweep.name);
    is_scored = is_there && result_table_integer(&row, 0, "trials") > 0;
    result_table_release(&row);
    b->o->outcome->is_wrong = !is_there;
    if (!is_there)
        return err_set(err, "--reference %s: sweep '%s' has no such configuration", text,
                       b->sweep.name);
    if (!is_scored)
        return err_set(err, "--reference %s: it has no finished trial yet", text);
    return query_compare_with(b->store, b->reference, err);
}

/* The leaderboard, or the chosen configuration alone. is_ini: as a sweep file, which is the whole
 * answer. */
static int add_rows(const struct best *b, bool is_choice, bool is_ini, struct err *err)
{
    const struct best_options *o = b->o;
    bool is_brief = answer_is_for_people(b->answer) && !(is_choice && o->common.section);
    struct query_filter filter = {o->where, is_choice ? 1 : o->n ? o->n : -1, is_brief};
    struct advice_choice advice = {.is_restricted = o->where != NULL};
    struct query_alike alike;
    struct result_table rows;
    int rc;

    if (is_choice ? query_choose(&rows, &alike, b->store, &b->sweep, rule_of(o), &filter, err)
                  : query_leaderboard(&rows, &alike, b->store, &b->sweep, &filter, err))
        return -1;
    if (b->reference)
        alike = (struct query_alike){0};
    if (!is_choice)
        log_info("%s: mean of %s over replicates and folds, %s first", b->sweep.name,
                 b->sweep.objective, b->sweep.maximize ? "largest" : "smallest");
    if (!is_choice && is_brief && rows.n_rows)
        log_info("*: within one standard error (se) of the best; diff: difference from %s on the "
                 "same folds, with its 95 %% interval from diff_low to diff_high",
                 b->reference ? o->reference : "the best");
    if (!is_choice && is_brief && b->sweep.has_search)
        log_info("reached: how far the search let a configuration come before it stopped it; its "
                 "mean is of that part, and it ranks below the complete ones");
    if (!is_choice && o->where && !rows.n_rows)
        log_warn("--where %s: true of no configuration", o->where);
    rc = is_ini      ? add_ini(b, &rows, err)
         : is_choice ? add_choice(b, &rows, err)
                     : put_rows(b, &sections[LEADERBOARD], &rows, err);
    advice.row = &rows;
    advice.alike = &alike;
    advice.shows_test = o->outcome->has_test;
    /* It is about the objective, and about the choice if there is one. */
    if (!rc && !o->objective && (is_choice || !o->rule))
        rc = advice_choice(&o->outcome->advice, b->store, &b->sweep, &advice, err);
    result_table_release(&rows);
    return rc;
}

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    const struct best_options *o = arg;
    struct best b = {.answer = answer, .store = store, .o = o};
    bool is_ini = !strcmp(o->common.format, "ini");
    bool is_choice_alone =
        is_ini || (o->rule && !answer_is_for_people(answer) && !o->common.section);

    if (query_sweep(&b.sweep, store, o->common.sweep, err))
        return -1;
    o->outcome->is_wrong = (o->objective && query_rank_by(&b.sweep, store, o->objective, err)) ||
                           (o->where && query_check_where(store, &b.sweep, o->where, err));
    if (o->outcome->is_wrong || find_reference(&b, err) ||
        cli_note_unfinished(store, b.sweep.sweep_id, b.sweep.name, err))
        return -1;
    cli_note_sweeps(&o->common, &b.sweep);
    if (!is_choice_alone && answer_wants(answer, &sections[LEADERBOARD]) &&
        add_rows(&b, false, false, err))
        return -1;
    return is_ini || o->rule ? add_rows(&b, true, is_ini, err) : 0;
}

static int best(struct call *call)
{
    struct best_outcome outcome = {0};
    struct best_options *o = call->options;
    const char *section = o->common.section;
    int64_t config;
    struct err err;
    int status;

    if (section && !o->rule && strcmp(section, "leaderboard") != 0)
        err_set(&err, "--section %s needs --rule best or --rule 1se", section);
    else if (section && !strcmp(o->common.format, "ini"))
        err_set(&err, "--section and --format ini exclude each other");
    else if (o->reference && !query_parse_id(&config, o->reference, 'c'))
        err_set(&err, "--reference %s: must be a configuration, as in c12", o->reference);
    else {
        o->outcome = &outcome;
        status = output_database(&o->common, OUTPUT_TABLE, fill, o);
        if (status == EXIT_OK) {
            advice_print(&outcome.advice, NULL);
            print_next(o);
        }
        errlist_release(&outcome.advice);
        return outcome.is_wrong ? EXIT_USAGE : status;
    }
    return cli_fail_usage(&err);
}

static const struct option_row options[] = {
    {'n', "number", "N", OPTION_INT, .into = offsetof(struct best_options, n),
     .help = "Show N configurations (0 = all).", .default_text = "10", .max = 1000000000},
    {OPTION_SWEEP},
    {0, "objective", "NAME", OPTION_TEXT, .into = offsetof(struct best_options, objective),
     .help = "Rank by this metric of the trials, such as val_loss, instead of the objective.",
     .shown = "that of the sweep"},
    {0, "where", "SQL", OPTION_TEXT, VALUE_CONDITION, offsetof(struct best_options, where),
     .help =
         "Show only configurations for which this SQL condition on columns and means of metrics "
         "is true."},
    {OPTION_RULE(struct best_options)},
    {0, "reference", "ID", OPTION_TEXT, .into = offsetof(struct best_options, reference),
     .help = "Compare with this configuration (c12): diff is the difference from it.",
     .shown = "the best one"},
    {0, "format", "FORMAT", OPTION_TEXT, .into = offsetof(struct best_options, common.format),
     .help = "Print the answer as a table, csv or json. markdown and latex print a table for a "
             "paper. ini prints a sweep file that trains exactly the best configuration, or the "
             "one that --rule chooses.",
     .choices = "table|csv|json|markdown|latex|ini", .default_text = "table"},
    {0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct common_options, section),
     .help = "Print only this part of the answer. chosen and test need --rule.",
     .choices = "leaderboard|chosen|test"},
    {0},
};

const struct command command_best = {
    .name = "best",
    .group = GROUP_RESULTS,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Show the leaderboard: the best configurations of a sweep.",
    .about = "Configurations are ranked by the mean of the objective over replicates and folds.",
    .examples = {{"espalier best", "Show the ten best configurations of the last sweep."},
                 {"espalier best -n 0 --where \"hidden_size = 64 and dropout < 0.5\"",
                  "Show all configurations that meet a condition."},
                 {"espalier best --rule 1se",
                  "Choose a configuration, and show its score on the test part."},
                 {"espalier best --reference c12",
                  "Compare the best configurations with configuration 12."},
                 {"espalier best -n 5 --format latex > table.tex", "Write a table for a paper."},
                 {"espalier best --format ini > best.ini",
                  "Write the best configuration as a sweep file."}},
    .see = "show, predict, export",
    .options = options,
    .common = COMMON_DB | COMMON_WIDE,
    .options_size = sizeof(struct best_options),
    .run = best,
};
