/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of master: what the scheduler knows of each rank, and what it hands to the sink, with the time
 * when that is made durable. */
#ifndef SCHED_DELIVERY_H
#define SCHED_DELIVERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sched/master.h"
#include "sched/worker.h"

enum rank_presence {
    RANK_PRESENT,
    RANK_LEFT,   /* reported that it leaves */
    RANK_SILENT, /* lost, as far as known */
    RANK_DEAD    /* lost for good */
};

struct rank_state {
    enum rank_presence presence;
    bool is_here;           /* its process can be checked */
    bool is_gone;           /* it was, and does not live; last messages may not have been read */
    double heard_s;         /* last message from it */
    double told_s;          /* last message to it */
    int64_t running;        /* trial; -1: not reported */
    double started;         /* Unix seconds of its host, of `running` */
    double began_s;         /* when this rank learned of that start */
    bool is_named;          /* `running` was named to the sink */
    bool is_doubtful;       /* was silent and has begun no trial since */
    bool has_counted;       /* traffic has changed since it was handed on */
    struct traffic traffic; /* last reported */
    int64_t gang_sent;      /* number of the last gang that it was sent; 0: none */
    /* A gang that it leads, but has ended before other members: its number (another gang's: out of
     * date), when, and its result (owned). */
    int64_t held_gang;
    double held_s;
    struct trial_result held;
};

/* All but err are borrowed by delivery_init(). Nothing is handed on after a fault (is_closed). */
struct delivery {
    struct master_sink sink;
    struct master_options options;
    struct dispatch *dispatch;
    const struct clock *clock;
    const struct process *processes; /* [n] */
    struct process self;

    struct rank_state *ranks; /* [n] */
    int32_t n, n_left, n_lost;
    int32_t n_unnamed; /* running trials not named to the sink */
    double unnamed_s;  /* when the first of them was reported */

    struct traffic_meter meter; /* of the scheduler's thread */
    struct worker_time worker;  /* of rank 0's worker thread */
    double begun_s;             /* when the scheduler began */
    int32_t n_uncommitted;
    double uncommitted_s; /* when the first of them came */
    double kept_s;        /* start of the current minute, and bytes of checkpoints taken in it */
    size_t kept_bytes;
    int64_t n_finished; /* results, none PENDING */
    double traffic_s;   /* when counters were last handed on */
    bool is_enough;     /* the sink wants no other trial to begin */
    bool is_closed;

    struct trial_member *members; /* [n] room of delivery_attempt() */
};

/* All ranks are present. */
int delivery_init(struct delivery *delivery, const struct master_parts *parts, struct err *err);
void delivery_release(struct delivery *delivery);

/* ---- ranks ---- */

const struct process *delivery_process(const struct delivery *delivery, int32_t rank);
/* One that is not present runs nothing. */
void delivery_set_presence(struct delivery *delivery, int32_t rank, enum rank_presence presence);
void delivery_start(struct delivery *delivery, int32_t rank, int64_t trial, double started);
void delivery_end(struct delivery *delivery, int32_t rank,
                  int64_t trial); /* unless it runs another */
/* Return the presence that a rank should have now, and why it is lost. A process that is found gone
 * sets is_gone; its rank is RANK_DEAD at the next call, so read all messages before that. */
enum rank_presence delivery_watch(struct delivery *delivery, int32_t rank, double now_s, char *why,
                                  size_t size);
/* The part of member i of a gang, whose members are grouped by host. */
void delivery_describe(const struct delivery *d, const struct gang *gang, int32_t i,
                       struct trial_gang *part);

/* Return what a rank runs, with the members of its gang if that runs, valid until the next call. */
struct master_trial delivery_attempt(struct delivery *delivery, int32_t rank);

/* ---- to the sink ---- */

/* Since when something waits to be made durable; INFINITY: nothing does. */
double delivery_waits_since(const struct delivery *delivery);
/* Also names running trials that the sink does not know, and hands on counters if that is due. */
int delivery_commit(struct delivery *delivery, struct err *err);
/* Hand on all counters that changed. */
int delivery_traffic(struct delivery *delivery, struct err *err);
/* Commit, too, if enough results wait. Sets r->predicted. */
int delivery_result(struct delivery *delivery, struct trial_result *r, struct err *err);
void delivery_progress(struct delivery *delivery, double now_s);
/* Hand on a checkpoint, unless the trial has a result, another rank runs it, or the minute's bytes
 * are used up. */
int delivery_checkpoint(struct delivery *delivery, int32_t rank,
                        const struct trial_checkpoint *checkpoint, struct err *err);
/* Hand on what a running trial reported, unless the rank runs another one or it was not named yet. */
int delivery_report(struct delivery *delivery, int32_t rank, const struct trial_result *so_far,
                    struct err *err);
/* Fail a trial that may not crash again. reason: of the last crash; not in r. */
void delivery_put_last_crash(struct trial_result *r, bool had_gang, const char *reason);
/* Hand on a loss, and the failure of the trial that reached the crash limit (-1: none). */
int delivery_loss(struct delivery *delivery, const struct master_loss *loss, int64_t failed,
                  struct err *err);
/* The rank runs the trial no longer: report it if it was named. */
int delivery_return(struct delivery *delivery, int32_t rank, int64_t trial, struct err *err);
/* The same of a gang's leader, with a crash. */
int delivery_crash(struct delivery *delivery, const struct master_trial *attempt,
                   const char *reason, struct err *err);

#endif
