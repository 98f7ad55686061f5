/* SPDX-License-Identifier: BSD-3-Clause */
/* Features that equal the target, and features that only resemble it. */
#include <math.h>

#include "data/core/builder.h"
#include "data/core/target_leaks.h"
#include "unit.h"

#define N 200
#define K 12

struct made {
    float target[N], dense[N * K];
    double fixed[N];
    int32_t label[N];
    int8_t dosage[N * K];
    char names[N][8];
    const char *ids[N];
};

/* The same sequence in each run, in [0, 1). */
static double draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) / 16777216.0;
}

static void make(struct made *m)
{
    uint32_t state = 5;

    for (int i = 0; i < N; i++) {
        snprintf(m->names[i], sizeof m->names[i], "s%d", i);
        m->ids[i] = m->names[i];
        m->target[i] = i % 9 ? (float)(60 + 20 * draw(&state)) : NAN;
        m->label[i] = i % 9 ? (int32_t)(3 * draw(&state)) : -1;
        m->fixed[i] = (float)draw(&state);
        for (int j = 0; j < K; j++) {
            m->dosage[i * K + j] = (int8_t)(3 * draw(&state));
            m->dense[i * K + j] = (float)draw(&state);
        }
    }
}

static struct draft draft_of(const struct made *m, int32_t n_classes)
{
    static const char *const classes[] = {"1", "5", "7"};

    return (struct draft){.n_samples = N,
                          .n_features = K,
                          .ids = m->ids,
                          .n_classes = n_classes,
                          .class_names = n_classes ? classes : NULL,
                          .target = n_classes ? NULL : m->target,
                          .label = n_classes ? m->label : NULL};
}

/* wanted: "3:1.000 " for each feature found. */
static void expect(const struct draft *draft, const char *wanted)
{
    struct dataset d;
    struct target_leaks found;
    char got[512] = "";

    assert_int_equal(draft_build(&d, draft, NULL), 0);
    assert_int_equal(target_leaks_find(&found, &d, NULL), 0);
    for (int32_t i = 0; i < found.n; i++)
        snprintf(got + strlen(got), sizeof got - strlen(got), "%d:%.3f:%d ", found.leak[i].feature,
                 found.leak[i].r, found.leak[i].n_samples);
    assert_string_equal(got, wanted);
    target_leaks_release(&found);
    dataset_release(&d);
}

static void test_dense(void **state)
{
    static struct made m;
    struct draft draft;
    double mean = 0;

    (void)state;
    make(&m);
    draft = draft_of(&m, 0);
    draft.features = m.dense;
    expect(&draft, "");
    for (int i = 0; i < N; i++) {
        float y = isnan(m.target[i]) ? 70 : m.target[i];

        m.dense[i * K + 2] = y / 7 + 1000;
        m.dense[i * K + 5] = -y;
        m.dense[i * K + 7] = y + (float)(i % 5); /* r = 0.97 */
        mean += i % 4 ? (double)y / (N - N / 4) : 0;
    }
    expect(&draft, "2:1.000:177 5:-1.000:177 ");
    /* a quarter was missing and has the mean of the others */
    for (int i = 0; i < N; i += 4)
        m.dense[i * K + 5] = (float)-mean;
    expect(&draft, "2:1.000:177 5:-1.000:133 ");
}

static void test_dosage(void **state)
{
    static struct made m;
    struct draft draft;

    (void)state;
    make(&m);
    for (int i = 0; i < N; i++)
        m.target[i] = i % 9 ? (float)m.dosage[i * K + 4] + 0.001f * (float)(i % 2) : NAN;
    for (int i = 0; i < N; i += 3)
        m.dosage[i * K + 4] = DOSAGE_MISSING;
    draft = draft_of(&m, 0);
    draft.dosage = m.dosage;
    expect(&draft, "4:1.000:133 ");
    for (int i = 0; i < N; i++)
        m.dosage[i * K + 4] = (int8_t)(i % 7 == 1 ? 0 : m.dosage[i * K + 4]);
    expect(&draft, "");
}

static void test_fixed(void **state)
{
    static const int32_t number = -1;
    static const char *const name = "age";
    static struct made m;
    struct draft draft;

    (void)state;
    make(&m);
    draft = draft_of(&m, 0);
    draft.dosage = m.dosage;
    draft.n_fixed = 1;
    draft.fixed = m.fixed;
    draft.fixed_factor = &number;
    draft.fixed_names = &name;
    expect(&draft, "");
    for (int i = 0; i < N; i++)
        m.fixed[i] = isnan(m.target[i]) ? 0 : 3 - (double)m.target[i];
    expect(&draft, "12:-1.000:177 ");
}

/* Classes 1, 5 and 7, compared by number and one by one; dense and sparse. */
static void test_classes(void **state)
{
    static struct made m;
    static struct triplet t[N * K];
    struct csr sparse = {0};
    struct draft draft;
    int64_t nnz = 0;

    (void)state;
    make(&m);
    for (int i = 0; i < N; i++) {
        static const float number[] = {1, 5, 7};

        m.dense[i * K] = m.label[i] < 0 ? 0 : number[m.label[i]];
        m.dense[i * K + 3] = m.label[i] == 1 ? -2 : 3;
        for (int j = 0; j < K; j++)
            if (m.dense[i * K + j] != 0)
                t[nnz++] = (struct triplet){i, j, m.dense[i * K + j]};
    }
    draft = draft_of(&m, 3);
    draft.features = m.dense;
    expect(&draft, "0:1.000:177 3:-1.000:177 ");
    assert_int_equal(csr_from_triplets(&sparse, N, K, t, nnz, NULL), 0);
    draft.features = NULL;
    draft.sparse = &sparse;
    expect(&draft, "0:1.000:177 3:-1.000:177 ");
    csr_release(&sparse);
}

/* With few samples of two classes, some feature always equals the class. */
static void test_chance(void **state)
{
    static struct made m;
    struct draft draft;

    (void)state;
    make(&m);
    draft = draft_of(&m, 2);
    draft.dosage = m.dosage;
    for (int i = 0; i < N; i++) {
        m.label[i] = i % 2;
        m.dosage[i * K + 1] = (int8_t)(2 - m.label[i]);
    }
    draft.n_samples = 14;
    expect(&draft, "");
    draft.n_samples = 20;
    expect(&draft, "1:-1.000:20 ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dense),   cmocka_unit_test(test_dosage), cmocka_unit_test(test_fixed),
        cmocka_unit_test(test_classes), cmocka_unit_test(test_chance),
    };

    return cmocka_run_group_tests_name("target_leaks", tests, NULL, NULL);
}
