/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweep files with [program]. */
#include "grid/plan.h"
#include "grid/sweep_file.h"
#include "unit.h"

#include "resolve.h"

#define HEAD "[sweep]\nobjective = score\ndirection = max\n"

static void parse(struct sweep *sweep, const char *text, const char *const *set, size_t n)
{
    struct errlist errors = {0};

    if (sweep_parse(sweep, "p.ini", text, set, n, &errors))
        fail_msg("%s", errors.text[0]);
    errlist_release(&errors);
}

static void assert_refused(const char *text, const char *message)
{
    struct errlist errors = {0};
    struct sweep sweep;

    assert_int_equal(sweep_parse(&sweep, "p.ini", text, NULL, 0, &errors), -1);
    assert_string_equal(errors.text[0], message);
    errlist_release(&errors);
    sweep_release(&sweep);
}

/* A key of [grid] is a free name even if models have a setting of this name. */
static void test_free_axes(void **state)
{
    static const char text[] = HEAD "[grid]\nlearning_rate = log(1e-3, 1e-1, 3), high\n"
                                    "b = 1: 3 :1, 'x, y', \"1\\n2\"\nthreads = 1, 2\n"
                                    "[program]\ncommand = t {learning_rate} {b} {a} {seed}\n"
                                    "a = 1.50 ; a comment\n";
    struct settings s;
    struct sweep sweep;
    struct plan plan;

    (void)state;
    parse(&sweep, text, NULL, 0);
    assert_int_equal(sweep.names->n, 3);
    assert_string_equal(sweep.names->name[0], "a");
    assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
    assert_int_equal(plan.n_configs, 4 * 5 * 2);
    plan_settings(&plan, plan.n_configs - 1, &s);
    assert_string_equal(s.v[sweep_find_name(&sweep, "learning_rate")].s, "high");
    assert_string_equal(s.v[sweep_find_name(&sweep, "b")].s, "1\n2");
    assert_string_equal(s.v[sweep_find_name(&sweep, "program.a")].s, "1.5");
    assert_int_equal(s.v[P_THREADS].i, 2);
    plan_release(&plan);
    sweep_release(&sweep);
}

static struct hash key_of(const char *text, const char *const *set, size_t n)
{
    struct buf scratch = {0};
    struct settings s;
    struct sweep sweep;
    struct plan plan;
    struct hash key;

    parse(&sweep, text, set, n);
    assert_int_equal(resolve_sweep(&sweep, TASK_NONE, NULL), 0);
    assert_int_equal(make_plan(&plan, &sweep, NULL, NULL), 0);
    plan_settings(&plan, 0, &s);
    key = settings_key(&s, sweep.swept, hash_text("d"), 0, 0, &scratch);
    buf_release(&scratch);
    plan_release(&plan);
    sweep_release(&sweep);
    return key;
}

static void test_keys(void **state)
{
    static const char text[] = HEAD "[program]\ncommand = t {a} {b}\n[grid]\na = 1, 2\nb = x, y\n";
    static const char turned[] =
        HEAD "[grid]\nb = x, y\na = 1, 2\n[program]\ncommand = t {a} {b}\n";
    static const char other[] = HEAD "[program]\ncommand = u {a} {b}\n[grid]\na = 1, 2\nb = x, y\n";
    static const char *const fixed[] = {"program.a=1", "program.stop_grace=5s"};
    static const char *const changed[] = {"grid.a=3"};

    (void)state;
    assert_true(hash_equal(key_of(text, NULL, 0), key_of(turned, NULL, 0)));
    assert_true(hash_equal(key_of(text, NULL, 0), key_of(text, fixed, 2)));
    assert_false(hash_equal(key_of(text, NULL, 0), key_of(other, NULL, 0)));
    assert_false(hash_equal(key_of(text, NULL, 0), key_of(text, changed, 1)));
}

static int is_one(void *condition, const struct sweep *sweep, const struct settings *point,
                  struct err *err)
{
    (void)condition;
    (void)err;
    return !strcmp(point->v[sweep->axes[0].id].s, "1");
}

/* sweep_write() of a point, and the packed plan, give the same key. */
static void test_round_trips(void **state)
{
    static const char text[] =
        HEAD "[program]\ncommand = sh -c \"a ; b\" {a} {b} {c}\nc = \" ;x\"\n"
             "[grid]\na = 1, 'x ; y', \"\\n\"\nb = 0.5 if a = 1\n";
    struct buf ini = {0}, packed = {0}, scratch = {0};
    struct sweep sweep, there;
    void *const conditions[] = {NULL, &there};
    const struct predicate predicate = {.holds = is_one, .conditions = conditions};
    struct settings s;
    struct plan plan, other;
    struct cursor in;

    (void)state;
    parse(&sweep, text, NULL, 0);
    assert_string_equal(sweep.fixed.v[P_COMMAND].s, "sh -c \"a ; b\" {a} {b} {c}");
    assert_int_equal(make_plan(&plan, &sweep, &predicate, NULL), 0);
    assert_int_equal(plan.n_configs, 3);
    plan_settings(&plan, 2, &s);
    assert_null(s.v[sweep.axes[1].id].s);
    plan_pack(&packed, &plan);
    in = (struct cursor){.data = packed.data, .size = packed.size};
    assert_int_equal(plan_unpack(&other, &there, &in, NULL), 0);
    for (int32_t c = 0; c < plan.n_configs; c++) {
        struct settings a, b, d;
        struct sweep again;
        struct hash key;

        plan_settings(&plan, c, &a);
        plan_settings(&other, c, &b);
        key = settings_key(&a, sweep.swept, hash_text(""), 0, 0, &scratch);
        assert_true(hash_equal(key, settings_key(&b, there.swept, hash_text(""), 0, 0, &scratch)));
        buf_clear(&ini);
        sweep_write(&ini, &sweep, a.v);
        parse(&again, buf_text(&ini), NULL, 0);
        settings_stored(&d, &again.fixed);
        settings_trim(&d);
        assert_true(hash_equal(key, settings_key(&d, again.swept, hash_text(""), 0, 0, &scratch)));
        sweep_release(&again);
    }
    for (size_t cut = 0; cut < packed.size; cut += 7) {
        struct plan broken;
        struct sweep lost;

        in = (struct cursor){.data = packed.data, .size = cut};
        assert_int_equal(plan_unpack(&broken, &lost, &in, NULL), -1);
    }
    plan_release(&other);
    sweep_release(&there);
    plan_release(&plan);
    sweep_release(&sweep);
    buf_release(&ini);
    buf_release(&packed);
    buf_release(&scratch);
}

static void test_refused(void **state)
{
    (void)state;
    assert_refused(HEAD "[program]\ncommand = t {x}\n[data]\nformat = tu\n[grid]\nx = 1\n",
                   "p.ini:6: [data] cannot stand beside [program], which reads its own data and "
                   "trains its own model: remove one of the two");
    assert_refused(HEAD "[program]\ncommand = t {filter}\n[grid]\nfilters = 1, 2\n",
                   "p.ini:5: command: {filter} at byte 3 is unknown: must be an axis of [grid], a "
                   "key of [program], or a name of espalier such as {seed}; did you mean "
                   "{filters}?");
    assert_refused(HEAD "[program]\ncommand = t {filters} {x}\n[grid]\nfilters = 1, 2\n",
                   "p.ini:5: command: {x} at byte 13 is unknown: must be an axis of [grid], a key "
                   "of [program], or a name of espalier such as {seed}; for braces write {{x}}");
    /* and nothing about the objective or the axes */
    assert_refused(HEAD "[programm]\ncommand = t {filters}\n[grid]\nfilters = 1, 2\n",
                   "p.ini:4: unknown section [programm]; did you mean [program]?");
    assert_refused(
        HEAD "[program]\ncommand = t\n[grid]\nfilters = 1, 2\n",
        "p.ini:7: 'filters' is not used: write {filters} in command or env, or set values "
        "= environment if the program reads ESPALIER_PARAM_filters");
    assert_refused(HEAD "[program]\ncommand = t {seed}\n[grid]\nfold = 1, 2\n",
                   "p.ini:7: 'fold' is a name of espalier: choose another, such as my_fold");
    assert_refused(
        HEAD "[program]\ncommand = t\n[grid]\nname = a, b\n",
        "p.ini:7: name is a setting of [sweep] and cannot be an axis: for an axis of your "
        "own choose another name, such as my_name");
    assert_refused(HEAD "[program]\ncommand = t {a}\n[grid]\na = 1e-3, 0.001\n",
                   "p.ini:7: a: 0.001 comes twice");
    assert_refused("[sweep]\nobjective = \n[program]\ncommand = t\n",
                   "p.ini:2: objective = : must be a name that the program reports: a letter, then "
                   "letters, digits and _ . / -, at most 63");
    assert_refused("[program]\ncommand = t\n",
                   "p.ini: [sweep] objective is not set: must be the name of a number that the "
                   "program reports, such as val_loss");
    assert_refused(HEAD "[program]\nshell = yes\n",
                   "p.ini:4: [program] command is not set: the command line that starts a trial");
    assert_refused(HEAD "[program]\ncommand = t 'x\n",
                   "p.ini:5: command: byte 3: the quote ' is not "
                   "closed");
    assert_refused(
        HEAD "[program]\ncommand = t\n[resources]\ngpus = 0.7\n",
        "p.ini:7: gpus = 0.7: must be 0, a whole number up to 128, or a part of one GPU as a "
        "decimal number: 0.5, 0.333, 0.25 ... down to 0.03125 (32 ranks on a GPU)");
    assert_refused(
        HEAD "[program]\ncommand = t\nkeep_files = ../x\n",
        "p.ini:6: keep_files = ../x: must be names of files and folders in {dir}, separated by "
        "commas");
    assert_refused(HEAD "[program]\ncommand = t\nkeep_files = curve.jsonl , a\n",
                   "p.ini:6: keep_files: 'curve.jsonl' is a name of espalier: choose another");
    assert_refused("[data]\nformat = inputs\n",
                   "p.ini:2: format = inputs is implied by a section [program]: remove it");
}

static void test_direction(void **state)
{
    static const struct {
        const char *name, *direction;
    } cases[] = {{"val_accuracy", "max"}, {"loss", "min"},    {"dev_rmse", "min"},
                 {"val/macro_f1", "max"}, {"roc_auc", "max"}, {"val_error", "min"},
                 {"score", NULL}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf direction = {0};
        struct sweep sweep;
        char text[128];
        int rc;

        snprintf(text, sizeof text, "[sweep]\nobjective = %s\n[program]\ncommand = t\n",
                 cases[i].name);
        parse(&sweep, text, NULL, 0);
        rc = resolve_sweep(&sweep, TASK_NONE, NULL);
        assert_int_equal(rc, cases[i].direction ? 0 : -1);
        param_format(&direction, P_DIRECTION, sweep.fixed.v[P_DIRECTION]);
        assert_string_equal(buf_text(&direction), cases[i].direction ? cases[i].direction : "auto");
        buf_release(&direction);
        sweep_release(&sweep);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_free_axes),   cmocka_unit_test(test_keys),
        cmocka_unit_test(test_round_trips), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_direction),
    };

    return cmocka_run_group_tests_name("sweep_program", tests, NULL, NULL);
}
