/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by dispatch.c (single trials, all bookkeeping) and dispatch_gangs.c (gangs). */
#ifndef SCHED_DISPATCH_STATE_H
#define SCHED_DISPATCH_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/dispatch.h"
#include "sched/placement.h"
#include "sched/resumes.h"

#define NOWHERE (-1)

enum presence { PRESENT, LOST, LEFT };

struct worker_load {
    double held_s;      /* predicted, of its trials */
    double began_s;     /* when the first of these began, at the earliest */
    int32_t idle_place; /* in dispatch.idle; NOWHERE: not idle */
    bool is_late;       /* its running trial takes longer than expected */
    uint8_t presence;   /* enum presence */
};

/* Workers kept for the next gang, which begins at at_s. Until then they run only what ends before. */
struct reservation {
    int64_t trial; /* NOWHERE: none */
    int32_t width;
    double at_s;
    bool is_together; /* on one host */
    bool *has;        /* [n_workers] */
};

struct gangs {
    struct placement placement;
    int32_t *widths;                 /* [n_groups] workers that run one trial together, */
    bool can_shrink;                 /* or fewer, if fewer are alive */
    struct gang **of;                /* [n_workers] NULL: in none */
    double *free_s;                  /* [n_workers] scratch, like the next one */
    int32_t *chosen;                 /* [n_workers] */
    int32_t *idle_here, *spare_here; /* [n_hosts] scratch */
    int64_t n_placed;                /* so far */
    double slowest;                  /* largest slowness of a live worker */
    int64_t slowest_at;              /* n_results at which it was found */
    struct reservation reserved;
};

struct dispatch {
    struct ledger *ledger;
    struct cost *cost;
    struct worker_load *loads;          /* [n_workers] */
    int32_t *idle;                      /* [n_idle] workers that hold nothing; */
    int32_t n_passed;                   /* the first n_passed were offered the pending trials and
                                         * got none */
    int32_t n_workers, n_idle, n_alive; /* n_alive: present */
    float *predicted_s;                 /* [n_trials] at hand-out; below 0: a guess */
    struct resumes *resumes;
    struct gangs *gangs;  /* NULL: all trials have width 1 */
    double now_s, left_s; /* left_s: as in the last dispatch_assign() */
    double whole_s;       /* of a run; INFINITY: no limit */
    double held_s;        /* all workers together */
    double deviation;     /* mean |log(seconds / predicted)| over deviation_n results */
    int32_t deviation_n;
    bool is_isolated; /* trials cannot take their workers down */
    bool is_stale;    /* expectations are older than the coefficients */
    int64_t n_results;
    int64_t reprice_at; /* n_results at which prices are updated */
};

/* In dispatch.c: */

void dispatch_become_idle(struct dispatch *d, int32_t worker);
void dispatch_become_busy(struct dispatch *d, int32_t worker);
void dispatch_offer_again(struct dispatch *d);
void dispatch_set_price(struct dispatch *d, int32_t config);
/* Seconds of work left for each worker. */
double dispatch_left_each_s(const struct dispatch *d);
/* True if nothing is known of seconds, so that a trial begins whatever time is left. */
bool dispatch_is_guess(const struct dispatch *d, double left_s);
/* True if a pending trial has a checkpoint or does not end within a whole run. */
bool dispatch_needs_parts(const struct dispatch *d, int64_t trial);
/* Return the limit for expected seconds on a worker of this slowness: left_s, or INFINITY if nothing
 * is known of seconds, or a trial that needs parts may begin. */
double dispatch_most_s(struct dispatch *d, double left_s, double slowness);

/* In dispatch_gangs.c. Functions that take d->gangs may be called without gangs. */

struct gangs *gangs_create(const int32_t *widths, int32_t n_groups, int32_t n_workers,
                           const int32_t *hosts, struct err *err);
void gangs_destroy(struct gangs *gangs, int32_t n_workers);

static inline struct gang *gang_of(const struct dispatch *d, int32_t worker)
{
    return d->gangs ? d->gangs->of[worker] : NULL;
}

/* The trial has a result or went back; the ledger knows. */
void gangs_end(struct dispatch *d, struct gang *gang);
/* A worker is no longer in its gang, if it was in one. */
void gangs_remove(struct dispatch *d, int32_t worker);
/* A worker is gone. */
void gangs_forget(struct dispatch *d, int32_t worker);

/* Return the seconds that a worker may hold of single trials: less if it is reserved. */
double gangs_most_s(const struct dispatch *d, int32_t worker, double left_s);

/* Let the ledger have all widths that groups may get, and set them. */
int gangs_allow_widths(struct dispatch *d, struct err *err);
/* The number of live workers has changed. O(groups) if widths depend on it. */
void gangs_count_alive(struct dispatch *d);

/* True if a pending trial wider than 1, no suspect unless `suspect`, can begin with all live
 * workers. */
bool gangs_can_begin(struct dispatch *d, bool suspect, double left_s);

/* True if a pending trial wider than 1 that the live workers can run takes at most most_s; if one
 * needs parts. */
bool gangs_any_fits(struct dispatch *d, double most_s);
bool gangs_need_parts(const struct dispatch *d);

int gangs_check(const struct dispatch *d, struct err *err);

#endif
