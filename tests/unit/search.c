/* SPDX-License-Identifier: BSD-3-Clause */
/* The pure functions of a search, against SciPy 1.10, scikit-learn 1.2 and R 4.2. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "search/gp.h"
#include "search/halving.h"
#include "search/race.h"
#include "search/sobol.h"

/* scipy.stats.qmc.Sobol(64, scramble=False).random(64)[point, axis] */
static void test_sobol(void **state)
{
    static const struct {
        uint32_t point;
        int32_t axis;
        double value;
    } cases[] = {{5, 0, 0.875},      {5, 1, 0.875},      {5, 7, 0.375},
                 {37, 20, 0.953125}, {63, 40, 0.671875}, {50, 63, 0.671875}};
    double u[SOBOL_MOST_AXES];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        sobol_point(u, SOBOL_MOST_AXES, cases[i].point, NULL);
        assert_float_equal(u[cases[i].axis], cases[i].value, 0);
    }
}

/* Scrambled or not, 64 points have one in each 64th of each axis, and one in each cell of 8 x 8 of the first two.
 * Other seeds give others. */
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

static const double u[] = {0.086, 0.237, 0.801, 0.582, 0.094, 0.433, 0.479, 0.16,  0.735,
                           0.114, 0.391, 0.517, 0.431, 0.587, 0.738, 0.956, 0.284, 0.649};
static const double z[] = {-0.961935, -1.080741, -0.464711, 0.197521, -1.533963,
                           1.112765,  1.240371,  0.292125,  1.198569};
static const int32_t axis[] = {0, 1};

/* GaussianProcessRegressor(Matern(length_scale=[0.2, 0.8], nu=2.5), alpha=0.001, optimizer=None), its variance times
 * z' K^-1 z / n; the scales and the noise from the prototype of the search */
static void test_gp(void **state)
{
    static const double at[] = {0.1, 0.9, 0.5, 0.5, 0.95, 0.2, 0.3, 0.31};
    static const double mean[] = {0.41513449854403417, 0.84230173041836365, -1.1269612841036327,
                                  0.55398250286142314};
    static const double sd[] = {0.54889472633177472, 0.25568561645536964, 0.85120140007535339,
                                0.3888625839312338};
    static const double improvement[] = {0.016217544880157846, 0.0068075405906520645,
                                         0.0007005208468580592, 0.0062086191736115438};
    double got_mean[4], got_sd[4];
    struct err err;
    struct gp gp;

    (void)state;
    assert_int_equal(gp_fit(&gp, u, axis, z, 9, 2, 2, &err), 0);
    assert_float_equal(gp.scale[0], 0.2, 0);
    assert_float_equal(gp.scale[1], 0.8, 0);
    assert_float_equal(gp.noise, 1e-3, 0);
    gp_predict(got_mean, got_sd, &gp, at, 4);
    for (int i = 0; i < 4; i++) {
        assert_float_equal(got_mean[i], mean[i], 1e-9);
        assert_float_equal(got_sd[i], sd[i], 1e-9);
        assert_float_equal(gp_improvement(mean[i], sd[i], 1.2365194989647226), improvement[i],
                           1e-9);
    }
    gp_release(&gp);
}

/* The choices of the prototype among 3,000 points, more than a batch looks at first. Seen points are not chosen. */
static void test_choose(void **state)
{
    enum { M = 3000, N_OUT = 6 };
    static const int32_t wanted[N_OUT] = {1275, 427, 1379, 1947, 83, 667};
    static double candidates[2 * M];
    static bool is_seen[M];
    int32_t out[N_OUT];
    struct err err;
    struct gp gp;

    (void)state;
    for (uint32_t i = 0; i < M; i++)
        sobol_point(candidates + 2 * i, 2, i, NULL);
    is_seen[7] = true;
    assert_int_equal(gp_fit(&gp, u, axis, z, 9, 2, 2, &err), 0);
    assert_int_equal(gp_choose(out, N_OUT, &gp, candidates, M, is_seen, &err), 0);
    assert_memory_equal(out, wanted, sizeof wanted);
    gp_release(&gp);
}

/* Of 6 configurations on 4 folds keep 2, and the third, whose difference to the second is within half a standard
 * error; the fourth is as near in the mean but always worse. A diverged one is last. */
static void test_halving(void **state)
{
    static const double scores[6][4] = {{0.60, 0.60, 0.60, 0.60}, {0.90, 0.92, 0.88, 0.94},
                                        {0.80, 0.70, 0.60, 0.90}, {0.70, 0.76, 0.78, 0.75},
                                        {0.79, 0.69, 0.59, 0.89}, {0.99, 0.99, NAN, 0.99}};
    bool keep[6];

    (void)state;
    assert_int_equal(halving_keep(keep, scores[0], 6, 4, 2, 0.5), 3);
    assert_true(keep[1] && keep[2] && keep[3] && !keep[4]);
    assert_int_equal(halving_keep(keep, scores[0], 6, 4, 2, -1), 2);
    assert_false(keep[3]);
    assert_int_equal(halving_keep(keep, scores[0], 6, 4, 6, 0.5), 6);
    assert_int_equal(halving_epochs(54, 3, 3, 0), 6);
    assert_int_equal(halving_epochs(100, 3, 3, 0), 11);
    assert_int_equal(halving_epochs(100, 3, 3, 2), 100);
    assert_int_equal(halving_epochs(8, 3, 3, 0), 0);
}

/* R: after 3 of 5 folds the limit is qt(1 - 0.05 / 3, 2) = 5.3398 times sd sqrt((1 / 3) (1 - 3 / 5)) = 0.36515 sd. */
static void test_race(void **state)
{
    /* differences to the first: mean 0.1, sd 0.05 and 0.052 */
    static const double scores[3][5] = {{1, 1, 1}, {0.95, 0.9, 0.85}, {0.952, 0.9, 0.848}};
    static const double diverged[2][5] = {{0.1, 0.1, 0.1}, {0.9, NAN, 0.9}};
    bool is_alive[3] = {true, true, true};

    (void)state;
    assert_int_equal(race_first(5), 2);
    assert_int_equal(race_first(8), 3);
    assert_int_equal(race_drop(is_alive, scores[0], 3, 3, 5, 0.05), 2);
    assert_true(is_alive[0] && !is_alive[1] && is_alive[2]);
    is_alive[1] = true;
    assert_int_equal(race_drop(is_alive, diverged[0], 2, 3, 5, 0.05), 1);
    assert_true(is_alive[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sobol),   cmocka_unit_test(test_scrambled),
        cmocka_unit_test(test_gp),      cmocka_unit_test(test_choose),
        cmocka_unit_test(test_halving), cmocka_unit_test(test_race),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
