/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "gcn/cost.h"
#include "gcn/inputs.h"
#include "gcn/train.h"
#include "symmetric.h"
#include "tensor/kernel.h"
#include "tensor/spmm.h"
#include "toy.h"

/* A trial learns the same from every form of its features. */

enum { N = 240, F = 180, EPOCHS = 12 };

enum kind { GENOTYPES, MOSTLY_ZERO, ONE_HOT };

struct sample {
    struct dataset data;
    struct csr adjacency;
    struct split split;
    float target[N];
    int32_t nodes[N];
};

static float feature(enum kind kind, const struct rng *rng, int32_t i, int32_t j)
{
    /* Six neighbouring markers are inherited together. */
    int32_t seen = kind == GENOTYPES ? j - j % 6 : j;
    double u = rng_uniform(rng, (uint32_t)i, (uint32_t)seen);

    if (kind == GENOTYPES)
        return u < 0.1 + 0.004 * (double)j ? 2 : 0;
    if (kind == MOSTLY_ZERO)
        return u < 0.03 ? (float)(20 * u) : 0;
    return i % F == j ? 1 : 0;
}

static void make_features(struct dataset *data, enum kind kind, bool is_sparse)
{
    struct triplet *t = calloc((size_t)N * F, sizeof *t);
    struct rng rng;
    int64_t n = 0;

    assert_non_null(t);
    rng_init(&rng, hash_text("forms"), RNG_SIMULATE);
    assert_int_equal(mat_init(&data->features, N, F, NULL), 0);
    for (int32_t i = 0; i < N; i++)
        for (int32_t j = 0; j < F; j++) {
            float v = feature(kind, &rng, i, j);

            mat_row(&data->features, i)[j] = v;
            if (v != 0)
                t[n++] = (struct triplet){i, j, v};
        }
    data->is_sparse = is_sparse;
    assert_int_equal(csr_from_triplets(&data->sparse_features, N, F, t, n, NULL), 0);
    free(t);
}

static void sample_init(struct sample *s, enum kind kind, bool is_sparse)
{
    struct triplet edges[4 * N];
    int64_t n = 0;

    memset(s, 0, sizeof *s);
    s->data = (struct dataset){.n_samples = N, .n_nodes = N, .n_features = F, .target = s->target};
    make_features(&s->data, kind, is_sparse);
    for (int32_t i = 0; i < N; i++) {
        s->target[i] = mat_row(&s->data.features, i)[1] + 0.1f * (float)(i % 7);
        s->nodes[i] = i;
        for (int32_t hop = 1; hop <= 13; hop += 12) {
            int32_t j = (i + hop) % N;

            edges[n++] = (struct triplet){i, j, 1};
            edges[n++] = (struct triplet){j, i, 1};
        }
    }
    assert_int_equal(csr_from_triplets(&s->adjacency, N, N, edges, n, NULL), 0);
    s->split = (struct split){.train = s->nodes,
                              .val = s->nodes + 140,
                              .test = s->nodes + 190,
                              .n_train = 140,
                              .n_val = 50,
                              .n_test = 50};
}

static void sample_release(struct sample *s)
{
    mat_release(&s->data.features);
    csr_release(&s->data.sparse_features);
    csr_release(&s->adjacency);
}

static void make_inputs(struct gcn_inputs *inputs, const struct sample *s,
                        struct gcn_inputs_spec spec)
{
    assert_int_equal(toy_make_inputs(inputs, &s->data, &s->adjacency, &spec, NULL), 0);
}

static enum first_form first_form(const struct gcn_spec *spec, const struct gcn_inputs *inputs,
                                  int32_t n_train)
{
    struct gcn_outline outline = gcn_outline_of(inputs);

    return gcn_first_form(spec, &outline, n_train);
}

static struct gcn_spec make_spec(int32_t batch_size, double input_dropout)
{
    return (struct gcn_spec){
        .layers = 2,
        .hidden_size = 21,
        .dropout = 0.3,
        .input_dropout = input_dropout,
        .epochs = EPOCHS,
        .optimizer = OPTIMIZER_SGD,
        .learning_rate = 0.02,
        .momentum = 0.9,
        .weight_decay = 1e-3,
        .batch_size = batch_size,
        .objective = METRIC_PEARSON,
        .maximize = true,
    };
}

static void train(struct gcn_epoch *curve, const struct sample *s, const struct gcn_inputs *inputs,
                  const struct gcn_spec *spec, int threads)
{
    struct gcn_outcome outcome = {.curve = curve};
    struct arena scratch = {0};

    assert_int_equal(gcn_train(&outcome,
                               &(struct gcn_training){.spec = spec,
                                                      .inputs = inputs,
                                                      .split = &s->split,
                                                      .key = hash_text("key"),
                                                      .threads = threads,
                                                      .scratch = &scratch,
                                                      .clock = &clock_system},
                               NULL),
                     0);
    assert_int_equal(outcome.epochs_run, EPOCHS);
    arena_release(&scratch);
}

static void check_alike(const struct gcn_epoch *a, const struct gcn_epoch *b, double tolerance)
{
    assert_true(a[EPOCHS - 1].train_loss < a[0].train_loss);
    for (int e = 0; e < EPOCHS; e++) {
        assert_true(fabs(a[e].train_loss / b[e].train_loss - 1) <= tolerance);
        assert_true(fabs(a[e].val_loss / b[e].val_loss - 1) <= tolerance);
    }
}

static void test_codes(void **state)
{
    static const int32_t batches[] = {0, 64, 3};
    struct gcn_epoch coded[EPOCHS], dense[EPOCHS];
    struct gcn_inputs inputs;
    struct sample s;

    (void)state;
    sample_init(&s, GENOTYPES, false);
    for (int scale = SCALE_NONE; scale <= SCALE_STANDARDIZE; scale++)
        for (size_t i = 0; i < sizeof batches / sizeof *batches; i++)
            for (int drops = 0; drops <= 1; drops++) {
                struct gcn_spec spec = make_spec(batches[i], 0.2 * drops);

                make_inputs(&inputs, &s,
                            (struct gcn_inputs_spec){
                                .scale = (enum feature_scale)scale,
                                .drops_inputs = drops,
                                .small_batches = true,
                            });
                assert_true(inputs.has[FIRST_X_CODED] && inputs.has[FIRST_AX_DENSE]);
                assert_int_equal(first_form(&spec, &inputs, 140),
                                 batches[i] == 3 ? FIRST_AX_DENSE : FIRST_X_CODED);
                inputs.has[FIRST_AX_DENSE] = false;
                train(coded, &s, &inputs, &spec, 1);
                inputs.has[FIRST_AX_DENSE] = true;
                inputs.has[FIRST_X_CODED] = false;
                train(dense, &s, &inputs, &spec, 1);
                check_alike(coded, dense, 1e-4);
                inputs.has[FIRST_X_CODED] = true;
                gcn_inputs_release(&inputs);
            }
    sample_release(&s);
}

static void test_what_is_held(void **state)
{
    struct gcn_inputs inputs;
    struct sample s;

    (void)state;
    sample_init(&s, GENOTYPES, false);
    make_inputs(&inputs, &s, (struct gcn_inputs_spec){.scale = SCALE_STANDARDIZE});
    assert_true(inputs.has[FIRST_X_CODED] && !inputs.has[FIRST_AX_DENSE]);
    assert_null(inputs.x.v);
    assert_null(inputs.ax.v);
    gcn_inputs_release(&inputs);
    make_inputs(&inputs, &s, (struct gcn_inputs_spec){.scale = SCALE_ROW});
    assert_true(!inputs.has[FIRST_X_CODED] && inputs.has[FIRST_AX_DENSE]);
    assert_null(inputs.x.v);
    gcn_inputs_release(&inputs);
    make_inputs(&inputs, &s, (struct gcn_inputs_spec){.scale = SCALE_ROW, .drops_inputs = true});
    assert_non_null(inputs.x.v);
    gcn_inputs_release(&inputs);
    sample_release(&s);
}

static void test_mostly_zero(void **state)
{
    for (int scale = SCALE_NONE; scale <= SCALE_ROW; scale += SCALE_ROW - SCALE_NONE) {
        struct gcn_inputs_spec inputs_spec = {.scale = (enum feature_scale)scale};
        struct gcn_spec spec = make_spec(0, 0.1);
        struct gcn_epoch from_dense[EPOCHS], from_sparse[EPOCHS];
        struct sample dense, sparse;
        struct gcn_inputs inputs;

        (void)state;
        sample_init(&dense, MOSTLY_ZERO, false);
        sample_init(&sparse, MOSTLY_ZERO, true);
        make_inputs(&inputs, &dense, inputs_spec);
        assert_true(inputs.has[FIRST_X_SPARSE] && !inputs.has[FIRST_AX_DENSE]);
        assert_true(has_sound_rows(&inputs.x_sparse));
        train(from_dense, &dense, &inputs, &spec, 1);
        gcn_inputs_release(&inputs);
        make_inputs(&inputs, &sparse, inputs_spec);
        train(from_sparse, &sparse, &inputs, &spec, 1);
        gcn_inputs_release(&inputs);
        check_alike(from_dense, from_sparse, 0);
        sample_release(&dense);
        sample_release(&sparse);
    }
}

static void test_sparse_ax(void **state)
{
    static const int32_t batches[] = {0, 16};
    struct gcn_epoch from_ax[EPOCHS], from_x[EPOCHS];
    struct gcn_inputs inputs;
    struct sample s;

    (void)state;
    sample_init(&s, ONE_HOT, true);
    make_inputs(&inputs, &s, (struct gcn_inputs_spec){.scale = SCALE_NONE});
    assert_true(inputs.has[FIRST_AX_SPARSE] && has_sound_rows(&inputs.ax_sparse));
    for (size_t i = 0; i < sizeof batches / sizeof *batches; i++) {
        struct gcn_spec spec = make_spec(batches[i], 0);

        inputs.has[FIRST_AX_SPARSE] = true;
        assert_int_equal(first_form(&spec, &inputs, 140), FIRST_AX_SPARSE);
        train(from_ax, &s, &inputs, &spec, 1);
        inputs.has[FIRST_AX_SPARSE] = false;
        train(from_x, &s, &inputs, &spec, 1);
        check_alike(from_ax, from_x, 1e-4);
    }
    gcn_inputs_release(&inputs);
    sample_release(&s);
}

static void test_packed(void **state)
{
    static const enum kind kinds[] = {GENOTYPES, ONE_HOT};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct gcn_spec spec = make_spec(0, 0);
        struct gcn_epoch before[EPOCHS], after[EPOCHS];
        struct gcn_inputs inputs, view;
        struct sample s;
        void *block;
        size_t n;

        sample_init(&s, kinds[i], kinds[i] == ONE_HOT);
        make_inputs(&inputs, &s, (struct gcn_inputs_spec){.scale = SCALE_NONE});
        train(before, &s, &inputs, &spec, 1);
        n = packed_bytes(&gcn_inputs_packed, &inputs);
        block = aligned_alloc(64, n);
        assert_non_null(block);
        packed_write(block, &gcn_inputs_packed, &inputs);
        gcn_inputs_release(&inputs);
        assert_int_equal(packed_view(&view, &gcn_inputs_packed, &s.data, block, n, NULL), 0);
        train(after, &s, &view, &spec, 1);
        check_alike(before, after, 0);
        gcn_inputs_release(&view);
        free(block);
        sample_release(&s);
    }
}

static void check_outline(const struct sample *s, const struct gcn_inputs_spec *spec)
{
    struct gcn_outline before, after;
    struct gcn_inputs inputs;
    double bytes, packed;

    assert_int_equal(gcn_outline_find(&before, &s->data, &s->adjacency, spec, NULL), 0);
    assert_null(before.coded.code);
    assert_int_equal(gcn_inputs_make(&inputs, &before, &s->adjacency, spec, NULL), 0);
    after = gcn_outline_of(&inputs);
    assert_memory_equal(before.has, after.has, sizeof after.has);
    assert_int_equal(before.has_x, after.has_x);
    assert_int_equal(before.n_inputs, after.n_inputs);
    assert_int_equal(before.entries_a, after.entries_a);
    assert_int_equal(before.entries_x, after.entries_x);
    assert_int_equal(before.entries_ax, after.entries_ax);
    assert_int_equal(before.coded.n_groups, after.coded.n_groups);
    assert_int_equal(before.coded.n_entries, after.coded.n_entries);
    assert_int_equal(before.coded.n_items, after.coded.n_items);
    bytes = gcn_outline_bytes(&before);
    packed = (double)packed_bytes(&gcn_inputs_packed, &inputs);
    assert_true(bytes < packed * 1.01 && packed < bytes * 1.02 + 2048);
    gcn_inputs_release(&inputs);
}

static void test_outline(void **state)
{
    (void)state;
    for (int kind = GENOTYPES; kind <= ONE_HOT; kind++)
        for (int is_sparse = 0; is_sparse <= 1; is_sparse++)
            for (int scale = SCALE_NONE; scale <= SCALE_ROW; scale++)
                for (int i = 0; i < 4; i++) {
                    struct gcn_inputs_spec spec = {.scale = (enum feature_scale)scale,
                                                   .drops_inputs = i & 1,
                                                   .small_batches = i >> 1};
                    struct sample s;

                    sample_init(&s, (enum kind)kind, is_sparse);
                    if (!is_sparse || scale != SCALE_STANDARDIZE)
                        check_outline(&s, &spec);
                    sample_release(&s);
                }
}

/* Panels give the same bits as one piece. */
static void test_panels(void **state)
{
    enum { WIDE = 40003 };
    struct rng rng;
    struct sample s;
    struct mat x, ax;

    (void)state;
    sample_init(&s, GENOTYPES, false);
    mat_release(&s.data.features);
    s.data.n_features = WIDE;
    rng_init(&rng, hash_text("panels"), RNG_SIMULATE);
    assert_int_equal(mat_init(&s.data.features, N, WIDE, NULL), 0);
    for (int32_t i = 0; i < N; i++)
        for (int32_t j = 0; j < WIDE; j++)
            mat_row(&s.data.features, i)[j] = (float)rng_uniform(&rng, (uint32_t)i, (uint32_t)j);
    for (int scale = SCALE_NONE; scale <= SCALE_ROW; scale++) {
        struct gcn_inputs_spec spec = {.scale = (enum feature_scale)scale, .drops_inputs = true};
        struct gcn_inputs inputs;
        size_t bytes = (size_t)mat_size(&s.data.features) * sizeof(float);

        make_inputs(&inputs, &s, spec);
        assert_int_equal(mat_init(&x, N, WIDE, NULL), 0);
        assert_int_equal(mat_init(&ax, N, WIDE, NULL), 0);
        memcpy(x.v, s.data.features.v, bytes);
        if (scale == SCALE_STANDARDIZE)
            assert_int_equal(kernel_standardize(&x), 0);
        if (scale == SCALE_ROW) {
            double sum[N] = {0};

            kernel_add_row_sums(sum, &x);
            kernel_divide_rows(&x, sum);
        }
        spmm(&ax, &inputs.a_hat, NULL, &x, NULL);
        assert_memory_equal(inputs.x.v, x.v, bytes);
        assert_memory_equal(inputs.ax.v, ax.v, bytes);
        mat_release(&x);
        mat_release(&ax);
        gcn_inputs_release(&inputs);
    }
    sample_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes),       cmocka_unit_test(test_what_is_held),
        cmocka_unit_test(test_mostly_zero), cmocka_unit_test(test_sparse_ax),
        cmocka_unit_test(test_packed),      cmocka_unit_test(test_outline),
        cmocka_unit_test(test_panels),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
