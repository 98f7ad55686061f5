/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "program/attempt_file.h"
#include "program/beneath.h"
#include "program/folder.h"
#include "program/log_file.h"
#include "scratch.h"

static void run(const char *command)
{
    assert_int_equal(system(command), 0);
}

static void run_in_scratch(const char *command)
{
    char text[1024];

    snprintf(text, sizeof text, "cd '%s' && %s", scratch_folder, command);
    run(text);
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

/* ---- folders that others may change ---- */

static char files[256]; /* r.db.files */

/* Make r.db.files/t1 and a stranger's things outside, then run a command in the scratch folder. */
static void make_files(const char *command)
{
    char text[1024];

    snprintf(files, sizeof files, "%s/r.db.files", scratch_folder);
    snprintf(text, sizeof text,
             "cd '%s' && rm -rf r.db.files outside && mkdir -p r.db.files/t1 outside/in &&"
             " echo private >outside/file && echo private >outside/in/file && %s",
             scratch_folder, command);
    run(text);
}

static void expect_private(void)
{
    char text[512];

    snprintf(text, sizeof text,
             "cd '%s/outside' && test \"$(cat file in/file)\" = \"$(printf 'private\nprivate')\" &&"
             " test \"$(find . | wc -l)\" = 4",
             scratch_folder);
    run(text);
}

static const char *in_files(const char *name)
{
    static char path[2][512];
    static int n;

    n = !n;
    snprintf(path[n], sizeof path[n], "%s/%s", files, name);
    return path[n];
}

/* Everything that espalier does with a trial's folder. */
static void touch_all(void)
{
    static struct log_tail tail;
    struct log_file log = log_file_begin(in_files("t1"), 0, 0);
    struct err err;
    DIR *list;

    log_tail_clear(&tail);
    log_tail_add(&tail, "output\n", 7);
    log_file_write(&log, &tail);
    attempt_file_write(log.folder, (struct attempt_file){.n = 1});
    folder_replace(log.folder, 0, "curve.jsonl", &(struct buf){"text", 4, 0, false});
    (void)beneath_rename(in_files("t1/checkpoint"), "scratch.old");
    (void)!folder_remove_some(log.folder, "scratch.", &err);
    (void)!folder_remove_some(log.folder, "in", &err);
    (void)folder_take_file(log.folder, scratch_folder, "outside/file", &err);
    (void)!folder_remove(in_files("t1/in"), &err);
    (void)beneath_unlink(in_files("t1/file"));
    (void)beneath_rmdir(in_files("t1"));
    (void)beneath_mkdir(in_files("t1/new"));
    list = beneath_list(in_files("t1"));
    if (list)
        closedir(list);
    log_file_remove(&log);
    expect_private();
}

static void test_links(void **state)
{
    static const char *const links[] = {
        "scratch.0.log",        "log", "log.rank1", "attempts", "checkpoint", "outside",
        "scratch.0.curve.jsonl"};
    char command[256];

    (void)state;
    make_files("true");
    touch_all();
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        for (int to_folder = 0; to_folder < 2; to_folder++) {
            snprintf(command, sizeof command, "ln -s ../../outside/%s r.db.files/t1/%s",
                     to_folder ? "in" : "file", links[i]);
            make_files(command);
            touch_all();
        }
    make_files("rmdir r.db.files/t1 && ln -s ../outside r.db.files/t1");
    assert_null(beneath_list(in_files("t1")));
    touch_all();
    make_files("rm -r r.db.files && ln -s outside r.db.files && mkdir outside/t1");
    run_in_scratch("rmdir outside/t1");
    touch_all();
    assert_int_equal(beneath_mkdir(files), -1);
    assert_non_null(strstr(beneath_reason(), "is a link"));
    /* Folders before it are the user's own choice. */
    run_in_scratch("rm r.db.files && mkdir -p real/r.db.files/t1 && ln -s real way");
    snprintf(files, sizeof files, "%s/way/r.db.files", scratch_folder);
    assert_int_equal(beneath_mkdir(in_files("t1/scratch.0.1")), 0);
}

/* Only root can give a folder to somebody else. */
static void test_owner(void **state)
{
    struct err err;
    int fd;

    (void)state;
    if (geteuid())
        skip();
    make_files("echo 1 >r.db.files/t1/log && chown 65534 r.db.files/t1");
    assert_int_equal(beneath_mkdir(in_files("t1")), -1);
    assert_non_null(strstr(beneath_reason(), "belongs to another user"));
    assert_int_equal(beneath_create(in_files("t1/log")), -1);
    assert_int_equal(folder_remove(in_files("t1/log"), &err), -1);
    assert_int_equal(folder_remove_some(in_files("t1"), "l", &err), -1);
    fd = beneath_open(in_files("t1/log"), O_RDONLY); /* may be read */
    assert_true(fd >= 0);
    close(fd);
}

/* Stands for the function of the C library. */
static int refusal;

int fallocate(int fd, int mode, off_t from, off_t n)
{
    assert_true(fd >= 0 && !mode && !from && n > 0);
    errno = refusal;
    return refusal ? -1 : 0;
}

static void test_disk(void **state)
{
    static const struct {
        int code;
        bool is_full;
    } cases[] = {{0, false}, {EOPNOTSUPP, false}, {ENOSPC, true}, {EDQUOT, true}};
    int folder = open(".", O_RDONLY | O_DIRECTORY), file = openat(folder, ".", O_TMPFILE | O_RDWR);

    (void)state;
    assert_true(folder >= 0);
    for (size_t i = 0; file >= 0 && i < sizeof cases / sizeof *cases; i++) {
        refusal = cases[i].code;
        assert_true(folder_lacks_room(folder) == cases[i].is_full);
    }
    close(file);
    close(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_disk),  cmocka_unit_test(test_links),
        cmocka_unit_test(test_owner), cmocka_unit_test(test_remove),
        cmocka_unit_test(test_names), cmocka_unit_test(test_own_names),
        cmocka_unit_test(test_take),  cmocka_unit_test(test_newest),
    };

    return cmocka_run_group_tests_name("folder", tests, scratch_make, scratch_remove);
}
