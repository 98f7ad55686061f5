/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/student.h"
#include "golden_file.h"
#include "store/db.h"
#include "store/query/query.h"
#include "storelib.h"

/* The statistics against SciPy: tests/golden/make_leaderboard.py wrote the trials and the expected
 * values. */

enum { MAX_CONFIGS = 8, MAX_TRIALS = 16 };

static const char *const columns[] = {"trials", "mean",      "sd",       "se",
                                      "diff",   "diff_se",   "diff_low", "diff_high",
                                      "pairs",  "within_se", "place"};
enum { COLUMNS = sizeof columns / sizeof *columns };

struct golden {
    char name[32], direction[8];
    int replicates, folds, has_file, configs, trials; /* of a configuration */
    double test, val;
    double values[MAX_CONFIGS][MAX_TRIALS];
    double expected[MAX_CONFIGS][COLUMNS];
};

static void read_case(struct golden *g, FILE *file)
{
    assert_int_equal(fscanf(file, "%31s %7s %d %d %lf %lf %d %d", g->name, g->direction,
                            &g->replicates, &g->folds, &g->test, &g->val, &g->has_file,
                            &g->configs),
                     8);
    g->trials = g->replicates * (g->folds ? g->folds : 1);
    assert_true(g->configs <= MAX_CONFIGS && g->trials <= MAX_TRIALS);
    for (int c = 0; c < g->configs; c++)
        for (int t = 0; t < g->trials; t++)
            g->values[c][t] = read_number(file);
    for (int c = 0; c < g->configs; c++)
        for (int k = 0; k < COLUMNS; k++)
            g->expected[c][k] = read_number(file);
}

static void open_case(struct fixture *f, const struct golden *g)
{
    static uint8_t parts[200];
    char ini[512];
    int n = snprintf(ini, sizeof ini,
                     "[sweep]\nname = %s\nobjective = val_r2\ndirection = %s\nreplicates = %d\n"
                     "folds = %d\n[split]\ntest = %g\nval = %g\n%s[grid]\nhidden_size = 1",
                     g->name, g->direction, g->replicates, g->folds, g->test, g->val,
                     g->has_file ? "file = parts.csv\n" : "");

    for (int c = 1; c < g->configs; c++)
        n += snprintf(ini + n, sizeof ini - (size_t)n, ", %d", c + 1);
    fixture_open(f, ini);
    assert_in_range(f->data.n_samples, 1, sizeof parts);
    f->data.part = g->has_file ? parts : NULL;
}

static void put_trials(struct fixture *f, struct store *store, const struct golden *g)
{
    struct trial_result r;
    struct err err;

    for (int c = 0; c < g->configs; c++)
        for (int t = 0; t < g->trials; t++) {
            int trial = c * g->trials + t;

            fixture_result(&r, trial, g->values[c][t]);
            if (isnan(g->values[c][t])) {
                /* The file has the value before the trial diverged; it must not count. */
                r.state = TRIAL_DIVERGED;
                r.value = 77;
            }
            assert_int_equal(store_result(store, f->known.ids[trial], &r, &err), 0);
            trial_result_release(&r);
        }
    assert_int_equal(store_commit(store, &err), 0);
}

static double number(const struct result_table *table, int64_t row, const char *name)
{
    const struct cell *cell = result_table_find(table, row, name);

    if (!cell || cell->type == CELL_TEXT)
        fail_msg("no number %s", name);
    return result_table_real(table, row, name);
}

/* A value near 10^6 is rounded to 10^-10. */
static void compare(const struct golden *g, const struct result_table *table)
{
    assert_int_equal(table->n_rows, g->configs);
    for (int64_t row = 0; row < table->n_rows; row++) {
        int config = (int)number(table, row, "config") - 1;

        for (int k = 0; k < COLUMNS; k++) {
            double got = number(table, row, columns[k]), wanted = g->expected[config][k];

            if (isnan(got) != isnan(wanted) || fabs(got - wanted) > 1e-9 + 1e-12 * fabs(wanted))
                fail_msg("%s: c%d: %s is %.12g, not %.12g", g->name, config + 1, columns[k], got,
                         wanted);
        }
    }
}

static void check_leaderboard(const struct golden *g, struct store *store,
                              const struct query_sweep *sweep)
{
    struct query_filter filter = {.limit = -1};
    struct result_table table;
    struct err err;

    if (query_leaderboard(&table, NULL, store, sweep, &filter, &err))
        fail_msg("%s", err.text);
    compare(g, &table);
    result_table_release(&table);
}

static void check_case(const struct golden *g)
{
    struct fixture f;
    struct store *store;
    struct query_sweep sweep;
    struct result_table table;
    struct err err;

    open_case(&f, g);
    store = fixture_store(&f);
    put_trials(&f, store, g);
    assert_int_equal(query_sweep(&sweep, store, NULL, &err), 0);
    check_leaderboard(g, store, &sweep);
    /* An older schema has no parts. */
    assert_int_equal(db_exec(store, "UPDATE sweep SET parts = NULL", &err), 0);
    check_leaderboard(g, store, &sweep);
    assert_int_equal(query_table(&table, store, QUERY_BEST, sweep.sweep_id, &err), 0);
    assert_int_equal(g->expected[table.cells[0].i - 1][COLUMNS - 1], 1);
    result_table_release(&table);
    fixture_end(&f, store);
}

static void test_golden(void **state)
{
    FILE *file = golden_file("leaderboard");
    struct golden g;
    int n;

    (void)state;
    assert_int_equal(fscanf(file, "numpy %*s scipy %*s cases %d", &n), 1);
    assert_true(n > 0);
    for (int i = 0; i < n; i++) {
        read_case(&g, file);
        check_case(&g);
    }
    fclose(file);
}

/* Roots of SciPy's incomplete beta function (its t.ppf() has only nine correct digits). One and two
 * degrees of freedom have closed forms. */
static void test_student(void **state)
{
    static const struct {
        double level;
        int64_t df;
        double t;
    } cases[] = {
        {0.95, 3, 3.182446305283709},     {0.95, 4, 2.7764451051977925},
        {0.95, 9, 2.2621571627982053},    {0.95, 10, 2.2281388519862744},
        {0.95, 49, 2.009575237129239},    {0.95, 100, 1.9839715185235545},
        {0.95, 10000, 1.960201239890248}, {0.5, 7, 0.7111417780817857},
        {0.999, 6, 5.958816178818698},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double t = student_two_sided(cases[i].level, cases[i].df);

        if (!(fabs(t / cases[i].t - 1) < 1e-12))
            fail_msg("t(%g, %lld) = %.17g", cases[i].level, (long long)cases[i].df, t);
    }
    for (double level = 0.5; level < 1; level += 0.0499) {
        double one = tan(level * 1.57079632679489661923);
        double two = level * sqrt(2 / (1 - level * level));

        assert_true(fabs(student_two_sided(level, 1) / one - 1) < 1e-12);
        assert_true(fabs(student_two_sided(level, 2) / two - 1) < 1e-12);
    }
    assert_true(isnan(student_two_sided(0.95, 0)));
}

/* Configurations 1 and 2 are complete, 3 and 4 were stopped at rung 2, 5 and 6 at rung 1. Where rung 1 is
 * not known of every fold there is no score. */
static const char stopped_at_rungs[] =
    "UPDATE trial SET state = 'stopped', value = 9 WHERE config_id > 2;"
    "INSERT INTO rung SELECT trial_id, 1, config_id / 10.0 + fold / 100.0 FROM trial WHERE NOT"
    " (config_id = 5 AND fold = 1);"
    "INSERT INTO rung SELECT trial_id, 1, NULL FROM trial WHERE config_id = 5 AND fold = 1;"
    "INSERT INTO rung SELECT trial_id, 2, config_id / 10.0 + fold / 50.0 FROM trial WHERE "
    "config_id < 5;"
    "INSERT INTO decision SELECT 1, 1, config_id, 'propose', 0, NULL, NULL FROM config;"
    "INSERT INTO decision SELECT 1, 2, config_id, iif(config_id < 5, 'keep', 'stop'), 1, 0, 0 FROM "
    "config;"
    "INSERT INTO decision SELECT 1, 3, config_id, iif(config_id < 3, 'keep', 'stop'), 2, 0, 0 FROM "
    "config"
    " WHERE config_id < 5";
/* All have run folds 1 and 2, all but 6 fold 3, and 1 and 2 all of four. */
static const char stopped_after_folds[] =
    "DELETE FROM rung; DELETE FROM decision; UPDATE trial SET state = 'done', value = config_id + "
    "fold / 10.0"
    " - (config_id = 5) * (fold = 1) * 100.0;"
    "UPDATE trial SET state = 'stopped', value = NULL WHERE (config_id > 2 AND fold = 3)"
    " OR (config_id = 6 AND fold = 2);"
    "INSERT INTO decision SELECT 1, 2, config_id, iif(config_id < 6, 'keep', 'stop'), 2, 0, 0 FROM "
    "config;"
    "INSERT INTO decision SELECT 1, 3, config_id, iif(config_id < 3, 'keep', 'stop'), 3, 0, 0 FROM "
    "config"
    " WHERE config_id < 6";

static void put_search(struct store *store, const char *sql)
{
    struct err err;

    if (db_exec(store, sql, &err) || views_update(store, &err))
        fail_msg("%s", err.text);
}

/* configs: by place. reached: of each, "" for none. */
static void check_search(struct store *store, const int configs[6], const char *const reached[6],
                         const double means[6], const int pairs[6])
{
    struct query_filter filter = {.limit = -1};
    struct query_alike alike;
    struct query_sweep sweep;
    struct result_table table;
    struct err err;

    assert_int_equal(query_sweep(&sweep, store, NULL, &err), 0);
    assert_true(sweep.has_search);
    if (query_leaderboard(&table, &alike, store, &sweep, &filter, &err))
        fail_msg("%s", err.text);
    assert_int_equal(table.n_rows, 6);
    for (int64_t r = 0; r < 6; r++) {
        assert_int_equal(result_table_integer(&table, r, "config"), configs[r]);
        assert_string_equal(result_table_text(&table, r, "reached"), reached[r]);
        assert_true(isnan(means[r])
                        ? isnan(result_table_real(&table, r, "mean"))
                        : fabs(result_table_real(&table, r, "mean") - means[r]) < 1e-12);
        assert_int_equal(result_table_integer(&table, r, "pairs"), pairs[r]);
        assert_int_equal(isnan(result_table_real(&table, r, "diff_low")), pairs[r] == 0);
        if (r > 1) /* only complete ones */
            assert_true(result_table_integer(&table, r, "within_se") == 0);
    }
    assert_int_equal(alike.n_scored, 2);
    assert_int_equal(alike.n_compared, 1);
    assert_true(alike.one_se == 1 || alike.one_se == 2);
    result_table_release(&table);
}

static void test_stopped(void **state)
{
    static const char *const rungs[] = {
        "", "", "rung 2 of 4", "rung 2 of 4", "rung 1 of 4", "rung 1 of 4"};
    static const char *const folds[] = {
        "", "", "3 of 4 folds", "3 of 4 folds", "3 of 4 folds", "2 of 4 folds"};
    struct fixture f;
    struct store *store =
        fixture_begin(&f, "[sweep]\nname = s\nobjective = val_r2\nfolds = 4\n[search]\nrungs = 4\n"
                          "[grid]\nhidden_size = 1, 2, 3, 4, 5, 6\n");

    (void)state;
    for (int64_t t = 0; t < 8; t++)
        fixture_put(&f, store, t, TRIAL_DONE, t < 4 ? 0.1 : 0.2);
    fixture_commit(store);
    put_search(store, stopped_at_rungs);
    check_search(store, (int[]){2, 1, 4, 3, 6, 5}, rungs,
                 (double[]){0.2, 0.1, 0.43, 0.33, 0.615, NAN}, (int[]){4, 4, 0, 0, 0, 0});
    put_search(store, stopped_after_folds);
    check_search(store, (int[]){2, 1, 4, 3, 5, 6}, folds,
                 (double[]){2.15, 1.15, 4.1, 3.1, 5.1 - 100 / 3.0, 6.05},
                 (int[]){4, 4, 3, 3, 3, 2});
    fixture_end(&f, store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_stopped),
    };

    return cmocka_run_group_tests_name("leaderboard", tests, NULL, NULL);
}
