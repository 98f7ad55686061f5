/* What the scheduler knows of each worker besides its trials: whether it is there, and what it said
 * that it runs. Seat 0 is rank 0's own worker, seat r is rank r. */
#ifndef SCHED_SEAT_H
#define SCHED_SEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/process.h"
#include "sched/world.h"

/* Between two turns of a loop that sleeps milliseconds: this process was held up so long. */
#define SEAT_STALL_S 1.0

enum seat_state {
    SEAT_THERE,
    SEAT_LEFT,   /* said so */
    SEAT_SILENT, /* lost, as far as we know */
    SEAT_DEAD    /* lost for good */
};

struct seat {
    enum seat_state state;
    bool is_here;     /* on this host: whether it lives can be asked */
    double heard_s;   /* when the last message came */
    double told_s;    /* when the last went */
    int64_t running;  /* trial; -1: it has not said */
    double started;   /* Unix seconds, of running */
    bool is_named;    /* running, to the sink */
    bool is_doubtful; /* was silent, and has begun no trial since: what came may have been on its
                         way when it died */
};

struct seats {
    struct seat *of; /* [n] */
    int32_t n, n_left, n_lost;
    int32_t n_unnamed;               /* running, not named */
    double unnamed_s;                /* when the first of them was said to run */
    const struct process *processes; /* of the world, borrowed; NULL: only this process */
    struct process self;
};

/* All are there, heard of just now. -1 and err when memory is short. Release takes zeroed ones. */
int seats_init(struct seats *seats, const struct world *world, double now_s, struct err *err);
void seats_release(struct seats *seats);

const struct process *seats_process(const struct seats *seats, int32_t seat);
void seats_hear(struct seats *seats, int32_t seat, double now_s);
/* So many seconds in which nobody here listened are nobody's silence. */
void seats_discount(struct seats *seats, double seconds);
/* What is not there runs nothing. */
void seats_set(struct seats *seats, int32_t seat, enum seat_state state);

void seats_start(struct seats *seats, int32_t seat, int64_t trial, double started, double now_s);
void seats_finish(struct seats *seats, int32_t seat, int64_t trial); /* ignored unless running */
/* Whether it runs a trial that was not named; it counts as named from then on. */
bool seats_name(struct seats *seats, int32_t seat);

/* The state that a seat should have by now, and why it is lost. */
enum seat_state seats_watch(const struct seats *seats, int32_t seat, double now_s, double silence_s,
                            char *why, size_t size);

#endif
