/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/db.h"
#include "store/query/progress.h"
#include "storelib.h"

#define SWEEP "[sweep]\nname = s\nreplicates = 3\n[grid]\n"

static void check(int rc, const struct err *err)
{
    if (rc)
        fail_msg("%s", err->text);
}

static void done(struct store *store)
{
    fixture_commit(store);
    store_close(store);
}

static void test_register_and_resume(void **state)
{
    struct fixture f;
    struct store *store;

    (void)state;
    store = fixture_begin(&f, SWEEP "hidden_size = 16, 32\ndropout = 0.1, 0.5\n");
    assert_int_equal(f.plan.n_trials, 12);
    for (int i = 0; i < 12; i++) {
        assert_int_equal(f.known.ids[i], i + 1);
        assert_int_equal(f.known.states[i], TRIAL_PENDING);
        assert_true(isnan(f.known.values[i]));
    }
    fixture_put(&f, store, 4, TRIAL_DONE, 0.75);
    fixture_put(&f, store, 5, TRIAL_DIVERGED, NAN);
    fixture_put(&f, store, 6, TRIAL_PENDING, 0);
    assert_int_equal(f.known.config_ids[plan_trial(&f.plan, 4).config], 2);
    done(store);

    store = fixture_store(&f);
    assert_int_equal(f.known.ids[11], 12);
    assert_int_equal(f.known.states[4], TRIAL_DONE);
    assert_true(f.known.values[4] == 0.75);
    assert_int_equal(f.known.states[5], TRIAL_DIVERGED);
    assert_int_equal(f.known.states[6], TRIAL_PENDING);
    assert_true(f.known.seconds[4] == 0.5 && f.known.predicted[4] == 0.25);
    assert_true(isnan(f.known.seconds[6]) && isnan(f.known.predicted[6]));
    done(store);
    fixture_sql_is(&f, "SELECT count(*) || ' ' || sum(attempts) FROM trial", "12 3");
    fixture_sql_is(&f, "SELECT group_concat(outcome) FROM attempt", "done,diverged,stopped");
    fixture_sql_is(&f, "SELECT error FROM trial WHERE trial_id = 6",
                   "train loss is inf in epoch 3");
    fixture_sql_is(&f, "SELECT group_concat(name || levels) FROM axis",
                   "dropout[0.1,0.5],hidden_size[16,32]");
    fixture_sql_is(&f, "SELECT params ->> 'hidden_size' FROM config WHERE config_id = 3", "32");
    fixture_sql_is(&f, "PRAGMA journal_mode", "delete");
    fixture_close(&f);
}

static void test_what_a_result_leaves(void **state)
{
    struct fixture f;
    struct store *store;

    (void)state;
    store = fixture_begin(&f, SWEEP "hidden_size = 16, 32\n");
    fixture_put(&f, store, 0, TRIAL_FAILED, NAN);
    fixture_put(&f, store, 0, TRIAL_DONE, 0.5);
    done(store);
    fixture_sql_is(&f, "SELECT state || value || attempts FROM trial WHERE trial_id = 1",
                   "done0.52");
    fixture_sql_is(&f, "SELECT count(*) FROM attempt", "2");
    fixture_sql_is(&f, "SELECT count(*) FROM metric", "3");
    fixture_sql_is(&f, "SELECT count(train_loss) || count(*) FROM curve", "12");
    fixture_sql_is(&f, "SELECT group_concat(phase || seconds) FROM timing",
                   "backward0.2,forward0.3");
    fixture_sql_is(&f,
                   "SELECT test_pearson || val_loss || host || rank FROM trials WHERE trial = 1",
                   "0.250.25node11");
    fixture_close(&f);
}

static void test_places(void **state)
{
    static const double values[4][3] = {
        {0.5, 0.6, 0.7}, {0.9, 0.9, 0.9}, {0.5, 0.6, 0.7}, {0.8, 0.8, 0.8}};
    struct fixture f;
    struct store *store;

    (void)state;
    store = fixture_begin(&f, SWEEP "hidden_size = 1, 2, 3, 4, 5\n");
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 3; r++)
            fixture_put(&f, store, c * 3 + r, c == 1 && r == 2 ? TRIAL_DIVERGED : TRIAL_DONE,
                        values[c][r]);
    done(store);
    /* 1 and 3 tie; 2 has a failed trial; 5 has not run. */
    fixture_sql_is(&f, "SELECT group_concat(config) FROM (SELECT * FROM leaderboard)", "4,1,3,2,5");
    fixture_sql_is(&f, "SELECT place FROM leaderboard WHERE config = 2", "4");
    fixture_sql_is(&f,
                   "SELECT place || ' ' || trials || ' ' || ifnull(mean, 'none')"
                   " FROM leaderboard WHERE hidden_size = 5",
                   "5 0 none");
    fixture_sql_is(&f,
                   "SELECT round(mean, 12) || ' ' || round(sd, 12) || ' ' || round(se, 12)"
                   " || ' ' || seconds FROM leaderboard WHERE config = 1",
                   "0.6 0.1 0.057735026919 0.5");
    fixture_sql_is(&f, "SELECT trials || ' ' || round(sd, 12) FROM leaderboard WHERE config = 2",
                   "2 0.0");
    fixture_close(&f);
}

static void test_grown_grid(void **state)
{
    struct fixture f;
    struct store *store;

    (void)state;
    fixture_open(&f, SWEEP "hidden_size = 16, 32\n");
    done(fixture_store(&f));
    fixture_plan(&f, SWEEP "hidden_size = 8, 16\nlayers = 2, 3\nbatch_size = 32, full\n");
    store = fixture_store(&f);
    assert_int_equal(f.known.ids[1 * 12 + 1 * 3], 1); /* 16 units, 2 layers, full batch: stored */
    done(store);
    fixture_sql_is(&f, "SELECT count(*) FROM config", "9");
    fixture_sql_is(&f, "SELECT layers || batch_size FROM leaderboard WHERE config = 2", "2full");
    fixture_sql_is(&f, "SELECT levels FROM axis WHERE name = 'hidden_size'", "[8,16,32]");
    fixture_sql_is(&f, "SELECT levels FROM axis WHERE name = 'batch_size'", "[32,\"full\"]");
    fixture_close(&f);
}

static void test_changed_threads_are_an_axis(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, SWEEP "hidden_size = 16, 32\n");
    done(fixture_store(&f));
    fixture_plan(&f, SWEEP "hidden_size = 16, 64\n[resources]\nthreads = 3\n");
    done(fixture_store(&f));
    fixture_sql_is(&f, "SELECT group_concat(threads) FROM (SELECT DISTINCT threads FROM trials)",
                   "1,3");
    fixture_sql_is(&f, "SELECT levels FROM axis WHERE name = 'threads'", "[1,3]");
    fixture_close(&f);
}

static void test_two_sweeps(void **state)
{
    struct fixture f;
    struct store *store;
    struct query_filter filter = {.limit = -1};
    struct query_alike alike;
    struct query_sweep sweep;
    struct result_table table;
    struct err err;

    (void)state;
    store = fixture_begin(&f, SWEEP "hidden_size = 16, 32\n");
    fixture_put(&f, store, 0, TRIAL_DONE, 0.5);
    done(store);
    fixture_plan(&f, "[sweep]\nname = other\n[grid]\ndropout = 0.1, 0.2, 0.3\n");
    store = fixture_store(&f);
    assert_int_equal(f.known.ids[0], 7);
    fixture_put(&f, store, 1, TRIAL_DONE, 0.6);
    fixture_commit(store);
    check(query_sweep(&sweep, store, NULL, &err), &err);
    assert_string_equal(sweep.name, "other");
    assert_int_equal(sweep.n_sweeps, 2);
    check(query_leaderboard(&table, NULL, store, &sweep, &filter, &err), &err);
    assert_int_equal(table.n_rows, 3);
    assert_string_equal(table.names[2], "dropout");
    assert_true(table.cells[2].f == 0.2);
    result_table_release(&table);
    filter = (struct query_filter){.where = "dropout > 0.15 -- most", .limit = 1};
    check(query_leaderboard(&table, &alike, store, &sweep, &filter, &err), &err);
    assert_string_equal(table.names[table.n_cols - 1], "seconds");
    assert_int_equal(alike.n_scored, 1);
    assert_int_equal(alike.n_compared, 0);
    assert_int_equal(table.n_rows, 1);
    assert_int_equal(table.cells[0].i, 1);
    result_table_release(&table);
    filter = (struct query_filter){.where = "dropuot > 1", .limit = -1};
    assert_int_equal(query_leaderboard(&table, NULL, store, &sweep, &filter, &err), -1);
    assert_non_null(strstr(err.text, "where dropuot > 1: "));
    filter.where = "1); DELETE FROM trial; --";
    assert_int_equal(query_leaderboard(&table, NULL, store, &sweep, &filter, &err), -1);
    check(query_sweep(&sweep, store, "s", &err), &err);
    assert_int_equal(query_sweep(&sweep, store, "t", &err), -1);
    assert_non_null(strstr(err.text, "no sweep 't' in it; its sweeps are: s, other"));
    store_close(store);
    fixture_sql_is(&f,
                   "SELECT group_concat(hidden_size || ' ' || dropout, ', ') FROM"
                   " (SELECT * FROM leaderboard WHERE place = 1)",
                   "16 0.5, 64 0.2");
    fixture_close(&f);
}

static void expect_refusal(struct fixture *f, const char *wanted)
{
    struct store *store;
    struct err err;

    check(store_open(&store, f->path, &err), &err);
    assert_int_equal(store_register(store, &f->plan, &f->data, NULL, &f->known, &err), -1);
    if (!strstr(err.text, wanted))
        fail_msg("%s", err.text);
    store_close(store);
}

static void test_another_experiment_of_that_name(void **state)
{
    struct fixture f;

    (void)state;
    fixture_open(&f, SWEEP "hidden_size = 16, 32\n");
    done(fixture_store(&f));
    f.data.digest = hash_text("other data");
    expect_refusal(&f, "sweep 's' in it has other settings: the data differ (digest ");
    f.data.digest = hash_text("data");
    fixture_plan(&f, "[sweep]\nname = s\nobjective = val_r2\n[grid]\nhidden_size = 4, 8\n");
    expect_refusal(&f, "other settings: sweep.objective: val_pearson -> val_r2");
    fixture_sql_is(&f, "SELECT count(*) FROM config", "2");
    fixture_close(&f);
}

static void test_find_writes_nothing(void **state)
{
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    store = fixture_begin(&f, SWEEP "hidden_size = 16, 32\n");
    fixture_put(&f, store, 3, TRIAL_DONE, 0.5);
    done(store);
    fixture_plan(&f, SWEEP "hidden_size = 8, 32\n");
    store = fixture_reader(&f);
    check(store_find(store, &f.plan, &f.data, &f.known, &err), &err);
    store_close(store);
    assert_int_equal(f.known.ids[0], 0);
    assert_int_equal(f.known.ids[3], 4);
    assert_int_equal(f.known.states[3], TRIAL_DONE);
    assert_int_equal(f.known.states[0], TRIAL_PENDING);
    fixture_plan(&f, "[sweep]\nname = new\n[grid]\nhidden_size = 8, 32\n");
    store = fixture_reader(&f);
    check(store_find(store, &f.plan, &f.data, &f.known, &err), &err);
    store_close(store);
    assert_int_equal(f.known.ids[1], 0);
    fixture_sql_is(&f, "SELECT count(*) FROM config", "2");
    fixture_close(&f);
}

/* elapsed_s, total_s, longest_s, bound, busy, above */
static void expect_efficiency(struct store *store, int64_t session, int64_t trials,
                              const double wanted[6])
{
    struct query_efficiency *e;
    struct err err;
    int64_t n;

    check(query_efficiency(&e, &n, store, session, &err), &err);
    assert_int_equal(n, 1);
    assert_int_equal(e->ranks, 2);
    assert_int_equal(e->trials, trials);
    assert_float_equal(e->elapsed_s, wanted[0], 1e-9);
    assert_float_equal(e->total_s, wanted[1], 1e-9);
    assert_float_equal(e->longest_s, wanted[2], 1e-9);
    assert_float_equal(e->bound.seconds, wanted[3], 1e-9);
    assert_float_equal(e->busy, wanted[4], 1e-9);
    assert_float_equal(e->above, wanted[5], 1e-9);
    free(e);
}

/* Each call replaces the rows of that rank. */
static void test_traffic(void **state)
{
    static const struct {
        enum query query;
        int64_t n_rows;
    } of[] = {{QUERY_PROFILE_ACTIVITIES, 3},
              {QUERY_PROFILE_RANKS, 2},
              {QUERY_PROFILE_SIZES, 1},
              {QUERY_PROFILE_COUNTERS, 4}};
    struct store_session session = {.command = "run", .version = "1", .host = "h", .ranks = 2};
    struct traffic traffic = {0};
    struct result_table table;
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    fixture_open(&f, "[grid]\nhidden_size = 16\n");
    check(store_open(&store, f.path, &err), &err);
    check(store_begin_session(store, &session, &err), &err);
    for (int i = 0; i < 2; i++) {
        traffic.of[traffic_cell(TRAFFIC_COMPUTE, 0)] = (struct traffic_count){1, 0, 2};
        traffic.of[traffic_cell(TRAFFIC_WAIT, 0)].seconds = 3;
        traffic_add_message(&traffic, TRAFFIC_SEND, 100);
        check(store_put_traffic(store, 0, "h", &traffic, &err), &err);
    }
    traffic = (struct traffic){0};
    traffic.of[traffic_cell(TRAFFIC_COMPUTE, 0)].seconds = 1;
    check(store_put_traffic(store, 1, "h", &traffic, &err), &err);
    check(store_end_session(store, "finished", &err), &err);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        check(query_table(&table, store, of[i].query, 1, &err), &err);
        assert_int_equal(table.n_rows, of[i].n_rows);
        result_table_release(&table);
    }
    fixture_sql_is(&f, "SELECT calls || ' ' || bytes || ' ' || size FROM traffic WHERE size > 0",
                   "2 200 256");
    fixture_end(&f, store);
}

/* Queries of `status` and `show` on a run that stopped after two of four trials. */
/* Rows after one done and one diverged trial of 4. Others: none, or tested elsewhere. */
static const int64_t query_rows[QUERY_COUNT] = {
    [QUERY_FILES] = 1,          [QUERY_SWEEP_NAMES] = 1,    [QUERY_SWEEPS] = 1,
    [QUERY_FAILURES] = 1,       [QUERY_SESSION] = 1,        [QUERY_SESSIONS] = 1,
    [QUERY_CONFIG] = 1,         [QUERY_CONFIG_TRIALS] = 2,  [QUERY_CONFIG_CURVES] = 2,
    [QUERY_CONFIG_KEPT] = 1,    [QUERY_TRIAL] = 1,          [QUERY_TRIAL_METRICS] = 2,
    [QUERY_TRIAL_TIMING] = 2,   [QUERY_TRIAL_ATTEMPTS] = 1, [QUERY_TRIAL_CURVE] = 2,
    [QUERY_TRIAL_RECORD] = 1,   [QUERY_TRIAL_SESSION] = 1,  [QUERY_DONE] = 1,
    [QUERY_CONFIG_TEST] = 1,    [QUERY_MODELS_MISSING] = 1, [QUERY_LEVELS] = 2,
    [QUERY_SWEEP_RECORD] = 1,   [QUERY_SWEEP_TYPES] = 2,    [QUERY_SWEEP_VALUES] = 4,
    [QUERY_SWEEP_SESSIONS] = 1, [QUERY_SWEEP_ATTEMPTS] = 2, [QUERY_PROFILE] = 1,
    [QUERY_TRACE_ATTEMPTS] = 2, [QUERY_TRACE_SESSIONS] = 1, [QUERY_BEST] = 1,
    [QUERY_PROGRESS] = 1,       [QUERY_REPEATS] = 1,        [QUERY_METRIC_NAMES] = 2,
    [QUERY_REASONS] = 1,        [QUERY_WORK] = 1,           [QUERY_PROFILE_DEFAULT] = 1,
    [QUERY_TRIAL_REPORTED] = 3, [QUERY_RUNG_SCORES] = 2,    [QUERY_SEARCH] = 1,
};

static void test_every_query(void **state)
{
    struct store_session session = {.command = "run", .version = "1", .host = "h", .ranks = 2};
    int64_t n_rows[QUERY_COUNT], n_settings = 0;
    const struct gcn_cost work[2] = {{.flops = 100}, {.flops = 300}};
    struct fixture f;
    struct store *store;
    struct result_table table;
    struct progress now;
    struct err err;

    (void)state;
    fixture_open(&f, "[sweep]\nname = s\nreplicates = 2\n[grid]\nhidden_size = 16, 32\n");
    memcpy(n_rows, query_rows, sizeof n_rows);
    for (int id = 0; id < P_COUNT; id++)
        n_settings += (param_table[id].flags & (PARAM_AXIS | PARAM_IDENTITY | PARAM_SWEPT)) != 0 &&
                      settings_has(&f.plan.fixed, (enum param_id)id);
    n_rows[QUERY_CONFIG_SETTINGS] = n_settings;
    check(store_open(&store, f.path, &err), &err);
    for (int q = 0; q < QUERY_COUNT; q++) {
        check(query_table(&table, store, (enum query)q, 0, &err), &err);
        if (table.n_rows)
            fail_msg("query %d: %lld rows of nothing", q, (long long)table.n_rows);
        result_table_release(&table);
    }
    check(store_register(store, &f.plan, &f.data, work, &f.known, &err), &err);
    check(store_begin_session(store, &session, &err), &err);
    fixture_put(&f, store, 0, TRIAL_DONE, 0.5);
    fixture_put(&f, store, 1, TRIAL_DIVERGED, NAN);
    check(store_end_session(store, "stopped", &err), &err);
    for (int q = 0; q < QUERY_COUNT; q++) {
        check(query_table(&table, store, (enum query)q, 1, &err), &err);
        if (table.n_rows != n_rows[q])
            fail_msg("query %d: %lld rows", q, (long long)table.n_rows);
        result_table_release(&table);
    }
    /* The run took 10 s for 200 flops; 600 are left. */
    check(db_exec(store, "UPDATE session SET started = 1000, finished = 1010", &err), &err);
    check(progress_read(&now, store, "s", &err), &err);
    assert_int_equal(now.counts.trials, 4);
    assert_int_equal(now.counts.pending, 2);
    assert_int_equal(now.session.results, 2);
    assert_true(now.session.rate == 0.2);
    assert_int_equal(now.session.ranks[1].n, 2);
    assert_int_equal(now.session.ranks[1].diverged, 1);
    assert_int_equal(now.session.ranks[1].failed, 0);
    assert_true(isnan(now.left_s)); /* it does not run */
    now.session.is_running = true;
    check(progress_left(&now.left_s, store, now.sweep.sweep_id, &now.counts, &now.session,
                        &now.search, &err),
          &err);
    assert_true(now.left_s == 30);
    progress_release(&now);
    /* Two attempts of half a second run at the same time on two ranks; then one runs first. A
     * stopped session has no efficiency. */
    check(db_exec(store, "UPDATE session SET outcome = 'finished'", &err), &err);
    expect_efficiency(store, 0, 2, (const double[]){0.5, 1, 0.5, 0.5, 1, 0});
    check(db_exec(store,
                  "UPDATE attempt SET started = 999, finished = 999.25 WHERE attempt_id = 1;"
                  " INSERT INTO attempt SELECT 9, 1, NULL, 0, 'h', 1, 0, 500, 'done', NULL",
                  &err),
          &err);
    expect_efficiency(store, 1, 2, (const double[]){1.5, 0.75, 0.5, 0.5, 0.25, 2});
    /* A gang has both ranks until it ends. */
    check(db_exec(store, "INSERT INTO member VALUES (1, 0, 'h'), (1, 1, 'h')", &err), &err);
    expect_efficiency(store, 1, 2, (const double[]){1.5, 1, 0.5, 0.5, 1. / 3, 2});
    fixture_end(&f, store);
}

static void ini_keeps_the_keys(const char *ini)
{
    struct fixture f;
    struct store *store;
    struct buf best = {0};
    struct err err;
    char sql[128], known[256];
    int64_t last;

    store = fixture_begin(&f, ini);
    last = f.known.ids[f.plan.n_trials - 1];
    check(query_ini(&best, store, f.known.config_ids[f.plan.n_configs - 1], &err), &err);
    store_close(store);
    snprintf(sql, sizeof sql, "SELECT count(*) FROM trial, (SELECT %lld)", (long long)last);
    fixture_sql(&f, sql, known);
    fixture_plan(&f, buf_text(&best));
    buf_release(&best);
    store_close(fixture_store(&f));
    assert_int_equal(f.plan.n_configs, 1);
    assert_int_equal(f.known.ids[f.plan.n_trials - 1], last);
    fixture_sql_is(&f, sql, known);
    fixture_close(&f);
}

static void test_ini_keeps_the_keys(void **state)
{
    (void)state;
    ini_keeps_the_keys(SWEEP
                       "hidden_size = 16, 32\ndropout = 0.2:0.5:0.1\nbatch_size = 8, full\n"
                       "learning_rate = 0.1, 0.56234132519034907\n[graph]\nmetric = kinship\n");
    ini_keeps_the_keys(SWEEP "optimizer = adam, sgd\nthreads = 1, 2\n");
}

/* A running attempt adds no seconds. All members of a gang are busy, its leader counts the trial, and
 * the newest attempt says what a rank does now. A crash counts for the leader alone. */
static void test_ranks(void **state)
{
    static const struct {
        enum progress_work work;
        int64_t trial, n, diverged, failed;
        double busy_s;
    } wanted[] = {{PROGRESS_IDLE, 2, 1, 0, 1, 2},  {PROGRESS_RUNS, 5, 0, 0, 0, -1},
                  {PROGRESS_LOST, 6, 2, 1, 0, 14}, {PROGRESS_RUNS, 5, 0, 0, 0, -1},
                  {PROGRESS_IDLE, 2, 0, 0, 0, 4},  {PROGRESS_IDLE, 0, 0, 0, 0, -1}};
    struct store_session session = {.command = "run", .version = "1", .host = "h", .ranks = 6};
    struct progress_session s;
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    store = fixture_begin(&f, "[sweep]\nname = s\n[grid]\nhidden_size = 1:9:1\n");
    check(store_begin_session(store, &session, &err), &err);
    check(db_exec(store,
                  "INSERT INTO attempt (trial_id, session_id, rank, host, pid, started, finished,"
                  " outcome) VALUES (1, 1, 2, 'b', 1, 10, 11, 'done'), (2, 1, 0, 'b', 1, 10, 12,"
                  " 'failed'), (3, 1, 2, 'b', 1, 10, 14, 'diverged'), (4, 1, 2, 'b', 1, 10, 18,"
                  " 'stopped'), (5, 1, 1, 'b', 1, 10, NULL, 'running'), (6, 1, 2, 'b', 1, 10, 11, "
                  "'crashed');"
                  " INSERT INTO member VALUES (1, 2, 'b'), (1, 4, 'b'), (2, 0, 'b'), (2, 4, 'b'),"
                  " (5, 1, 'b'), (5, 3, 'b'), (6, 2, 'b'), (6, 4, 'b'), (6, 9, 'b')",
                  &err),
          &err);
    check(progress_read_session(&s, store, &err), &err);
    assert_int_equal(s.n_ranks, 6);
    assert_int_equal(s.results, 3);
    for (int r = 0; r < 6; r++) {
        const struct progress_rank *rank = &s.ranks[r];

        assert_int_equal(rank->work, wanted[r].work);
        assert_int_equal(rank->trial, wanted[r].trial);
        assert_int_equal(rank->n, wanted[r].n);
        assert_int_equal(rank->diverged, wanted[r].diverged);
        assert_int_equal(rank->failed, wanted[r].failed);
        assert_int_equal(rank->has_ended, wanted[r].busy_s >= 0);
        assert_true(!rank->has_ended || rank->busy_s == wanted[r].busy_s);
        assert_string_equal(rank->host, r < 5 ? "b" : "");
    }
    progress_release_session(&s);
    fixture_end(&f, store);
}

/* Levels of a new sweep are read from a few of its configurations and must equal those of all. */
static void test_levels(void **state)
{
    static const char all[] =
        "SELECT group_concat(levels = (SELECT json_group_array(level) FROM (SELECT DISTINCT"
        " params ->> axis.name AS level FROM config WHERE level IS NOT NULL ORDER BY level)), ' ')"
        " FROM axis";
    struct fixture f;

    (void)state;
    store_close(fixture_begin(
        &f, "[sweep]\nname = s\n[grid]\ntype = ridge, gcn, mlp\nlambda = 1, 0.5, 1e-3\n"
            "hidden_size = 64, 16, 8\nk = 4, 3, 11\n"));
    fixture_sql_is(&f, all, "1 1 1 1");
    fixture_sql_is(&f, "SELECT levels FROM axis WHERE name = 'k'", "[3,4,11]");
    fixture_close(&f);
}

/* Return the steps of SQLite for a sweep without models. */
static int prune_steps(const char *ini)
{
    struct fixture f;
    struct store *store;
    struct err err;
    int steps;

    store = fixture_begin(&f, ini);
    check(store_prune_models(store, "s", 1, false, NULL, &err), &err);
    steps =
        sqlite3_stmt_status(store->statements[STATEMENT_MODEL_PRUNE], SQLITE_STMTSTATUS_VM_STEP, 0);
    fixture_end(&f, store);
    return steps;
}

/* Every commit prunes models: its cost must not grow with the trials. */
static void test_prune_costs_no_trials(void **state)
{
    (void)state;
    assert_int_equal(prune_steps("[sweep]\nname = s\n[grid]\nhidden_size = 1:400:1\n"),
                     prune_steps("[sweep]\nname = s\n[grid]\nhidden_size = 1:4:1\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_register_and_resume),
        cmocka_unit_test(test_what_a_result_leaves),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_grown_grid),
        cmocka_unit_test(test_changed_threads_are_an_axis),
        cmocka_unit_test(test_two_sweeps),
        cmocka_unit_test(test_another_experiment_of_that_name),
        cmocka_unit_test(test_find_writes_nothing),
        cmocka_unit_test(test_traffic),
        cmocka_unit_test(test_every_query),
        cmocka_unit_test(test_ini_keeps_the_keys),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_prune_costs_no_trials),
    };

    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
