/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "scratch.h"
#include "trial/spare_folder.h"

#define MAKE "mkdir -p t1/scratch t1/checkpoint && touch t1/scratch/results.jsonl"

static void run(const char *command)
{
    assert_int_equal(system(command), 0);
}

static const struct trial_paths paths = {"t1", "t1/scratch", "t1/scratch/results.jsonl",
                                         "t1/checkpoint"};

static bool keep(struct spare_folder *s)
{
    return spare_folder_keep(s, &paths);
}

static struct spare_folder begin(void)
{
    struct spare_folder s;
    struct err err;

    run("rm -rf t1 t2 away spare.* && " MAKE);
    assert_int_equal(spare_folder_init(&s, ".", &err), 0);
    spare_folder_note(&s, &paths);
    return s;
}

static void test_kept(void **state)
{
    struct spare_folder s = begin();

    (void)state;
    assert_false(spare_folder_take(&s, "t2")); /* there is none */
    run("echo '{}' >t1/scratch/results.jsonl");
    assert_true(keep(&s));
    assert_int_equal(access("t1", F_OK), -1);
    assert_true(spare_folder_take(&s, "t2"));
    run("test -d t2/checkpoint && test -f t2/scratch/results.jsonl && test ! -s "
        "t2/scratch/results.jsonl");
    assert_false(spare_folder_take(&s, "t3"));
    spare_folder_release(&s);
}

static void test_one_only(void **state)
{
    struct spare_folder s = begin();

    (void)state;
    assert_true(keep(&s));
    run(MAKE);
    assert_false(keep(&s));
    assert_false(spare_folder_take(&s, "t1")); /* it is not empty */
    spare_folder_release(&s);
    run("test -d t1/scratch && ! ls -d spare.*[0-9] 2>/dev/null");
}

static void test_changed(void **state)
{
    static const char *const changes[] = {
        "touch t1/scratch/file",
        "mkdir t1/scratch/.folder",
        "touch t1/checkpoint/model.pt",
        "touch t1/curve.jsonl",
        "rm t1/scratch/results.jsonl",
        "rm t1/scratch/results.jsonl && mkdir t1/scratch/results.jsonl",
        "rm t1/scratch/results.jsonl && mkfifo t1/scratch/results.jsonl",
        "touch away && ln -sf ../../away t1/scratch/results.jsonl",
        "echo kept >t1/scratch/results.jsonl && ln t1/scratch/results.jsonl away",
        "chmod 600 t1/scratch/results.jsonl",
        "chmod 700 t1/scratch",
        "chmod 500 t1/checkpoint",
        "chmod g+s t1",
        "rmdir t1/checkpoint",
        "rm -r t1/scratch && touch t1/scratch",
        "rmdir t1/checkpoint && mkdir away && ln -s ../away t1/checkpoint"};

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct spare_folder s = begin();

        run(changes[i]);
        if (keep(&s))
            fail_msg("kept after: %s", changes[i]);
        run("test ! -f away || test ! -s away || test \"$(cat away)\" = kept");
        assert_int_equal(access("t1", F_OK), 0);
        spare_folder_release(&s);
    }
}

static int make(void **state)
{
    return scratch_make(state) || chdir(scratch_folder) ? -1 : 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept), cmocka_unit_test(test_one_only),
                                       cmocka_unit_test(test_changed)};

    return cmocka_run_group_tests_name("spare_folder", tests, make, scratch_remove);
}
