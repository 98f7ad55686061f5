/* SPDX-License-Identifier: BSD-3-Clause */
/* The pure functions of a search, against SciPy, scikit-learn and R (tests/golden/make_search.py). */
#include "golden_file.h"

#include <math.h>

#include "resolve.h"
#include "search/gp.h"
#include "search/halving.h"
#include "search/paired.h"
#include "search/race.h"
#include "search/sobol.h"

/* The epochs of rung j, from 0. */
static int64_t halving_epochs(int32_t epochs, int32_t eta, int32_t rungs, int32_t j)
{
    struct settings s;

    default_settings(&s);
    s.v[P_EPOCHS].i = epochs;
    s.v[P_ETA].i = eta;
    s.v[P_RUNGS].i = rungs;
    return settings_rung_epochs(&s, j + 1);
}

static FILE *file; /* golden values, read by the tests in turn */

static double *read_numbers(size_t n)
{
    double *out = take(n, sizeof *out);

    for (size_t i = 0; i < n; i++)
        out[i] = read_number(file);
    return out;
}

static void test_sobol(void **state)
{
    double u[SOBOL_MOST_AXES];

    (void)state;
    expect(file, "versions");
    assert_int_equal(fscanf(file, "%*s"), 0);
    expect(file, "sobol");
    for (int32_t n = read_int(file); n > 0; n--) {
        sobol_point(u, SOBOL_MOST_AXES, (uint32_t)read_int(file), NULL);
        for (int a = 0; a < SOBOL_MOST_AXES; a++)
            assert_float_equal(u[a], read_number(file), 0);
    }
}

/* Scrambled points are as even: 64 of them have one in each 64th of each axis, and one in each cell of 8 x 8 of the
 * first two axes. Other seeds give other points. */
static void test_scrambled(void **state)
{
    struct rng rng;
    double first = 0, u[SOBOL_MOST_AXES];

    (void)state;
    for (uint32_t seed = 0; seed < 3; seed++) {
        bool is_there[SOBOL_MOST_AXES][64] = {{false}}, cell[8][8] = {{false}};

        rng_init(&rng, (struct hash){7, seed}, RNG_SEARCH);
        for (uint32_t p = 0; p < 64; p++) {
            sobol_point(u, SOBOL_MOST_AXES, p, &rng);
            for (int32_t a = 0; a < SOBOL_MOST_AXES; a++) {
                assert_true(u[a] >= 0 && u[a] < 1);
                assert_false(is_there[a][(int)(u[a] * 64)]);
                is_there[a][(int)(u[a] * 64)] = true;
            }
            assert_false(cell[(int)(u[0] * 8)][(int)(u[1] * 8)]);
            cell[(int)(u[0] * 8)][(int)(u[1] * 8)] = true;
        }
        assert_true(u[0] != first);
        first = u[0];
    }
}

struct process {
    int32_t n, m, n_columns, n_axes, axis[8];
    double expected_noise, *scale, *u, *z, *at, *mean, *sd, *improvement;
    double noise, variance, best;
};

static void process_read(struct process *p)
{
    expect(file, "process");
    *p = (struct process){.n = read_int(file), .m = read_int(file)};
    p->n_columns = read_int(file);
    p->n_axes = read_int(file);
    for (int32_t c = 0; c < p->n_columns; c++)
        p->axis[c] = read_int(file);
    p->expected_noise = read_number(file);
    p->scale = read_numbers((size_t)p->n_axes);
    p->noise = read_number(file);
    p->variance = read_number(file);
    p->best = read_number(file);
    p->u = read_numbers((size_t)(p->n * p->n_columns));
    p->z = read_numbers((size_t)p->n);
    p->at = read_numbers((size_t)(p->m * p->n_columns));
    p->mean = read_numbers((size_t)p->m);
    p->sd = read_numbers((size_t)p->m);
    p->improvement = read_numbers((size_t)p->m);
}

static void process_release(struct process *p)
{
    double *all[] = {p->scale, p->u, p->z, p->at, p->mean, p->sd, p->improvement};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

static void expect_choices(const char *name, const struct gp *gp, const double *candidates,
                           int32_t m)
{
    enum { N_OUT = 16 };
    bool *is_seen = take((size_t)m, sizeof *is_seen);
    double improvement[N_OUT];
    int32_t out[N_OUT];
    struct err err;

    assert_int_equal(gp_choose(out, improvement, N_OUT, gp, candidates, m, is_seen, &err), 0);
    expect(file, name);
    assert_int_equal(read_int(file), N_OUT);
    for (int i = 0; i < N_OUT; i++)
        assert_int_equal(out[i], read_int(file));
    /* A point that was seen is not chosen. */
    is_seen[out[0]] = true;
    assert_int_equal(gp_choose(out + 1, improvement, 1, gp, candidates, m, is_seen, &err), 0);
    assert_int_not_equal(out[1], out[0]);
    free(is_seen);
}

/* Length scales, posterior, expected improvement, and a batch among more points than gp_choose() looks at first. */
static void test_process(void **state)
{
    enum { M = 3000 };
    double *got, *candidates;
    struct process p;
    struct err err;
    struct gp gp;

    (void)state;
    process_read(&p);
    got = take(2 * (size_t)p.m, sizeof *got);
    candidates = take((size_t)(M * p.n_columns), sizeof *candidates);
    assert_int_equal(
        gp_fit(&gp,
               &(struct gp_points){p.u, p.axis, p.z, p.expected_noise, p.n, p.n_columns, p.n_axes},
               &err),
        0);
    for (int32_t a = 0; a < p.n_axes; a++)
        assert_float_equal(gp.scale[a], p.scale[a], 0);
    assert_float_equal(gp.noise, p.noise, 0);
    assert_float_equal(gp.variance, p.variance, 1e-9);
    gp_predict(got, got + p.m, &gp, p.at, p.m);
    for (int32_t i = 0; i < p.m; i++) {
        assert_float_equal(got[i], p.mean[i], 1e-9);
        assert_float_equal(got[p.m + i], p.sd[i], 1e-9);
        assert_float_equal(gp_improvement(p.mean[i], p.sd[i], p.best), p.improvement[i], 1e-9);
    }
    for (uint32_t i = 0; i < M; i++) {
        sobol_point(candidates + i * 6, 2, i, NULL);
        candidates[i * 6 + 2 + i % 3] = M_SQRT1_2;
        candidates[i * 6 + 5] = i / 3 % 4 / 3.0;
    }
    expect_choices("choices", &gp, candidates, M);
    /* The best place is there 1,501 times, more often than gp_choose() looks at points at first. */
    for (size_t i = 0; i < 1500; i++)
        memcpy(candidates + i * 6, candidates + 2775 * 6, 6 * sizeof *candidates);
    expect_choices("crowd", &gp, candidates, M);
    gp_release(&gp);
    free(got);
    free(candidates);
    process_release(&p);
}

/* The centred means are -0.15625, 0, 0.11875 and 0.1875, and their quartile is -0.0390625. */
static void test_targets(void **state)
{
    static const double scores[6][2] = {{0.5, 1.4}, {0.6, NAN},  {-INFINITY, 1.5},
                                        {NAN, NAN}, {0.7, 1.75}, {NAN, 1.8}};
    static const double same[4][1] = {{0.1}, {-INFINITY}, {0.1}, {0.1}};
    double z[6], noise, unit = gp_targets(z, &noise, scores[0], 6, 2), sum = 0, squares = 0;

    (void)state;
    for (int i = 0; i < 6; i++) {
        sum += z[i] / 6;
        squares += z[i] * z[i] / 6;
    }
    assert_float_equal(sum, 0, 1e-15);
    assert_float_equal(squares, 1, 1e-15);
    assert_float_equal(z[0], z[2], 1e-15);
    assert_float_equal(z[0], z[3], 1e-15);
    assert_float_equal((z[1] - z[0]) * unit, 0.0390625, 1e-15);
    assert_float_equal((z[4] - z[1]) * unit, 0.11875, 1e-15);
    assert_float_equal((z[5] - z[1]) * unit, 0.1875, 1e-15);
    /* 0.1 and 0.1375 are the only pair that is not clipped; its variance is 2 0.01875^2. */
    assert_float_equal(noise * unit * unit, 0.01875 * 0.01875, 1e-15);
    assert_float_equal(gp_targets(z, &noise, same[0], 4, 1), 0, 0);
    assert_true(isnan(noise));
    assert_true(z[0] == 0 && z[1] == 0);
}

/* Values of mean 0 that are all the same leave nothing to choose by. */
static void test_flat(void **state)
{
    static const double u[] = {0.1, 0.4, 0.9, 0.2}, z[4];
    static const int32_t axis[] = {0};
    static const bool is_seen[4];
    double mean[4], sd[4], improvement[4];
    struct err err;
    struct gp gp;
    int32_t out[4];

    (void)state;
    assert_int_equal(gp_fit(&gp, &(struct gp_points){u, axis, z, NAN, 4, 1, 1}, &err), 0);
    gp_predict(mean, sd, &gp, u, 4);
    assert_float_equal(mean[0], 0, 0);
    assert_true(isfinite(sd[0]));
    assert_int_equal(gp_choose(out, improvement, 4, &gp, u, 4, is_seen, &err), 0);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < i; j++)
            assert_int_not_equal(out[i], out[j]);
    gp_release(&gp);
}

static void test_rungs(void **state)
{
    (void)state;
    expect(file, "halving");
    for (int32_t n = read_int(file); n > 0; n--) {
        const int32_t epochs = read_int(file), eta = read_int(file), rungs = read_int(file);
        int32_t left = 0;

        for (int32_t j = 0; j < rungs; j++)
            assert_int_equal(halving_epochs(epochs, eta, rungs, j), read_int(file));
        for (int32_t j = 0; j < rungs; j++) {
            const int32_t wanted = read_int(file);

            if (j > 0)
                assert_int_equal(halving_share(left, eta), wanted);
            left = wanted;
        }
    }
    assert_int_equal(halving_epochs(100, 3, 3, 0), 11);
    assert_int_equal(halving_epochs(100, 3, 3, 2), 100);
    assert_int_equal(halving_epochs(8, 3, 3, 0), 0);
}

/* Configurations 0 and 1 of 4 folds are kept, and 2, which is 0.4 standard errors of the difference below 1. 3 is
 * nearer in the mean but always worse. */
static void test_halving(void **state)
{
    static const double scores[5][4] = {{0.90, 0.92, 0.88, 0.94},
                                        {0.80, 0.70, 0.60, 0.90},
                                        {0.677, 0.777, 0.477, 0.977},
                                        {0.79, 0.69, 0.59, 0.89},
                                        {0.60, 0.60, 0.60, 0.60}};
    bool keep[5];

    (void)state;
    assert_int_equal(halving_keep(keep, NULL, NULL, scores[0], 5, 4, 2, 0.5), 3);
    assert_true(keep[0] && keep[1] && keep[2] && !keep[3] && !keep[4]);
    assert_int_equal(halving_keep(keep, NULL, NULL, scores[0], 5, 4, 2, -1), 2);
    assert_true(keep[0] && keep[1] && !keep[2]);
    assert_int_equal(halving_keep(keep, NULL, NULL, scores[0], 5, 4, 5, 0.5), 5);
    /* One fold gives no standard error. */
    assert_int_equal(halving_keep(keep, NULL, NULL, scores[0], 5, 1, 2, 0.5), 2);
}

/* A failed fold is worst, and a fold without a value is left out. */
static void test_halving_failed(void **state)
{
    static const double scores[6][3] = {{NAN, NAN, NAN}, {0.9, -INFINITY, 0.9},
                                        {0.1, 0.2, 0.3}, {-INFINITY, NAN, NAN},
                                        {0.6, NAN, 0.8}, {0.5, 0.6, 0.9}};
    bool keep[6];

    (void)state;
    assert_int_equal(halving_keep(keep, NULL, NULL, scores[0], 6, 3, 1, -1), 1);
    assert_true(keep[4]); /* 0.7 beside 0.667 */
    assert_int_equal(halving_keep(keep, NULL, NULL, scores[0], 6, 3, 1, 0.5), 2);
    assert_true(keep[4] && keep[5]); /* their differences are 0.1 and -0.1 */
    assert_int_equal(halving_keep(keep, NULL, NULL, scores[0], 6, 3, 5, 0.5), 3);
    assert_true(keep[2] && keep[4] && keep[5]);
    assert_int_equal(halving_keep(keep, NULL, NULL, scores[0], 2, 3, 1, 0.5), 0);
}

static void test_paired(void **state)
{
    static const double a[] = {0.5, NAN, 0.7, 0.4, 0.9}, b[] = {0.4, 0.1, NAN, 0.6, 0.9},
                        failed[] = {0.4, -INFINITY, 0.2, 0.1, 0.3};
    struct paired d = paired_difference(a, b, 5);

    (void)state;
    assert_int_equal(d.n, 3);
    assert_float_equal(d.mean, -0.1 / 3, 1e-15);
    assert_float_equal(d.sd, 0.15275252316519466, 1e-15); /* R: sd(c(0.1, -0.2, 0)) */
    assert_float_equal(paired_mean(a, 5), 0.625, 1e-15);
    assert_true(isnan(paired_difference(a, b, 1).sd));
    assert_true(isnan(paired_difference(a + 1, b + 1, 2).mean));
    d = paired_difference(b, failed, 5);
    assert_true(d.mean == INFINITY && isnan(d.sd));
    assert_true(paired_difference(failed, b, 5).mean == -INFINITY);
    assert_true(paired_mean(failed, 5) == -INFINITY);
    assert_true(paired_mean(a + 1, 1) == -INFINITY);
}

/* R's t.test(): statistic, difference, and half of its interval, corrected for a finite number of folds: the limit of
 * the race. The other one is moved to both sides of the limit. */
static void test_races(void **state)
{
    (void)state;
    expect(file, "races");
    for (int32_t n = read_int(file), line = 0; line < n; line++) {
        double statistic, estimate, limit, scores[2 * 25];
        struct paired d;
        int32_t k, m;

        if (line == 0)
            assert_int_equal(fscanf(file, "%*s"), 0);
        k = read_int(file);
        m = read_int(file);
        statistic = read_number(file);
        estimate = read_number(file);
        limit = read_number(file);
        for (int i = 0; i < 2; i++)
            for (int32_t f = 0; f < m; f++)
                scores[i * k + f] = read_number(file);
        d = paired_difference(scores + k, scores, m);
        assert_int_equal(d.n, m);
        assert_float_equal(d.mean, estimate, 1e-9);
        assert_float_equal(d.mean / (d.sd / sqrt(d.n)), statistic, 1e-9);
        for (int is_beyond = 0; is_beyond < 2; is_beyond++) {
            const double wanted = -limit + (is_beyond ? -1e-9 : 1e-9);
            bool is_alive[2] = {true, true};

            d = paired_difference(scores + k, scores, m);
            for (int32_t f = 0; f < m; f++)
                scores[k + f] += wanted - d.mean;
            assert_int_equal(race_drop(is_alive, NULL, NULL, scores, 2, m, k, race_first(k), 0.05),
                             is_beyond ? 1 : 2);
            assert_true(is_alive[0]);
        }
    }
}

static void test_race_failed(void **state)
{
    static const double scores[5][5] = {{0.1, 0.1, 0.2},
                                        {0.9, -INFINITY, 0.9},
                                        {NAN, NAN, NAN},
                                        {0.05, NAN, NAN},
                                        {0.08, 0.08, 0.18}};
    bool is_alive[5] = {true, true, true, true, true};

    (void)state;
    assert_int_equal(race_first(7), 2);
    assert_int_equal(race_first(8), 3);
    /* One pair shows nothing; three differences of 0.02 show that 4 is worse. */
    assert_int_equal(race_drop(is_alive, NULL, NULL, scores[0], 5, 3, 5, race_first(5), 0.05), 2);
    assert_true(is_alive[0] && is_alive[3]);
    is_alive[0] = true; /* of one configuration, which failed */
    assert_int_equal(race_drop(is_alive, NULL, NULL, scores[1], 1, 3, 5, race_first(5), 0.05), 0);
    assert_false(is_alive[0]);
}

static int open_golden(void **state)
{
    (void)state;
    file = golden_file("search");
    return 0;
}

static int close_golden(void **state)
{
    (void)state;
    return fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sobol),          cmocka_unit_test(test_process),
        cmocka_unit_test(test_rungs),          cmocka_unit_test(test_races),
        cmocka_unit_test(test_scrambled),      cmocka_unit_test(test_flat),
        cmocka_unit_test(test_targets),        cmocka_unit_test(test_halving),
        cmocka_unit_test(test_halving_failed), cmocka_unit_test(test_paired),
        cmocka_unit_test(test_race_failed),
    };

    return cmocka_run_group_tests(tests, open_golden, close_golden);
}
