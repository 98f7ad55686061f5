/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker alone: messages are queued in advance, or by the runner from inside a trial; the test
 * controls the clock and reads afterwards what the worker sends. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gang/gang.h"
#include "sched/mailbox.h"
#include "sched/message.h"
#include "sched/worker.h"

struct scene {
    struct mailbox to_worker, from_worker;
    struct worker_time time;
    double seen_s; /* seconds in trials, seen from inside the last one */
    double now_s;
    int n_run;
    int64_t stop_in;    /* trial at whose beginning stop is sent; -1: none */
    int64_t stop_after; /* trial at whose end stop is sent; -1: none */
    int64_t long_trial; /* takes 0.8 s; -1: none */
    double other_s;     /* seconds of the others */
    double expected_s;  /* of each trial, sent with the assignment */
    double grace_s;     /* of the stop */
    int64_t late;       /* trials, from 0, assigned after a wait of 0.25 s */
    bool late_stop;     /* stop when the worker waits */
    bool saves;         /* a stopped trial leaves a checkpoint of 5 bytes */
    int32_t from_epoch; /* of the last trial's checkpoint; 0: none */
    int32_t part;       /* rank in the last trial's gang; -1: it ran alone */
    bool fails;         /* trials of gangs fail */
    int64_t end_in;     /* trial at whose beginning the ends of gangs 7 and 8 are sent; -1: none */
    const struct gang_counts *counts; /* reported by trials of gangs; NULL: none */
    struct buf message;
    int64_t unable_in; /* trial that cannot be run; 0: all can */
    bool is_unable;
};

static double scene_now(void *arg)
{
    return ((struct scene *)arg)->now_s;
}

static void send_stop(struct scene *scene)
{
    message_begin(&scene->message, MESSAGE_STOP);
    buf_put_f64(&scene->message, scene->grace_s);
    assert_int_equal(mailbox_put(&scene->to_worker, &scene->message, NULL), 0);
}

static void assign(struct scene *scene, int64_t first, int64_t n)
{
    int64_t trials[1000];

    for (int64_t i = 0; i < n; i++)
        trials[i] = first + i;
    message_begin(&scene->message, MESSAGE_ASSIGN);
    message_put_trials(&scene->message, trials, (uint32_t)n);
    for (int64_t i = 0; i < n; i++)
        buf_put_i64(&scene->message, 100 + trials[i]);
    for (int64_t i = 0; i < n; i++)
        buf_put_f64(&scene->message, scene->expected_s);
    assert_int_equal(mailbox_put(&scene->to_worker, &scene->message, NULL), 0);
}

static void end_gang(struct scene *scene, int64_t number)
{
    message_begin(&scene->message, MESSAGE_GANG_END);
    buf_put_i64(&scene->message, number);
    assert_int_equal(mailbox_put(&scene->to_worker, &scene->message, NULL), 0);
}

static struct traffic_count count_of(struct scene *scene, enum traffic_activity activity)
{
    struct traffic traffic = {0};

    worker_time_read(&traffic, &scene->time);
    return traffic.of[traffic_cell(activity, 0)];
}

static void save_scene(const struct trial_watch *watch, int64_t number)
{
    struct trial_checkpoint checkpoint = {number, 30, 0.5, 12, 5, "state"};

    watch->save(watch->arg, &checkpoint);
}

static void run_gang(struct scene *scene, int64_t number, int64_t trial, int32_t rank)
{
    struct message_gang gang = {.number = number,
                                .trial = trial,
                                .id = 100 + trial,
                                .expected_s = scene->expected_s,
                                .part = {.rank = rank, .size = 3, .address = "node1"}};

    message_begin(&scene->message, MESSAGE_GANG_RUN);
    message_put_gang(&scene->message, &gang);
    assert_int_equal(mailbox_put(&scene->to_worker, &scene->message, NULL), 0);
}

static void run_scene(void *self, struct trial_result *r, int64_t number,
                      const struct trial_watch *watch)
{
    struct scene *scene = self;
    double end_s = scene->now_s + (number == scene->long_trial ? 0.8 : scene->other_s);

    scene->n_run++;
    assert_int_equal(watch->id, 100 + number);
    scene->part = watch->gang ? watch->gang->rank : -1;
    scene->from_epoch = watch->from ? watch->from->epoch : 0;
    r->resumed_epoch = scene->from_epoch;
    r->earlier_s = watch->from ? watch->from->seconds : 0;
    if (watch->from)
        assert_memory_equal(watch->from->state, "state", watch->from->bytes);
    if (scene->unable_in && number == scene->unable_in) {
        scene->is_unable = true;
        r->state = TRIAL_PENDING;
        return;
    }
    r->state = TRIAL_DONE;
    r->value = (double)number;
    if (number == scene->stop_in)
        send_stop(scene);
    if (number == scene->end_in) {
        end_gang(scene, 8);
        end_gang(scene, 7);
    }
    if (scene->counts && number == 4)
        run_gang(scene, 8, 5, 0);
    if (scene->counts)
        for (int i = 0; i < 2; i++) /* all so far, so the second replaces the first */
            watch->count(watch->arg, scene->counts);
    if (watch->gang && scene->fails) {
        r->state = TRIAL_FAILED;
        snprintf(r->error, sizeof r->error, "boom");
        return;
    }
    while (scene->now_s < end_s) {
        scene->now_s += 0.03;
        if (!watch->keep_going(watch->arg)) {
            scene->seen_s = count_of(scene, TRAFFIC_COMPUTE).seconds;
            if (scene->saves)
                save_scene(watch, number);
            r->state = TRIAL_PENDING;
            return;
        }
    }
    if (number == scene->stop_after)
        send_stop(scene);
}

static const char *scene_unable(const void *self)
{
    return ((const struct scene *)self)->is_unable ? "no more" : "";
}

static int scene_send(const void *self, const struct buf *message, struct err *err)
{
    return mailbox_put(&(*(struct scene *const *)self)->from_worker, message, err);
}

static int scene_receive(const void *self, struct buf *message, double timeout_s, struct err *err)
{
    struct scene *scene = *(struct scene *const *)self;

    (void)err;
    if (timeout_s > 0 && scene->late_stop)
        send_stop(scene);
    if (timeout_s > 0 && scene->late) {
        scene->now_s += 0.25;
        assign(scene, 0, scene->late);
        scene->late = 0;
    }
    return mailbox_take(&scene->to_worker, message, 0);
}

static void setup(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->stop_in = scene->stop_after = scene->long_trial = scene->end_in = -1;
    assert_int_equal(mailbox_init(&scene->to_worker, NULL), 0);
    assert_int_equal(mailbox_init(&scene->from_worker, NULL), 0);
}

static void teardown(struct scene *scene)
{
    mailbox_release(&scene->to_worker);
    mailbox_release(&scene->from_worker);
    buf_release(&scene->message);
}

static void play(struct scene *scene)
{
    struct runner runner = {.run = run_scene, .unable = scene_unable, .self = scene};
    struct clock clock = {scene_now, scene};
    struct worker_channel channel = {scene_send, scene_receive, &scene, &scene->time};

    assert_int_equal(worker_run(&channel, &runner, 3, &clock, NULL), 0);
}

/* ---- messages from the worker ---- */

static struct cursor next(struct scene *scene, enum message_kind wanted)
{
    enum message_kind kind;
    struct cursor in;

    assert_true(mailbox_take(&scene->from_worker, &scene->message, 0));
    assert_int_equal(message_open(&in, &kind, &scene->message, NULL), 0);
    assert_int_equal(kind, wanted);
    return in;
}

static void expect_results(struct scene *scene, int64_t first, int64_t n)
{
    struct cursor in = next(scene, MESSAGE_RESULTS);

    for (int64_t i = first; i < first + n; i++) {
        struct trial_result r;

        assert_int_equal(trial_result_unpack(&r, &in), 0);
        assert_int_equal(r.trial, i);
        assert_int_equal(r.state, TRIAL_DONE);
        assert_int_equal(r.rank, 3);
        assert_true(r.pid > 0 && *r.host && r.started > 0 && r.finished >= r.started);
        trial_result_release(&r);
    }
    assert_int_equal(in.at, in.size);
}

static void expect_given_back(struct scene *scene, int64_t first, int64_t n)
{
    struct cursor in = next(scene, MESSAGE_GIVE_BACK);

    assert_int_equal(message_count_trials(&in, NULL), n);
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(cursor_i64(&in), first + i);
}

static void expect_checkpoint(struct scene *scene, int64_t trial)
{
    struct cursor in = next(scene, MESSAGE_CHECKPOINT);
    struct trial_checkpoint checkpoint;

    assert_int_equal(trial_checkpoint_unpack(&checkpoint, &in), 0);
    assert_int_equal(checkpoint.trial, trial);
    assert_int_equal(checkpoint.epoch, 30);
    assert_memory_equal(checkpoint.state, "state", checkpoint.bytes);
}

static void expect_leave(struct scene *scene, const char *error)
{
    struct cursor in = next(scene, MESSAGE_LEAVE);
    char text[256];

    cursor_text(&in, text, sizeof text);
    assert_string_equal(text, error);
    assert_false(mailbox_take(&scene->from_worker, &scene->message, 0));
}

static void expect_start(struct scene *scene, int64_t trial)
{
    struct cursor in = next(scene, MESSAGE_START);

    assert_int_equal(cursor_i64(&in), trial);
    assert_true(cursor_f64(&in) > 1e9);
    assert_int_equal(in.at, in.size);
}

/* ---- the tests ---- */

static void test_stop_before_work(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    assign(&scene, 0, 2);
    assign(&scene, 2, 3);
    send_stop(&scene);
    play(&scene);
    assert_int_equal(scene.n_run, 0);
    expect_given_back(&scene, 0, 5);
    expect_leave(&scene, "");
    teardown(&scene);
}

static void test_unable(void **state)
{
    struct scene scene;
    struct cursor in;
    char text[16];

    (void)state;
    setup(&scene);
    scene.unable_in = 1;
    assign(&scene, 0, 4);
    play(&scene);
    assert_int_equal(scene.n_run, 2);
    expect_given_back(&scene, 1, 1);
    expect_results(&scene, 0, 1);
    expect_given_back(&scene, 2, 2);
    in = next(&scene, MESSAGE_UNABLE);
    cursor_text(&in, text, sizeof text);
    assert_string_equal(text, "no more");
    expect_leave(&scene, "");
    teardown(&scene);
}

static void test_stopped_with_a_checkpoint(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    scene.saves = true;
    scene.expected_s = 0.001;
    scene.other_s = 0.2;
    scene.stop_in = 0;
    assign(&scene, 0, 1);
    play(&scene);
    expect_start(&scene, 0);
    expect_checkpoint(&scene, 0);
    expect_given_back(&scene, 0, 1);
    expect_leave(&scene, "");
    teardown(&scene);
}

static void assign_with_checkpoint(struct scene *scene, int64_t trial, size_t cut)
{
    struct trial_checkpoint checkpoint = {trial, 30, 0.5, 12, 5, "state"};

    message_begin(&scene->message, MESSAGE_ASSIGN);
    message_put_trials(&scene->message, &trial, 1);
    buf_put_i64(&scene->message, 100 + trial);
    buf_put_f64(&scene->message, 0.1);
    trial_checkpoint_pack(&scene->message, &checkpoint);
    scene->message.size -= cut;
    assert_int_equal(mailbox_put(&scene->to_worker, &scene->message, NULL), 0);
}

/* The checkpoint goes to its own trial only; its earlier seconds count. */
static void test_trial_that_goes_on(void **state)
{
    struct scene scene;
    struct trial_result r;
    struct cursor in;

    (void)state;
    setup(&scene);
    scene.other_s = 0.03;
    scene.stop_after = 5;
    assign(&scene, 4, 1);
    assign_with_checkpoint(&scene, 5, 0);
    play(&scene);
    assert_int_equal(scene.n_run, 2);
    assert_int_equal(scene.from_epoch, 30);
    expect_start(&scene, 4);
    in = next(&scene, MESSAGE_RESULTS);
    assert_int_equal(trial_result_unpack(&r, &in), 0);
    assert_int_equal(r.resumed_epoch, 0);
    assert_true(r.seconds < 1);
    expect_start(&scene, 5);
    in = next(&scene, MESSAGE_RESULTS);
    assert_int_equal(trial_result_unpack(&r, &in), 0);
    assert_int_equal(r.resumed_epoch, 30);
    assert_true(r.earlier_s == 12 && r.seconds >= 12 && r.seconds < 13);
    expect_leave(&scene, "");
    teardown(&scene);
}

static void test_cut_checkpoint(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    assign_with_checkpoint(&scene, 5, 1);
    play(&scene);
    assert_int_equal(scene.n_run, 0);
    expect_leave(&scene, "checkpoint of 44 bytes is truncated");
    teardown(&scene);
}

/* The finished trial is handed in; the rest comes back. */
static void test_stop_inside_a_trial(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    scene.other_s = 0.1;
    scene.stop_in = 11;
    assign(&scene, 10, 5);
    play(&scene);
    assert_int_equal(scene.n_run, 2);
    expect_start(&scene, 10);
    expect_results(&scene, 10, 1);
    expect_start(&scene, 11);
    expect_given_back(&scene, 11, 1);
    expect_given_back(&scene, 12, 3);
    expect_leave(&scene, "");
    teardown(&scene);
}

/* Instant trials are reported in groups of 64, the rest when nothing is left to do. */
static void test_groups(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    scene.stop_in = 149;
    assign(&scene, 0, 150);
    play(&scene);
    expect_results(&scene, 0, 64);
    expect_results(&scene, 64, 64);
    expect_results(&scene, 128, 22);
    expect_leave(&scene, "");
    teardown(&scene);
}

/* A long trial delays neither earlier results nor the return of later trials. */
static void test_long_trial(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    scene.long_trial = scene.stop_after = 2;
    assign(&scene, 0, 6);
    play(&scene);
    assert_int_equal(scene.n_run, 3);
    expect_results(&scene, 0, 2);
    expect_start(&scene, 2); /* longer than expected */
    expect_given_back(&scene, 3, 3);
    expect_results(&scene, 2, 1);
    expect_leave(&scene, "");
    teardown(&scene);
}

/* Its start is reported after all finished results. */
static void test_start(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    assign(&scene, 0, 3);
    scene.expected_s = 0.1;
    scene.other_s = 0.1;
    scene.stop_after = 4;
    assign(&scene, 3, 2);
    play(&scene);
    for (int64_t i = 0; i < 5; i++) {
        expect_start(&scene, i);
        expect_results(&scene, i, 1);
    }
    expect_leave(&scene, "");
    teardown(&scene);
}

/* Trial 0 takes 0.8 s and receives a stop at its beginning. */
static void grace(double expected_s, double grace_s, bool finishes, double seconds)
{
    struct scene scene;

    setup(&scene);
    scene.stop_in = scene.long_trial = 0;
    scene.expected_s = expected_s;
    scene.grace_s = grace_s;
    assign(&scene, 0, 1);
    play(&scene);
    assert_int_equal(scene.n_run, 1);
    expect_start(&scene, 0);
    if (finishes)
        expect_results(&scene, 0, 1);
    else
        expect_given_back(&scene, 0, 1);
    expect_leave(&scene, "");
    assert_true(scene.now_s > seconds - 0.05 && scene.now_s < seconds + 0.05);
    teardown(&scene);
}

static void test_grace(void **state)
{
    (void)state;
    grace(0.8, 1, true, 0.8);
    grace(0.8, 0, false, 0);
    grace(2, 1, false, 0);           /* cannot finish in time */
    grace(0.2, 0.5, false, 0.5);     /* longer than expected */
    grace((double)NAN, 1, false, 0); /* expectation unknown */
}

/* The first trial after an assignment gets the seconds waited for it. */
static void test_seconds(void **state)
{
    struct scene scene;
    struct trial_result r;
    struct cursor in;

    (void)state;
    setup(&scene);
    scene.late = 2;
    scene.long_trial = scene.stop_after = 1;
    play(&scene);
    in = next(&scene, MESSAGE_RESULTS);
    assert_int_equal(trial_result_unpack(&r, &in), 0);
    assert_true(r.timing[PHASE_WAITING] == 0.25 && r.seconds == 0);
    expect_start(&scene, 1);
    in = next(&scene, MESSAGE_RESULTS);
    assert_int_equal(trial_result_unpack(&r, &in), 0);
    assert_true(r.timing[PHASE_WAITING] == 0);
    assert_true(r.seconds > 0.79 && r.seconds < 0.84);
    teardown(&scene);
}

/* Another thread sees the time of a running trial, too. */
static void test_worker_time(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    scene.late = 3;
    scene.other_s = 0.09;
    scene.long_trial = scene.stop_in = 2;
    scene.grace_s = 0.3;
    play(&scene);
    assert_int_equal(count_of(&scene, TRAFFIC_IDLE).calls, 1);
    assert_true(count_of(&scene, TRAFFIC_IDLE).seconds == 0.25);
    assert_int_equal(count_of(&scene, TRAFFIC_COMPUTE).calls, 3);
    assert_true(fabs(count_of(&scene, TRAFFIC_COMPUTE).seconds - 0.48) < 0.031);
    assert_true(fabs(scene.seen_s - (count_of(&scene, TRAFFIC_COMPUTE).seconds)) < 0.031);
    teardown(&scene);
}

/* ---- gangs ---- */

static void expect_member(struct scene *scene, int64_t number, int64_t trial,
                          enum trial_state state, const char *error, double value)
{
    struct cursor in = next(scene, MESSAGE_GANG_RESULT);
    struct trial_result r;

    assert_int_equal(cursor_i64(&in), number);
    assert_int_equal(trial_result_unpack(&r, &in), 0);
    assert_int_equal(in.at, in.size);
    assert_int_equal(r.trial, trial);
    assert_int_equal(r.state, state);
    assert_string_equal(r.error, error);
    assert_true(isnan(value) ? isnan(r.value) : r.value == value);
    trial_result_release(&r);
}

static void test_gang_port(void **state)
{
    struct scene scene;
    struct cursor in;
    char text[256];
    uint32_t port;

    (void)state;
    setup(&scene);
    message_begin(&scene.message, MESSAGE_GANG_OPEN);
    buf_put_i64(&scene.message, 7);
    buf_put_u32(&scene.message, 5);
    assert_int_equal(mailbox_put(&scene.to_worker, &scene.message, NULL), 0);
    send_stop(&scene);
    play(&scene);
    in = next(&scene, MESSAGE_GANG_PORT);
    assert_int_equal(cursor_i64(&in), 7);
    port = cursor_u32(&in);
    assert_in_range(port, 20000, 32000);
    assert_int_equal((port - 20000) % 5, 3);
    cursor_text(&in, text, sizeof text);
    assert_true(*text);
    expect_leave(&scene, "");
    teardown(&scene);
}

/* The leader's result is whole; another member only reports that it is done. Results of single
 * trials go first. */
static void test_gang_members(void **state)
{
    struct scene scene;

    (void)state;
    for (int32_t rank = 0; rank < 2; rank++) {
        setup(&scene);
        scene.stop_after = 5;
        assign(&scene, 4, 1);
        scene.expected_s = 0.1;
        run_gang(&scene, 7, 5, rank);
        play(&scene);
        assert_int_equal(scene.part, rank);
        expect_results(&scene, 4, 1);
        if (!rank)
            expect_start(&scene, 5);
        expect_member(&scene, 7, 5, TRIAL_DONE, "", rank ? (double)NAN : 5);
        expect_leave(&scene, "");
        teardown(&scene);
    }
}

static void expect_count(struct scene *scene, enum traffic_activity activity, size_t bytes,
                         struct traffic_count wanted)
{
    struct traffic traffic = {0};
    const struct traffic_count *count = &traffic.of[traffic_cell(activity, bytes)];

    worker_time_read(&traffic, &scene->time);
    assert_int_equal(count->calls, wanted.calls);
    assert_int_equal(count->bytes, wanted.bytes);
    assert_true(count->seconds == wanted.seconds);
}

/* Counters of two gangs add up. Waiting is counted apart from the calls that wait. */
static void test_gang_counts(void **state)
{
    struct gang_counts counts = {.meeting_s = 0.5};
    struct scene scene;

    (void)state;
    setup(&scene);
    counts.of[GANG_SUM][0] = (struct gang_count){10, 400, 3, 1};
    counts.of[GANG_SUM_FEW][0] = (struct gang_count){5, 40, 0.25, 0.125};
    counts.of[GANG_SUM][GANG_SIZES - 1] = (struct gang_count){1, INT64_C(3) << 30, 8, 2};
    counts.of[GANG_SHARE][2] = (struct gang_count){2, 2000, 0.5, 0.25};
    counts.of[GANG_AGREE][1] = (struct gang_count){4, 800, 0.75, 0.5};
    scene.counts = &counts;
    scene.stop_after = 5;
    run_gang(&scene, 7, 4, 1);
    play(&scene);
    assert_int_equal(scene.n_run, 2);
    expect_count(&scene, TRAFFIC_SUM, 64, (struct traffic_count){30, 880, 4.25});
    expect_count(&scene, TRAFFIC_SUM, 65, (struct traffic_count){0, 0, 0});
    expect_count(&scene, TRAFFIC_SUM, 1 << 30, (struct traffic_count){2, INT64_C(6) << 30, 12});
    expect_count(&scene, TRAFFIC_SHARE, 1000, (struct traffic_count){4, 4000, 0.5});
    expect_count(&scene, TRAFFIC_AGREE, 200, (struct traffic_count){8, 1600, 0.5});
    expect_count(&scene, TRAFFIC_MEMBERS, 0, (struct traffic_count){46, 0, 8.75});
    assert_int_equal(count_of(&scene, TRAFFIC_COMPUTE).calls, 2);
    teardown(&scene);
}

static void test_gang_fails(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    scene.fails = true;
    scene.stop_in = 5;
    run_gang(&scene, 7, 5, 2);
    play(&scene);
    expect_member(&scene, 7, 5, TRIAL_FAILED, "boom", 5);
    expect_leave(&scene, "");
    teardown(&scene);
}

/* The end of gang 8, which is not here, means nothing. */
static void test_gang_is_ended(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    scene.end_in = scene.long_trial = 5;
    scene.late_stop = true;
    run_gang(&scene, 7, 5, 1);
    play(&scene);
    assert_true(scene.now_s < 0.07);
    expect_member(&scene, 7, 5, TRIAL_PENDING, "", (double)NAN);
    expect_leave(&scene, "");
    teardown(&scene);
}

/* A gang that was ended, replaced or stopped before it begins is given back. */
static void test_gang_never_begins(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    run_gang(&scene, 7, 5, 1);
    end_gang(&scene, 7);
    run_gang(&scene, 8, 6, 1);
    run_gang(&scene, 9, 7, 0);
    send_stop(&scene);
    play(&scene);
    assert_int_equal(scene.n_run, 0);
    expect_member(&scene, 7, 5, TRIAL_PENDING, "", (double)NAN);
    expect_member(&scene, 8, 6, TRIAL_PENDING, "", (double)NAN);
    expect_member(&scene, 9, 7, TRIAL_PENDING, "", (double)NAN);
    expect_leave(&scene, "");
    teardown(&scene);
}

static void test_malformed(void **state)
{
    struct scene scene;

    (void)state;
    setup(&scene);
    buf_puts(&scene.message, "hello");
    mailbox_put(&scene.to_worker, &scene.message, NULL);
    play(&scene);
    expect_leave(&scene, "message of 5 bytes is foreign: do all ranks run the same program?");
    message_begin(&scene.message, MESSAGE_LEAVE);
    mailbox_put(&scene.to_worker, &scene.message, NULL);
    play(&scene);
    expect_leave(&scene, "message of kind 5 is not for a worker");
    teardown(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stopped_with_a_checkpoint),
        cmocka_unit_test(test_trial_that_goes_on),
        cmocka_unit_test(test_cut_checkpoint),
        cmocka_unit_test(test_stop_before_work),
        cmocka_unit_test(test_unable),
        cmocka_unit_test(test_stop_inside_a_trial),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_long_trial),
        cmocka_unit_test(test_start),
        cmocka_unit_test(test_grace),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_worker_time),
        cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_gang_port),
        cmocka_unit_test(test_gang_members),
        cmocka_unit_test(test_gang_counts),
        cmocka_unit_test(test_gang_fails),
        cmocka_unit_test(test_gang_is_ended),
        cmocka_unit_test(test_gang_never_begins),
    };

    return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
