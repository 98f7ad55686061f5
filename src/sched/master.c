/* One seat for each worker: rank 0's thread has seat 0, rank r has seat r. The scheduler keeps
 * every seat supplied without being asked, sees from the results how fast each one is, and ends
 * when all of them have left. Any fault is kept and the workers are stopped; the run goes on until
 * they have left, and only then returns it. */
#include "sched/master.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sched/channel.h"
#include "sched/message.h"
#include "sched/worker.h"

/* What lies ready at a worker beside its running trial: so many seconds' worth, rounded up. With
 * nothing ready a trial of 0.25 s on another rank waited 5 to 7 ms (both ends sleep between looks,
 * and rank 0 trains on the core that schedules). From half a second on that is little more than one
 * percent, and trials go out one by one: none lies idle behind a long one as the sweep ends. */
#define AHEAD_S 0.1
#define ALONE_S 0.5
#define MAX_AHEAD 256 /* an assignment stays below Open MPI's 4 KiB eager limit */
#define PROGRESS_S 0.1

struct seat {
    double trial_s; /* recent mean of a trial; negative: none finished yet */
    bool has_left;
};

struct master {
    struct ledger *ledger;
    const struct world *world;
    const struct master_sink *sink;
    const struct master_options *options;
    const struct clock *clock;

    struct mailbox inbox, outbox; /* from and to the worker thread */
    struct backoff backoff;
    struct seat *seats; /* [world->size] */
    int32_t n_left;
    struct buf in, out;

    double began_s, progress_s;
    double uncommitted_s; /* when the first of them came */
    int32_t n_uncommitted;
    int64_t finished;
    bool is_stopping;
    bool has_failed;
    struct err err; /* the first fault */
};

/* ---- to the workers ---- */

static int post(struct master *master, int32_t seat, struct err *err)
{
    if (buf_failed(&master->out))
        return err_nomem(err, "message", master->out.size);
    return seat ? world_send(master->world, seat, &master->out, err)
                : mailbox_put(&master->outbox, &master->out, err);
}

/* Trials the worker should hold: the one it runs and a short time's worth, but never more than
 * its share of half of what is left, which grows small towards the end.
 * Source: guided self-scheduling, Polychronopoulos & Kuck 1987, IEEE Trans Comput C-36:1425. */
static int64_t wanted(const struct master *master, int32_t seat)
{
    int64_t share = ledger_counts(master->ledger).pending / (2 * (int64_t)master->world->size);
    double trial_s = master->seats[seat].trial_s;
    int64_t ahead = 1;

    if (trial_s >= ALONE_S)
        return 1;
    if (trial_s >= 0)
        ahead = (int64_t)fmin(ceil(AHEAD_S / fmax(trial_s, 1e-9)), MAX_AHEAD);
    return 1 + (ahead < share ? ahead : share);
}

static int supply(struct master *master, int32_t seat, struct err *err)
{
    int64_t trials[MAX_AHEAD + 1];
    int64_t lack = wanted(master, seat) - ledger_held(master->ledger, seat);
    int32_t n;

    if (lack <= 0 || master->is_stopping || master->seats[seat].has_left)
        return 0;
    n = ledger_lease(master->ledger, seat, (int32_t)lack, trials, err);
    if (n <= 0)
        return n;
    message_begin(&master->out, MESSAGE_ASSIGN);
    message_put_trials(&master->out, trials, (uint32_t)n);
    return post(master, seat, err);
}

/* Workers that hold nothing, or at the start all. */
static int supply_idle(struct master *master, struct err *err)
{
    for (int32_t seat = 0; seat < master->world->size; seat++)
        if (!ledger_held(master->ledger, seat) && supply(master, seat, err))
            return -1;
    return 0;
}

/* Everybody is told, even after one could not be. */
static int stop_workers(struct master *master, struct err *err)
{
    int rc = 0;

    if (master->is_stopping)
        return 0;
    master->is_stopping = true;
    message_begin(&master->out, MESSAGE_STOP);
    for (int32_t seat = 0; seat < master->world->size; seat++)
        if (!master->seats[seat].has_left && post(master, seat, err))
            rc = -1;
    return rc;
}

/* Keep the first fault and stop everybody. What comes after it is not handed on. */
static void fail(struct master *master, const struct err *err)
{
    struct err ignored;

    if (!master->has_failed)
        master->err = *err;
    master->has_failed = true;
    master->n_uncommitted = 0;
    stop_workers(master, &ignored);
}

/* ---- to the sink ---- */

static int commit(struct master *master, struct err *err)
{
    if (!master->n_uncommitted)
        return 0;
    master->n_uncommitted = 0;
    return master->sink->commit(master->sink->arg, err);
}

static int hand_on(struct master *master, const struct trial_result *r, struct err *err)
{
    if (master->has_failed)
        return 0;
    if (!master->n_uncommitted)
        master->uncommitted_s = clock_now(master->clock);
    master->n_uncommitted++;
    master->finished++;
    if (master->sink->result(master->sink->arg, r, err))
        return -1;
    return master->n_uncommitted >= master->options->commit_results ? commit(master, err) : 0;
}

static void show_progress(struct master *master, double now_s)
{
    struct master_progress progress = {
        .counts = ledger_counts(master->ledger),
        .n_workers = master->world->size,
        .elapsed_s = now_s - master->began_s,
        .finished = master->finished,
    };

    for (int32_t seat = 0; seat < master->world->size; seat++)
        progress.n_busy += ledger_held(master->ledger, seat) > 0;
    master->progress_s = now_s;
    master->sink->progress(master->sink->arg, &progress);
}

/* ---- from the workers ---- */

static void learn_speed(struct seat *seat, double trial_s)
{
    seat->trial_s = seat->trial_s < 0 ? trial_s : 0.75 * seat->trial_s + 0.25 * trial_s;
}

/* A message of another rank that cannot be used: it says whose. */
static int blame(int32_t from, struct err *err)
{
    return err_wrap(err, "rank %d", from);
}

static int check_result(const struct master *master, const struct trial_result *r, struct err *err)
{
    int64_t n = ledger_counts(master->ledger).total;

    if (r->trial < 0 || r->trial >= n)
        return err_set(err, "result of trial %ld: must be in [0, %ld)", (long)r->trial, (long)n);
    if (r->state == TRIAL_PENDING || r->state == TRIAL_RUNNING)
        return err_set(err, "result of trial %ld is %s: must be done, diverged or failed",
                       (long)r->trial, trial_state_name(r->state));
    return 0;
}

static int take_result(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    struct trial_result r;
    int rc = 0;

    if (trial_result_unpack(&r, in)) {
        err_set(err, "message of %zu bytes: no result ends at byte %zu", in->size, in->at);
        return blame(from, err);
    }
    learn_speed(&master->seats[from], r.seconds);
    if (check_result(master, &r, err))
        rc = blame(from, err);
    else if (ledger_finish(master->ledger, r.trial, r.state) == LEDGER_ACCEPTED)
        rc = hand_on(master, &r, err);
    trial_result_release(&r);
    return rc;
}

static int take_results(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    while (in->at < in->size)
        if (take_result(master, from, in, err))
            return -1;
    return supply(master, from, err);
}

/* Its running trial is longer than the others were: from now on, one by one. */
static int take_back(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    int64_t n = message_count_trials(in, err);

    if (n < 0)
        return blame(from, err);
    for (int64_t i = 0; i < n; i++)
        ledger_give_back(master->ledger, cursor_i64(in));
    master->seats[from].trial_s = fmax(master->seats[from].trial_s, ALONE_S);
    return supply_idle(master, err);
}

static int take_leave(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    char text[sizeof err->text];

    master->seats[from].has_left = true;
    master->n_left++;
    cursor_text(in, text, sizeof text);
    if (!*text)
        return 0;
    err_set(err, "%s", text);
    return blame(from, err);
}

static int handle(struct master *master, int32_t from, struct err *err)
{
    struct cursor in;
    enum message_kind kind;

    if (message_open(&in, &kind, &master->in, err))
        return blame(from, err);
    switch (kind) {
    case MESSAGE_RESULTS:
        return take_results(master, from, &in, err);
    case MESSAGE_GIVE_BACK:
        return take_back(master, from, &in, err);
    case MESSAGE_LEAVE:
        return take_leave(master, from, &in, err);
    default:
        err_set(err, "message of kind %d is not for the scheduler", kind);
        return blame(from, err);
    }
}

/* ---- the loop ---- */

/* Seconds until something is due that no message announces. */
static double time_left(const struct master *master)
{
    double now_s = clock_now(master->clock);
    double due_s = master->progress_s + PROGRESS_S;

    if (master->n_uncommitted)
        due_s = fmin(due_s, master->uncommitted_s + master->options->commit_s);
    return fmin(fmax(due_s - now_s, 0), PROGRESS_S);
}

/* The next message, or none after a while. The other ranks come first: they are many. Sleeping on
 * the inbox lets the worker thread wake us at once. */
static int next_message(struct master *master, int32_t *from, struct err *err)
{
    bool is_alone = master->world->size == 1;
    double sleep_s;
    int got = is_alone ? 0 : world_receive(master->world, from, &master->in, err);

    if (!got) {
        *from = 0;
        got = mailbox_take(&master->inbox, &master->in, 0);
    }
    if (!got) {
        sleep_s = time_left(master);
        if (!is_alone)
            sleep_s = fmin(sleep_s, backoff_next(&master->backoff));
        got = mailbox_take(&master->inbox, &master->in, sleep_s);
    }
    if (got)
        backoff_reset(&master->backoff);
    return got;
}

static int do_what_is_due(struct master *master, struct err *err)
{
    double now_s = clock_now(master->clock);

    if (now_s - master->progress_s >= PROGRESS_S)
        show_progress(master, now_s);
    if (master->n_uncommitted && now_s - master->uncommitted_s >= master->options->commit_s &&
        commit(master, err))
        return -1;
    if (*master->options->stop || ledger_is_finished(master->ledger))
        return stop_workers(master, err);
    return 0;
}

/* Until all have left. -1 only when they can no longer be heard. */
static int serve(struct master *master)
{
    struct err err = {""};
    int32_t from;

    if (do_what_is_due(master, &err) || supply_idle(master, &err))
        fail(master, &err);
    while (master->n_left < master->world->size) {
        int got = next_message(master, &from, &err);

        if (got < 0) {
            fail(master, &err);
            return -1;
        }
        if (got && handle(master, from, &err))
            fail(master, &err);
        if (do_what_is_due(master, &err))
            fail(master, &err);
    }
    if (commit(master, &err))
        fail(master, &err);
    show_progress(master, clock_now(master->clock));
    return 0;
}

/* ---- the worker thread ---- */

struct thread {
    pthread_t id;
    struct mailbox_pair pair;
    const struct runner *runner;
    const struct clock *clock;
};

static void *run_thread(void *arg)
{
    const struct thread *thread = arg;
    struct channel channel = channel_of_mailboxes(&thread->pair);

    worker_run(&channel, thread->runner, 0, thread->clock, NULL);
    return NULL;
}

static int serve_with_thread(struct master *master, const struct runner *runner)
{
    struct thread thread = {
        .pair = {.out = &master->inbox, .in = &master->outbox},
        .runner = runner,
        .clock = master->clock,
    };
    int code = pthread_create(&thread.id, NULL, run_thread, &thread);
    struct err err;
    int rc;

    if (code) {
        master->seats[0].has_left = true;
        master->n_left++;
        err_set(&err, "thread of the worker: %s", strerror(code));
        fail(master, &err);
    }
    rc = serve(master);
    if (!code)
        pthread_join(thread.id, NULL);
    return rc;
}

/* ---- setting up ---- */

static void master_release(struct master *master)
{
    mailbox_release(&master->inbox);
    mailbox_release(&master->outbox);
    free(master->seats);
    buf_release(&master->in);
    buf_release(&master->out);
}

static int master_init(struct master *master, struct err *err)
{
    size_t n = (size_t)master->world->size;

    master->seats = calloc(n, sizeof *master->seats);
    if (!master->seats)
        return err_nomem(err, "workers", n * sizeof *master->seats);
    for (size_t i = 0; i < n; i++)
        master->seats[i].trial_s = -1;
    master->began_s = clock_now(master->clock);
    master->progress_s = master->began_s - PROGRESS_S;
    if (mailbox_init(&master->inbox, err)) {
        free(master->seats);
        return -1;
    }
    if (mailbox_init(&master->outbox, err)) {
        mailbox_release(&master->inbox);
        free(master->seats);
        return -1;
    }
    return 0;
}

int master_run(enum master_end *end, struct ledger *ledger, const struct world *world,
               const struct runner *runner, const struct master_sink *sink,
               const struct master_options *options, const struct clock *clock, struct err *err)
{
    struct master master = {
        .ledger = ledger, .world = world, .sink = sink, .options = options, .clock = clock};

    if (master_init(&master, err))
        return -1;
    serve_with_thread(&master, runner);
    *end = ledger_is_finished(ledger) ? MASTER_FINISHED : MASTER_STOPPED;
    if (master.has_failed && err)
        *err = master.err;
    master_release(&master);
    return master.has_failed ? -1 : 0;
}
