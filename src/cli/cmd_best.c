/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "base/log.h"
#include "cli/cli.h"
#include "report/report.h"
#include "run/advice.h"
#include "store/query.h"

struct best_options {
    struct common_options common;
    long n;
    const char *sweep;
    const char *where;
    const char *rule;
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

/* Why there is no choice; first: one row of the leaderboard, or none. */
static int no_choice(const struct result_table *first, const struct query_sweep *sweep,
                     const struct best_options *o, struct err *err)
{
    if (is_scored(first))
        return err_set(err,
                       "%s: sweep '%s': no standard error for --rule 1se: c%lld has one trial; "
                       "replicates or folds give more",
                       o->common.db, sweep->name,
                       (long long)result_table_integer(first, 0, "config"));
    return err_set(err, "%s: sweep '%s' has no finished configuration%s%s", o->common.db,
                   sweep->name, o->where ? " where " : " yet", o->where ? o->where : "");
}

/* One row: the configuration that the rule chooses. */
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

/* As a sweep file. */
static int put_ini(struct buf *out, struct store *store, const struct query_sweep *sweep,
                   const struct best_options *o, const struct result_table *chosen, struct err *err)
{
    long long config = result_table_integer(chosen, 0, "config");

    buf_printf(out, "; configuration c%lld of sweep %s: mean %s %.6g over %lld trials%s\n\n",
               config, sweep->name, sweep->objective, result_table_real(chosen, 0, "mean"),
               (long long)result_table_integer(chosen, 0, "trials"),
               is_1se(o) ? ", the cheapest within one standard error of the best" : "");
    return query_ini(out, store, config, err);
}

static int warn_unfinished(struct store *store, const struct query_sweep *sweep, struct err *err)
{
    struct result_table table;
    long long n;

    if (query_table(&table, store, QUERY_UNFINISHED, sweep->sweep_id, err))
        return -1;
    n = table.n_rows ? result_table_integer(&table, 0, "trials") : 0;
    if (n)
        log_warn("%lld trial%s of the sweep %s not finished: the choice may change", n,
                 n == 1 ? "" : "s", n == 1 ? "is" : "are");
    result_table_release(&table);
    return 0;
}

/* What was chosen, and its test part: of nothing else, so that nobody chooses by it. */
static int put_choice(struct buf *out, struct store *store, const struct best_options *o,
                      const struct result_table *chosen, struct err *err)
{
    int64_t config = result_table_integer(chosen, 0, "config");
    struct result_table test;

    if (query_table(&test, store, QUERY_CONFIG_TEST, config, err))
        return -1;
    buf_printf(out, "\nchosen: c%lld, place %lld, %s%s%s\n", (long long)config,
               (long long)result_table_integer(chosen, 0, "place"),
               is_1se(o) ? "the cheapest within one standard error of the best" : "the best",
               o->where ? " where " : "", o->where ? o->where : "");
    if (test.n_rows) {
        report_text(out, &test);
        log_info(
            "the test part is looked at once, after the choice: scores that anything is chosen "
            "by are too good");
    } else {
        log_info(
            "no test metrics: there is no test part (split.test = 0), or none is defined on it");
    }
    result_table_release(&test);
    return 0;
}

/* Whether a query has a row for the sweep; -1 and err. */
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

static int put_leaderboard(struct buf *out, struct store *store, const struct query_sweep *sweep,
                           const struct best_options *o, struct err *err)
{
    bool is_table = !strcmp(o->common.format, "table");
    struct query_filter filter = {o->where, o->n ? o->n : -1, is_table};
    struct query_alike alike;
    struct result_table table;
    int rc;

    if (query_leaderboard(&table, &alike, store, sweep, &filter, err))
        return -1;
    log_info("%s: mean of %s over replicates and folds", sweep->name, sweep->objective);
    if (is_table)
        log_info(
            "diff: to the best on the same folds, with its 95 %% interval (corrected resampled "
            "t); *: within one standard error of the best");
    if (o->where && !table.n_rows)
        log_warn("--where %s: true of no configuration", o->where);
    report_format(out, &table, o->common.format);
    rc = o->rule ? 0 : find_advice(store, sweep, o, &table, &alike, err);
    result_table_release(&table);
    return rc;
}

static int put_chosen(struct buf *out, struct store *store, const struct query_sweep *sweep,
                      const struct best_options *o, struct err *err)
{
    struct query_alike alike;
    struct result_table chosen;
    int rc;

    if (choose(&chosen, &alike, store, sweep, o, err))
        return -1;
    rc = warn_unfinished(store, sweep, err);
    if (!rc && !strcmp(o->common.format, "ini"))
        rc = put_ini(out, store, sweep, o, &chosen, err);
    else if (!rc && !strcmp(o->common.format, "table"))
        rc = put_choice(out, store, o, &chosen, err);
    else if (!rc)
        report_format(out, &chosen, o->common.format);
    if (!rc)
        rc = find_advice(store, sweep, o, &chosen, &alike, err);
    result_table_release(&chosen);
    return rc;
}

static int answer(struct buf *out, struct store *store, const void *arg, struct err *err)
{
    const struct best_options *o = arg;
    bool is_ini = !strcmp(o->common.format, "ini"), is_table = !strcmp(o->common.format, "table");
    struct query_sweep sweep;

    if (query_sweep(&sweep, store, o->sweep, err) || cli_note_incomplete(store, sweep.name, err))
        return -1;
    if (!o->sweep && sweep.n_sweeps > 1)
        log_info("sweep '%s', the last of %lld in %s; --sweep chooses another", sweep.name,
                 (long long)sweep.n_sweeps, o->common.db);
    if (!is_ini && (is_table || !o->rule) && put_leaderboard(out, store, &sweep, o, err))
        return -1;
    return is_ini || o->rule ? put_chosen(out, store, &sweep, o, err) : 0;
}

static int best(struct call *call)
{
    struct errlist advice = {0};
    struct best_options *o = call->options;
    int status;

    o->advice = &advice;
    status = cli_query(o->common.db, o->common.format, answer, o);
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
