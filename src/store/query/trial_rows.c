/* SPDX-License-Identifier: BSD-3-Clause */
/* Build the rows of the view `trials` from one ordered pass over each table, in a tenth of the
 * view's time. */
#include <stdlib.h>
#include <string.h>

#include "store/db.h"
#include "store/query/query.h"

static const char sql_trials[] =
    "SELECT trial_id, config_id, replicate, fold, state, value, seconds, predicted, attempts"
    " FROM trial ORDER BY trial_id";
static const char sql_metrics[] =
    "SELECT trial_id, split, name, value FROM metric ORDER BY trial_id, split, name";
static const char sql_attempts[] =
    "SELECT trial_id, rank, host, max(attempt_id) FROM attempt GROUP BY trial_id ORDER BY trial_id";

enum { TRIAL, CONFIG, REPLICATE, FOLD, STATE, VALUE, SECONDS, PREDICTED, ATTEMPTS, N_TRIAL };

/* A table sorted by trial, read in parallel with the trials. */
struct beside {
    sqlite3_stmt *row;
    bool has_row;
    int64_t trial_id;
};

struct trial_rows {
    struct store *store;
    int64_t sweep_id; /* 0: all */
    sqlite3_stmt *trial, *config;
    struct beside metrics, attempts;
    struct result_table view; /* one row; its cells: */
    struct cell *trial_cells[N_TRIAL];
    struct cell *sweep_cell, *rank_cell, *host_cell;
    struct cell *setting_cells; /* [n_settings] after `config` */
    struct cell *metric_cells;  /* [n_metrics] after `value` */
    char *const *metric_names;
    int n_settings, n_metrics,
        n_reported;    /* the last of the metrics are those of store->reported */
    int64_t config_id; /* configuration of the settings in the view; 0: none */
    bool is_wanted;    /* it exists and belongs to the sweep */
    void (*take)(void *arg, const struct result_table *row);
    void *arg;
};

static int next_beside(struct beside *b, struct store *store, struct err *err)
{
    int rc = db_step(store, b->row, err);

    b->has_row = rc == 1;
    return b->has_row ? db_read(store, b->row, err, "i", &b->trial_id) : rc;
}

static int begin_beside(struct beside *b, struct store *store, const char *sql, struct err *err)
{
    b->row = db_query(store, sql, err, "");
    return b->row ? next_beside(b, store, err) : -1;
}

static int skip_to(struct beside *b, struct store *store, int64_t trial_id, struct err *err)
{
    int rc = 0;

    while (!rc && b->has_row && b->trial_id < trial_id)
        rc = next_beside(b, store, err);
    return rc;
}

/* -1: it has no column. */
static int find_metric(const struct trial_rows *r, const char *split, const char *name)
{
    int n_models = r->n_metrics - r->n_reported, m = db_find_pair(&r->store->reported, split, name);
    size_t n = strlen(split);

    if (m >= 0)
        return n_models + m;
    for (m = 0; m < n_models; m++)
        if (!strncmp(r->metric_names[m], split, n) && r->metric_names[m][n] == '_' &&
            !strcmp(r->metric_names[m] + n + 1, name))
            return m;
    return -1;
}

static int put_metrics(struct trial_rows *r, int64_t trial_id, struct err *err)
{
    int rc = skip_to(&r->metrics, r->store, trial_id, err), m;
    const char *split, *name;
    double value;
    int64_t id;

    for (m = 0; m < r->n_metrics; m++)
        r->metric_cells[m] = (struct cell){.type = CELL_NULL};
    while (!rc && r->metrics.has_row && r->metrics.trial_id == trial_id) {
        if (db_read(r->store, r->metrics.row, err, "issr", &id, &split, &name, &value))
            return -1;
        m = find_metric(r, split, name);
        if (m >= 0)
            r->metric_cells[m] = (struct cell){.type = CELL_REAL, .f = value};
        rc = next_beside(&r->metrics, r->store, err);
    }
    return rc;
}

static int put_config(struct trial_rows *r, int64_t config_id, struct err *err)
{
    int64_t sweep_id = 0;
    int rc;

    if (config_id == r->config_id)
        return 0;
    r->config_id = config_id;
    sqlite3_reset(r->config);
    sqlite3_bind_int64(r->config, 1, config_id);
    rc = db_step(r->store, r->config, err);
    if (rc < 0 || (rc == 1 && db_read(r->store, r->config, err, "i", &sweep_id)))
        return -1;
    r->is_wanted = rc == 1 && (!r->sweep_id || r->sweep_id == sweep_id);
    if (!r->is_wanted)
        return 0;
    db_view_cell(r->sweep_cell, r->config, 1 + r->n_settings);
    for (int i = 0; i < r->n_settings; i++)
        db_view_cell(&r->setting_cells[i], r->config, 1 + i);
    return 0;
}

static int put_trial(struct trial_rows *r, struct err *err)
{
    int64_t trial_id;

    if (db_check_row(r->store, r->trial, "iinntRRRn", err) ||
        put_config(r, sqlite3_column_int64(r->trial, CONFIG), err))
        return -1;
    trial_id = sqlite3_column_int64(r->trial, TRIAL);
    if (!r->is_wanted)
        return 0;
    for (int c = 0; c < N_TRIAL; c++)
        db_view_cell(r->trial_cells[c], r->trial, c);
    *r->rank_cell = *r->host_cell = (struct cell){.type = CELL_NULL};
    if (put_metrics(r, trial_id, err) || skip_to(&r->attempts, r->store, trial_id, err))
        return -1;
    if (r->attempts.has_row && r->attempts.trial_id == trial_id) {
        if (db_check_row(r->store, r->attempts.row, "iis", err))
            return -1;
        db_view_cell(r->rank_cell, r->attempts.row, 1);
        db_view_cell(r->host_cell, r->attempts.row, 2);
    }
    r->take(r->arg, &r->view);
    return 0;
}

static int prepare(struct trial_rows *r, struct err *err)
{
    sqlite3_stmt *row = db_query(r->store, "SELECT * FROM trials", err, "");
    struct buf sql = {0};
    int rc = row ? 0 : -1;

    if (!rc && !db_column_names(&r->view, row))
        r->view.cells = calloc((size_t)r->view.n_cols, sizeof *r->view.cells);
    sqlite3_finalize(row);
    if (!rc && !r->view.cells)
        rc = err_nomem(err, "answer", sizeof *r->view.cells);
    if (!rc)
        rc = views_put_config(&sql, r->store, err);
    if (!rc && buf_failed(&sql))
        rc = err_nomem(err, "query", sql.size);
    if (!rc)
        r->config = db_query(r->store, buf_text(&sql), err, "");
    buf_release(&sql);
    if (r->config)
        r->n_settings = sqlite3_column_count(r->config) - 2;
    return r->config ? 0 : -1;
}

/* The columns of the view in their order: by name, a metric or setting could be taken for one. */
static void find_cells(struct trial_rows *r)
{
    struct cell *cell = r->view.cells, *end = cell + r->view.n_cols;

    r->sweep_cell = cell++;
    r->trial_cells[TRIAL] = cell++;
    r->trial_cells[CONFIG] = cell++;
    r->setting_cells = cell;
    cell += r->n_settings;
    r->trial_cells[REPLICATE] = cell++;
    r->trial_cells[FOLD] = cell++;
    r->trial_cells[STATE] = cell++;
    r->trial_cells[VALUE] = cell++;
    r->metric_cells = cell;
    r->trial_cells[ATTEMPTS] = --end;
    r->host_cell = --end;
    r->rank_cell = --end;
    r->trial_cells[PREDICTED] = --end;
    r->trial_cells[SECONDS] = --end;
    r->metric_names = r->view.names + (r->metric_cells - r->view.cells);
    r->n_metrics = (int)(end - r->metric_cells);
    for (size_t i = 0; i < r->store->reported.size; i++)
        r->n_reported += !r->store->reported.data[i];
    r->n_reported /= 2;
}

int query_trials(struct store *store, const struct query_sweep *sweep,
                 void (*row)(void *arg, const struct result_table *row), void *arg, struct err *err)
{
    struct trial_rows r = {
        .store = store, .sweep_id = sweep ? sweep->sweep_id : 0, .take = row, .arg = arg};
    int rc = prepare(&r, err);

    if (!rc) {
        find_cells(&r);
        row(arg, &r.view);
        r.trial = db_query(store, sql_trials, err, "");
        /* The statement over trials starts first and ends last: all tables are read in the same
         * state. */
        rc = r.trial ? db_step(store, r.trial, err) : -1;
    }
    if (rc == 1 && (begin_beside(&r.metrics, store, sql_metrics, err) ||
                    begin_beside(&r.attempts, store, sql_attempts, err)))
        rc = -1;
    r.view.n_rows = 1;
    while (rc == 1)
        rc = put_trial(&r, err) ? -1 : db_step(store, r.trial, err);
    sqlite3_finalize(r.trial);
    sqlite3_finalize(r.config);
    sqlite3_finalize(r.metrics.row);
    sqlite3_finalize(r.attempts.row);
    r.view.n_rows = 0; /* the table does not own the texts */
    result_table_release(&r.view);
    return rc;
}
