/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "base/buf.h"
#include "data/core/columns.h"
#include "scratch.h"
#include "unit.h"

/* More rows than two allocations hold. */
#define ROWS 50
#define COLS 7

/* "" if missing; column 2 is constant. */
static const char *whole(int32_t i, int32_t j)
{
    static const char *const text[] = {"0", "1", "2", "NA", "-127", "127", "1.0", "1e2", "-0"};

    if (j == 2)
        return i % 4 ? "1" : "";
    return text[(i * 5 + j * j) % 9];
}

static float value_of(const char *text)
{
    return *text && *text != 'N' ? strtof(text, NULL) : NAN;
}

/* `odd` is the text of one cell (row -1: of none). */
static void read_table(struct columns *c, struct table *t, int32_t row, int32_t col,
                       const char *odd, int32_t rows_expected)
{
    struct buf text = {0};
    struct err err = {""};

    buf_puts(&text, "id,a,b,c,d,e,f,g\n");
    for (int32_t i = 0; i < ROWS; i++) {
        buf_printf(&text, "s%d", i);
        for (int32_t j = 0; j < COLS; j++)
            buf_printf(&text, ",%s", i == row && j == col ? odd : whole(i, j));
        buf_putc(&text, '\n');
    }
    if (table_open(t, scratch_text("t.csv", buf_text(&text)), &err) != 0 ||
        columns_init(c, t, rows_expected, &err) != 0)
        fail_msg("%s", err.text);
    for (int32_t i = 0; i < ROWS; i++) {
        assert_int_equal(table_next(t, &err), 1);
        if (!rows_expected)
            assert_int_equal(columns_add_row(c, &err), 0);
        if (columns_read_row(c, i, t, &err) != 0)
            fail_msg("%s", err.text);
    }
    assert_int_equal(c->n_rows, ROWS);
    buf_release(&text);
}

static float held(const struct columns *c, int32_t i, int32_t j)
{
    int64_t at = (int64_t)i * c->n_cols + j;

    if (c->v)
        return c->v[at];
    return c->dosage[at] == DOSAGE_MISSING ? NAN : (float)c->dosage[at];
}

static void check_held(const struct columns *c, int32_t row, int32_t col, const char *odd)
{
    for (int32_t i = 0; i < ROWS; i++)
        for (int32_t j = 0; j < COLS; j++) {
            float wanted = value_of(i == row && j == col ? odd : whole(i, j));

            assert_true(isnan(wanted) ? isnan(held(c, i, j)) : held(c, i, j) == wanted);
        }
}

static void test_whole(void **state)
{
    (void)state;
    for (int32_t expected = 0; expected <= ROWS; expected += ROWS) {
        struct columns c;
        struct table t;

        read_table(&c, &t, -1, 0, NULL, expected);
        assert_non_null(c.dosage);
        assert_null(c.v);
        check_held(&c, -1, 0, NULL);
        columns_release(&c);
        table_close(&t);
    }
}

/* The first value that is not a small integer may stand anywhere. */
static void test_widening(void **state)
{
    static const char *const odd[] = {"0.5", "128", "-128", "1e30", "-0.25"};
    static const int32_t rows[] = {0, 1, 16, 17, ROWS - 1};

    (void)state;
    for (size_t o = 0; o < sizeof odd / sizeof *odd; o++)
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
            for (int32_t j = 0; j < COLS; j += 3)
                for (int32_t expected = 0; expected <= ROWS; expected += ROWS) {
                    struct columns c;
                    struct table t;

                    read_table(&c, &t, rows[r], j, odd[o], expected);
                    assert_null(c.dosage);
                    assert_non_null(c.v);
                    check_held(&c, rows[r], j, odd[o]);
                    columns_release(&c);
                    table_close(&t);
                }
}

/* The odd value is in the constant column, which then moves. */
static void check_cleaned(const char *odd)
{
    int32_t kept = odd ? COLS : COLS - 1, wanted_missing = 0;
    struct tally tally[COLS];
    bool keeps[COLS];
    int64_t n_missing;
    struct columns c;
    struct table t;

    read_table(&c, &t, odd ? 1 : -1, 2, odd, 0);
    columns_tally(tally, &c);
    for (int32_t j = 0; j < COLS; j++)
        keeps[j] = tally[j].low < tally[j].high;
    columns_keep(&c, keeps);
    assert_int_equal(c.n_cols, kept);
    assert_string_equal(c.name[2], odd ? "c" : "d");
    assert_int_equal(columns_impute(&c, &n_missing, NULL), 0);
    for (int32_t j = 0; j < kept; j++) {
        int32_t source = j + (!odd && j >= 2), n = 0;
        double sum = 0;

        for (int32_t pass = 0; pass < 2; pass++)
            for (int32_t i = 0; i < ROWS; i++) {
                float v = value_of(odd && i == 1 && j == 2 ? odd : whole(i, source));

                if (pass == 0 && !isnan(v)) {
                    sum += (double)v;
                    n++;
                } else if (pass == 1) {
                    wanted_missing += isnan(v);
                    if (isnan(v) && !odd)
                        assert_true(isnan(held(&c, i, j)));
                    else
                        assert_true(held(&c, i, j) == (isnan(v) ? (float)(sum / n) : v));
                }
            }
    }
    assert_int_equal(n_missing, wanted_missing);
    columns_release(&c);
    table_close(&t);
}

static void test_cleaning(void **state)
{
    (void)state;
    check_cleaned(NULL);
    check_cleaned("0.5");
}

static void test_no_value(void **state)
{
    static const char *const texts[] = {"id,a,b\nx,1,NA\ny,2,\n", "id,a,b\nx,0.5,NA\ny,2,\n"};

    (void)state;
    for (int f = 0; f < 2; f++) {
        struct columns c;
        struct table t;
        struct err err;
        int64_t n_missing;

        assert_int_equal(table_open(&t, scratch_text("t.csv", texts[f]), NULL), 0);
        assert_int_equal(columns_init(&c, &t, 2, NULL), 0);
        for (int32_t i = 0; i < 2; i++) {
            assert_int_equal(table_next(&t, NULL), 1);
            assert_int_equal(columns_read_row(&c, i, &t, NULL), 0);
        }
        assert_int_equal(columns_impute(&c, &n_missing, &err), -1);
        assert_string_equal(err.text, "column \"b\" has no value");
        columns_release(&c);
        table_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_widening),
        cmocka_unit_test(test_cleaning),
        cmocka_unit_test(test_no_value),
    };

    return cmocka_run_group_tests_name("columns", tests, scratch_make, scratch_remove);
}
