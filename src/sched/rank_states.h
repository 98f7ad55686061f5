/* SPDX-License-Identifier: BSD-3-Clause */
/* What the scheduler knows of the worker of each rank besides its trials: whether it is there, and
 * what it said that it runs. That of rank 0 is a thread of the same process. */
#ifndef SCHED_RANK_STATES_H
#define SCHED_RANK_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/process.h"
#include "sched/world.h"

/* Between two turns of a loop that sleeps milliseconds: this process was held up so long. */
#define RANK_STATES_STALL_S 1.0

enum rank_presence {
    RANK_PRESENT,
    RANK_LEFT,   /* said so */
    RANK_SILENT, /* lost, as far as we know */
    RANK_DEAD    /* lost for good */
};

struct rank_state {
    enum rank_presence presence;
    bool is_here;     /* on this host: whether it lives can be asked */
    double heard_s;   /* when the last message came */
    double told_s;    /* when the last went */
    int64_t running;  /* trial; -1: it has not said */
    double started;   /* Unix seconds, of running */
    bool is_named;    /* running, to the sink */
    bool is_doubtful; /* was silent, and has begun no trial since: what came may have been on its
                         way when it died */
};

struct rank_states {
    struct rank_state *of; /* [n] */
    int32_t n, n_left, n_lost;
    int32_t n_unnamed;               /* running, not named */
    double unnamed_s;                /* when the first of them was said to run */
    const struct process *processes; /* of the world, borrowed; NULL: only this process */
    struct process self;
};

/* All are there, heard of just now. -1 and err when memory is short. Release takes zeroed ones. */
int rank_states_init(struct rank_states *states, const struct world *world, double now_s,
                     struct err *err);
void rank_states_release(struct rank_states *states);

const struct process *rank_states_process(const struct rank_states *states, int32_t rank);
void rank_states_hear(struct rank_states *states, int32_t rank, double now_s);
/* So many seconds in which nobody here listened are nobody's silence. */
void rank_states_discount(struct rank_states *states, double seconds);
/* What is not there runs nothing. */
void rank_states_set(struct rank_states *states, int32_t rank, enum rank_presence presence);

void rank_states_start(struct rank_states *states, int32_t rank, int64_t trial, double started,
                       double now_s);
void rank_states_finish(struct rank_states *states, int32_t rank,
                        int64_t trial); /* ignored unless running */
/* Whether it runs a trial that was not named; it counts as named from then on. */
bool rank_states_name(struct rank_states *states, int32_t rank);

/* What the presence of a rank should be by now, and why it is lost. */
enum rank_presence rank_states_watch(const struct rank_states *states, int32_t rank, double now_s,
                                     double silence_s, char *why, size_t size);

#endif
