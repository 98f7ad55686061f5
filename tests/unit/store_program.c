/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports of programs, from a result to the database and out again. */
#include <math.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "grid/free_names.h"
#include "store/query/query.h"
#include "storelib.h"

#define INI "[sweep]\nname = s\nreplicates = 2\n[grid]\nhidden_size = 16, 32, 64\n"
#define FILES "SELECT coalesce(group_concat(trial_id || name, ','), '') FROM file"

/* The sweep of a program: it has no data and no metrics of its own. */
static struct store *open_program(struct fixture *f)
{
    struct store *store;
    struct err err;

    store_close(fixture_begin(f, INI));
    fixture_exec(f, "UPDATE sweep SET task = 'none', objective = 'val_accuracy'");
    if (store_open(&store, f->path, &err))
        fail_msg("%s", err.text);
    return store;
}

static void *copy(const void *bytes, size_t n)
{
    void *out = malloc(n);

    return memcpy(out, bytes, n);
}

static void report(struct trial_result *r, int64_t trial, double value)
{
    static const struct gcn_epoch curve[] = {{NAN, 1, 0.25, 0.5}, {NAN, NAN, 0.5, 1}};
    static const struct program_point points[] = {{0, 0, 0.125}, {7, 0, 0.0625}, {7, 1, 3}};
    static const int32_t epochs[] = {0, 7};
    struct program_metric metrics[] = {
        {"val_accuracy", value}, {"loss", 0.75}, {"train_loss", 0.5}, {"val_", 1}, {"value", 2}};

    trial_result_init(r, trial);
    r->state = TRIAL_DONE;
    r->value = value;
    r->epochs_run = 7;
    r->best_epoch = 0;
    r->seconds = 0.5;
    strcpy(r->host, "node1");
    r->n_reported = 5;
    r->reported = copy(metrics, sizeof metrics);
    r->n_curve = 2;
    r->curve = copy(curve, sizeof curve);
    r->epochs = copy(epochs, sizeof epochs);
    r->n_curve_names = 2;
    r->curve_names = calloc(2, sizeof *r->curve_names);
    strcpy(r->curve_names[0], "lr");
    strcpy(r->curve_names[1], "it's \"big\"");
    r->n_points = 3;
    r->points = copy(points, sizeof points);
    r->log = copy("a\0b\n", 4);
    r->log_bytes = 4;
    r->log_total = 70000;
    r->n_files = 2;
    r->files = calloc(2, sizeof *r->files);
    r->files_bytes = calloc(2, sizeof *r->files_bytes);
    r->files[0] = strdup("model.pt");
    r->files[1] = strdup("out/log.csv");
    r->files_bytes[1] = 5;
}

static void put_result(struct fixture *f, struct store *store, struct trial_result *r)
{
    struct err err;

    if (store_result(store, f->known.ids[r->trial], r, &err))
        fail_msg("%s", err.text);
    trial_result_release(r);
}

static void put(struct fixture *f, struct store *store, int64_t trial, double value)
{
    struct trial_result r;

    report(&r, trial, value);
    put_result(f, store, &r);
}

static void test_stored(void **state)
{
    struct fixture f;
    struct store *store = open_program(&f);
    struct trial_result r;

    (void)state;
    put(&f, store, 0, 0.5);
    fixture_commit(store);
    fixture_sql_is(&f, "SELECT group_concat(split || '|' || name || '|' || value) FROM metric",
                   "|loss|0.75,|val_|1.0,|value|2.0,train|loss|0.5,val|accuracy|0.5");
    fixture_sql_is(&f,
                   "SELECT group_concat(epoch || '|' || ifnull(val_loss, '') || '|' || val_value)"
                   " FROM curve",
                   "0|1.0|0.25,7||0.5");
    fixture_sql_is(&f, "SELECT group_concat(epoch || name || value) FROM curve_metric",
                   "0lr0.125,7it's \"big\"3.0,7lr0.0625");
    fixture_sql_is(&f, "SELECT bytes || hex(tail) FROM log", "700006100620A");
    fixture_sql_is(&f, "SELECT group_concat(name || bytes) FROM file", "model.pt0,out/log.csv5");
    fixture_sql_is(&f, "SELECT best_epoch || epochs_run FROM trial WHERE trial_id = 1", "07");
    /* Another attempt replaces all of it. */
    trial_result_init(&r, 0);
    r.log = copy("again", 5);
    r.log_bytes = 5;
    r.log_total = 5;
    strcpy(r.host, "node1");
    put_result(&f, store, &r);
    fixture_commit(store);
    fixture_sql_is(&f, "SELECT tail FROM log", "again");
    fixture_sql_is(&f,
                   "SELECT (SELECT count(*) FROM metric) + (SELECT count(*) FROM curve) +"
                   " (SELECT count(*) FROM curve_metric) + (SELECT count(*) FROM file)",
                   "0");
    fixture_end(&f, store);
}

/* The views have columns for metrics as soon as the first result is committed. One whose name is
 * taken gets a prefix. */
static void test_views(void **state)
{
    struct fixture f;
    struct store *store = open_program(&f);
    struct trial_result r;

    (void)state;
    fixture_sql_is(&f, "SELECT count(*) FROM pragma_table_info('trials') WHERE name LIKE '%loss%'",
                   "2"); /* as for a model, until somebody opens the file */
    put(&f, store, 0, 0.5);
    fixture_commit(store);
    fixture_sql_is(
        &f,
        "SELECT group_concat(name, ' ') FROM (SELECT name FROM"
        " pragma_table_info('trials') WHERE name LIKE '%val%' OR name LIKE '%loss' OR name"
        " = 'seconds' ORDER BY cid)",
        "value val_accuracy train_loss loss val_ metric_value seconds");
    fixture_sql_is(&f, "SELECT val_accuracy || ' ' || loss || ' ' || metric_value FROM trials",
                   "0.5 0.75 2.0");
    trial_result_init(&r, 1);
    strcpy(r.host, "node1");
    r.n_reported = 3;
    r.reported = calloc(3, sizeof *r.reported);
    strcpy(r.reported[0].name, "odd \"name\"");
    strcpy(r.reported[1].name, "LOSS");
    strcpy(r.reported[2].name, "Loss");
    r.reported[2].value = 3;
    put_result(&f, store, &r);
    fixture_commit(store);
    fixture_sql_is(&f, "SELECT \"odd \"\"name\"\"\" || metric_LOSS FROM trials WHERE trial = 2",
                   "0.00.0");
    fixture_sql_is(&f, "SELECT metric2_Loss FROM trials WHERE trial = 2", "3.0");
    fixture_end(&f, store);
}

struct found {
    int n;
    double loss, value, metric_value;
};

static void note_row(void *arg, const struct result_table *row)
{
    struct found *found = arg;

    if (!row->n_rows || result_table_integer(row, 0, "trial") != 1)
        return;
    found->n++;
    found->loss = result_table_real(row, 0, "loss");
    found->value = result_table_real(row, 0, "value");
    found->metric_value = result_table_real(row, 0, "metric_value");
}

/* Rows of the export are those of the view. */
static void test_rows(void **state)
{
    struct fixture f;
    struct store *store = open_program(&f);
    struct found found = {0};
    struct err err;

    (void)state;
    put(&f, store, 0, 0.5);
    fixture_commit(store);
    store_close(store);
    store = fixture_reader(&f);
    assert_int_equal(query_trials(store, NULL, note_row, &found, &err), 0);
    assert_int_equal(found.n, 1);
    assert_true(found.loss == 0.75 && found.value == 0.5 && found.metric_value == 2);
    fixture_end(&f, store);
}

/* A program that makes up names cannot make the file unreadable. */
static void test_many_names(void **state)
{
    struct fixture f;
    struct store *store = open_program(&f);

    (void)state;
    for (int t = 0; t < 6; t++) {
        struct trial_result r;

        trial_result_init(&r, t);
        strcpy(r.host, "node1");
        r.n_reported = 500;
        r.reported = calloc(500, sizeof *r.reported);
        for (int i = 0; i < 500; i++)
            snprintf(r.reported[i].name, PROGRAM_NAME, "m%d_%d", t, i);
        put_result(&f, store, &r);
        fixture_commit(store);
    }
    store_close(store);
    store = fixture_reader(&f);
    store_close(store);
    fixture_sql_is(&f, "SELECT count(*) FROM trials", "6");
    fixture_sql_is(&f, "SELECT count(*) FROM pragma_table_info('trials') WHERE name GLOB 'm[0-9]*'",
                   "200");
    fixture_close(&f);
}

static void make_folder(const struct fixture *f, const char *name)
{
    char command[512];

    snprintf(command, sizeof command,
             "mkdir -p '%s.files/%s/out' && cd '%s.files/%s' && echo m >model.pt && echo l"
             " >out/log.csv",
             f->path, name, f->path, name);
    assert_int_equal(system(command), 0);
}

static void make_empty_folder(const struct fixture *f, const char *name)
{
    char command[512];

    snprintf(command, sizeof command, "mkdir -p '%s.files/%s'", f->path, name);
    assert_int_equal(system(command), 0);
}

static bool exists(const struct fixture *f, const char *name)
{
    char path[256];
    struct stat st;

    snprintf(path, sizeof path, "%s.files/%s", f->path, name);
    return !lstat(path, &st);
}

/* Files follow the rule of models, and a commit removes their folders. */
static void test_prune(void **state)
{
    struct fixture f;
    struct store *store = open_program(&f);
    struct err err;
    int64_t n;

    (void)state;
    for (int t = 0; t < 4; t++) {
        char name[16];

        put(&f, store, t, t < 2 ? 0.5 : 0.75);
        snprintf(name, sizeof name, "t%d", t + 1);
        make_folder(&f, name);
    }
    assert_int_equal(store_prune_models(store, "s", 2, true, &n, &err), 0);
    assert_true(exists(&f, "t1/model.pt")); /* not committed */
    fixture_commit(store);
    fixture_sql_is(&f, FILES, "3model.pt,3out/log.csv,4model.pt,4out/log.csv");
    assert_false(exists(&f, "t1"));
    assert_false(exists(&f, "t2"));
    assert_true(exists(&f, "t3/out/log.csv") && exists(&f, "t4/model.pt"));
    assert_int_equal(store_drop_models(store, "s", &n, &err), 0);
    fixture_commit(store);
    fixture_sql_is(&f, FILES, "");
    assert_false(exists(&f, "t3"));
    fixture_end(&f, store);
}

static void test_leftovers(void **state)
{
    struct fixture f;
    struct store *store = open_program(&f);
    struct err err;

    (void)state;
    assert_int_equal(store_remove_leftovers(store, &err), 0); /* no folder at all */
    put(&f, store, 0, 0.5);
    put(&f, store, 1, 0.5);
    fixture_commit(store);
    make_folder(&f, "t1");
    make_folder(&f, "t2");
    make_folder(&f, "t3");                   /* unfinished, without a checkpoint */
    make_folder(&f, "t4/checkpoint/state");  /* unfinished */
    make_folder(&f, "t4/scratch.0.17/deep"); /* of a killed rank, for the next attempt */
    make_folder(&f, "t1/scratch.0.17/deep"); /* of a killed rank */
    make_empty_folder(&f, "t5/checkpoint");  /* unfinished, with an empty one */
    make_folder(&f, "t99/checkpoint");
    make_folder(&f, "t4x");
    make_folder(&f, "notes");
    fixture_exec(&f, "DELETE FROM file WHERE trial_id = 2");
    if (store_remove_leftovers(store, &err))
        fail_msg("%s", err.text);
    assert_true(exists(&f, "t1/model.pt"));
    assert_false(exists(&f, "t2"));
    assert_false(exists(&f, "t3"));
    assert_true(exists(&f, "t4/checkpoint/state"));
    assert_true(exists(&f, "t4/scratch.0.17/deep"));
    assert_false(exists(&f, "t1/scratch.0.17") || exists(&f, "t5"));
    assert_false(exists(&f, "t99"));
    assert_true(exists(&f, "t4x") && exists(&f, "notes"));
    fixture_end(&f, store);
}

static void test_merged(void **state)
{
    struct fixture f, other;
    struct store *store = open_program(&other);
    struct err note;

    (void)state;
    put(&other, store, 0, 0.5);
    put(&other, store, 1, 0.25);
    fixture_commit(store);
    store_close(store);
    make_folder(&other, "t1");
    store = open_program(&f);
    store_close(store);
    assert_int_equal(fixture_merge(&f, &other, &note), 2); /* t2 has no files */
    assert_non_null(
        strstr(note.text, "r.db: the kept file 'model.pt' of t2 is missing: it is left out"));
    fixture_sql_is(&f, FILES, "1model.pt,1out/log.csv");
    assert_true(exists(&f, "t1/model.pt") && exists(&f, "t1/out/log.csv"));
    fixture_sql_is(&f, "SELECT count(*) FROM log", "2");
    fixture_sql_is(&f, "SELECT count(*) FROM curve_metric", "6");
    fixture_sql_is(&f, "SELECT val_accuracy FROM trials WHERE trial = 1", "0.5");
    /* A program may give other numbers: that is no conflict, and the first result stays. */
    fixture_exec(&other, "UPDATE trial SET value = 1; UPDATE curve_metric SET value = 9");
    fixture_merge(&f, &other, NULL);
    fixture_sql_is(&f, "SELECT value FROM trial WHERE trial_id = 1", "0.5");
    fixture_close(&other);
    fixture_close(&f);
}

/* True if SQL finds a column of this name without quotes. */
static bool is_usable(sqlite3 *db, const char *name)
{
    sqlite3_stmt *row = NULL;
    char sql[200];
    bool is;

    snprintf(sql, sizeof sql, "SELECT 1 FROM (SELECT 7 AS \"%s\") WHERE %s = 7", name, name);
    is =
        sqlite3_prepare_v2(db, sql, -1, &row, NULL) == SQLITE_OK && sqlite3_step(row) == SQLITE_ROW;
    sqlite3_finalize(row);
    return is;
}

/* A metric with the name of an axis gets another one. */
static void check_columns(sqlite3 *db, const char *view)
{
    sqlite3_stmt *row = NULL;
    char sql[100];

    snprintf(sql, sizeof sql, "SELECT * FROM %s", view);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
    for (int c = 0; c < sqlite3_column_count(row); c++) {
        const char *name = sqlite3_column_name(row, c);

        if (param_find(NULL, name) == P_COUNT && strncmp(name, "val_", 4) != 0 &&
            strncmp(name, "test_", 5) != 0 && !free_names_taken(name))
            fail_msg("%s of %s may be an axis", name, view);
    }
    sqlite3_finalize(row);
}

/* No axis may be taken for another column, or for a word of SQL. */
static void test_names(void **state)
{
    struct fixture f;
    sqlite3 *db;

    (void)state;
    store_close(open_program(&f));
    assert_int_equal(sqlite3_open(f.path, &db), SQLITE_OK);
    check_columns(db, "leaderboard");
    check_columns(db, "trials");
    for (int i = 0; i < sqlite3_keyword_count(); i++) {
        const char *word;
        char name[32];
        int n;

        assert_int_equal(sqlite3_keyword_name(i, &word, &n), SQLITE_OK);
        snprintf(name, sizeof name, "%.*s", n, word);
        if (!is_usable(db, name) && !free_names_taken(name))
            fail_msg("%s may be an axis", name);
    }
    assert_non_null(free_names_taken("True"));
    assert_null(free_names_taken("learning_rate"));
    sqlite3_close(db);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stored), cmocka_unit_test(test_views),
        cmocka_unit_test(test_rows),   cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_prune),  cmocka_unit_test(test_leftovers),
        cmocka_unit_test(test_merged), cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests_name("store_program", tests, NULL, NULL);
}
