/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/master_sink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fault.h"

#define KEPT_S 60.0
/* Stored counters are this old at most, as a share of the time since the start, or in seconds, if
 * there are commits. One rank's rows take about 30 us. */
#define TRAFFIC_SHARE 0.1
#define TRAFFIC_S 60.0

bool master_sink_is_waiting(const struct master_delivery *d, const struct rank_states *ranks,
                            double *since_s)
{
    *since_s = d->n_uncommitted ? d->uncommitted_s : (double)INFINITY;
    if (ranks->n_unnamed)
        *since_s = fmin(*since_s, ranks->unnamed_s);
    return d->n_uncommitted || ranks->n_unnamed;
}

static void note_uncommitted(struct master_delivery *d)
{
    if (!d->n_uncommitted++)
        d->uncommitted_s = clock_now(d->clock);
}

static struct master_trial running_on(const struct rank_states *ranks, int32_t rank)
{
    return (struct master_trial){.trial = ranks->of[rank].running,
                                 .rank = rank,
                                 .process = rank_states_process(ranks, rank),
                                 .started = ranks->of[rank].started};
}

static int name_trial(struct master_delivery *d, const struct rank_states *ranks, int32_t rank,
                      struct err *err)
{
    const struct gang *gang = dispatch_gang(d->dispatch, rank);
    struct master_trial trial = running_on(ranks, rank);
    struct trial_member *members = NULL;
    int rc;

    if (gang && rank_states_members(&members, ranks, gang->workers, gang->n, err))
        return -1;
    trial.members = members;
    trial.n_members = gang ? gang->n : 0;
    rc = d->sink.running(d->sink.arg, &trial, err);
    free(members);
    return rc;
}

static int name_running(struct master_delivery *d, struct rank_states *ranks, struct err *err)
{
    for (int32_t rank = 0; ranks->n_unnamed && rank < ranks->n; rank++)
        if (rank_states_name(ranks, rank) && name_trial(d, ranks, rank, err))
            return -1;
    return 0;
}

int master_sink_return(struct master_delivery *d, struct rank_states *ranks, int32_t rank,
                       int64_t trial, struct err *err)
{
    struct master_trial back = running_on(ranks, rank);
    bool is_known = back.trial == trial && ranks->of[rank].is_named;

    rank_states_finish(ranks, rank, trial);
    if (!is_known || d->is_closed || !d->sink.returned)
        return 0;
    note_uncommitted(d);
    return d->sink.returned(d->sink.arg, &back, err);
}

int master_sink_crash(struct master_delivery *d, struct rank_states *ranks,
                      const struct master_trial *trial, const char *reason, struct err *err)
{
    rank_states_finish(ranks, trial->rank, trial->trial);
    if (d->is_closed || !d->sink.crashed)
        return 0;
    note_uncommitted(d);
    return d->sink.crashed(d->sink.arg, trial, reason, err);
}

int master_sink_traffic(struct master_delivery *d, struct rank_states *ranks, struct err *err)
{
    const struct traffic *traffic;

    if (d->is_closed || !d->sink.traffic)
        return 0;
    traffic_update(&d->meter);
    worker_time_read(&d->meter.traffic, &d->worker);
    rank_states_count(ranks, 0, &d->meter.traffic);
    d->traffic_s = d->meter.since_s;
    for (int32_t rank = 0; rank < ranks->n; rank++)
        if ((traffic = rank_states_counted(ranks, rank)) &&
            d->sink.traffic(d->sink.arg, rank, rank_states_process(ranks, rank), traffic, err))
            return -1;
    return 0;
}

static bool is_traffic_due(const struct master_delivery *d)
{
    double now_s = d->meter.since_s;

    return now_s - d->traffic_s >= fmin(TRAFFIC_SHARE * (now_s - d->begun_s), TRAFFIC_S);
}

static int commit(struct master_delivery *d, struct rank_states *ranks, struct err *err)
{
    int rc;

    if (name_running(d, ranks, err) || (is_traffic_due(d) && master_sink_traffic(d, ranks, err)))
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

int master_sink_commit(struct master_delivery *d, struct rank_states *ranks, struct err *err)
{
    enum traffic_activity back;
    double since_s;
    int rc;

    if (d->is_closed || !master_sink_is_waiting(d, ranks, &since_s))
        return 0;
    back = traffic_enter(&d->meter, TRAFFIC_COMMIT);
    rc = commit(d, ranks, err);
    traffic_leave(&d->meter, back);
    return rc;
}

int master_sink_result(struct master_delivery *d, struct rank_states *ranks,
                       const struct trial_result *r, struct err *err)
{
    int rc;

    if (d->is_closed)
        return 0;
    note_uncommitted(d);
    d->n_finished += r->state != TRIAL_PENDING;
    rc = d->sink.result(d->sink.arg, r, err);
    if (rc < 0)
        return -1;
    d->is_enough |= rc > 0;
    return d->n_uncommitted >= d->commit_results ? master_sink_commit(d, ranks, err) : 0;
}

static bool has_time_for(struct master_delivery *d, size_t bytes, double now_s)
{
    if (now_s - d->kept_s > KEPT_S) {
        d->kept_s = now_s;
        d->kept_bytes = 0;
    }
    if (bytes > d->checkpoint_bytes - d->kept_bytes)
        return false;
    d->kept_bytes += bytes;
    return true;
}

int master_sink_checkpoint(struct master_delivery *d, int32_t rank,
                           const struct trial_checkpoint *checkpoint, struct err *err)
{
    if (d->is_closed || !d->sink.checkpoint ||
        ledger_lessee(dispatch_ledger(d->dispatch), checkpoint->trial) != rank ||
        !has_time_for(d, checkpoint->bytes, clock_now(d->clock)))
        return 0;
    note_uncommitted(d);
    dispatch_resume(d->dispatch, checkpoint->trial, checkpoint->left);
    return d->sink.checkpoint(d->sink.arg, checkpoint, err);
}

int master_sink_report(struct master_delivery *d, const struct rank_state *rank,
                       const struct trial_result *so_far, struct err *err)
{
    if (d->is_closed || !d->sink.report || rank->running != so_far->trial || !rank->is_named)
        return 0;
    note_uncommitted(d);
    return d->sink.report(d->sink.arg, so_far, err);
}

/* Expected seconds until all is done, without the time that running trials have already used. */
static double left_now_s(const struct master_delivery *d, const struct rank_states *ranks,
                         double now_s)
{
    double used_s = 0;

    for (int32_t rank = 0; rank < ranks->n; rank++) {
        const struct rank_state *state = &ranks->of[rank];

        if (state->running >= 0)
            used_s +=
                fmin(now_s - state->began_s, dispatch_expected_s(d->dispatch, state->running)) *
                dispatch_width(d->dispatch, state->running);
    }
    return fmax(dispatch_left_s(d->dispatch) - used_s / fmax(dispatch_n_alive(d->dispatch), 1), 0);
}

void master_sink_progress(struct master_delivery *d, const struct rank_states *ranks, double now_s)
{
    struct master_progress progress = {
        .counts = ledger_counts(dispatch_ledger(d->dispatch)),
        .n_workers = ranks->n - ranks->n_lost,
        .n_busy = dispatch_n_busy(d->dispatch),
        .elapsed_s = now_s - d->begun_s,
        .left_s = left_now_s(d, ranks, now_s),
        .finished = d->n_finished,
    };

    d->sink.progress(d->sink.arg, &progress);
}

void master_sink_unable(struct master_delivery *d, const struct rank_states *ranks, int32_t rank,
                        const char *why)
{
    if (d->sink.unable)
        d->sink.unable(d->sink.arg, rank, rank_states_process(ranks, rank), why);
}

void master_sink_put_last_crash(struct trial_result *r, bool had_gang, const char *reason)
{
    r->state = TRIAL_FAILED;
    snprintf(r->error, sizeof r->error, "%s for the last time (crash_limit): %.180s",
             had_gang ? "its gang lost a member" : "took its rank down", reason);
}

static int fail_trial(struct master_delivery *d, struct rank_states *ranks, int64_t trial,
                      const struct master_loss *loss, double started, struct err *err)
{
    struct trial_result r;
    int rc;

    trial_result_init(&r, trial);
    r.rank = loss->leader;
    r.pid = (int32_t)loss->leader_process->pid;
    snprintf(r.host, sizeof r.host, "%.*s", (int)sizeof r.host - 1, loss->leader_process->host);
    r.members = loss->members;
    r.n_members = loss->n_members;
    master_sink_put_last_crash(&r, loss->n_members > 0, loss->reason);
    r.finished = clock_unix();
    r.started = trial == loss->running ? started : r.finished;
    r.seconds = r.finished - r.started;
    r.predicted = dispatch_predicted(d->dispatch, trial);
    rc = master_sink_result(d, ranks, &r, err);
    trial_result_release(&r);
    return rc;
}

int master_sink_loss(struct master_delivery *d, struct rank_states *ranks,
                     const struct master_loss *loss, const int64_t *trials, int32_t n,
                     double started, struct err *err)
{
    if (d->is_closed)
        return 0;
    FAULT("scheduler: before a loss is recorded");
    if (d->sink.lost(d->sink.arg, loss, err))
        return -1;
    FAULT("scheduler: a loss was recorded");
    note_uncommitted(d);
    for (int32_t i = 0; i < n; i++)
        if (fail_trial(d, ranks, trials[i], loss, started, err))
            return -1;
    return 0;
}

void master_sink_close(struct master_delivery *d)
{
    d->is_closed = true;
    d->n_uncommitted = 0;
}
