#include "sched/seat.h"

#include <stdio.h>
#include <stdlib.h>

int seats_init(struct seats *seats, const struct world *world, double now_s, struct err *err)
{
    size_t n = (size_t)world->size;

    *seats = (struct seats){.n = world->size, .processes = world->processes};
    seats->of = calloc(n, sizeof *seats->of);
    if (!seats->of)
        return err_nomem(err, "workers", n * sizeof *seats->of);
    process_self(&seats->self);
    for (int32_t i = 0; i < seats->n; i++)
        seats->of[i] =
            (struct seat){.heard_s = now_s,
                          .told_s = now_s,
                          .running = -1,
                          .is_here = process_is_beside(seats_process(seats, i), &seats->self)};
    return 0;
}

void seats_release(struct seats *seats)
{
    free(seats->of);
    seats->of = NULL;
}

const struct process *seats_process(const struct seats *seats, int32_t seat)
{
    return seats->processes ? &seats->processes[seat] : &seats->self;
}

void seats_hear(struct seats *seats, int32_t seat, double now_s)
{
    seats->of[seat].heard_s = now_s;
}

void seats_discount(struct seats *seats, double seconds)
{
    for (int32_t i = 0; i < seats->n; i++)
        seats->of[i].heard_s += seconds;
}

static void forget_running(struct seats *seats, struct seat *seat)
{
    if (seat->running >= 0 && !seat->is_named)
        seats->n_unnamed--;
    seat->running = -1;
}

static bool is_lost(const struct seat *seat)
{
    return seat->state == SEAT_SILENT || seat->state == SEAT_DEAD;
}

void seats_set(struct seats *seats, int32_t i, enum seat_state state)
{
    struct seat *seat = &seats->of[i];

    seats->n_left -= seat->state == SEAT_LEFT;
    seats->n_lost -= is_lost(seat);
    seat->state = state;
    seats->n_left += seat->state == SEAT_LEFT;
    seats->n_lost += is_lost(seat);
    if (state != SEAT_THERE)
        forget_running(seats, seat);
}

void seats_start(struct seats *seats, int32_t i, int64_t trial, double started, double now_s)
{
    struct seat *seat = &seats->of[i];

    forget_running(seats, seat);
    seat->running = trial;
    seat->is_doubtful = false;
    seat->started = started;
    seat->is_named = false;
    if (!seats->n_unnamed++)
        seats->unnamed_s = now_s;
}

void seats_finish(struct seats *seats, int32_t i, int64_t trial)
{
    if (seats->of[i].running == trial)
        forget_running(seats, &seats->of[i]);
}

bool seats_name(struct seats *seats, int32_t i)
{
    struct seat *seat = &seats->of[i];

    if (seat->running < 0 || seat->is_named)
        return false;
    seat->is_named = true;
    seats->n_unnamed--;
    return true;
}

enum seat_state seats_watch(const struct seats *seats, int32_t i, double now_s, double silence_s,
                            char *why, size_t size)
{
    const struct seat *seat = &seats->of[i];

    if (seat->state == SEAT_LEFT || seat->state == SEAT_DEAD)
        return seat->state;
    if (seat->is_here && !process_is_alive(seats_process(seats, i))) {
        snprintf(why, size, "its process is gone");
        return SEAT_DEAD;
    }
    if (seat->state == SEAT_THERE && now_s - seat->heard_s > silence_s) {
        snprintf(why, size, "not heard of for %.0f s", silence_s);
        return SEAT_SILENT;
    }
    return seat->state;
}
