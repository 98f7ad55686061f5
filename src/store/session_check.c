/* SPDX-License-Identifier: BSD-3-Clause */
#include "store/session_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "store/db.h"
#include "store/liveness.h"

enum { ID, HOST, PID, REALM, BORN, JOB, INODE, STARTED, COMMAND };
static const char sql_running[] =
    "SELECT session_id, host, pid, realm, born, job, inode, started, command"
    " FROM main.session WHERE outcome = 'running' ORDER BY session_id";

int64_t session_check_inode(const struct store *store)
{
    struct stat st;

    return stat(store->path, &st) ? 0 : (int64_t)st.st_ino;
}

static const char *text_column(sqlite3_stmt *row, int column)
{
    const char *text = (const char *)sqlite3_column_text(row, column);

    return text ? text : "";
}

static void check(struct session_check *out, const struct store *store, sqlite3_stmt *row)
{
    struct process process = {.pid = sqlite3_column_int64(row, PID),
                              .start = sqlite3_column_int64(row, BORN)};
    int64_t file = sqlite3_column_int64(row, INODE), here = session_check_inode(store);
    const char *job = text_column(row, JOB);
    struct liveness_answer answer;
    struct lock_holder holder;
    char since[CLOCK_TEXT];

    memset(out, 0, sizeof *out);
    out->session_id = sqlite3_column_int64(row, ID);
    snprintf(process.host, sizeof process.host, "%s", text_column(row, HOST));
    snprintf(process.realm, sizeof process.realm, "%s", text_column(row, REALM));
    snprintf(out->who, sizeof out->who, "pid %lld on %s%s%s, since %s", (long long)process.pid,
             text_column(row, HOST), *job ? ", " : "", job,
             clock_utc(since, sqlite3_column_double(row, STARTED)));
    snprintf(out->command, sizeof out->command, "%s", text_column(row, COMMAND));
    if (file && here && file != here) {
        out->life = SESSION_LIFE_ELSEWHERE;
        snprintf(out->why, sizeof out->why,
                 "it ran when this file was copied, or merged from others");
    } else if (!store->is_writer && lock_is_held(store->path, &holder)) {
        out->life = SESSION_LIFE_RUNNING;
        snprintf(out->why, sizeof out->why, "it holds the lock");
    } else {
        liveness_ask(&answer, &process, job);
        out->life = answer.liveness == LIVENESS_ALIVE ? SESSION_LIFE_RUNNING : SESSION_LIFE_GONE;
        out->is_assumed = answer.liveness == LIVENESS_UNKNOWN && !answer.is_same_kernel;
        snprintf(out->why, sizeof out->why, "%s", answer.why);
    }
}

int session_check_all(struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_query(store, sql_running, err, "");
    struct session_check *grown;
    int rc = 0;

    while (db_next(&rc, store, row, err)) {
        grown = realloc(store->checks, (store->n_checks + 1) * sizeof *grown);
        if (grown) {
            store->checks = grown;
            check(&grown[store->n_checks++], store, row);
        } else {
            rc = err_nomem(err, "sessions", sizeof *grown);
        }
    }
    sqlite3_finalize(row);
    return rc;
}

int session_check_refuse(const struct store *store, struct err *err)
{
    for (size_t i = 0; i < store->n_checks; i++)
        if (store->checks[i].life == SESSION_LIFE_RUNNING)
            return err_set(err,
                           "%s: another run is writing to it, although it holds no lock: %s: %s "
                           "(%s); wait for it, end it, or give this run another --db",
                           store->path, store->checks[i].who, store->checks[i].command,
                           store->checks[i].why);
    return 0;
}

enum session_life session_check_life(const char **why, const struct store *store,
                                     int64_t session_id)
{
    *why = "";
    for (size_t i = 0; i < store->n_checks; i++)
        if (store->checks[i].session_id == session_id) {
            *why = store->checks[i].why;
            return store->checks[i].life;
        }
    return SESSION_LIFE_ENDED;
}

const char *session_check_outcome(enum session_life life, const char *recorded)
{
    if (life == SESSION_LIFE_GONE)
        return "lost";
    return life == SESSION_LIFE_ELSEWHERE ? "cut off" : recorded;
}

/* ---- what a reader sees ---- */

/* Create a view of a table in which one column has another expression: format, with `text` as %s. */
static int replace_column(struct store *store, const char *table, const char *column,
                          const char *format, const char *text, struct err *err)
{
    static const char sql_columns[] =
        "SELECT group_concat(iif(name = ?2, ?3 || ' AS ', '') || '\"' || name || '\"', ', ')"
        " FROM pragma_table_info(?1, 'main')";
    char *expression = sqlite3_mprintf(format, text);
    sqlite3_stmt *row = db_query(store, sql_columns, err, "sss", table, column, expression);
    const char *columns;
    int rc = -1;

    if (!expression)
        err_nomem(err, "view", strlen(format));
    else if (db_step(store, row, err) == 1 && !db_read(store, row, err, "s", &columns))
        rc = db_execf(store, err, "CREATE TEMP VIEW %s AS SELECT %s FROM main.%s", table, columns,
                      table);
    sqlite3_finalize(row);
    sqlite3_free(expression);
    return rc;
}

int session_check_hide(struct store *store, struct err *err)
{
    struct buf dead = {0}, outcomes = {0}; /* "3, 5" */
    int rc = 0;

    for (size_t i = 0; i < store->n_checks; i++) {
        const struct session_check *c = &store->checks[i];

        if (c->life == SESSION_LIFE_RUNNING)
            continue;
        buf_printf(&dead, "%s%lld", dead.size ? ", " : "", (long long)c->session_id);
        buf_printf(&outcomes, " WHEN %lld THEN '%s'", (long long)c->session_id,
                   session_check_outcome(c->life, ""));
    }
    if (buf_failed(&dead) || buf_failed(&outcomes))
        rc = err_nomem(err, "view", outcomes.size);
    else if (dead.size)
        rc = replace_column(store, "trial", "state",
                            "iif(state = 'running' AND EXISTS (SELECT 1 FROM main.attempt AS open"
                            " WHERE open.trial_id = trial.trial_id AND open.outcome = 'running'"
                            " AND session_id IN (%s)), 'pending', state)",
                            buf_text(&dead), err) ||
                     replace_column(store, "attempt", "outcome",
                                    "iif(outcome = 'running' AND session_id IN (%s), 'lost',"
                                    " outcome)",
                                    buf_text(&dead), err) ||
                     replace_column(store, "session", "outcome",
                                    "CASE iif(outcome = 'running', session_id, NULL)%s"
                                    " ELSE outcome END",
                                    buf_text(&outcomes), err)
                 ? -1
                 : 0;
    buf_release(&dead);
    buf_release(&outcomes);
    return rc;
}
