/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/param.h"
#include "base/nearest.h"
#include "base/real.h"
#include "unit.h"

static void assert_formats(enum param_id id, const char *text, const char *canonical)
{
    union value value;
    struct buf out = {0};
    struct err err = {.text = ""};

    if (param_parse(&value, id, text, &err))
        fail_msg("%s", err.text);
    param_format(&out, id, value);
    assert_string_equal(buf_text(&out), canonical);
    buf_release(&out);
}

static void assert_refused(enum param_id id, const char *text, const char *message)
{
    union value value;
    struct err err = {.text = ""};

    assert_int_equal(param_parse(&value, id, text, &err), -1);
    assert_string_equal(err.text, message);
}

static void test_table_is_sound(void **state)
{
    struct err err;

    (void)state;
    for (int id = 0; id < P_COUNT; id++) {
        const struct param *p = &param_table[id];
        union value value;

        assert_int_equal(param_parse(&value, (enum param_id)id, p->default_text, &err), 0);
        assert_true(strlen(p->help) > 0);
        /* views have columns of these names */
        assert_int_equal(param_find(NULL, p->key), id);
        /* they would have no owner */
        if (p->flags & PARAM_AXIS)
            assert_true(p->type != PARAM_TEXT && p->type != PARAM_PATH);
        /* a section is one block of a sweep file */
        if (id > 0 && strcmp(p->section, param_table[id - 1].section) != 0)
            for (int before = 0; before < id; before++)
                assert_string_not_equal(param_table[before].section, p->section);
    }
}

static void test_find(void **state)
{
    (void)state;
    assert_int_equal(param_find("model", "dropout"), P_DROPOUT);
    assert_int_equal(param_find("train", "dropout"), P_COUNT);
    assert_int_equal(param_find_name("dropout"), P_DROPOUT);
    assert_int_equal(param_find_name("graph.k"), P_K);
    assert_int_equal(param_find_name("model.k"), P_COUNT);
    assert_int_equal(param_find_name("split.file"), P_SPLIT_FILE);
    assert_int_equal(param_find_name("graph.k.k"), P_COUNT);
    assert_int_equal(param_find_name(""), P_COUNT);
    assert_true(param_is_section("resources"));
    assert_false(param_is_section("grid"));
}

static void test_suggest(void **state)
{
    (void)state;
    assert_string_equal(param_suggest("model", "hiden_size", NULL), "[model] hidden_size");
    assert_string_equal(param_suggest("model", "learning_rate", NULL), "[train] learning_rate");
    assert_string_equal(param_suggest("train", "lr", NULL), "[train] learning_rate");
    assert_string_equal(param_suggest(NULL, "batch_siz", NULL), "[train] batch_size");
    assert_string_equal(param_suggest("train", "Epochs", NULL), "[train] epochs");
    assert_string_equal(param_suggest(NULL, "model.droput", NULL), "[model] dropout");
    assert_null(param_suggest("model", "colour", NULL));
    assert_null(param_suggest("program", "lr", MODELS_PROGRAM));
    assert_string_equal(param_suggest("program", "comand", MODELS_PROGRAM), "[program] command");
    assert_string_equal(param_suggest_section("gird"), "grid");
    assert_string_equal(param_suggest_section("models"), "model");
    assert_null(param_suggest_section("hyperparameters"));
    assert_int_equal(nearest_distance("ab", "ba"), NEAREST_FAR);
    assert_int_equal(nearest_distance("dorpout", "dropout"), 1);
    assert_int_equal(nearest_distance("a very long word that no key is anywhere near", "k"),
                     NEAREST_FAR);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_formats(P_HIDDEN_SIZE, "64", "64");
    assert_formats(P_HIDDEN_SIZE, "+064", "64");
    assert_formats(P_HIDDEN_SIZE, "1.6e1", "16");
    assert_formats(P_SEED, "9007199254740992", "9007199254740992");
    assert_formats(P_SEED, "9007199254740991", "9007199254740991");
    assert_formats(P_SEED, "9E15", "9000000000000000");
    assert_formats(P_DROPOUT, ".50", "0.5");
    assert_formats(P_DROPOUT, "-0", "0");
    assert_formats(P_LEARNING_RATE, "1e-3", "0.001");
    assert_formats(P_LEARNING_RATE, "0.1000000000000000055", "0.1");
    assert_formats(P_LEARNING_RATE, "0.30000000000000004", "0.30000000000000004");
    assert_formats(P_LEARNING_RATE, "10", "10");
    assert_formats(P_LEARNING_RATE, "1e-8", "1e-08");
    assert_formats(P_THRESHOLD, "-1e5", "-100000");
    assert_formats(P_BATCH_SIZE, "full", "full");
    assert_formats(P_BATCH_SIZE, "32", "32");
    assert_formats(P_BATCH_SIZE, "1e9", "1000000000");
    assert_formats(P_FOLDS, "1e1", "10");
    assert_formats(P_REDUCE, "none", "none");
    assert_formats(P_REDUCE, "exact", "exact");
    assert_formats(P_REDUCE, "pca:20", "pca:20");
    assert_formats(P_REDUCE, "pca:020", "pca:20");
    assert_formats(P_REDUCE, "pca:1e3", "pca:1000");
    assert_formats(P_ACTIVATION, "tanh", "tanh");
    assert_formats(P_GENOTYPES, "a b.csv", "a b.csv");
    assert_formats(P_TRIAL_TIMEOUT, "1.5m", "90s");
    assert_formats(P_TRIAL_TIMEOUT, "0.000001", "1e-06");
    assert_formats(P_TRIAL_TIMEOUT, "1e-06", "1e-06");
}

static void test_refused(void **state)
{
    static const char *const no_reduction[] = {
        "",      "pca",       "pca:",     "pca:0",   "pca:-1",          "pca:2.5",
        "pca:x", "pca:2 0",   "PCA:20",   "pca: 20", "pca:99999999999", "exactly",
        "auto",  "pca:5:9:2", "log(1,2)", "pca:1e10"};

    (void)state;
    assert_refused(P_DROPOUT, "1.2", "dropout = 1.2: must be in [0, 1)");
    assert_refused(P_MEMORY, "4GB",
                   "memory = 4GB: must be a number in [0, 1000000]; write the number alone, its "
                   "unit is GB");
    assert_refused(P_PATIENCE, "30 epochs",
                   "patience = 30 epochs: must be an integer in [0, 10000000]; write the number "
                   "alone, its unit is epochs");
    assert_refused(
        P_DROPOUT, "0.2 # low",
        "dropout = 0.2 # low: must be a number in [0, 1) (a comment after a value begins "
        "with ' ;')");
    assert_refused(P_DROPOUT, "1", "dropout = 1: must be in [0, 1)");
    assert_refused(P_LEARNING_RATE, "0", "learning_rate = 0: must be in (0, 1000]");
    assert_refused(P_LEARNING_RATE, "1e999",
                   "learning_rate = 1e999: must be a number in (0, 1000]");
    assert_refused(P_LEARNING_RATE, "nan", "learning_rate = nan: must be a number in (0, 1000]");
    assert_refused(P_LEARNING_RATE, "0x1p-3",
                   "learning_rate = 0x1p-3: must be a number in (0, 1000]");
    assert_refused(P_LEARNING_RATE, "0,1",
                   "learning_rate = 0,1: must be a number in (0, 1000]; if 0,1 is one number, use "
                   "a decimal point: 0.1");
    assert_refused(P_TYPE, "GCN",
                   "type = GCN: must be gcn | mlp | ridge | fixed | noop; did you mean gcn?");
    assert_refused(P_TYPE, "rr-BLUP",
                   "type = rr-BLUP: must be gcn | mlp | ridge | fixed | noop; did you mean ridge?");
    assert_refused(P_TYPE, "nn",
                   "type = nn: must be gcn | mlp | ridge | fixed | noop; did you mean mlp?");
    assert_refused(P_TYPE, "xgboost", "type = xgboost: must be gcn | mlp | ridge | fixed | noop");
    assert_refused(P_LAYERS, "9", "layers = 9: must be in [1, 8]");
    assert_refused(P_LAYERS, "2.0", "layers = 2.0: must be an integer in [1, 8]");
    assert_refused(P_LAYERS, "", "layers = : must be an integer in [1, 8]");
    assert_refused(P_LAYERS, "-", "layers = -: must be an integer in [1, 8]");
    assert_refused(P_LAYERS, "99999999999999999999",
                   "layers = 99999999999999999999: must be in [1, 8]");
    assert_refused(P_WORKERS, "1e9", "workers = 1e9: must be in [1, 1024]");
    assert_refused(P_WORKERS, "-1e30", "workers = -1e30: must be in [1, 1024]");
    assert_refused(P_WORKERS, "1e-1", "workers = 1e-1: must be an integer in [1, 1024]");
    assert_refused(P_WORKERS, "1.25e1", "workers = 1.25e1: must be an integer in [1, 1024]");
    assert_refused(P_WORKERS, "1e", "workers = 1e: must be an integer in [1, 1024]");
    assert_refused(P_WORKERS, "0x10", "workers = 0x10: must be an integer in [1, 1024]");
    assert_refused(P_BATCH_SIZE, "0", "batch_size = 0: must be in [1, 1000000000], or full");
    assert_refused(P_BATCH_SIZE, "all",
                   "batch_size = all: must be an integer in [1, 1000000000], or full");
    for (size_t i = 0; i < sizeof no_reduction / sizeof *no_reduction; i++) {
        char message[200];

        snprintf(message, sizeof message,
                 "reduce = %s: must be none | exact | pca:K, K an integer in [1, 1000000000]",
                 no_reduction[i]);
        assert_refused(P_REDUCE, no_reduction[i], message);
    }
    assert_refused(P_ACTIVATION, "rel",
                   "activation = rel: must be relu | tanh | elu | gelu; did you mean relu?");
    assert_refused(P_ACTIVATION, "relu|tanh",
                   "activation = relu|tanh: must be relu | tanh | elu | gelu");
    assert_refused(P_ACTIVATION, "", "activation = : must be relu | tanh | elu | gelu");
    assert_refused(P_TRIAL_TIMEOUT, "soon",
                   "trial_timeout = soon: must be a duration such as 90s, 15m, 2h or 1-12:00:00");
}

/* The same bits, for any digits. */
static void test_round_trip(void **state)
{
    uint64_t bits = 88172645463325252u;
    struct buf out = {0};

    (void)state;
    for (int i = 0; i < 20000; i++) {
        double value, again;

        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        value = (double)bits / 1.8446744073709552e19 * (i % 3 ? 1 : 1e-9);
        buf_clear(&out);
        real_format(&out, value);
        assert_int_equal(real_parse(&again, buf_text(&out)), 0);
        assert_true(value == again);
    }
    buf_release(&out);
}

static void test_allowed(void **state)
{
    struct buf out = {0};

    (void)state;
    param_allowed(&out, P_VAL);
    buf_putc(&out, '\n');
    param_allowed(&out, P_THRESHOLD);
    buf_putc(&out, '\n');
    param_allowed(&out, P_CLASS_WEIGHTS);
    buf_putc(&out, '\n');
    param_allowed(&out, P_BATCH_SIZE);
    buf_putc(&out, '\n');
    param_allowed(&out, P_REDUCE);
    assert_string_equal(buf_text(&out), "number in (0, 1)\nnumber in [-1000000, 1000000]\n"
                                        "none | balanced\ninteger in [1, 1000000000], or full\n"
                                        "none | exact | pca:K, K an integer in [1, 1000000000]");
    buf_release(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_is_sound), cmocka_unit_test(test_find),
        cmocka_unit_test(test_suggest),        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_refused),        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_allowed),
    };

    return cmocka_run_group_tests_name("param", tests, NULL, NULL);
}
