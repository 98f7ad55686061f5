/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/sweep/sweep_data.h"
#include "store/db.h"
#include "storelib.h"

static const char ini[] =
    "[sweep]\nname = test\nobjective = val_pearson\nfolds = 5\n"
    "[split]\ntest = 0.2\n[grid]\nhidden_size = 16, 4\nbatch_size = full, 8\n";

static void near(double got, double wanted)
{
    if (!(fabs(got - wanted) <= 1e-12 * (1 + fabs(wanted))))
        fail_msg("%.15g, not %.15g", got, wanted);
}

/* Configurations of the plan: (16, full), (16, 8), (4, full), (4, 8). */
static double value_of(int config, int fold)
{
    bool is_wide = config < 2, is_full = config % 2 == 0;

    return 0.5 + (is_wide ? 0.1 + 0.01 * (fold - 2) : 0) + (is_full ? 0.02 : 0) + 0.003 * fold;
}

/* Read by each test. */
static struct fixture fixture;
static struct store *store;
static struct sweep_data data;

/* Store all trials but the last `n_missing`. */
static void put_trials(int n_missing)
{
    struct trial_result r;
    struct err err;

    for (int t = 0; t < 20 - n_missing; t++) {
        fixture_result(&r, t, value_of(t / 5, t % 5));
        r.started = 1000 + t;
        r.finished = r.started + 0.5;
        assert_int_equal(store_result(store, fixture.known.ids[t], &r, &err), 0);
        trial_result_release(&r);
    }
    assert_int_equal(store_commit(store, &err), 0);
}

static void begin(int n_missing)
{
    struct err err;

    fixture_open(&fixture, ini);
    store = fixture_store(&fixture);
    assert_int_equal(store_begin_session(store, &fixture_session, &err), 0);
    put_trials(n_missing);
}

static void exec(const char *sql)
{
    struct err err;

    if (db_exec(store, sql, &err))
        fail_msg("%s", err.text);
}

static int end(void **state)
{
    (void)state;
    sweep_data_release(&data);
    store_close(store);
    fixture_close(&fixture);
    return 0;
}

static void read_data(int rule)
{
    struct query_sweep sweep;
    struct err err;

    sweep_data_release(&data);
    if (query_sweep(&sweep, store, NULL, &err) || sweep_data_read(&data, store, &sweep, rule, &err))
        fail_msg("%s", err.text);
}

static void check_axes(void)
{
    assert_int_equal(data.n_axes, 2);
    assert_string_equal(data.axes[0].name, "hidden_size");
    assert_int_equal(data.axes[0].n, 2);
    near(data.axes[0].number[0], 4);
    assert_true(data.axes[0].is_numeric && !data.axes[0].is_log);
    assert_string_equal(data.axes[1].label[1], "full");
    assert_true(isnan(data.axes[1].number[1]));
    assert_false(data.axes[1].is_numeric);
}

static void check_configs(void)
{
    static const int64_t by_place[] = {1, 2, 3, 4};

    assert_int_equal(data.n_configs, 4);
    assert_int_equal(data.n_scored, 4);
    assert_int_equal(data.n_slots, 5);
    for (int c = 0; c < 4; c++) {
        assert_int_equal(data.configs[c].id, by_place[c]);
        assert_int_equal(sweep_data_find(&data, by_place[c]), c);
        assert_true(data.configs[c].is_complete);
        for (int s = 0; s < 5; s++)
            near(data.value[s * 4 + c], value_of(c, s));
    }
    assert_int_equal(sweep_data_find(&data, 5), -1);
    assert_int_equal(data.level[0], 1);
    assert_int_equal(data.level[3 * 2 + 1], 0);
    near(data.configs[2].diff, -0.1);
}

static void check_statistics(void)
{
    const struct sweep_marginal *m = data.marginal[0];
    double half = 2.7764451051977934 * sqrt((1.0 / 5 + 1.0 / 4) * 0.005 * 0.005 * 2.5);

    assert_true(data.effects.is_complete);
    assert_int_equal(data.effects.n, 3);
    assert_int_equal(data.effects.of[0].axis, 0);
    near(data.effects.of[0].share, 0.01 / 0.0104);
    near(data.effects.of[1].share, 0.0004 / 0.0104);
    near(data.effects.of[2].share, 0);
    assert_int_equal(data.effects.of[2].with, 1);
    assert_int_equal(m[1].n, 2);
    near(m[1].mean, 0.616);
    near(m[1].best, 0.626);
    near(m[1].high - m[1].mean, half);
    near(m[0].mean - m[0].low, half);
    assert_int_equal(data.n_pareto_seconds, 1);
    assert_int_equal(data.pareto_seconds[0], 0);
    assert_int_equal(data.n_pareto_flops, 0);
}

static void test_complete(void **state)
{
    struct buf levels = {0};

    (void)state;
    begin(0);
    read_data(-1);
    assert_string_equal(data.metric, "pearson");
    assert_true(data.maximize && !data.is_classification);
    assert_int_equal(data.done, 20);
    assert_int_equal(data.folds, 5);
    assert_int_equal(data.replicates, 1);
    near(data.share, 0.25);
    check_axes();
    check_configs();
    check_statistics();
    sweep_data_put_levels(&levels, &data, 0);
    assert_string_equal(buf_text(&levels), "hidden_size 16, batch_size full");
    buf_release(&levels);
}

static void test_history(void **state)
{
    (void)state;
    begin(0);
    read_data(-1);
    assert_int_equal(data.n_curves, 20);
    assert_int_equal(data.curves[0].n, 2);
    assert_int_equal(data.curves[0].best, 2);
    assert_true(isnan(data.curves[0].train_loss[1]));
    near(data.curves[5].val_value[1], value_of(1, 0));
    assert_int_equal(data.n_attempts, 20);
    assert_int_equal(data.attempts[19].trial, 20);
    near(data.attempts[19].start, 19);
    near(data.attempts[19].end, 19.5);
    assert_int_equal(data.n_ranks, 1);
    assert_string_equal(data.ranks[0].host, "node1");
    assert_int_equal(data.sessions.n_rows, 1);
    assert_true(isnan(result_table_real(&data.sessions, 0, "finished")));
    assert_string_equal(result_table_text(&data.sessions, 0, "cpu"), "cpu");
    assert_int_equal(data.n_tests, 0);
}

/* Without its last trial a configuration is incomplete, and so is the grid. */
static void test_partial(void **state)
{
    (void)state;
    begin(1);
    read_data(-1);
    assert_int_equal(data.pending, 1);
    assert_false(data.configs[3].is_complete);
    assert_true(isnan(data.value[4 * 4 + 3]));
    assert_false(data.effects.is_complete);
    assert_string_equal(data.effects.why, "1 of 4 configurations lack trials");
    assert_int_equal(data.marginal[0][0].n, 1);
}

/* Rounding errors are no differences. */
static void test_equal(void **state)
{
    static const char *const values[] = {
        "UPDATE trial SET value = 2.0 / 3",
        /* The same five values in another order for each configuration. */
        "UPDATE trial SET value = 0.1 + (fold + config_id) % 5 * 0.7",
    };

    (void)state;
    begin(0);
    for (int i = 0; i < 2; i++) {
        exec(values[i]);
        read_data(-1);
        assert_string_equal(data.effects.why, "all configurations have the same score");
        if (i == 0)
            assert_true(data.configs[1].sd == 0 && data.configs[1].mean == 2.0 / 3);
    }
}

static void test_unscored(void **state)
{
    struct query_sweep sweep;
    struct err err;

    (void)state;
    begin(20);
    read_data(-1);
    assert_int_equal(data.n_scored, 0);
    assert_int_equal(data.best, 0);
    assert_int_equal(data.n_pareto_seconds, 0);
    assert_false(data.effects.is_complete);
    sweep_data_release(&data);
    assert_int_equal(query_sweep(&sweep, store, NULL, &err), 0);
    assert_int_equal(sweep_data_read(&data, store, &sweep, QUERY_RULE_BEST, &err), -1);
    assert_non_null(strstr(err.text, "has no finished configuration yet"));
}

static void test_rule(void **state)
{
    (void)state;
    begin(0);
    read_data(QUERY_RULE_1SE);
    assert_int_equal(data.chosen, data.one_se);
    assert_int_equal(data.n_tests, 1);
    assert_string_equal(data.tests[0].metric, "pearson");
    assert_int_equal(data.tests[0].n, 5);
}

static void test_predictions(void **state)
{
    (void)state;
    begin(0);
    exec("UPDATE sweep SET task = 'classification', classes = 2");
    exec("INSERT INTO prediction VALUES (1, 3, 'x', 'north', 'yes', 'no', '{\"no\":0.75,"
         "\"yes\":0.25}', NULL), (1, 9, 'y', 'north', 'no', 'no', '{\"no\":1.0,\"yes\":0.0}',"
         " NULL), (2, 1, 'z', 'south', 'yes', 'maybe', 'damaged', NULL)");
    exec(
        "INSERT INTO data_fact VALUES (1, 'class', 0, 'yes', 60), (1, 'data', 0, 'kind', 'x'),"
        " (1, 'data', 1, 'features', 7), (1, 'data', 2, 'markers', 7), (1, 'data', 3, 'form', 'z'),"
        " (1, 'data', 4, 'rows_unjoined', 3), (1, 'part', 0, 'val_min', 20),"
        " (1, 'part', 1, 'val_max', 21), (1, 'marker', 0, 'rare', 0)");
    read_data(-1);
    assert_int_equal(data.predictions.n, 3);
    assert_int_equal(data.predictions.n_classes, 2);
    assert_string_equal(data.predictions.classes[0], "no");
    near(data.predictions.observed[0], 1);
    near(data.predictions.predicted[0], 0);
    assert_true(isnan(data.predictions.predicted[2]));
    near(data.predictions.score[1], 0.25);
    assert_true(isnan(data.predictions.score[4]));
    assert_string_equal(data.predictions.groups[data.predictions.group[2]], "south");
    assert_string_equal(data.slots[0].group, "north");
    assert_null(data.slots[2].group);
    assert_int_equal(data.n_shown_facts, 5);
    near(data.shown_facts[0].number, 60);
    assert_string_equal(data.shown_facts[1].text, "x");
    assert_string_equal(data.shown_facts[1].label, "kind");
    assert_string_equal(data.shown_facts[3].label, "Rows without a partner in the other table");
    assert_string_equal(data.shown_facts[4].label, "Validation");
    assert_string_equal(data.shown_facts[4].text, "20 to 21");
    near(data.shown_facts[4].number, 21);
}

static void put_prediction(int trial, int sample, const char *observed, const char *predicted,
                           const char *json)
{
    char sql[256];

    snprintf(sql, sizeof sql, "INSERT INTO prediction VALUES (%d, %d, 's%d', NULL, '%s', '%s', %s)",
             trial, sample, sample, observed, predicted, json);
    exec(sql);
}

static void check_score(const char *metric, int class, double together, double mean, double sd)
{
    const struct sweep_predictions *p = &data.predictions;

    for (int i = 0; i < p->n_scores; i++)
        if (!strcmp(p->scores[i].metric, metric) && p->scores[i].class == class) {
            near(p->scores[i].together, together);
            near(p->scores[i].mean, mean);
            if (p->n_parts > 1)
                near(p->scores[i].sd, sd);
            else
                assert_true(isnan(p->scores[i].sd));
            assert_int_equal(p->scores[i].folds, p->n_parts);
            return;
        }
    fail_msg("no score %s of class %d", metric, class);
}

/* Expected values: scikit-learn 1.2.1 (recall_score, precision_score, f1_score, accuracy_score,
 * balanced_accuracy_score, matthews_corrcoef, roc_auc_score). */
static void test_scores_of_two(void **state)
{
    static const double yes[] = {.9, .4, .6, .1, .8, .3, .7, .7, .2, .55, .45};
    static const bool truth[] = {1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0};
    char json[64];

    (void)state;
    begin(0);
    exec("UPDATE sweep SET task = 'classification', classes = 2");
    for (int i = 0; i < 11; i++) {
        snprintf(json, sizeof json, "'{\"no\":%g,\"yes\":%g}', NULL", 1 - yes[i], yes[i]);
        put_prediction(1 + (i > 4), i, truth[i] ? "yes" : "no", yes[i] > 0.5 ? "yes" : "no", json);
    }
    read_data(-1);
    assert_int_equal(data.predictions.n_scores, 9);
    assert_int_equal(data.predictions.n_parts, 2);
    assert_false(data.predictions.is_one_part);
    assert_string_equal(sweep_part_word(&data), "fold");
    check_score("sensitivity", 1, 0.8, 5.0 / 6, 0.23570226039551587);
    check_score("specificity", 0, 2.0 / 3, 0.625, 0.1767766952966369);
    check_score("precision", 1, 2.0 / 3, 2.0 / 3, 0);
    check_score("f1", 1, 8.0 / 11, 11.0 / 15, 0.0942809041582064);
    check_score("accuracy", -1, 8.0 / 11, 43.0 / 60, 0.16499158227686112);
    check_score("balanced_accuracy", -1, 11.0 / 15, 35.0 / 48, 0.2062394778460764);
    check_score("macro_f1", -1, 8.0 / 11, 0.7059523809523809, 0.17340952014812952);
    check_score("mcc", -1, 7.0 / 15, 0.4368867239266071, 0.3821488698022421);
    check_score("roc_auc", -1, 49.0 / 60, 79.0 / 96, 0.014731391274719688);
}

/* Likewise. Ridge has scores without probabilities, which rank samples all the same. */
static void test_scores_of_three(void **state)
{
    static const double score[8][3] = {{.6, .3, .1}, {.2, .5, .3}, {.1, .8, .1},   {.3, .3, .4},
                                       {.1, .2, .7}, {.5, .1, .4}, {.2, .35, .45}, {.4, .35, .25}};
    static const char truth[] = "aabbccca", predicted[] = "abbccaca";
    char json[96], class[2][2] = {"", ""};

    (void)state;
    begin(0);
    exec("UPDATE sweep SET task = 'classification', classes = 3");
    for (int i = 0; i < 8; i++) {
        class[0][0] = truth[i];
        class[1][0] = predicted[i];
        snprintf(json, sizeof json, "NULL, '{\"a\":%g,\"b\":%g,\"c\":%g}'", score[i][0],
                 score[i][1], score[i][2]);
        put_prediction(1, i, class[0], class[1], json);
    }
    read_data(-1);
    assert_false(data.predictions.is_probability);
    assert_int_equal(data.predictions.n_scores, 11);
    check_score("accuracy", -1, 0.625, 0.625, 0);
    check_score("balanced_accuracy", -1, 11.0 / 18, 11.0 / 18, 0);
    check_score("macro_f1", -1, 11.0 / 18, 11.0 / 18, 0);
    check_score("mcc", -1, 3.0 / 7, 3.0 / 7, 0);
    check_score("roc_auc", -1, 0.813888888888889, 0.813888888888889, 0);
    check_score("recall", 1, 0.5, 0.5, 0);
    check_score("precision", 2, 2.0 / 3, 2.0 / 3, 0);
}

/* One class predicted: no correlation. One class observed: none that could be. */
static void test_scores_of_one_class(void **state)
{
    (void)state;
    begin(0);
    exec("UPDATE sweep SET task = 'classification', classes = 2");
    put_prediction(1, 1, "no", "no", "NULL, NULL");
    put_prediction(1, 2, "yes", "no", "NULL, NULL");
    put_prediction(2, 3, "yes", "no", "NULL, NULL");
    read_data(-1);
    assert_int_equal(data.predictions.n_scores, 9);
    assert_string_equal(data.predictions.scores[7].metric, "mcc");
    near(data.predictions.scores[7].together, 0);
    near(data.predictions.scores[7].mean, 0);
    assert_int_equal(data.predictions.scores[7].folds, 1);
    assert_true(isnan(data.predictions.scores[8].together));
    assert_true(isnan(data.predictions.scores[8].mean));
}

/* Replicates with the parts of a split file. */
static void test_same_samples(void **state)
{
    (void)state;
    begin(0);
    exec("INSERT INTO prediction SELECT t.column1, s.column1, s.column1, NULL, 1, 2, NULL,"
         " NULL FROM (VALUES (1), (2), (3)) AS t, (VALUES (4), (6)) AS s");
    read_data(-1);
    assert_int_equal(data.predictions.n_parts, 3);
    assert_true(data.predictions.is_one_part);
    exec("UPDATE prediction SET id = 'x' WHERE trial_id = 2 AND sample = 6");
    read_data(-1);
    assert_false(data.predictions.is_one_part);
}

static void test_scores_of_numbers(void **state)
{
    (void)state;
    begin(0);
    exec("INSERT INTO prediction SELECT 1 + (column1 > 3), column1, 's', NULL, column1,"
         " column2, NULL, NULL FROM (VALUES (1, 1), (2, 3), (3, 2), (4, 4), (5, 6))");
    read_data(-1);
    check_score("pearson", -1, 11 / sqrt(148), 0.75, 0.3535533905932738);
    check_score("rmse", -1, sqrt(0.6), (sqrt(2.0 / 3) + sqrt(0.5)) / 2,
                (sqrt(2.0 / 3) - sqrt(0.5)) / sqrt(2));
    check_score("mae", -1, 0.6, (2.0 / 3 + 0.5) / 2, (2.0 / 3 - 0.5) / sqrt(2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_complete, end),
        cmocka_unit_test_teardown(test_history, end),
        cmocka_unit_test_teardown(test_partial, end),
        cmocka_unit_test_teardown(test_equal, end),
        cmocka_unit_test_teardown(test_unscored, end),
        cmocka_unit_test_teardown(test_rule, end),
        cmocka_unit_test_teardown(test_predictions, end),
        cmocka_unit_test_teardown(test_scores_of_two, end),
        cmocka_unit_test_teardown(test_scores_of_three, end),
        cmocka_unit_test_teardown(test_scores_of_one_class, end),
        cmocka_unit_test_teardown(test_same_samples, end),
        cmocka_unit_test_teardown(test_scores_of_numbers, end),
    };

    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
