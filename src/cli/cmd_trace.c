/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "base/outfile.h"
#include "cli/print/cli.h"
#include "cli/print/inputs.h"
#include "report/trace.h"
#include "store/store.h"

struct trace_options {
    struct common_options common;
    const char *output;
};

static int trace(struct call *call)
{
    const struct trace_options *o = call->options;
    const char *path = strcmp(o->output, "-") ? o->output : "/dev/stdout";
    struct inputs inputs = {.is_forced = o->common.is_forced};
    struct outfile out = {0};
    struct store *store = NULL;
    struct err err;
    int rc;

    cli_log_database(o->common.db);
    rc = store_open_reader(&store, o->common.db, &err) ||
                 inputs_add_database(&inputs, o->common.db, store, NULL, &err) ||
                 (path == o->output && inputs_check(&inputs, path, &err)) ||
                 outfile_open(&out, path, OUTFILE_REPLACE, &err) ||
                 trace_write(&out, store, &err) || outfile_commit(&out, &err)
             ? -1
             : 0;
    outfile_discard(&out);
    inputs_release(&inputs);
    store_close(store);
    return rc ? cli_fail(&err) : EXIT_OK;
}

static const struct option_row options[] = {
    {'o', "output", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct trace_options, output),
     .help = "Write to FILE (- = standard output).", .default_text = "trace.json"},
    {OPTION_FORCE("Replace FILE if it exists.")},
    {0},
};

const struct command command_trace = {
    .name = "trace",
    .group = GROUP_RESULTS,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Write the timeline of all ranks as Chrome trace events.",
    .about =
        "Open the file in https://ui.perfetto.dev or chrome://tracing. Each host is a process, "
        "each rank a thread, and each attempt of a trial a slice, on all of its ranks. What each "
        "of "
        "several ranks spent on the others is in the arguments of a slice of the process gangs.",
    .examples = {{"espalier trace -o trace.json",
                  "Write the timeline of results.db, to open in Perfetto."}},
    .see = "status, show",
    .options = options,
    .common = COMMON_DB,
    .options_size = sizeof(struct trace_options),
    .run = trace,
};
