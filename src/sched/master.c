/* Seat 0 is rank 0's worker thread, seat r is rank r. The scheduler keeps every seat supplied
 * without being asked (sched/dispatch.h says with what), and ends when all have left. Any fault is
 * kept and the workers are stopped; the run goes on until they have left, and only then returns
 * it. Nothing here takes time in proportion to the seats but the beginning and the end. */
#include "sched/master.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sched/channel.h"
#include "sched/message.h"
#include "sched/worker.h"

#define PROGRESS_S 0.1

struct master {
    struct dispatch *dispatch;
    const struct ledger *ledger; /* of dispatch */
    struct world world;
    struct runner runner;
    struct master_sink sink;
    struct master_options options;
    const struct clock *clock;

    struct mailbox inbox, outbox; /* from and to the worker thread */
    struct backoff backoff;
    bool *has_left; /* [world.size] */
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
    return seat ? world_send(&master->world, seat, &master->out, err)
                : mailbox_put(&master->outbox, &master->out, err);
}

static int supply(struct master *master, int32_t seat, struct err *err)
{
    int64_t trials[DISPATCH_MAX];
    int32_t n;

    if (master->is_stopping || master->has_left[seat])
        return 0;
    n = dispatch_assign(master->dispatch, seat, INFINITY, trials, err);
    if (n <= 0)
        return n;
    message_begin(&master->out, MESSAGE_ASSIGN);
    message_put_trials(&master->out, trials, (uint32_t)n);
    return post(master, seat, err);
}

/* Workers that hold nothing: at the start all. */
static int supply_idle(struct master *master, struct err *err)
{
    int32_t seat;

    while (!master->is_stopping && (seat = dispatch_idle(master->dispatch)) >= 0)
        if (supply(master, seat, err))
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
    for (int32_t seat = 0; seat < master->world.size; seat++)
        if (!master->has_left[seat] && post(master, seat, err))
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
    return master->sink.commit(master->sink.arg, err);
}

static int hand_on(struct master *master, const struct trial_result *r, struct err *err)
{
    if (master->has_failed)
        return 0;
    if (!master->n_uncommitted)
        master->uncommitted_s = clock_now(master->clock);
    master->n_uncommitted++;
    master->finished++;
    if (master->sink.result(master->sink.arg, r, err))
        return -1;
    return master->n_uncommitted >= master->options.commit_results ? commit(master, err) : 0;
}

static void show_progress(struct master *master, double now_s)
{
    struct master_progress progress = {
        .counts = ledger_counts(master->ledger),
        .n_workers = master->world.size,
        .n_busy = dispatch_n_busy(master->dispatch),
        .elapsed_s = now_s - master->began_s,
        .left_s = dispatch_left_s(master->dispatch),
        .finished = master->finished,
    };

    master->progress_s = now_s;
    master->sink.progress(master->sink.arg, &progress);
}

/* ---- from the workers ---- */

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

/* What the next trial of its configuration will take: the graph is there by then. */
static double busy_seconds(const struct trial_result *r)
{
    return r->seconds - r->timing[PHASE_LOAD];
}

static int accept_result(struct master *master, int32_t from, struct trial_result *r,
                         struct err *err)
{
    r->predicted = dispatch_predicted(master->dispatch, r->trial);
    if (dispatch_finish(master->dispatch, from, r->trial, r->state, busy_seconds(r)) !=
        LEDGER_ACCEPTED)
        return 0;
    return hand_on(master, r, err);
}

static int take_result(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    struct trial_result r;
    int rc = 0;

    if (trial_result_unpack(&r, in)) {
        err_set(err, "message of %zu bytes: no result ends at byte %zu", in->size, in->at);
        return blame(from, err);
    }
    if (check_result(master, &r, err))
        rc = blame(from, err);
    else
        rc = accept_result(master, from, &r, err);
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

static int take_back(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    int64_t n = message_count_trials(in, err);

    if (n < 0)
        return blame(from, err);
    for (int64_t i = 0; i < n; i++)
        dispatch_give_back(master->dispatch, from, cursor_i64(in));
    return supply_idle(master, err);
}

static void leave(struct master *master, int32_t seat)
{
    master->has_left[seat] = true;
    master->n_left++;
    dispatch_leave(master->dispatch, seat);
}

static int take_leave(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    char text[sizeof err->text];

    leave(master, from);
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
        due_s = fmin(due_s, master->uncommitted_s + master->options.commit_s);
    return fmin(fmax(due_s - now_s, 0), PROGRESS_S);
}

/* The next message, or none after a while. The other ranks come first: they are many. Sleeping on
 * the inbox lets the worker thread wake us at once. */
static int next_message(struct master *master, int32_t *from, struct err *err)
{
    bool is_alone = master->world.size == 1;
    double sleep_s;
    int got = is_alone ? 0 : world_receive(&master->world, from, &master->in, err);

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
    if (master->n_uncommitted && now_s - master->uncommitted_s >= master->options.commit_s &&
        commit(master, err))
        return -1;
    if (*master->options.stop || ledger_is_finished(master->ledger))
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
    while (master->n_left < master->world.size) {
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

static int serve_with_thread(struct master *master)
{
    struct thread thread = {
        .pair = {.out = &master->inbox, .in = &master->outbox},
        .runner = &master->runner,
        .clock = master->clock,
    };
    int code = pthread_create(&thread.id, NULL, run_thread, &thread);
    struct err err;
    int rc;

    if (code) {
        leave(master, 0);
        err_set(&err, "thread of the worker: %s", strerror(code));
        fail(master, &err);
    }
    rc = serve(master);
    if (!code)
        pthread_join(thread.id, NULL);
    return rc;
}

/* ---- life ---- */

static int init_mailboxes(struct master *master, struct err *err)
{
    if (mailbox_init(&master->inbox, err))
        return -1;
    if (!mailbox_init(&master->outbox, err))
        return 0;
    mailbox_release(&master->inbox);
    return -1;
}

struct master *master_create(const struct master_parts *parts, struct err *err)
{
    struct master *master = calloc(1, sizeof *master);
    size_t n = (size_t)parts->world->size;

    if (master)
        master->has_left = calloc(n, sizeof *master->has_left);
    if (!master || !master->has_left) {
        free(master);
        err_nomem(err, "workers", n * sizeof(bool));
        return NULL;
    }
    master->dispatch = parts->dispatch;
    master->ledger = dispatch_ledger(parts->dispatch);
    master->world = *parts->world;
    master->runner = *parts->runner;
    master->sink = *parts->sink;
    master->options = *parts->options;
    master->clock = parts->clock;
    if (!init_mailboxes(master, err))
        return master;
    free(master->has_left);
    free(master);
    return NULL;
}

void master_destroy(struct master *master)
{
    if (!master)
        return;
    mailbox_release(&master->inbox);
    mailbox_release(&master->outbox);
    free(master->has_left);
    buf_release(&master->in);
    buf_release(&master->out);
    free(master);
}

int master_run(enum master_end *end, struct master *master, struct err *err)
{
    master->began_s = clock_now(master->clock);
    master->progress_s = master->began_s - PROGRESS_S;
    serve_with_thread(master);
    *end = ledger_is_finished(master->ledger) ? MASTER_FINISHED : MASTER_STOPPED;
    if (master->has_failed && err)
        *err = master->err;
    return master->has_failed ? -1 : 0;
}
