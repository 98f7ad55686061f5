/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/plan.h"
#include "grid/sweep_file.h"
#include "unit.h"

#include "resolve.h"

static void parse(struct sweep *sweep, const char *text)
{
    struct errlist errors = {0};

    if (sweep_parse(sweep, "x.ini", text, NULL, 0, &errors))
        fail_msg("%s", errors.n ? errors.text[0] : "out of memory");
    errlist_release(&errors);
}

static int keep_small(void *limit, const struct sweep *sweep, const struct settings *point,
                      struct err *err)
{
    (void)sweep;
    (void)err;
    return point->v[P_K].i * point->v[P_LAYERS].i < *(int *)limit;
}

static int fail_always(void *arg, const struct sweep *sweep, const struct settings *point,
                       struct err *err)
{
    (void)arg;
    (void)sweep;
    (void)point;
    return err_set(err, "no such column: x");
}

static void test_order(void **state)
{
    static const int wanted[][2] = {{5, 1}, {5, 2}, {5, 3}, {2, 1}, {2, 2}, {2, 3}};
    struct settings s;
    struct sweep sweep;
    struct plan plan;

    (void)state;
    parse(&sweep, "[train]\nepochs = 7\n[grid]\nk = 5, 2\nlayers = 1, 2, 3\n");
    assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
    assert_int_equal(plan.n_configs, 6);
    assert_int_equal(plan.n_trials, 6);
    for (int c = 0; c < 6; c++) {
        plan_settings(&plan, c, &s);
        assert_int_equal(s.v[P_K].i, wanted[c][0]);
        assert_int_equal(s.v[P_LAYERS].i, wanted[c][1]);
        assert_int_equal(s.v[P_EPOCHS].i, 7);
    }
    plan_release(&plan);
    plan_release(&plan);
    sweep_release(&sweep);
}

static void test_trials(void **state)
{
    struct sweep sweep;
    struct plan plan;
    int64_t trial = 0;

    (void)state;
    parse(&sweep, "[sweep]\nreplicates = 2\nfolds = 3\n[grid]\nk = 1, 2, 3, 4\n");
    assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
    assert_int_equal(plan.n_trials, 24);
    for (int config = 0; config < 4; config++) {
        for (int replicate = 0; replicate < 2; replicate++) {
            for (int fold = 0; fold < 3; fold++, trial++) {
                struct plan_trial t = plan_trial(&plan, trial);

                assert_int_equal(t.config, config);
                assert_int_equal(t.replicate, replicate);
                assert_int_equal(t.fold, fold);
            }
        }
    }
    plan_release(&plan);
    sweep_release(&sweep);
}

static void test_no_axes(void **state)
{
    struct settings s;
    struct sweep sweep;
    struct plan plan;

    (void)state;
    parse(&sweep, "[graph]\nk = 3\n");
    assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
    assert_int_equal(plan.n_trials, 1);
    assert_int_equal(plan.folds, 1);
    plan_settings(&plan, 0, &s);
    assert_int_equal(s.v[P_K].i, 3);
    plan_release(&plan);
    sweep_release(&sweep);
}

/* The first point of a model that passes `where` is kept. */
static int keep_large(void *least, const struct sweep *sweep, const struct settings *point,
                      struct err *err)
{
    (void)sweep;
    (void)err;
    return point->v[P_K].i >= *(int *)least;
}

static void test_same_models(void **state)
{
    int least = 2;
    struct predicate predicate = {.keep = keep_large, .arg = &least};
    struct settings s;
    struct sweep sweep;
    struct plan plan;
    int64_t mlp;

    (void)state;
    parse(&sweep, "[graph]\nmetric = kinship\n"
                  "[grid]\nk = 1, 2, 3\ntype = gcn, mlp\nlayers = 1, 2\n");
    mlp = param_choice(P_TYPE, "mlp");
    assert_int_equal(make_plan(&plan, &sweep, &predicate, NULL), 0);
    assert_int_equal(plan.n_configs, 6);
    assert_int_equal(plan.rows.n_repeats, 2);
    for (int c = 0; c < 6; c++) {
        static const int wanted[][3] = {{2, 0, 1},  {2, 0, 2}, {10, 1, 1},
                                        {10, 1, 2}, {3, 0, 1}, {3, 0, 2}};

        plan_settings(&plan, c, &s);
        assert_int_equal(s.v[P_K].i, wanted[c][0]);
        assert_int_equal(s.v[P_TYPE].i, wanted[c][1] ? mlp : 0);
        assert_int_equal(s.v[P_LAYERS].i, wanted[c][2]);
        assert_int_equal(s.v[P_METRIC].i,
                         param_choice(P_METRIC, wanted[c][1] ? "cosine" : "kinship"));
        if (wanted[c][1])
            assert_int_equal(s.v[P_BUILD].i, param_choice(P_BUILD, "none"));
    }
    plan_release(&plan);
    sweep_release(&sweep);
}

static void test_where(void **state)
{
    int limit = 6;
    struct predicate predicate = {.keep = keep_small, .arg = &limit};
    struct settings s;
    struct sweep sweep;
    struct plan plan;
    struct err err;

    (void)state;
    parse(&sweep, "[grid]\nk = 1, 2, 3\nlayers = 1, 2, 3\n");
    assert_int_equal(make_plan(&plan, &sweep, &predicate, &err), 0);
    assert_int_equal(plan.n_configs, 6);
    plan_settings(&plan, 5, &s);
    assert_int_equal(s.v[P_K].i, 3);
    assert_int_equal(s.v[P_LAYERS].i, 1);
    plan_release(&plan);

    limit = 0;
    assert_int_equal(make_plan(&plan, &sweep, &predicate, &err), -1);
    assert_string_equal(err.text, "x.ini: 'where' leaves none of the grid's 9 points");
    plan_release(&plan);
    predicate.keep = fail_always;
    assert_int_equal(make_plan(&plan, &sweep, &predicate, &err), -1);
    assert_string_equal(err.text, "no such column: x");
    plan_release(&plan);
    sweep_release(&sweep);
}

/* k = 1 is left only to mlp, which has no k. */
static int keep_some(void *arg, const struct sweep *sweep, const struct settings *point,
                     struct err *err)
{
    (void)arg;
    (void)sweep;
    (void)err;
    return point->v[P_LAYERS].i < 3 &&
           (point->v[P_K].i > 4 ||
            (point->v[P_K].i == 1 && point->v[P_TYPE].i == param_choice(P_TYPE, "mlp")));
}

static void test_emptied(void **state)
{
    struct predicate predicate = {.keep = keep_some, .arg = NULL};
    struct buf text = {0};
    struct sweep sweep;
    struct plan plan;

    (void)state;
    parse(&sweep, "[sweep]\nwhere = seen by keep_some\n[grid]\nk = 1, 2, 3, 4, 5\n"
                  "layers = 1, 2, 3\ntype = gcn, mlp\n");
    assert_int_equal(make_plan(&plan, &sweep, &predicate, NULL), 0);
    plan_put_emptied(&text, &plan);
    assert_string_equal(buf_text(&text), "k = 1, 2, 3 ...; layers = 3");
    buf_clear(&text);
    plan_release(&plan);
    assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
    plan_put_emptied(&text, &plan);
    assert_int_equal(text.size, 0);
    buf_release(&text);
    plan_release(&plan);
    sweep_release(&sweep);
}

static void assert_too_large(const char *text, const char *message)
{
    struct sweep sweep;
    struct plan plan;
    struct err err;

    parse(&sweep, text);
    assert_int_equal(make_plan(&plan, &sweep, NULL, &err), -1);
    assert_string_equal(err.text, message);
    assert_null(plan.rows.v);
    plan_release(&plan);
    sweep_release(&sweep);
}

static void test_too_large(void **state)
{
    (void)state;
    if (getenv("TEST_UNDER_VALGRIND")) /* which needs twenty seconds */
        skip();
    assert_too_large("[grid]\nk = 1:1000:1\nhidden_size = 1:1000:1\nepochs = 1:1000:1\n",
                     "x.ini: the grid has 1000000000 points; at most 10000000 are allowed");
    assert_too_large("[grid]\nk = 1:100000:1\nhidden_size = 1:50000:1\nepochs = 1:100000:1\n"
                     "batch_size = 1:100000:1\npatience = 1:100000:1\nweight_decay = 1:20:0.001\n"
                     "dropout = 0:0.9:0.0001\n",
                     "x.ini: the grid has 8.55140005e+32 points; at most 10000000 are allowed");
    assert_too_large("[sweep]\nreplicates = 100000\nfolds = 10000\n[grid]\nk = 1, 2\n",
                     "x.ini: 2 configurations x 100000 replicates x 10000 folds are 2000000000 "
                     "trials; at most 100000000 are allowed");
}

static void test_largest(void **state)
{
    struct sweep sweep;
    struct plan plan;
    struct settings s;

    (void)state;
    if (getenv("TEST_UNDER_VALGRIND")) /* which needs half a minute */
        skip();
    parse(&sweep, "[grid]\nk = 1:10000:1\nhidden_size = 1:1000:1\n");
    assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
    assert_int_equal(plan.n_trials, GRID_MAX_POINTS);
    plan_settings(&plan, GRID_MAX_POINTS - 1, &s);
    assert_int_equal(s.v[P_K].i, 10000);
    assert_int_equal(s.v[P_HIDDEN_SIZE].i, 1000);
    plan_release(&plan);
    sweep_release(&sweep);
}

static void test_shipped(void **state)
{
    static const struct {
        const char *name;
        int32_t n_configs;
        int64_t n_trials;
    } shipped[] = {{"demo", 27, 270},  {"ft10", 192, 960},           {"cora-kipf", 1, 10},
                   {"threads", 9, 27}, {"ft10-baselines", 60, 1500}, {"ft16-baselines", 60, 1500}};
    const char *source = getenv("SRCDIR");

    (void)state;
    setenv("ESPALIER_DATA", "/data", 1);
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        struct errlist errors = {0};
        struct sweep sweep;
        struct plan plan;
        char path[4096];

        snprintf(path, sizeof path, "%s/grids/%s.ini", source ? source : ".", shipped[i].name);
        if (sweep_load(&sweep, path, NULL, 0, &errors))
            fail_msg("%s", errors.n ? errors.text[0] : "out of memory");
        assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
        assert_int_equal(plan.n_configs, shipped[i].n_configs);
        assert_int_equal(plan.n_trials, shipped[i].n_trials);
        assert_string_equal(sweep.fixed.v[P_SWEEP_NAME].s, shipped[i].name);
        plan_release(&plan);
        sweep_release(&sweep);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),       cmocka_unit_test(test_trials),
        cmocka_unit_test(test_no_axes),     cmocka_unit_test(test_where),
        cmocka_unit_test(test_emptied),     cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_largest),     cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_same_models),
    };

    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
