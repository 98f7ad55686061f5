/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/message.h"
#include "sched/mailbox.h"
#include "unit.h"

static void test_round_trip(void **state)
{
    const int64_t trials[] = {5, 0, 1LL << 40};
    struct buf message = {0};
    struct cursor in;
    enum message_kind kind;

    (void)state;
    buf_puts(&message, "left over");
    message_begin(&message, MESSAGE_GIVE_BACK);
    message_put_trials(&message, trials, 3);
    assert_int_equal(message_open(&in, &kind, &message, NULL), 0);
    assert_int_equal(kind, MESSAGE_GIVE_BACK);
    assert_int_equal(message_count_trials(&in), 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(cursor_i64(&in), trials[i]);
    assert_int_equal(in.at, in.size);
    assert_false(in.failed);
    buf_release(&message);
}

/* The cuts are in the header, or where trials are counted. */
static void test_truncated(void **state)
{
    const int64_t trials[] = {1, 2};
    struct buf whole = {0};

    (void)state;
    message_begin(&whole, MESSAGE_ASSIGN);
    message_put_trials(&whole, trials, 2);
    for (size_t n = 0; n < whole.size; n++) {
        struct buf cut = {.data = malloc(n + 1), .size = n};
        struct cursor in;
        enum message_kind kind;

        memcpy(cut.data, whole.data, n);
        assert_true(message_open(&in, &kind, &cut, NULL) || message_count_trials(&in) < 0);
        buf_release(&cut);
    }
    buf_release(&whole);
}

static void test_foreign(void **state)
{
    struct buf message = {0};
    struct cursor in;
    enum message_kind kind;
    struct err err;

    (void)state;
    message_begin(&message, MESSAGE_STOP);
    message.data[0] ^= 2; /* another version */
    assert_int_equal(message_open(&in, &kind, &message, &err), -1);
    assert_non_null(strstr(err.text, "8 bytes is foreign"));
    message.data[0] ^= 2;
    message.data[4] = 77;
    assert_int_equal(message_open(&in, &kind, &message, &err), -1);
    assert_string_equal(err.text, "message of kind 77: must be below 17");
    buf_release(&message);
}

/* ---- the in-process wire ---- */

static void test_mailbox_order(void **state)
{
    struct mailbox box;
    struct buf message = {0};

    (void)state;
    mailbox_init(&box);
    assert_false(mailbox_take(&box, &message, 0));
    assert_false(mailbox_take(&box, &message, 0.01));
    for (int i = 0; i < 3; i++) {
        buf_clear(&message);
        buf_printf(&message, "letter %d", i);
        assert_int_equal(mailbox_put(&box, &message, NULL), 0);
    }
    assert_true(mailbox_take(&box, &message, 0));
    assert_string_equal(buf_text(&message), "letter 0");
    assert_true(mailbox_take(&box, &message, 1));
    assert_string_equal(buf_text(&message), "letter 1");
    mailbox_release(&box); /* with one message left */
    buf_release(&message);
}

static void *put_many(void *arg)
{
    struct buf message = {0};

    for (uint32_t i = 0; i < 20000; i++) {
        buf_clear(&message);
        buf_put_u32(&message, i);
        mailbox_put(arg, &message, NULL);
    }
    buf_release(&message);
    return NULL;
}

static void test_mailbox_threads(void **state)
{
    struct mailbox box;
    struct buf message = {0};
    pthread_t thread;

    (void)state;
    mailbox_init(&box);
    assert_int_equal(pthread_create(&thread, NULL, put_many, &box), 0);
    for (uint32_t i = 0; i < 20000; i++) {
        struct cursor in;

        assert_true(mailbox_take(&box, &message, 10));
        in = (struct cursor){.data = message.data, .size = message.size};
        assert_int_equal(cursor_u32(&in), i);
    }
    pthread_join(thread, NULL);
    assert_false(mailbox_take(&box, &message, 0));
    mailbox_release(&box);
    buf_release(&message);
}

static void test_gang(void **state)
{
    struct message_gang gang = {
        .number = 7, .trial = 3, .part = {.rank = 5, .size = 9, .address = "node1", .n_local = 2}};
    struct message_gang copy;
    struct buf message = {0};
    struct cursor in;

    (void)state;
    gang.part.local_ranks[0] = 40;
    gang.part.local_ranks[1] = 12;
    message_put_gang(&message, &gang);
    in = (struct cursor){.data = message.data, .size = message.size};
    message_take_gang(&copy, &in);
    assert_false(in.failed);
    assert_int_equal(in.at, in.size);
    assert_int_equal(copy.part.n_local, 2);
    assert_int_equal(copy.part.local_ranks[0], 40);
    assert_int_equal(copy.part.local_ranks[1], 12);
    /* more ranks than there is room for */
    gang.part.n_local = TRIAL_LOCAL_RANKS + 1;
    buf_clear(&message);
    message_put_gang(&message, &gang);
    in = (struct cursor){.data = message.data, .size = message.size};
    message_take_gang(&copy, &in);
    assert_true(in.failed);
    buf_release(&message);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gang),          cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_truncated),     cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_mailbox_order), cmocka_unit_test(test_mailbox_threads),
    };

    return cmocka_run_group_tests_name("message", tests, NULL, NULL);
}
