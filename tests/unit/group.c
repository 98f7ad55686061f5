/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "data/core/builder.h"
#include "data/core/split.h"
#include "unit.h"

/* The rules of splits by group (data/core/split.h). */

#define MAX_N 600
#define MAX_GROUPS 200

static uint32_t random_state = 1;

static uint32_t draw(uint32_t below)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)random_state * below) >> 32);
}

/* n_classes 0: regression. Every eighth sample has no value. */
static void make(struct dataset *d, int32_t n, const int32_t *group, int32_t n_groups,
                 int32_t n_classes, const uint8_t *part)
{
    static const char *const class_names[] = {"a", "b", "c", "d"};
    static char names[MAX_GROUPS][16];
    static const char *group_names[MAX_GROUPS], *ids[MAX_N];
    static float features[MAX_N], target[MAX_N];
    static int32_t label[MAX_N];
    struct draft draft = {.n_samples = n,
                          .n_features = 1,
                          .features = features,
                          .part = part,
                          .ids = ids,
                          .group = group,
                          .n_groups = n_groups,
                          .group_names = group_names,
                          .class_names = class_names,
                          .n_classes = n_classes};
    struct err err = {""};

    for (int32_t g = 0; g < n_groups; g++) {
        snprintf(names[g], sizeof names[g], "g%d", g);
        group_names[g] = names[g];
    }
    for (int32_t i = 0; i < n; i++) {
        bool is_missing = i % 8 == 7;

        ids[i] = "x";
        target[i] = is_missing ? NAN : (float)i;
        label[i] = is_missing ? -1 : (int32_t)draw((uint32_t)(n_classes ? n_classes : 1));
    }
    if (n_classes)
        draft.label = label;
    else
        draft.target = target;
    if (draft_build(d, &draft, &err) != 0)
        fail_msg("%s", err.text);
}

/* Draw sizes up to `largest`, most of them small. Return the number of groups. */
static int32_t random_groups(int32_t *group, int32_t n, uint32_t largest)
{
    int32_t n_groups = 0;

    for (int32_t i = 0; i < n && n_groups < MAX_GROUPS;) {
        uint32_t size = 1 + draw(1 + draw(largest));

        for (uint32_t k = 0; k < size && i < n; k++)
            group[i++] = n_groups;
        n_groups++;
        if (n_groups == MAX_GROUPS)
            while (i < n)
                group[i++] = MAX_GROUPS - 1;
    }
    return n_groups;
}

static void split(struct split *s, const struct dataset *d, const struct split_spec *spec)
{
    struct err err = {""};

    if (split_make(s, d, spec, &err) != 0)
        fail_msg("%s", err.text);
}

static void refuse(const struct dataset *d, const struct split_spec *spec, const char *wanted)
{
    struct err err = {""};
    struct split s;

    assert_int_equal(split_make(&s, d, spec, &err), -1);
    assert_string_equal(err.text, wanted);
}

static void count(int32_t *size, const struct dataset *d, const int32_t *list, int32_t n)
{
    memset(size, 0, MAX_GROUPS * sizeof *size);
    for (int32_t i = 0; i < n; i++)
        size[d->group[list[i]]]++;
}

static void count_all(int32_t *size, const struct dataset *d)
{
    memset(size, 0, MAX_GROUPS * sizeof *size);
    for (int32_t i = 0; i < d->n_samples; i++)
        if (dataset_is_labelled(d, i))
            size[d->group[i]]++;
}

/* Each labelled sample is on some side, each group on one. */
static void check_whole(const struct split *s, const struct dataset *d)
{
    int32_t all[MAX_GROUPS], part[4][MAX_GROUPS];

    count_all(all, d);
    count(part[0], d, s->train, s->n_train);
    count(part[1], d, s->val, s->n_val);
    count(part[2], d, s->test, s->n_test);
    count(part[3], d, s->stop, s->n_stop);
    for (int32_t g = 0; g < d->n_groups; g++) {
        int n_sides = (part[0][g] > 0) + (part[1][g] > 0) + (part[2][g] > 0) + (part[3][g] > 0);

        assert_int_equal(part[0][g] + part[1][g] + part[2][g] + part[3][g], all[g]);
        assert_int_equal(n_sides, all[g] > 0);
    }
}

/* For regression, moving one group into or out of a part brings it no nearer to its wanted size. */
static void check_near(const struct split *s, const struct dataset *d, const int32_t *list,
                       int32_t n, double fraction)
{
    int32_t all[MAX_GROUPS], train[MAX_GROUPS], part[MAX_GROUPS];
    int32_t n_labelled = 0, n_train = 0, n_part = 0;
    double wanted;

    count_all(all, d);
    count(train, d, s->train, s->n_train);
    count(part, d, list, n);
    for (int32_t g = 0; g < d->n_groups; g++) {
        n_labelled += all[g];
        n_train += train[g] > 0;
        n_part += part[g] > 0;
    }
    wanted = fraction * n_labelled;
    for (int32_t g = 0; g < d->n_groups; g++) {
        if (train[g] && n_train > 2)
            assert_true(fabs(n + train[g] - wanted) >= fabs(n - wanted) - 1e-6);
        if (part[g] && n_part > 1)
            assert_true(fabs(n - part[g] - wanted) >= fabs(n - wanted) - 1e-6);
    }
}

static int32_t count_groups(const struct dataset *d, const int32_t *list, int32_t n)
{
    int32_t size[MAX_GROUPS], n_groups = 0;

    count(size, d, list, n);
    for (int32_t g = 0; g < d->n_groups; g++)
        n_groups += size[g] > 0;
    return n_groups;
}

/* The stop part takes a fraction of the training part in whole groups: at least one, and at least
 * one remains. */
static void check_stop(const struct dataset *d, struct split_spec spec)
{
    int32_t all[MAX_GROUPS], largest = 0;
    struct split s;

    spec.stop = 0.2;
    split(&s, d, &spec);
    check_whole(&s, d);
    count_all(all, d);
    for (int32_t g = 0; g < d->n_groups; g++)
        largest = all[g] > largest ? all[g] : largest;
    assert_in_range(s.n_stop, 1, d->n_samples);
    assert_in_range(s.n_train, 1, d->n_samples);
    if (d->task == TASK_REGRESSION)
        assert_true(fabs(s.n_stop - 0.2 * (s.n_train + s.n_stop)) <= largest);
    split_release(&s);
}

static void test_holdout(void **state)
{
    static const double fraction[] = {0.1, 0.2, 0.25, 0.4};
    int32_t group[MAX_N];

    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        int32_t n = 40 + (int32_t)draw(MAX_N - 40);
        int32_t n_groups = random_groups(group, n, 1 + draw(60));
        struct split_spec spec = {
            .test = fraction[trial % 4], .val = fraction[trial / 4 % 4], .seed = trial};
        struct dataset d;
        struct split s;

        make(&d, n, group, n_groups, 0, NULL);
        if (n_groups < 4)
            continue;
        split(&s, &d, &spec);
        check_whole(&s, &d);
        check_near(&s, &d, s.test, s.n_test, spec.test);
        check_near(&s, &d, s.val, s.n_val, spec.val);
        if (count_groups(&d, s.train, s.n_train) > 1)
            check_stop(&d, spec);
        split_release(&s);
        dataset_release(&d);
    }
}

/* Folds are disjoint, cover all samples outside the test part, and differ in size by at most the
 * largest group. */
static void check_folds(const struct dataset *d, struct split_spec spec)
{
    int32_t all[MAX_GROUPS], seen[MAX_N] = {0}, least = MAX_N, most = 0, largest = 0, n_test = 0;

    count_all(all, d);
    for (spec.fold = 0; spec.fold < spec.folds; spec.fold++) {
        struct split s;

        split(&s, d, &spec);
        check_whole(&s, d);
        for (int32_t i = 0; i < s.n_val; i++)
            seen[s.val[i]]++;
        for (int32_t i = 0; i < s.n_test; i++)
            seen[s.test[i]] = 1;
        least = s.n_val < least ? s.n_val : least;
        most = s.n_val > most ? s.n_val : most;
        assert_true(spec.fold == 0 || s.n_test == n_test);
        n_test = s.n_test;
        split_release(&s);
    }
    for (int32_t g = 0; g < d->n_groups; g++)
        largest = all[g] > largest ? all[g] : largest;
    for (int32_t i = 0; i < d->n_samples; i++)
        assert_int_equal(seen[i], dataset_is_labelled(d, i));
    if (d->task == TASK_REGRESSION)
        assert_in_range(most - least, 0, largest);
}

static void test_folds(void **state)
{
    int32_t group[MAX_N];

    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        int32_t n = 60 + (int32_t)draw(MAX_N - 60), n_left;
        int32_t n_groups = random_groups(group, n, 1 + draw(40));
        struct split_spec spec = {.test = trial % 3 ? 0.2 : 0,
                                  .folds = 2 + (int32_t)draw(9),
                                  .seed = trial,
                                  .replicate = trial % 2};
        struct dataset d;
        struct err err;

        make(&d, n, group, n_groups, trial % 2 ? 3 : 0, NULL);
        if (n_groups > 3 && split_count_groups(&n_left, &d, &spec, &err) == 0 &&
            n_left >= spec.folds) {
            check_folds(&d, spec);
            if (n_left > 2 * spec.folds)
                check_stop(&d, spec);
            spec.folds = n_left;
            if (trial % 5 == 0)
                check_folds(&d, spec);
        }
        dataset_release(&d);
    }
}

/* A group as large as all others together is dealt first. */
static void test_balance(void **state)
{
    int32_t group[80];
    struct dataset d;

    (void)state;
    for (int32_t i = 0; i < 80; i++)
        group[i] = i < 40 ? 0 : i - 39;
    make(&d, 80, group, 41, 0, NULL);
    for (int64_t seed = 0; seed < 10; seed++) {
        struct split_spec spec = {.folds = 2, .seed = seed};
        struct split s;

        split(&s, &d, &spec);
        assert_int_equal(s.n_val, s.n_train);
        split_release(&s);
    }
    dataset_release(&d);
}

static void test_leave_one_out(void **state)
{
    static const int32_t group[] = {2, 0, 0, 1, 2, 3, 3, 0, 2, 1, 3, 3};
    struct split_spec spec = {.folds = 4, .seed = 5, .replicate = 3};
    struct dataset d;
    struct err err;
    int32_t n;

    (void)state;
    make(&d, 12, group, 4, 0, NULL);
    assert_int_equal(split_count_groups(&n, &d, &spec, &err), 0);
    assert_int_equal(n, 4);
    for (spec.fold = 0; spec.fold < 4; spec.fold++) {
        struct split s;

        split(&s, &d, &spec);
        for (int32_t i = 0; i < s.n_val; i++)
            assert_int_equal(group[s.val[i]], spec.fold);
        check_whole(&s, &d);
        split_release(&s);
    }
    dataset_release(&d);
}

/* Many small groups spread every class over the folds as evenly as no groups. */
static void test_stratified(void **state)
{
    int32_t group[MAX_N];
    struct dataset d;

    (void)state;
    for (int32_t i = 0; i < MAX_N; i++)
        group[i] = i / 4;
    for (int64_t seed = 0; seed < 5; seed++) {
        struct split_spec spec = {.test = 0.2, .folds = 4, .seed = seed};
        int32_t size[4] = {0}, test[4] = {0};
        struct split s;

        make(&d, MAX_N, group, MAX_N / 4, 4, NULL);
        for (int32_t i = 0; i < MAX_N; i++)
            if (dataset_is_labelled(&d, i))
                size[d.label[i]]++;
        for (; spec.fold < 4; spec.fold++) {
            int32_t val[4] = {0};

            split(&s, &d, &spec);
            for (int32_t i = 0; i < s.n_val; i++)
                val[d.label[s.val[i]]]++;
            for (int32_t i = 0; i < s.n_test && spec.fold == 0; i++)
                test[d.label[s.test[i]]]++;
            for (int32_t c = 0; c < 4; c++)
                assert_true(fabs(val[c] - 0.2 * size[c]) <= 4);
            split_release(&s);
        }
        for (int32_t c = 0; c < 4; c++)
            assert_true(fabs(test[c] - 0.2 * size[c]) <= 4);
        dataset_release(&d);
    }
}

/* The test part depends on the seed alone, the validation part also on the replicate. */
static void test_what_decides(void **state)
{
    struct split_spec spec = {.test = 0.2, .val = 0.2, .seed = 7}, other = spec;
    int32_t group[MAX_N];
    struct split a, b;
    struct dataset d;

    (void)state;
    for (int32_t i = 0; i < 300; i++)
        group[i] = i / 5;
    make(&d, 300, group, 60, 0, NULL);
    split(&a, &d, &spec);
    other.replicate = 1;
    split(&b, &d, &other);
    assert_int_equal(a.n_test, b.n_test);
    assert_memory_equal(a.test, b.test, (size_t)a.n_test * sizeof *a.test);
    assert_memory_not_equal(a.val, b.val, (size_t)a.n_val * sizeof *a.val);
    split_release(&b);
    other = spec;
    other.folds = 5;
    split(&b, &d, &other);
    assert_memory_equal(a.test, b.test, (size_t)a.n_test * sizeof *a.test);
    split_release(&b);
    other.folds = 0;
    other.seed = 8;
    split(&b, &d, &other);
    assert_memory_not_equal(a.test, b.test, (size_t)a.n_test * sizeof *a.test);
    split_release(&b);
    split_release(&a);
    dataset_release(&d);
}

static void test_unequal(void **state)
{
    struct split_spec spec = {.test = 0.2, .val = 0.2};
    int32_t group[MAX_N];
    struct dataset d;

    (void)state;
    for (int32_t i = 0; i < 200; i++)
        group[i] = i < 196 ? 0 : i - 195;
    make(&d, 200, group, 5, 0, NULL);
    for (spec.seed = 0; spec.seed < 10; spec.seed++) {
        struct split s;

        split(&s, &d, &spec);
        check_whole(&s, &d);
        assert_true(s.n_train >= 171);
        split_release(&s);
    }
    dataset_release(&d);
}

static void test_too_few(void **state)
{
    static const int32_t one[] = {0, 0, 0, 0, 0, 0};
    static const int32_t two[] = {0, 1, 0, 1, 0, 1};
    struct split_spec spec = {.test = 0.2, .val = 0.2};
    struct dataset d;
    struct split s;

    (void)state;
    make(&d, 6, one, 1, 0, NULL);
    refuse(&d, &spec,
           "split.group: 1 group has labelled samples: test, val and train need at least 3 (2 with "
           "split.test = 0)");
    spec.test = 0;
    refuse(&d, &spec, "split.group: 1 group has labelled samples: val and train need at least 2");
    dataset_release(&d);
    make(&d, 6, two, 2, 0, NULL);
    split(&s, &d, &spec);
    check_whole(&s, &d);
    split_release(&s);
    spec.folds = 3;
    refuse(&d, &spec,
           "sweep.folds = 3: only 2 groups of split.group are outside the test part; each fold "
           "needs at least one");
    dataset_release(&d);
}

static void test_file(void **state)
{
    static const int32_t group[] = {0, 0, 1, 1, 2, 2};
    static const uint8_t whole[] = {PART_TRAIN, PART_TRAIN, PART_VAL,
                                    PART_VAL,   PART_TEST,  PART_TEST};
    static const uint8_t torn[] = {PART_TRAIN, PART_VAL, PART_VAL, PART_VAL, PART_TEST, PART_TEST};
    struct split_spec spec = {.test = 0.2, .val = 0.2};
    struct dataset d;
    struct split s;

    (void)state;
    make(&d, 6, group, 3, 0, whole);
    split(&s, &d, &spec);
    assert_int_equal(s.n_test, 2);
    assert_int_equal(s.val[0], 2);
    split_release(&s);
    dataset_release(&d);
    make(&d, 6, group, 3, 0, torn);
    refuse(
        &d, &spec,
        "the given parts divide group \"g0\": sample \"x\" is in val, others of its group are in "
        "train");
    spec.folds = 2; /* train and val of the file are joined */
    split(&s, &d, &spec);
    check_whole(&s, &d);
    split_release(&s);
    dataset_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_holdout),    cmocka_unit_test(test_folds),
        cmocka_unit_test(test_balance),    cmocka_unit_test(test_leave_one_out),
        cmocka_unit_test(test_stratified), cmocka_unit_test(test_what_decides),
        cmocka_unit_test(test_unequal),    cmocka_unit_test(test_too_few),
        cmocka_unit_test(test_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
