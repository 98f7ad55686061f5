/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/cli.h"
#include "cli/command/inputs.h"
#include "cli/output.h"
#include "report/answer.h"
#include "store/query.h"

struct export_options {
    struct common_options common;
    const char *sweep;
    const char *output;
};

static const struct answer_section section = {"trials", NULL, false, "trial config state value",
                                              "="};

struct export
{
    struct answer *answer;
    struct report *report; /* NULL: not begun */
};

static void put_row(void *arg, const struct result_table *row)
{
    struct export *export = arg;

    if (!export->report)
        export->report = answer_open(export->answer, &section, row->names, row->n_cols);
    if (row->n_rows)
        report_row(export->report, row->cells);
}

static int add_trials(struct answer *answer, struct store *store, const struct export_options *o,
                      struct err *err)
{
    struct export export = {.answer = answer};
    struct query_sweep sweep;
    int rc;

    if (o->sweep && query_sweep(&sweep, store, o->sweep, err))
        return -1;
    rc = query_trials(store, o->sweep ? &sweep : NULL, put_row, &export, err);
    if (export.report)
        answer_close(answer);
    return rc;
}

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    const struct export_options *o = arg;
    struct inputs inputs = {0};
    int rc;

    if (!o->output)
        return add_trials(answer, store, o, err);
    output_to_file(answer);
    rc = inputs_add_database(&inputs, o->common.db, store, NULL, err) ||
                 inputs_check(&inputs, o->output, err) || add_trials(answer, store, o, err)
             ? -1
             : output_save(answer, o->output, &inputs, err);
    inputs_release(&inputs);
    return rc;
}

static int export_trials(struct call *call)
{
    const struct export_options *o = call->options;

    return output_database(&o->common, NULL, OUTPUT_TABLE, fill, o);
}

static const struct option_row options[] = {
    {0, "sweep", "NAME", OPTION_TEXT, VALUE_SWEEP, offsetof(struct export_options, sweep),
     .help = "Write the trials of the sweep NAME only.", .shown = "all sweeps"},
    {0, "format", "FORMAT", OPTION_TEXT, .into = offsetof(struct export_options, common.format),
     .help = "Write csv, json, or a table.", .choices = "table|csv|json", .default_text = "csv"},
    {'o', "output", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct export_options, output),
     .help = "Write to FILE, replacing it if it exists.", .shown = "standard output"},
    {0},
};

static const struct example examples[] = {
    {"espalier export -o trials.csv", "Write all trials of results.db to a CSV file."},
    {"espalier export big.db --sweep demo --format json", "Print the trials of one sweep as JSON."},
    {NULL, NULL},
};

const struct command command_export = {
    .name = "export",
    .group = GROUP_RESULTS,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Write all trials as csv or json, one row each.",
    .examples = examples,
    .see = "best, show",
    .options = options,
    .common = COMMON_DB | COMMON_WIDE,
    .options_size = sizeof(struct export_options),
    .run = export_trials,
};
