/* SPDX-License-Identifier: BSD-3-Clause */
#include <sys/stat.h>
#include <unistd.h>

#include "program/attempt_file.h"
#include "scratch.h"
#include "unit.h"

static void begin(void)
{
    assert_int_equal(system("rm -rf t1 && mkdir t1"), 0);
}

static void put(const char *text)
{
    FILE *file = fopen("t1/attempts", "w");

    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static void test_numbers(void **state)
{
    static const int32_t numbers[] = {1, 10, 2, INT32_MAX - 1, 0}; /* a smaller one replaces all */

    (void)state;
    begin();
    assert_int_equal(attempt_file_read("t1").n, 0);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct attempt_file file = {
            .n = numbers[i], .n_idle = numbers[i] / 2, .seconds = 0.5 + (double)numbers[i]};

        if (i % 2)
            memset(file.over, 'e', sizeof file.over - 1);
        attempt_file_write("t1", file);
        assert_int_equal(attempt_file_read("t1").n, numbers[i]);
        assert_string_equal(attempt_file_read("t1").over, file.over);
        assert_int_equal(attempt_file_read("t1").n_idle, numbers[i] / 2);
        assert_true(attempt_file_read("t1").seconds == file.seconds);
    }
    attempt_file_remove("t1");
    assert_int_equal(access("t1/attempts", F_OK), -1);
    attempt_file_remove("t1");
    attempt_file_write("nowhere", (struct attempt_file){.n = 1}); /* ignored */
    assert_int_equal(attempt_file_read("nowhere").n, 0);
}

/* A program may write to its trial's folder. */
static void test_foreign(void **state)
{
    static const char *const texts[] = {"",
                                        "\n",
                                        "x\n",
                                        "3\n",
                                        "3 ",
                                        "3 4",
                                        "3 4\n",
                                        "3 4 5.5\n",
                                        "3 4 5.5 \n",
                                        "3 4 -1 token\n",
                                        "3 4 1e11 token\n",
                                        "3 4 nan token\n",
                                        "3 4 token\n",
                                        "3 4 5.5 token",
                                        "3 4 5.5 two words\n",
                                        "3 x 5.5 -\n",
                                        "-1 0 5.5 -\n",
                                        "3 -1 5.5 -\n",
                                        "2147483647 0 5.5 -\n",
                                        "99999999999999999 0 5.5 -\n"};
    char too_long[ATTEMPT_FILE_TOKEN + 8] = "3 4 5 ";

    (void)state;
    begin();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        put(texts[i]);
        assert_int_equal(attempt_file_read("t1").n, 0);
    }
    memset(too_long + 6, 'e', ATTEMPT_FILE_TOKEN);
    strcpy(too_long + 6 + ATTEMPT_FILE_TOKEN, "\n");
    put(too_long);
    assert_int_equal(attempt_file_read("t1").n, 0);
    put("3 4 5.5 token\n");
    assert_string_equal(attempt_file_read("t1").over, "token");
    unlink("t1/attempts");
    assert_int_equal(symlink("/etc/passwd", "t1/attempts"), 0);
    assert_int_equal(attempt_file_read("t1").n, 0);
    unlink("t1/attempts");
    assert_int_equal(mkfifo("t1/attempts", 0600), 0);
    assert_int_equal(attempt_file_read("t1").n, 0); /* and waits for nobody */
    attempt_file_write("t1", (struct attempt_file){.n = 3});
    unlink("t1/attempts");
    assert_int_equal(mkdir("t1/attempts", 0700), 0);
    attempt_file_write("t1", (struct attempt_file){.n = 3});
    assert_int_equal(attempt_file_read("t1").n, 0);
}

static int make(void **state)
{
    return scratch_make(state) || chdir(scratch_folder) ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_foreign)};

    return cmocka_run_group_tests_name("attempt_file", tests, make, scratch_remove);
}
