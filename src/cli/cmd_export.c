/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "cli/cli.h"
#include "cli/inputs.h"
#include "report/report.h"
#include "store/query.h"

struct export_options {
    const char *db;
    const char *sweep;
    const char *format;
    const char *output;
};

static int parse(int *status, struct export_options *o, int argc, char **argv)
{
    const struct option_row rows[] = {
        {0, "sweep", "NAME", OPTION_TEXT, &o->sweep, 0, 0, NULL,
         "trials of this sweep; default: of all"},
        {0, "format", "FORMAT", OPTION_TEXT, &o->format, 0, 0, "csv|json", "csv or json"},
        {'o', "output", "FILE", OPTION_TEXT, &o->output, 0, 0, NULL,
         "write to FILE; default: standard output"},
        {0, NULL, NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
    };
    struct operands operands;

    if (cli_parse(status, &operands, "export", rows, argc, argv))
        return -1;
    if (operands.n)
        o->db = operands.at[0];
    return 0;
}

struct export
{
    const struct export_options *options;
    struct buf *out;
    struct report report;
    bool has_begun;
};

static void put_row(void *arg, const struct result_table *row)
{
    struct export *export = arg;

    if (!export->has_begun)
        report_begin(&export->report, export->out, row->names, row->n_cols,
                     export->options->format);
    export->has_begun = true;
    if (row->n_rows)
        report_row(&export->report, row->cells);
}

static int put_trials(struct buf *out, struct store *store, const struct export_options *o,
                      struct err *err)
{
    struct export export = {.options = o, .out = out};
    struct query_sweep sweep;
    int rc;

    if (o->sweep && query_sweep(&sweep, store, o->sweep, err))
        return -1;
    rc = query_trials(store, o->sweep ? &sweep : NULL, put_row, &export, err);
    if (export.has_begun)
        report_end(&export.report);
    return rc;
}

static int answer(struct buf *out, struct store *store, const void *arg, struct err *err)
{
    const struct export_options *o = arg;
    struct inputs inputs = {0};
    int rc;

    if (!o->output)
        return put_trials(out, store, o, err);
    rc = inputs_add_database(&inputs, o->db, store, NULL, err) ||
                 inputs_check(&inputs, o->output, err) || put_trials(out, store, o, err)
             ? -1
             : cli_save(o->output, out, &inputs, err);
    inputs_release(&inputs);
    buf_clear(out);
    return rc;
}

int cmd_export(int argc, char **argv)
{
    struct export_options o = {.db = "results.db", .format = "csv"};
    int status;

    return parse(&status, &o, argc, argv) ? status : cli_query(o.db, o.format, answer, &o);
}
