/* SPDX-License-Identifier: BSD-3-Clause */
#include "storelib.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "grid/sweep_file.h"
#include "store/db.h"
#include "store/merge.h"

#include "resolve.h"

static void plan_release_all(struct fixture *f)
{
    plan_release(&f->plan);
    sweep_release(&f->sweep);
    store_trials_release(&f->known);
}

static void plan_make(struct fixture *f, const char *ini)
{
    struct errlist faults = {0};
    struct err err;

    if (sweep_parse(&f->sweep, "test.ini", ini, NULL, 0, &faults))
        fail_msg("%s", faults.n ? faults.text[0] : "?");
    assert_int_equal(resolve_sweep(&f->sweep, f->data.task, &err), 0);
    if (make_plan(&f->plan, &f->sweep, NULL, &err))
        fail_msg("%s", err.text);
    assert_int_equal(store_trials_init(&f->known, f->plan.n_trials, NULL), 0);
}

void fixture_open(struct fixture *f, const char *ini)
{
    const char *base = getenv("TMPDIR");

    memset(f, 0, sizeof *f);
    snprintf(f->folder, sizeof f->folder, "%s/espalier-XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->path, sizeof f->path, "%s/r.db", f->folder);
    f->data = (struct dataset){
        .digest = hash_text("data"), .n_samples = 100, .n_features = 10, .task = TASK_REGRESSION};
    if (strstr(ini, "[program]"))
        f->data = (struct dataset){.digest = hash_text("inputs"), .task = TASK_NONE};
    plan_make(f, ini);
}

void fixture_plan(struct fixture *f, const char *ini)
{
    plan_release_all(f);
    plan_make(f, ini);
}

void fixture_close(struct fixture *f)
{
    char command[128];

    plan_release_all(f);
    snprintf(command, sizeof command, "rm -rf '%s'", f->folder);
    assert_int_equal(system(command), 0);
}

const struct store_session fixture_session = {.command = "espalier run",
                                              .version = "1",
                                              .mpi = "",
                                              .blas = "",
                                              .blas_kernel = "",
                                              .cpu = "cpu",
                                              .host = "node1",
                                              .ranks = 2,
                                              .pid = 7};

struct store *fixture_store(struct fixture *f)
{
    struct store *store;
    struct err err;

    if (store_open(&store, f->path, &err) ||
        store_register(store, &f->plan, &f->data, NULL, &f->known, &err))
        fail_msg("%s", err.text);
    return store;
}

struct store *fixture_begin(struct fixture *f, const char *ini)
{
    fixture_open(f, ini);
    return fixture_store(f);
}

void fixture_end(struct fixture *f, struct store *store)
{
    store_close(store);
    fixture_close(f);
}

void fixture_result(struct trial_result *r, int64_t trial, double value)
{
    trial_result_init(r, trial);
    r->state = TRIAL_DONE;
    r->value = value;
    r->epochs_run = r->best_epoch = 2;
    r->seconds = 0.5;
    r->predicted = 0.25;
    r->flops = 1e6;
    r->metrics[PART_VAL][METRIC_PEARSON] = value;
    r->metrics[PART_TEST][METRIC_PEARSON] = value / 2;
    r->losses[PART_VAL] = 0.25;
    r->timing[PHASE_FORWARD] = 0.3;
    r->timing[PHASE_BACKWARD] = 0.2;
    r->rank = 1;
    r->pid = 7;
    strcpy(r->host, "node1");
    r->started = 1000;
    r->finished = 1000.5;
    r->n_curve = 2;
    r->curve = calloc(2, sizeof *r->curve);
    r->curve[0] = (struct gcn_epoch){1, 1, 0.1, 0.2};
    r->curve[1] = (struct gcn_epoch){NAN, 0.25, value, 0.4};
}

void fixture_put(struct fixture *f, struct store *store, int64_t trial, enum trial_state state,
                 double value)
{
    struct trial_result r;
    struct err err;

    fixture_result(&r, trial, value);
    r.state = state;
    if (state == TRIAL_DIVERGED || state == TRIAL_FAILED)
        strcpy(r.error, state == TRIAL_FAILED ? "no reason" : "train loss is inf in epoch 3");
    if (store_result(store, f->known.ids[trial], &r, &err))
        fail_msg("%s", err.text);
    trial_result_release(&r);
}

void fixture_commit(struct store *store)
{
    struct err err;

    if (store_commit(store, &err))
        fail_msg("%s", err.text);
}

struct store *fixture_reader(const struct fixture *f)
{
    struct store *store;
    struct err err;

    if (store_open_reader(&store, f->path, &err))
        fail_msg("%s", err.text);
    return store;
}

size_t fixture_merge(const struct fixture *out, const struct fixture *in, struct err *first)
{
    struct merge_input input = {.path = in->path};
    struct errlist notes = {0};
    struct err err;
    size_t n;

    if (merge_databases(out->path, &input, 1, &notes, &err))
        fail_msg("%s", err.text);
    n = notes.n;
    if (first && n)
        snprintf(first->text, sizeof first->text, "%s", notes.text[0]);
    errlist_release(&notes);
    return n;
}

void fixture_exec(const struct fixture *f, const char *sql)
{
    sqlite3 *db;
    char *message = NULL;

    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    sqlite3_db_config(db, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, NULL);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
}

const char *fixture_sql(const struct fixture *f, const char *sql, char text[256])
{
    sqlite3 *db;
    sqlite3_stmt *row;
    const char *got;

    assert_int_equal(sqlite3_open_v2(f->path, &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &row, NULL) != SQLITE_OK)
        fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    if (sqlite3_step(row) != SQLITE_ROW)
        fail_msg("%s: no row: %s", sql, sqlite3_errmsg(db));
    got = (const char *)sqlite3_column_text(row, 0);
    snprintf(text, 256, "%s", got ? got : "NULL");
    sqlite3_finalize(row);
    sqlite3_close(db);
    return text;
}

void fixture_sql_is(const struct fixture *f, const char *sql, const char *wanted)
{
    char text[256];

    if (strcmp(fixture_sql(f, sql, text), wanted) != 0)
        fail_msg("%s: got %s, wanted %s", sql, text, wanted);
}
