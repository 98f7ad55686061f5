/* SPDX-License-Identifier: BSD-3-Clause */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sched/traffic.h"

static void test_sizes(void **state)
{
    int64_t size, last = 0;

    (void)state;
    assert_int_equal(traffic_cell(TRAFFIC_SUM, 0), TRAFFIC_TRAINING);
    assert_int_equal(traffic_cell(TRAFFIC_IDLE, 0), TRAFFIC_TRAINING + TRAFFIC_TRAINING_CELLS - 1);
    for (int i = 0; i < TRAFFIC_SIZES; i++) {
        assert_string_equal(traffic_cell_name(i, &size), "send");
        assert_int_equal(size, last ? 4 * last : 64);
        assert_int_equal(traffic_cell(TRAFFIC_SEND, (size_t)size), i);
        assert_int_equal(traffic_cell(TRAFFIC_SEND, (size_t)last + 1), i);
        assert_int_equal(traffic_cell(TRAFFIC_RECEIVE, (size_t)size), TRAFFIC_SIZES + i);
        assert_string_equal(traffic_cell_name(TRAFFIC_SIZES + i, &size), "receive");
        assert_int_equal(traffic_find_cell("agree", size),
                         traffic_cell(TRAFFIC_AGREE, (size_t)size));
        last = size;
    }
    assert_int_equal(last, 1 << 30);
    assert_int_equal(traffic_cell(TRAFFIC_SEND, 0), 0);
}

static void test_names(void **state)
{
    static const char *const names[] = {
#define NAME(id, name) name,
        TRAFFIC_TABLE(NAME)
#undef NAME
    };
    int64_t size;
    int last = 5 * TRAFFIC_SIZES - 1;

    (void)state;
    for (int a = TRAFFIC_MEMBERS; a < TRAFFIC_ACTIVITIES; a++) {
        int cell = traffic_cell((enum traffic_activity)a, 1 << 20);

        assert_int_equal(cell, ++last);
        assert_string_equal(traffic_cell_name(cell, &size), names[a]);
        assert_int_equal(size, 0);
    }
    assert_int_equal(last, TRAFFIC_CELLS - 1);
}

static void fill(struct traffic *traffic)
{
    *traffic = (struct traffic){0};
    traffic_add_message(traffic, TRAFFIC_SEND, 1000);
    traffic_add_message(traffic, TRAFFIC_SEND, 500);
    traffic_add_message(traffic, TRAFFIC_RECEIVE, 0);
    traffic->of[TRAFFIC_CELLS - 1].seconds = 2.5;
    traffic->of[TRAFFIC_CELLS - 2] = (struct traffic_count){7, 0, 1e9};
}

static void test_round_trip(void **state)
{
    struct traffic in, out;
    struct buf message = {0};
    struct cursor cursor;

    (void)state;
    fill(&in);
    assert_int_equal(in.of[traffic_cell(TRAFFIC_SEND, 600)].calls, 2);
    assert_int_equal(in.of[traffic_cell(TRAFFIC_SEND, 600)].bytes, 1500);
    traffic_pack(&message, &in);
    cursor = (struct cursor){.data = message.data, .size = message.size};
    assert_int_equal(traffic_unpack(&out, &cursor), 0);
    assert_memory_equal(&in, &out, sizeof in);
    assert_int_equal(cursor.at, cursor.size);
    cursor = (struct cursor){.data = message.data, .size = message.size - 1};
    assert_int_equal(traffic_unpack(&out, &cursor), -1);
    buf_release(&message);
}

static double now_of(void *arg)
{
    return *(double *)arg;
}

static struct traffic_count count_of(const struct traffic_meter *meter, enum traffic_activity a)
{
    return meter->traffic.of[traffic_cell(a, 0)];
}

static void test_meter(void **state)
{
    double now_s = 10, sum = 0;
    struct clock clock = {now_of, &now_s};
    struct traffic_meter meter;
    enum traffic_activity outer, inner;

    (void)state;
    traffic_begin(&meter, &clock, TRAFFIC_START, 8);
    traffic_leave(&meter, TRAFFIC_SCHEDULE);
    now_s += 4;
    outer = traffic_enter(&meter, TRAFFIC_STORE);
    now_s += 8;
    inner = traffic_enter(&meter, TRAFFIC_COMMIT);
    now_s += 16;
    traffic_leave(&meter, inner);
    now_s += 32;
    traffic_leave(&meter, outer);
    now_s += 64;
    traffic_update(&meter);
    assert_true(count_of(&meter, TRAFFIC_START).seconds == 2);
    assert_true(count_of(&meter, TRAFFIC_SCHEDULE).seconds == 68);
    assert_true(count_of(&meter, TRAFFIC_STORE).seconds == 40);
    assert_true(count_of(&meter, TRAFFIC_COMMIT).seconds == 16);
    assert_int_equal(count_of(&meter, TRAFFIC_START).calls, 1);
    assert_int_equal(count_of(&meter, TRAFFIC_SCHEDULE).calls, 0);
    assert_int_equal(count_of(&meter, TRAFFIC_STORE).calls, 1);
    assert_int_equal(count_of(&meter, TRAFFIC_COMMIT).calls, 1);
    for (int i = 0; i < TRAFFIC_CELLS; i++)
        sum += meter.traffic.of[i].seconds;
    assert_true(sum == now_s - 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_meter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
