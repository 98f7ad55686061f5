/* SPDX-License-Identifier: BSD-3-Clause */
/* The proposals of `init`, how it shrinks them, and their text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/init/init_propose.h"

static struct init_facts panel(int32_t n, int32_t n_features)
{
    return (struct init_facts){.format = &genotype_format,
                               .n_samples = n,
                               .n_labelled = n,
                               .n_features = n_features,
                               .is_dosages = true};
}

static struct init_facts graphs(const struct data_format *format, int32_t n)
{
    return (struct init_facts){.format = format,
                               .is_classification = true,
                               .n_samples = n,
                               .n_labelled = n,
                               .n_features = 62,
                               .n_classes = 2,
                               .n_rarest = n / 2};
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

static void small_panels_repeat_more(void **state)
{
    struct init_facts small = panel(60, 40), middle = panel(400, 300), large = panel(30000, 900);

    (void)state;
    propose_for(&small);
    assert_string_equal(value_of(P_REPLICATES), "10");
    assert_string_equal(value_of(P_FOLDS), "5");
    assert_string_equal(value_of(P_STOP), "0.2");
    assert_null(init_lines_find(&lines, P_VAL));
    propose_for(&middle);
    assert_string_equal(value_of(P_REPLICATES), "5");
    assert_string_equal(value_of(P_STOP), "0.2"); /* 51 of 256; a tenth would be 25 */
    propose_for(&large);
    assert_string_equal(value_of(P_REPLICATES), "3"); /* one has no interval */
    assert_string_equal(value_of(P_FOLDS), "0");
    assert_string_equal(value_of(P_VAL), "0.2");
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

static void a_dozen_samples_have_no_correlation(void **state)
{
    struct init_facts f = panel(12, 100);

    (void)state;
    propose_for(&f);
    assert_string_equal(value_of(P_OBJECTIVE), "val_rmse");
    f = panel(60, 100);
    propose_for(&f);
    assert_string_equal(value_of(P_OBJECTIVE), "val_pearson");
    assert_string_equal(value_of(P_FOLDS), "5");
}

static void molecules_are_summed_up_first(void **state)
{
    struct init_facts f = graphs(&smiles_format, 1000);

    (void)state;
    propose_for(&f);
    assert_string_equal(value_of(P_POOL), "sum");
    while (propose_smaller(&lines, &f))
        ;
    assert_string_equal(value_of(P_POOL), "sum");
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
    assert_string_equal(value_of(P_METRIC), "kinship");
    few.is_dosages = false;
    propose_for(&few);
    assert_string_equal(value_of(P_METRIC), "correlation");
    propose_for(&many); /* ridge solves equations of the size of the samples */
    assert_false(init_lines_has_value(&lines, P_TYPE, "ridge"));
    assert_null(init_lines_find(&lines, P_LAMBDA));
    propose_for(&molecules);
    assert_false(init_lines_has_value(&lines, P_TYPE, "ridge"));
    assert_true(init_lines_has_value(&lines, P_TYPE, "mlp"));
    assert_string_equal(value_of(P_BATCH_NORM), "yes");
    assert_string_equal(value_of(P_BATCH_SIZE), "64");
    assert_null(init_lines_find(&lines, P_K));
}

static void many_markers_are_reduced(void **state)
{
    struct init_facts f = panel(162, 53859);

    (void)state;
    propose_for(&f);
    assert_string_equal(value_of(P_REDUCE), "exact");
    f.n_features = 200;
    propose_for(&f);
    assert_null(init_lines_find(&lines, P_REDUCE));
}

static void objectives_suit_the_classes(void **state)
{
    struct init_facts f = graphs(&smiles_format, 1000);

    (void)state;
    propose_for(&f);
    assert_string_equal(value_of(P_OBJECTIVE), "val_accuracy");
    f.n_rarest = 5;
    propose_for(&f);
    assert_string_equal(value_of(P_OBJECTIVE), "val_log_loss");
    f.n_rarest = 200;
    propose_for(&f);
    assert_string_equal(value_of(P_OBJECTIVE), "val_roc_auc");
    f.n_classes = 7;
    propose_for(&f);
    assert_string_equal(value_of(P_OBJECTIVE), "val_accuracy");
    f.is_classification = false;
    propose_for(&f);
    assert_string_equal(value_of(P_OBJECTIVE), "val_r2");
    f = panel(100, 20);
    propose_for(&f);
    assert_string_equal(value_of(P_OBJECTIVE), "val_pearson");
}

static void folds_fit_the_groups(void **state)
{
    struct init_facts f = panel(300, 100);

    (void)state;
    assert_false(propose_group(3, false)); /* too few for test, stop and folds */
    assert_true(propose_group(7, false));
    assert_false(propose_group(18, true));
    f.n_groups = 7;
    propose_for(&f);
    assert_string_equal(value_of(P_FOLDS), "3");
    f.n_groups = 18;
    propose_for(&f);
    assert_string_equal(value_of(P_FOLDS), "5");
}

static void given_parts_are_used(void **state)
{
    struct init_facts f = panel(300, 100);

    (void)state;
    f.has_split = true;
    f.n_train = 160, f.n_val = 70;
    propose_for(&f);
    assert_null(init_lines_find(&lines, P_TEST));
    assert_null(init_lines_find(&lines, P_VAL));
    assert_string_equal(value_of(P_FOLDS), "0");
    assert_string_equal(value_of(P_STOP), "0.2"); /* 32 of 160 */
    f.n_stop = 30;
    propose_for(&f);
    assert_null(init_lines_find(&lines, P_STOP));
    f.n_stop = f.n_val = 0; /* train and test only */
    propose_for(&f);
    assert_string_equal(value_of(P_FOLDS), "5");
    assert_string_equal(value_of(P_STOP), "0.25"); /* of 128 */
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
        cmocka_unit_test(small_panels_repeat_more),
        cmocka_unit_test(parts_are_large_enough_where_they_can),
        cmocka_unit_test(a_dozen_samples_have_no_correlation),
        cmocka_unit_test(molecules_are_summed_up_first),
        cmocka_unit_test(a_baseline_stands_beside),
        cmocka_unit_test(many_markers_are_reduced),
        cmocka_unit_test(objectives_suit_the_classes),
        cmocka_unit_test(folds_fit_the_groups),
        cmocka_unit_test(given_parts_are_used),
        cmocka_unit_test(shrinking_ends_and_keeps_the_types),
        cmocka_unit_test(the_best_known_value_stays_longest),
        cmocka_unit_test(text_is_sorted_and_commented),
        cmocka_unit_test(names_that_a_file_cannot_hold_are_refused),
        cmocka_unit_test(paths_are_seen_from_the_output),
    };

    return cmocka_run_group_tests(tests, NULL, release);
}
