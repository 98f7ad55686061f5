/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/words.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "gcn/metric.h"
#include "report/answer.h"
#include "run/advice.h"
#include "store/query.h"

struct best_options {
    struct common_options common;
    long n;
    const char *sweep;
    const char *where;
    const char *rule;
    const char *section;
    struct errlist *advice; /* out: printed under the answer */
};

static bool is_scored(const struct result_table *table)
{
    return table->n_rows && !isnan(result_table_real(table, 0, "mean"));
}

static bool is_1se(const struct best_options *o)
{
    return o->rule && !strcmp(o->rule, "1se");
}

/* Report why there is no choice. first: one row of the leaderboard, or none. */
static int no_choice(const struct result_table *first, const struct query_sweep *sweep,
                     const struct best_options *o, struct err *err)
{
    const char *db = o->common.db;

    if (is_scored(first))
        return err_set(err,
                       "%s: sweep '%s': no standard error for --rule 1se: c%lld has one trial; "
                       "replicates or folds give more",
                       db, sweep->name, (long long)result_table_integer(first, 0, "config"));
    return err_set(err, "%s: sweep '%s' has no finished configuration%s%s", db, sweep->name,
                   o->where ? " where " : " yet", o->where ? o->where : "");
}

/* Find the configuration that the rule chooses: a table of one row. */
static int choose(struct result_table *chosen, struct query_alike *alike, struct store *store,
                  const struct query_sweep *sweep, const struct best_options *o, struct err *err)
{
    struct query_filter filter = {.where = o->where, .limit = 1};
    int rc;

    if (is_1se(o)) {
        if (query_cheapest(chosen, alike, store, sweep, o->where, err))
            return -1;
        if (chosen->n_rows)
            return 0;
        result_table_release(chosen);
    }
    if (query_leaderboard(chosen, alike, store, sweep, &filter, err))
        return -1;
    if (!is_1se(o) && is_scored(chosen))
        return 0;
    rc = no_choice(chosen, sweep, o, err);
    result_table_release(chosen);
    return rc;
}

/* Append the configuration as a sweep file. */
static int add_ini(struct answer *answer, struct store *store, const struct query_sweep *sweep,
                   const struct best_options *o, const struct result_table *chosen, struct err *err)
{
    long long config = result_table_integer(chosen, 0, "config");
    long long trials = result_table_integer(chosen, 0, "trials");
    struct buf ini = {0};
    int rc = query_ini(&ini, store, config, err);

    answer_printf(answer, "; configuration c%lld of sweep %s: mean %s %.6g over %lld trial%s%s\n\n",
                  config, sweep->name, sweep->objective, result_table_real(chosen, 0, "mean"),
                  trials, plural(trials),
                  is_1se(o) ? ", the cheapest within one standard error of the best" : "");
    answer_printf(answer, "%s", buf_text(&ini));
    answer->out.failed |= buf_failed(&ini);
    buf_release(&ini);
    return rc;
}

static int warn_unfinished(struct store *store, const struct query_sweep *sweep, struct err *err)
{
    struct result_table table;
    long long n;

    if (query_table(&table, store, QUERY_UNFINISHED, sweep->sweep_id, err))
        return -1;
    n = table.n_rows ? result_table_integer(&table, 0, "trials") : 0;
    if (n)
        log_warn("%lld trial%s of the sweep %s not finished: the choice may change", n, plural(n),
                 n == 1 ? "is" : "are");
    result_table_release(&table);
    return 0;
}

static const char kept_columns[] = "place config mean";
/* Left out first on a narrow terminal. "*" are the axes, "=" those that do not vary in the rows. */
static const char dropped_columns[] =
    "se val_r2 trials seconds diff_low diff_high diff flops pairs diff_se = within_se * sd";

enum { LEADERBOARD, CHOSEN, TEST };
static const struct answer_section sections[] = {
    [LEADERBOARD] = {"leaderboard", NULL, false, kept_columns, dropped_columns},
    [CHOSEN] = {"chosen", "chosen configuration", false, kept_columns, dropped_columns},
    [TEST] = {"test", NULL, false, "test mean", NULL},
};

/* Append the choice and its scores on the test part. No other command shows test scores of several
 * configurations, so that nobody chooses by them. */
static int add_choice(struct answer *answer, struct store *store, const struct best_options *o,
                      const struct result_table *chosen, struct err *err)
{
    int64_t config = result_table_integer(chosen, 0, "config");
    struct result_table test;

    if (query_table(&test, store, QUERY_CONFIG_TEST, config, err))
        return -1;
    answer_printf(answer, "\nchosen: c%lld, place %lld, %s%s%s\n", (long long)config,
                  (long long)result_table_integer(chosen, 0, "place"),
                  is_1se(o) ? "the cheapest within one standard error of the best" : "the best",
                  o->where ? " where " : "", o->where ? o->where : "");
    if (test.n_rows || answer->style.section)
        answer_table(answer, &sections[TEST], &test);
    if (test.n_rows)
        log_info("the test part is for one look after the choice: a score that something was "
                 "chosen by is too good");
    else
        log_info("no test metrics: there is no test part (split.test = 0), or they are undefined "
                 "on it");
    result_table_release(&test);
    return 0;
}

/* Return 1 if a query has a row for the sweep, else 0. -1 and err. */
static int has_row(struct store *store, const struct query_sweep *sweep, enum query query,
                   struct err *err)
{
    struct result_table rows;
    int has;

    if (query_table(&rows, store, query, sweep->sweep_id, err))
        return -1;
    has = rows.n_rows > 0;
    result_table_release(&rows);
    return has;
}

static int find_advice(struct store *store, const struct query_sweep *sweep,
                       const struct best_options *o, const struct result_table *row,
                       const struct query_alike *alike, struct err *err)
{
    struct advice_choice choice = {row, alike, o->where != NULL};
    int is_mixed = has_row(store, sweep, QUERY_LUCKY, err);
    int is_repeated = is_mixed < 0 ? -1 : has_row(store, sweep, QUERY_REPEATED, err);

    if (is_repeated < 0)
        return -1;
    if (is_mixed)
        advice_mixed_types(o->advice);
    if (is_repeated)
        advice_repeated(o->advice, true);
    return advice_find(o->advice, store, sweep, &choice, err);
}

/* Explain the leaderboard. */
static void print_title(const struct query_sweep *sweep)
{
    const char *metric = sweep->objective + (strncmp(sweep->objective, "val_", 4) ? 0 : 4);
    int id = metric_parse(metric);
    const char *better = id < 0                                     ? ""
                         : metric_is_larger_better((enum metric)id) ? "largest"
                                                                    : "smallest";

    log_info("%s: mean of %s over replicates and folds%s%s%s", sweep->name, sweep->objective,
             *better ? ", " : "", better, *better ? " first" : "");
}

static void print_legend(void)
{
    log_info("*: within one standard error (se) of the best; diff: difference from the best on the "
             "same folds, with its 95 %% interval from diff_low to diff_high");
}

static int add_leaderboard(struct answer *answer, struct store *store,
                           const struct query_sweep *sweep, const struct best_options *o,
                           struct err *err)
{
    bool is_brief = answer_is_for_people(answer);
    struct query_filter filter = {o->where, o->n ? o->n : -1, is_brief};
    struct query_alike alike;
    struct result_table table;
    int rc;

    if (query_leaderboard(&table, &alike, store, sweep, &filter, err))
        return -1;
    print_title(sweep);
    if (is_brief && table.n_rows)
        print_legend();
    if (o->where && !table.n_rows)
        log_warn("--where %s: true of no configuration", o->where);
    answer_table(answer, &sections[LEADERBOARD], &table);
    rc = o->rule ? 0 : find_advice(store, sweep, o, &table, &alike, err);
    result_table_release(&table);
    return rc;
}

/* Append the chosen configuration. is_ini: as a sweep file, which is then the whole answer. */
static int add_chosen(struct answer *answer, struct store *store, const struct query_sweep *sweep,
                      const struct best_options *o, bool is_ini, struct err *err)
{
    struct query_alike alike;
    struct result_table chosen;
    int rc;

    if (choose(&chosen, &alike, store, sweep, o, err))
        return -1;
    rc = warn_unfinished(store, sweep, err);
    if (!rc && is_ini)
        rc = add_ini(answer, store, sweep, o, &chosen, err);
    if (!rc && !is_ini && (!answer_is_for_people(answer) || o->section))
        answer_table(answer, &sections[CHOSEN], &chosen);
    if (!rc && !is_ini && answer_wants(answer, &sections[TEST]))
        rc = add_choice(answer, store, o, &chosen, err);
    if (!rc)
        rc = find_advice(store, sweep, o, &chosen, &alike, err);
    result_table_release(&chosen);
    return rc;
}

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    const struct best_options *o = arg;
    bool is_ini = !strcmp(o->common.format, "ini");
    bool is_choice_alone = o->rule && !answer_is_for_people(answer) && !o->section;
    struct query_sweep sweep;

    if (query_sweep(&sweep, store, o->sweep, err) || cli_note_incomplete(store, sweep.name, err))
        return -1;
    if (!o->sweep && sweep.n_sweeps > 1)
        log_info("sweep '%s', the last of %lld in %s; --sweep chooses another", sweep.name,
                 (long long)sweep.n_sweeps, o->common.db);
    if (!is_ini && !is_choice_alone && answer_wants(answer, &sections[LEADERBOARD]) &&
        add_leaderboard(answer, store, &sweep, o, err))
        return -1;
    return is_ini || o->rule ? add_chosen(answer, store, &sweep, o, is_ini, err) : 0;
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
    struct errlist advice = {0};
    struct best_options *o = call->options;
    struct err err;
    int status;

    if (check_section(o, &err))
        return cli_fail_usage(&err);
    o->advice = &advice;
    status = output_database(&o->common, o->section, OUTPUT_TABLE, fill, o);
    if (status == EXIT_OK)
        advice_print(&advice, NULL);
    errlist_release(&advice);
    return status;
}

static const struct option_row options[] = {
    {'n', "number", "N", OPTION_INT, .into = offsetof(struct best_options, n),
     .help = "Show N configurations (0 = all).", .default_text = "10", .max = 1000000000},
    {0, "sweep", "NAME", OPTION_TEXT, VALUE_SWEEP, offsetof(struct best_options, sweep),
     .help = "Use the sweep NAME of the database.", .shown = "the last one run"},
    {0, "where", "SQL", OPTION_TEXT, VALUE_CONDITION, offsetof(struct best_options, where),
     .help = "Show only configurations for which this SQL condition on the columns is true."},
    {0, "rule", "RULE", OPTION_TEXT, .into = offsetof(struct best_options, rule),
     .help = "Choose one configuration and show its test metrics. best chooses the first one, 1se "
             "the cheapest within one standard error of it.",
     .choices = "best|1se"},
    {0, "format", "FORMAT", OPTION_TEXT, .into = offsetof(struct best_options, common.format),
     .help = "Print the answer as a table, csv or json. ini prints a sweep file that trains "
             "exactly the best configuration, or the one that --rule chooses.",
     .choices = "table|csv|json|ini", .default_text = "table"},
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
