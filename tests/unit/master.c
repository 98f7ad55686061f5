/* SPDX-License-Identifier: BSD-3-Clause */
/* Scheduler and worker thread in one process: which events reach the sink, and when. */
#include <math.h>
#include <unistd.h>

#include "sched/master.h"
#include "unit.h"

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
    bool stops_in_second;    /* stop when a trial after the first result is running */
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
        record->stop = STOP_SOON;
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
        record->stop = STOP_SOON;
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

static struct record seen;
static struct fake trials;
static struct ledger *ledger;
static enum master_end end;

static void begin(int64_t n)
{
    seen = (struct record){.times = calloc((size_t)n + 1, sizeof(int))};
    trials = (struct fake){0};
    ledger = ledger_create(n, n ? n : 1, NULL, 2, NULL);
}

static void finish(void)
{
    free(seen.times);
    ledger_destroy(ledger);
}

static int play(double commit_s, struct err *err)
{
    struct runner runner = {.run = run_fake, .unable = unable_fake, .self = &trials};
    struct master_sink sink = {.result = on_result,
                               .running = on_running,
                               .lost = on_lost,
                               .checkpoint = on_checkpoint,
                               .resume = on_resume,
                               .back = on_back,
                               .unable = on_unable,
                               .commit = on_commit,
                               .progress = on_progress,
                               .arg = &seen};
    struct master_options options = {
        .commit_s = commit_s,
        .commit_results = 1000,
        .stop = &seen.stop,
        .grace_s = seen.grace_s,
        .checkpoint_bytes = seen.most_bytes,
        .until_s = seen.limit_s ? clock_now(&clock_system) + seen.limit_s : (double)INFINITY,
        .silence_s = 30};
    const struct gcn_cost nothing = {0};
    struct cost *cost = cost_create(&nothing, 1, 1, NULL);
    struct dispatch *dispatch = dispatch_create(ledger, cost, 1, NULL, false, NULL, NULL);
    struct master_parts parts = {dispatch, &alone, &runner, &sink, &options, &clock_system};
    struct master *master = master_create(&parts, err);
    int rc;

    assert_non_null(master);
    if (seen.resumes)
        dispatch_resume(dispatch, seen.resumes, 0.5);
    rc = master_run(&end, master, err);
    assert_int_equal(ledger_check(ledger, NULL), 0);
    master_destroy(master);
    dispatch_destroy(dispatch);
    cost_destroy(cost);
    return rc;
}

/* It ends this way, with everything committed. */
static void expect_end(double commit_s, enum master_end wanted)
{
    struct ledger_counts counts;

    assert_int_equal(play(commit_s, NULL), 0);
    assert_int_equal(end, wanted);
    assert_int_equal(seen.uncommitted, 0);
    counts = ledger_counts(ledger);
    assert_int_equal(counts.leased, 0);
    if (wanted != MASTER_FINISHED)
        assert_int_equal(counts.pending, counts.total - seen.n_results);
}

static void test_each_once(void **state)
{
    (void)state;
    begin(30000);
    trials.is_moody = true;
    ledger_mark(ledger, 17, TRIAL_DONE);
    expect_end(0.5, MASTER_FINISHED);
    for (int i = 0; i < 30000; i++)
        assert_int_equal(seen.times[i], i != 17);
    assert_true(seen.most_uncommitted <= 1000);
    assert_true(seen.n_commits >= 30);
    assert_int_equal(seen.last.finished, 29999);
    assert_int_equal(seen.last.counts.diverged, 10000);
    assert_int_equal(seen.last.counts.failed, 9999); /* 17 would have failed */
    assert_int_equal(seen.last.n_busy, 0);
    finish();
}

/* Trials of 10 ms for half a second, with a commit every 50 ms and progress every 100 ms. */
static void test_commits_in_time(void **state)
{
    (void)state;
    begin(50);
    trials.seconds = 0.01;
    expect_end(0.05, MASTER_FINISHED);
    assert_int_equal(seen.n_results, 50);
    assert_true(seen.n_commits >= 4 && seen.n_commits < 50);
    assert_true(seen.latest_s < 0.5);
    assert_true(seen.n_progress >= 4);
    finish();
}

static void test_stop(void **state)
{
    (void)state;
    begin(40);
    trials.seconds = 0.02;
    seen.stop_at = 5;
    expect_end(0.5, MASTER_STOPPED);
    assert_true(seen.n_results >= 5 && seen.n_results < 10);
    assert_int_equal(ledger_counts(ledger).done, seen.n_results);
    finish();
}

/* It goes on from there in the next run, unless the checkpoint was too large to be kept. */
static void stop_in_second(size_t most_bytes)
{
    begin(4);
    seen.stops_in_second = true;
    seen.most_bytes = most_bytes;
    trials = (struct fake){.seconds = 0.3, .saves = true};
    expect_end(0.1, MASTER_STOPPED);
    assert_int_equal(seen.n_results, 1);
    assert_int_equal(seen.n_checkpoints, most_bytes >= 5);
}

static void test_checkpoint(void **state)
{
    int64_t trial = 0;
    int *times;

    (void)state;
    stop_in_second(4);
    finish();
    stop_in_second(5);
    while (!seen.has_checkpoint_of[trial])
        trial++;
    assert_int_equal(ledger_state(ledger, trial), TRIAL_PENDING);
    times = seen.times;
    seen = (struct record){.resumes = trial, .times = times};
    trials = (struct fake){.seconds = 0.01};
    expect_end(0.5, MASTER_FINISHED);
    assert_int_equal(seen.n_results, 3);
    assert_int_equal(seen.n_resumed, 1);
    assert_true(seen.most_predicted_s < 1); /* its 10 s were not learnt */
    finish();
}

/* With grace, the running trial finishes; without, it does not; at once, no result is recorded. Trials
 * take 0.3 s. A machine busy for tenths of a second may give one result more or less: try again. */
static void expect_results(double grace_s, enum stop_request request, int64_t results)
{
    int64_t n = -1;

    for (int i = 0; i < 8 && n != results; i++) {
        begin(4);
        seen.stop_at = 1;
        seen.grace_s = grace_s;
        seen.stop = request;
        trials.seconds = 0.3;
        expect_end(0.1, MASTER_STOPPED);
        n = seen.n_results;
        finish();
    }
    assert_int_equal(n, results);
}

static void test_grace(void **state)
{
    (void)state;
    expect_results(0, STOP_NONE, 1);
    expect_results(5, STOP_NONE, 2);
    expect_results(0, STOP_SOON, 0);
    expect_results(5, STOP_NOW, 0);
}

static void test_time_limit(void **state)
{
    double from_s = clock_now(&clock_system);

    (void)state;
    begin(40);
    trials.seconds = 0.2;
    seen.limit_s = 1;
    expect_end(0.1, MASTER_TIME_UP);
    assert_true(clock_now(&clock_system) - from_s < 1.1);
    assert_true(seen.n_results >= 1 && seen.n_results <= 5);
    finish();
}

static void test_running(void **state)
{
    (void)state;
    begin(3);
    trials.seconds = 0.3;
    expect_end(0.1, MASTER_FINISHED);
    assert_int_equal(seen.n_results, 3);
    assert_int_equal(seen.n_running, 3);
    finish();
}

static void test_sink_faults(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        struct err err = {""};

        begin(5000);
        trials.seconds = 0.002;
        seen.fail_result_at = which ? 0 : 7;
        seen.fail_commit_at = which ? 2 : 0;
        assert_int_equal(play(0.02, &err), -1);
        assert_string_equal(err.text, which ? "no space left" : "disk full");
        assert_true(which ? seen.n_commits == 2 : seen.n_results == 7);
        assert_true(seen.n_results < 100);
        finish();
    }
}

/* The only rank leaves by itself: the rest stays pending, and nothing is lost. */
static void test_unable(void **state)
{
    (void)state;
    begin(100);
    trials.unable_at = 41;
    expect_end(0.5, MASTER_UNABLE);
    assert_int_equal(seen.n_unable, 1);
    assert_int_equal(trials.n_begun, 41);
    assert_int_equal(ledger_counts(ledger).done, 40);
    finish();
}

static void test_nothing_to_do(void **state)
{
    (void)state;
    begin(3);
    for (int64_t i = 0; i < 3; i++)
        ledger_mark(ledger, i, TRIAL_DONE);
    expect_end(0.5, MASTER_FINISHED);
    assert_int_equal(seen.n_results + seen.n_commits, 0);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_once),   cmocka_unit_test(test_commits_in_time),
        cmocka_unit_test(test_stop),        cmocka_unit_test(test_checkpoint),
        cmocka_unit_test(test_sink_faults), cmocka_unit_test(test_nothing_to_do),
        cmocka_unit_test(test_unable),      cmocka_unit_test(test_grace),
        cmocka_unit_test(test_time_limit),  cmocka_unit_test(test_running),
    };

    return cmocka_run_group_tests_name("master", tests, NULL, NULL);
}
