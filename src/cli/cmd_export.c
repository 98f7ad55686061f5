/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/log.h"
#include "cli/print/cli.h"
#include "cli/print/inputs.h"
#include "cli/print/output.h"
#include "report/answer.h"
#include "store/query/query.h"

struct export_options {
    struct common_options common;
    const char *output;
    bool has_decisions; /* instead of trials */
};

static const struct answer_section section = {"trials", NULL, false, "trial config state value",
                                              "="};
static const struct answer_section decisions = {"decisions", NULL, false, "step config action",
                                                NULL};

struct export
{
    struct output_stream stream;
    struct report *report; /* NULL: not begun */
    struct store *store;
    bool has_programs; /* in the database */
    struct err *err;   /* of a curve */
    int rc;
};

/* In JSON Lines a program's trial has its curve. */
static int put_curve(struct export *export, int64_t trial)
{
    struct result_table table;
    int64_t n;

    if (query_table(&table, export->store, QUERY_TRIAL_OF_PROGRAM, trial, export->err))
        return -1;
    n = table.n_rows;
    result_table_release(&table);
    if (!n)
        return 0;
    if (query_trial_curve(&table, export->store, trial, export->err))
        return -1;
    if (table.n_rows) {
        result_table_drop_empty(&table, 1);
        report_row_table(export->report, "curve", &table);
    }
    result_table_release(&table);
    return 0;
}

static void put_row(void *arg, const struct result_table *row)
{
    struct export *export = arg;

    if (!export->report)
        export->report = answer_open(export->stream.answer, &section, row->names, row->n_cols);
    if (row->n_rows)
        report_row(export->report, row->cells);
    if (row->n_rows && export->has_programs && !export->rc && export->report)
        export->rc = put_curve(export, result_table_integer(row, 0, "trial"));
    output_stream_write(&export->stream);
}

static int add_trials(struct export *export, struct store *store, const char *sweep_name,
                      struct err *err)
{
    struct query_sweep sweep;
    struct result_table programs, metrics;
    int64_t n;
    int rc;

    if (query_sweep(&sweep, store, sweep_name, err)) /* without a name: is there any? */
        return -1;
    if (query_table(&programs, store, QUERY_PROGRAM_SWEEPS, 0, err))
        return -1;
    export->store = store;
    export->err = err;
    export->has_programs = programs.n_rows > 0 && export->stream.answer->style.kind == REPORT_JSONL;
    result_table_release(&programs);
    if (query_table(&metrics, store, QUERY_PROGRAM_METRICS, 0, err))
        return -1;
    n = metrics.n_rows ? result_table_integer(&metrics, 0, "metrics") : 0;
    result_table_release(&metrics);
    if (n > STORE_REPORTED_COLUMNS)
        log_warn(
            "%lld of the %lld metrics that programs reported have no column: there are at most "
            "%d such columns; the table 'metric' of the database has all",
            (long long)n - STORE_REPORTED_COLUMNS, (long long)n, STORE_REPORTED_COLUMNS);
    rc = query_trials(store, sweep_name ? &sweep : NULL, put_row, export, err);
    if (export->report)
        answer_close(export->stream.answer);
    return rc ? rc : export->rc;
}

static int add_decisions(struct answer *answer, struct store *store, const char *sweep_name,
                         struct err *err)
{
    struct query_sweep sweep;
    struct result_table table;

    if (query_sweep(&sweep, store, sweep_name, err) ||
        query_table(&table, store, QUERY_DECISIONS_OF, sweep_name ? sweep.sweep_id : 0, err))
        return -1;
    if (!table.n_rows)
        log_info("no decisions: only sweeps with [search] have them");
    answer_table(answer, &decisions, &table);
    result_table_release(&table);
    return 0;
}

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    const struct export_options *o = arg;
    struct export export = {.report = NULL};
    struct inputs inputs = {.is_forced = o->common.is_forced};
    int rc = o->output ? inputs_add_database(&inputs, o->common.db, store, NULL, err) : 0;

    if (!rc)
        rc = output_stream_open(&export.stream, answer, o->output, &inputs, err);
    if (!rc)
        rc = output_stream_close(
            &export.stream, o->has_decisions ? add_decisions(answer, store, o->common.sweep, err)
                                             : add_trials(&export, store, o->common.sweep, err));
    inputs_release(&inputs);
    return rc;
}

static int export_trials(struct call *call)
{
    const struct export_options *o = call->options;

    return output_database(&o->common, OUTPUT_TABLE, fill, o);
}

static const struct option_row options[] = {
    {0, "sweep", "NAME", OPTION_TEXT, VALUE_SWEEP, offsetof(struct common_options, sweep),
     .help = "Write the trials of the sweep NAME only.", .shown = "all sweeps"},
    {0, "decisions", NULL, OPTION_FLAG, .into = offsetof(struct export_options, has_decisions),
     .help =
         "Write the decisions of the search: a row for each configuration that was proposed, kept "
         "or stopped in a step."},
    {0, "format", "FORMAT", OPTION_TEXT, .into = offsetof(struct export_options, common.format),
     .help = "Write csv, json, jsonl (one JSON object a line), or a table.",
     .choices = "table|csv|json|jsonl", .default_text = "csv"},
    {'o', "output", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct export_options, output),
     .help = "Write to FILE.", .shown = "standard output"},
    {OPTION_FORCE("Replace FILE if it exists.")},
    {0},
};

const struct command command_export = {
    .name = "export",
    .group = GROUP_RESULTS,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Write all trials as csv or json, one row each.",
    .examples = {{"espalier export -o trials.csv", "Write all trials of results.db to a CSV file."},
                 {"espalier export big.db --sweep demo --format json",
                  "Print the trials of one sweep as JSON."}},
    .see = "best, show",
    .options = options,
    .common = COMMON_DB | COMMON_WIDE,
    .options_size = sizeof(struct export_options),
    .run = export_trials,
};
