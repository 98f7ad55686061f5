#include <math.h>
#include <stdio.h>

#include "sched/master_own.h"

#define KEPT_S 60.0

bool master_is_uncommitted(const struct master *master, double *since_s)
{
    *since_s = master->n_uncommitted ? master->uncommitted_s : (double)INFINITY;
    if (master->seats.n_unnamed)
        *since_s = fmin(*since_s, master->seats.unnamed_s);
    return master->n_uncommitted || master->seats.n_unnamed;
}

/* Trials under way that the sink has not heard of. */
static int name_running(struct master *master, struct err *err)
{
    struct master_trial trial;

    for (int32_t seat = 0; master->seats.n_unnamed && seat < master->world.size; seat++) {
        if (!seats_name(&master->seats, seat))
            continue;
        trial = (struct master_trial){.trial = master->seats.of[seat].running,
                                      .rank = seat,
                                      .process = seats_process(&master->seats, seat),
                                      .started = master->seats.of[seat].started};
        if (master->sink.running(master->sink.arg, &trial, err))
            return -1;
    }
    return 0;
}

int master_commit(struct master *master, struct err *err)
{
    double since_s;

    if (master->has_failed || !master_is_uncommitted(master, &since_s))
        return 0;
    if (name_running(master, err))
        return -1;
    master->n_uncommitted = 0;
    FAULT("scheduler: before a commit");
    if (master->sink.commit(master->sink.arg, err))
        return -1;
    FAULT("scheduler: a commit was made");
    return 0;
}

int master_hand_on(struct master *master, const struct trial_result *r, struct err *err)
{
    if (master->has_failed)
        return 0;
    if (!master->n_uncommitted)
        master->uncommitted_s = clock_now(master->clock);
    master->n_uncommitted++;
    master->finished++;
    if (master->sink.result(master->sink.arg, r, err))
        return -1;
    return master->n_uncommitted >= master->options.commit_results ? master_commit(master, err) : 0;
}

/* Whether so many bytes more are not too much at once. */
static bool has_time_for(struct master *master, size_t bytes, double now_s)
{
    if (now_s - master->kept_s > KEPT_S) {
        master->kept_s = now_s;
        master->kept_bytes = 0;
    }
    if (bytes > master->options.checkpoint_bytes - master->kept_bytes)
        return false;
    master->kept_bytes += bytes;
    return true;
}

/* The trial has its place in the queue by what is left of it. One that has a result meanwhile, or
 * is run by another, has no use for it. */
int master_keep(struct master *master, int32_t seat, const struct trial_checkpoint *checkpoint,
                struct err *err)
{
    double now_s = clock_now(master->clock);

    if (master->has_failed || !master->sink.checkpoint ||
        ledger_lessee(master->ledger, checkpoint->trial) != seat ||
        !has_time_for(master, checkpoint->bytes, now_s))
        return 0;
    if (!master->n_uncommitted++)
        master->uncommitted_s = now_s;
    resumes_set(dispatch_resumes(master->dispatch), checkpoint->trial, checkpoint->left);
    return master->sink.checkpoint(master->sink.arg, checkpoint, err);
}

/* ---- ranks that are lost ---- */

/* A trial that has taken its rank down for the last time. */
static int fail_trial(struct master *master, int64_t trial, const struct master_loss *loss,
                      double started, struct err *err)
{
    struct trial_result r;
    int rc;

    trial_result_init(&r, trial);
    r.rank = loss->rank;
    r.pid = (int32_t)loss->process->pid;
    snprintf(r.host, sizeof r.host, "%.*s", (int)sizeof r.host - 1, loss->process->host);
    snprintf(r.error, sizeof r.error, "took its rank down for the last time (crash_limit): %s",
             loss->why);
    r.finished = clock_unix();
    r.started = trial == loss->running ? started : r.finished;
    r.seconds = r.finished - r.started;
    r.predicted = dispatch_predicted(master->dispatch, trial);
    rc = master_hand_on(master, &r, err);
    trial_result_release(&r);
    return rc;
}

static int tell_loss(struct master *master, const struct master_loss *loss, const int64_t *failed,
                     int32_t n, double started, struct err *err)
{
    if (master->has_failed)
        return 0;
    FAULT("scheduler: before a loss is recorded");
    if (master->sink.lost(master->sink.arg, loss, err))
        return -1;
    FAULT("scheduler: a loss was recorded");
    if (!master->n_uncommitted++)
        master->uncommitted_s = clock_now(master->clock);
    for (int32_t i = 0; i < n; i++)
        if (fail_trial(master, failed[i], loss, started, err))
            return -1;
    return 0;
}

/* What a seat was given after it seemed to be back is no reason for its silence. */
static void take_all_back(struct master *master, int32_t seat)
{
    int64_t trial;

    while (ledger_blames(master->ledger, seat, 1, &trial))
        dispatch_give_back(master->dispatch, seat, trial);
}

int master_lose(struct master *master, int32_t seat, enum seat_state state, const char *why,
                struct err *err)
{
    struct seat lost = master->seats.of[seat];
    int64_t blamed[DISPATCH_MAX], failed[DISPATCH_MAX];
    struct master_loss loss = {.rank = seat,
                               .process = seats_process(&master->seats, seat),
                               .is_dead = state == SEAT_DEAD,
                               .trials = blamed,
                               .running = lost.running};
    int32_t n;

    seats_set(&master->seats, seat, state);
    if (lost.state != SEAT_THERE)
        return 0;
    if (lost.is_doubtful)
        take_all_back(master, seat);
    snprintf(loss.why, sizeof loss.why, "%s", why);
    loss.n_trials = ledger_blames(master->ledger, seat, DISPATCH_MAX, blamed);
    n = dispatch_lose(master->dispatch, seat, DISPATCH_MAX, failed);
    return tell_loss(master, &loss, failed, n, lost.started, err);
}
