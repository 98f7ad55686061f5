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

static void run(const char *command)
{
    char all[512];

    snprintf(all, sizeof all, "cd '%s' && %s", scratch_folder, command);
    assert_int_equal(system(all), 0);
}

static const char *at(const char *name)
{
    static char paths[4][256];
    static int next;

    next = (next + 1) % 4;
    snprintf(paths[next], sizeof paths[next], "%s/%s", scratch_folder, name);
    return paths[next];
}

static bool keep(struct spare_folder *s)
{
    return spare_folder_keep(s, at("t1"), at("t1/scratch"), at("t1/checkpoint"));
}

static struct spare_folder begin(void)
{
    struct spare_folder s;
    struct err err;

    run("rm -rf t1 t2 spare.* && mkdir -p t1/scratch t1/checkpoint");
    assert_int_equal(spare_folder_init(&s, scratch_folder, &err), 0);
    spare_folder_note(&s, at("t1/scratch"));
    return s;
}

static void test_kept(void **state)
{
    struct spare_folder s = begin();

    (void)state;
    assert_false(spare_folder_take(&s, at("t2"))); /* there is none */
    assert_true(keep(&s));
    assert_int_equal(access(at("t1"), F_OK), -1);
    assert_true(spare_folder_take(&s, at("t2")));
    assert_int_equal(access(at("t2/scratch"), F_OK), 0);
    assert_int_equal(access(at("t2/checkpoint"), F_OK), 0);
    assert_false(spare_folder_take(&s, at("t3")));
    spare_folder_release(&s);
}

static void test_one_only(void **state)
{
    struct spare_folder s = begin();

    (void)state;
    assert_true(keep(&s));
    run("mkdir -p t1/scratch t1/checkpoint");
    assert_false(keep(&s));
    assert_false(spare_folder_take(&s, at("t1"))); /* it is not empty */
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
        "chmod 700 t1/scratch",
        "chmod 500 t1/checkpoint",
        "chmod g+s t1",
        "rmdir t1/checkpoint",
        "rmdir t1/scratch && touch t1/scratch",
        "rmdir t1/checkpoint && mkdir away && ln -s ../away t1/checkpoint"};

    (void)state;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        struct spare_folder s = begin();

        run(changes[i]);
        if (keep(&s))
            fail_msg("kept after: %s", changes[i]);
        assert_int_equal(access(at("t1"), F_OK), 0);
        spare_folder_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kept), cmocka_unit_test(test_one_only),
                                       cmocka_unit_test(test_changed)};

    return cmocka_run_group_tests_name("spare_folder", tests, scratch_make, scratch_remove);
}
