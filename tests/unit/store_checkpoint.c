/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints stay in the database until their trial has a result. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "storelib.h"

#define INI "[sweep]\nname = s\nreplicates = 3\n[grid]\nhidden_size = 16, 32\n"

static void put(struct fixture *f, struct store *store, int64_t trial, int32_t epoch,
                const char *text)
{
    struct trial_checkpoint c = {trial, epoch, 0.75, 12.5, strlen(text), text};
    struct err err;

    if (store_checkpoint(store, f->known.ids[trial], &c, &err) || store_commit(store, &err))
        fail_msg("%s", err.text);
}

static void end(struct fixture *f, struct store *store, int64_t trial, enum trial_state state)
{
    fixture_put(f, store, trial, state, 0.5);
    fixture_commit(store);
}

static void test_found_again(void **state)
{
    struct trial_checkpoint c = {.trial = 77};
    struct buf bytes = {0};
    struct fixture f;
    struct store *store;
    struct err err;

    (void)state;
    store = fixture_begin(&f, INI);
    put(&f, store, 1, 3, "first");
    put(&f, store, 1, 9, "latest");
    store_close(store);
    store = fixture_store(&f);
    assert_true(f.known.left[1] == 0.75);
    assert_true(f.known.left[0] == 1);
    assert_int_equal(store_checkpoint_find(&c, &bytes, store, f.known.ids[0], &err), 0);
    assert_int_equal(store_checkpoint_find(&c, &bytes, store, f.known.ids[1], &err), 1);
    assert_int_equal(c.trial, 77);
    assert_int_equal(c.epoch, 9);
    assert_true(c.left == 0.75 && c.seconds == 12.5);
    assert_int_equal(c.bytes, 6);
    assert_memory_equal(c.state, "latest", 6);
    buf_release(&bytes);
    fixture_end(&f, store);
}

static void test_gone_with_the_result(void **state)
{
    static const enum trial_state ends[] = {TRIAL_DONE, TRIAL_DIVERGED, TRIAL_FAILED};
    struct fixture f;
    struct store *store;

    (void)state;
    store = fixture_begin(&f, INI);
    for (int64_t trial = 0; trial < 4; trial++)
        put(&f, store, trial, 3, "bytes");
    for (int64_t trial = 0; trial < 3; trial++)
        end(&f, store, trial, ends[trial]);
    end(&f, store, 3, TRIAL_PENDING);
    fixture_sql_is(&f, "SELECT group_concat(trial_id) FROM checkpoint", "4");
    fixture_end(&f, store);
}

/* merge copies no checkpoint. A merged result removes the checkpoint of its trial. */
static void test_merged(void **state)
{
    struct fixture out, in;
    struct store *store;

    (void)state;
    fixture_open(&out, INI);
    fixture_open(&in, INI);
    store = fixture_store(&out);
    put(&out, store, 0, 3, "bytes");
    put(&out, store, 1, 3, "bytes");
    store_close(store);
    store = fixture_store(&in);
    end(&in, store, 0, TRIAL_DONE);
    put(&in, store, 2, 3, "bytes");
    store_close(store);
    assert_int_equal(fixture_merge(&out, &in, NULL), 0);
    fixture_sql_is(&out, "SELECT group_concat(trial_id) FROM checkpoint", "2");
    fixture_close(&out);
    fixture_close(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_found_again),
        cmocka_unit_test(test_gone_with_the_result),
        cmocka_unit_test(test_merged),
    };

    return cmocka_run_group_tests_name("store_checkpoint", tests, NULL, NULL);
}
