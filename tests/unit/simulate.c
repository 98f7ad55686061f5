/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/hash.h"
#include "data/genotype/simulate.h"
#include "unit.h"

static const struct simulate_spec base = {.samples = 400,
                                          .markers = 1000,
                                          .populations = 4,
                                          .fst = 0.2,
                                          .causal = 50,
                                          .heritability = 0.6,
                                          .seed = 1};

struct simulated_panel {
    int8_t v[400 * 1000];
    int32_t n_rows;
    int32_t n_cols;
};

static int8_t *panel_row(struct simulated_panel *g, int32_t i)
{
    return g->v + (size_t)i * (size_t)g->n_cols;
}

static struct simulated_panel *simulate(float *trait, const struct simulate_spec *spec)
{
    struct simulated_panel *g = malloc(sizeof *g);
    struct err err = {""};

    assert_true(g && spec->samples * spec->markers == (int32_t)sizeof g->v);
    g->n_rows = spec->samples;
    g->n_cols = spec->markers;
    if (simulate_panel(g->v, trait, spec, &err) != 0)
        fail_msg("%s", err.text);
    return g;
}

static double frequency(struct simulated_panel *g, int32_t marker, int32_t first, int32_t step)
{
    double sum = 0, n = 0;

    for (int32_t i = first; i < g->n_rows; i += step, n++)
        sum += panel_row(g, i)[marker] / 2.0;
    return sum / n;
}

static void test_genotypes(void **state)
{
    struct simulate_spec spec = base;
    struct simulated_panel *g;
    float trait[400];

    (void)state;
    spec.fst = 0.9;
    g = simulate(trait, &spec);
    for (int32_t j = 0; j < g->n_cols; j++) {
        double p = frequency(g, j, 0, 1);

        assert_true(p > 0 && p < 1);
        for (int32_t i = 0; i < g->n_rows; i++)
            assert_true(panel_row(g, i)[j] == 0 || panel_row(g, i)[j] == 2);
    }
    free(g);
}

/* The variance of a population's frequency is fst p (1 - p). The ratio of averages over markers
 * estimates fst (with the noise of 100 samples a population). */
static void test_fst(void **state)
{
    static const double fst[] = {0.05, 0.2, 0.5};

    (void)state;
    for (int f = 0; f < 3; f++) {
        struct simulate_spec spec = base;
        double between = 0, total = 0;
        struct simulated_panel *g;
        float trait[400];

        spec.fst = fst[f];
        g = simulate(trait, &spec);
        for (int32_t j = 0; j < g->n_cols; j++) {
            double p = frequency(g, j, 0, 1), squares = 0;

            for (int32_t k = 0; k < 4; k++) {
                double q = frequency(g, j, k, 4);

                squares += (q - p) * (q - p) / 3 - q * (1 - q) / 99 / 4;
            }
            between += squares;
            total += p * (1 - p) + squares / 4;
        }
        assert_true(fabs(between / total - fst[f]) < 0.1 * fst[f] + 0.01);
        free(g);
    }
}

static double correlation(struct simulated_panel *g, int32_t a, int32_t b, int32_t population)
{
    double pa = frequency(g, a, population, 4), pb = frequency(g, b, population, 4);
    double sum = 0, n = 0;

    for (int32_t i = population; i < g->n_rows; i += 4, n++)
        sum += (panel_row(g, i)[a] / 2.0 - pa) * (panel_row(g, i)[b] / 2.0 - pb);
    if (pa * (1 - pa) * pb * (1 - pb) == 0)
        return 0;
    return sum / n / sqrt(pa * (1 - pa) * pb * (1 - pb));
}

/* Neighbouring markers are linked; distant markers and other chromosomes are not. */
static void test_linkage(void **state)
{
    double next = 0, far = 0, other = 0;
    struct simulated_panel *g;
    float trait[400];

    (void)state;
    g = simulate(trait, &base);
    for (int32_t c = 0; c < SIMULATE_CHROMOSOMES; c++)
        for (int32_t j = 0; j < 100; j++) {
            next += correlation(g, 200 * c + j, 200 * c + j + 1, 0) / 500;
            far += correlation(g, 200 * c + j, 200 * c + j + 100, 0) / 500;
        }
    for (int32_t c = 1; c < SIMULATE_CHROMOSOMES; c++)
        for (int32_t k = 0; k < 4; k++)
            other += correlation(g, 200 * c - 1, 200 * c, k) / 16;
    assert_true(next > 0.3);
    assert_true(fabs(far) < 0.03);
    assert_true(fabs(other) < 0.15);
    assert_int_equal(simulate_chromosome(199, 1000), 1);
    assert_int_equal(simulate_chromosome(200, 1000), 2);
    assert_int_equal(simulate_chromosome(0, 1), 1);
    free(g);
}

static void test_trait(void **state)
{
    double sum = 0, squares = 0;
    struct simulated_panel *g;
    float trait[400];

    (void)state;
    g = simulate(trait, &base);
    for (int i = 0; i < 400; i++)
        sum += (double)trait[i];
    for (int i = 0; i < 400; i++)
        squares += ((double)trait[i] - 80) * ((double)trait[i] - 80);
    assert_true(fabs(sum / 400 - 80) < 1e-4);
    assert_true(fabs(sqrt(squares / 400) - 15) < 1e-4);
    free(g);
}

/* One causal marker without noise is the trait; noise alone is unrelated to all. */
static void test_heritability(void **state)
{
    struct simulate_spec spec = base;
    double strongest[2] = {0};
    struct simulated_panel *g;
    float trait[400];

    (void)state;
    spec.causal = 1;
    for (int h = 0; h < 2; h++) {
        spec.heritability = h;
        g = simulate(trait, &spec);
        for (int32_t j = 0; j < g->n_cols; j++) {
            double p = frequency(g, j, 0, 1), sum = 0;

            for (int32_t i = 0; i < 400; i++)
                sum += (panel_row(g, i)[j] / 2.0 - p) * ((double)trait[i] - 80) / 15 / 400;
            strongest[h] = fmax(strongest[h], fabs(sum) / sqrt(p * (1 - p)));
        }
        free(g);
    }
    assert_true(strongest[0] < 0.25);
    assert_true(strongest[1] > 0.9999);
}

static void test_seed(void **state)
{
    struct simulate_spec spec = base;
    struct simulated_panel *a, *b;
    float trait_a[400], trait_b[400];
    char hex[HASH_HEX_SIZE];

    (void)state;
    a = simulate(trait_a, &spec);
    b = simulate(trait_b, &spec);
    assert_memory_equal(a->v, b->v, sizeof a->v);
    assert_memory_equal(trait_a, trait_b, sizeof trait_a);
    /* The panel that version 0.1.0 made. */
    assert_string_equal(hash_hex(hash_bytes(a->v, sizeof a->v), hex),
                        "0fc8adc9509f3c686bf8ef23bb2e814b");
    free(b);
    spec.seed = 2;
    b = simulate(trait_b, &spec);
    assert_memory_not_equal(a->v, b->v, sizeof a->v);
    free(a);
    free(b);
}

static void test_errors(void **state)
{
    struct simulate_spec spec = base;
    struct err err;

    (void)state;
    spec.causal = 2000;
    assert_int_equal(simulate_panel(NULL, NULL, &spec, &err), -1);
    assert_string_equal(err.text, "data.causal = 2000: must be at most data.markers = 1000");
    spec = base, spec.populations = 401;
    assert_int_equal(simulate_panel(NULL, NULL, &spec, &err), -1);
    assert_string_equal(err.text, "data.populations = 401: must be at most data.samples = 400");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_genotypes),    cmocka_unit_test(test_fst),
        cmocka_unit_test(test_linkage),      cmocka_unit_test(test_trait),
        cmocka_unit_test(test_heritability), cmocka_unit_test(test_seed),
        cmocka_unit_test(test_errors),
    };

    return cmocka_run_group_tests_name("simulate", tests, NULL, NULL);
}
