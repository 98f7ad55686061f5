/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/models.h"
#include "report/report.h"
#include "store/query.h"

/* A part of the page: a query under a heading. The first is a record, a line for each column. */
struct page_part {
    const char *heading;
    enum query query;
};

static const struct page_part config_parts[] = {
    {"configuration", QUERY_CONFIG},
    {"settings", QUERY_CONFIG_SETTINGS},
    {"trials", QUERY_CONFIG_TRIALS},
    {"models: --model FILE writes them out", QUERY_CONFIG_MODELS},
    {NULL, QUERY_COUNT},
};

static const struct page_part trial_parts[] = {
    {"trial", QUERY_TRIAL},
    {"metrics at the best epoch", QUERY_TRIAL_METRICS},
    {"timing", QUERY_TRIAL_TIMING},
    {"attempts", QUERY_TRIAL_ATTEMPTS},
    {"model: --model FILE writes it out", QUERY_TRIAL_MODEL},
    {"checkpoint: goes on after this epoch", QUERY_TRIAL_CHECKPOINT},
    {"curve", QUERY_TRIAL_CURVE},
    {NULL, QUERY_COUNT},
};

/* c12 or 12: a configuration; t345: a trial. */
static const struct page_part *parse_id(const char *text, int64_t *id, struct err *err)
{
    bool is_trial = *text == 't';

    if (!query_parse_id(id, text, is_trial ? 't' : 'c')) {
        err_set(err, "'%s' is no id: must be c12 (a configuration) or t345 (a trial)", text);
        return NULL;
    }
    return is_trial ? trial_parts : config_parts;
}

static int put_part(struct buf *out, struct store *store, const struct page_part *part,
                    bool is_first, int64_t id, struct err *err)
{
    struct result_table table;

    if (query_table(&table, store, part->query, id, err))
        return -1;
    if (is_first && !table.n_rows)
        return err_set(err, "no %s %lld", part->heading, (long long)id);
    if (part->query == QUERY_TRIAL_METRICS)
        result_table_drop_empty(&table); /* there is no stop part */
    if (is_first) {
        report_record(out, &table);
    } else if (table.n_rows) {
        buf_printf(out, "\n%s\n", part->heading);
        report_text(out, &table);
    }
    result_table_release(&table);
    return 0;
}

/* What is asked for. */
struct page {
    const char *db;
    const struct page_part *parts;
    int64_t id;
    const char *model;    /* where to; NULL: the page is wanted */
    struct text_list set; /* for the model's data */
};

static int answer(struct buf *out, struct store *store, const void *arg, struct err *err)
{
    const struct page *page = arg;

    if (page->model)
        return models_save(page->model, page->db, store, page->parts == trial_parts, page->id,
                           &page->set, err);
    for (const struct page_part *p = page->parts; p->heading; p++)
        if (put_part(out, store, p, p == page->parts, page->id, err))
            return err_wrap(err, "%s", page->db);
    return 0;
}

int cmd_show(int argc, char **argv)
{
    struct page page = {.db = "results.db"};
    const struct option_row rows[] = {
        {0, "model", "FILE", OPTION_TEXT, &page.model, 0, 0, NULL,
         "write the kept weights as safetensors; those of a configuration with several trials as "
         "FILE-t1, FILE-t2 ..."},
        {0, "set", "[S.]K=V", OPTION_LIST, &page.set, 0, 0, NULL,
         "with --model after a reduction: the path of data that have moved; may be repeated"},
        {0, NULL, NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL}};
    struct err err;
    struct operands operands;
    int status;

    if (cli_parse(&status, &operands, "show", rows, argc, argv))
        return status;
    if (operands.n == 2)
        page.db = operands.at[0];
    page.parts = parse_id(operands.at[operands.n - 1], &page.id, &err);
    status = page.parts ? cli_query(page.db, NULL, answer, &page) : cli_fail_usage(&err);
    free(page.set.text);
    return status;
}
