/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "data/core/builder.h"
#include "data/core/split.h"
#include "unit.h"

#define MAX_N 500

/* Sample i has class pattern[i % strlen(pattern)], '.' for none. NULL: regression, with every tenth
 * target missing. */
static void make(struct dataset *d, int32_t n, const char *pattern, const uint8_t *part)
{
    static const char *const class_names[] = {"a", "b", "c"};
    static const char *ids[MAX_N];
    static float features[MAX_N], target[MAX_N];
    static int32_t label[MAX_N];
    struct draft draft = {.n_samples = n, .n_features = 1, .features = features, .part = part};
    struct err err = {""};

    for (int32_t i = 0; i < n; i++) {
        char c = pattern ? pattern[(size_t)i % strlen(pattern)] : '.';

        ids[i] = "x";
        label[i] = c == '.' ? -1 : c - 'a';
        target[i] = i % 10 == 9 ? NAN : (float)i;
    }
    draft.ids = ids;
    if (pattern) {
        draft.label = label;
        draft.n_classes = 3;
        draft.class_names = class_names;
    } else {
        draft.target = target;
    }
    if (draft_build(d, &draft, &err) != 0)
        fail_msg("%s", err.text);
}

static void split(struct split *s, const struct dataset *d, const struct split_spec *spec)
{
    struct err err = {""};

    if (split_make(s, d, spec, &err) != 0)
        fail_msg("%s", err.text);
}

/* Lists are sorted and disjoint and contain the labelled samples: all of them if there is no
 * file. */
static void check(const struct split *s, const struct dataset *d)
{
    const int32_t *list[] = {s->train, s->val, s->test, s->stop};
    int32_t n[] = {s->n_train, s->n_val, s->n_test, s->n_stop}, n_labelled = 0;
    bool is_in[MAX_N] = {false};

    for (int p = 0; p < 4; p++)
        for (int32_t i = 0; i < n[p]; i++) {
            assert_true(i == 0 || list[p][i] > list[p][i - 1]);
            assert_false(is_in[list[p][i]]);
            assert_true(dataset_is_labelled(d, list[p][i]));
            is_in[list[p][i]] = true;
        }
    for (int32_t i = 0; i < d->n_samples; i++)
        n_labelled += dataset_is_labelled(d, i);
    if (!d->part)
        assert_int_equal(s->n_train + s->n_val + s->n_test + s->n_stop, n_labelled);
}

static int32_t count_class(const struct dataset *d, const int32_t *list, int32_t n, int32_t c)
{
    int32_t count = 0;

    for (int32_t i = 0; i < n; i++)
        count += d->label[list[i]] == c;
    return count;
}

static void test_regression(void **state)
{
    struct split_spec spec = {.test = 0.2, .val = 0.25, .seed = 1};
    struct dataset d;
    struct split s;

    (void)state;
    make(&d, 200, NULL, NULL);
    split(&s, &d, &spec);
    check(&s, &d);
    assert_int_equal(s.n_test, 36);
    assert_int_equal(s.n_val, 45);
    split_release(&s);
    split_release(&s);
    dataset_release(&d);
}

/* Every class in every part is off by less than one sample. */
static void test_stratified(void **state)
{
    static const double fraction[] = {0.1, 0.15, 0.2, 0.25, 1.0 / 3, 0.37, 0.45};
    struct dataset d;

    (void)state;
    make(&d, 137, "aaabac.", NULL);
    for (int t = 0; t < 7; t++)
        for (int v = 0; v < 7; v++)
            for (int64_t seed = 0; seed < 3; seed++) {
                struct split_spec spec = {.test = fraction[t], .val = fraction[v], .seed = seed};
                struct split s;

                split(&s, &d, &spec);
                check(&s, &d);
                for (int32_t c = 0; c < 3; c++) {
                    double size = count_class(&d, s.train, s.n_train, c) +
                                  count_class(&d, s.val, s.n_val, c) +
                                  count_class(&d, s.test, s.n_test, c);
                    double test = count_class(&d, s.test, s.n_test, c) - size * spec.test;
                    double val = count_class(&d, s.val, s.n_val, c) - size * spec.val;

                    assert_true(fabs(test) < 1 && fabs(val) < 1 && fabs(test + val) < 1);
                }
                split_release(&s);
            }
    dataset_release(&d);
}

/* The test part depends on the seed alone, the validation part also on the replicate. */
static void test_what_decides(void **state)
{
    struct split_spec base = {.test = 0.2, .val = 0.2, .seed = 7}, other;
    struct split a, b;
    struct dataset d;

    (void)state;
    make(&d, 200, NULL, NULL);
    split(&a, &d, &base);
    other = base, other.replicate = 1;
    split(&b, &d, &other);
    assert_int_equal(a.n_test, b.n_test);
    assert_memory_equal(a.test, b.test, (size_t)a.n_test * sizeof *a.test);
    assert_memory_not_equal(a.val, b.val, (size_t)a.n_val * sizeof *a.val);
    split_release(&b);
    other = base, other.val = 0.4;
    split(&b, &d, &other);
    assert_memory_equal(a.test, b.test, (size_t)a.n_test * sizeof *a.test);
    split_release(&b);
    other = base, other.folds = 4;
    split(&b, &d, &other);
    assert_memory_equal(a.test, b.test, (size_t)a.n_test * sizeof *a.test);
    split_release(&b);
    other = base, other.seed = 8;
    split(&b, &d, &other);
    assert_memory_not_equal(a.test, b.test, (size_t)a.n_test * sizeof *a.test);
    split_release(&b);
    split(&b, &d, &base);
    assert_memory_equal(a.train, b.train, 180 * sizeof *a.train);
    split_release(&b);
    split_release(&a);
    dataset_release(&d);
}

/* Each sample outside the test part is in the validation part of exactly one fold, and each class
 * is spread evenly. */
static void check_folds(const struct dataset *d, const struct split_spec *base)
{
    int32_t times[MAX_N] = {0};

    for (int32_t f = 0; f < base->folds; f++) {
        struct split_spec spec = *base;
        struct split s;

        spec.fold = f;
        split(&s, d, &spec);
        check(&s, d);
        for (int32_t i = 0; i < s.n_val; i++)
            times[s.val[i]]++;
        for (int32_t i = 0; i < s.n_test; i++)
            times[s.test[i]] = 1;
        for (int32_t c = 0; c < d->n_classes; c++) {
            double val = count_class(d, s.val, s.n_val, c);
            double pool = val + count_class(d, s.train, s.n_train, c);

            assert_true(fabs(val - pool / spec.folds) < 1);
        }
        split_release(&s);
    }
    for (int32_t i = 0; i < d->n_samples; i++)
        assert_int_equal(times[i], dataset_is_labelled(d, i) && (!d->part || d->part[i]));
}

static void test_folds(void **state)
{
    struct split_spec spec = {.test = 0.2, .folds = 5, .seed = 3, .replicate = 2};
    struct dataset d;

    (void)state;
    make(&d, 137, "aaabac.", NULL);
    check_folds(&d, &spec);
    spec.test = 0;
    check_folds(&d, &spec);
    dataset_release(&d);
    make(&d, 101, NULL, NULL);
    spec.test = 0.2;
    check_folds(&d, &spec);
    dataset_release(&d);
}

static void test_file(void **state)
{
    static const uint8_t part[10] = {1, 2, 3, 0, 1, 2, 3, 1, 1, 2};
    struct split_spec spec = {.test = 0.9, .val = 0.9};
    struct dataset d;
    struct split s;

    (void)state;
    make(&d, 10, NULL, part);
    split(&s, &d, &spec);
    check(&s, &d);
    assert_int_equal(s.n_train, 4);
    assert_int_equal(s.n_val, 2); /* sample 9 is unlabelled */
    assert_int_equal(s.n_test, 2);
    assert_int_equal(s.val[1], 5);
    split_release(&s);
    spec.folds = 3;
    check_folds(&d, &spec);
    split(&s, &d, &spec);
    assert_int_equal(s.n_test, 2);
    assert_int_equal(s.n_val, 2);
    split_release(&s);
    dataset_release(&d);
}

static void refuse(const struct dataset *d, const struct split_spec *spec, const char *wanted)
{
    struct split s;
    struct err err = {""};

    assert_int_equal(split_make(&s, d, spec, &err), -1);
    assert_string_equal(err.text, wanted);
    split_release(&s);
}

static void assert_same_list(const int32_t *a, int32_t n_a, const int32_t *b, int32_t n_b)
{
    assert_int_equal(n_a, n_b);
    assert_memory_equal(a, b, (size_t)n_a * sizeof *a);
}

/* The stop part takes samples from the training part, in proportion to its classes, and moves
 * nothing else. */
static void check_stop(const struct dataset *d, const struct split_spec *spec)
{
    struct split_spec without = *spec;
    struct split s, whole, again;
    const int32_t *chooser;
    int32_t n;

    without.stop = 0;
    split(&s, d, spec);
    split(&again, d, spec);
    split(&whole, d, &without);
    check(&s, d);
    assert_int_equal(whole.n_stop, 0);
    assert_same_list(s.val, s.n_val, whole.val, whole.n_val);
    assert_same_list(s.test, s.n_test, whole.test, whole.n_test);
    assert_same_list(s.stop, s.n_stop, again.stop, again.n_stop);
    assert_int_equal(s.n_train + s.n_stop, whole.n_train);
    assert_int_equal(s.n_stop, (int32_t)floor(spec->stop * whole.n_train + 0.5));
    for (int32_t c = 0; c < d->n_classes; c++)
        assert_true(fabs(count_class(d, s.stop, s.n_stop, c) -
                         spec->stop * count_class(d, whole.train, whole.n_train, c)) < 1);
    assert_int_equal(split_chooser(&chooser, &n, &s), PART_STOP);
    assert_same_list(chooser, n, s.stop, s.n_stop);
    assert_int_equal(split_chooser(&chooser, &n, &whole), PART_VAL);
    assert_same_list(chooser, n, whole.val, whole.n_val);
    split_release(&s);
    split_release(&again);
    split_release(&whole);
}

static void test_stop(void **state)
{
    static const double fraction[] = {0.05, 0.1, 0.25, 0.5, 0.9};
    struct dataset d;

    (void)state;
    for (int is_regression = 0; is_regression <= 1; is_regression++) {
        make(&d, 237, is_regression ? NULL : "aaabac.", NULL);
        for (int k = 0; k < 5; k++)
            for (int32_t f = 0; f < 4; f++) {
                struct split_spec spec = {
                    .test = 0.2, .val = 0.15, .stop = fraction[k], .seed = 3, .replicate = f};

                check_stop(&d, &spec);
                spec.folds = 4;
                spec.fold = f;
                check_stop(&d, &spec);
            }
        dataset_release(&d);
    }
}

static int32_t count_common(const struct split *a, const struct split *b)
{
    int32_t n = 0;

    for (int32_t i = 0; i < a->n_stop; i++)
        for (int32_t j = 0; j < b->n_stop; j++)
            n += a->stop[i] == b->stop[j];
    return n;
}

static void test_what_decides_stop(void **state)
{
    struct split_spec base = {.val = 0.2, .stop = 0.5, .folds = 10, .seed = 7}, other[3];
    struct split a, b;
    struct dataset d;

    (void)state;
    make(&d, 300, NULL, NULL);
    split(&a, &d, &base);
    other[0] = other[1] = other[2] = base;
    other[0].fold = 1;
    other[1].replicate = 1;
    other[2].seed = 8;
    for (int i = 0; i < 3; i++) {
        split(&b, &d, &other[i]);
        assert_in_range(count_common(&a, &b), a.n_stop / 4, a.n_stop * 3 / 4);
        split_release(&b);
    }
    split_release(&a);
    dataset_release(&d);
}

/* A stop part from the file is kept, also with folds. Model types without epochs train on it. */
static void test_stop_of_file(void **state)
{
    static const uint8_t part[20] = {1, 2, 3, 0, 1, 2, 3, 1, 1, 2, 4, 4, 1, 4, 1, 1, 1, 2, 1, 4};
    struct split_spec spec = {.test = 0.9, .val = 0.9};
    struct split s, ridge;
    struct dataset d;

    (void)state;
    make(&d, 20, NULL, part);
    for (spec.folds = 0; spec.folds <= 3; spec.folds += 3) {
        split(&s, &d, &spec);
        check(&s, &d);
        assert_int_equal(s.n_stop, 3); /* sample 19 is unlabelled */
        assert_int_equal(s.stop[0], 10);
        spec.trains_on_stop = true;
        split(&ridge, &d, &spec);
        spec.trains_on_stop = false;
        check(&ridge, &d);
        assert_int_equal(ridge.n_stop, 0);
        assert_int_equal(ridge.n_train, s.n_train + 3);
        assert_same_list(ridge.val, ridge.n_val, s.val, s.n_val);
        split_release(&s);
        split_release(&ridge);
    }
    spec.stop = 0.1;
    refuse(&d, &spec,
           "split.stop = 0.1, but the given parts have a stop part too: use one of them");
    dataset_release(&d);
}

static void test_errors(void **state)
{
    struct dataset d;

    (void)state;
    make(&d, 5, NULL, NULL);
    refuse(&d, &(struct split_spec){.test = 0.2, .val = 0.01},
           "the val part is empty: 5 labelled samples, 1 of them in the test part");
    refuse(&d, &(struct split_spec){.test = 0.4, .folds = 4, .fold = 3},
           "the val part of fold 3 is empty: 5 labelled samples, 2 of them in the test part, for 4 "
           "folds");
    refuse(&d, &(struct split_spec){.test = 0.2, .val = 0.2, .stop = 0.1},
           "the stop part is empty: 5 labelled samples, 1 of them in the test part");
    refuse(&d, &(struct split_spec){.test = 0.2, .val = 0.2, .stop = 0.9},
           "the train part is empty: 5 labelled samples, 1 of them in the test part");
    dataset_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regression),   cmocka_unit_test(test_stratified),
        cmocka_unit_test(test_what_decides), cmocka_unit_test(test_folds),
        cmocka_unit_test(test_file),         cmocka_unit_test(test_errors),
        cmocka_unit_test(test_stop),         cmocka_unit_test(test_what_decides_stop),
        cmocka_unit_test(test_stop_of_file),
    };

    return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
