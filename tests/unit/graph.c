/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/rng.h"
#include "data/core/builder.h"
#include "data/graph/graph.h"
#include "data/graph/similarity.h"
#include "stride.h"
#include "symmetric.h"
#include "unit.h"

/* More samples than a block of similarities has rows. */
#define N 300
#define F 40
/* More columns than a panel. */
#define WIDE 1500

static const char *ids[N];
static float target[N];

static void build_dataset(struct dataset *d, struct draft *draft)
{
    struct err err = {""};

    for (int32_t i = 0; i < N; i++)
        ids[i] = "x";
    draft->ids = ids;
    draft->target = target;
    if (draft_build(d, draft, &err) != 0)
        fail_msg("%s", err.text);
}

/* Dosages are imputed and do not tie. */
static void make(struct dataset *d, bool dosages)
{
    static float features[N * F];
    struct draft draft = {.n_samples = N, .n_features = F, .features = features};
    struct rng rng;

    rng_init(&rng, hash_text("graph"), RNG_SIMULATE);
    for (uint32_t i = 0; i < N * F; i++)
        features[i] =
            dosages ? 2 * (float)rng_uniform(&rng, 0, i) : (float)rng_normal(&rng, 0, i) + 1;
    build_dataset(d, &draft);
}

static void build(struct csr *a, const struct dataset *d, const struct graph_spec *spec)
{
    struct err err = {""};

    if (graph_build(a, d, spec, &err) != 0)
        fail_msg("%s", err.text);
    assert_true(has_sound_rows(a));
    assert_true(is_symmetric(a));
    for (int32_t i = 0; i < a->n_rows; i++)
        for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++)
            assert_int_not_equal(a->col[e], i);
}

/* REPEATED: sample i equals sample i % 7. */
enum kind { COMPLETE, HOLES, REPEATED };

static void make_whole(struct dataset *d, int32_t n_cols, int low, int high, enum kind kind)
{
    static int8_t dosage[N * WIDE];
    struct draft draft = {.n_samples = N, .n_features = n_cols, .dosage = dosage};
    struct rng rng;

    rng_init(&rng, hash_text("whole"), RNG_SIMULATE);
    for (int32_t i = 0; i < N; i++)
        for (int32_t j = 0; j < n_cols; j++) {
            uint32_t from = (uint32_t)(kind == REPEATED ? i % 7 : i);
            double u = rng_uniform(&rng, from, (uint32_t)j);

            dosage[i * n_cols + j] = (int8_t)(low + (int)((high - low + 1) * u));
            if ((i + 3 * j) % 11 == 0 && kind == HOLES)
                dosage[i * n_cols + j] = DOSAGE_MISSING;
        }
    build_dataset(d, &draft);
    assert_non_null(d->dosage);
}

/* ---- the reference: one pair at a time, in double ---- */

static float x[N][WIDE];
static int32_t width;

static void read_features(const struct dataset *d)
{
    width = d->n_features;
    for (int32_t i = 0; i < N; i++) {
        struct mat row = mat_view(x[i], 1, width);

        dataset_decode(&row, d, i, 0);
    }
}

static double mean_of(int32_t i)
{
    double sum = 0;

    for (int32_t j = 0; j < width; j++)
        sum += (double)x[i][j];
    return sum / width;
}

static double reference_cosine(int32_t a, int32_t b, double mean_a, double mean_b)
{
    double ab = 0, aa = 0, bb = 0;

    for (int32_t j = 0; j < width; j++) {
        double u = (double)x[a][j] - mean_a;
        double v = (double)x[b][j] - mean_b;

        ab += u * v;
        aa += u * u;
        bb += v * v;
    }
    return ab / sqrt(aa * bb);
}

static double p[WIDE];

static void find_frequencies(void)
{
    for (int32_t j = 0; j < width; j++) {
        p[j] = 0;
        for (int32_t i = 0; i < N; i++)
            p[j] += (double)x[i][j];
        p[j] /= 2 * N;
    }
}

static double reference_kinship(int32_t a, int32_t b)
{
    double sum = 0, variance = 0;

    for (int32_t j = 0; j < width; j++) {
        sum += ((double)x[a][j] - 2 * p[j]) * ((double)x[b][j] - 2 * p[j]);
        variance += 2 * p[j] * (1 - p[j]);
    }
    return sum / variance;
}

static double reference(enum graph_metric metric, int32_t a, int32_t b)
{
    if (metric == GRAPH_KINSHIP)
        return reference_kinship(a, b);
    if (metric == GRAPH_COSINE)
        return reference_cosine(a, b, 0, 0);
    return reference_cosine(a, b, mean_of(a), mean_of(b));
}

static double s_of[N][N];

static void fill_reference(const struct dataset *d, enum graph_metric metric)
{
    read_features(d);
    find_frequencies();
    for (int32_t i = 0; i < N; i++)
        for (int32_t j = 0; j <= i; j++)
            s_of[i][j] = s_of[j][i] = reference(metric, i, j);
}

/* Similarities in float that differ by less may be in either order, which depends on the kernel. */
#define NEAR 1e-6

/* A smaller index wins among equally similar samples. is_strict: all that are nearly as similar as b
 * come before it; else none of them does. */
static bool is_neighbour(int32_t a, int32_t b, int32_t k, bool is_strict)
{
    double margin = is_strict ? -NEAR : NEAR;
    int32_t n_before = 0;

    for (int32_t j = 0; j < N; j++)
        n_before += j != a && j != b &&
                    (s_of[a][j] == s_of[a][b] ? j < b : s_of[a][j] > s_of[a][b] + margin);
    return n_before < k;
}

/* True if the two are neighbours whatever the order of similarities that are nearly equal. may: in
 * some order. */
static bool are_neighbours(bool *may, int32_t a, int32_t b, int32_t k)
{
    *may = is_neighbour(a, b, k, false) || is_neighbour(b, a, k, false);
    return is_neighbour(a, b, k, true) || is_neighbour(b, a, k, true);
}

static float entry(const struct csr *a, int32_t i, int32_t j)
{
    for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++)
        if (a->col[e] == j)
            return a->val[e];
    return 0;
}

/* ---- tests ---- */

static void check_knn(const struct dataset *d, enum graph_metric metric)
{
    struct graph_spec spec = {.build = GRAPH_KNN, .metric = metric, .k = 5};
    struct csr a;

    fill_reference(d, metric);
    build(&a, d, &spec);
    for (int32_t i = 0; i < N; i++)
        for (int32_t j = 0; j < i; j++) {
            bool may, must = are_neighbours(&may, i, j, 5);

            if (must == may)
                assert_int_equal(entry(&a, i, j) != 0, must);
        }
    csr_release(&a);
}

static void test_knn(void **state)
{
    (void)state;
    for (int metric = GRAPH_COSINE; metric <= GRAPH_KINSHIP; metric++) {
        struct dataset d;

        make(&d, metric == GRAPH_KINSHIP);
        check_knn(&d, (enum graph_metric)metric);
        dataset_release(&d);
        make_whole(&d, WIDE, 0, 2, HOLES);
        check_knn(&d, (enum graph_metric)metric);
        dataset_release(&d);
    }
}

/* Products of whole numbers are exact, even if their sum exceeds what float represents exactly. */
static void test_exact(void **state)
{
    struct similarity s;
    struct dataset d;

    (void)state;
    make_whole(&d, WIDE, 100, DOSAGE_MAX, REPEATED);
    for (int metric = GRAPH_COSINE; metric <= GRAPH_CORRELATION; metric++) {
        fill_reference(&d, (enum graph_metric)metric);
        assert_int_equal(similarity_init(&s, &d, (enum graph_metric)metric, NULL), 0);
        while (similarity_next(&s))
            for (int32_t i = s.first; i < s.first + s.n_rows; i++)
                for (int32_t j = s.first; j < N; j++) {
                    int64_t at = (int64_t)(i - s.first) * (N - s.first) + (j - s.first);

                    assert_true(s.product[at] > 1 << 24);
                    assert_true(fabs(similarity_of(&s, i, j) - s_of[i][j]) < 1e-12);
                    assert_true(i % 7 != j % 7 || s.first > 0 ||
                                similarity_of(&s, 3, i) == similarity_of(&s, 3, j));
                }
        assert_int_equal(s.first, N);
        similarity_release(&s);
    }
    dataset_release(&d);
}

/* For whole numbers, the numerator of the correlation; for a = b, the variance. */
static int64_t covariance(int32_t a, int32_t b)
{
    int64_t products = 0, sum_a = 0, sum_b = 0;

    for (int32_t j = 0; j < width; j++) {
        products += (int64_t)x[a][j] * (int64_t)x[b][j];
        sum_a += (int64_t)x[a][j];
        sum_b += (int64_t)x[b][j];
    }
    return width * products - sum_a * sum_b;
}

/* Among equal correlations of different rows, compared as whole numbers, the smaller index comes
 * first. */
static void test_correlation_ties(void **state)
{
    static int64_t variance[N];
    int32_t n_ties = 0;
    struct neighbours n;
    struct dataset d;

    (void)state;
    make_whole(&d, 30, 0, 2, COMPLETE);
    read_features(&d);
    for (int32_t i = 0; i < N; i++)
        variance[i] = covariance(i, i);
    assert_int_equal(neighbours_find(&n, &d, GRAPH_CORRELATION, N - 1, NULL), 0);
    for (int32_t i = 0; i < N; i++)
        for (int32_t c = 1; c < N - 1; c++) {
            const struct neighbour *next = &n.best[i * (N - 1) + c], *before = next - 1;

            if (variance[next->sample] == variance[before->sample] &&
                covariance(i, next->sample) == covariance(i, before->sample)) {
                assert_true(next->sample > before->sample);
                n_ties++;
            } else {
                assert_true(next->similarity <= before->similarity);
            }
        }
    assert_true(n_ties > 1000);
    neighbours_release(&n);
    dataset_release(&d);
}

static void check_equal(const struct csr *a, const struct csr *b)
{
    assert_int_equal(csr_nnz(a), csr_nnz(b));
    assert_memory_equal(a->row_start, b->row_start, (N + 1) * sizeof *a->row_start);
    assert_memory_equal(a->col, b->col, (size_t)csr_nnz(a) * sizeof *a->col);
    assert_memory_equal(a->val, b->val, (size_t)csr_nnz(a) * sizeof *a->val);
}

/* Data without ties, repeated samples, and rows that all tie. */
static void test_cut(void **state)
{
    (void)state;
    for (int kind = 0; kind < 8; kind++) { /* no kind 8: monomorphic markers have no kinship */
        struct graph_spec spec = {.build = GRAPH_KNN, .metric = (enum graph_metric)(kind % 3)};
        bool is_repeated = kind / 3 == 1, is_constant = kind / 3 == 2;
        struct neighbours n;
        struct dataset d;

        make_whole(&d, F, is_constant, is_constant ? 1 : 2, is_repeated ? REPEATED : HOLES);
        assert_int_equal(neighbours_find(&n, &d, spec.metric, 50, NULL), 0);
        for (spec.k = 1; spec.k <= 50; spec.k += test_stride()) {
            struct csr cut, built;

            spec.weights = spec.k % 2 ? GRAPH_SIMILARITY : GRAPH_BINARY;
            assert_int_equal(graph_cut(&cut, &n, spec.k, spec.weights, NULL), 0);
            build(&built, &d, &spec);
            check_equal(&cut, &built);
            csr_release(&cut);
            csr_release(&built);
        }
        neighbours_release(&n);
        dataset_release(&d);
    }
}

static void test_grow(void **state)
{
    static const int32_t asked[] = {10, 64, 3, 100, 200, 150, 201, N - 1};
    static const int32_t found[] = {64, 64, 64, 200, 200, 200, N - 1, N - 1};
    struct neighbours n = {0};
    struct dataset d;
    struct err err;

    (void)state;
    make(&d, false);
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        assert_int_equal(neighbours_grow(&n, &d, GRAPH_COSINE, asked[i], &err), 0);
        assert_int_equal(n.k, found[i]);
    }
    assert_int_equal(neighbours_grow(&n, &d, GRAPH_COSINE, N, &err), -1);
    assert_string_equal(err.text, "graph.k = 300: must be in [1, 299], there are 300 samples");
    assert_null(n.best);
    assert_int_equal(neighbours_grow(&n, &d, GRAPH_COSINE, 0, &err), -1);
    neighbours_release(&n);
    dataset_release(&d);
}

static void test_forms(void **state)
{
    struct dataset whole, floats;

    (void)state;
    make_whole(&whole, WIDE, 0, 2, HOLES);
    read_features(&whole);
    build_dataset(&floats,
                  &(struct draft){.n_samples = N, .n_features = WIDE, .features = &x[0][0]});
    for (int metric = GRAPH_COSINE; metric <= GRAPH_KINSHIP; metric++) {
        struct graph_spec spec = {.build = GRAPH_THRESHOLD,
                                  .metric = (enum graph_metric)metric,
                                  .weights = GRAPH_SIMILARITY,
                                  .threshold = 0.01};
        struct csr a, b;

        build(&a, &whole, &spec);
        build(&b, &floats, &spec);
        assert_true(csr_nnz(&a) > 0);
        check_equal(&a, &b);
        csr_release(&a);
        csr_release(&b);
    }
    dataset_release(&whole);
    dataset_release(&floats);
}

static void test_threshold_and_weights(void **state)
{
    (void)state;
    for (int metric = GRAPH_COSINE; metric <= GRAPH_KINSHIP; metric++) {
        struct graph_spec spec = {.build = GRAPH_THRESHOLD,
                                  .metric = (enum graph_metric)metric,
                                  .weights = GRAPH_SIMILARITY,
                                  .threshold = -0.05};
        struct dataset d;
        struct csr a;

        make(&d, metric == GRAPH_KINSHIP);
        fill_reference(&d, spec.metric);
        build(&a, &d, &spec);
        for (int32_t i = 0; i < N; i++)
            for (int32_t j = 0; j < i; j++)
                assert_true(fabs((double)entry(&a, i, j) - fmax(0, s_of[i][j])) < 1e-5);
        csr_release(&a);
        spec.weights = GRAPH_BINARY;
        build(&a, &d, &spec);
        for (int32_t i = 0; i < N; i++)
            for (int32_t j = 0; j < i; j++)
                if (fabs(s_of[i][j] - spec.threshold) > 1e-5)
                    assert_true(entry(&a, i, j) == (s_of[i][j] >= spec.threshold));
        csr_release(&a);
        dataset_release(&d);
    }
}

/* Equal samples have similarities equal to the last bit: ties go to the smaller index. */
static void test_ties(void **state)
{
    static float features[N * F];
    struct draft draft = {.n_samples = N, .n_features = F, .features = features};
    struct graph_spec spec = {.build = GRAPH_KNN, .metric = GRAPH_COSINE, .k = 3};
    struct dataset d;
    struct csr a;
    struct rng rng;

    (void)state;
    rng_init(&rng, hash_text("ties"), RNG_SIMULATE);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < F; j++)
            features[i * F + j] = (float)(2 * (int)(2 * rng_uniform(&rng, i % 7, j)));
    build_dataset(&d, &draft);
    build(&a, &d, &spec);
    /* Seven genotypes, each about N / 7 times: the first three samples of a genotype are neighbours
     * of all others of it. */
    for (int32_t i = 28; i < N; i++) {
        assert_int_equal(a.row_start[i + 1] - a.row_start[i], 3);
        for (int32_t c = 0; c < 3; c++)
            assert_int_equal(a.col[a.row_start[i] + c], i % 7 + 7 * c);
    }
    csr_release(&a);
    dataset_release(&d);
}

/* Among ties, the sample with the largest index is replaced by a better one found later. */
static void test_late_neighbour(void **state)
{
    static float features[2 * N] = {1, 0, 1, 1, 1, 1, 1, 1, 1, 0.5f};
    struct draft draft = {.n_samples = N, .n_features = 2, .features = features};
    struct graph_spec spec = {.build = GRAPH_KNN, .metric = GRAPH_COSINE, .k = 3};
    struct dataset d;
    struct csr a;

    (void)state;
    for (int32_t i = 5; i < N; i++)
        features[2 * i + 1] = 1;
    build_dataset(&d, &draft);
    build(&a, &d, &spec);
    assert_int_equal(a.row_start[1], 3);
    assert_int_equal(a.col[0], 1);
    assert_int_equal(a.col[1], 2);
    assert_int_equal(a.col[2], 4);
    csr_release(&a);
    dataset_release(&d);
}

static void test_given_edges(void **state)
{
    static const int32_t source[] = {0, 1, 4}, to[] = {1, 2, 5};
    static const float weight[] = {1, 2, 0.5f}, features[6] = {0};
    struct draft draft = {.n_samples = 6,
                          .n_features = 1,
                          .features = features,
                          .n_edges = 3,
                          .edge_source = source,
                          .edge_target = to,
                          .edge_weight = weight};
    struct graph_spec spec = {.build = GRAPH_FILE};
    struct dataset d;
    struct csr a;

    (void)state;
    build_dataset(&d, &draft);
    build(&a, &d, &spec);
    assert_int_equal(csr_nnz(&a), 6);
    assert_true(entry(&a, 2, 1) == 2);
    assert_true(entry(&a, 4, 5) == 0.5f);
    assert_int_equal(graph_components(&a, NULL), 3);
    csr_release(&a);
    spec.build = GRAPH_NONE;
    build(&a, &d, &spec);
    assert_int_equal(csr_nnz(&a), 0);
    assert_int_equal(graph_components(&a, NULL), 6);
    csr_release(&a);
    /* Rows of zeros have similarity 0 to all, and still have neighbours. */
    spec = (struct graph_spec){.build = GRAPH_KNN, .k = 1};
    build(&a, &d, &spec);
    assert_int_equal(csr_nnz(&a), 10);
    csr_release(&a);
    dataset_release(&d);
}

static void refuse(const struct dataset *d, struct graph_spec spec, const char *wanted)
{
    struct err err = {""};
    struct csr a;

    assert_int_equal(graph_build(&a, d, &spec, &err), -1);
    assert_string_equal(err.text, wanted);
    csr_release(&a);
}

static void test_errors(void **state)
{
    static float huge[2 * N];
    struct draft sparse_draft = {.n_samples = N, .n_features = 2};
    struct draft huge_draft = {.n_samples = N, .n_features = 2, .features = huge};
    struct csr empty;
    struct dataset d;

    (void)state;
    make(&d, false);
    refuse(&d, (struct graph_spec){.build = GRAPH_KNN, .k = N},
           "graph.k = 300: must be in [1, 299], there are 300 samples");
    refuse(&d, (struct graph_spec){.build = GRAPH_KNN, .k = 0},
           "graph.k = 0: must be in [1, 299], there are 300 samples");
    refuse(&d, (struct graph_spec){.build = GRAPH_FILE},
           "graph.build = file: no edges were given, set data.edges");
    dataset_release(&d);

    huge[0] = 3;
    build_dataset(&d, &huge_draft);
    refuse(&d, (struct graph_spec){.build = GRAPH_KNN, .k = 1, .metric = GRAPH_KINSHIP},
           "graph.metric = kinship: feature 1 (\"\") of sample \"x\" is 3: must be a dosage in [0, "
           "2], or in [-1, 1] where all features are coded -1, 0, 1");
    dataset_release(&d);
    huge[0] = 2;
    huge[5] = -1;
    build_dataset(&d, &huge_draft);
    refuse(
        &d, (struct graph_spec){.build = GRAPH_KNN, .k = 1, .metric = GRAPH_KINSHIP},
        "graph.metric = kinship: feature 2 (\"\") of sample \"x\" is -1: must be a dosage in [0, "
        "2], or in [-1, 1] where all features are coded -1, 0, 1");
    dataset_release(&d);
    huge[0] = huge[2] = 3e38f;
    build_dataset(&d, &huge_draft);
    refuse(
        &d, (struct graph_spec){.build = GRAPH_KNN, .k = 1},
        "graph.metric: the similarity of samples \"x\" and \"x\" is not a finite number: features "
        "are too large");
    dataset_release(&d);

    assert_int_equal(csr_init(&empty, N, 2, 0, NULL), 0);
    sparse_draft.sparse = &empty;
    build_dataset(&d, &sparse_draft);
    refuse(&d, (struct graph_spec){.build = GRAPH_KNN, .k = 1},
           "graph.build = knn and threshold need dense features, these are sparse: give edges and "
           "use graph.build = file");
    dataset_release(&d);
    csr_release(&empty);
}

/* Genotypes coded -1, 0, 1 have the kinship of the same coded 0, 1, 2, with new samples too. cosine
 * does not centre features. */
static void test_coding(void **state)
{
    enum { BLOCK = 16 };
    static int8_t dosage[2][N * F];
    static float v[2][N * F];
    static double product[BLOCK * N];
    struct dataset d[2];
    struct similarity s[2];

    (void)state;
    for (int i = 0; i < N * F; i++)
        for (int c = 0; c < 2; c++) {
            dosage[c][i] = (int8_t)(i * 7919 % 1009 % 3 - c);
            v[c][i] = (float)(i * 7919 % 1009 % 9) / 4 - (float)c;
        }
    for (int form = 0; form < 2; form++) {
        double most = 0;

        for (int c = 0; c < 2; c++) {
            struct draft draft = {.n_samples = N, .n_features = F};
            struct mat rows = mat_view(v[c], BLOCK, F);

            draft.dosage = form ? NULL : dosage[c];
            draft.features = form ? v[c] : NULL;
            build_dataset(&d[c], &draft);
            assert_int_equal(similarity_init(&s[c], &d[c], GRAPH_KINSHIP, NULL), 0);
            similarity_rows(&s[c], &rows);
            for (int i = 0; i < BLOCK * N; i++)
                if (c)
                    assert_true(fabs(s[c].product[i] - product[i]) < 1e-5);
            memcpy(product, s[c].product, sizeof product);
            assert_true(similarity_next(&s[c]));
        }
        for (int32_t i = 0; i < s[0].n_rows; i++)
            for (int32_t j = 0; j < N; j++)
                assert_true(fabs(similarity_of(&s[0], i, j) - similarity_of(&s[1], i, j)) < 1e-5);
        for (int c = 0; c < 2; c++) {
            similarity_release(&s[c]);
            assert_int_equal(similarity_init(&s[c], &d[c], GRAPH_COSINE, NULL), 0);
            assert_true(similarity_next(&s[c]));
        }
        for (int32_t j = 1; j < N; j++)
            most = fmax(most, fabs(similarity_of(&s[0], 0, j) - similarity_of(&s[1], 0, j)));
        assert_true(most > 0.1);
        for (int c = 0; c < 2; c++) {
            similarity_release(&s[c]);
            dataset_release(&d[c]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_knn),
        cmocka_unit_test(test_threshold_and_weights),
        cmocka_unit_test(test_exact),
        cmocka_unit_test(test_correlation_ties),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_grow),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_late_neighbour),
        cmocka_unit_test(test_given_edges),
        cmocka_unit_test(test_coding),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests_name("graph", tests, NULL, NULL);
}
