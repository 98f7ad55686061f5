/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/master.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/fault.h"
#include "sched/mailbox.h"
#include "sched/master_state.h"
#include "sched/message.h"
#include "sched/rank_states.h"
#include "sched/worker.h"

/* The scheduler supplies all ranks without requests and ends when all have left or are lost. After
 * a fault it stops the workers and returns the error when they have left. */

#define PROGRESS_S 0.1
/* seconds between checks of the other ranks */
#define WATCH_S 0.25

static int commit(struct master *master, struct err *err)
{
    return master_sink_commit(&master->delivery, &master->ranks, err);
}

static void take_all_back(struct master *master, int32_t rank)
{
    int64_t trial;

    while (dispatch_blames(master->dispatch, rank, 1, &trial))
        dispatch_give_back(master->dispatch, ledger_lessee(master->ledger, trial), trial);
}

static int take_from(struct master *master, struct master_loss *loss, bool is_doubtful,
                     double started, struct err *err)
{
    int64_t blamed[DISPATCH_MAX], failed[DISPATCH_MAX];
    int32_t n;

    if (is_doubtful) /* its silence is not due to trials it got after it seemed to be back */
        take_all_back(master, loss->rank);
    loss->trials = blamed;
    loss->n_trials = dispatch_blames(master->dispatch, loss->rank, DISPATCH_MAX, blamed);
    n = dispatch_lose(master->dispatch, loss->rank, DISPATCH_MAX, failed);
    return master_sink_loss(&master->delivery, &master->ranks, loss, failed, n, started, err);
}

/* A crash of the gang's trial ends the attempt of its leader; if no one is blamed, this does. */
static int end_for_leader(struct master *master, const struct master_loss *loss, bool is_doubtful,
                          struct err *err)
{
    if (is_doubtful)
        return master_sink_return(&master->delivery, &master->ranks, loss->leader, loss->running,
                                  err);
    rank_states_finish(&master->ranks, loss->leader, loss->running);
    return 0;
}

/* A rank of a gang ends the gang, whose trial its leader reported. */
static int lose(struct master *master, int32_t rank, enum rank_presence presence, const char *why,
                struct err *err)
{
    struct rank_state lost = master->ranks.of[rank];
    struct trial_member *all = NULL;
    struct gang_members members;
    struct master_loss loss = {.rank = rank,
                               .process = rank_states_process(&master->ranks, rank),
                               .is_dead = presence == RANK_DEAD,
                               .running = lost.running,
                               .leader = rank};
    int rc;

    rank_states_set(&master->ranks, rank, presence);
    if (lost.presence != RANK_PRESENT)
        return 0;
    if (gang_members_init(&members, master, rank, err))
        return -1;
    rc = members.n ? rank_states_members(&all, &master->ranks, members.of, members.n, err) : 0;
    if (!rc && members.n && members.of[0] != rank) {
        loss.leader = members.of[0];
        loss.running = master->ranks.of[loss.leader].running;
        lost.started = master->ranks.of[loss.leader].started;
        rc = end_for_leader(master, &loss, lost.is_doubtful, err);
    }
    loss.leader_process = rank_states_process(&master->ranks, loss.leader);
    loss.members = all;
    loss.n_members = members.n;
    snprintf(loss.why, sizeof loss.why, "%s", why);
    if (loss.leader == rank)
        snprintf(loss.reason, sizeof loss.reason, "%s", why);
    else
        snprintf(loss.reason, sizeof loss.reason, "rank %d on %s: %s", (int)rank,
                 loss.process->host, why);
    if (!rc)
        rc = take_from(master, &loss, lost.is_doubtful, lost.started, err);
    if (!rc)
        rc = gang_members_end(master, &members, err);
    gang_members_release(&members);
    free(all);
    return rc;
}

/* ---- to the workers ---- */

int64_t master_id(const struct master *master, int64_t trial)
{
    const struct master_sink *sink = &master->delivery.sink;

    return sink->id ? sink->id(sink->arg, trial) : 0;
}

int master_post(struct master *master, int32_t rank, struct err *err)
{
    struct err why;

    if (buf_failed(&master->out))
        return err_nomem(err, "message", master->out.size);
    if (!rank)
        return mailbox_put(&master->outbox, &master->out, err);
    master->ranks.of[rank].told_s = clock_now(master->clock);
    if (!traffic_send(&master->delivery.meter, &master->world, rank, &master->out, &why))
        return 0;
    return lose(master, rank, RANK_SILENT, why.text, err);
}

static int supply(struct master *master, int32_t rank, struct err *err)
{
    double left_s = master->options.until_s - clock_now(master->clock);
    int64_t trials[DISPATCH_MAX];
    int32_t n;

    if (master_supply_gangs(master, err))
        return -1;
    if (master->is_stopping || master->ranks.of[rank].presence != RANK_PRESENT)
        return 0;
    n = dispatch_assign(master->dispatch, rank, left_s, trials, err);
    if (n <= 0)
        return n;
    /* The trial may take this process down with all that is not committed. */
    if (!rank && ledger_is_suspect(master->ledger, trials[0]) && commit(master, err))
        return -1;
    message_begin(&master->out, MESSAGE_ASSIGN);
    message_put_trials(&master->out, trials, (uint32_t)n);
    for (int32_t i = 0; i < n; i++)
        buf_put_i64(&master->out, master_id(master, trials[i]));
    for (int32_t i = 0; i < n; i++)
        buf_put_f64(&master->out, dispatch_predicted(master->dispatch, trials[i]));
    if (n == 1 && dispatch_resumes(master->dispatch, trials[0]) && master->delivery.sink.resume)
        master->delivery.sink.resume(master->delivery.sink.arg, trials[0], &master->out);
    return master_post(master, rank, err);
}

static int supply_idle(struct master *master, struct err *err)
{
    int32_t rank;

    if (master_supply_gangs(master, err))
        return -1;
    while (!master->is_stopping && (rank = dispatch_idle(master->dispatch)) >= 0)
        if (supply(master, rank, err))
            return -1;
    return 0;
}

static int tell_to_stop(struct master *master, int32_t rank, struct err *err)
{
    double left_s = master->stop_s - clock_now(master->clock);

    message_begin(&master->out, MESSAGE_STOP);
    buf_put_f64(&master->out, master->stop_s == STOP_URGENT ? STOP_URGENT : fmax(left_s, 0));
    return master_post(master, rank, err);
}

/* Tell all ranks, even if sending to one fails. A second call may shorten the time. */
static int stop_workers(struct master *master, enum master_end end, double stop_s, struct err *err)
{
    int rc = 0;

    if (master->is_stopping && stop_s >= master->stop_s)
        return 0;
    if (!master->is_stopping)
        master->end = end;
    master->is_stopping = true;
    master->stop_s = stop_s;
    FAULT("scheduler: before all are told to stop");
    for (int32_t rank = 0; rank < master->world.size; rank++)
        if (master->ranks.of[rank].presence == RANK_PRESENT && tell_to_stop(master, rank, err))
            rc = -1;
    FAULT("scheduler: all were told to stop");
    return rc;
}

/* Uses its own buffer, since master->out may hold an unfinished message. */
static void beat(struct master *master, int32_t rank, double now_s)
{
    struct buf message = {0};

    if (master->ranks.of[rank].presence != RANK_PRESENT || !rank ||
        now_s - master->ranks.of[rank].told_s <= master->options.silence_s / MESSAGE_BEATS)
        return;
    master->ranks.of[rank].told_s = now_s;
    message_begin(&message, MESSAGE_BEAT);
    /* If this fails, the next beat may succeed. */
    if (!buf_failed(&message))
        traffic_send(&master->delivery.meter, &master->world, rank, &message, NULL);
    buf_release(&message);
}

void master_keep_alive(struct master *master)
{
    double now_s = clock_now(master->clock);

    for (int32_t rank = 1; rank < master->world.size; rank++)
        beat(master, rank, now_s);
}

static int watch_ranks(struct master *master, double now_s, struct err *err)
{
    char why[160];

    master->watch_s = now_s;
    for (int32_t rank = 1; rank < master->world.size; rank++) {
        enum rank_presence presence = rank_states_watch(&master->ranks, rank, now_s,
                                                        master->options.silence_s, why, sizeof why);

        if (master->ranks.of[rank].is_gone && presence != RANK_DEAD)
            master->watch_s = now_s - WATCH_S; /* again when its last messages were read */
        if (presence == master->ranks.of[rank].presence ||
            (presence == RANK_DEAD && world_give_up(rank)))
            continue;
        if (lose(master, rank, presence, why, err))
            return -1;
    }
    master_keep_alive(master);
    return 0;
}

/* Nothing depends on who receives this. It is not counted: all counters are handed on. */
static void say_bye(struct master *master)
{
    struct err ignored;

    if (master->ranks.n_lost)
        world_lost_rank();
    message_begin(&master->out, MESSAGE_BYE);
    buf_put_u32(&master->out, master->ranks.n_lost > 0);
    for (int32_t rank = 1; rank < master->world.size; rank++)
        if (master->ranks.of[rank].presence == RANK_LEFT && !buf_failed(&master->out))
            world_send(&master->world, rank, &master->out, &ignored);
}

/* ---- from the workers ---- */

static int blame(int32_t from, struct err *err)
{
    return err_wrap(err, "rank %d", from);
}

static int check_result(const struct master *master, const struct trial_result *r, struct err *err)
{
    int64_t n = ledger_counts(master->ledger).total;

    if (r->trial < 0 || r->trial >= n)
        return err_set(err, "result of trial %ld: must be in [0, %ld)", (long)r->trial, (long)n);
    if (r->state == TRIAL_RUNNING)
        return err_set(err, "result of trial %ld is %s: must be done, diverged, failed or pending",
                       (long)r->trial, trial_state_name(r->state));
    return 0;
}

/* A trial was stopped after its program had been started again, or had reported something. */
static int take_stopped(struct master *master, int32_t from, const struct trial_result *r,
                        struct err *err)
{
    if (ledger_lessee(master->ledger, r->trial) != from)
        return 0;
    rank_states_finish(&master->ranks, from, r->trial);
    dispatch_give_back(master->dispatch, from, r->trial);
    return master_sink_result(&master->delivery, &master->ranks, r, err);
}

static int accept_result(struct master *master, int32_t from, struct trial_result *r,
                         struct err *err)
{
    r->predicted = dispatch_predicted(master->dispatch, r->trial);
    if (r->state == TRIAL_PENDING)
        return take_stopped(master, from, r, err);
    rank_states_finish(&master->ranks, from, r->trial);
    if (dispatch_finish(master->dispatch, from, r->trial, r->state, master_busy_seconds(r)) !=
        LEDGER_ACCEPTED)
        return 0;
    return master_sink_result(&master->delivery, &master->ranks, r, err);
}

static int take_result(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    struct trial_result r;
    int rc = 0;

    if (trial_result_unpack(&r, in)) {
        err_set(err, "message of %zu bytes: truncated result at byte %zu", in->size, in->at);
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
    enum traffic_activity back = traffic_enter(&master->delivery.meter, TRAFFIC_STORE);
    int rc = 0;

    while (!rc && in->at < in->size)
        rc = take_result(master, from, in, err);
    traffic_leave(&master->delivery.meter, back);
    return rc ? rc : supply(master, from, err);
}

static int take_member_result(struct master *master, int32_t from, struct cursor *in,
                              struct err *err)
{
    if (master_take_member_result(master, from, in, err))
        return -1;
    return supply(master, from, err);
}

static int take_given_back(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    int64_t n = message_count_trials(in, err);

    if (n < 0)
        return blame(from, err);
    for (int64_t i = 0; i < n; i++) {
        int64_t trial = cursor_i64(in);

        if (master_sink_return(&master->delivery, &master->ranks, from, trial, err))
            return -1;
        dispatch_give_back(master->dispatch, from, trial);
    }
    return 0;
}

static int take_unable(struct master *master, int32_t from, struct cursor *in)
{
    struct err why;

    cursor_text(in, why.text, sizeof why.text);
    master_sink_unable(&master->delivery, &master->ranks, from, why.text);
    return 0;
}

static int take_start(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    int64_t trial = cursor_i64(in);
    double started = cursor_f64(in);

    if (in->failed || trial < 0 || trial >= ledger_counts(master->ledger).total) {
        err_set(err, "start of trial %ld: there is no such trial", (long)trial);
        return blame(from, err);
    }
    dispatch_start(master->dispatch, from, trial);
    if (ledger_lessee(master->ledger, trial) == from)
        rank_states_start(&master->ranks, from, trial, started, clock_now(master->clock));
    return 0;
}

static int take_checkpoint(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    struct trial_checkpoint checkpoint;
    enum traffic_activity back;
    int rc;

    if (trial_checkpoint_unpack(&checkpoint, in)) {
        err_set(err, "checkpoint of %zu bytes is truncated", in->size);
        return blame(from, err);
    }
    back = traffic_enter(&master->delivery.meter, TRAFFIC_STORE);
    rc = master_sink_checkpoint(&master->delivery, from, &checkpoint, err);
    traffic_leave(&master->delivery.meter, back);
    return rc;
}

static int take_report(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    enum traffic_activity back;
    struct trial_result r;
    int rc;

    if (trial_result_unpack(&r, in)) {
        err_set(err, "report in a message of %zu bytes is truncated", in->size);
        return blame(from, err);
    }
    back = traffic_enter(&master->delivery.meter, TRAFFIC_STORE);
    rc = master_sink_report(&master->delivery, &master->ranks.of[from], &r, err);
    traffic_leave(&master->delivery.meter, back);
    trial_result_release(&r);
    return rc;
}

/* The counters lack the message that carries them. Rank 0 counts for itself. */
static int take_counters(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    struct traffic traffic;

    if (!from)
        return 0;
    if (traffic_unpack(&traffic, in)) {
        err_set(err, "counters in a message of %zu bytes are truncated", in->size);
        return blame(from, err);
    }
    traffic_add_message(&traffic, TRAFFIC_SEND, in->size);
    rank_states_count(&master->ranks, from, &traffic);
    return 0;
}

static int let_go(struct master *master, int32_t rank, struct err *err)
{
    struct gang_members members;
    int rc;

    if (master->ranks.of[rank].presence == RANK_DEAD)
        return 0;
    rank_states_set(&master->ranks, rank, RANK_LEFT);
    if (master->is_stopping && master_holds_result(master, rank))
        return 0; /* other members may still end well */
    rc = gang_members_init(&members, master, rank, err);
    take_all_back(master, rank); /* what was on the way to one that left by itself */
    dispatch_leave(master->dispatch, rank);
    if (!rc)
        rc = gang_members_end(master, &members, err);
    gang_members_release(&members);
    return rc;
}

static int take_leave(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    char text[sizeof err->text];

    if (let_go(master, from, err))
        return -1;
    cursor_text(in, text, sizeof text);
    if (!*text)
        return take_counters(master, from, in, err);
    err_set(err, "%s", text);
    return blame(from, err);
}

static int welcome_back(struct master *master, int32_t rank, struct err *err)
{
    rank_states_set(&master->ranks, rank, RANK_PRESENT);
    master->ranks.of[rank].is_doubtful = true;
    dispatch_return(master->dispatch, rank);
    master->delivery.sink.back(master->delivery.sink.arg, rank);
    if (master->gangs_begun[rank] && master_end_gang(master, rank, err))
        return -1;
    return master->is_stopping ? tell_to_stop(master, rank, err) : 0;
}

static int handle(struct master *master, int32_t from, struct err *err)
{
    struct cursor in;
    enum message_kind kind;

    if (message_open(&in, &kind, &master->in, err))
        return blame(from, err);
    rank_states_hear(&master->ranks, from, clock_now(master->clock));
    if (master->ranks.of[from].presence == RANK_SILENT && welcome_back(master, from, err))
        return -1;
    switch (kind) {
    case MESSAGE_BEAT:
        return take_counters(master, from, &in, err);
    case MESSAGE_START:
        return take_start(master, from, &in, err);
    case MESSAGE_CHECKPOINT:
        return take_checkpoint(master, from, &in, err);
    case MESSAGE_REPORT:
        return take_report(master, from, &in, err);
    case MESSAGE_RESULTS:
        return take_results(master, from, &in, err);
    case MESSAGE_GIVE_BACK:
        return take_given_back(master, from, &in, err);
    case MESSAGE_GANG_PORT:
        return master_take_port(master, from, &in, err);
    case MESSAGE_GANG_RESULT:
        return take_member_result(master, from, &in, err);
    case MESSAGE_UNABLE:
        return take_unable(master, from, &in);
    case MESSAGE_LEAVE:
        return take_leave(master, from, &in, err);
    default:
        err_set(err, "message of kind %d is not for the scheduler", kind);
        return blame(from, err);
    }
}

/* ---- the loop ---- */

static void fail(struct master *master, const struct err *err)
{
    struct err ignored;

    if (!master->has_failed)
        master->err = *err;
    master->has_failed = true;
    master_sink_close(&master->delivery);
    stop_workers(master, MASTER_STOPPED, clock_now(master->clock), &ignored);
}

static void show_progress(struct master *master, double now_s)
{
    master->progress_s = now_s;
    master_sink_progress(&master->delivery, &master->ranks, now_s);
}

/* Seconds until something is due that no message announces. */
static double time_left(const struct master *master)
{
    double now_s = clock_now(master->clock), since_s;
    double due_s = master->progress_s + PROGRESS_S;

    if (master_sink_is_waiting(&master->delivery, &master->ranks, &since_s))
        due_s = fmin(due_s, since_s + master->options.commit_s);
    return fmin(fmax(due_s - now_s, 0), PROGRESS_S);
}

/* Other ranks come first: they are many. A sleep on the inbox lets the worker thread wake this
 * one. */
static int next_message(struct master *master, int32_t *from, struct err *err)
{
    bool is_alone = master->world.size == 1;
    double sleep_s;
    struct traffic_meter *meter = &master->delivery.meter;
    enum traffic_activity back;
    int got = is_alone ? 0 : traffic_receive(meter, &master->world, from, &master->in, err);

    if (!got) {
        *from = 0;
        got = mailbox_take(&master->inbox, &master->in, 0);
    }
    if (!got) {
        sleep_s = time_left(master);
        if (!is_alone)
            sleep_s = fmin(sleep_s, backoff_next(&master->backoff));
        back = traffic_enter(meter, TRAFFIC_WAIT);
        got = mailbox_take(&master->inbox, &master->in, sleep_s);
        traffic_leave(meter, back);
    }
    if (got > 0 && !message_is(&master->in, MESSAGE_BEAT))
        backoff_reset(&master->backoff);
    return got;
}

static bool is_set(const volatile sig_atomic_t *flag)
{
    return flag && *flag;
}

/* The sink may add trials to be run. */
static int finish(struct master *master, double now_s, struct err *err)
{
    bool is_asked = master->is_stopping || master->has_failed || !master->delivery.sink.finished;

    if (!is_asked && master->delivery.sink.finished(master->delivery.sink.arg, err))
        return -1;
    return ledger_is_finished(master->ledger) ? stop_workers(master, MASTER_FINISHED, now_s, err)
                                              : 0;
}

/* Stop the workers if all is done, or if nothing left could end in time. */
static int end_in_time(struct master *master, double now_s, struct err *err)
{
    double until_s = master->options.until_s;
    bool is_busy = dispatch_n_busy(master->dispatch) > 0;

    if (ledger_is_finished(master->ledger) && !is_busy)
        return finish(master, now_s, err);
    if (is_set(master->options.kill))
        return stop_workers(master, MASTER_STOPPED, STOP_URGENT, err);
    if (is_set(master->options.hurry))
        return stop_workers(master, MASTER_STOPPED, now_s, err);
    if (is_set(master->options.stop) || master->delivery.is_enough)
        return stop_workers(master, MASTER_STOPPED, fmin(now_s + master->options.grace_s, until_s),
                            err);
    if (now_s >= until_s)
        return stop_workers(master, MASTER_TIME_UP, now_s, err);
    if (!dispatch_n_alive(master->dispatch))
        return stop_workers(master, MASTER_UNABLE, now_s, err);
    if (is_busy || dispatch_can_begin(master->dispatch, until_s - now_s))
        return 0;
    return stop_workers(master, dispatch_lacks(master->dispatch) ? MASTER_TOO_FEW : MASTER_TIME_UP,
                        now_s, err);
}

/* Wait until no message is left to read: last messages of dead ranks count. */
static bool is_watch_due(const struct master *master, bool is_quiet, double now_s)
{
    return now_s - master->watch_s >= (is_quiet ? WATCH_S : 4 * WATCH_S);
}

static int do_what_is_due(struct master *master, bool is_quiet, struct err *err)
{
    double now_s = clock_now(master->clock), since_s;

    /* A slow disk or a stopped process held up the loop. */
    if (now_s - master->turn_s > RANK_STATES_STALL_S)
        rank_states_discount(&master->ranks, now_s - master->turn_s);
    master->turn_s = now_s;
    dispatch_set_time(master->dispatch, now_s);

    if (now_s - master->progress_s >= PROGRESS_S)
        show_progress(master, now_s);
    if (master_sink_is_waiting(&master->delivery, &master->ranks, &since_s) &&
        now_s - since_s >= master->options.commit_s && commit(master, err))
        return -1;
    if (is_watch_due(master, is_quiet, now_s) && watch_ranks(master, now_s, err))
        return -1;
    if (end_in_time(master, now_s, err))
        return -1;
    return supply_idle(master, err);
}

/* -1 only if the ranks can no longer be heard. */
static int serve(struct master *master)
{
    struct err err = {""};
    int32_t from;

    FAULT("scheduler: before it serves");
    if (do_what_is_due(master, true, &err))
        fail(master, &err);
    while (master->ranks.n_left + master->ranks.n_lost < master->world.size) {
        int got = next_message(master, &from, &err);

        if (got < 0) {
            fail(master, &err);
            return -1;
        }
        if (got && handle(master, from, &err))
            fail(master, &err);
        if (do_what_is_due(master, !got, &err))
            fail(master, &err);
    }
    if (commit(master, &err) || master_sink_traffic(&master->delivery, &master->ranks, &err))
        fail(master, &err);
    FAULT("scheduler: before all are told bye");
    say_bye(master);
    FAULT("scheduler: all were told bye");
    show_progress(master, clock_now(master->clock));
    return 0;
}

/* ---- the worker thread ---- */

struct thread {
    pthread_t id;
    struct mailbox *to_master, *to_worker;
    const struct runner *runner;
    const struct clock *clock;
    struct worker_time *time;
};

static int send_to_master(const void *self, const struct buf *message, struct err *err)
{
    const struct thread *thread = self;

    return mailbox_put(thread->to_master, message, err);
}

static int receive_from_master(const void *self, struct buf *message, double timeout_s,
                               struct err *err)
{
    const struct thread *thread = self;

    (void)err;
    return mailbox_take(thread->to_worker, message, timeout_s);
}

static void *run_thread(void *arg)
{
    const struct thread *thread = arg;
    struct worker_channel channel = {send_to_master, receive_from_master, thread, thread->time};

    worker_run(&channel, thread->runner, 0, thread->clock, NULL);
    return NULL;
}

static int serve_with_thread(struct master *master)
{
    struct thread thread = {
        .to_master = &master->inbox,
        .to_worker = &master->outbox,
        .runner = &master->runner,
        .clock = master->clock,
        .time = &master->delivery.worker,
    };
    int code = pthread_create(&thread.id, NULL, run_thread, &thread);
    struct err err;
    int rc;

    if (code) {
        let_go(master, 0, &err);
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
    master->gangs_begun = calloc((size_t)parts->world->size, sizeof *master->gangs_begun);
    master->held = calloc((size_t)parts->world->size, sizeof *master->held);
    if (!master->gangs_begun || !master->held)
        err_nomem(err, "scheduler", (size_t)parts->world->size * sizeof *master->held);
    if (!master->gangs_begun || !master->held ||
        rank_states_init(&master->ranks, parts->world, clock_now(parts->clock), err)) {
        free(master->held);
        free(master->gangs_begun);
        free(master);
        return NULL;
    }
    master->dispatch = parts->dispatch;
    master->ledger = dispatch_ledger(parts->dispatch);
    master->world = *parts->world;
    master->runner = *parts->runner;
    master->options = *parts->options;
    master->delivery =
        (struct master_delivery){.sink = *parts->sink,
                                 .dispatch = parts->dispatch,
                                 .clock = parts->clock,
                                 .commit_results = parts->options->commit_results,
                                 .checkpoint_bytes = parts->options->checkpoint_bytes};
    master->clock = parts->clock;
    traffic_begin(&master->delivery.meter, parts->clock, TRAFFIC_START, parts->options->begun_s);
    if (!init_mailboxes(master, err))
        return master;
    rank_states_release(&master->ranks);
    free(master->held);
    free(master->gangs_begun);
    free(master);
    return NULL;
}

void master_destroy(struct master *master)
{
    if (!master)
        return;
    mailbox_release(&master->inbox);
    mailbox_release(&master->outbox);
    rank_states_release(&master->ranks);
    buf_release(&master->in);
    buf_release(&master->out);
    held_results_release(master->held, master->world.size);
    free(master->gangs_begun);
    free(master);
}

int master_run(enum master_end *end, struct master *master, struct err *err)
{
    master->began_s = clock_now(master->clock);
    master->progress_s = master->began_s - PROGRESS_S;
    master->watch_s = master->turn_s = master->began_s;
    master->delivery.begun_s = master->delivery.traffic_s = master->began_s;
    traffic_leave(&master->delivery.meter, TRAFFIC_SCHEDULE);
    serve_with_thread(master);
    *end = ledger_is_finished(master->ledger) ? MASTER_FINISHED : master->end;
    if (master->has_failed && err)
        *err = master->err;
    return master->has_failed ? -1 : 0;
}
