#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/progress.h"
#include "report/report.h"
#include "store/query.h"

/* Columns of QUERY_SESSION. */
enum {
    SESSION_ID,
    SESSION_OUTCOME,
    SESSION_COMMAND,
    SESSION_HOST,
    SESSION_PID,
    SESSION_RANKS,
    SESSION_STARTED,
    SESSION_ELAPSED,
    SESSION_TRIALS,
    SESSION_RATE,
    SESSION_PENDING,
    SESSION_LEFT
};

static int put_table(struct buf *out, struct store *store, enum query query, const char *heading,
                     struct err *err)
{
    struct table table;

    if (query_table(&table, store, query, 0, err))
        return -1;
    if (table.n_rows) {
        buf_puts(out, heading);
        report_text(out, &table);
    }
    table_release(&table);
    return 0;
}

/* A session whose process is gone without a word still says 'running' in the file. */
static const char *outcome(const struct cell *session, bool is_alive)
{
    bool is_running = !strcmp(session[SESSION_OUTCOME].s, "running");

    return is_running && !is_alive ? "lost (its process is gone; the same command goes on)"
                                   : session[SESSION_OUTCOME].s;
}

static void put_session(struct buf *out, const struct cell *s, bool is_alive)
{
    char text[32];

    buf_printf(out, "\nlast session: %s\n%s, %lld %s, pid %lld on %s\n", s[SESSION_COMMAND].s,
               outcome(s, is_alive), (long long)s[SESSION_RANKS].i,
               s[SESSION_RANKS].i == 1 ? "rank" : "ranks", (long long)s[SESSION_PID].i,
               s[SESSION_HOST].s);
    if (s[SESSION_RATE].type == CELL_REAL) {
        progress_duration(text, sizeof text, s[SESSION_ELAPSED].f);
        buf_printf(out, "%lld trials in %s, %.*f a second\n", (long long)s[SESSION_TRIALS].i, text,
                   s[SESSION_RATE].f < 10 ? 2 : 0, s[SESSION_RATE].f);
    }
    if (is_alive && s[SESSION_LEFT].type == CELL_REAL && s[SESSION_PENDING].i) {
        progress_duration(text, sizeof text, s[SESSION_LEFT].f);
        buf_printf(out, "about %s left for %lld trials\n", text, (long long)s[SESSION_PENDING].i);
    }
}

static int put_efficiency(struct buf *out, struct store *store, struct err *err)
{
    struct table table;
    size_t before = out->size;

    if (query_table(&table, store, QUERY_EFFICIENCY, 0, err))
        return -1;
    report_efficiency(out, &table);
    if (out->size > before)
        buf_puts(out, "\n");
    table_release(&table);
    return 0;
}

static int put_last_session(struct buf *out, struct store *store, const char *db, struct err *err)
{
    struct lock_holder holder;
    struct table table;

    if (query_table(&table, store, QUERY_SESSION, 0, err))
        return -1;
    if (table.n_rows)
        put_session(out, table.cells, query_writer(db, &holder));
    table_release(&table);
    return 0;
}

static int answer(struct buf *out, struct store *store, const void *db, struct err *err)
{
    size_t before = out->size;

    if (put_table(out, store, QUERY_SWEEPS, "", err))
        return -1;
    if (out->size == before)
        buf_puts(out, "no sweep in it yet\n");
    if (put_last_session(out, store, db, err) || put_efficiency(out, store, err) ||
        put_table(out, store, QUERY_WORKERS, "\n", err))
        return -1;
    return put_table(out, store, QUERY_FAILURES, "\ntrials that diverged or failed\n", err);
}

int cmd_status(int argc, char **argv)
{
    const struct option_row rows[] = {{0, NULL, NULL, OPTION_FLAG, NULL, 0, 0, NULL, NULL}};
    const char *db = "results.db";
    int first;
    int status = cli_parse(command_find("status"), rows, argc, argv, 0, 1, &first);

    if (status != CLI_GO_ON)
        return status;
    if (first < argc)
        db = argv[first];
    return cli_query(db, answer, db);
}
