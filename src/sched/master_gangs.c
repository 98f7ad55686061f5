/* SPDX-License-Identifier: BSD-3-Clause */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.h"
#include "program/port.h"
#include "sched/master_state.h"
#include "sched/message.h"

/* ---- members ---- */

int gang_members_init(struct gang_members *members, const struct master *master, int32_t rank,
                      struct err *err)
{
    const struct gang *gang = dispatch_gang(master->dispatch, rank);

    *members = (struct gang_members){.n = 0};
    if (!gang || gang->is_over)
        return 0;
    members->of = malloc((size_t)gang->n * sizeof *members->of);
    if (!members->of)
        return err_nomem(err, "gang", (size_t)gang->n * sizeof *members->of);
    memcpy(members->of, gang->workers, (size_t)gang->n * sizeof *members->of);
    members->n = gang->n;
    members->number = gang->number;
    members->trial = gang->trial;
    return 0;
}

void gang_members_release(struct gang_members *members)
{
    free(members->of);
    *members = (struct gang_members){.n = 0};
}

/* Leave out loading, since the graph is cached for the next trial. A trial run in parts, maybe on
 * several ranks, teaches nothing about this rank. */
double master_busy_seconds(const struct trial_result *r)
{
    return r->resumed_epoch ? (double)NAN : r->seconds - r->timing[PHASE_LOAD];
}

/* Return the gang if the member has not ended. */
static const struct gang *gang_at(const struct master *master, const struct gang_members *members,
                                  int32_t rank)
{
    const struct gang *gang = dispatch_gang(master->dispatch, rank);

    return gang && gang->number == members->number ? gang : NULL;
}

int master_end_gang(struct master *master, int32_t rank, struct err *err)
{
    message_begin(&master->out, MESSAGE_GANG_END);
    buf_put_i64(&master->out, master->gangs_begun[rank]);
    return master_post(master, rank, err);
}

/* ---- results of leaders ---- */

void held_results_release(struct held_result *held, int32_t n)
{
    for (int32_t rank = 0; held && rank < n; rank++)
        trial_result_release(&held[rank].r);
    free(held);
}

static struct held_result *held_of(const struct master *master, int32_t rank, int64_t number)
{
    struct held_result *held = &master->held[rank];

    return held->gang == number ? held : NULL;
}

bool master_holds_result(const struct master *master, int32_t rank)
{
    const struct gang *gang = dispatch_gang(master->dispatch, rank);

    return gang && !gang->is_over && held_of(master, rank, gang->number);
}

/* Takes the contents of r. */
static void hold(struct master *master, const struct gang_members *members, struct trial_result *r)
{
    struct held_result *held = &master->held[members->of[0]];

    trial_result_release(&held->r);
    *held =
        (struct held_result){.gang = members->number, .since_s = clock_now(master->clock), .r = *r};
    trial_result_init(r, members->trial);
}

/* ---- ends of members ---- */

/* A member that was not sent the gang runs nothing, nor does a leader whose result is held. */
int gang_members_end(struct master *master, const struct gang_members *members, struct err *err)
{
    for (int32_t i = 0; i < members->n; i++) {
        int32_t rank = members->of[i];
        const struct gang *gang = gang_at(master, members, rank);

        if (!gang)
            continue;
        if (!gang->is_over)
            return 0;
        if (master->gangs_begun[rank] != members->number || held_of(master, rank, members->number))
            dispatch_end_member(master->dispatch, rank, members->number);
        else if (master_end_gang(master, rank, err))
            return -1;
    }
    return 0;
}

/* Give the trial of a gang back. */
static int give_back(struct master *master, const struct gang_members *members, struct err *err)
{
    dispatch_give_back(master->dispatch, members->of[0], members->trial);
    if (master_sink_return(&master->delivery, &master->ranks, members->of[0], members->trial, err))
        return -1;
    return gang_members_end(master, members, err);
}

/* ---- beginning ---- */

/* A trial that takes rank 0 down takes all that is not committed with it. */
static int open_gang(struct master *master, const struct gang *gang, struct err *err)
{
    bool may_kill = gang->workers[0] == 0 && ledger_is_suspect(master->ledger, gang->trial);

    if (may_kill && master_sink_commit(&master->delivery, &master->ranks, err))
        return -1;
    message_begin(&master->out, MESSAGE_GANG_OPEN);
    buf_put_i64(&master->out, gang->number);
    buf_put_u32(&master->out, (uint32_t)master->world.size);
    return master_post(master, gang->workers[0], err);
}

int master_supply_gangs(struct master *master, struct err *err)
{
    double left_s = master->options.until_s - clock_now(master->clock);
    const struct gang *gang;
    int placed = 0;

    while (!master->is_stopping &&
           (placed = dispatch_place(master->dispatch, left_s, &gang, err)) > 0)
        if (open_gang(master, gang, err))
            return -1;
    return placed < 0 ? -1 : 0;
}

static int32_t host_of(const struct master *master, const struct gang_members *members, int32_t i)
{
    return dispatch_host(master->dispatch, members->of[i]);
}

/* Members are grouped by host. */
static void describe(const struct master *master, const struct gang_members *members, int32_t i,
                     struct trial_gang *part)
{
    int32_t first = i, end = i + 1;

    while (first > 0 && host_of(master, members, first - 1) == host_of(master, members, i))
        first--;
    while (end < members->n && host_of(master, members, end) == host_of(master, members, i))
        end++;
    part->rank = i;
    part->size = members->n;
    part->local_rank = i - first;
    part->local_size = end - first;
    part->n_local = part->local_size < TRIAL_LOCAL_RANKS ? part->local_size : TRIAL_LOCAL_RANKS;
    memcpy(part->local_ranks, members->of + first,
           (size_t)part->n_local * sizeof *part->local_ranks);
    part->host = part->n_hosts = 0;
    for (int32_t j = 1; j < members->n; j++) {
        bool is_next = host_of(master, members, j) != host_of(master, members, j - 1);

        part->host += is_next && j <= i;
        part->n_hosts += is_next;
    }
    part->n_hosts++;
}

static int send_part(struct master *master, const struct gang_members *members, int32_t i,
                     const struct message_gang *whole, const struct buf *checkpoint,
                     struct err *err)
{
    struct message_gang gang = *whole;

    describe(master, members, i, &gang.part);
    if (gang.part.n_hosts == 1)
        snprintf(gang.part.address, sizeof gang.part.address, "127.0.0.1");
    message_begin(&master->out, MESSAGE_GANG_RUN);
    message_put_gang(&master->out, &gang);
    buf_add(&master->out, checkpoint->data, checkpoint->size);
    master->gangs_begun[members->of[i]] = members->number;
    return master_post(master, members->of[i], err);
}

/* Sending may lose a rank, and with it the gang. */
static int begin_gang(struct master *master, const struct gang_members *members,
                      const struct message_gang *whole, struct err *err)
{
    struct buf checkpoint = {0};
    int rc = 0;

    if (dispatch_resumes(master->dispatch, members->trial) && master->delivery.sink.resume)
        master->delivery.sink.resume(master->delivery.sink.arg, members->trial, &checkpoint);
    if (buf_failed(&checkpoint))
        rc = err_nomem(err, "checkpoint", checkpoint.size);
    for (int32_t i = 0; i < members->n && !rc; i++) {
        const struct gang *gang = gang_at(master, members, members->of[i]);

        if (!gang || gang->is_over)
            break;
        rc = send_part(master, members, i, whole, &checkpoint, err);
    }
    buf_release(&checkpoint);
    return rc;
}

static int fail_gang(struct master *master, const struct gang_members *members, int32_t from,
                     struct trial_result *r, struct err *err);

static int fail_without_port(struct master *master, const struct gang_members *members,
                             const char *host, struct err *err)
{
    struct trial_result r;
    int rc;

    trial_result_init(&r, members->trial);
    r.rank = members->of[0];
    r.pid = (int32_t)rank_states_process(&master->ranks, r.rank)->pid;
    snprintf(r.host, sizeof r.host, "%s", host);
    snprintf(r.error, sizeof r.error, "no port from %d to %d is free on %s", PORT_FIRST, PORT_LAST,
             host);
    r.started = r.finished = clock_unix();
    r.seconds = 0;
    rc = fail_gang(master, members, members->of[0], &r, err);
    trial_result_release(&r);
    return rc;
}

static int take_port(struct master *master, const struct gang_members *members,
                     struct message_gang *whole, struct err *err)
{
    if (master->is_stopping)
        return give_back(master, members, err);
    if (!whole->part.port)
        return fail_without_port(master, members, whole->part.address, err);
    return begin_gang(master, members, whole, err);
}

static int make_token(struct trial_gang *part, struct err *err)
{
    uint64_t random[2];

    if (getrandom(random, sizeof random, 0) != sizeof random)
        return err_set(err, "no random numbers for a gang: %s", strerror(errno));
    snprintf(part->token, sizeof part->token, "%016llx%016llx", (unsigned long long)random[0],
             (unsigned long long)random[1]);
    return 0;
}

/* Ignored unless it is from the leader of a gang that has not begun. */
int master_take_port(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    struct message_gang whole = {.number = cursor_i64(in)};
    struct gang_members members;
    int rc = 0;

    whole.part.port = (int32_t)cursor_u32(in);
    cursor_text(in, whole.part.address, sizeof whole.part.address);
    if (in->failed)
        return err_set(err, "rank %d: port of a gang is truncated", from);
    if (gang_members_init(&members, master, from, err))
        return -1;
    if (members.number == whole.number && members.n && members.of[0] == from &&
        master->gangs_begun[from] != whole.number) {
        whole.trial = members.trial;
        whole.id = master_id(master, members.trial);
        whole.expected_s = dispatch_predicted(master->dispatch, members.trial);
        rc = make_token(&whole.part, err) || take_port(master, &members, &whole, err) ? -1 : 0;
    }
    gang_members_release(&members);
    return rc;
}

/* ---- ending ---- */

/* Store the gang's result, which any member may report, as the leader's. */
static int accept_result(struct master *master, const struct gang_members *members,
                         struct trial_result *r, struct err *err)
{
    const struct process *leader = rank_states_process(&master->ranks, members->of[0]);
    struct trial_member *all;
    int rc;

    r->predicted = dispatch_predicted(master->dispatch, r->trial);
    rank_states_finish(&master->ranks, members->of[0], r->trial);
    if (dispatch_finish(master->dispatch, members->of[0], r->trial, r->state,
                        master_busy_seconds(r)) != LEDGER_ACCEPTED)
        return 0;
    if (rank_states_members(&all, &master->ranks, members->of, members->n, err))
        return -1;
    if (r->rank != members->of[0]) {
        r->rank = members->of[0];
        r->pid = (int32_t)leader->pid;
        snprintf(r->host, sizeof r->host, "%.*s", (int)sizeof r->host - 1, leader->host);
    }
    r->members = all;
    r->n_members = members->n;
    rc = master_sink_result(&master->delivery, &master->ranks, r, err);
    r->members = NULL;
    r->n_members = 0;
    free(all);
    return rc;
}

static int fail_gang(struct master *master, const struct gang_members *members, int32_t from,
                     struct trial_result *r, struct err *err)
{
    char reason[sizeof r->error];
    int32_t rank = 0;

    while (members->of[rank] != from)
        rank++;
    snprintf(reason, sizeof reason, "%s", r->error);
    if (rank)
        snprintf(r->error, sizeof r->error, "rank %d of the gang: %.200s", rank, reason);
    if (accept_result(master, members, r, err))
        return -1;
    return gang_members_end(master, members, err);
}

/* Give the trial of a gang back with a crash. */
static int crash_gang(struct master *master, const struct gang_members *members, const char *reason,
                      struct err *err)
{
    int32_t leader = members->of[0];
    struct master_trial trial = {.trial = members->trial,
                                 .rank = leader,
                                 .process = rank_states_process(&master->ranks, leader),
                                 .started = master->ranks.of[leader].started,
                                 .n_members = members->n};
    struct trial_member *all;
    int rc;

    if (rank_states_members(&all, &master->ranks, members->of, members->n, err))
        return -1;
    trial.members = all;
    dispatch_give_back(master->dispatch, leader, members->trial);
    rc = master_sink_crash(&master->delivery, &master->ranks, &trial, reason, err);
    free(all);
    if (rc || gang_members_end(master, members, err))
        return -1;
    dispatch_suspect(master->dispatch, members->trial);
    return 0;
}

/* Members lost each other, which the scheduler may not have seen, or a program was killed: if that
 * happens again and again, the trial must not go on forever. */
static int take_apart(struct master *master, const struct gang_members *members,
                      struct trial_result *r, struct err *err)
{
    char reason[sizeof r->error];

    if (!dispatch_is_last_attempt(master->dispatch, members->trial))
        return crash_gang(master, members, r->error, err);
    snprintf(reason, sizeof reason, "%s", r->error);
    master_sink_put_last_crash(r, true, reason);
    return fail_gang(master, members, members->of[0], r, err); /* the reason names the member */
}

/* The trial took as long as its last member. */
static int accept_held(struct master *master, const struct gang_members *members, struct err *err)
{
    struct held_result *held = &master->held[members->of[0]];
    double longer_s = clock_now(master->clock) - held->since_s;

    held->r.seconds += longer_s;
    held->r.finished += longer_s;
    if (accept_result(master, members, &held->r, err))
        return -1;
    return gang_members_end(master, members, err);
}

/* A member has ended well. The result counts once all have. */
static int end_well(struct master *master, const struct gang_members *members, bool leads,
                    struct trial_result *r, struct err *err)
{
    int32_t n_running = dispatch_gang(master->dispatch, members->of[0])->n_here - 1;

    if (leads)
        hold(master, members, r);
    else
        n_running--;
    if (n_running || !held_of(master, members->of[0], members->number))
        return 0;
    return accept_held(master, members, err);
}

/* A member may fail because another one was stopped first. If the scheduler stops all of them, the
 * leader decides: its result counts unless a member is stopped after it. */
static int end_gang(struct master *master, const struct gang_members *members, int32_t from,
                    struct trial_result *r, struct err *err)
{
    bool leads = members->of[0] == from;
    bool was_stopped =
        r->state == TRIAL_PENDING || (r->state == TRIAL_FAILED && master->is_stopping);

    if (r->state == TRIAL_PENDING && r->error[0] && !master->is_stopping)
        return take_apart(master, members, r, err);
    if (was_stopped &&
        (leads || !master->is_stopping || held_of(master, members->of[0], members->number)))
        return give_back(master, members, err);
    if (was_stopped)
        return 0;
    if (r->state == TRIAL_FAILED)
        return fail_gang(master, members, from, r, err);
    return end_well(master, members, leads, r, err);
}

/* The member is free after that. Ignored if its gang is over. */
static int take_result(struct master *master, int32_t from, int64_t number, struct trial_result *r,
                       struct err *err)
{
    struct gang_members members;
    int rc = 0;

    if (gang_members_init(&members, master, from, err))
        return -1;
    if (members.n && members.number == number) {
        if (r->trial != members.trial || r->state == TRIAL_RUNNING)
            rc = err_set(err, "rank %d: result of trial %ld is %s, from the gang of trial %ld",
                         from, (long)r->trial, trial_state_name(r->state), (long)members.trial);
        else
            rc = end_gang(master, &members, from, r, err);
    }
    if (!master_holds_result(master, from))
        rank_states_finish(&master->ranks, from, members.trial);
    dispatch_end_member(master->dispatch, from, number);
    gang_members_release(&members);
    return rc;
}

int master_take_member_result(struct master *master, int32_t from, struct cursor *in,
                              struct err *err)
{
    int64_t number = cursor_i64(in);
    enum traffic_activity back;
    struct trial_result r;
    int rc;

    if (trial_result_unpack(&r, in))
        return err_set(err, "rank %d: message of %zu bytes: truncated result of a gang", from,
                       in->size);
    back = traffic_enter(&master->delivery.meter, TRAFFIC_STORE);
    rc = take_result(master, from, number, &r, err);
    traffic_leave(&master->delivery.meter, back);
    trial_result_release(&r);
    return rc;
}
