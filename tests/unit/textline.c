/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/text/textline.h"
#include "scratch.h"
#include "unit.h"

/* A source of n equal bytes, for long lines without a file. */
struct endless {
    size_t n_left;
    char byte;
};

static int read_endless(void *source, void *out, size_t *got, size_t n, struct err *err)
{
    struct endless *e = source;

    (void)err;
    *got = n < e->n_left ? n : e->n_left;
    memset(out, e->byte, *got);
    e->n_left -= *got;
    return 0;
}

static int next_of(struct textline *t, size_t n, size_t limit, struct err *err)
{
    static struct endless e;

    e = (struct endless){n, 'A'};
    assert_int_equal(textline_open_source(t, "a.vcf", read_endless, &e, err), 0);
    assert_int_equal(t->limit, (size_t)1 << 30);
    t->limit = limit;
    return textline_next(t, err);
}

static void test_longest_line(void **state)
{
    const size_t limit = 3 << 20;
    struct err err = {""};
    struct textline t;

    (void)state;
    assert_int_equal(next_of(&t, limit, limit, &err), 1);
    assert_int_equal(t.text.size, limit);
    textline_close(&t);
    assert_int_equal(next_of(&t, SIZE_MAX, limit, &err), -1);
    assert_string_equal(err.text, "a.vcf:1: a line of more than 3145728 bytes: this is the limit; "
                                  "check that the file is text and has line ends");
    assert_in_range(t.text.capacity, 0, 2 * limit);
    textline_close(&t);
}

static void test_line_ends(void **state)
{
    static const char *const lines[] = {"a b", "", "c", "d ", "", "e"};
    struct err err = {""};
    struct textline t;

    (void)state;
    assert_int_equal(
        textline_open(&t, scratch_text("a.txt", "a b\r\n\nc\rd \r\n\re"), "text", &err), 0);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(textline_next(&t, &err), 1);
        assert_string_equal(buf_text(&t.text), lines[i]);
        assert_int_equal(t.number, i + 1);
    }
    assert_int_equal(textline_next(&t, &err), 0);
    textline_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longest_line),
        cmocka_unit_test(test_line_ends),
    };

    return cmocka_run_group_tests_name("textline", tests, scratch_make, scratch_remove);
}
