/* SPDX-License-Identifier: BSD-3-Clause */
/* Proposers and the space of the axes. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <setjmp.h>

#include <cmocka.h>

#include "grid/sweep_file.h"
#include "search/proposer.h"
#include "search/space.h"

#define PROGRAM "[program]\ncommand = ./train {a} {b} [{c}] {w}\n"
#define RANGES                                                                      \
    PROGRAM "[grid]\na = loguniform(1e-4, 1e-1)\nb = int(1, 9)\nw = x, 'y, z', u\n" \
            "c = uniform(0, 1) if w = 'x'\n"
#define LISTS PROGRAM "[grid]\na = 1, 3, 2\nb = 10, 20, 40, 30\nw = x, y\nc = 5, 6 if w = 'x'\n"

struct made {
    struct sweep sweep;
    struct settings fixed;
    struct proposing proposing;
    struct grid_rows rows;
    int32_t n_configs;
};

/* The condition of c holds where w is x; NULL where: all are kept. */
static int holds(void *arg, const struct sweep *sweep, const struct settings *point,
                 struct err *err)
{
    (void)err;
    (void)arg;
    return !strcmp(point->v[sweep_find_name(sweep, "w")].s, "x");
}

static void *const conditions[] = {NULL, NULL, NULL, (void *)(uintptr_t)1};
static const struct predicate predicate = {.holds = holds, .conditions = conditions};

static void make(struct made *m, const char *search, const char *text)
{
    struct errlist faults = {0};
    char all[2048];
    struct err err;

    snprintf(all, sizeof all, "[sweep]\nobjective = accuracy\n[search]\n%s%s", search, text);
    if (sweep_parse(&m->sweep, "s.ini", all, NULL, 0, &faults))
        fail_msg("%s", faults.n ? faults.text[0] : "out of memory");
    settings_stored(&m->fixed, &m->sweep.fixed);
    m->proposing = (struct proposing){&m->sweep, &m->fixed, &predicate};
    if (proposer_rows(&m->rows, &m->n_configs, &m->proposing, &err))
        fail_msg("%s", err.text);
    errlist_release(&faults);
}

static void drop(struct made *m)
{
    grid_rows_release(&m->rows);
    sweep_release(&m->sweep);
}

static bool is_same(const struct made *a, const struct made *b, int32_t row)
{
    for (size_t i = 0; i < a->sweep.n_axes; i++) {
        const size_t at = (size_t)row * a->sweep.n_axes + i;

        if (!param_equal(a->sweep.axes[i].id, a->rows.v[at], b->rows.v[at]))
            return false;
    }
    return true;
}

/* A larger number keeps all earlier rows; start is the first; no two rows are equal. */
static void test_sequences(void **state)
{
    static const char *const names[] = {"random", "sobol"}, *const texts[] = {RANGES, LISTS};

    (void)state;
    for (int i = 0; i < 4; i++) {
        const char *start =
            i / 2 ? "start = a = 3, w = y\n" : "start = a = 0.01, b = 4, w = 'y, z'\n";
        struct names seen = {.n = 0};
        struct made few, many;
        struct space space;
        char search[256];

        snprintf(search, sizeof search, "propose = %s\nconfigs = 7\n%s", names[i % 2], start);
        make(&few, search, texts[i / 2]);
        snprintf(search, sizeof search, "propose = %s\nconfigs = 30\n%s", names[i % 2], start);
        make(&many, search, texts[i / 2]);
        assert_int_equal(few.rows.n, 7);
        assert_int_equal(many.rows.n, 30);
        for (int32_t c = 0; c < 7; c++)
            assert_true(is_same(&few, &many, c));
        assert_string_equal(many.rows.v[0].s, i / 2 ? "3" : "0.01");
        assert_int_equal(space_init(&space, &many.sweep, &many.fixed, NULL), 0);
        for (int32_t c = 0; c < 30; c++)
            assert_int_equal(space_find_or_add(&seen, &space, many.rows.v + 4 * c, 0, NULL), c);
        names_release(&seen);
        space_release(&space);
        drop(&few);
        drop(&many);
    }
}

/* All points of a grid of 3 x 4 x (2 + 1), in another order; more cannot be had. */
static void test_exhausted(void **state)
{
    struct made m;

    (void)state;
    make(&m, "propose = sobol\nconfigs = all\n", LISTS);
    assert_int_equal(m.n_configs, 36);
    drop(&m);
    make(&m, "propose = random\nconfigs = 1000\n", LISTS);
    assert_int_equal(m.n_configs, 36);
    drop(&m);
    make(&m, "propose = model\nconfigs = 1000\n", LISTS);
    assert_int_equal(m.n_configs, 36);
    assert_int_equal(m.rows.n, 10); /* 2 (axes + 1) */
    drop(&m);
}

/* Numbers by rank or value, words apart, and back. */
static void test_space(void **state)
{
    struct arena texts = {0};
    union value row[4], again[4];
    struct space space;
    struct made m;
    double u[16];

    (void)state;
    make(&m, "propose = sobol\nconfigs = 5\n", RANGES);
    assert_int_equal(space_init(&space, &m.sweep, &m.fixed, NULL), 0);
    assert_int_equal(space.n_columns, 6);
    for (int32_t a = 0; a < 4; a++)
        assert_int_equal(space_decode(row, &space, a, 0.5, &texts), 0);
    assert_string_equal(row[0].s, "0.00316228");
    assert_string_equal(row[1].s, "5");
    assert_string_equal(row[2].s, "y, z");
    row[3].s = NULL;
    space_encode(u, &space, row);
    assert_true(fabs(u[0] - 0.5) < 1e-6 && u[1] == 0.5);
    assert_true(u[2] == 0 && u[3] == M_SQRT1_2 && u[4] == 0 && u[5] == 0.5);
    for (int i = 0; i < 1000; i++) { /* of whole numbers each has its share */
        assert_int_equal(space_decode(row, &space, 1, i / 1000.0, &texts), 0);
        assert_int_equal(atoi(row[1].s), 1 + i * 9 / 1000);
        assert_int_equal(space_decode(again, &space, 1, space_place(&space, row, 1), &texts), 0);
        assert_string_equal(again[1].s, row[1].s);
    }
    space_release(&space);
    arena_release(&texts);
    drop(&m);
}

static double score_of(const struct made *m, int32_t c, int32_t fold)
{
    const union value *row = m->rows.v + 4 * (size_t)c;
    const double a = log10(atof(row[0].s)), b = atof(row[1].s);

    return -(a + 2) * (a + 2) - 0.05 * (b - 7) * (b - 7) + (strcmp(row[2].s, "u") ? 0 : 0.3) + fold;
}

/* The model finds the maximum of a smooth function; the same again; with failures, too. */
static void test_model(void **state)
{
    double best[2] = {-INFINITY, -INFINITY}, value[64], scores[128];
    struct made m[2];

    (void)state;
    for (int k = 0; k < 2; k++) {
        make(&m[k], "propose = model\nconfigs = 42\n", RANGES);
        m[k].rows.v = realloc(m[k].rows.v, 42 * 4 * sizeof *m[k].rows.v);
        while (m[k].rows.n < 42) {
            const int32_t n = m[k].rows.n;
            struct err err;

            for (int32_t c = 0; c < n; c++)
                for (int32_t f = 0; f < 2; f++)
                    scores[2 * c + f] = c == 3 ? -INFINITY : score_of(&m[k], c, f);
            assert_int_equal(proposer_of(&m[k].fixed)
                                 ->next(&m[k].rows, &m[k].proposing, 8, scores, 2, value, &err),
                             0);
            assert_int_equal(m[k].rows.n, n + 8);
            assert_true(value[0] >= value[7] && value[7] >= 0);
        }
        for (int32_t c = 0; c < 42; c++)
            best[k] = fmax(best[k], score_of(&m[k], c, 0));
    }
    for (int32_t c = 0; c < 42; c++)
        assert_true(is_same(&m[0], &m[1], c));
    assert_true(best[0] > 0.25); /* of 0.3 */
    drop(&m[0]);
    drop(&m[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_exhausted),
        cmocka_unit_test(test_space),
        cmocka_unit_test(test_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
