/* SPDX-License-Identifier: BSD-3-Clause */
/* The proposals of `init`, how it shrinks them, and their text. */
#include <unistd.h>

#include "cli/init/init_propose.h"
#include "resolve.h"
#include "unit.h"

/* The facts of a panel, and of molecules; then others. */
#define PANEL(n, features, ...)                                                                    \
    {                                                                                              \
        .format = &genotype_format, .n_samples = (n), .n_labelled = (n), .n_features = (features), \
        .is_dosages = true, __VA_ARGS__                                                            \
    }
#define GRAPHS(n, ...)                                                                            \
    {                                                                                             \
        .format = &smiles_format, .is_classification = true, .n_samples = (n), .n_labelled = (n), \
        .n_features = 62, __VA_ARGS__                                                             \
    }

static struct init_facts panel(int32_t n, int32_t n_features)
{
    return (struct init_facts)PANEL(n, n_features);
}

static struct init_facts graphs(const struct data_format *format, int32_t n)
{
    struct init_facts facts = GRAPHS(n, .n_classes = 2, .n_rarest = n / 2);

    facts.format = format;
    return facts;
}

/* Valid until the next one. */
static struct init_lines lines;

static void propose_for(const struct init_facts *f)
{
    init_lines_release(&lines);
    propose(&lines, f);
    assert_false(lines.has_failed);
}

static int release(void **state)
{
    (void)state;
    init_lines_release(&lines);
    return 0;
}

/* The first of an axis. */
static const char *value_of(enum param_id id)
{
    static char value[64];
    const struct init_line *line = init_lines_find(&lines, id);

    snprintf(value, sizeof value, "%s", line ? buf_text(&line->value) : "");
    value[strcspn(value, " ")] = '\0';
    return value;
}

static int values_of(enum param_id id)
{
    const struct init_line *line = init_lines_find(&lines, id);
    int n = line != NULL;

    for (const char *at = line ? buf_text(&line->value) : ""; (at = strchr(at, ' ')); at++)
        n++;
    return n;
}

static const struct init_facts *everything(int *n)
{
    static struct init_facts facts[40];

    *n = 0;
    for (int32_t size = 12; size < 200000; size *= 7) {
        facts[(*n)++] = panel(size, 10 * size);
        facts[(*n)++] = graphs(&tu_format, size);
        facts[(*n)++] = graphs(&smiles_format, size);
        facts[*n] = graphs(&graph_format, size);
        facts[*n].has_edges = facts[*n].is_sparse = true;
        (*n)++;
    }
    facts[*n] = graphs(&graph_format, 2708);
    facts[*n].has_split = facts[*n].has_edges = true;
    facts[*n].n_train = 140, facts[*n].n_val = 500;
    (*n)++;
    return facts;
}

/* The budget compares texts with those of a plan. */
static void check_value(enum param_id id, const char *text)
{
    struct buf shown = {0};
    union value value;
    struct err err;

    assert_int_equal(param_parse(&value, id, text, &err), 0);
    param_format(&shown, id, value);
    if (param_table[id].flags & PARAM_AXIS && strcmp(text, "5e-4") != 0 &&
        strcmp(text, "1e-4") != 0)
        assert_string_equal(buf_text(&shown), text);
    buf_release(&shown);
}

static void values_are_valid(void **state)
{
    int n;
    const struct init_facts *facts = everything(&n);

    (void)state;
    for (int i = 0; i < n; i++) {
        propose_for(&facts[i]);
        for (int32_t k = 0; k < lines.n; k++) {
            const struct init_line *line = &lines.line[k];
            char *values = strdup(buf_text(&line->value)), *rest = values, *value;

            assert_true(line->comment.size > 0);
            assert_ptr_equal(init_lines_find(&lines, line->id), line);
            assert_true(line->kind != INIT_AXIS || param_table[line->id].flags & PARAM_AXIS);
            while ((value = strsep(&rest, " ")))
                check_value(line->id, value);
            free(values);
        }
    }
}

static const struct expected {
    struct init_facts facts;
    struct {
        enum param_id id;
        const char *value; /* the first of an axis; "": the setting is missing */
    } want[6];             /* ends with a NULL value */
} expected[] = {
    /* Small panels repeat more; one replicate has no interval. 51 of 256 stop; a tenth would be 25. */
    {PANEL(60, 40), {{P_REPLICATES, "10"}, {P_FOLDS, "5"}, {P_STOP, "0.2"}, {P_VAL, ""}}},
    {PANEL(400, 300), {{P_REPLICATES, "5"}, {P_STOP, "0.2"}}},
    {PANEL(30000, 900), {{P_REPLICATES, "3"}, {P_FOLDS, "0"}, {P_VAL, "0.2"}}},
    /* A dozen samples have no correlation. */
    {PANEL(12, 100), {{P_OBJECTIVE, "val_rmse"}}},
    {PANEL(60, 100), {{P_OBJECTIVE, "val_pearson"}, {P_FOLDS, "5"}}},
    /* Many markers are reduced. */
    {PANEL(162, 53859), {{P_REDUCE, "exact"}}},
    {PANEL(162, 200), {{P_REDUCE, ""}}},
    /* Objectives suit the classes. */
    {GRAPHS(1000, .n_classes = 2, .n_rarest = 500), {{P_OBJECTIVE, "val_accuracy"}}},
    {GRAPHS(1000, .n_classes = 2, .n_rarest = 5), {{P_OBJECTIVE, "val_log_loss"}}},
    {GRAPHS(1000, .n_classes = 2, .n_rarest = 200), {{P_OBJECTIVE, "val_roc_auc"}}},
    {GRAPHS(1000, .n_classes = 7, .n_rarest = 200), {{P_OBJECTIVE, "val_accuracy"}}},
    {{.format = &smiles_format, .n_samples = 1000, .n_labelled = 1000}, {{P_OBJECTIVE, "val_r2"}}},
    /* Folds fit the groups. */
    {PANEL(300, 100, .n_groups = 7), {{P_FOLDS, "3"}}},
    {PANEL(300, 100, .n_groups = 18), {{P_FOLDS, "5"}}},
    /* Given parts are used: 32 of 160 samples stop, or none if a part does, or a quarter of 128. */
    {PANEL(300, 100, .has_split = true, .n_train = 160, .n_val = 70),
     {{P_TEST, ""}, {P_VAL, ""}, {P_FOLDS, "0"}, {P_STOP, "0.2"}}},
    {PANEL(300, 100, .has_split = true, .n_train = 160, .n_val = 70, .n_stop = 30), {{P_STOP, ""}}},
    {PANEL(300, 100, .has_split = true, .n_train = 160), {{P_FOLDS, "5"}, {P_STOP, "0.25"}}},
    /* The graph is of kinship only for dosages. Molecules are summed up first. */
    {PANEL(500, 100), {{P_METRIC, "kinship"}}},
    {{.format = &genotype_format, .n_samples = 500, .n_labelled = 500, .n_features = 100},
     {{P_METRIC, "correlation"}}},
    {GRAPHS(2000, .n_classes = 2, .n_rarest = 1000),
     {{P_POOL, "sum"}, {P_BATCH_NORM, "yes"}, {P_BATCH_SIZE, "64"}, {P_K, ""}}},
};

static void proposals_suit_the_facts(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        propose_for(&expected[i].facts);
        for (int k = 0; expected[i].want[k].value; k++)
            if (strcmp(value_of(expected[i].want[k].id), expected[i].want[k].value) != 0)
                fail_msg("%zu: %s = %s, want %s", i, param_table[expected[i].want[k].id].key,
                         value_of(expected[i].want[k].id), expected[i].want[k].value);
    }
    assert_false(propose_group(3, false)); /* too few for test, stop and folds */
    assert_true(propose_group(7, false));
    assert_false(propose_group(18, true));
}

static void count_parts(int32_t *val, int32_t *stop, int32_t n)
{
    int32_t folds = atoi(value_of(P_FOLDS)), dealt = n - n / 5;

    *val = folds ? dealt / folds : n / 5;
    *stop = (int32_t)((dealt - *val - (folds && dealt % folds)) * atof(value_of(P_STOP)));
}

static void parts_are_large_enough_where_they_can(void **state)
{
    int32_t val, stop;

    (void)state;
    for (int32_t n = 112; n < 30000; n += 1 + n / 50) {
        struct init_facts f = panel(n, 100);
        int32_t least = 180; /* below, two folds leave too little to train on */

        propose_for(&f);
        do {
            count_parts(&val, &stop, n);
            assert_true(val >= 30);
            assert_true(n < least || stop >= 30);
            least = 255;
        } while (propose_smaller(&lines, &f));
    }
}

static void a_baseline_stands_beside(void **state)
{
    struct init_facts few = panel(500, 100), many = panel(30000, 100);
    struct init_facts molecules = graphs(&smiles_format, 2000);

    (void)state;
    propose_for(&few);
    assert_true(init_lines_has_value(&lines, P_TYPE, "ridge") &&
                init_lines_has_value(&lines, P_TYPE, "mlp"));
    assert_int_equal(values_of(P_LAMBDA), 8);
    propose_for(&many); /* ridge solves equations of the size of the samples */
    assert_false(init_lines_has_value(&lines, P_TYPE, "ridge"));
    assert_null(init_lines_find(&lines, P_LAMBDA));
    propose_for(&molecules);
    assert_false(init_lines_has_value(&lines, P_TYPE, "ridge"));
    assert_true(init_lines_has_value(&lines, P_TYPE, "mlp"));
    while (propose_smaller(&lines, &molecules))
        ;
    assert_string_equal(value_of(P_POOL), "sum");
}

static int64_t size_of_sweep(void)
{
    int64_t n = propose_repeats(&lines) * atoi(value_of(P_EPOCHS));

    for (int32_t i = 0; i < lines.n; i++)
        n *= values_of(lines.line[i].id);
    return n;
}

static void shrinking_ends_and_keeps_the_types(void **state)
{
    int n;
    const struct init_facts *facts = everything(&n);

    (void)state;
    for (int i = 0; i < n; i++) {
        int64_t size, before;
        int steps = 0, types, epochs;

        propose_for(&facts[i]);
        size = size_of_sweep();
        types = values_of(P_TYPE);
        epochs = atoi(value_of(P_EPOCHS));
        while (before = size, propose_smaller(&lines, &facts[i])) {
            size = size_of_sweep();
            assert_true(size < before);
            assert_true(++steps < 100);
        }
        assert_true(steps > 0);
        assert_int_equal(size, before);
        assert_int_equal(values_of(P_TYPE), types);
        assert_int_equal(atoi(value_of(P_EPOCHS)), epochs / 2);
        assert_true(propose_repeats(&lines) >= 1);
    }
}

static void the_best_known_value_stays_longest(void **state)
{
    struct init_facts f = panel(500, 100);

    (void)state;
    propose_for(&f);
    while (propose_smaller(&lines, &f))
        ;
    assert_true(init_lines_has_value(&lines, P_LAMBDA, "1"));
    assert_false(init_lines_has_value(&lines, P_LAMBDA, "100"));
    assert_true(init_lines_has_value(&lines, P_LEARNING_RATE, "0.003"));
    assert_string_equal(value_of(P_LAYERS), "2"); /* not an axis: stays */
}

/* ---- the search ---- */

/* Grids of configurations of 10 s each, and what fits them to a budget. */
static const struct {
    struct init_facts facts;
    int32_t n;
    double budget_s;
    bool fits;
    const char *propose, *allocate, *configs; /* "": no line */
    double most_s;                            /* of those that run */
} searches[] = {
    {PANEL(500, 100), 62, 620, true, "", "", "", 620},
    {PANEL(500, 100), 62, 619, true, "", "race", "", 620},
    {PANEL(500, 100), 62, 240, true, "model", "", "24", 240}, /* the model sees all folds */
    {PANEL(500, 100), 62, 239, false, "", "", "", 620},
    {GRAPHS(2000), 62, 600, true, "", "halving", "", 620},
    {GRAPHS(2000), 62, 100, true, "model", "halving", "31", 310},
    {GRAPHS(2000), 62, 60, false, "", "", "", 620},
    {GRAPHS(2000), 8, 79, false, "", "", "", 80},
    {GRAPHS(30000), 62, 600, true, "", "race", "", 620}, /* without folds */
};

static void a_search_fits_the_budget(void **state)
{
    struct settings fixed;

    (void)state;
    default_settings(&fixed);
    for (size_t i = 0; i < sizeof searches / sizeof *searches; i++) {
        struct init_cost cost = {.n_configs = searches[i].n,
                                 .full_s = searches[i].n * 10,
                                 .budget_s = searches[i].budget_s};
        const bool has_ranges = *searches[i].propose;
        struct axis rate = {.id = P_LEARNING_RATE, .row = &param_table[P_LEARNING_RATE]};
        struct err err;

        propose_for(&searches[i].facts);
        assert_int_equal(propose_search(&lines, &searches[i].facts, &fixed, &cost),
                         searches[i].fits);
        assert_string_equal(value_of(P_PROPOSE), searches[i].propose);
        assert_string_equal(value_of(P_ALLOCATE), searches[i].allocate);
        assert_string_equal(value_of(P_CONFIGS), searches[i].configs);
        assert_float_equal(cost.full_s, searches[i].most_s, 1e-6);
        assert_true(!searches[i].fits || cost.expected_s <= cost.budget_s);
        assert_int_equal(init_lines_find(&lines, P_LEARNING_RATE)->kind,
                         has_ranges ? INIT_RANGE : INIT_AXIS);
        if (has_ranges)
            assert_int_equal(
                axis_parse(&rate, buf_text(&init_lines_find(&lines, P_LEARNING_RATE)->value), &err),
                0);
        axis_release(&rate);
    }
}

/* ---- text ---- */

static void text_is_sorted_and_commented(void **state)
{
    struct init_facts f = panel(500, 100);
    struct buf text = {0};

    (void)state;
    propose_for(&f);
    init_lines_add(&lines, INIT_SET, P_TRAIT, ";x", "what");
    init_lines_add(&lines, INIT_OFF, P_FIXED, "a, b", "also");
    init_lines_add(&lines, INIT_OFF, P_FIXED, "a ;b", "left out");
    assert_false(lines.has_failed);
    init_write(&text, &lines);
    assert_ptr_equal(strstr(buf_text(&text), "\n[sweep]\n"), buf_text(&text));
    assert_non_null(strstr(buf_text(&text), "\n[data]\ntrait         =;x "));
    assert_non_null(strstr(buf_text(&text), "\n; fixed       = a, b "));
    assert_null(strstr(buf_text(&text), "left out"));
    assert_non_null(
        strstr(buf_text(&text), "\nlambda        = 0.03, 0.1, 0.3, 1, 3, 10, 30, 100 "));
    assert_non_null(strstr(buf_text(&text), "\ntype          = gcn, mlp, ridge "));
    buf_release(&text);
}

static void names_that_a_file_cannot_hold_are_refused(void **state)
{
    static const char *const bad[] = {"a ;b", "a\nb", " a", "a ", "", "${HOME}"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        init_lines_release(&lines);
        init_lines_add(&lines, INIT_SET, P_TRAIT, bad[i], "");
        assert_true(lines.has_failed);
        assert_ptr_equal(strstr(lines.err.text, "trait = \""), lines.err.text);
        assert_non_null(strstr(lines.err.text, "rename it"));
        assert_int_equal(lines.n, 0);
    }
}

static void check_path(const char *output, const char *path, const char *wanted)
{
    struct buf out = {0};

    init_path(&out, output, path);
    assert_string_equal(buf_text(&out), wanted);
    buf_release(&out);
}

static void paths_are_seen_from_the_output(void **state)
{
    char folder[] = "/tmp/init_propose.XXXXXX", old[4096], wanted[64];

    (void)state;
    assert_non_null(getcwd(old, sizeof old));
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    assert_int_equal(system("mkdir -p a/b ab; touch x.csv a/x.csv ab/x.csv; ln -s /tmp link"), 0);
    check_path("grid.ini", "a/x.csv", "a/x.csv");
    check_path("-", "a/x.csv", "a/x.csv");
    check_path("a/grid.ini", "a/x.csv", "x.csv");
    check_path("a/grid.ini", "x.csv", "../x.csv");
    check_path("a/grid.ini", "ab/x.csv", "../ab/x.csv");
    check_path("./grid.ini", "ab/x.csv", "ab/x.csv");
    check_path("a/b/grid.ini", "ab/x.csv", "../../ab/x.csv");
    check_path("ab/grid.ini", "a/b/", "../a/b/");
    check_path("a/grid.ini", "/data/x.csv", "/data/x.csv");
    snprintf(wanted, sizeof wanted, "%s/x.csv", folder);
    check_path("link/grid.ini", "x.csv", wanted);
    check_path("../grid.ini", "x.csv", wanted);
    assert_int_equal(system("rm -r a ab x.csv link"), 0);
    assert_int_equal(chdir(old), 0);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_valid),
        cmocka_unit_test(proposals_suit_the_facts),
        cmocka_unit_test(parts_are_large_enough_where_they_can),
        cmocka_unit_test(a_baseline_stands_beside),
        cmocka_unit_test(shrinking_ends_and_keeps_the_types),
        cmocka_unit_test(the_best_known_value_stays_longest),
        cmocka_unit_test(a_search_fits_the_budget),
        cmocka_unit_test(text_is_sorted_and_commented),
        cmocka_unit_test(names_that_a_file_cannot_hold_are_refused),
        cmocka_unit_test(paths_are_seen_from_the_output),
    };

    return cmocka_run_group_tests(tests, NULL, release);
}
