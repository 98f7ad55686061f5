/* SPDX-License-Identifier: BSD-3-Clause */
/* Scheduler and worker thread in one process: which events reach the sink, and when. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sched/master.h"

static const struct world alone = {.rank = 0, .size = 1, .is_mpi = false};

struct fake {
    double seconds; /* per trial */
    bool is_moody;  /* trials 1, 4, 7 ... diverge and 2, 5, 8 ... fail */
    bool saves;     /* a stopped trial leaves a checkpoint, and takes no time when it continues */
    int64_t unable_at; /* the n-th trial and all later ones cannot run; 0: all can */
    int64_t n_begun;
};

static bool is_unable(const struct fake *fake)
{
    return fake->unable_at && fake->n_begun >= fake->unable_at;
}

static void run_fake(void *self, struct trial_result *r, int64_t number,
                     const struct trial_watch *watch)
{
    const enum trial_state states[] = {TRIAL_DONE, TRIAL_DIVERGED, TRIAL_FAILED};
    struct fake *fake = self;
    double end_s = clock_now(&clock_system) + fake->seconds;

    fake->n_begun++;
    if (is_unable(fake)) {
        r->state = TRIAL_PENDING;
        return;
    }
    if (watch->from) {
        assert_int_equal(watch->from->trial, number);
        assert_memory_equal(watch->from->state, "state", watch->from->bytes);
        r->resumed_epoch = watch->from->epoch;
        r->earlier_s = watch->from->seconds;
        end_s = 0;
    }
    r->state = fake->is_moody ? states[number % 3] : TRIAL_DONE;
    r->value = (double)number;
    while (clock_now(&clock_system) < end_s) {
        clock_sleep(1e-3);
        if (!watch->keep_going(watch->arg)) {
            if (fake->saves)
                watch->save(watch->arg, &(struct trial_checkpoint){number, 3, 0.5, 10, 5, "state"});
            r->state = TRIAL_PENDING;
            return;
        }
    }
}

static const char *unable_fake(const void *self)
{
    return is_unable(self) ? "no more" : "";
}

struct record {
    int n_unable;
    int64_t n_results, n_commits, n_progress;
    int64_t uncommitted, most_uncommitted;
    double first_s, latest_s; /* time of the oldest uncommitted result; the longest wait */
    int *times;               /* [n trials] */
    int64_t n_checkpoints, n_resumed;
    double most_predicted_s;
    size_t most_bytes;
    int64_t resumes; /* the trial that continues from a checkpoint; 0: none */
    bool has_checkpoint_of[40];
    struct master_progress last;
    int64_t n_running;
    bool is_named;           /* a running trial was reported since the last commit */
    double grace_s, limit_s; /* limit_s 0: none */
    volatile sig_atomic_t hurry;
    bool stops_in_second; /* stop when a trial after the first result is running */
    int64_t stop_at, fail_result_at, fail_commit_at; /* at the n-th; 0: never */
    volatile sig_atomic_t stop;
};

static int on_result(void *arg, const struct trial_result *r, struct err *err)
{
    struct record *record = arg;

    assert_true(r->value == (double)r->trial);
    if (!record->uncommitted++)
        record->first_s = clock_now(&clock_system);
    if (record->uncommitted > record->most_uncommitted)
        record->most_uncommitted = record->uncommitted;
    record->times[r->trial]++;
    assert_true(r->predicted > 0);
    record->most_predicted_s = fmax(record->most_predicted_s, r->predicted);
    record->n_resumed += r->resumed_epoch == 3 && r->seconds >= 10;
    if (++record->n_results == record->stop_at)
        record->stop = 1;
    return record->n_results == record->fail_result_at ? err_set(err, "disk full") : 0;
}

static int on_checkpoint(void *arg, const struct trial_checkpoint *checkpoint, struct err *err)
{
    struct record *record = arg;

    (void)err;
    record->n_checkpoints++;
    record->has_checkpoint_of[checkpoint->trial] = true;
    assert_memory_equal(checkpoint->state, "state", checkpoint->bytes);
    if (!record->uncommitted++)
        record->first_s = clock_now(&clock_system);
    return 0;
}

static void on_resume(void *arg, int64_t trial, struct buf *out)
{
    struct trial_checkpoint checkpoint = {trial, 3, 0.5, 10, 5, "state"};
    struct record *record = arg;

    assert_int_equal(trial, record->resumes);
    trial_checkpoint_pack(out, &checkpoint);
}

static int on_running(void *arg, const struct master_trial *trial, struct err *err)
{
    struct record *record = arg;

    (void)err;
    assert_int_equal(trial->rank, 0);
    assert_int_equal(trial->process->pid, getpid());
    assert_true(trial->started > 1e9);
    record->n_running++;
    record->is_named = true;
    if (record->stops_in_second && record->n_results)
        record->stop = 1;
    return 0;
}

static int on_lost(void *arg, const struct master_loss *loss, struct err *err)
{
    (void)arg;
    (void)err;
    fail_msg("rank %d is lost", loss->rank);
    return 0;
}

static void on_unable(void *arg, int32_t rank, const struct process *process, const char *why)
{
    struct record *record = arg;

    assert_int_equal(rank, 0);
    assert_int_equal(process->pid, getpid());
    assert_string_equal(why, "no more");
    record->n_unable++;
}

static void on_back(void *arg, int32_t rank)
{
    (void)arg;
    fail_msg("rank %d is back", rank);
}

static int on_commit(void *arg, struct err *err)
{
    struct record *record = arg;
    double waited_s = clock_now(&clock_system) - record->first_s;

    assert_true(record->uncommitted > 0 || record->is_named);
    if (!record->uncommitted)
        waited_s = 0;
    record->uncommitted = 0;
    record->is_named = false;
    if (waited_s > record->latest_s)
        record->latest_s = waited_s;
    return ++record->n_commits == record->fail_commit_at ? err_set(err, "no space left") : 0;
}

static void on_progress(void *arg, const struct master_progress *progress)
{
    struct record *record = arg;

    assert_true(progress->finished >= record->last.finished);
    assert_true(progress->elapsed_s >= record->last.elapsed_s);
    record->last = *progress;
    record->n_progress++;
}

static int play(struct record *record, struct ledger *ledger, struct fake *fake, double commit_s,
                enum master_end *end, struct err *err)
{
    struct runner runner = {.run = run_fake, .unable = unable_fake, .self = fake};
    struct master_sink sink = {.result = on_result,
                               .running = on_running,
                               .lost = on_lost,
                               .checkpoint = on_checkpoint,
                               .resume = on_resume,
                               .back = on_back,
                               .unable = on_unable,
                               .commit = on_commit,
                               .progress = on_progress,
                               .arg = record};
    struct master_options options = {
        .commit_s = commit_s,
        .commit_results = 1000,
        .stop = &record->stop,
        .grace_s = record->grace_s,
        .hurry = &record->hurry,
        .checkpoint_bytes = record->most_bytes,
        .until_s = record->limit_s ? clock_now(&clock_system) + record->limit_s : (double)INFINITY,
        .silence_s = 30};
    const struct gcn_cost nothing = {0};
    int64_t n = ledger_counts(ledger).total;
    struct cost *cost = cost_create(&nothing, 1, 1, NULL);
    struct dispatch *dispatch = dispatch_create(ledger, cost, 1, NULL, false, NULL, NULL);
    struct master_parts parts = {dispatch, &alone, &runner, &sink, &options, &clock_system};
    struct master *master = master_create(&parts, err);
    int rc;

    assert_non_null(master);
    if (record->resumes)
        dispatch_resume(dispatch, record->resumes, 0.5);
    record->times = calloc((size_t)n + 1, sizeof *record->times);
    rc = master_run(end, master, err);
    assert_int_equal(ledger_check(ledger, NULL), 0);
    master_destroy(master);
    dispatch_destroy(dispatch);
    cost_destroy(cost);
    return rc;
}

static void finish(struct record *record, struct ledger *ledger)
{
    free(record->times);
    ledger_destroy(ledger);
}

static void test_each_once(void **state)
{
    struct ledger *ledger = ledger_create(30000, 30000, NULL, 2, NULL);
    struct record record = {0};
    struct fake fake = {.is_moody = true};
    struct ledger_counts counts;
    enum master_end end;

    (void)state;
    ledger_mark(ledger, 17, TRIAL_DONE);
    assert_int_equal(play(&record, ledger, &fake, 0.5, &end, NULL), 0);
    assert_int_equal(end, MASTER_FINISHED);
    for (int i = 0; i < 30000; i++)
        assert_int_equal(record.times[i], i != 17);
    assert_int_equal(record.uncommitted, 0);
    assert_true(record.most_uncommitted <= 1000);
    assert_true(record.n_commits >= 30);
    counts = record.last.counts;
    assert_int_equal(record.last.finished, 29999);
    assert_int_equal(counts.diverged, 10000);
    assert_int_equal(counts.failed, 9999); /* 17 would have failed */
    assert_int_equal(record.last.n_busy, 0);
    finish(&record, ledger);
}

/* Trials of 10 ms for half a second, with a commit every 50 ms and progress every 100 ms. */
static void test_commits_in_time(void **state)
{
    struct ledger *ledger = ledger_create(50, 50, NULL, 2, NULL);
    struct record record = {0};
    struct fake fake = {.seconds = 0.01};
    enum master_end end;

    (void)state;
    assert_int_equal(play(&record, ledger, &fake, 0.05, &end, NULL), 0);
    assert_int_equal(record.n_results, 50);
    assert_true(record.n_commits >= 4 && record.n_commits < 50);
    assert_true(record.latest_s < 0.5);
    assert_true(record.n_progress >= 4);
    finish(&record, ledger);
}

static void test_stop(void **state)
{
    struct ledger *ledger = ledger_create(40, 40, NULL, 2, NULL);
    struct record record = {.stop_at = 5};
    struct fake fake = {.seconds = 0.02};
    struct ledger_counts counts;
    enum master_end end;

    (void)state;
    assert_int_equal(play(&record, ledger, &fake, 0.5, &end, NULL), 0);
    assert_int_equal(end, MASTER_STOPPED);
    assert_true(record.n_results >= 5 && record.n_results < 10);
    assert_int_equal(record.uncommitted, 0);
    counts = ledger_counts(ledger);
    assert_int_equal(counts.done, record.n_results);
    assert_int_equal(counts.pending, 40 - record.n_results);
    assert_int_equal(counts.leased, 0);
    finish(&record, ledger);
}

static void test_stop_with_a_checkpoint(void **state)
{
    struct ledger *ledger = ledger_create(4, 4, NULL, 2, NULL);
    struct record record = {.stops_in_second = true, .most_bytes = 5};
    struct fake fake = {.seconds = 0.3, .saves = true};
    enum master_end end;
    int64_t trial = 0;

    (void)state;
    assert_int_equal(play(&record, ledger, &fake, 0.1, &end, NULL), 0);
    assert_int_equal(end, MASTER_STOPPED);
    assert_int_equal(record.n_results, 1);
    assert_int_equal(record.n_checkpoints, 1);
    assert_int_equal(record.uncommitted, 0);
    while (!record.has_checkpoint_of[trial])
        trial++;
    assert_int_equal(ledger_state(ledger, trial), TRIAL_PENDING);
    free(record.times);

    record = (struct record){.resumes = trial};
    fake = (struct fake){.seconds = 0.01};
    assert_int_equal(play(&record, ledger, &fake, 0.5, &end, NULL), 0);
    assert_int_equal(end, MASTER_FINISHED);
    assert_int_equal(record.n_results, 3);
    assert_int_equal(record.n_resumed, 1);
    assert_true(record.most_predicted_s < 1); /* its 10 s were not learnt */
    finish(&record, ledger);
}

static void test_too_many_checkpoints(void **state)
{
    struct ledger *ledger = ledger_create(4, 4, NULL, 2, NULL);
    struct record record = {.stops_in_second = true, .most_bytes = 4};
    struct fake fake = {.seconds = 0.3, .saves = true};
    enum master_end end;

    (void)state;
    assert_int_equal(play(&record, ledger, &fake, 0.1, &end, NULL), 0);
    assert_int_equal(end, MASTER_STOPPED);
    assert_int_equal(record.n_checkpoints, 0);
    assert_int_equal(ledger_counts(ledger).pending, 3);
    finish(&record, ledger);
}

static void test_stop_before_the_start(void **state)
{
    struct ledger *ledger = ledger_create(10, 10, NULL, 2, NULL);
    struct record record = {.stop = 1};
    struct fake fake = {0};
    enum master_end end;

    (void)state;
    assert_int_equal(play(&record, ledger, &fake, 0.5, &end, NULL), 0);
    assert_int_equal(end, MASTER_STOPPED);
    assert_int_equal(record.n_results, 0);
    assert_int_equal(record.n_commits, 0);
    finish(&record, ledger);
}

/* Trials take 0.3 s. Return the number of results. */
static int64_t results_of_stop(double grace_s, bool hurry)
{
    struct ledger *ledger = ledger_create(4, 4, NULL, 2, NULL);
    struct record record = {.stop_at = 1, .grace_s = grace_s, .hurry = hurry};
    struct fake fake = {.seconds = 0.3};
    enum master_end end;

    assert_int_equal(play(&record, ledger, &fake, 0.1, &end, NULL), 0);
    assert_int_equal(end, MASTER_STOPPED);
    assert_int_equal(record.uncommitted, 0);
    assert_int_equal(ledger_counts(ledger).pending, 4 - record.n_results);
    finish(&record, ledger);
    return record.n_results;
}

/* With grace, the running trial finishes; without, it does not; in a hurry, no result is recorded.
 * A machine busy for tenths of a second may give one result more or less: try again. */
static void expect_results(double grace_s, bool hurry, int64_t results)
{
    int64_t n = -1;

    for (int i = 0; i < 8 && n != results; i++)
        n = results_of_stop(grace_s, hurry);
    assert_int_equal(n, results);
}

static void test_grace(void **state)
{
    (void)state;
    expect_results(0, false, 1);
    expect_results(5, false, 2);
    expect_results(5, true, 0);
}

static void test_time_limit(void **state)
{
    struct ledger *ledger = ledger_create(40, 40, NULL, 2, NULL);
    struct record record = {.limit_s = 1};
    struct fake fake = {.seconds = 0.2};
    double from_s = clock_now(&clock_system);
    enum master_end end;

    (void)state;
    assert_int_equal(play(&record, ledger, &fake, 0.1, &end, NULL), 0);
    assert_int_equal(end, MASTER_TIME_UP);
    assert_true(clock_now(&clock_system) - from_s < 1.1);
    assert_true(record.n_results >= 1 && record.n_results <= 5);
    assert_int_equal(ledger_counts(ledger).pending, 40 - record.n_results);
    finish(&record, ledger);
}

static void test_running(void **state)
{
    struct ledger *ledger = ledger_create(3, 3, NULL, 2, NULL);
    struct record record = {0};
    struct fake fake = {.seconds = 0.3};
    enum master_end end;

    (void)state;
    assert_int_equal(play(&record, ledger, &fake, 0.1, &end, NULL), 0);
    assert_int_equal(record.n_results, 3);
    assert_int_equal(record.n_running, 3);
    finish(&record, ledger);
}

static void test_sink_faults(void **state)
{
    struct fake fake = {.seconds = 0.002};
    enum master_end end;

    (void)state;
    for (int which = 0; which < 2; which++) {
        struct ledger *ledger = ledger_create(5000, 5000, NULL, 2, NULL);
        struct record record = {.fail_result_at = which ? 0 : 7, .fail_commit_at = which ? 2 : 0};
        struct err err = {""};

        assert_int_equal(play(&record, ledger, &fake, 0.02, &end, &err), -1);
        assert_string_equal(err.text, which ? "no space left" : "disk full");
        assert_true(which ? record.n_commits == 2 : record.n_results == 7);
        assert_true(record.n_results < 100);
        finish(&record, ledger);
    }
}

/* The only rank leaves by itself: the rest stays pending, and nothing is lost. */
static void test_unable(void **state)
{
    struct ledger *ledger = ledger_create(100, 100, NULL, 2, NULL);
    struct record record = {0};
    struct fake fake = {.unable_at = 41};
    struct ledger_counts counts;
    enum master_end end;

    (void)state;
    assert_int_equal(play(&record, ledger, &fake, 0.5, &end, NULL), 0);
    assert_int_equal(end, MASTER_UNABLE);
    assert_int_equal(record.n_unable, 1);
    assert_int_equal(fake.n_begun, 41);
    assert_int_equal(record.uncommitted, 0);
    counts = ledger_counts(ledger);
    assert_int_equal(counts.done, 40);
    assert_int_equal(counts.pending, 60);
    finish(&record, ledger);
}

static void test_nothing_to_do(void **state)
{
    struct ledger *ledger = ledger_create(3, 3, NULL, 2, NULL);
    struct record record = {0};
    struct fake fake = {0};
    enum master_end end;

    (void)state;
    for (int64_t i = 0; i < 3; i++)
        ledger_mark(ledger, i, TRIAL_DONE);
    assert_int_equal(play(&record, ledger, &fake, 0.5, &end, NULL), 0);
    assert_int_equal(end, MASTER_FINISHED);
    assert_int_equal(record.n_results, 0);
    assert_int_equal(record.n_commits, 0);
    finish(&record, ledger);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_once),
        cmocka_unit_test(test_commits_in_time),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_stop_with_a_checkpoint),
        cmocka_unit_test(test_too_many_checkpoints),
        cmocka_unit_test(test_stop_before_the_start),
        cmocka_unit_test(test_sink_faults),
        cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_unable),
        cmocka_unit_test(test_grace),
        cmocka_unit_test(test_time_limit),
        cmocka_unit_test(test_running),
    };

    return cmocka_run_group_tests_name("master", tests, NULL, NULL);
}
