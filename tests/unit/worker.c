/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker alone: messages are queued in advance, or by the runner from inside a trial; the test
 * controls the clock and reads afterwards what the worker sends. */
#include <math.h>

#include "gang/gang.h"
#include "sched/mailbox.h"
#include "sched/message.h"
#include "sched/worker.h"
#include "unit.h"

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
    buf_put_f64(&scene->message, INFINITY);
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
    buf_put_i64(&scene->message, SETTINGS_LAST_RUNG);
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

/* The running test has it. */
static struct scene s;

static int setup(void **state)
{
    (void)state;
    s = (struct scene){.stop_in = -1, .stop_after = -1, .long_trial = -1, .end_in = -1};
    mailbox_init(&s.to_worker);
    mailbox_init(&s.from_worker);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    mailbox_release(&s.to_worker);
    mailbox_release(&s.from_worker);
    buf_release(&s.message);
    return 0;
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

    assert_int_equal(message_count_trials(&in), n);
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
    (void)state;
    assign(&s, 0, 2);
    assign(&s, 2, 3);
    send_stop(&s);
    play(&s);
    assert_int_equal(s.n_run, 0);
    expect_given_back(&s, 0, 5);
    expect_leave(&s, "");
}

static void test_unable(void **state)
{
    struct cursor in;
    char text[16];

    (void)state;
    s.unable_in = 1;
    assign(&s, 0, 4);
    play(&s);
    assert_int_equal(s.n_run, 2);
    expect_given_back(&s, 1, 1);
    expect_results(&s, 0, 1);
    expect_given_back(&s, 2, 2);
    in = next(&s, MESSAGE_UNABLE);
    cursor_text(&in, text, sizeof text);
    assert_string_equal(text, "no more");
    expect_leave(&s, "");
}

static void test_stopped_with_a_checkpoint(void **state)
{
    (void)state;
    s.saves = true;
    s.expected_s = 0.001;
    s.other_s = 0.2;
    s.stop_in = 0;
    assign(&s, 0, 1);
    play(&s);
    expect_start(&s, 0);
    expect_checkpoint(&s, 0);
    expect_given_back(&s, 0, 1);
    expect_leave(&s, "");
}

static void assign_with_checkpoint(struct scene *scene, int64_t trial, size_t cut)
{
    struct trial_checkpoint checkpoint = {trial, 30, 0.5, 12, 5, "state"};

    message_begin(&scene->message, MESSAGE_ASSIGN);
    message_put_trials(&scene->message, &trial, 1);
    buf_put_i64(&scene->message, 100 + trial);
    buf_put_f64(&scene->message, 0.1);
    buf_put_i64(&scene->message, SETTINGS_LAST_RUNG);
    trial_checkpoint_pack(&scene->message, &checkpoint);
    scene->message.size -= cut;
    assert_int_equal(mailbox_put(&scene->to_worker, &scene->message, NULL), 0);
}

/* The checkpoint goes to its own trial only; its earlier seconds count. */
static void test_trial_that_goes_on(void **state)
{
    struct trial_result r;
    struct cursor in;

    (void)state;
    s.other_s = 0.03;
    s.stop_after = 5;
    assign(&s, 4, 1);
    assign_with_checkpoint(&s, 5, 0);
    play(&s);
    assert_int_equal(s.n_run, 2);
    assert_int_equal(s.from_epoch, 30);
    expect_start(&s, 4);
    in = next(&s, MESSAGE_RESULTS);
    assert_int_equal(trial_result_unpack(&r, &in), 0);
    assert_int_equal(r.resumed_epoch, 0);
    assert_true(r.seconds < 1);
    expect_start(&s, 5);
    in = next(&s, MESSAGE_RESULTS);
    assert_int_equal(trial_result_unpack(&r, &in), 0);
    assert_int_equal(r.resumed_epoch, 30);
    assert_true(r.earlier_s == 12 && r.seconds >= 12 && r.seconds < 13);
    expect_leave(&s, "");
}

static void test_cut_checkpoint(void **state)
{
    (void)state;
    assign_with_checkpoint(&s, 5, 1);
    play(&s);
    assert_int_equal(s.n_run, 0);
    expect_leave(&s, "message of 88 bytes is damaged before byte 44");
}

/* The finished trial is handed in; the rest comes back. */
static void test_stop_inside_a_trial(void **state)
{
    (void)state;
    s.other_s = 0.1;
    s.stop_in = 11;
    assign(&s, 10, 5);
    play(&s);
    assert_int_equal(s.n_run, 2);
    expect_start(&s, 10);
    expect_results(&s, 10, 1);
    expect_start(&s, 11);
    expect_given_back(&s, 11, 1);
    expect_given_back(&s, 12, 3);
    expect_leave(&s, "");
}

/* Instant trials are reported in groups of 64, the rest when nothing is left to do. */
static void test_groups(void **state)
{
    (void)state;
    s.stop_in = 149;
    assign(&s, 0, 150);
    play(&s);
    expect_results(&s, 0, 64);
    expect_results(&s, 64, 64);
    expect_results(&s, 128, 22);
    expect_leave(&s, "");
}

/* A long trial delays neither earlier results nor the return of later trials. */
static void test_long_trial(void **state)
{
    (void)state;
    s.long_trial = s.stop_after = 2;
    assign(&s, 0, 6);
    play(&s);
    assert_int_equal(s.n_run, 3);
    expect_results(&s, 0, 2);
    expect_start(&s, 2); /* longer than expected */
    expect_given_back(&s, 3, 3);
    expect_results(&s, 2, 1);
    expect_leave(&s, "");
}

/* Its start is reported after all finished results. */
static void test_start(void **state)
{
    (void)state;
    assign(&s, 0, 3);
    s.expected_s = 0.1;
    s.other_s = 0.1;
    s.stop_after = 4;
    assign(&s, 3, 2);
    play(&s);
    for (int64_t i = 0; i < 5; i++) {
        expect_start(&s, i);
        expect_results(&s, i, 1);
    }
    expect_leave(&s, "");
}

/* Trial 0 takes 0.8 s and receives a stop at its beginning. */
static void grace(double expected_s, double grace_s, bool finishes, double seconds)
{
    setup(NULL);
    s.stop_in = s.long_trial = 0;
    s.expected_s = expected_s;
    s.grace_s = grace_s;
    assign(&s, 0, 1);
    play(&s);
    assert_int_equal(s.n_run, 1);
    expect_start(&s, 0);
    if (finishes)
        expect_results(&s, 0, 1);
    else
        expect_given_back(&s, 0, 1);
    expect_leave(&s, "");
    assert_true(s.now_s > seconds - 0.05 && s.now_s < seconds + 0.05);
    teardown(NULL);
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
    struct trial_result r;
    struct cursor in;

    (void)state;
    s.late = 2;
    s.long_trial = s.stop_after = 1;
    play(&s);
    in = next(&s, MESSAGE_RESULTS);
    assert_int_equal(trial_result_unpack(&r, &in), 0);
    assert_true(r.timing[PHASE_WAITING] == 0.25 && r.seconds == 0);
    expect_start(&s, 1);
    in = next(&s, MESSAGE_RESULTS);
    assert_int_equal(trial_result_unpack(&r, &in), 0);
    assert_true(r.timing[PHASE_WAITING] == 0);
    assert_true(r.seconds > 0.79 && r.seconds < 0.84);
}

/* Another thread sees the time of a running trial, too. */
static void test_worker_time(void **state)
{
    (void)state;
    s.late = 3;
    s.other_s = 0.09;
    s.long_trial = s.stop_in = 2;
    s.grace_s = 0.3;
    play(&s);
    assert_int_equal(count_of(&s, TRAFFIC_IDLE).calls, 1);
    assert_true(count_of(&s, TRAFFIC_IDLE).seconds == 0.25);
    assert_int_equal(count_of(&s, TRAFFIC_COMPUTE).calls, 3);
    assert_true(fabs(count_of(&s, TRAFFIC_COMPUTE).seconds - 0.48) < 0.031);
    assert_true(fabs(s.seen_s - (count_of(&s, TRAFFIC_COMPUTE).seconds)) < 0.031);
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
    struct cursor in;
    char text[256];
    uint32_t port;

    (void)state;
    message_begin(&s.message, MESSAGE_GANG_OPEN);
    buf_put_i64(&s.message, 7);
    buf_put_u32(&s.message, 5);
    assert_int_equal(mailbox_put(&s.to_worker, &s.message, NULL), 0);
    send_stop(&s);
    play(&s);
    in = next(&s, MESSAGE_GANG_PORT);
    assert_int_equal(cursor_i64(&in), 7);
    port = cursor_u32(&in);
    assert_in_range(port, 20000, 32000);
    assert_int_equal((port - 20000) % 5, 3);
    cursor_text(&in, text, sizeof text);
    assert_true(*text);
    expect_leave(&s, "");
}

/* The leader's result is whole; another member only reports that it is done. Results of single
 * trials go first. */
static void test_gang_members(void **state)
{
    (void)state;
    for (int32_t rank = 0; rank < 2; rank++) {
        setup(NULL);
        s.stop_after = 5;
        assign(&s, 4, 1);
        s.expected_s = 0.1;
        run_gang(&s, 7, 5, rank);
        play(&s);
        assert_int_equal(s.part, rank);
        expect_results(&s, 4, 1);
        if (!rank)
            expect_start(&s, 5);
        expect_member(&s, 7, 5, TRIAL_DONE, "", rank ? (double)NAN : 5);
        expect_leave(&s, "");
        teardown(NULL);
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

    (void)state;
    counts.of[GANG_SUM][0] = (struct gang_count){15, 440, 3.25, 1.125};
    counts.of[GANG_SUM][GANG_SIZES - 1] = (struct gang_count){1, INT64_C(3) << 30, 8, 2};
    counts.of[GANG_SHARE][2] = (struct gang_count){2, 2000, 0.5, 0.25};
    counts.of[GANG_AGREE][1] = (struct gang_count){4, 800, 0.75, 0.5};
    s.counts = &counts;
    s.stop_after = 5;
    run_gang(&s, 7, 4, 1);
    play(&s);
    assert_int_equal(s.n_run, 2);
    expect_count(&s, TRAFFIC_SUM, 64, (struct traffic_count){30, 880, 4.25});
    expect_count(&s, TRAFFIC_SUM, 65, (struct traffic_count){0, 0, 0});
    expect_count(&s, TRAFFIC_SUM, 1 << 30, (struct traffic_count){2, INT64_C(6) << 30, 12});
    expect_count(&s, TRAFFIC_SHARE, 1000, (struct traffic_count){4, 4000, 0.5});
    expect_count(&s, TRAFFIC_AGREE, 200, (struct traffic_count){8, 1600, 0.5});
    expect_count(&s, TRAFFIC_MEMBERS, 0, (struct traffic_count){46, 0, 8.75});
    assert_int_equal(count_of(&s, TRAFFIC_COMPUTE).calls, 2);
}

static void test_gang_fails(void **state)
{
    (void)state;
    s.fails = true;
    s.stop_in = 5;
    run_gang(&s, 7, 5, 2);
    play(&s);
    expect_member(&s, 7, 5, TRIAL_FAILED, "boom", 5);
    expect_leave(&s, "");
}

/* The end of gang 8, which is not here, means nothing. */
static void test_gang_is_ended(void **state)
{
    (void)state;
    s.end_in = s.long_trial = 5;
    s.late_stop = true;
    run_gang(&s, 7, 5, 1);
    play(&s);
    assert_true(s.now_s < 0.07);
    expect_member(&s, 7, 5, TRIAL_PENDING, "", (double)NAN);
    expect_leave(&s, "");
}

/* A gang that was ended, replaced or stopped before it begins is given back. */
static void test_gang_never_begins(void **state)
{
    (void)state;
    run_gang(&s, 7, 5, 1);
    end_gang(&s, 7);
    run_gang(&s, 8, 6, 1);
    run_gang(&s, 9, 7, 0);
    send_stop(&s);
    play(&s);
    assert_int_equal(s.n_run, 0);
    expect_member(&s, 7, 5, TRIAL_PENDING, "", (double)NAN);
    expect_member(&s, 8, 6, TRIAL_PENDING, "", (double)NAN);
    expect_member(&s, 9, 7, TRIAL_PENDING, "", (double)NAN);
    expect_leave(&s, "");
}

static void test_malformed(void **state)
{
    (void)state;
    buf_puts(&s.message, "hello");
    mailbox_put(&s.to_worker, &s.message, NULL);
    play(&s);
    expect_leave(&s, "message of 5 bytes is foreign: do all ranks run the same program?");
    message_begin(&s.message, MESSAGE_LEAVE);
    mailbox_put(&s.to_worker, &s.message, NULL);
    play(&s);
    expect_leave(&s, "message of 8 bytes is damaged before byte 8");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stopped_with_a_checkpoint),
        TEST(test_trial_that_goes_on),
        TEST(test_cut_checkpoint),
        TEST(test_stop_before_work),
        TEST(test_unable),
        TEST(test_stop_inside_a_trial),
        TEST(test_groups),
        TEST(test_long_trial),
        TEST(test_start),
        cmocka_unit_test(test_grace),
        TEST(test_seconds),
        TEST(test_worker_time),
        TEST(test_malformed),
        TEST(test_gang_port),
        cmocka_unit_test(test_gang_members),
        TEST(test_gang_counts),
        TEST(test_gang_fails),
        TEST(test_gang_is_ended),
        TEST(test_gang_never_begins),
    };

    return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
