/* SPDX-License-Identifier: BSD-3-Clause */
/* Where gangs are placed, step by step: hosts, reservations, backfilling, loss; and free ports. */
#include <math.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "program/port.h"
#include "sched/dispatch.h"
#include "sched/fleet.h"

enum { MOST = 16 };

/* ---- the choice of workers ---- */

static double choose(int32_t n_workers, const int32_t *hosts, const double *free_s, int32_t n,
                     double patience_s, int32_t out[MOST])
{
    struct fleet fleet;
    double s;

    assert_int_equal(fleet_init(&fleet, n_workers, hosts, NULL), 0);
    memcpy(fleet.free_s, free_s, (size_t)n_workers * sizeof *free_s);
    s = fleet_choose(&fleet, n, patience_s);
    memcpy(out, fleet.chosen, (size_t)n * sizeof *out);
    fleet_release(&fleet);
    return s;
}

static void expect_workers(const int32_t *out, int32_t n, ...)
{
    va_list wanted;

    va_start(wanted, n);
    for (int32_t i = 0; i < n; i++)
        assert_int_equal(out[i], va_arg(wanted, int));
    va_end(wanted);
}

/* Hosts 2, 0 and 1 have workers 0 to 3, 4 to 6 and 7 to 8. */
static const int32_t three_hosts[] = {2, 2, 2, 2, 0, 0, 0, 1, 1};

static void test_hosts(void **state)
{
    double free_s[9] = {0};
    int32_t out[MOST];

    (void)state;
    assert_true(choose(9, three_hosts, free_s, 2, 0, out) == 0);
    expect_workers(out, 2, 7, 8); /* the host with the fewest free workers */
    assert_true(choose(9, three_hosts, free_s, 3, 0, out) == 0);
    expect_workers(out, 3, 4, 5, 6);
    assert_true(choose(9, three_hosts, free_s, 6, 0, out) == 0);
    expect_workers(out, 6, 0, 1, 2, 3, 7, 8); /* two hosts, and the smaller one of those left */
    free_s[1] = free_s[5] = free_s[7] = INFINITY;
    assert_true(choose(9, three_hosts, free_s, 3, 0, out) == 0);
    expect_workers(out, 3, 0, 2, 3);
    assert_true(choose(9, three_hosts, free_s, 7, 0, out) == INFINITY);
    assert_true(choose(9, NULL, free_s, 6, 0, out) == 0);
    expect_workers(out, 6, 0, 2, 3, 4, 6, 8);
}

static void test_patience(void **state)
{
    const double free_s[9] = {5, 0, 5, 9, 0, 0, 3, 4, 8};
    int32_t out[MOST];

    (void)state;
    assert_true(choose(9, three_hosts, free_s, 3, 3, out) == 3);
    expect_workers(out, 3, 6, 4, 5);
    assert_true(choose(9, three_hosts, free_s, 3, 2.9, out) == 0);
    expect_workers(out, 3, 4, 5, 1);
    assert_true(choose(9, three_hosts, free_s, 5, 100, out) == 4);
}

/* Workers that are idle now are spared if others are free in time. */
static void test_last_free(void **state)
{
    const double free_s[5] = {0, 7, 0, 7, 3};
    int32_t out[MOST];

    (void)state;
    assert_true(choose(5, NULL, free_s, 4, 0, out) == 7);
    expect_workers(out, 4, 1, 3, 4, 0);
    assert_true(choose(5, NULL, free_s, 3, 0, out) == 3);
    expect_workers(out, 3, 4, 0, 2);
}

/* ---- dispatch ---- */

struct scene {
    struct gcn_cost work[MOST];
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
    int64_t out[DISPATCH_MAX];
    const struct gang *gang;
};

static struct scene s;

/* Trials of these seconds and widths, one of each. */
static void set_up_trials(int32_t n, const double *seconds, const int32_t *widths, bool can_shrink,
                          int32_t n_workers, const int32_t *hosts)
{
    s = (struct scene){0};
    for (int32_t i = 0; i < n; i++)
        s.work[i].flops = 1e10 * seconds[i];
    s.ledger = ledger_create(n, 1, NULL, 2, NULL);
    s.cost = cost_create(s.work, n, n_workers, NULL);
    for (int32_t i = 0; i < n; i++)
        for (int j = 0; j < 8; j++)
            cost_observe(s.cost, i, -1, seconds[i]);
    cost_refit(s.cost);
    s.dispatch = dispatch_create(s.ledger, s.cost, n_workers, widths, can_shrink, hosts, NULL);
    assert_non_null(s.dispatch);
}

/* Programs of these seconds and widths, one of each. */
static void set_up(int32_t n, const double *seconds, const int32_t *widths, int32_t n_workers,
                   const int32_t *hosts)
{
    set_up_trials(n, seconds, widths, false, n_workers, hosts);
}

static int tear_down(void **state)
{
    struct err err = {""};

    (void)state;
    if (dispatch_check(s.dispatch, &err))
        fail_msg("%s", err.text);
    dispatch_destroy(s.dispatch);
    cost_destroy(s.cost);
    ledger_destroy(s.ledger);
    return 0;
}

static int64_t place(double left_s)
{
    return dispatch_place(s.dispatch, left_s, &s.gang, NULL) == 1 ? s.gang->trial : -1;
}

static int64_t assign(int32_t worker, double left_s)
{
    return dispatch_assign(s.dispatch, worker, left_s, s.out, NULL) == 1 ? s.out[0] : -1;
}

static void test_members(void **state)
{
    const double seconds[] = {30, 10, 20, 8, 12, 5};
    const int32_t widths[] = {1, 1, 2, 1, 1, 1};

    (void)state;
    set_up(6, seconds, widths, 3, NULL);
    dispatch_set_time(s.dispatch, 100);
    assert_int_equal(place(INFINITY), 2); /* the largest area */
    expect_workers(s.gang->workers, 2, 0, 1);
    assert_int_equal(s.gang->number, 1);
    assert_true(fabs(s.gang->seconds - 20) < 2);
    assert_int_equal(place(INFINITY), -1);
    assert_int_equal(dispatch_idle(s.dispatch), 2);
    assert_int_equal(assign(0, INFINITY), -1); /* a member gets nothing */
    assert_int_equal(assign(2, INFINITY), 0);
    assert_int_equal(dispatch_n_busy(s.dispatch), 3);
    assert_true(dispatch_finish(s.dispatch, 0, 2, TRIAL_DONE, 20));
    assert_true(s.gang->is_over);
    assert_int_equal(dispatch_n_busy(s.dispatch), 3); /* its members have not ended */
    assert_int_equal(assign(1, INFINITY), -1);
    dispatch_end_member(s.dispatch, 1, 1);
    dispatch_end_member(s.dispatch, 0, 1);
    assert_null(dispatch_gang(s.dispatch, 0));
    assert_int_equal(dispatch_n_busy(s.dispatch), 1);
    assert_int_equal(assign(1, INFINITY), 4);
}

/* Worker 0 runs 50 s, worker 1 10 s; workers 2 and 3 are idle. The gang of three begins in 10 s. */
static void test_reservation(void **state)
{
    const double seconds[] = {50, 10, 60, 30, 8, 5};
    const int32_t widths[] = {1, 1, 3, 2, 1, 2};

    (void)state;
    set_up(6, seconds, widths, 4, NULL);
    assert_int_equal(place(1e-3), -1); /* nothing fits */
    assert_int_equal(assign(0, INFINITY), 0);
    assert_int_equal(assign(1, INFINITY), 1);
    assert_int_equal(place(9), 5); /* in 9 s only the short pair can end */
    expect_workers(s.gang->workers, 2, 2, 3);
    assert_true(dispatch_finish(s.dispatch, 2, 5, TRIAL_DONE, 5));
    dispatch_end_member(s.dispatch, 2, 1);
    dispatch_end_member(s.dispatch, 3, 1);
    assert_int_equal(place(INFINITY), -1); /* three must wait, two would delay them */
    assert_int_equal(assign(2, INFINITY), 4);
    assert_true(dispatch_finish(s.dispatch, 2, 4, TRIAL_DONE, 8));
    assert_int_equal(place(INFINITY), -1);
    assert_true(dispatch_finish(s.dispatch, 1, 1, TRIAL_DONE, 10));
    assert_int_equal(place(INFINITY), 2);
    expect_workers(s.gang->workers, 3, 1, 2, 3);
}

static void test_lost_member(void **state)
{
    const double seconds[] = {20, 10};
    const int32_t widths[] = {3, 1};
    int64_t blamed[DISPATCH_MAX];

    (void)state;
    set_up(2, seconds, widths, 4, NULL);
    assert_int_equal(place(INFINITY), 0);
    assert_int_equal(dispatch_blames(s.dispatch, 2, DISPATCH_MAX, blamed), 1);
    assert_int_equal(blamed[0], 0);
    assert_int_equal(dispatch_blames(s.dispatch, 3, DISPATCH_MAX, blamed), 0);
    assert_int_equal(dispatch_lose(s.dispatch, 2), -1);
    assert_true(ledger_is_suspect(s.ledger, 0));
    assert_int_equal(ledger_state(s.ledger, 0), TRIAL_PENDING);
    assert_true(s.gang->is_over && s.gang->n_here == 2);
    assert_int_equal(assign(3, INFINITY), 1);
    dispatch_end_member(s.dispatch, 0, 1);
    dispatch_end_member(s.dispatch, 1, 1);
    assert_int_equal(place(INFINITY), -1);
    assert_int_equal(dispatch_lacks(s.dispatch), 0);
    dispatch_finish(s.dispatch, 3, 1, TRIAL_DONE, 10);
    assert_int_equal(place(INFINITY), 0); /* all three that are left, with worker 0 */
    assert_int_equal(dispatch_lose(s.dispatch, s.gang->workers[0]), 0);
    assert_int_equal(ledger_state(s.ledger, 0), TRIAL_FAILED);
}

static void test_given_back(void **state)
{
    const double seconds[] = {20, 20};
    const int32_t widths[] = {2, 3};

    (void)state;
    set_up(2, seconds, widths, 3, NULL);
    assert_int_equal(place(INFINITY), 1);
    dispatch_give_back(s.dispatch, 1, 1); /* not the leader */
    assert_false(s.gang->is_over);
    dispatch_resume(s.dispatch, 1, 0.1);
    dispatch_give_back(s.dispatch, 0, 1);
    assert_true(s.gang->is_over);
    dispatch_leave(s.dispatch, 2);
    dispatch_end_member(s.dispatch, 0, 1);
    dispatch_end_member(s.dispatch, 1, 1);
    assert_int_equal(place(INFINITY), 0);
    dispatch_leave(s.dispatch, 1); /* as after a fault of its own */
    assert_int_equal(ledger_state(s.ledger, 0), TRIAL_PENDING);
    assert_int_equal(dispatch_lacks(s.dispatch), 2);
    assert_false(dispatch_can_begin(s.dispatch, INFINITY));
}

/* Members that lose each other: the trial counts a crash, runs after all others, and fails at last
 * with the second one, the limit here. */
static void test_taken_apart(void **state)
{
    const double seconds[] = {20, 10};
    const int32_t widths[] = {2, 2};

    (void)state;
    set_up(2, seconds, widths, 3, NULL);
    assert_int_equal(place(INFINITY), 0);
    assert_false(ledger_is_last_attempt(s.ledger, 0));
    dispatch_give_back(s.dispatch, 0, 0);
    dispatch_suspect(s.dispatch, 0);
    assert_true(ledger_is_suspect(s.ledger, 0));
    assert_int_equal(ledger_state(s.ledger, 0), TRIAL_PENDING);
    assert_true(ledger_is_last_attempt(s.ledger, 0));
    assert_false(ledger_is_last_attempt(s.ledger, 1));
    dispatch_end_member(s.dispatch, 0, 1);
    dispatch_end_member(s.dispatch, 1, 1);
    assert_int_equal(place(INFINITY), 1);
    dispatch_finish(s.dispatch, s.gang->workers[0], 1, TRIAL_DONE, 10);
}

/* The gang with a checkpoint goes first, and fits by what is left of it. */
static void test_checkpoint(void **state)
{
    const double seconds[] = {50, 100};
    const int32_t widths[] = {2, 2};

    (void)state;
    set_up(2, seconds, widths, 2, NULL);
    assert_false(dispatch_can_begin(s.dispatch, 30));
    assert_int_equal(place(30), -1);
    dispatch_resume(s.dispatch, 1, 0.2);
    assert_true(dispatch_can_begin(s.dispatch, 30));
    assert_int_equal(place(30), 1);
    assert_true(fabs(s.gang->seconds - 20) < 2);
}

/* A gang longer than a whole run begins if nothing fits. */
static void test_parts(void **state)
{
    const double seconds[] = {20, 50, 2};
    const int32_t widths[] = {2, 2, 1};
    const struct gang *gang;

    (void)state;
    set_up(3, seconds, widths, 3, NULL);
    dispatch_set_whole(s.dispatch, 30);
    assert_int_equal(dispatch_place(s.dispatch, 10, &gang, NULL), 0); /* the one of 2 s fits */
    assert_int_equal(dispatch_assign(s.dispatch, 0, 10, s.out, NULL), 1);
    assert_int_equal(s.out[0], 2);
    assert_true(dispatch_can_begin(s.dispatch, 10));
    assert_int_equal(dispatch_place(s.dispatch, 10, &gang, NULL), 1);
    assert_int_equal(gang->trial, 1);
    assert_int_equal(dispatch_place(s.dispatch, 10, &gang, NULL), 0);
}

/* So does one that earlier runs stopped. */
static void test_stopped_before(void **state)
{
    const double seconds[] = {50};
    const int32_t widths[] = {2};

    (void)state;
    set_up(1, seconds, widths, 2, NULL);
    dispatch_set_whole(s.dispatch, 30);
    ledger_suspect(s.ledger, 0);
    assert_int_equal(place(20), 0);
}

/* ---- fewer workers ---- */

/* A training on four ranks goes on with two while three are alive. The seconds of
 * two teach those of four. */
static void test_fewer_alive(void **state)
{
    const double seconds[] = {60, 50};
    const int32_t widths[] = {4, 4};

    (void)state;
    set_up_trials(2, seconds, widths, true, 5, NULL);
    assert_int_equal(place(INFINITY), 0);
    assert_true(fabs(s.gang->seconds - 60) < 1);
    dispatch_lose(s.dispatch, 4);
    assert_int_equal(dispatch_width(s.dispatch, 1), 4);
    dispatch_lose(s.dispatch, 0);
    assert_int_equal(dispatch_width(s.dispatch, 1), 2);
    for (int32_t worker = 1; worker < 4; worker++)
        dispatch_end_member(s.dispatch, worker, 1);
    assert_int_equal(dispatch_lacks(s.dispatch), 0);
    assert_int_equal(place(INFINITY), 1);
    assert_int_equal(s.gang->n, 2);
    assert_true(fabs(s.gang->seconds - 100) < 2);
    dispatch_finish(s.dispatch, s.gang->workers[0], 1, TRIAL_DONE, 100);
    assert_true(fabs(cost_seconds(s.cost, 1) - 50) < 1);
    dispatch_end_member(s.dispatch, s.gang->workers[1], 2);
    dispatch_end_member(s.dispatch, s.gang->workers[0], 2);
    dispatch_leave(s.dispatch, 2);
    dispatch_leave(s.dispatch, 3);
    assert_int_equal(dispatch_width(s.dispatch, 0), 1);
    assert_int_equal(place(INFINITY), -1);
    assert_int_equal(assign(1, INFINITY), 0);
    dispatch_return(s.dispatch, 0);
    dispatch_return(s.dispatch, 4);
    assert_int_equal(dispatch_width(s.dispatch, 0), 1); /* it runs */
    dispatch_give_back(s.dispatch, 1, 0);
    assert_int_equal(dispatch_width(s.dispatch, 0), 2);
}

/* ---- ports ---- */

/* Return a socket that keeps the port from others. */
static int take_port(int32_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

static void test_ports(void **state)
{
    int32_t port = port_find(3, 8, 1), other;
    int fd = take_port(port);

    (void)state;
    assert_in_range(port, PORT_FIRST, PORT_LAST);
    assert_int_equal((port - PORT_FIRST) % 8, 3);
    other = port_find(3, 8, 1);
    assert_true(other != port && (other - PORT_FIRST) % 8 == 3);
    close(fd);
    for (int32_t rank = 0; rank < 30000; rank += 9999) {
        port = port_find(rank, 30000, 7); /* has one port of its own */
        assert_in_range(port, PORT_FIRST, PORT_LAST);
        fd = take_port(port);
        other = port_find(rank, 30000, 7);
        assert_in_range(other, PORT_FIRST, PORT_LAST);
        assert_int_not_equal(other, port);
        close(fd);
    }
}

#define PLACED(name) cmocka_unit_test_setup_teardown(name, NULL, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_patience),
        cmocka_unit_test(test_last_free),
        PLACED(test_members),
        PLACED(test_reservation),
        PLACED(test_lost_member),
        PLACED(test_given_back),
        PLACED(test_taken_apart),
        PLACED(test_checkpoint),
        PLACED(test_fewer_alive),
        PLACED(test_parts),
        PLACED(test_stopped_before),
        cmocka_unit_test(test_ports),
    };

    return cmocka_run_group_tests_name("gangs", tests, NULL, NULL);
}
