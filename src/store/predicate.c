/* SPDX-License-Identifier: BSD-3-Clause */
/* `where` over the axes and fixed settings of a sweep file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/real.h"
#include "grid/free_value.h"
#include "store/db.h"
#include "store/store.h"

/* An expression takes some hundred steps, but one over long json_each() lists could run forever.
 * Steps, unlike time, are the same on all ranks. */
#define STEPS_A_POINT 1000000
#define STEPS_COUNTED 10000
#define LONGEST_VALUE 10000 /* bytes */

struct store_predicate {
    sqlite3 *db;
    sqlite3_stmt *statement;
    enum param_id columns[P_MAX]; /* axes, then fixed settings */
    int n_columns;
    const char *label; /* of messages: "where =", or "momentum: if" */
    char *expression;
    struct step_limit limit;
    struct buf word;
};

/* All ranks must make the same plan. */
static bool is_constant_function(const char *name)
{
    static const char *const refused[] = {"random",
                                          "randomblob",
                                          "date",
                                          "time",
                                          "datetime",
                                          "julianday",
                                          "strftime",
                                          "unixepoch",
                                          "changes",
                                          "total_changes",
                                          "current_date",
                                          "current_time",
                                          "current_timestamp",
                                          "load_extension"};

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (!strcasecmp(refused[i], name))
            return false;
    return true;
}

static int authorize_axes(void *arg, int action, const char *a, const char *b, const char *database,
                          const char *trigger)
{
    (void)arg;
    (void)database;
    (void)trigger;
    switch (action) {
    case SQLITE_SELECT:
        return SQLITE_OK;
    case SQLITE_READ:
        /* The schema table is the only real table. */
        return a && strncmp(a, "sqlite_", 7) == 0 ? SQLITE_DENY : SQLITE_OK;
    case SQLITE_FUNCTION:
        return b && is_constant_function(b) ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

/* Append one subquery for each section, so that both k and graph.k are found:
 *     FROM (SELECT ?1 AS "k") AS "graph", (SELECT ?2 AS "dropout") AS "model" */
static void put_columns(struct buf *sql, const struct store_predicate *p, const struct sweep *sweep)
{
    const char *lead = " FROM ";

    for (int first = 0; first < p->n_columns; first++) {
        const char *section = sweep_row(sweep, p->columns[first])->section;
        const char *gap = "";
        bool is_seen = false;

        for (int i = 0; i < first; i++)
            is_seen |= !strcmp(sweep_row(sweep, p->columns[i])->section, section);
        if (is_seen)
            continue;
        buf_printf(sql, "%s(SELECT ", lead);
        for (int i = first; i < p->n_columns; i++) {
            const struct param *row = sweep_row(sweep, p->columns[i]);

            if (strcmp(row->section, section) != 0)
                continue;
            buf_printf(sql, "%s?%d AS \"%s\"", gap, i + 1, row->key);
            gap = ", ";
        }
        buf_printf(sql, ") AS \"%s\"", section);
        lead = ", ";
    }
}

static int fail(struct store_predicate *p, const struct sweep *sweep, struct err *err)
{
    struct buf axes = {0};
    const char *what = sqlite3_errmsg(p->db);

    for (size_t a = 0; a < sweep->n_axes; a++)
        buf_printf(&axes, "%s%s", a ? ", " : "", sweep->axes[a].row->key);
    if (!strncmp(what, "no such column", 14))
        err_set(err, "%s %s: %s; the axes are: %s; put text in quotes", p->label, p->expression,
                what, sweep->n_axes ? buf_text(&axes) : "none");
    else if (!strcmp(what, "not an error"))
        err_set(err, "%s %s: more than one expression", p->label, p->expression);
    else if (sqlite3_errcode(p->db) == SQLITE_INTERRUPT)
        err_set(err, "%s %s: it takes more than %d steps for one point; simplify it", p->label,
                p->expression, STEPS_A_POINT);
    else
        err_set(err, "%s %s: %s", p->label, p->expression, what);
    buf_release(&axes);
    return -1;
}

/* The line break ends a comment in the expression. */
static int prepare(struct store_predicate *p, const struct sweep *sweep, int depth,
                   sqlite3_stmt **statement, struct err *err)
{
    struct buf sql = {0};
    const char *rest = "";
    int rc;

    *statement = NULL;
    buf_printf(&sql, "SELECT %.*s%s\n%.*s", depth, "((", p->expression, depth, "))");
    put_columns(&sql, p, sweep);
    if (buf_failed(&sql)) {
        buf_release(&sql);
        return err_nomem(err, "where", 0);
    }
    rc = sqlite3_prepare_v2(p->db, buf_text(&sql), -1, statement, &rest);
    if (rc != SQLITE_OK || *rest)
        rc = fail(p, sweep, err);
    buf_release(&sql);
    return rc;
}

static int bind_value(struct store_predicate *p, int i, enum param_id id, union value v)
{
    enum param_type type = param_row(id)->type;
    double number;

    if (type == PARAM_VALUE && !v.s)
        return sqlite3_bind_null(p->statement, i);
    if (type == PARAM_VALUE && free_value_is_number(v.s) && !real_parse(&number, v.s))
        return sqlite3_bind_double(p->statement, i, number);
    if (type == PARAM_INT || (type == PARAM_COUNT && v.i))
        return sqlite3_bind_int64(p->statement, i, v.i);
    if (type == PARAM_REAL || type == PARAM_DURATION)
        return sqlite3_bind_double(p->statement, i, v.f);
    buf_clear(&p->word);
    param_format(&p->word, id, v);
    return sqlite3_bind_text(p->statement, i, buf_text(&p->word), -1, SQLITE_TRANSIENT);
}

static int bind_columns(struct store_predicate *p, int first, int end, const union value *v)
{
    int rc = SQLITE_OK;

    for (int i = first; i < end && rc == SQLITE_OK; i++)
        rc = bind_value(p, i + 1, p->columns[i], v[p->columns[i]]);
    return rc;
}

int store_predicate_open(struct store_predicate **out, const char *label, const char *expression,
                         const struct sweep *sweep, const struct settings *fixed, struct err *err)
{
    struct store_predicate *p = calloc(1, sizeof *p);
    sqlite3_stmt *deeper = NULL;
    int rc;

    *out = NULL;
    if (p) {
        p->label = label;
        p->expression = strdup(expression);
    }
    if (!p || !p->expression || sqlite3_open(":memory:", &p->db) != SQLITE_OK) {
        store_predicate_close(p);
        return err_nomem(err, "where", sizeof *p);
    }
    sqlite3_db_config(p->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
    sqlite3_limit(p->db, SQLITE_LIMIT_LENGTH, LONGEST_VALUE);
    sqlite3_set_authorizer(p->db, authorize_axes, NULL);
    p->limit.calls = STEPS_A_POINT / STEPS_COUNTED;
    db_limit_steps(p->db, STEPS_COUNTED, &p->limit);
    for (size_t a = 0; a < sweep->n_axes; a++)
        p->columns[p->n_columns++] = sweep->axes[a].id;
    for (int id = 0; id < sweep_end(sweep); id++)
        /* A text that cannot be an axis may be too long for SQLite's limit here. */
        if (!sweep->swept[id] && sweep->line[id] && sweep_row(sweep, id)->flags & PARAM_AXIS)
            p->columns[p->n_columns++] = (enum param_id)id;
    /* Reject text that closes our parenthesis and opens another ("1) UNION SELECT (1"): it parses at
     * only one depth. */
    rc = prepare(p, sweep, 1, &p->statement, err) || prepare(p, sweep, 2, &deeper, err) ? -1 : 0;
    sqlite3_finalize(deeper);
    if (!rc && bind_columns(p, (int)sweep->n_axes, p->n_columns, fixed->v) != SQLITE_OK)
        rc = fail(p, sweep, err);
    if (rc) {
        store_predicate_close(p);
        return -1;
    }
    *out = p;
    return 0;
}

void store_predicate_close(struct store_predicate *p)
{
    if (!p)
        return;
    sqlite3_finalize(p->statement);
    sqlite3_close(p->db);
    buf_release(&p->word);
    free(p->expression);
    free(p);
}

int store_predicate_keep(void *predicate, const struct sweep *sweep, const struct settings *point,
                         struct err *err)
{
    struct store_predicate *p = predicate;
    int keep = -1;

    if (bind_columns(p, 0, (int)sweep->n_axes, point->v) != SQLITE_OK)
        return fail(p, sweep, err);
    p->limit.calls = STEPS_A_POINT / STEPS_COUNTED;
    if (sqlite3_step(p->statement) == SQLITE_ROW)
        keep = sqlite3_column_double(p->statement, 0) != 0;
    else
        fail(p, sweep, err);
    sqlite3_reset(p->statement);
    return keep;
}

/* Open the expression of a setting, or the condition of an axis. */
static int open_of(struct store_predicate **out, const char *label, const char *expression,
                   const struct sweep *sweep, const struct settings *fixed, int id, struct err *err)
{
    int rc = store_predicate_open(out, label, expression, sweep, fixed, err);

    if (rc && sweep->line[id] > 0)
        err_wrap(err, "%s:%d", sweep->path, sweep->line[id]);
    return rc;
}

struct store_proposing {
    struct proposing proposing;
    struct predicate predicate;
    struct store_predicate *where; /* NULL: none */
    void **conditions;             /* [n_axes] of type struct store_predicate; NULL: none */
};

int store_proposing_open(struct store_proposing **out, const struct sweep *sweep,
                         const struct settings *fixed, struct err *err)
{
    struct store_proposing *p = calloc(1, sizeof *p);
    int rc = 0;

    *out = NULL;
    if (!p || !(p->conditions = calloc(sweep->n_axes + 1, sizeof *p->conditions))) {
        free(p);
        return err_nomem(err, "conditions", sweep->n_axes * sizeof *p->conditions);
    }
    p->predicate.holds = store_predicate_keep;
    p->predicate.conditions = p->conditions;
    p->proposing = (struct proposing){sweep, fixed, &p->predicate};
    if (*fixed->v[P_WHERE].s) {
        rc = open_of(&p->where, "where =", fixed->v[P_WHERE].s, sweep, fixed, P_WHERE, err);
        p->predicate.keep = store_predicate_keep;
        p->predicate.arg = p->where;
    }
    for (size_t a = 0; !rc && a < sweep->n_axes; a++) {
        const struct axis *axis = &sweep->axes[a];
        struct store_predicate *condition = NULL;

        if (axis->condition)
            rc = open_of(&condition, "if", axis->condition, sweep, fixed, (int)axis->id, err);
        p->conditions[a] = condition;
    }
    if (rc)
        store_proposing_close(p);
    else
        *out = p;
    return rc;
}

const struct proposing *store_proposing_of(const struct store_proposing *p)
{
    return &p->proposing;
}

void store_proposing_close(struct store_proposing *p)
{
    if (!p)
        return;
    for (size_t a = 0; a < p->proposing.sweep->n_axes; a++)
        store_predicate_close(p->conditions[a]);
    free(p->conditions);
    store_predicate_close(p->where);
    free(p);
}

int store_plan(struct plan *plan, const struct sweep *sweep, const struct settings *fixed,
               struct err *err)
{
    struct store_proposing *proposing;
    struct grid_rows rows;
    int32_t n_configs;
    int rc;

    *plan = (struct plan){0};
    if (store_proposing_open(&proposing, sweep, fixed, err))
        return -1;
    rc = proposer_rows(&rows, &n_configs, &proposing->proposing, err)
             ? -1
             : plan_init_rows(plan, sweep, fixed, &rows, n_configs, err);
    store_proposing_close(proposing);
    return rc;
}
