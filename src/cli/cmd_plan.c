/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/plan_list.h"
#include "launch/job_array.h"
#include "run/job_prepare.h"

int cmd_plan(int argc, char **argv)
{
    struct text_list set = {0};
    const char *format = "table", *db = "results.db", *shard = NULL;
    bool is_whole = false;
    const struct option_row rows[] = {
        {0, "format", "FORMAT", OPTION_TEXT, &format, 0, 0, "table|csv|json", "table, csv or json"},
        {0, "list", NULL, OPTION_FLAG, &is_whole, 0, 0, NULL,
         "Show every trial. Default: the first and the last ten; csv and json have all."},
        {0, "db", "FILE", OPTION_TEXT, &db, 0, 0, NULL,
         "database to take measured speed and finished trials from, if it exists"},
        {0, "shard", "K/N|auto", OPTION_TEXT, &shard, 0, 0, NULL,
         "list only the trials of this part, and read its database"},
        {0, "set", "[S.]K=V", OPTION_LIST, &set, 0, 0, NULL,
         "Override a setting of the sweep file, or with grid.K=V,V an axis. May be repeated."},
        {0, NULL, NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
    };
    struct job_array_share share = {0};
    struct job job = {0};
    struct errlist faults = {0};
    struct operands operands;
    struct err err;
    int status;

    if (cli_parse(&status, &operands, "plan", rows, argc, argv))
        return status;
    if (job_array_share_open(&share, shard, db, &err))
        status = cli_fail_usage(&err);
    else if (job_prepare(&job, operands.at[0], &set, &faults))
        status = cli_fail_all(&faults);
    else
        status = plan_list(&job, buf_text(&share.db), &share.shard, format, is_whole);
    job_release(&job);
    job_array_share_release(&share);
    free(set.text);
    return status;
}
