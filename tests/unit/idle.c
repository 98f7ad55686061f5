/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/plan.h"
#include "grid/requirements.h"
#include "grid/sweep_file.h"
#include "unit.h"

#include "resolve.h"

/* Configurations in which the sweep's first axis has no effect. */
static int32_t count_where(const char *text, const struct predicate *where)
{
    struct errlist errors = {0};
    struct sweep sweep;
    struct plan plan;
    struct err err;
    int32_t n;

    assert_int_equal(sweep_parse(&sweep, "idle.ini", text, NULL, 0, &errors), 0);
    assert_int_equal(resolve_sweep(&sweep, TASK_REGRESSION, &err), 0);
    assert_int_equal(make_plan(&plan, &sweep, where, &err), 0);
    n = plan_count_idle(&plan, 0);
    plan_release(&plan);
    sweep_release(&sweep);
    return n;
}

static int32_t count(const char *text)
{
    return count_where(text, NULL);
}

static void test_optimizer(void **state)
{
    (void)state;
    assert_int_equal(count("[grid]\nmomentum = 0.5, 0.9\n"), 2);
    assert_int_equal(count("[train]\noptimizer = sgd\n[grid]\nmomentum = 0.5, 0.9\n"), 0);
    assert_int_equal(count("[grid]\nmomentum = 0.5, 0.9\noptimizer = adam, sgd\n"), 2);
    assert_int_equal(count("[grid]\ndecay_layers = all, first\n"), 0);
    assert_int_equal(count("[train]\nweight_decay = 0\n[grid]\ndecay_layers = all, first\n"), 2);
}

static void test_graph(void **state)
{
    (void)state;
    assert_int_equal(count("[grid]\nk = 3, 5\n"), 0);
    assert_int_equal(count("[grid]\nk = 3, 5\nbuild = knn, none, threshold\n"), 4);
    assert_int_equal(count("[grid]\nthreshold = 0.1, 0.5\n"), 2);
    assert_int_equal(count("[graph]\nbuild = none\n[grid]\nmetric = cosine, kinship\n"), 2);
    assert_int_equal(count("[grid]\nmetric = cosine, kinship\n"), 0);
}

static void test_model_and_split(void **state)
{
    (void)state;
    assert_int_equal(count("[grid]\nhidden_size = 4, 8\nlayers = 1, 2\n"), 2);
    assert_int_equal(count("[grid]\nval = 0.1, 0.3\n"), 0);
    assert_int_equal(count("[sweep]\nfolds = 3\n[grid]\nval = 0.1, 0.3\n"), 2);
    assert_int_equal(count("[sweep]\nfolds = 3\n[grid]\ntest = 0.1, 0.3\n"), 0);
    assert_int_equal(count("[split]\nfile = s.csv\n[grid]\ntest = 0.1, 0.3\n"), 2);
    assert_int_equal(count("[split]\nfile = s.csv\ngroup = g\n[grid]\ntest = 0.1, 0.3\n"), 0);
}

static void test_model_options(void **state)
{
    (void)state;
    assert_int_equal(count("[grid]\nresidual = no, yes\nlayers = 1, 2, 3\n"), 4);
    assert_int_equal(count("[grid]\nbatch_norm = no, yes\nlayers = 1, 2, 3\n"), 2);
    assert_int_equal(count("[grid]\nclass_weights = none, balanced\n"), 2);
}

static void test_schedule(void **state)
{
    (void)state;
    assert_int_equal(count("[grid]\nschedule = constant, cosine\n"), 0);
}

static void test_types(void **state)
{
    (void)state;
    assert_int_equal(count("[grid]\nk = 3, 5\ntype = gcn, mlp\n"), 0);
    assert_int_equal(count("[grid]\nmomentum = 0.5, 0.9\ntype = gcn, mlp\n"), 4);
    assert_int_equal(count("[model]\ntype = mlp\n[grid]\nmomentum = 0.5, 0.9\n"), 2);
}

static void assert_strays(const char *text, const char *want)
{
    struct errlist errors = {0};
    struct sweep sweep;
    struct plan plan;
    struct buf out = {0};

    assert_int_equal(sweep_parse(&sweep, "idle.ini", text, NULL, 0, &errors), 0);
    assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
    plan_put_strays(&out, &plan);
    assert_string_equal(buf_text(&out), want);
    buf_release(&out);
    plan_release(&plan);
    sweep_release(&sweep);
}

static void test_strays(void **state)
{
    (void)state;
    assert_strays("[model]\nlambda = 2\n", "lambda does nothing for gcn");
    assert_strays("[model]\ntype = ridge\nlambda = 2\n", "");
    assert_strays("[graph]\nk = 3\n[train]\nepochs = 5\n[model]\ntype = mlp\n",
                  "k does nothing for mlp");
    assert_strays("[graph]\nk = 3\n[model]\nlambda = 2\n[grid]\ntype = mlp, gcn, ridge\n", "");
    assert_strays("[graph]\nk = 3\n[model]\nlambda = 2\n[grid]\ntype = mlp, gcn\n",
                  "lambda does nothing for mlp and gcn");
    assert_strays(
        "[graph]\nk = 3\nmetric = kinship\n[train]\nepochs = 5\n[grid]\ntype = mlp, ridge\n",
        "k and metric do nothing for mlp and ridge");
}

static void assert_repeats(const char *text, int32_t n_configs, int32_t n_repeats, const char *why)
{
    struct errlist errors = {0};
    struct sweep sweep;
    struct plan plan;
    struct buf out = {0};

    assert_int_equal(sweep_parse(&sweep, "idle.ini", text, NULL, 0, &errors), 0);
    assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
    assert_int_equal(plan.n_configs, n_configs);
    assert_int_equal(plan.rows.n_repeats, n_repeats);
    plan_put_repeats(&out, &plan);
    assert_string_equal(buf_text(&out), why);
    buf_release(&out);
    plan_release(&plan);
    sweep_release(&sweep);
}

static void test_repeats(void **state)
{
    (void)state;
    assert_repeats("[grid]\nk = 3, 5\n", 2, 0, "");
    assert_repeats("[grid]\nk = 3, 5\ntype = gcn, mlp\n", 3, 1, "k does nothing for mlp");
    assert_repeats("[grid]\ntype = gcn, mlp, noop\nk = 3, 5\nepochs = 5, 6\nmetric = cosine, "
                   "kinship\n",
                   18, 6, "k and metric do nothing for mlp");
    assert_repeats("[model]\ntype = mlp\n[grid]\nk = 3, 5\nmetric = cosine, kinship\n"
                   "weights = binary, similarity\n",
                   1, 7, "k, metric and weights do nothing for mlp");
    assert_repeats(
        "[grid]\ntype = gcn, mlp, ridge\nk = 3, 5\nlambda = 0.1, 1, 10\n"
        "learning_rate = 0.1, 1\n",
        4 + 2 + 3, 36 - 9,
        "lambda does nothing for gcn; k and lambda do nothing for mlp; k and learning_rate "
        "do nothing for ridge");
}

static int32_t widest(const char *text)
{
    struct errlist errors = {0};
    struct sweep sweep;
    struct plan plan;
    int32_t n;

    assert_int_equal(sweep_parse(&sweep, "idle.ini", text, NULL, 0, &errors), 0);
    assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
    n = plan_widest(&plan);
    plan_release(&plan);
    sweep_release(&sweep);
    return n;
}

/* Only configurations that have ranks need them. */
static void test_widest(void **state)
{
    (void)state;
    assert_int_equal(widest("[train]\nworkers = 4\n[grid]\nranks = 1, 4\n"), 4);
    assert_int_equal(widest("[model]\ntype = ridge\n[resources]\nranks = 2\n"), 1);
    assert_int_equal(widest("[grid]\ntype = ridge, gcn\nranks = 2\n"), 2);
}

/* `where` leaves one of the configurations that would repeat each other. */
static int keep_one_adam(void *arg, const struct sweep *sweep, const struct settings *point,
                         struct err *err)
{
    (void)arg;
    (void)sweep;
    (void)err;
    return point->v[P_OPTIMIZER].i == param_choice(P_OPTIMIZER, "sgd") ||
           point->v[P_MOMENTUM].f == 0.5;
}

static void test_no_other_repeats_it(void **state)
{
    const struct predicate where = {.keep = keep_one_adam};

    (void)state;
    assert_int_equal(
        count_where("[grid]\nmomentum = 0.5, 0.7, 0.9\noptimizer = adam, sgd\n", &where), 0);
    assert_int_equal(
        count_where("[grid]\nmomentum = 0.5, 0.9\noptimizer = adam, sgd\nresidual = no, yes\n",
                    &where),
        0);
    assert_int_equal(
        count_where("[grid]\nresidual = no, yes\nmomentum = 0.5, 0.9\noptimizer = adam, sgd\n",
                    &where),
        6);
    /* the values of both axes repeat */
    assert_int_equal(count("[grid]\nresidual = no, yes\nmomentum = 0.5, 0.9\n"), 4);
}

static void test_one_value_is_no_question(void **state)
{
    (void)state;
    assert_int_equal(count("[grid]\nmomentum = 0.5\n"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_optimizer),
        cmocka_unit_test(test_graph),
        cmocka_unit_test(test_model_and_split),
        cmocka_unit_test(test_model_options),
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_strays),
        cmocka_unit_test(test_no_other_repeats_it),
        cmocka_unit_test(test_one_value_is_no_question),
        cmocka_unit_test(test_widest),
    };

    return cmocka_run_group_tests_name("idle", tests, NULL, NULL);
}
