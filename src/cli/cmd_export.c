/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/log.h"
#include "base/outfolder.h"
#include "cli/print/cli.h"
#include "cli/print/inputs.h"
#include "cli/print/output.h"
#include "report/answer.h"
#include "report/tensorboard.h"
#include "store/query/query.h"

struct export_options {
    struct common_options common;
    const char *output;
};

static const struct answer_section section = {"trials", NULL, false, "trial config state value",
                                              "="};

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

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    const struct export_options *o = arg;
    struct export export = {.report = NULL};
    struct inputs inputs = {.is_forced = o->common.is_forced};
    int rc = o->output ? inputs_add_database(&inputs, o->common.db, store, NULL, err) : 0;

    if (!rc)
        rc = output_stream_open(&export.stream, answer, o->output, &inputs, err);
    if (!rc)
        rc = output_stream_close(&export.stream, add_trials(&export, store, o->common.sweep, err));
    inputs_release(&inputs);
    return rc;
}

static int export_board(const struct export_options *o)
{
    struct inputs inputs = {.is_forced = o->common.is_forced};
    struct outfolder out = {0};
    struct query_sweep sweep;
    struct store *store = NULL;
    struct err err;
    int rc;

    if (!tensorboard_is_available()) {
        tensorboard_write(NULL, NULL, NULL, &err);
        return cli_fail(&err);
    }
    if (!o->output || !strcmp(o->output, "-")) {
        err_set(&err, "--format tensorboard needs -o DIR, the folder to write");
        return cli_fail_usage(&err);
    }
    cli_log_database(o->common.db);
    rc = store_open_reader(&store, o->common.db, &err) ||
                 inputs_add_database(&inputs, o->common.db, store, NULL, &err) ||
                 inputs_check_folder(&inputs, o->output, &err) ||
                 query_sweep(&sweep, store, o->common.sweep, &err)
             ? -1
             : 0;
    inputs_release(&inputs);
    if (!rc)
        cli_note_sweeps(&o->common, &sweep);
    if (!rc)
        rc = outfolder_open(&out, o->output, o->common.is_forced, tensorboard_is_own, &err) ||
                     tensorboard_write(&out, store, &sweep, &err) || outfolder_commit(&out, &err)
                 ? -1
                 : 0;
    outfolder_discard(&out);
    store_close(store);
    return rc ? cli_fail(&err) : EXIT_OK;
}

static int export_trials(struct call *call)
{
    const struct export_options *o = call->options;

    if (!strcmp(o->common.format, "tensorboard"))
        return export_board(o);
    return output_database(&o->common, OUTPUT_TABLE, fill, o);
}

static const struct option_row options[] = {
    {0, "sweep", "NAME", OPTION_TEXT, VALUE_SWEEP, offsetof(struct common_options, sweep),
     .help = "Write the trials of the sweep NAME only.",
     .shown = "all sweeps; for tensorboard the last one run"},
    {0, "format", "FORMAT", OPTION_TEXT, .into = offsetof(struct export_options, common.format),
     .help = "Write csv, json, jsonl (one JSON object a line), or a table. tensorboard writes a "
             "folder of event files.",
     .choices = "table|csv|json|jsonl|tensorboard", .default_text = "csv"},
    {'o', "output", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct export_options, output),
     .help = "Write to FILE; tensorboard writes to a new folder FILE.", .shown = "standard output"},
    {OPTION_FORCE(
        "Replace FILE if it exists. A folder of --format tensorboard is replaced only if all "
        "its files are event files.")},
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
                  "Print the trials of one sweep as JSON."},
                 {"espalier export --format tensorboard -o board",
                  "Write curves and settings for TensorBoard."}},
    .see = "best, show",
    .options = options,
    .common = COMMON_DB | COMMON_WIDE,
    .options_size = sizeof(struct export_options),
    .run = export_trials,
};
