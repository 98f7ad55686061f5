/* SPDX-License-Identifier: BSD-3-Clause */
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "program/folder.h"
#include "scratch.h"

static void run(const char *command)
{
    assert_int_equal(system(command), 0);
}

static void test_remove(void **state)
{
    char path[256], command[1024];
    struct stat st;
    struct err err;

    (void)state;
    snprintf(path, sizeof path, "%s/t345", scratch_folder);
    snprintf(command, sizeof command,
             "cd '%s' && mkdir -p stays t345/a/b t345/locked && echo x >stays/file &&"
             " echo y >t345/a/b/file && ln -s ../../stays t345/a/link &&"
             " ln -s ../stays/file t345/link && mkfifo t345/pipe && echo z >t345/locked/file &&"
             " chmod 0 t345/locked && ln -s stays top",
             scratch_folder);
    run(command);
    if (folder_remove(path, &err))
        fail_msg("%s", err.text);
    assert_int_equal(lstat(path, &st), -1);
    assert_int_equal(folder_remove(path, &err), 0); /* again */
    snprintf(path, sizeof path, "%s/top", scratch_folder);
    assert_int_equal(folder_remove(path, &err), 0);
    assert_int_equal(lstat(path, &st), -1);
    snprintf(path, sizeof path, "%s/stays/file", scratch_folder);
    assert_int_equal(lstat(path, &st), 0);
}

static void make_deep(const char *path, int levels)
{
    int folder;

    assert_int_equal(mkdir(path, 0777), 0);
    folder = open(path, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < levels; i++) {
        int parent = folder;

        assert_int_equal(mkdirat(parent, "folder", 0777), 0);
        folder = openat(parent, "folder", O_RDONLY | O_DIRECTORY);
        assert_true(folder >= 0);
        close(parent);
    }
    close(folder);
}

/* Deeper than there are descriptors, and than a path may be long. */
static void test_deep(void **state)
{
    struct rlimit before, few;
    char path[256];
    struct stat st;
    struct err err;

    (void)state;
    snprintf(path, sizeof path, "%s/t1", scratch_folder);
    make_deep(path, 1500);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 128;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    if (folder_remove(path, &err))
        fail_msg("%s", err.text);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(lstat(path, &st), -1);
}

static void test_names(void **state)
{
    static const char *const good[] = {"a", "a/b", "..a/b..", "a.b", "..."};
    static const char *const bad[] = {"",   "/",    "/a",   "a/",     "a//b", ".",
                                      "..", "../a", "a/..", "a/../b", "./a",  "a/."};

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        assert_true(folder_contains(good[i]));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(folder_contains(bad[i]));
}

static void test_own_names(void **state)
{
    (void)state;
    assert_true(folder_is_own_name("checkpoint"));
    assert_true(folder_is_own_name("checkpoint/model.pt"));
    assert_true(folder_is_own_name("curve.jsonl"));
    assert_true(folder_is_own_name("scratch.0.77/x"));
    assert_true(folder_is_own_name("attempts"));
    assert_true(folder_is_own_name("log"));
    assert_true(folder_is_own_name("log.rank1"));
    assert_false(folder_is_own_name("log.txt"));
    assert_false(folder_is_own_name("checkpoints"));
    assert_false(folder_is_own_name("out/checkpoint"));
    assert_false(folder_is_own_name("results.jsonl"));
}

static void test_take(void **state)
{
    char from[256], to[256], command[1024];
    struct err err;

    (void)state;
    snprintf(from, sizeof from, "%s/from", scratch_folder);
    snprintf(to, sizeof to, "%s/to", scratch_folder);
    snprintf(command, sizeof command,
             "cd '%s' && mkdir -p from/out to secret && echo new >from/out/model.pt &&"
             " mkdir to/out && echo old >to/out/model.pt && echo s >secret/file &&"
             " ln -s ../secret from/linked && ln -s ../secret/file from/file",
             scratch_folder);
    run(command);
    if (folder_take_file(to, from, "out/model.pt", &err))
        fail_msg("%s", err.text);
    snprintf(command, sizeof command, "cmp -s %s/out/model.pt %s/out/model.pt", to, from);
    run(command);
    assert_int_equal(folder_take_file(to, from, "none", &err), 1);
    assert_int_equal(folder_take_file(to, from, "out", &err), 1);
    assert_int_equal(folder_take_file(to, from, "file", &err), 1);
    assert_int_equal(folder_take_file(to, from, "linked/file", &err), 1);
    assert_int_equal(folder_take_file(to, from, "../secret/file", &err), 1);
    snprintf(command, sizeof command, "cd '%s' && rm -r to && ln -s /proc to", scratch_folder);
    run(command);
    assert_int_equal(folder_take_file(to, from, "out/model.pt", &err), -1);
    assert_non_null(strstr(err.text, "/to/out/model.pt: cannot be written: "));
}

static void test_newest(void **state)
{
    char path[256], command[4096];

    (void)state;
    snprintf(path, sizeof path, "%s/newest", scratch_folder);
    assert_true(folder_newest(path) == 0);
    snprintf(command, sizeof command,
             "mkdir -p %s/a/b && cd %s && touch a/b/f && ln -s /etc/passwd a/link &&"
             " touch -h -d @1000 a/link a/b/f a/b a .",
             path, path);
    run(command);
    assert_true(folder_newest(path) == 1000);
    snprintf(command, sizeof command, "touch -d @2000.5 %s/a/b/f", path);
    run(command);
    assert_true(folder_newest(path) == 2000.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_remove), cmocka_unit_test(test_deep),
        cmocka_unit_test(test_names),  cmocka_unit_test(test_own_names),
        cmocka_unit_test(test_take),   cmocka_unit_test(test_newest),
    };

    return cmocka_run_group_tests_name("folder", tests, scratch_make, scratch_remove);
}
