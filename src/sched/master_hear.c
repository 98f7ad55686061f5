#include <math.h>
#include <stdio.h>

#include "sched/master_own.h"

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

/* What the next trial of its configuration will take: the graph is there by then. One that was run
 * in parts, maybe on several ranks, tells nothing of this rank. */
static double busy_seconds(const struct trial_result *r)
{
    return r->resumed_epoch ? (double)NAN : r->seconds - r->timing[PHASE_LOAD];
}

static int accept_result(struct master *master, int32_t from, struct trial_result *r,
                         struct err *err)
{
    r->predicted = dispatch_predicted(master->dispatch, r->trial);
    seats_finish(&master->seats, from, r->trial);
    if (dispatch_finish(master->dispatch, from, r->trial, r->state, busy_seconds(r)) !=
        LEDGER_ACCEPTED)
        return 0;
    return master_hand_on(master, r, err);
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
    return master_supply(master, from, err);
}

static int take_back(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    int64_t n = message_count_trials(in, err);

    if (n < 0)
        return blame(from, err);
    for (int64_t i = 0; i < n; i++) {
        int64_t trial = cursor_i64(in);

        seats_finish(&master->seats, from, trial);
        dispatch_give_back(master->dispatch, from, trial);
    }
    return 0;
}

static int take_start(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    int64_t trial = cursor_i64(in);
    double started = cursor_f64(in);

    if (in->failed || trial < 0 || trial >= ledger_counts(master->ledger).total) {
        err_set(err, "trial %ld is said to begin: there is none", (long)trial);
        return blame(from, err);
    }
    dispatch_start(master->dispatch, from, trial);
    if (ledger_lessee(master->ledger, trial) == from)
        seats_start(&master->seats, from, trial, started, clock_now(master->clock));
    return 0;
}

static int take_checkpoint(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    struct trial_checkpoint checkpoint;

    if (trial_checkpoint_unpack(&checkpoint, in)) {
        err_set(err, "checkpoint of %zu bytes is cut", in->size);
        return blame(from, err);
    }
    return master_keep(master, from, &checkpoint, err);
}

void master_take_leave(struct master *master, int32_t seat)
{
    if (master->seats.of[seat].state == SEAT_DEAD)
        return;
    seats_set(&master->seats, seat, SEAT_LEFT);
    dispatch_leave(master->dispatch, seat);
}

static int take_leave(struct master *master, int32_t from, struct cursor *in, struct err *err)
{
    char text[sizeof err->text];

    master_take_leave(master, from);
    cursor_text(in, text, sizeof text);
    if (!*text)
        return 0;
    err_set(err, "%s", text);
    return blame(from, err);
}

/* A silent one has spoken: it may work on, or learns that it is to stop. */
static int take_back_seat(struct master *master, int32_t seat, struct err *err)
{
    seats_set(&master->seats, seat, SEAT_THERE);
    master->seats.of[seat].is_doubtful = true;
    dispatch_return(master->dispatch, seat);
    master->sink.back(master->sink.arg, seat);
    return master->is_stopping ? master_tell_to_stop(master, seat, err) : 0;
}

int master_handle(struct master *master, int32_t from, struct err *err)
{
    struct cursor in;
    enum message_kind kind;

    if (message_open(&in, &kind, &master->in, err))
        return blame(from, err);
    seats_hear(&master->seats, from, clock_now(master->clock));
    if (master->seats.of[from].state == SEAT_SILENT && take_back_seat(master, from, err))
        return -1;
    switch (kind) {
    case MESSAGE_BEAT:
        return 0;
    case MESSAGE_START:
        return take_start(master, from, &in, err);
    case MESSAGE_CHECKPOINT:
        return take_checkpoint(master, from, &in, err);
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
