/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "data/text/lines.h"
#include "scratch.h"

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
    assert_int_equal(textline_open(t, "a.vcf", read_endless, &e, err), 0);
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

static void test_lines(void **state)
{
    struct err err = {""};
    struct lines l;

    (void)state;
    assert_int_equal(
        lines_open(&l, scratch_text("a.txt", " 1, 2\r\n3456789012345,8\n9,10\n\n"), &err), 0);
    l.text.limit = 16;
    assert_int_equal(lines_next(&l, &err), 1);
    assert_int_equal(l.n_cells, 2);
    assert_string_equal(l.cell[1], "2");
    assert_string_equal(l.cell[0], "1");
    assert_int_equal(lines_next(&l, &err), 1);
    assert_string_equal(l.cell[0], "3456789012345");
    assert_int_equal(l.line, 2);
    assert_int_equal(lines_next(&l, &err), 1);
    assert_string_equal(l.cell[1], "10");
    assert_int_equal(lines_next(&l, &err), 0);
    lines_close(&l);
}

static void refuse(const char *text, size_t limit, const char *message)
{
    struct err err = {""};
    struct lines l;

    assert_int_equal(lines_open(&l, scratch_text("a.txt", text), &err), 0);
    l.text.limit = limit;
    assert_int_equal(lines_next(&l, &err), 1);
    assert_int_equal(lines_next(&l, &err), -1);
    if (!strstr(err.text, message))
        fail_msg("%s", err.text);
    lines_close(&l);
}

static void test_faulty(void **state)
{
    (void)state;
    refuse("1\n12345678901234567\n", 16, "a.txt:2: a line of more than 16 bytes: ");
    refuse("1\n,,,\n", 24, "a.txt:2: a line of more than 3 cells: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_longest_line),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_faulty),
    };

    return cmocka_run_group_tests_name("textline", tests, scratch_make, scratch_remove);
}
