/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "cli/print/cli.h"
#include "cli/print/models.h"
#include "cli/print/output.h"
#include "report/answer.h"
#include "store/query/query.h"

/* The first part is a record. */
struct page_part {
    struct answer_section section;
    enum query query;
};

static const struct page_part config_parts[] = {
    {{"configuration", NULL, true, NULL, NULL}, QUERY_CONFIG},
    {{"settings", "settings", false, "setting value", NULL}, QUERY_CONFIG_SETTINGS},
    {{"trials", "trials", false, "trial state value", "attempts best_epoch"}, QUERY_CONFIG_TRIALS},
    {{"models", "models, which --model FILE writes to files", false, NULL, NULL},
     QUERY_CONFIG_MODELS},
    {{NULL, NULL, false, NULL, NULL}, QUERY_COUNT},
};

static const struct page_part trial_parts[] = {
    {{"trial", NULL, true, NULL, NULL}, QUERY_TRIAL},
    {{"metrics", "metrics at the best epoch", false, "metric val", NULL}, QUERY_TRIAL_METRICS},
    {{"timing", "time in each phase", false, "phase seconds", NULL}, QUERY_TRIAL_TIMING},
    {{"attempts", "attempts", false, "attempt outcome", "pid session rank"}, QUERY_TRIAL_ATTEMPTS},
    {{"model", "model, which --model FILE writes to a file", false, NULL, NULL}, QUERY_TRIAL_MODEL},
    {{"checkpoint", "checkpoint, from which the trial continues", false, NULL, NULL},
     QUERY_TRIAL_CHECKPOINT},
    {{"curve", "training curve", false, "epoch", NULL}, QUERY_TRIAL_CURVE},
    {{NULL, NULL, false, NULL, NULL}, QUERY_COUNT},
};

/* c12 or 12: a configuration; t345: a trial. */
static const struct page_part *parse_id(const char *text, int64_t *id, struct err *err)
{
    bool is_trial = *text == 't';

    if (!query_parse_id(id, text, is_trial ? 't' : 'c')) {
        err_set(err, "'%s' is not an id: must be c12 (a configuration) or t345 (a trial)", text);
        return NULL;
    }
    return is_trial ? trial_parts : config_parts;
}

static int add_part(struct answer *answer, struct store *store, const struct page_part *part,
                    int64_t id, struct err *err)
{
    struct result_table table;

    if (query_table(&table, store, part->query, id, err))
        return -1;
    if (part->query == QUERY_TRIAL_METRICS)
        result_table_drop_empty(&table); /* there is no stop part */
    answer_table(answer, &part->section, &table);
    result_table_release(&table);
    return 0;
}

/* -1 and err: the first part is empty, or the query failed. */
static int check_exists(struct store *store, const struct page_part *parts, int64_t id,
                        struct err *err)
{
    const char *db = store_path(store);
    struct result_table table;
    int64_t n;

    if (query_table(&table, store, parts->query, id, err))
        return -1;
    n = table.n_rows;
    result_table_release(&table);
    if (n)
        return 0;
    return parts == trial_parts
               ? err_set(err, "%s: no trial t%lld in it", db, (long long)id)
               : err_set(err, "%s: no configuration c%lld in it", db, (long long)id);
}

struct page {
    struct common_options common;
    const struct page_part *parts;
    int64_t id;
    const char *section;
    const char *model; /* NULL: the page is wanted */
    bool is_forced;
    struct text_list set; /* for the data of the model */
};

static int fill(struct answer *answer, struct store *store, const void *arg, struct err *err)
{
    const struct page *page = arg;
    const struct page_part *p = page->parts;

    if (page->model)
        return models_save(page->model, page->is_forced, page->common.db, store, p == trial_parts,
                           page->id, &page->set, err);
    if (check_exists(store, p, page->id, err))
        return -1;
    for (; p->section.name; p++)
        if (answer_wants(answer, &p->section) && add_part(answer, store, p, page->id, err))
            return -1;
    return 0;
}

/* A trial and a configuration have different sections. */
static int check_section(const struct page *page, struct err *err)
{
    const struct page_part *p = page->parts;

    while (page->section && p->section.name && strcmp(p->section.name, page->section) != 0)
        p++;
    if (page->section && !p->section.name)
        return err_set(err, "--section %s: a %s has no such section", page->section,
                       page->parts->section.name);
    return 0;
}

static int show(struct call *call)
{
    struct page *page = call->options;
    struct err err;

    page->parts = parse_id(call->operands[0], &page->id, &err);
    if (!page->parts || check_section(page, &err))
        return cli_fail_usage(&err);
    if (page->model)
        page->common.format = "table"; /* nothing is printed */
    return output_database(&page->common, page->section, OUTPUT_DOCUMENT, fill, page);
}

static const struct option_row options[] = {
    {0, "model", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct page, model),
     .help = "Write the kept model to FILE, as safetensors. A configuration with several trials "
             "writes FILE-t1, FILE-t2 and so on."},
    {0, "force", NULL, OPTION_FLAG, .into = offsetof(struct page, is_forced),
     .help = "Replace files of --model that exist."},
    {0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct page, section),
     .help = "Print only this part: configuration, settings, trials or models of a configuration; "
             "trial, metrics, timing, attempts, model, checkpoint or curve of a trial.",
     .choices = "configuration|settings|trials|models|trial|metrics|timing|attempts|model|"
                "checkpoint|curve"},
    {0, "set", "[S.]K=V", OPTION_LIST, VALUE_SETTING, offsetof(struct page, set),
     .help = "Override a setting, for example the path of training data that have moved, which "
             "--model reads after a reduction. May be repeated."},
    {0},
};

static const struct example examples[] = {
    {"espalier show c12", "Show configuration 12 of results.db."},
    {"espalier show big.db t345", "Show trial 345 of another database."},
    {"espalier show t345 --section curve --format csv", "Print the training curve of a trial."},
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
    .common = COMMON_DB | COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct page),
    .run = show,
};
