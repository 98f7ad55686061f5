/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/cli.h"
#include "cli/models.h"
#include "report/report.h"
#include "store/query.h"
#include <stdio.h>

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
    struct common_options common;
    const struct page_part *parts;
    int64_t id;
    const char *model;    /* where to; NULL: the page is wanted */
    struct text_list set; /* for the model's data */
};

static int answer(struct buf *out, struct store *store, const void *arg, struct err *err)
{
    const struct page *page = arg;

    if (page->model)
        return models_save(page->model, page->common.db, store, page->parts == trial_parts,
                           page->id, &page->set, err);
    for (const struct page_part *p = page->parts; p->heading; p++)
        if (put_part(out, store, p, p == page->parts, page->id, err))
            return err_wrap(err, "%s", page->common.db);
    return 0;
}

static int show(struct call *call)
{
    struct page *page = call->options;
    struct err err;

    page->parts = parse_id(call->operands[0], &page->id, &err);
    return page->parts ? cli_query(page->common.db, NULL, answer, page) : cli_fail_usage(&err);
}

static const struct option_row options[] = {
    {0, "model", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct page, model),
     .help = "Write the kept model to FILE, as safetensors. A configuration with several trials "
             "writes FILE-t1, FILE-t2 and so on."},
    {0, "set", "[S.]K=V", OPTION_LIST, VALUE_SETTING, offsetof(struct page, set),
     .help = "Override a setting, for example the path of training data that have moved, which "
             "--model reads after a reduction. May be repeated."},
    {0},
};

static const struct example examples[] = {
    {"espalier show c12", "Show configuration 12 of results.db."},
    {"espalier show big.db t345", "Show trial 345 of another database."},
    {"espalier show c12 --model c12.safetensors", "Write the models of configuration 12."},
    {NULL, NULL},
};

const struct command command_show = {
    .name = "show",
    .group = GROUP_RESULTS,
    .operands = "[DB] ID",
    .min_operands = 1,
    .max_operands = 1,
    .db_operand = DB_FIRST,
    .summary = "Show one configuration (c12) or trial (t345) in full.",
    .about = "Shows settings, metrics, timing, attempts and the training curve, or writes the "
             "kept model.",
    .examples = examples,
    .see = "best, predict",
    .options = options,
    .common = COMMON_DB,
    .options_size = sizeof(struct page),
    .run = show,
};
