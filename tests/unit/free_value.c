/* SPDX-License-Identifier: BSD-3-Clause */
#include "grid/free_value.h"
#include "unit.h"

static void assert_value(const char *text, const char *value, const char *written)
{
    struct buf out = {0};
    struct err err;

    if (free_value_read(&out, text, &err))
        fail_msg("%s: %s", text, err.text);
    assert_string_equal(buf_text(&out), value);
    buf_clear(&out);
    free_value_write(&out, value);
    assert_string_equal(buf_text(&out), written);
    buf_release(&out);
}

static void test_numbers(void **state)
{
    (void)state;
    assert_value("16", "16", "16");
    assert_value("1e-3", "0.001", "0.001");
    assert_value("+2.50", "2.5", "2.5");
    assert_value("1e3", "1000", "1000");
    assert_value("-0.0", "0", "0");
    assert_true(free_value_is_number("0.001"));
    assert_false(free_value_is_number("1e-3"));
    assert_false(free_value_is_number("1.10"));
    assert_false(free_value_is_number("nan"));
    assert_false(free_value_is_number(""));
}

/* Texts that look like numbers but would change as numbers. */
static void test_kept_texts(void **state)
{
    (void)state;
    assert_value("007", "007", "007");
    assert_value("'1.10'", "1.10", "\"1.10\"");
    assert_value("12345678901234567890", "12345678901234567890", "12345678901234567890");
    assert_value("0x10", "0x10", "0x10");
}

static void test_texts(void **state)
{
    (void)state;
    assert_value("adam", "adam", "adam");
    assert_value("$(rm -rf)", "$(rm -rf)", "\"$(rm -rf)\"");
    assert_value("'a, b; c'", "a, b; c", "\"a, b; c\"");
    assert_value("'it''s'", "it's", "\"it's\"");
    assert_value("\"a\\nb\\t\\\"c\\\\\"", "a\nb\t\"c\\", "\"a\\nb\\t\\\"c\\\\\"");
    assert_value("''", "", "\"\"");
    assert_value("' x '", " x ", "\" x \"");
}

static void assert_refused(const char *text, const char *message)
{
    struct buf out = {0};
    struct err err = {.text = ""};

    assert_int_equal(free_value_read(&out, text, &err), -1);
    assert_string_equal(err.text, message);
    buf_release(&out);
}

static void test_refused(void **state)
{
    (void)state;
    assert_refused("'abc", "the quote ' is not closed");
    assert_refused("\"a\\\"", "the quote \" is not closed");
    assert_refused("'a'b", "'b' follows the closing quote: quote the whole value");
    assert_refused("\"\\x\"",
                   "'\\x' is unknown: in double quotes \\n \\t \\\\ and \\\" are allowed");
}

/* A written value reads back. */
static void test_round_trip(void **state)
{
    static const char signs[] = "a1.e-,;:#'\"\\ \n\t({$";
    char value[5] = "";

    (void)state;
    for (size_t i = 0; i < 20000; i++) {
        struct buf written = {0}, again = {0};
        size_t n = i % 5, rest = i / 5 * 7919;

        for (size_t k = 0; k < n; k++, rest /= sizeof signs - 1)
            value[k] = signs[rest % (sizeof signs - 1)];
        value[n] = '\0';
        if (!strcmp(value, "-0") || !free_value_is_number(value))
            free_value_write(&written, value);
        else
            buf_puts(&written, value);
        assert_int_equal(free_value_read(&again, buf_text(&written), NULL), 0);
        assert_string_equal(buf_text(&again), value);
        buf_release(&written);
        buf_release(&again);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),    cmocka_unit_test(test_kept_texts),
        cmocka_unit_test(test_texts),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_round_trip),
    };

    return cmocka_run_group_tests_name("free_value", tests, NULL, NULL);
}
