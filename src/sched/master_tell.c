#include <math.h>

#include "sched/master_own.h"

/* A rank that cannot be sent to is lost; that is no fault of the run. */
static int post(struct master *master, int32_t seat, struct err *err)
{
    struct err why;

    if (buf_failed(&master->out))
        return err_nomem(err, "message", master->out.size);
    if (!seat)
        return mailbox_put(&master->outbox, &master->out, err);
    master->seats.of[seat].told_s = clock_now(master->clock);
    if (!world_send(&master->world, seat, &master->out, &why))
        return 0;
    return master_lose(master, seat, SEAT_SILENT, why.text, err);
}

int master_supply(struct master *master, int32_t seat, struct err *err)
{
    double left_s = master->options.until_s - clock_now(master->clock);
    int64_t trials[DISPATCH_MAX];
    int32_t n;

    if (master->is_stopping || master->seats.of[seat].state != SEAT_THERE)
        return 0;
    n = dispatch_assign(master->dispatch, seat, left_s, trials, err);
    if (n <= 0)
        return n;
    /* It may take all down with it that is not safe by then. */
    if (!seat && ledger_is_suspect(master->ledger, trials[0]) && master_commit(master, err))
        return -1;
    message_begin(&master->out, MESSAGE_ASSIGN);
    message_put_trials(&master->out, trials, (uint32_t)n);
    for (int32_t i = 0; i < n; i++)
        buf_put_f64(&master->out, dispatch_predicted(master->dispatch, trials[i]));
    if (n == 1 && resumes_has(dispatch_resumes(master->dispatch), trials[0]) && master->sink.resume)
        master->sink.resume(master->sink.arg, trials[0], &master->out);
    return post(master, seat, err);
}

int master_supply_idle(struct master *master, struct err *err)
{
    int32_t seat;

    while (!master->is_stopping && (seat = dispatch_idle(master->dispatch)) >= 0)
        if (master_supply(master, seat, err))
            return -1;
    return 0;
}

int master_tell_to_stop(struct master *master, int32_t seat, struct err *err)
{
    message_begin(&master->out, MESSAGE_STOP);
    buf_put_f64(&master->out, fmax(master->stop_s - clock_now(master->clock), 0));
    return post(master, seat, err);
}

int master_stop_workers(struct master *master, enum master_end end, double stop_s, struct err *err)
{
    int rc = 0;

    if (master->is_stopping && stop_s >= master->stop_s)
        return 0;
    if (!master->is_stopping)
        master->end = end;
    master->is_stopping = true;
    master->stop_s = stop_s;
    FAULT("scheduler: before all are told to stop");
    for (int32_t seat = 0; seat < master->world.size; seat++)
        if (master->seats.of[seat].state == SEAT_THERE && master_tell_to_stop(master, seat, err))
            rc = -1;
    FAULT("scheduler: all were told to stop");
    return rc;
}

/* A message of its own: master->out may hold one that is being written. */
static void beat(struct master *master, int32_t seat, double now_s)
{
    struct buf message = {0};

    if (master->seats.of[seat].state != SEAT_THERE || !seat ||
        now_s - master->seats.of[seat].told_s <= master->options.silence_s / MASTER_BEATS)
        return;
    master->seats.of[seat].told_s = now_s;
    message_begin(&message, MESSAGE_BEAT);
    /* What cannot be sent now can be the next time, or never: then its silence tells. */
    if (!buf_failed(&message))
        world_send(&master->world, seat, &message, NULL);
    buf_release(&message);
}

void master_keep_alive(struct master *master)
{
    double now_s = clock_now(master->clock);

    for (int32_t seat = 1; seat < master->world.size; seat++)
        beat(master, seat, now_s);
}

int master_watch(struct master *master, double now_s, struct err *err)
{
    char why[160];

    master->watch_s = now_s;
    for (int32_t seat = 1; seat < master->world.size; seat++) {
        enum seat_state state =
            seats_watch(&master->seats, seat, now_s, master->options.silence_s, why, sizeof why);

        if (state == master->seats.of[seat].state || (state == SEAT_DEAD && world_give_up(seat)))
            continue;
        if (master_lose(master, seat, state, why, err))
            return -1;
    }
    master_keep_alive(master);
    return 0;
}

void master_say_bye(struct master *master)
{
    struct err ignored;

    if (master->seats.n_lost)
        world_lost_rank();
    message_begin(&master->out, MESSAGE_BYE);
    buf_put_u32(&master->out, master->seats.n_lost > 0);
    for (int32_t seat = 1; seat < master->world.size; seat++)
        if (master->seats.of[seat].state == SEAT_LEFT && !buf_failed(&master->out))
            world_send(&master->world, seat, &master->out, &ignored);
}
