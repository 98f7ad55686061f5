/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler's view of each rank: presence and the trial it reported. */
#ifndef SCHED_RANK_STATES_H
#define SCHED_RANK_STATES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/process.h"
#include "sched/traffic.h"
#include "sched/world.h"
#include "trial/result.h"

/* A loop that sleeps milliseconds was held up if a turn takes this long. */
#define RANK_STATES_STALL_S 1.0

enum rank_presence {
    RANK_PRESENT,
    RANK_LEFT,   /* reported that it leaves */
    RANK_SILENT, /* lost, as far as known */
    RANK_DEAD    /* lost for good */
};

struct rank_state {
    enum rank_presence presence;
    bool is_here;     /* its process can be checked */
    bool is_gone;     /* it was, and does not live; last messages may not have been read */
    double heard_s;   /* last message from it */
    double told_s;    /* last message to it */
    int64_t running;  /* trial; -1: not reported */
    double started;   /* Unix seconds of its host, of `running` */
    double began_s;   /* when this rank learned of that start */
    bool is_named;    /* `running` was named to the sink */
    bool is_doubtful; /* was silent and has begun no trial since */
    bool has_counted; /* its counters changed since rank_states_counted() */
};

struct rank_states {
    struct rank_state *of;   /* [n] */
    struct traffic *traffic; /* [n] last reported */
    int32_t n, n_left, n_lost;
    int32_t n_unnamed;               /* running trials not named to the sink */
    double unnamed_s;                /* when the first of them was reported */
    const struct process *processes; /* [n] borrowed; NULL: only this process */
    struct process self;
};

/* Set all ranks present. */
int rank_states_init(struct rank_states *states, const struct world *world, double now_s,
                     struct err *err);
void rank_states_release(struct rank_states *states);

const struct process *rank_states_process(const struct rank_states *states, int32_t rank);
/* Describe ranks[n]. Free *out, which borrows the names of the hosts. */
int rank_states_members(struct trial_member **out, const struct rank_states *states,
                        const int32_t *ranks, int32_t n, struct err *err);
void rank_states_hear(struct rank_states *states, int32_t rank, double now_s);
/* Subtract seconds in which this process did not listen from every silence. */
void rank_states_discount(struct rank_states *states, double seconds);
/* One that is not present runs nothing. */
void rank_states_set(struct rank_states *states, int32_t rank, enum rank_presence presence);

void rank_states_start(struct rank_states *states, int32_t rank, int64_t trial, double started,
                       double now_s);
void rank_states_finish(struct rank_states *states, int32_t rank,
                        int64_t trial); /* ignored unless running */
/* True if the running trial was not named before. */
bool rank_states_name(struct rank_states *states, int32_t rank);

/* Keep a rank's counters. */
void rank_states_count(struct rank_states *states, int32_t rank, const struct traffic *traffic);
/* Return counters that changed since the last call, borrowed; NULL: they did not. */
const struct traffic *rank_states_counted(struct rank_states *states, int32_t rank);

/* Return the presence that a rank should have now, and why it is lost. A process that is found gone
 * sets is_gone; its rank is RANK_DEAD at the next call, so read all messages before that. */
enum rank_presence rank_states_watch(struct rank_states *states, int32_t rank, double now_s,
                                     double silence_s, char *why, size_t size);

#endif
