/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <sys/statvfs.h>

#include "cli/cli.h"
#include "report/report.h"
#include "run/progress.h"
#include "store/query.h"
#include "store/session_check.h"

#define FULL_BYTES 65536.0 /* less than this free: a transaction may not fit */

static int put_table(struct buf *out, struct store *store, enum query query, const char *heading,
                     struct err *err)
{
    struct result_table table;

    if (query_table(&table, store, query, 0, err))
        return -1;
    if (table.n_rows) {
        buf_puts(out, heading);
        report_text(out, &table);
    }
    result_table_release(&table);
    return 0;
}

/* A run that ends because the disk is full cannot write down why. */
static bool is_disk_full(const char *db)
{
    struct statvfs disk;

    return !statvfs(db, &disk) && (double)disk.f_bavail * (double)disk.f_frsize < FULL_BYTES;
}

/* s: the row of QUERY_SESSION. */
static void put_outcome(struct buf *out, const struct result_table *s, const struct store *store,
                        const char *db)
{
    const char *why;

    switch (session_check_life(&why, store, result_table_integer(s, 0, "session"))) {
    case SESSION_LIFE_GONE:
        buf_printf(out, "lost (its process is gone: %s; ", why);
        buf_puts(out, is_disk_full(db)
                          ? "the disk is full: make room, then the same command goes on)"
                          : "the same command goes on)");
        break;
    case SESSION_LIFE_ELSEWHERE:
        buf_puts(out, "cut off (it ran when this file was copied, or merged from others)");
        break;
    default:
        buf_puts(out, result_table_text(s, 0, "outcome"));
    }
}

/* Trials in a time; nothing before a result is there. */
static void put_rate(struct buf *out, const struct result_table *s)
{
    double rate = result_table_real(s, 0, "rate");
    char text[32];

    if (isnan(rate))
        return;
    progress_duration(text, sizeof text, result_table_real(s, 0, "elapsed_s"));
    buf_printf(out, "%lld trials in %s, %.*f a second\n",
               (long long)result_table_integer(s, 0, "trials"), text, rate < 10 ? 2 : 0, rate);
}

static void put_session(struct buf *out, const struct result_table *s, const struct store *store,
                        const char *db)
{
    long long ranks = result_table_integer(s, 0, "ranks");

    buf_printf(out, "\nlast session: %s\n", result_table_text(s, 0, "command"));
    put_outcome(out, s, store, db);
    buf_printf(out, ", %lld %s, pid %lld on %s\n", ranks, ranks == 1 ? "rank" : "ranks",
               (long long)result_table_integer(s, 0, "pid"), result_table_text(s, 0, "host"));
    put_rate(out, s);
}

static int put_left(struct buf *out, struct store *store, int64_t session_id, struct err *err)
{
    struct result_table table;
    const char *why;
    char text[32];
    int64_t pending = 0;
    double left_s = 0;

    if (session_check_life(&why, store, session_id) != SESSION_LIFE_RUNNING)
        return 0;
    if (query_table(&table, store, QUERY_LEFT, session_id, err))
        return -1;
    if (table.n_rows) {
        pending = result_table_integer(&table, 0, "pending");
        left_s = result_table_real(&table, 0, "left_s");
    }
    if (pending && !isnan(left_s)) {
        progress_duration(text, sizeof text, left_s);
        buf_printf(out, "about %s left for %lld trials\n", text, (long long)pending);
    }
    result_table_release(&table);
    return 0;
}

static int put_efficiency(struct buf *out, struct store *store, struct err *err)
{
    struct result_table table;
    size_t before = out->size;

    if (query_table(&table, store, QUERY_EFFICIENCY, 0, err))
        return -1;
    progress_efficiency(out, &table);
    if (out->size > before)
        buf_puts(out, "\n");
    result_table_release(&table);
    return 0;
}

static int put_last_session(struct buf *out, struct store *store, const char *db, struct err *err)
{
    struct result_table table;
    int rc = 0;

    if (query_table(&table, store, QUERY_SESSION, 0, err))
        return -1;
    if (table.n_rows) {
        put_session(out, &table, store, db);
        rc = put_left(out, store, result_table_integer(&table, 0, "session"), err);
    }
    result_table_release(&table);
    return rc;
}

static int put_workers(struct buf *out, struct store *store, struct err *err)
{
    struct result_table table;

    if (query_workers(&table, store, err))
        return -1;
    if (table.n_rows) {
        buf_puts(out, "\n");
        report_text(out, &table);
    }
    result_table_release(&table);
    return 0;
}

/* The last one has its own lines. */
static int put_sessions(struct buf *out, struct store *store, struct err *err)
{
    struct result_table table;

    if (query_table(&table, store, QUERY_SESSIONS, 0, err))
        return -1;
    if (table.n_rows > 1) {
        buf_puts(out, "\nsessions, the last first\n");
        report_text(out, &table);
    }
    result_table_release(&table);
    return 0;
}

/* fails: whether a trial diverged or failed; the query for those looks at all trials again. */
static int put_sweeps(struct buf *out, struct store *store, bool *fails, struct err *err)
{
    struct result_table table;

    *fails = false;
    if (query_table(&table, store, QUERY_SWEEPS, 0, err))
        return -1;
    for (int64_t r = 0; r < table.n_rows; r++)
        *fails |= result_table_integer(&table, r, "diverged") ||
                  result_table_integer(&table, r, "failed");
    if (table.n_rows)
        report_text(out, &table);
    else
        buf_puts(out, "no sweep in it yet\n");
    result_table_release(&table);
    return 0;
}

static int answer(struct buf *out, struct store *store, const void *arg, struct err *err)
{
    bool fails;

    if (put_sweeps(out, store, &fails, err) || put_last_session(out, store, arg, err) ||
        put_efficiency(out, store, err) || put_workers(out, store, err) ||
        put_table(out, store, QUERY_RUNNING, "\ntrials under way, longest first\n", err) ||
        put_table(out, store, QUERY_CHECKPOINTS,
                  "\ntrials with a checkpoint, which they go on from when they are cut off\n",
                  err) ||
        (fails &&
         put_table(out, store, QUERY_FAILURES, "\ntrials that diverged or failed\n", err)) ||
        put_table(out, store, QUERY_BROKEN,
                  "\nattempts that were lost with their run or crashed their rank\n", err))
        return -1;
    return put_sessions(out, store, err) || cli_note_incomplete(store, NULL, err) ? -1 : 0;
}

static int status(struct call *call)
{
    return cli_query(call->common->db, NULL, answer, call->common->db);
}

static const struct example examples[] = {
    {"espalier status", "Show the progress of the sweeps in results.db."},
    {"watch espalier status big.db", "Keep an eye on a run."},
    {NULL, NULL},
};

const struct command command_status = {
    .name = "status",
    .group = GROUP_RUN,
    .operands = "[DB]",
    .db_operand = DB_FIRST,
    .summary = "Show a sweep's progress.",
    .about = "Shows counts, the last run and whether it is still alive, the time left, the trials "
             "under way, and why trials failed. The database is not changed.",
    .examples = examples,
    .see = "run, best",
    .common = COMMON_DB,
    .run = status,
};
