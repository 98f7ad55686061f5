/* Seat 0 is rank 0's worker thread, seat r is rank r. The scheduler keeps every seat supplied
 * without being asked (sched/dispatch.h says with what), and ends when all have left or are lost.
 * Any fault is kept and the workers are stopped; the run goes on until they have left, and only
 * then returns it. Nothing here takes time in proportion to the seats but the beginning, the end,
 * and what is done a few times a second. */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sched/master_own.h"
#include "sched/worker.h"

#define PROGRESS_S 0.1
/* Between two looks at which ranks live. */
#define WATCH_S 0.25

/* Keep the first fault and stop everybody. What comes after it is not handed on. */
static void fail(struct master *master, const struct err *err)
{
    struct err ignored;

    if (!master->has_failed)
        master->err = *err;
    master->has_failed = true;
    master->n_uncommitted = 0;
    master_stop_workers(master, MASTER_STOPPED, clock_now(master->clock), &ignored);
}

static void show_progress(struct master *master, double now_s)
{
    struct master_progress progress = {
        .counts = ledger_counts(master->ledger),
        .n_workers = master->world.size - master->seats.n_lost,
        .n_busy = dispatch_n_busy(master->dispatch),
        .elapsed_s = now_s - master->began_s,
        .left_s = dispatch_left_s(master->dispatch),
        .finished = master->finished,
    };

    master->progress_s = now_s;
    master->sink.progress(master->sink.arg, &progress);
}

/* ---- the loop ---- */

/* Seconds until something is due that no message announces. */
static double time_left(const struct master *master)
{
    double now_s = clock_now(master->clock), since_s;
    double due_s = master->progress_s + PROGRESS_S;

    if (master_is_uncommitted(master, &since_s))
        due_s = fmin(due_s, since_s + master->options.commit_s);
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

static bool is_set(const volatile sig_atomic_t *flag)
{
    return flag && *flag;
}

/* The sink may have something more to be run. */
static int finish(struct master *master, double now_s, struct err *err)
{
    bool is_asked = master->is_stopping || master->has_failed || !master->sink.finished;

    if (!is_asked && master->sink.finished(master->sink.arg, err))
        return -1;
    return ledger_is_finished(master->ledger)
               ? master_stop_workers(master, MASTER_FINISHED, now_s, err)
               : 0;
}

/* Whether it is over, or nothing that is left could be over in time. */
static int end_in_time(struct master *master, double now_s, struct err *err)
{
    double until_s = master->options.until_s;

    if (ledger_is_finished(master->ledger))
        return finish(master, now_s, err);
    if (is_set(master->options.hurry))
        return master_stop_workers(master, MASTER_STOPPED, now_s, err);
    if (is_set(master->options.stop))
        return master_stop_workers(master, MASTER_STOPPED,
                                   fmin(now_s + master->options.grace_s, until_s), err);
    if (now_s >= until_s || (!ledger_counts(master->ledger).leased &&
                             !dispatch_can_begin(master->dispatch, until_s - now_s)))
        return master_stop_workers(master, MASTER_TIME_UP, now_s, err);
    return 0;
}

/* Who is gone is noticed with nothing left to read, since its last messages count. */
static bool is_watch_due(const struct master *master, bool is_quiet, double now_s)
{
    return now_s - master->watch_s >= (is_quiet ? WATCH_S : 4 * WATCH_S);
}

static int do_what_is_due(struct master *master, bool is_quiet, struct err *err)
{
    double now_s = clock_now(master->clock), since_s;

    /* A slow disk, or a stopped process. */
    if (now_s - master->turn_s > SEAT_STALL_S)
        seats_discount(&master->seats, now_s - master->turn_s);
    master->turn_s = now_s;

    if (now_s - master->progress_s >= PROGRESS_S)
        show_progress(master, now_s);
    if (master_is_uncommitted(master, &since_s) && now_s - since_s >= master->options.commit_s &&
        master_commit(master, err))
        return -1;
    if (is_watch_due(master, is_quiet, now_s) && master_watch(master, now_s, err))
        return -1;
    if (end_in_time(master, now_s, err))
        return -1;
    return master_supply_idle(master, err);
}

/* Until all have left or are lost. -1 only when they can no longer be heard. */
static int serve(struct master *master)
{
    struct err err = {""};
    int32_t from;

    FAULT("scheduler: before it serves");
    if (do_what_is_due(master, true, &err))
        fail(master, &err);
    while (master->seats.n_left + master->seats.n_lost < master->world.size) {
        int got = next_message(master, &from, &err);

        if (got < 0) {
            fail(master, &err);
            return -1;
        }
        if (got && master_handle(master, from, &err))
            fail(master, &err);
        if (do_what_is_due(master, !got, &err))
            fail(master, &err);
    }
    if (master_commit(master, &err))
        fail(master, &err);
    FAULT("scheduler: before all are told bye");
    master_say_bye(master);
    FAULT("scheduler: all were told bye");
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
        master_take_leave(master, 0);
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

    if (!master) {
        err_nomem(err, "scheduler", sizeof *master);
        return NULL;
    }
    if (seats_init(&master->seats, parts->world, clock_now(parts->clock), err)) {
        free(master);
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
    seats_release(&master->seats);
    free(master);
    return NULL;
}

void master_destroy(struct master *master)
{
    if (!master)
        return;
    mailbox_release(&master->inbox);
    mailbox_release(&master->outbox);
    seats_release(&master->seats);
    buf_release(&master->in);
    buf_release(&master->out);
    free(master);
}

int master_run(enum master_end *end, struct master *master, struct err *err)
{
    master->began_s = clock_now(master->clock);
    master->progress_s = master->began_s - PROGRESS_S;
    master->watch_s = master->turn_s = master->began_s;
    serve_with_thread(master);
    *end = ledger_is_finished(master->ledger) ? MASTER_FINISHED : master->end;
    if (master->has_failed && err)
        *err = master->err;
    return master->has_failed ? -1 : 0;
}
