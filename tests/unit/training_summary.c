/* SPDX-License-Identifier: BSD-3-Clause */
/* The summary that replaces the training data. */
#include <math.h>

#include "base/safetensors.h"
#include "predict/training_summary.h"
#include "unit.h"

#define TEXT(name_, text)                                                              \
    {                                                                                  \
        .name = (name_), .type = SAFETENSORS_U8, .n_dims = 1, .shape = {sizeof(text)}, \
        .data = (text)                                                                 \
    }

/* Three markers, a factor and a number. */
static const double means[] = {0.1, 0.7, 1.3}, factors[] = {2, 0, 3};
static const float fill[] = {0.25f, 0.75f, 1.5f};
static const double fixed_means[] = {0, 0, 1980.3}, fixed_factors[] = {0, 0, -1};

enum {
    NAMES,
    ALLELES,
    CLASSES,
    FILL,
    MEAN,
    FIXED_NAMES,
    FIXED_MEAN,
    FIXED_FACTOR,
    FACTOR,
    FIRST,
    N_TENSORS
};
static const struct safetensor whole[N_TENSORS] = {
    [NAMES] = TEXT("features.names", "a\0b\0c"),
    [ALLELES] = TEXT("features.alleles", "1\t5\tA\tC\0\0"),
    [CLASSES] = TEXT("classes", "low\0high"),
    [FILL] = {"features.fill", SAFETENSORS_F32, 1, {3}, fill},
    [FIXED_NAMES] = TEXT("fixed.names", "sex=F\0sex=M\0year"),
    [FIXED_MEAN] = {"fixed.mean", SAFETENSORS_F64, 1, {3}, fixed_means},
    [FIXED_FACTOR] = {"fixed.factor", SAFETENSORS_F64, 1, {3}, fixed_factors},
    [MEAN] = {"features.mean", SAFETENSORS_F64, 1, {3}, means},
    [FACTOR] = {"features.factor", SAFETENSORS_F64, 1, {3}, factors},
    [FIRST] = {"layers.0.weight", SAFETENSORS_F32, 2, {1, 2}, fill},
};

/* Tensors without a name are left out. */
static int make(struct training_summary *s, struct buf *file, const struct safetensor *t,
                struct err *err)
{
    struct safetensor list[N_TENSORS];
    struct buf metadata = {0};
    size_t n = 0;

    for (int i = 0; i < N_TENSORS; i++)
        if (*t[i].name)
            list[n++] = t[i];
    safetensors_describe(&metadata, "ploidy", "2");
    safetensors_describe(&metadata, "base", "-1");
    buf_release(file);
    safetensors_write(file, &metadata, list, n);
    buf_release(&metadata);
    assert_false(buf_failed(file));
    return training_summary_init(s, file->data, file->size, err);
}

static void test_is_the_mean(void **state)
{
    struct scaling scaling;
    struct training_summary s;
    struct buf file = {0};
    struct err err;
    float row[3];
    struct mat x = mat_view(row, 1, 3);

    (void)state;
    assert_int_equal(make(&s, &file, whole, &err), 0);
    assert_int_equal(s.data.n_samples, 1);
    assert_int_equal(s.nobody.n_samples, 0);
    assert_int_equal(s.data.n_features, 3);
    assert_int_equal(s.data.n_fixed, 3);
    assert_true(s.data.ploidy == 2 && s.data.base == -1);
    assert_memory_equal(dataset_fixed(&s.data, 0), fixed_means, sizeof fixed_means);
    assert_int_equal(s.data.fixed_factor[1], 0);
    assert_int_equal(s.data.fixed_factor[2], -1);
    assert_string_equal(dataset_fixed_name(&s.data, 2), "year");
    assert_int_equal(s.data.n_classes, 2);
    assert_int_equal(s.data.task, TASK_CLASSIFICATION);
    assert_false(dataset_is_labelled(&s.data, 0));
    assert_string_equal(dataset_feature_name(&s.data, 2), "c");
    assert_string_equal(dataset_alleles(&s.data, 0), "1\t5\tA\tC");
    assert_string_equal(dataset_alleles(&s.data, 1), "");
    assert_string_equal(dataset_class_name(&s.data, 1), "high");
    dataset_decode(&x, &s.data, 0, 0);
    assert_memory_equal(row, fill, sizeof fill); /* dosages have the fill */

    assert_int_equal(scaling_init(&scaling, &s.data, SCALE_STANDARDIZE, &err), 0);
    assert_int_equal(training_summary_scaling(&scaling, file.data, file.size, &err), 0);
    assert_memory_equal(scaling.column_mean, means, sizeof means);
    assert_memory_equal(scaling.column_factor, factors, sizeof factors);
    scaling_release(&scaling);
    training_summary_release(&s);
    buf_release(&file);
}

/* Without classes the task is regression. Without fill, all means come from the scaling. */
static void test_other_forms(void **state)
{
    struct safetensor t[N_TENSORS];
    struct training_summary s;
    struct buf file = {0};
    struct err err;

    (void)state;
    memcpy(t, whole, sizeof t);
    t[CLASSES].name[0] = t[FILL].name[0] = t[ALLELES].name[0] = '\0';
    assert_int_equal(make(&s, &file, t, &err), 0);
    assert_int_equal(s.data.task, TASK_REGRESSION);
    assert_false(dataset_is_labelled(&s.data, 0));
    assert_string_equal(dataset_alleles(&s.data, 0), "");
    assert_true(s.data.features.v[0] == (float)means[0] && s.data.features.v[2] == (float)means[2]);
    training_summary_release(&s);

    memcpy(t, whole, sizeof t);
    t[MEAN].name[0] = t[FILL].name[0] = '\0';
    assert_int_equal(make(&s, &file, t, &err), -1);
    assert_non_null(strstr(err.text, "they do not contain the means of the features"));
    training_summary_release(&s);
    strcpy(t[FIRST].name, "layers.0.xw");
    assert_int_equal(make(&s, &file, t, &err), -1);
    assert_non_null(strstr(err.text, "by training samples"));
    training_summary_release(&s);
    buf_release(&file);
}

static void refuse(const struct safetensor *t, const char *wanted)
{
    struct training_summary s;
    struct buf file = {0};
    struct err err;

    assert_int_equal(make(&s, &file, t, &err), -1);
    assert_non_null(strstr(err.text, wanted));
    training_summary_release(&s);
    buf_release(&file);
}

static void test_broken(void **state)
{
    static const enum safetensors_type other[] = {SAFETENSORS_F32, SAFETENSORS_U8};
    struct safetensor t[N_TENSORS];

    (void)state;
    for (int i = NAMES; i <= FIXED_FACTOR; i++) {
        memcpy(t, whole, sizeof t);
        t[i].shape[0]--; /* texts without their last NUL, arrays of too few features */
        refuse(t, "damaged");
    }
    for (int i = FILL; i <= MEAN; i++) {
        memcpy(t, whole, sizeof t);
        t[i].type = other[i == FILL];
        refuse(t, "damaged");
    }
    memcpy(t, whole, sizeof t);
    t[NAMES].name[0] = '\0';
    refuse(t, "damaged");
    memcpy(t, whole, sizeof t);
    t[ALLELES].shape[0] = 9; /* enough for one feature only */
    refuse(t, "damaged");
}

static void test_cut(void **state)
{
    struct training_summary s;
    struct buf file = {0};
    struct err err;

    (void)state;
    assert_int_equal(make(&s, &file, whole, &err), 0);
    training_summary_release(&s);
    for (size_t n = 0; n < file.size; n++) {
        char *part = malloc(n + 1);

        assert_non_null(part);
        memcpy(part, file.data, n);
        assert_true(training_summary_init(&s, part, n, &err) == 0 || *err.text);
        training_summary_release(&s);
        free(part);
    }
    buf_release(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_is_the_mean),
        cmocka_unit_test(test_other_forms),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
