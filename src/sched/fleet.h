/* SPDX-License-Identifier: BSD-3-Clause */
/* The workers as dispatch sees them: who is there, how much each holds, on which host it is, and
 * which are reserved for the next gang. Pure; O(1) except where O(workers) is stated. */
#ifndef SCHED_FLEET_H
#define SCHED_FLEET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define NOWHERE (-1)

enum presence { PRESENT, LOST, LEFT };

struct worker_load {
    double held_s;      /* predicted, of its trials */
    double began_s;     /* when the first of these began, at the earliest */
    int32_t idle_place; /* in fleet.idle; NOWHERE: not idle */
    bool is_late;       /* its running trial takes longer than expected */
    uint8_t presence;   /* enum presence */
};

/* Workers kept for the next gang, which begins at at_s. Until then they run only what ends before. */
struct reservation {
    int64_t trial; /* NOWHERE: none */
    int32_t width;
    double at_s;
    bool is_together; /* on one host */
    bool *has;        /* [n] */
};

struct fleet {
    struct worker_load *of;      /* [n] */
    int32_t n, n_alive, n_hosts; /* n_alive: present */
    int32_t *idle;               /* [n_idle] workers that hold nothing; */
    int32_t n_idle, n_passed; /* the first n_passed were offered the pending trials and got none */
    double now_s;             /* set by dispatch */
    double held_s;            /* all workers together */
    struct reservation reserved;
    int32_t *host_of; /* [n] in [0, n_hosts) */
    int32_t *by_host; /* [n] workers, host by host */
    int32_t *start;   /* [n_hosts + 1] the host's first place in by_host */
    int32_t largest_host;
    int32_t *here;            /* [n_hosts] scratch */
    double *free_s, *scratch; /* [n] */
    int32_t *chosen;          /* [n] */
};

/* All workers are present and idle; worker 0 is the next in turn.
 * hosts: [n] numbers from 0; NULL: one host. */
int fleet_init(struct fleet *fleet, int32_t n, const int32_t *hosts, struct err *err);
void fleet_release(struct fleet *fleet);

/* Ignored if it is idle already, or not present. */
void fleet_become_idle(struct fleet *fleet, int32_t worker);
/* An idle worker got nothing; all get another chance. */
void fleet_pass_over(struct fleet *fleet, int32_t worker);
void fleet_offer_again(struct fleet *fleet);

/* A worker gets more seconds of work; it holds that much less. */
void fleet_hold(struct fleet *fleet, int32_t worker, double seconds);
void fleet_drop(struct fleet *fleet, int32_t worker, double seconds);

/* A worker is gone, and loses its reservation. */
void fleet_go(struct fleet *fleet, int32_t worker, enum presence presence);

/* Reserve the chosen workers, unless they are; all idle ones get another chance. O(workers). */
void fleet_reserve(struct fleet *fleet, int64_t trial, int32_t width, double at_s);
void fleet_cancel(struct fleet *fleet);

/* Idle workers, with or without reserved ones. O(workers). */
struct room {
    int32_t n, most_here; /* most_here: on one host */
};
struct room fleet_room(struct fleet *fleet, bool with_reserved);
/* True if a gang that may not wait may fit there. */
bool fleet_may_fit(const struct fleet *fleet, struct room room, int32_t width);

/* Seconds until a worker is free. One that is late by x is expected to take x more. INFINITY: never. */
double fleet_free_in(const struct fleet *fleet, int32_t worker);

/* Choose n workers that are free soonest; return the seconds until the last of them is.
 * INFINITY: fewer than n may be chosen.
 *
 *   fleet->free_s   in   [fleet->n] seconds until each is free; INFINITY: it may not be chosen
 *   fleet->chosen   out  [n] grouped by host
 *   patience_s      one host is chosen unless several hosts have n free workers earlier by more than
 *                   this
 *
 * If several hosts are free at the same time, the one with the fewest free workers is chosen
 * (best fit). If one host does not suffice, as few as possible are. O(workers). */
double fleet_choose(struct fleet *fleet, int32_t n, double patience_s);

/* Check every invariant; each worker should hold held_s[n]. For tests. */
int fleet_check(const struct fleet *fleet, const double *held_s, struct err *err);

#endif
