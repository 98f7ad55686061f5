#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
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
    {NULL, QUERY_COUNT},
};

static const struct page_part trial_parts[] = {
    {"trial", QUERY_TRIAL},
    {"metrics at the best epoch", QUERY_TRIAL_METRICS},
    {"timing", QUERY_TRIAL_TIMING},
    {"attempts", QUERY_TRIAL_ATTEMPTS},
    {"checkpoint: goes on after this epoch", QUERY_TRIAL_CHECKPOINT},
    {"curve", QUERY_TRIAL_CURVE},
    {NULL, QUERY_COUNT},
};

/* c12 or 12: a configuration; t345: a trial. */
static const struct page_part *parse_id(const char *text, int64_t *id, struct err *err)
{
    bool is_trial = *text == 't';
    const char *digits = text + (is_trial || *text == 'c');
    char *end;

    errno = 0;
    *id = strtoll(digits, &end, 10);
    if (errno || end == digits || *end || *id < 1) {
        err_set(err, "'%s' is no id: must be c12 (a configuration) or t345 (a trial)", text);
        return NULL;
    }
    return is_trial ? trial_parts : config_parts;
}

static int put_part(struct buf *out, struct store *store, const struct page_part *part,
                    bool is_first, int64_t id, struct err *err)
{
    struct table table;

    if (query_table(&table, store, part->query, id, err))
        return -1;
    if (is_first && !table.n_rows)
        return err_set(err, "no %s %lld", part->heading, (long long)id);
    if (is_first) {
        report_record(out, &table);
    } else if (table.n_rows) {
        buf_printf(out, "\n%s\n", part->heading);
        report_text(out, &table);
    }
    table_release(&table);
    return 0;
}

/* What is asked for. */
struct page {
    const char *db;
    const struct page_part *parts;
    int64_t id;
};

static int answer(struct buf *out, struct store *store, const void *arg, struct err *err)
{
    const struct page *page = arg;

    for (const struct page_part *p = page->parts; p->heading; p++)
        if (put_part(out, store, p, p == page->parts, page->id, err))
            return err_wrap(err, "%s", page->db);
    return 0;
}

int cmd_show(int argc, char **argv)
{
    const struct option_row rows[] = {{0, NULL, NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL}};
    struct page page;
    struct err err;
    int first;
    int status = cli_parse(command_find("show"), rows, argc, argv, 1, 2, &first);

    if (status != CLI_GO_ON)
        return status;
    page.db = argc - first == 2 ? argv[first] : "results.db";
    page.parts = parse_id(argv[argc - 1], &page.id, &err);
    if (!page.parts)
        return cli_fail(&err, EXIT_USAGE);
    return cli_query(page.db, answer, &page);
}
