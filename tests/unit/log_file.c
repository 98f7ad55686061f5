/* SPDX-License-Identifier: BSD-3-Clause */
#include <sys/stat.h>
#include <unistd.h>

#include "program/log_file.h"
#include "scratch.h"
#include "unit.h"

static struct log_tail tail;

static void add(const char *text)
{
    log_tail_add(&tail, text, strlen(text));
}

static void assert_read(const char *wanted, int n)
{
    struct buf out = {0};
    struct err err;

    assert_int_equal(log_file_read(&out, "t1", &err), n);
    assert_string_equal(buf_text(&out), wanted);
    buf_release(&out);
}

static void begin(void)
{
    assert_int_equal(system("rm -rf t1 && mkdir t1"), 0);
    log_tail_clear(&tail);
}

/* A program that ends within a second, or prints nothing, leaves no file. */
static void test_when(void **state)
{
    struct log_file f;

    (void)state;
    begin();
    f = log_file_begin("t1", 0, 100);
    log_file_refresh(&f, &tail, 105);
    assert_false(log_file_exists("t1"));
    f = log_file_begin("t1", 0, 100);
    add("a\n");
    log_file_refresh(&f, &tail, 100.9);
    assert_read("", 0);
    log_file_refresh(&f, &tail, 101);
    assert_true(log_file_exists("t1"));
    assert_read("a\n", 1);
    add("b\n");
    log_file_refresh(&f, &tail, 101.9);
    assert_read("a\n", 1);
    log_file_refresh(&f, &tail, 102);
    assert_read("a\nb\n", 1);
    assert_int_equal(unlink("t1/log"), 0);
    log_file_refresh(&f, &tail, 110); /* nothing new */
    assert_read("", 0);
    log_file_write(&f, &tail);
    assert_read("a\nb\n", 1);
    log_file_remove(&f);
    assert_int_equal(rmdir("t1"), 0);
}

static void test_ranks(void **state)
{
    struct log_file f[3];

    (void)state;
    begin();
    add("x");
    for (int32_t rank = 2; rank >= 0; rank--) {
        f[rank] = log_file_begin("t1", rank, 0);
        log_file_write(&f[rank], &tail);
    }
    assert_read("rank 0:\nx\nrank 1:\nx\nrank 2:\nx", 3);
    log_file_remove(&f[2]);
    assert_read("rank 0:\nx\nrank 1:\nx", 2);
    log_file_remove(&f[0]);
    assert_int_equal(rmdir("t1"), 0);
}

/* A program may write anything there. */
static void test_strange(void **state)
{
    struct buf out = {0};
    struct err err;

    (void)state;
    begin();
    assert_int_equal(system("cd t1 && echo secret >../other && ln -s ../other log && "
                            "mkfifo log.rank1 && mkdir log.rank2 && echo a >log.rank03 && "
                            "echo a >log.rank4x && echo a >log.rank && echo a >log.txt"),
                     0);
    assert_false(log_file_exists("t1"));
    assert_read("", 0);
    assert_int_equal(system("rm -r t1/log* && head -c 100000 /dev/zero | tr '\\0' x >t1/log"), 0);
    assert_int_equal(log_file_read(&out, "t1", &err), 1);
    assert_int_equal(out.size, LOG_TAIL_BYTES);
    buf_release(&out);
}

static int make(void **state)
{
    return scratch_make(state) || chdir(scratch_folder) ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_when),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_strange),
    };

    return cmocka_run_group_tests_name("log_file", tests, make, scratch_remove);
}
