/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/rng.h"
#include "data/core/builder.h"
#include "data/graph/graph.h"
#include "stride.h"
#include "unit.h"

/* More samples (stored and new) than a block of rows, and more markers than a panel of columns. */
#define N 300
#define FRESH 270
#define K 1100
#define ROUNDING 1e-5 /* of sums of K floats, in any order */
#define REPEATS 40    /* sample i equals sample i % REPEATS */

/* LARGE: whole numbers whose products exceed what float represents exactly. */
enum form { WHOLE, HOLES, FRACTIONS, LARGE, REPEATED };

static double random_number(uint32_t step, int32_t i, int32_t j)
{
    static struct rng rng;
    static bool is_ready;

    if (!is_ready)
        rng_init(&rng, hash_text("attach"), RNG_SIMULATE);
    is_ready = true;
    return rng_uniform(&rng, step, (uint32_t)(i * K + j));
}

static void make_data(struct dataset *d, enum form form)
{
    static const char *ids[N];
    static float target[N], features[N * K];
    static int8_t dosage[N * K];
    struct draft draft = {.n_samples = N, .n_features = K, .ids = ids, .target = target};
    struct err err;

    for (int32_t i = 0; i < N; i++) {
        ids[i] = "x";
        for (int32_t j = 0; j < K; j++) {
            double u = random_number(0, form == REPEATED ? i % REPEATS : i, j);
            bool is_missing = form == HOLES && i > 0 && random_number(1, i, j) < 0.1;

            dosage[i * K + j] = (int8_t)(form == LARGE ? 100 + 27 * u : 3 * u);
            if (is_missing)
                dosage[i * K + j] = DOSAGE_MISSING;
            features[i * K + j] = (float)(2 * u);
        }
    }
    if (form == FRACTIONS)
        draft.features = features;
    else
        draft.dosage = dosage;
    if (draft_build(d, &draft, &err) != 0)
        fail_msg("%s", err.text);
}

/* New samples agree with a stored sample in about half of the markers. */
static struct mat make_fresh(const struct dataset *d, bool is_whole)
{
    struct mat x;

    assert_int_equal(mat_init(&x, FRESH, d->n_features, NULL), 0);
    for (int32_t i = 0; i < FRESH; i++) {
        struct mat row = mat_view(mat_row(&x, i), 1, d->n_features);

        dataset_decode(&row, d, (7 * i) % N, 0);
        for (int32_t j = 0; j < K; j++)
            if (random_number(2, i, j) < 0.5)
                row.v[j] = (float)(is_whole ? (int)(3 * random_number(3, i, j))
                                            : 1.2 * random_number(3, i, j) * (double)row.v[j]);
    }
    return x;
}

/* ---- the reference: one pair at a time, in double ---- */

static float panel[N][K];
static double frequency[K];
static double similar[FRESH][N];

static void read_panel(const struct dataset *d)
{
    memset(frequency, 0, sizeof frequency);
    for (int32_t i = 0; i < N; i++) {
        struct mat row = mat_view(panel[i], 1, K);

        dataset_decode(&row, d, i, 0);
        for (int32_t j = 0; j < K; j++)
            frequency[j] += (double)panel[i][j] / (2 * N);
    }
}

/* Write a row as its metric multiplies it; return the factor of its products. */
static double prepare(double *out, const float *row, enum graph_metric metric)
{
    double mean = 0, squares = 0, variance = 0;

    for (int32_t j = 0; j < K && metric == GRAPH_CORRELATION; j++)
        mean += (double)row[j] / K;
    for (int32_t j = 0; j < K; j++) {
        out[j] = (double)row[j] - (metric == GRAPH_KINSHIP ? 2 * frequency[j] : mean);
        squares += out[j] * out[j];
        variance += 2 * frequency[j] * (1 - frequency[j]);
    }
    return metric == GRAPH_KINSHIP ? 1 / sqrt(variance) : 1 / sqrt(squares);
}

static void fill_reference(const struct dataset *d, enum graph_metric metric, const struct mat *x)
{
    static double rows[N][K], fresh[K];
    double factor[N];

    read_panel(d);
    for (int32_t j = 0; j < N; j++)
        factor[j] = prepare(rows[j], panel[j], metric);
    for (int32_t i = 0; i < x->n_rows; i += test_stride()) {
        double factor_i = prepare(fresh, mat_row(x, i), metric);

        for (int32_t j = 0; j < N; j++) {
            double product = 0;

            for (int32_t k = 0; k < K; k++)
                product += fresh[k] * rows[j][k];
            similar[i][j] = product * factor_i * factor[j];
        }
    }
}

/* A smaller index wins among equally similar samples. */
static bool is_nearest(const double *row, int32_t j, int32_t k)
{
    int32_t n = 0;

    for (int32_t other = 0; other < N; other++)
        n += row[other] > row[j] || (row[other] == row[j] && other < j);
    return n < k;
}

/* True if the similarity to j equals another one within rounding, so that either may come first.
 * Whole numbers tie exactly. */
static bool is_unclear(const double *row, int32_t j, bool is_whole)
{
    for (int32_t other = 0; other < N; other++) {
        double apart = fabs(row[other] - row[j]);

        if (other != j && (is_whole ? apart > 0 && apart < 1e-10 : apart < ROUNDING))
            return true;
    }
    return false;
}

/* ---- tests ---- */

static void join(struct attached *to, const struct dataset *d, const struct graph_spec *spec,
                 const struct mat *x)
{
    struct err err;

    if (attach(to, d, spec, x, &err) != 0)
        fail_msg("%s", err.text);
    for (int32_t i = 0; i < x->n_rows; i++)
        for (int64_t e = to->start[i] + 1; e < to->start[i + 1]; e++)
            assert_true(to->edge[e - 1].sample < to->edge[e].sample);
}

static float weight_of(const struct attached *to, int32_t i, int32_t j)
{
    for (int64_t e = to->start[i]; e < to->start[i + 1]; e++)
        if (to->edge[e].sample == j)
            return to->edge[e].weight;
    return 0;
}

static void check(const struct dataset *d, struct graph_spec spec, const struct mat *x,
                  bool is_whole)
{
    int32_t n_unclear = 0;
    struct attached to;

    join(&to, d, &spec, x);
    for (int32_t i = 0; i < x->n_rows; i += test_stride())
        for (int32_t j = 0; j < N; j++) {
            double s = similar[i][j];
            bool wanted =
                spec.build == GRAPH_KNN ? is_nearest(similar[i], j, spec.k) : s >= spec.threshold;
            double weight = !wanted ? 0 : spec.weights == GRAPH_BINARY ? 1 : fmax(0, s);

            if (spec.build == GRAPH_KNN ? is_unclear(similar[i], j, is_whole)
                                        : fabs(s - spec.threshold) < ROUNDING)
                n_unclear++;
            else if (fabs((double)weight_of(&to, i, j) - weight) > ROUNDING)
                fail_msg("new sample %d and %d, metric %d: %g, not %g", i, j, spec.metric,
                         (double)weight_of(&to, i, j), weight);
        }
    assert_true(to.start[x->n_rows] > x->n_rows / 2);
    assert_true(n_unclear < x->n_rows * N / 5);
    attached_release(&to);
}

static void test_knn(void **state)
{
    (void)state;
    for (int metric = 0; metric < GRAPH_METRICS; metric++)
        for (int form = WHOLE; form <= LARGE; form++) {
            struct graph_spec spec = {.build = GRAPH_KNN,
                                      .metric = (enum graph_metric)metric,
                                      .weights = form % 2 ? GRAPH_SIMILARITY : GRAPH_BINARY,
                                      .k = form == WHOLE   ? 1
                                           : form == HOLES ? N - 1
                                                           : 10};
            struct dataset d;
            struct mat x;

            if (form == LARGE && metric != GRAPH_CORRELATION)
                continue;
            make_data(&d, (enum form)form);
            x = make_fresh(&d, form == WHOLE);
            fill_reference(&d, spec.metric, &x);
            check(&d, spec, &x, form == WHOLE);
            mat_release(&x);
            dataset_release(&d);
        }
}

/* The smaller indices get the last places. */
static void test_ties(void **state)
{
    struct dataset d;
    struct mat x;

    (void)state;
    make_data(&d, REPEATED);
    x = make_fresh(&d, true);
    for (int metric = 0; metric < GRAPH_METRICS; metric++) {
        struct graph_spec spec = {.build = GRAPH_KNN, .metric = (enum graph_metric)metric};

        fill_reference(&d, spec.metric, &x);
        for (spec.k = 1; spec.k < 20; spec.k += 3 * test_stride())
            check(&d, spec, &x, true);
    }
    mat_release(&x);
    dataset_release(&d);
}

static void test_threshold(void **state)
{
    static const double thresholds[GRAPH_METRICS] = {0.7, 0.1, -0.02};
    struct dataset d;
    struct mat x;

    (void)state;
    make_data(&d, HOLES);
    x = make_fresh(&d, false);
    for (int metric = 0; metric < GRAPH_METRICS; metric++) {
        struct graph_spec spec = {.build = GRAPH_THRESHOLD, .metric = (enum graph_metric)metric};

        fill_reference(&d, spec.metric, &x);
        spec.threshold = thresholds[metric];
        check(&d, spec, &x, false);
        spec.weights = GRAPH_SIMILARITY;
        check(&d, spec, &x, false);
    }
    mat_release(&x);
    dataset_release(&d);
}

static struct mat make_copies(const struct dataset *d)
{
    struct mat x;

    assert_int_equal(mat_init(&x, N, d->n_features, NULL), 0);
    for (int32_t i = 0; i < N; i++) {
        struct mat row = mat_view(mat_row(&x, N - 1 - i), 1, d->n_features);

        dataset_decode(&row, d, i, 0);
    }
    return x;
}

/* The k + 1 nearest samples of a copy are the original and its k nearest. */
static void check_nearest_copies(const struct dataset *d, enum graph_metric metric,
                                 const struct mat *copies)
{
    struct graph_spec spec = {
        .build = GRAPH_KNN, .metric = metric, .weights = GRAPH_SIMILARITY, .k = 9};
    struct neighbours near;
    struct attached to;

    assert_int_equal(neighbours_find(&near, d, metric, spec.k - 1, NULL), 0);
    join(&to, d, &spec, copies);
    for (int32_t i = 0; i < N; i++) {
        int32_t copy = N - 1 - i;

        assert_int_equal(to.start[copy + 1] - to.start[copy], spec.k);
        assert_true(weight_of(&to, copy, i) > 0);
        for (int32_t c = 0; c < near.k; c++) {
            const struct neighbour *n = &near.best[i * near.k + c];

            assert_true(fabs((double)weight_of(&to, copy, n->sample) - n->similarity) < ROUNDING);
        }
    }
    attached_release(&to);
    neighbours_release(&near);
}

/* A copy has the neighbours of its original, and the original itself. */
static void check_close_copies(const struct dataset *d, enum graph_metric metric,
                               const struct mat *copies)
{
    struct graph_spec spec = {
        .build = GRAPH_THRESHOLD, .metric = metric, .weights = GRAPH_SIMILARITY, .threshold = 0.01};
    struct attached to;
    struct csr a;

    assert_int_equal(graph_build(&a, d, &spec, NULL), 0);
    assert_true(csr_nnz(&a) > N);
    join(&to, d, &spec, copies);
    for (int32_t i = 0; i < N; i++) {
        int32_t copy = N - 1 - i;

        assert_int_equal(to.start[copy + 1] - to.start[copy],
                         a.row_start[i + 1] - a.row_start[i] + 1);
        assert_true(weight_of(&to, copy, i) > 0);
        for (int64_t e = a.row_start[i]; e < a.row_start[i + 1]; e++)
            assert_true(fabsf(weight_of(&to, copy, a.col[e]) - a.val[e]) < (float)ROUNDING);
    }
    attached_release(&to);
    csr_release(&a);
}

static void test_copies(void **state)
{
    (void)state;
    for (int form = WHOLE; form <= FRACTIONS; form++) {
        struct dataset d;
        struct mat x;

        make_data(&d, (enum form)form);
        x = make_copies(&d);
        for (int metric = 0; metric < GRAPH_METRICS; metric++) {
            if (test_stride() > 1 && metric != form % GRAPH_METRICS)
                continue;
            check_nearest_copies(&d, (enum graph_metric)metric, &x);
            check_close_copies(&d, (enum graph_metric)metric, &x);
        }
        mat_release(&x);
        dataset_release(&d);
    }
}

/* Edges of a file are given, and without a graph there are none. */
static void test_no_rule(void **state)
{
    static const enum graph_build builds[] = {GRAPH_FILE, GRAPH_NONE};
    struct dataset d;
    struct mat x;

    (void)state;
    make_data(&d, WHOLE);
    x = make_fresh(&d, true);
    for (int b = 0; b < 2; b++) {
        struct graph_spec spec = {.build = builds[b]};
        struct attached to;

        join(&to, &d, &spec, &x);
        assert_int_equal(to.start[FRESH], 0);
        attached_release(&to);
        attached_release(&to);
    }
    mat_release(&x);
    dataset_release(&d);
}

static void test_not_finite(void **state)
{
    struct graph_spec spec = {.build = GRAPH_KNN, .k = 3};
    struct attached to;
    struct dataset d;
    struct err err;
    struct mat x;

    (void)state;
    make_data(&d, WHOLE);
    x = make_fresh(&d, true);
    mat_row(&x, 260)[5] = 3e38f;
    assert_int_equal(attach(&to, &d, &spec, &x, &err), -1);
    assert_non_null(strstr(err.text, "the similarity of a new sample and sample \""));
    attached_release(&to);
    mat_release(&x);
    dataset_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_knn),       cmocka_unit_test(test_ties),
        cmocka_unit_test(test_threshold), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_no_rule),   cmocka_unit_test(test_not_finite),
    };

    return cmocka_run_group_tests_name("attach", tests, NULL, NULL);
}
