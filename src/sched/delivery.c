/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/delivery.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fault.h"

#define KEPT_S 60.0
/* Stored counters are this old at most, as a share of the time since the start, or in seconds, if
 * there are commits. One rank's rows take about 30 us. */
#define TRAFFIC_AGE_SHARE 0.1
#define TRAFFIC_AGE_S 60.0

int delivery_init(struct delivery *d, const struct master_parts *parts, struct err *err)
{
    double now_s = clock_now(parts->clock);
    size_t n = (size_t)parts->world->size;

    *d = (struct delivery){.sink = *parts->sink,
                           .options = *parts->options,
                           .dispatch = parts->dispatch,
                           .clock = parts->clock,
                           .processes = parts->world->processes,
                           .n = parts->world->size};
    traffic_begin(&d->meter, d->clock, TRAFFIC_START, d->options.begun_s);
    process_self(&d->self);
    d->ranks = calloc(n, sizeof *d->ranks);
    d->members = calloc(n, sizeof *d->members);
    if (!d->ranks || !d->members) {
        delivery_release(d);
        return err_nomem(err, "ranks", n * sizeof *d->ranks);
    }
    for (int32_t rank = 0; rank < d->n; rank++) {
        struct rank_state *state = &d->ranks[rank];

        state->heard_s = state->told_s = now_s;
        state->running = -1;
        state->is_here = process_is_beside(delivery_process(d, rank), &d->self);
    }
    return 0;
}

void delivery_release(struct delivery *d)
{
    for (int32_t rank = 0; d->ranks && rank < d->n; rank++)
        trial_result_release(&d->ranks[rank].held);
    free(d->ranks);
    free(d->members);
}

/* ---- ranks ---- */

const struct process *delivery_process(const struct delivery *d, int32_t rank)
{
    return d->processes ? &d->processes[rank] : &d->self;
}

static void forget_running(struct delivery *d, struct rank_state *state)
{
    d->n_unnamed -= state->running >= 0 && !state->is_named;
    state->running = -1;
}

static bool is_lost(const struct rank_state *state)
{
    return state->presence == RANK_SILENT || state->presence == RANK_DEAD;
}

void delivery_set_presence(struct delivery *d, int32_t rank, enum rank_presence presence)
{
    struct rank_state *state = &d->ranks[rank];

    d->n_left -= state->presence == RANK_LEFT;
    d->n_lost -= is_lost(state);
    state->presence = presence;
    d->n_left += state->presence == RANK_LEFT;
    d->n_lost += is_lost(state);
    if (presence != RANK_PRESENT)
        forget_running(d, state);
}

void delivery_start(struct delivery *d, int32_t rank, int64_t trial, double started)
{
    struct rank_state *state = &d->ranks[rank];

    forget_running(d, state);
    state->running = trial;
    state->is_doubtful = false;
    state->started = started;
    state->began_s = clock_now(d->clock);
    state->is_named = false;
    if (!d->n_unnamed++)
        d->unnamed_s = state->began_s;
}

void delivery_end(struct delivery *d, int32_t rank, int64_t trial)
{
    if (d->ranks[rank].running == trial)
        forget_running(d, &d->ranks[rank]);
}

enum rank_presence delivery_watch(struct delivery *d, int32_t rank, double now_s, char *why,
                                  size_t size)
{
    struct rank_state *state = &d->ranks[rank];

    if (state->presence == RANK_LEFT || state->presence == RANK_DEAD)
        return state->presence;
    if (state->is_gone) {
        snprintf(why, size, "its process is gone");
        return RANK_DEAD;
    }
    state->is_gone = state->is_here && !process_is_alive(delivery_process(d, rank));
    if (state->presence == RANK_PRESENT && now_s - state->heard_s > d->options.silence_s) {
        snprintf(why, size, "no message for %.0f s", d->options.silence_s);
        return RANK_SILENT;
    }
    return state->presence;
}

struct master_trial delivery_attempt(struct delivery *d, int32_t rank)
{
    const struct gang *gang = dispatch_gang(d->dispatch, rank);

    if (gang && gang->is_over)
        gang = NULL;
    for (int32_t i = 0; gang && i < gang->n; i++)
        d->members[i] =
            (struct trial_member){gang->workers[i], delivery_process(d, gang->workers[i])->host};
    return (struct master_trial){.trial = d->ranks[rank].running,
                                 .rank = rank,
                                 .process = delivery_process(d, rank),
                                 .started = d->ranks[rank].started,
                                 .members = gang ? d->members : NULL,
                                 .n_members = gang ? gang->n : 0};
}

void delivery_describe(const struct delivery *d, const struct gang *gang, int32_t i,
                       struct trial_gang *part)
{
    int32_t own = dispatch_host(d->dispatch, gang->workers[i]), before = -1, first = 0;

    part->rank = i;
    part->size = gang->n;
    part->local_size = part->n_hosts = 0;
    for (int32_t j = 0; j < gang->n; j++) {
        int32_t host = dispatch_host(d->dispatch, gang->workers[j]);

        part->n_hosts += host != before;
        before = host;
        if (host != own)
            continue;
        if (!part->local_size++) {
            first = j;
            part->host = part->n_hosts - 1;
        }
    }
    part->local_rank = i - first;
    part->n_local = part->local_size < TRIAL_LOCAL_RANKS ? part->local_size : TRIAL_LOCAL_RANKS;
    memcpy(part->local_ranks, gang->workers + first,
           (size_t)part->n_local * sizeof *part->local_ranks);
    if (part->n_hosts == 1)
        snprintf(part->address, sizeof part->address, "127.0.0.1");
}

/* ---- commits ---- */

double delivery_waits_since(const struct delivery *d)
{
    return fmin(d->n_uncommitted ? d->uncommitted_s : (double)INFINITY,
                d->n_unnamed ? d->unnamed_s : (double)INFINITY);
}

static void note_uncommitted(struct delivery *d)
{
    if (!d->n_uncommitted++)
        d->uncommitted_s = clock_now(d->clock);
}

int delivery_traffic(struct delivery *d, struct err *err)
{
    if (d->is_closed || !d->sink.traffic)
        return 0;
    traffic_update(&d->meter);
    worker_time_read(&d->meter.traffic, &d->worker);
    d->ranks[0].traffic = d->meter.traffic;
    d->ranks[0].has_counted = true;
    d->traffic_s = d->meter.since_s;
    for (int32_t rank = 0; rank < d->n; rank++) {
        if (d->ranks[rank].has_counted &&
            d->sink.traffic(d->sink.arg, rank, delivery_process(d, rank), &d->ranks[rank].traffic,
                            err))
            return -1;
        d->ranks[rank].has_counted = false;
    }
    return 0;
}

static int commit(struct delivery *d, struct err *err)
{
    double now_s = d->meter.since_s;
    int rc;

    for (int32_t rank = 0; d->n_unnamed && rank < d->n; rank++) {
        struct master_trial attempt;

        if (d->ranks[rank].running < 0 || d->ranks[rank].is_named)
            continue;
        d->ranks[rank].is_named = true;
        d->n_unnamed--;
        attempt = delivery_attempt(d, rank);
        if (d->sink.running(d->sink.arg, &attempt, err))
            return -1;
    }
    if (now_s - d->traffic_s >= fmin(TRAFFIC_AGE_SHARE * (now_s - d->begun_s), TRAFFIC_AGE_S) &&
        delivery_traffic(d, err))
        return -1;
    d->n_uncommitted = 0;
    FAULT("scheduler: before a commit");
    rc = d->sink.commit(d->sink.arg, err);
    if (rc < 0)
        return -1;
    d->is_enough |= rc > 0;
    FAULT("scheduler: a commit was made");
    return 0;
}

int delivery_commit(struct delivery *d, struct err *err)
{
    enum traffic_activity back;
    int rc;

    if (d->is_closed || isinf(delivery_waits_since(d)))
        return 0;
    back = traffic_enter(&d->meter, TRAFFIC_COMMIT);
    rc = commit(d, err);
    traffic_leave(&d->meter, back);
    return rc;
}

/* ---- results ---- */

int delivery_result(struct delivery *d, struct trial_result *r, struct err *err)
{
    int rc;

    r->predicted = dispatch_predicted(d->dispatch, r->trial);
    if (d->is_closed)
        return 0;
    note_uncommitted(d);
    d->n_finished += r->state != TRIAL_PENDING;
    rc = d->sink.result(d->sink.arg, r, err);
    if (rc < 0)
        return -1;
    d->is_enough |= rc > 0;
    return d->n_uncommitted >= d->options.commit_results ? delivery_commit(d, err) : 0;
}

int delivery_checkpoint(struct delivery *d, int32_t rank, const struct trial_checkpoint *checkpoint,
                        struct err *err)
{
    double now_s = clock_now(d->clock);

    if (d->is_closed || !d->sink.checkpoint ||
        ledger_lessee(dispatch_ledger(d->dispatch), checkpoint->trial) != rank)
        return 0;
    if (now_s - d->kept_s > KEPT_S) {
        d->kept_s = now_s;
        d->kept_bytes = 0;
    }
    if (checkpoint->bytes > d->options.checkpoint_bytes - d->kept_bytes)
        return 0;
    d->kept_bytes += checkpoint->bytes;
    note_uncommitted(d);
    dispatch_resume(d->dispatch, checkpoint->trial, checkpoint->left);
    return d->sink.checkpoint(d->sink.arg, checkpoint, err);
}

int delivery_report(struct delivery *d, int32_t rank, const struct trial_result *so_far,
                    struct err *err)
{
    const struct rank_state *state = &d->ranks[rank];

    if (d->is_closed || !d->sink.report || state->running != so_far->trial || !state->is_named)
        return 0;
    note_uncommitted(d);
    return d->sink.report(d->sink.arg, so_far, err);
}

void delivery_progress(struct delivery *d, double now_s)
{
    double used_s = 0; /* that running trials have already used */

    for (int32_t rank = 0; rank < d->n; rank++) {
        const struct rank_state *state = &d->ranks[rank];

        if (state->running >= 0)
            used_s +=
                fmin(now_s - state->began_s, dispatch_expected_s(d->dispatch, state->running)) *
                dispatch_width(d->dispatch, state->running);
    }
    d->sink.progress(
        d->sink.arg,
        &(struct master_progress){
            .counts = ledger_counts(dispatch_ledger(d->dispatch)),
            .n_workers = d->n - d->n_lost,
            .n_busy = dispatch_n_busy(d->dispatch),
            .elapsed_s = now_s - d->begun_s,
            .left_s = fmax(
                dispatch_left_s(d->dispatch) - used_s / fmax(dispatch_n_alive(d->dispatch), 1), 0),
            .finished = d->n_finished,
        });
}

/* ---- losses ---- */

void delivery_put_last_crash(struct trial_result *r, bool had_gang, const char *reason)
{
    r->state = TRIAL_FAILED;
    snprintf(r->error, sizeof r->error, "%s for the last time (crash_limit): %.180s",
             had_gang ? "its gang lost a member" : "took its rank down", reason);
}

int delivery_loss(struct delivery *d, const struct master_loss *loss, int64_t failed,
                  struct err *err)
{
    const struct master_trial *attempt = &loss->attempt;
    struct trial_result r;

    if (d->is_closed)
        return 0;
    FAULT("scheduler: before a loss is recorded");
    if (d->sink.lost(d->sink.arg, loss, err))
        return -1;
    FAULT("scheduler: a loss was recorded");
    note_uncommitted(d);
    if (failed < 0)
        return 0;
    trial_result_init(&r, failed); /* owns nothing */
    r.rank = attempt->rank;
    r.pid = (int32_t)attempt->process->pid;
    snprintf(r.host, sizeof r.host, "%.*s", (int)sizeof r.host - 1, attempt->process->host);
    r.members = attempt->members;
    r.n_members = attempt->n_members;
    delivery_put_last_crash(&r, attempt->n_members > 0, loss->reason);
    r.finished = clock_unix();
    r.started = failed == attempt->trial ? attempt->started : r.finished;
    r.seconds = r.finished - r.started;
    return delivery_result(d, &r, err);
}

int delivery_return(struct delivery *d, int32_t rank, int64_t trial, struct err *err)
{
    struct master_trial attempt = delivery_attempt(d, rank);
    bool is_known = attempt.trial == trial && d->ranks[rank].is_named;

    delivery_end(d, rank, trial);
    if (!is_known || d->is_closed || !d->sink.returned)
        return 0;
    note_uncommitted(d);
    return d->sink.returned(d->sink.arg, &attempt, err);
}

int delivery_crash(struct delivery *d, const struct master_trial *attempt, const char *reason,
                   struct err *err)
{
    delivery_end(d, attempt->rank, attempt->trial);
    if (d->is_closed || !d->sink.crashed)
        return 0;
    note_uncommitted(d);
    return d->sink.crashed(d->sink.arg, attempt, reason, err);
}
