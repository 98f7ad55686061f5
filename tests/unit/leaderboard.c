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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_student),
        cmocka_unit_test(test_golden),
    };

    return cmocka_run_group_tests_name("leaderboard", tests, NULL, NULL);
}
