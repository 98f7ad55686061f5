/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/plan_list.h"
#include "cli/print/cli.h"
#include "launch/job_array.h"
#include "run/job_prepare.h"

struct plan_call {
    struct common_options common;
    const char *shard;
    const char *section;
    bool is_whole;
    bool has_commands;
    long ranks;
    struct text_list set;
};

static int plan(struct call *call)
{
    const struct plan_call *o = call->options;
    struct job_array_share share = {0};
    struct job job = {0};
    struct errlist faults = {0};
    struct err err;
    int status;

    if (job_array_share_open(&share, o->shard, o->common.db, &err))
        return cli_fail_usage(&err);
    cli_log_database(buf_text(&share.db));
    if (job_prepare(&job, call->operands[0], &o->set, &faults))
        status = cli_fail_all(&faults);
    else
        status = plan_list(&job, &(struct plan_options){.common = &o->common,
                                                        .db = buf_text(&share.db),
                                                        .shard = &share.shard,
                                                        .section = o->section,
                                                        .is_whole = o->is_whole,
                                                        .has_commands = o->has_commands,
                                                        .ranks = o->ranks});
    job_release(&job);
    job_array_share_release(&share);
    return status;
}

static const struct option_row options[] = {
    {'n', "ranks", "N", OPTION_INT, .into = offsetof(struct plan_call, ranks),
     .help = "Show the expected times on N ranks.", .default_text = "1", .min = 1, .max = 1000000},
    {0, "list", NULL, OPTION_FLAG, .into = offsetof(struct plan_call, is_whole),
     .help = "Show every trial. The table otherwise has the first and the last ten; csv and json "
             "always have all."},
    {0, "commands", NULL, OPTION_FLAG, .into = offsetof(struct plan_call, has_commands),
     .help = "Print the command line of each trial of a sweep with [program], and nothing else."},
    {0, "shard", "K/N|auto", OPTION_TEXT, .into = offsetof(struct plan_call, shard),
     .help = "Show only part K of N, and read its database. auto takes both from the job array."},
    {0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct plan_call, section),
     .help = "Print only the trials, or only the cost: the expected time and memory.",
     .choices = "trials|cost"},
    {0, "set", "[S.]K=V", OPTION_LIST, VALUE_SETTING, offsetof(struct plan_call, set),
     .help = "Override a setting of the sweep file, or with grid.K=V,V an axis. May be repeated."},
    {0},
};

static const struct example examples[] = {
    {"espalier plan grid.ini", "Show the trials and the expected time and memory."},
    {"espalier plan grid.ini -n 64 --section cost", "Show the cost of the sweep on 64 ranks."},
    {"espalier plan grid.ini --set grid.dropout=0.2,0.5", "The same with another axis."},
    {NULL, NULL},
};

const struct command command_plan = {
    .name = "plan",
    .group = GROUP_PREPARE,
    .operands = "GRID.ini [DB]",
    .min_operands = 1,
    .max_operands = 1,
    .db_operand = DB_LAST,
    .operand_kind = VALUE_GRID,
    .summary = "Show the trials of a sweep and what they cost, and run nothing.",
    .about = "Trials that the database holds count as finished, and their times improve the "
             "estimate. Without a database, a few configurations are trained, for half a second or "
             "1 % of the time of the sweep; a very short sweep is not tried, and a program is "
             "never run.",
    .examples = examples,
    .see = "run, inspect",
    .options = options,
    .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct plan_call),
    .multiplies = true,
    .run = plan,
};
