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

static void put_who(struct session_check *out, sqlite3_stmt *row)
{
    const char *job = text_column(row, JOB);
    char since[CLOCK_TEXT];

    snprintf(out->who, sizeof out->who, "pid %lld on %s%s%s, since %s",
             (long long)sqlite3_column_int64(row, PID), text_column(row, HOST), *job ? ", " : "",
             job, clock_utc(since, sqlite3_column_double(row, STARTED)));
    snprintf(out->command, sizeof out->command, "%s", text_column(row, COMMAND));
}

static void check_process(struct session_check *out, sqlite3_stmt *row)
{
    struct process process = {.pid = sqlite3_column_int64(row, PID),
                              .start = sqlite3_column_int64(row, BORN)};
    struct liveness_answer answer;

    snprintf(process.host, sizeof process.host, "%s", text_column(row, HOST));
    snprintf(process.realm, sizeof process.realm, "%s", text_column(row, REALM));
    liveness_ask(&answer, &process, text_column(row, JOB));
    out->life = answer.liveness == LIVENESS_ALIVE ? SESSION_LIFE_RUNNING : SESSION_LIFE_GONE;
    out->is_assumed = answer.liveness == LIVENESS_UNKNOWN && !answer.is_same_kernel;
    snprintf(out->why, sizeof out->why, "%s", answer.why);
}

static void check(struct session_check *out, const struct store *store, sqlite3_stmt *row)
{
    int64_t file = sqlite3_column_int64(row, INODE), here = session_check_inode(store);
    struct lock_holder holder;

    memset(out, 0, sizeof *out);
    out->session_id = sqlite3_column_int64(row, ID);
    put_who(out, row);
    if (file && here && file != here) {
        out->life = SESSION_LIFE_ELSEWHERE;
        snprintf(out->why, sizeof out->why,
                 "it ran when this file was copied, or merged from others");
    } else if (!store->is_writer && lock_is_held(store->path, &holder)) {
        out->life = SESSION_LIFE_RUNNING;
        snprintf(out->why, sizeof out->why, "it holds the lock");
    } else {
        check_process(out, row);
    }
}

int session_check_all(struct store *store, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, sql_running, err);
    struct session_check *grown;
    int rc = row ? 1 : -1;

    while (rc == 1 && (rc = db_step(store, row, err)) == 1) {
        grown = realloc(store->checks, (store->n_checks + 1) * sizeof *grown);
        if (!grown) {
            rc = err_nomem(err, "sessions", sizeof *grown);
            break;
        }
        store->checks = grown;
        check(&store->checks[store->n_checks++], store, row);
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

static const struct session_check *find(const struct store *store, int64_t session_id)
{
    for (size_t i = 0; i < store->n_checks; i++)
        if (store->checks[i].session_id == session_id)
            return &store->checks[i];
    return NULL;
}

enum session_life session_check_life(const char **why, const struct store *store,
                                     int64_t session_id)
{
    const struct session_check *check = find(store, session_id);

    *why = check ? check->why : "";
    return check ? check->life : SESSION_LIFE_ENDED;
}

const char *session_check_outcome(enum session_life life, const char *recorded)
{
    if (life == SESSION_LIFE_GONE)
        return "lost";
    return life == SESSION_LIFE_ELSEWHERE ? "cut off" : recorded;
}

/* ---- what a reader sees ---- */

/* Append "3, 5"; false: none. */
static bool put_dead(struct buf *out, const struct store *store)
{
    for (size_t i = 0; i < store->n_checks; i++)
        if (store->checks[i].life != SESSION_LIFE_RUNNING)
            buf_printf(out, "%s%lld", out->size ? ", " : "",
                       (long long)store->checks[i].session_id);
    return out->size > 0;
}

/* Create a view of a table in which one column has another expression. */
static int replace_column(struct store *store, const char *table, const char *column,
                          const char *expression, struct err *err)
{
    sqlite3_stmt *row = db_prepare(store, "SELECT name FROM pragma_table_info(?1, 'main')", err);
    struct buf sql = {0};
    int rc = row ? 1 : -1;

    if (row)
        sqlite3_bind_text(row, 1, table, -1, SQLITE_STATIC);
    buf_printf(&sql, "CREATE TEMP VIEW %s AS SELECT ", table);
    for (int n = 0; rc == 1 && (rc = db_step(store, row, err)) == 1; n++) {
        const char *name = text_column(row, 0);
        bool is_it = !strcmp(name, column);

        buf_printf(&sql, "%s%s%s", n ? ", " : "", is_it ? expression : "", is_it ? " AS " : "");
        db_put_name(&sql, name);
    }
    sqlite3_finalize(row);
    buf_printf(&sql, " FROM main.%s", table);
    if (!rc)
        rc = db_run(store, &sql, err);
    buf_release(&sql);
    return rc;
}

static int replace_state(struct store *store, const char *dead, struct err *err)
{
    struct buf state = {0};
    int rc;

    buf_printf(&state,
               "iif(state = 'running' AND EXISTS (SELECT 1 FROM main.attempt AS open"
               " WHERE open.trial_id = trial.trial_id AND open.outcome = 'running'"
               " AND session_id IN (%s)), 'pending', state)",
               dead);
    rc = buf_failed(&state) ? err_nomem(err, "view", state.size)
                            : replace_column(store, "trial", "state", buf_text(&state), err);
    buf_release(&state);
    return rc;
}

static int replace_attempts(struct store *store, const char *dead, struct err *err)
{
    struct buf outcome = {0};
    int rc;

    buf_printf(&outcome, "iif(outcome = 'running' AND session_id IN (%s), 'lost', outcome)", dead);
    rc = buf_failed(&outcome)
             ? err_nomem(err, "view", outcome.size)
             : replace_column(store, "attempt", "outcome", buf_text(&outcome), err);
    buf_release(&outcome);
    return rc;
}

static int replace_sessions(struct store *store, struct err *err)
{
    struct buf outcome = {0};
    int rc;

    buf_puts(&outcome, "CASE iif(outcome = 'running', session_id, NULL)");
    for (size_t i = 0; i < store->n_checks; i++)
        if (store->checks[i].life != SESSION_LIFE_RUNNING)
            buf_printf(&outcome, " WHEN %lld THEN '%s'", (long long)store->checks[i].session_id,
                       session_check_outcome(store->checks[i].life, ""));
    buf_puts(&outcome, " ELSE outcome END");
    rc = buf_failed(&outcome)
             ? err_nomem(err, "view", outcome.size)
             : replace_column(store, "session", "outcome", buf_text(&outcome), err);
    buf_release(&outcome);
    return rc;
}

int session_check_hide(struct store *store, struct err *err)
{
    struct buf dead = {0};
    int rc = 0;

    if (put_dead(&dead, store))
        rc = buf_failed(&dead) || replace_state(store, buf_text(&dead), err) ||
                     replace_attempts(store, buf_text(&dead), err) || replace_sessions(store, err)
                 ? -1
                 : 0;
    buf_release(&dead);
    return rc;
}
