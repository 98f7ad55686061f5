/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler supplies all ranks without requests and ends when all have left or are lost. After
 * a fault it stops the workers and returns the error when they have left. */
#include "sched/master.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/fault.h"
#include "program/port.h"
#include "sched/delivery.h"
#include "sched/mailbox.h"
#include "sched/message.h"

#define PROGRESS_S 0.1
/* seconds between checks of the other ranks */
#define WATCH_S 0.25

struct master {
    struct dispatch *dispatch;
    const struct ledger *ledger;
    struct world world;
    struct runner runner;
    struct delivery delivery;
    const struct clock *clock;

    struct mailbox inbox, outbox;
    struct backoff backoff;
    struct buf in, out;

    double progress_s, watch_s, turn_s; /* time of the last of each */
    bool is_stopping;
    enum master_end end;      /* reason, if is_stopping and the ledger is not finished */
    struct deadline deadline; /* of running trials, if is_stopping */
    bool has_failed;
    int32_t rung; /* of trials that are handed out */
    struct err err;
};

static struct rank_state *state_of(struct master *master, int32_t rank)
{
    return &master->delivery.ranks[rank];
}

/* ---- lost ranks ---- */

/* NULL: the rank is in no gang that runs. Valid until the next turn of the loop, whatever happens to
 * its members. */
static const struct gang *running_gang(const struct master *master, int32_t rank)
{
    const struct gang *gang = dispatch_gang(master->dispatch, rank);

    return gang && !gang->is_over ? gang : NULL;
}

static void take_all_back(struct master *master, int32_t rank)
{
    int64_t trial;

    while (dispatch_blames(master->dispatch, rank, 1, &trial))
        dispatch_give_back(master->dispatch, ledger_lessee(master->ledger, trial), trial);
}

static int end_members(struct master *master, const struct gang *gang, struct err *err);

/* A rank of a gang ends the gang, whose trial its leader reported. */
static int lose(struct master *master, int32_t rank, enum rank_presence presence, const char *why,
                struct err *err)
{
    struct delivery *d = &master->delivery;
    const struct gang *gang = running_gang(master, rank);
    int32_t leader = gang ? gang->workers[0] : rank;
    bool was_present = d->ranks[rank].presence == RANK_PRESENT;
    bool is_doubtful = d->ranks[rank].is_doubtful;
    int64_t blamed[DISPATCH_MAX];
    char reason[320];
    struct master_loss loss = {.rank = rank,
                               .process = delivery_process(d, rank),
                               .attempt = delivery_attempt(d, leader),
                               .why = why,
                               .reason = reason};

    delivery_set_presence(d, rank, presence);
    if (!was_present)
        return 0;
    snprintf(reason, sizeof reason, "%s", why);
    if (leader != rank) {
        snprintf(reason, sizeof reason, "rank %d on %s: %s", (int)rank, loss.process->host, why);
        /* A crash of the gang's trial ends the attempt of its leader; if no one is blamed, this does. */
        if (is_doubtful && delivery_return(d, leader, loss.attempt.trial, err))
            return -1;
        delivery_end(d, leader, loss.attempt.trial);
    }
    if (is_doubtful) /* its silence is not due to trials it got after it seemed to be back */
        take_all_back(master, rank);
    loss.trials = blamed;
    loss.n_trials = dispatch_blames(master->dispatch, rank, DISPATCH_MAX, blamed);
    if (delivery_loss(d, &loss, dispatch_lose(master->dispatch, rank), err))
        return -1;
    return end_members(master, gang, err);
}

/* ---- to the workers ---- */

static int64_t id_of(const struct master *master, int64_t trial)
{
    const struct master_sink *sink = &master->delivery.sink;

    return sink->id ? sink->id(sink->arg, trial) : 0;
}

/* Send master->out. A rank that cannot be sent to is lost, which is no error of the run. */
static int post(struct master *master, int32_t rank, struct err *err)
{
    struct err why;

    if (buf_failed(&master->out))
        return err_nomem(err, "message", master->out.size);
    if (!rank)
        return mailbox_put(&master->outbox, &master->out, err);
    state_of(master, rank)->told_s = clock_now(master->clock);
    if (!traffic_send(&master->delivery.meter, &master->world, rank, &master->out, &why))
        return 0;
    return lose(master, rank, RANK_SILENT, why.text, err);
}

static double left_s(const struct master *master)
{
    return master->delivery.options.until_s - clock_now(master->clock);
}

/* A trial that may take rank 0 down would take all that is not committed with it. */
static int commit_before(struct master *master, int32_t rank, int64_t trial, struct err *err)
{
    return !rank && ledger_is_suspect(master->ledger, trial)
               ? delivery_commit(&master->delivery, err)
               : 0;
}

/* Append the trial's checkpoint, if it has one. */
static void put_checkpoint(struct master *master, struct buf *out, int64_t trial)
{
    if (dispatch_resumes(master->dispatch, trial) && master->delivery.sink.resume)
        master->delivery.sink.resume(master->delivery.sink.arg, trial, out);
}

/* Place the gangs that fit, and ask their leaders for ports. */
static int supply_gangs(struct master *master, struct err *err)
{
    const struct gang *gang;
    int placed = 0;

    while (!master->is_stopping &&
           (placed = dispatch_place(master->dispatch, left_s(master), &gang, err)) > 0) {
        if (commit_before(master, gang->workers[0], gang->trial, err))
            return -1;
        message_begin(&master->out, MESSAGE_GANG_OPEN);
        buf_put_i64(&master->out, gang->number);
        buf_put_u32(&master->out, (uint32_t)master->world.size);
        if (post(master, gang->workers[0], err))
            return -1;
    }
    return placed < 0 ? -1 : 0;
}

static int supply(struct master *master, int32_t rank, struct err *err)
{
    int64_t trials[DISPATCH_MAX];
    int32_t n;

    if (supply_gangs(master, err))
        return -1;
    if (master->is_stopping || state_of(master, rank)->presence != RANK_PRESENT)
        return 0;
    n = dispatch_assign(master->dispatch, rank, left_s(master), trials, err);
    if (n <= 0)
        return n;
    if (commit_before(master, rank, trials[0], err))
        return -1;
    message_begin(&master->out, MESSAGE_ASSIGN);
    message_put_trials(&master->out, trials, (uint32_t)n);
    for (int32_t i = 0; i < n; i++)
        buf_put_i64(&master->out, id_of(master, trials[i]));
    for (int32_t i = 0; i < n; i++)
        buf_put_f64(&master->out, dispatch_predicted(master->dispatch, trials[i]));
    buf_put_i64(&master->out, master->rung);
    if (n == 1)
        put_checkpoint(master, &master->out, trials[0]);
    return post(master, rank, err);
}

static int supply_idle(struct master *master, struct err *err)
{
    int32_t rank;

    if (supply_gangs(master, err))
        return -1;
    while (!master->is_stopping && (rank = dispatch_idle(master->dispatch)) >= 0)
        if (supply(master, rank, err))
            return -1;
    return 0;
}

static int tell_to_stop(struct master *master, int32_t rank, struct err *err)
{
    double now_s = clock_now(master->clock);

    message_begin(&master->out, MESSAGE_STOP);
    buf_put_f64(&master->out, fmax(master->deadline.ask_s - now_s, 0));
    buf_put_f64(&master->out, fmax(master->deadline.kill_s - now_s, 0));
    return post(master, rank, err);
}

/* Tell all ranks, even if sending to one fails. A second call may shorten the time. */
static int stop_workers(struct master *master, enum master_end end, struct deadline deadline,
                        struct err *err)
{
    int rc = 0;

    if (master->is_stopping && deadline.ask_s >= master->deadline.ask_s &&
        deadline.kill_s >= master->deadline.kill_s)
        return 0;
    if (!master->is_stopping)
        master->end = end;
    master->is_stopping = true;
    master->deadline = deadline;
    FAULT("scheduler: before all are told to stop");
    for (int32_t rank = 0; rank < master->world.size; rank++)
        if (state_of(master, rank)->presence == RANK_PRESENT && tell_to_stop(master, rank, err))
            rc = -1;
    FAULT("scheduler: all were told to stop");
    return rc;
}

/* Uses its own buffer, since master->out may hold an unfinished message. */
void master_keep_alive(struct master *master)
{
    double now_s = clock_now(master->clock);
    struct buf message = {0};

    message_begin(&message, MESSAGE_BEAT);
    for (int32_t rank = 1; rank < master->world.size; rank++) {
        struct rank_state *state = state_of(master, rank);

        if (state->presence != RANK_PRESENT ||
            now_s - state->told_s <= master->delivery.options.silence_s / MESSAGE_BEATS)
            continue;
        state->told_s = now_s;
        /* If this fails, the next beat may succeed. */
        if (!buf_failed(&message))
            traffic_send(&master->delivery.meter, &master->world, rank, &message, NULL);
    }
    buf_release(&message);
}

static int watch_ranks(struct master *master, double now_s, struct err *err)
{
    char why[160];

    master->watch_s = now_s;
    for (int32_t rank = 1; rank < master->world.size; rank++) {
        enum rank_presence presence =
            delivery_watch(&master->delivery, rank, now_s, why, sizeof why);

        if (state_of(master, rank)->is_gone && presence != RANK_DEAD)
            master->watch_s = now_s - WATCH_S; /* again when its last messages were read */
        if (presence == state_of(master, rank)->presence ||
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

    if (master->delivery.n_lost)
        world_lost_rank();
    message_begin(&master->out, MESSAGE_BYE);
    buf_put_u32(&master->out, master->delivery.n_lost > 0);
    for (int32_t rank = 1; rank < master->world.size; rank++)
        if (state_of(master, rank)->presence == RANK_LEFT && !buf_failed(&master->out))
            world_send(&master->world, rank, &master->out, &ignored);
}

/* ---- the end of a gang ---- */

/* Leave out loading, since the graph is cached for the next trial. A trial run in parts, maybe on
 * several ranks, teaches nothing about this rank. */
static double busy_seconds(const struct trial_result *r)
{
    return r->resumed_epoch ? (double)NAN : r->seconds - r->timing[PHASE_LOAD];
}

static bool holds_result(struct master *master, int32_t rank, const struct gang *gang)
{
    return state_of(master, rank)->held_gang == gang->number;
}

/* End the last gang that a rank was sent, unless it has ended. */
static int end_member(struct master *master, int32_t rank, struct err *err)
{
    message_begin(&master->out, MESSAGE_GANG_END);
    buf_put_i64(&master->out, state_of(master, rank)->gang_sent);
    return post(master, rank, err);
}

/* If the gang's trial has a result or went back, end the members that are left. One that was not sent
 * the gang runs nothing, nor does a leader whose result is held. gang may be NULL. */
static int end_members(struct master *master, const struct gang *gang, struct err *err)
{
    for (int32_t i = 0; gang && gang->is_over && i < gang->n; i++) {
        int32_t rank = gang->workers[i];

        if (dispatch_gang(master->dispatch, rank) != gang)
            continue;
        if (state_of(master, rank)->gang_sent != gang->number || holds_result(master, rank, gang))
            dispatch_end_member(master->dispatch, rank, gang->number);
        else if (end_member(master, rank, err))
            return -1;
    }
    return 0;
}

static int give_gang_back(struct master *master, const struct gang *gang, struct err *err)
{
    dispatch_give_back(master->dispatch, gang->workers[0], gang->trial);
    if (delivery_return(&master->delivery, gang->workers[0], gang->trial, err))
        return -1;
    return end_members(master, gang, err);
}

/* Store the gang's result, which any member may report, as the leader's. */
static int accept_gang_result(struct master *master, const struct gang *gang,
                              struct trial_result *r, struct err *err)
{
    struct delivery *d = &master->delivery;
    int32_t leader = gang->workers[0];
    struct master_trial attempt = delivery_attempt(d, leader);
    int rc = 0;

    if (r->rank != leader) {
        r->rank = leader;
        r->pid = (int32_t)attempt.process->pid;
        snprintf(r->host, sizeof r->host, "%.*s", (int)sizeof r->host - 1, attempt.process->host);
    }
    r->members = attempt.members;
    r->n_members = attempt.n_members;
    delivery_end(d, leader, r->trial);
    if (dispatch_finish(master->dispatch, leader, r->trial, r->state, busy_seconds(r)))
        rc = delivery_result(d, r, err);
    r->members = NULL;
    r->n_members = 0;
    return rc || end_members(master, gang, err) ? -1 : 0;
}

static int fail_gang(struct master *master, const struct gang *gang, int32_t from,
                     struct trial_result *r, struct err *err)
{
    char reason[sizeof r->error];
    int32_t rank = 0;

    while (gang->workers[rank] != from)
        rank++;
    snprintf(reason, sizeof reason, "%s", r->error);
    if (rank)
        snprintf(r->error, sizeof r->error, "rank %d of the gang: %.200s", rank, reason);
    return accept_gang_result(master, gang, r, err);
}

/* Members lost each other, which the scheduler may not have seen, or a program was killed: if that
 * happens again and again, the trial must not go on forever. Else it goes back with a crash. */
static int take_apart(struct master *master, const struct gang *gang, struct trial_result *r,
                      struct err *err)
{
    struct master_trial attempt = delivery_attempt(&master->delivery, gang->workers[0]);
    char reason[sizeof r->error];

    if (ledger_is_last_attempt(master->ledger, gang->trial)) {
        snprintf(reason, sizeof reason, "%s", r->error);
        delivery_put_last_crash(r, true, reason);
        return accept_gang_result(master, gang, r, err); /* the reason names the member */
    }
    attempt.trial = gang->trial;
    dispatch_give_back(master->dispatch, gang->workers[0], gang->trial);
    if (delivery_crash(&master->delivery, &attempt, r->error, err) ||
        end_members(master, gang, err))
        return -1;
    dispatch_suspect(master->dispatch, gang->trial);
    return 0;
}

/* A member has ended well. The result counts once all have: the trial took as long as the last. Takes
 * the contents of r of a leader. */
static int end_well(struct master *master, const struct gang *gang, bool leads,
                    struct trial_result *r, struct err *err)
{
    struct rank_state *leader = state_of(master, gang->workers[0]);
    double longer_s;

    if (leads) {
        trial_result_release(&leader->held);
        leader->held_gang = gang->number;
        leader->held_s = clock_now(master->clock);
        leader->held = *r;
        trial_result_init(r, gang->trial);
    }
    /* The leader of a held result is still here. */
    if (leader->held_gang != gang->number || gang->n_here > (leads ? 1 : 2))
        return 0;
    longer_s = clock_now(master->clock) - leader->held_s;
    leader->held.seconds += longer_s;
    leader->held.finished += longer_s;
    return accept_gang_result(master, gang, &leader->held, err);
}

/* A member may fail because another one was stopped first. If the scheduler stops all of them, the
 * leader decides: its result counts unless a member is stopped after it. */
static int end_gang(struct master *master, const struct gang *gang, int32_t from,
                    struct trial_result *r, struct err *err)
{
    bool leads = gang->workers[0] == from;
    bool was_stopped =
        r->state == TRIAL_PENDING || (r->state == TRIAL_FAILED && master->is_stopping);

    if (r->state == TRIAL_PENDING && r->error[0] && !master->is_stopping)
        return take_apart(master, gang, r, err);
    if (was_stopped)
        return leads || !master->is_stopping || holds_result(master, gang->workers[0], gang)
                   ? give_gang_back(master, gang, err)
                   : 0;
    return r->state == TRIAL_FAILED ? fail_gang(master, gang, from, r, err)
                                    : end_well(master, gang, leads, r, err);
}

/* ---- the beginning of a gang ---- */

/* Send all members their parts. Sending may lose a rank, and with it the gang. */
static int begin_gang(struct master *master, const struct gang *gang,
                      const struct message_gang *whole, struct err *err)
{
    struct buf checkpoint = {0};
    int rc = 0;

    put_checkpoint(master, &checkpoint, gang->trial);
    if (buf_failed(&checkpoint))
        rc = err_nomem(err, "checkpoint", checkpoint.size);
    for (int32_t i = 0; i < gang->n && !gang->is_over && !rc; i++) {
        int32_t rank = gang->workers[i];
        struct message_gang its = *whole;

        if (dispatch_gang(master->dispatch, rank) != gang)
            break;
        delivery_describe(&master->delivery, gang, i, &its.part);
        message_begin(&master->out, MESSAGE_GANG_RUN);
        message_put_gang(&master->out, &its);
        buf_add(&master->out, checkpoint.data, checkpoint.size);
        state_of(master, rank)->gang_sent = gang->number;
        rc = post(master, rank, err);
    }
    buf_release(&checkpoint);
    return rc;
}

static int fail_without_port(struct master *master, const struct gang *gang, const char *host,
                             struct err *err)
{
    struct trial_result r;

    trial_result_init(&r, gang->trial); /* owns nothing */
    r.rank = gang->workers[0];
    r.pid = (int32_t)delivery_process(&master->delivery, r.rank)->pid;
    snprintf(r.host, sizeof r.host, "%s", host);
    snprintf(r.error, sizeof r.error, "no port from %d to %d is free on %s", PORT_FIRST, PORT_LAST,
             host);
    r.started = r.finished = clock_unix();
    r.seconds = 0;
    return fail_gang(master, gang, r.rank, &r, err);
}

/* ---- messages ---- */

/* A worker of the same program sends no such message. */
static int damaged(int32_t from, const struct cursor *in, struct err *err)
{
    return err_set(err, "rank %d: message of %zu bytes is damaged before byte %zu", from, in->size,
                   in->at);
}

static bool is_trial(const struct master *master, int64_t trial)
{
    return trial >= 0 && trial < ledger_counts(master->ledger).total;
}

/* Ignored unless it is from the leader of a gang that has not begun. */
static int take_port(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    const struct gang *gang = running_gang(master, from);
    struct message_gang whole = {.number = cursor_i64(in)};
    struct trial_gang *part = &whole.part;
    uint64_t random[2];

    part->port = (int32_t)cursor_u32(in);
    cursor_text(in, part->address, sizeof part->address);
    if (in->failed)
        return damaged(from, in, err);
    if (!gang || gang->number != whole.number || gang->workers[0] != from ||
        state_of(master, from)->gang_sent == whole.number)
        return 0;
    if (master->is_stopping)
        return give_gang_back(master, gang, err);
    if (!part->port)
        return fail_without_port(master, gang, part->address, err);
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return err_set(err, "no random numbers for a gang: %s", strerror(errno));
    snprintf(part->token, sizeof part->token, "%016llx%016llx", (unsigned long long)random[0],
             (unsigned long long)random[1]);
    whole.trial = gang->trial;
    whole.id = id_of(master, gang->trial);
    whole.expected_s = dispatch_predicted(master->dispatch, gang->trial);
    whole.rung = master->rung;
    return begin_gang(master, gang, &whole, err);
}

static int accept_result(struct master *master, int32_t from, struct trial_result *r,
                         struct err *err)
{
    /* of a rank that was silent for long */
    bool is_past = r->state == TRIAL_HELD && r->rung != master->rung, is_new = !is_past;

    if (r->state == TRIAL_PENDING || is_past) { /* stopped after it had begun again, or reported */
        if (ledger_lessee(master->ledger, r->trial) != from)
            return 0;
        dispatch_give_back(master->dispatch, from, r->trial);
    } else {
        is_new = dispatch_finish(master->dispatch, from, r->trial, r->state, busy_seconds(r));
    }
    delivery_end(&master->delivery, from, r->trial);
    return is_new ? delivery_result(&master->delivery, r, err) : 0;
}

static int take_results(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    int rc = 0;

    while (!rc && in->at < in->size) {
        struct trial_result r;

        if (trial_result_unpack(&r, in))
            return damaged(from, in, err);
        if (!is_trial(master, r.trial) || r.state == TRIAL_RUNNING || r.state == TRIAL_STOPPED)
            rc = damaged(from, in, err);
        else
            rc = accept_result(master, from, &r, err);
        trial_result_release(&r);
    }
    return rc;
}

static int take_given_back(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    int64_t n = message_count_trials(in);

    if (n < 0)
        return damaged(from, in, err);
    for (int64_t i = 0; i < n; i++) {
        int64_t trial = cursor_i64(in);

        if (delivery_return(&master->delivery, from, trial, err))
            return -1;
        dispatch_give_back(master->dispatch, from, trial);
    }
    return 0;
}

static int take_unable(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    const struct master_sink *sink = &master->delivery.sink;
    char why[sizeof err->text];

    cursor_text(in, why, sizeof why);
    if (sink->unable)
        sink->unable(sink->arg, from, delivery_process(&master->delivery, from), why);
    return 0;
}

static int take_start(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    int64_t trial = cursor_i64(in);
    double started = cursor_f64(in);

    if (in->failed || !is_trial(master, trial))
        return damaged(from, in, err);
    dispatch_start(master->dispatch, from, trial);
    if (ledger_lessee(master->ledger, trial) == from)
        delivery_start(&master->delivery, from, trial, started);
    return 0;
}

static int take_checkpoint(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    struct trial_checkpoint checkpoint;

    if (trial_checkpoint_unpack(&checkpoint, in))
        return damaged(from, in, err);
    return delivery_checkpoint(&master->delivery, from, &checkpoint, err);
}

static int take_report(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    struct trial_result r;
    int rc;

    if (trial_result_unpack(&r, in))
        return damaged(from, in, err);
    rc = delivery_report(&master->delivery, from, &r, err);
    trial_result_release(&r);
    return rc;
}

/* The counters lack the message that carries them. Rank 0 counts for itself. */
static int take_counters(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    struct rank_state *state = state_of(master, from);

    if (!from)
        return 0;
    if (traffic_unpack(&state->traffic, in))
        return damaged(from, in, err);
    traffic_add_message(&state->traffic, TRAFFIC_SEND, in->size);
    state->has_counted = true;
    return 0;
}

static int let_go(struct master *master, int32_t rank, struct err *err)
{
    const struct gang *gang = running_gang(master, rank);

    if (state_of(master, rank)->presence == RANK_DEAD)
        return 0;
    delivery_set_presence(&master->delivery, rank, RANK_LEFT);
    if (master->is_stopping && gang && holds_result(master, rank, gang))
        return 0;                /* other members may still end well */
    take_all_back(master, rank); /* what was on the way to one that left by itself */
    dispatch_leave(master->dispatch, rank);
    return end_members(master, gang, err);
}

static int take_leave(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    char text[sizeof err->text];

    if (let_go(master, from, err))
        return -1;
    cursor_text(in, text, sizeof text);
    return *text ? err_set(err, "rank %d: %s", from, text) : take_counters(master, from, in, err);
}

/* The member is free after that. Its result is ignored if its gang is over. */
static int take_member_result(struct master *master, int32_t from, struct cursor *in,
                              struct err *err)
{
    int64_t number = cursor_i64(in);
    const struct gang *gang = running_gang(master, from);
    struct trial_result r;
    int rc = 0;

    if (trial_result_unpack(&r, in))
        return damaged(from, in, err);
    if (gang && gang->number == number && (r.trial != gang->trial || r.state == TRIAL_RUNNING))
        rc = damaged(from, in, err);
    else if (gang && gang->number == number)
        rc = end_gang(master, gang, from, &r, err);
    if (gang && (gang->is_over || !holds_result(master, from, gang)))
        delivery_end(&master->delivery, from, gang->trial);
    dispatch_end_member(master->dispatch, from, number);
    trial_result_release(&r);
    return rc;
}

static const struct {
    int (*take)(struct master *master, int32_t from, struct cursor *in, struct err *err);
    bool stores;   /* counted as TRAFFIC_STORE */
    bool supplies; /* the rank may get more trials afterwards */
} kinds[MESSAGE_KIND_COUNT] = {
    [MESSAGE_BEAT] = {take_counters},
    [MESSAGE_START] = {take_start},
    [MESSAGE_CHECKPOINT] = {take_checkpoint, .stores = true},
    [MESSAGE_REPORT] = {take_report, .stores = true},
    [MESSAGE_RESULTS] = {take_results, .stores = true, .supplies = true},
    [MESSAGE_GIVE_BACK] = {take_given_back},
    [MESSAGE_GANG_PORT] = {take_port},
    [MESSAGE_GANG_RESULT] = {take_member_result, .stores = true, .supplies = true},
    [MESSAGE_UNABLE] = {take_unable},
    [MESSAGE_LEAVE] = {take_leave},
};

static int welcome_back(struct master *master, int32_t rank, struct err *err)
{
    delivery_set_presence(&master->delivery, rank, RANK_PRESENT);
    state_of(master, rank)->is_doubtful = true;
    dispatch_return(master->dispatch, rank);
    master->delivery.sink.back(master->delivery.sink.arg, rank);
    if (state_of(master, rank)->gang_sent && end_member(master, rank, err))
        return -1;
    return master->is_stopping ? tell_to_stop(master, rank, err) : 0;
}

static int handle(struct master *master, int32_t from, struct err *err)
{
    struct traffic_meter *meter = &master->delivery.meter;
    enum traffic_activity back = meter->now;
    enum message_kind kind;
    struct cursor in;
    int rc;

    if (message_open(&in, &kind, &master->in, err))
        return err_wrap(err, "rank %d", from);
    if (!kinds[kind].take)
        return damaged(from, &in, err);
    state_of(master, from)->heard_s = clock_now(master->clock);
    if (state_of(master, from)->presence == RANK_SILENT && welcome_back(master, from, err))
        return -1;
    if (kinds[kind].stores)
        traffic_enter(meter, TRAFFIC_STORE);
    rc = kinds[kind].take(master, from, &in, err);
    if (kinds[kind].stores)
        traffic_leave(meter, back);
    return !rc && kinds[kind].supplies ? supply(master, from, err) : rc;
}

/* ---- the loop ---- */

static void fail(struct master *master, const struct err *err)
{
    double now_s = clock_now(master->clock);
    struct err ignored;

    if (!master->has_failed)
        master->err = *err;
    master->has_failed = true;
    master->delivery.is_closed = true;
    master->delivery.n_uncommitted = 0;
    stop_workers(master, MASTER_STOPPED, deadline_of(STOP_NOW, now_s, 0, 0), &ignored);
}

static void show_progress(struct master *master, double now_s)
{
    master->progress_s = now_s;
    delivery_progress(&master->delivery, now_s);
}

/* Seconds until something is due that no message announces. */
static double idle_s(const struct master *master)
{
    double now_s = clock_now(master->clock);
    double due_s = fmin(master->progress_s + PROGRESS_S, delivery_waits_since(&master->delivery) +
                                                             master->delivery.options.commit_s);

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
        sleep_s = idle_s(master);
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

/* Stop the workers if all is done, which the sink may change, or if nothing left could end in time. */
static int end_in_time(struct master *master, double now_s, struct err *err)
{
    const struct delivery *d = &master->delivery;
    const struct master_options *options = &d->options;
    enum stop_request request = (enum stop_request) * options->stop;
    bool is_busy = dispatch_n_busy(master->dispatch) > 0;
    enum master_end end = MASTER_STOPPED;

    if (ledger_is_finished(master->ledger) && !is_busy) {
        if (!master->is_stopping && !master->has_failed && d->sink.finished &&
            d->sink.finished(d->sink.arg, err))
            return -1;
        if (!ledger_is_finished(master->ledger))
            return 0;
        end = MASTER_FINISHED;
        request = STOP_NOW;
    } else if (!request && d->is_enough) {
        request = STOP_SOON;
    } else if (!request) {
        request = STOP_NOW;
        if (now_s >= options->until_s)
            end = MASTER_TIME_UP;
        else if (!dispatch_n_alive(master->dispatch))
            end = MASTER_UNABLE;
        else if (is_busy || dispatch_can_begin(master->dispatch, options->until_s - now_s))
            return 0;
        else
            end = dispatch_lacks(master->dispatch) ? MASTER_TOO_FEW : MASTER_TIME_UP;
    }
    return stop_workers(master, end,
                        deadline_of(request, now_s, options->grace_s, options->until_s), err);
}

/* is_quiet: no message is left to read. */
static int do_what_is_due(struct master *master, bool is_quiet, struct err *err)
{
    double now_s = clock_now(master->clock), held_up_s = now_s - master->turn_s;
    struct delivery *d = &master->delivery;

    master->turn_s = now_s;
    /* A slow disk or a stopped process held up the loop: the others were not silent. */
    for (int32_t rank = 0; held_up_s > MESSAGE_STALL_S && rank < d->n; rank++)
        d->ranks[rank].heard_s += held_up_s;
    dispatch_set_time(master->dispatch, now_s);
    if (now_s - master->progress_s >= PROGRESS_S)
        show_progress(master, now_s);
    if (now_s - delivery_waits_since(d) >= d->options.commit_s && delivery_commit(d, err))
        return -1;
    /* Last messages of dead ranks count, so they are read first. */
    if (now_s - master->watch_s >= (is_quiet ? WATCH_S : 4 * WATCH_S) &&
        watch_ranks(master, now_s, err))
        return -1;
    if (end_in_time(master, now_s, err))
        return -1;
    return supply_idle(master, err);
}

/* Ends early only if the ranks can no longer be heard. */
static void serve(struct master *master)
{
    const struct delivery *d = &master->delivery;
    struct err err = {""};
    int32_t from;

    FAULT("scheduler: before it serves");
    if (do_what_is_due(master, true, &err))
        fail(master, &err);
    while (d->n_left + d->n_lost < master->world.size) {
        int got = next_message(master, &from, &err);

        if (got < 0) {
            fail(master, &err);
            return;
        }
        if (got && handle(master, from, &err))
            fail(master, &err);
        if (do_what_is_due(master, !got, &err))
            fail(master, &err);
    }
    if (delivery_commit(&master->delivery, &err) || delivery_traffic(&master->delivery, &err))
        fail(master, &err);
    FAULT("scheduler: before all are told bye");
    say_bye(master);
    FAULT("scheduler: all were told bye");
    show_progress(master, clock_now(master->clock));
}

/* ---- the worker thread ---- */

static int send_to_master(const void *self, const struct buf *message, struct err *err)
{
    return mailbox_put(&((struct master *)self)->inbox, message, err);
}

static int receive_from_master(const void *self, struct buf *message, double timeout_s,
                               struct err *err)
{
    (void)err;
    return mailbox_take(&((struct master *)self)->outbox, message, timeout_s);
}

static void *run_thread(void *arg)
{
    struct master *master = arg;
    struct worker_channel channel = {send_to_master, receive_from_master, master,
                                     &master->delivery.worker};

    worker_run(&channel, &master->runner, 0, master->clock, NULL);
    return NULL;
}

/* ---- life ---- */

struct master *master_create(const struct master_parts *parts, struct err *err)
{
    struct master *master = calloc(1, sizeof *master);

    if (!master) {
        err_nomem(err, "scheduler", sizeof *master);
        return NULL;
    }
    master->dispatch = parts->dispatch;
    master->ledger = dispatch_ledger(parts->dispatch);
    master->world = *parts->world;
    master->runner = *parts->runner;
    master->clock = parts->clock;
    mailbox_init(&master->inbox);
    mailbox_init(&master->outbox);
    if (!delivery_init(&master->delivery, parts, err))
        return master;
    free(master);
    return NULL;
}

void master_destroy(struct master *master)
{
    if (!master)
        return;
    mailbox_release(&master->inbox);
    mailbox_release(&master->outbox);
    delivery_release(&master->delivery);
    buf_release(&master->in);
    buf_release(&master->out);
    free(master);
}

void master_set_rung(struct master *master, int32_t rung)
{
    master->rung = rung;
}

int master_tell_rows(struct master *master, const struct plan *plan, int32_t first, struct err *err)
{
    for (int32_t rank = 1; rank < master->world.size; rank++) {
        enum rank_presence presence = state_of(master, rank)->presence;

        if (presence != RANK_PRESENT && presence != RANK_SILENT) /* which may come back */
            continue;
        message_begin(&master->out, MESSAGE_ROWS);
        plan_pack_rows(&master->out, plan, first);
        if (post(master, rank, err))
            return -1;
    }
    return 0;
}

int master_run(enum master_end *end, struct master *master, struct err *err)
{
    double now_s = clock_now(master->clock);
    pthread_t thread;
    struct err why;
    int code;

    master->progress_s = now_s - PROGRESS_S;
    master->watch_s = master->turn_s = now_s;
    master->delivery.begun_s = master->delivery.traffic_s = now_s;
    traffic_leave(&master->delivery.meter, TRAFFIC_SCHEDULE);
    code = pthread_create(&thread, NULL, run_thread, master);
    if (code) {
        let_go(master, 0, &why);
        err_set(&why, "thread of the worker: %s", strerror(code));
        fail(master, &why);
    }
    serve(master);
    if (!code)
        pthread_join(thread, NULL);
    *end = ledger_is_finished(master->ledger) && !ledger_counts(master->ledger).held
               ? MASTER_FINISHED
               : master->end;
    if (master->has_failed && err)
        *err = master->err;
    return master->has_failed ? -1 : 0;
}
