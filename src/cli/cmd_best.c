#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "cli/cli.h"
#include "cli/incomplete.h"
#include "report/report.h"
#include "store/query.h"

struct best_options {
    const char *db;
    long n;
    const char *sweep;
    const char *format;
    const char *where;
};

static int parse(struct best_options *o, int argc, char **argv)
{
    const struct option_row rows[] = {
        {'n', "number", "N", OPTION_INT, &o->n, 0, 1000000000, NULL,
         "so many configurations; 0: all"},
        {0, "sweep", "NAME", OPTION_TEXT, &o->sweep, 0, 0, NULL,
         "this sweep of the file; default: the one that was run last"},
        {0, "format", "FORMAT", OPTION_TEXT, &o->format, 0, 0, "table|csv|json|ini",
         "table, csv, json, or ini: a sweep file that trains exactly the best configuration"},
        {0, "where", "SQL", OPTION_TEXT, &o->where, 0, 0, NULL,
         "only configurations for which this expression over the columns is true"},
        {0, NULL, NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL},
    };
    int first;
    int status = cli_parse(command_find("best"), rows, argc, argv, 0, 1, &first);

    if (status == CLI_GO_ON && first < argc)
        o->db = argv[first];
    return status;
}

static int column_of(const struct table *table, const char *name)
{
    int32_t c = 0;

    while (c < table->n_cols && strcmp(table->names[c], name) != 0)
        c++;
    return c;
}

/* The first row of the leaderboard as a sweep file. */
static int put_ini(struct buf *out, struct store *store, const struct query_sweep *sweep,
                   const struct best_options *o, const struct table *table, struct err *err)
{
    const struct cell *row = table->cells;
    const struct cell *mean = table->n_rows ? &row[column_of(table, "mean")] : NULL;

    if (!mean || mean->type == CELL_NULL)
        return err_set(err, "%s: sweep '%s' has no finished configuration%s%s", o->db, sweep->name,
                       o->where ? " where " : " yet", o->where ? o->where : "");
    buf_printf(out, "; configuration c%lld of sweep %s: mean %s %.6g over %lld trials\n\n",
               (long long)row[column_of(table, "config")].i, sweep->name, sweep->objective, mean->f,
               (long long)row[column_of(table, "trials")].i);
    return query_ini(out, store, row[column_of(table, "config")].i, err);
}

static int answer(struct buf *out, struct store *store, const void *arg, struct err *err)
{
    const struct best_options *o = arg;
    bool is_ini = !strcmp(o->format, "ini");
    struct query_sweep sweep;
    struct table table;
    int rc = 0;

    if (query_sweep(&sweep, store, o->sweep, err) || incomplete_note(store, sweep.name, err) ||
        query_leaderboard(&table, store, &sweep, o->where,
                          is_ini ? 1
                          : o->n ? o->n
                                 : -1,
                          err))
        return -1;
    if (!o->sweep && sweep.n_sweeps > 1)
        log_info("sweep '%s', the last of %lld in %s; --sweep chooses another", sweep.name,
                 (long long)sweep.n_sweeps, o->db);
    if (is_ini) {
        rc = put_ini(out, store, &sweep, o, &table, err);
    } else {
        log_info("%s: mean of %s over replicates and folds", sweep.name, sweep.objective);
        report_format(out, &table, o->format);
    }
    table_release(&table);
    return rc;
}

int cmd_best(int argc, char **argv)
{
    struct best_options o = {.db = "results.db", .n = 10, .format = "table"};
    int status = parse(&o, argc, argv);

    return status == CLI_GO_ON ? cli_query(o.db, answer, &o) : status;
}
