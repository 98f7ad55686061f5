/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by master.c and master_gangs.c. */
#ifndef SCHED_MASTER_STATE_H
#define SCHED_MASTER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "sched/mailbox.h"
#include "sched/master.h"
#include "sched/rank_states.h"

/* Result of a gang's leader that waits for the other members. */
struct held_result {
    int64_t gang; /* its number; of another gang: out of date */
    double since_s;
    struct trial_result r; /* owned */
};

struct master {
    struct dispatch *dispatch;
    const struct ledger *ledger;
    struct world world;
    struct runner runner;
    struct master_delivery delivery;
    struct master_options options;
    const struct clock *clock;

    struct mailbox inbox, outbox;
    struct backoff backoff;
    struct rank_states ranks;
    int64_t
        *gangs_begun; /* [world.size] number of the last gang that each rank was sent; 0: none */
    struct held_result *held; /* [world.size] of each rank that leads */
    struct buf in, out;

    double began_s, progress_s, watch_s;
    double turn_s;
    bool is_stopping;
    enum master_end end; /* reason, if is_stopping and the ledger is not finished */
    double stop_s;       /* when running trials must have ended, if is_stopping */
    bool has_failed;
    struct err err;
};

/* In master.c: */

/* Send master->out. A rank that cannot be sent to is lost, which is no error of the run. */
int master_post(struct master *master, int32_t rank, struct err *err);

/* Return the number of a trial in the database; 0: unknown. */
int64_t master_id(const struct master *master, int64_t trial);

/* In master_gangs.c: */

/* Return the seconds that a result teaches, or NaN. */
double master_busy_seconds(const struct trial_result *r);

/* Members of a gang, which may change while they are told something. */
struct gang_members {
    int64_t number, trial;
    int32_t n;
    int32_t *of; /* [n] owned; NULL: the rank is in no gang that runs */
};

/* Copy the running gang of a rank, before something that may end it. */
int gang_members_init(struct gang_members *members, const struct master *master, int32_t rank,
                      struct err *err);
void gang_members_release(struct gang_members *members);

/* The gang's trial has a result or went back: end the members that are left. Does nothing while the
 * gang runs. */
int gang_members_end(struct master *master, const struct gang_members *members, struct err *err);

/* True if the rank leads a gang and has ended before its other members. */
bool master_holds_result(const struct master *master, int32_t rank);
/* Release the results of n ranks, and the array. */
void held_results_release(struct held_result *held, int32_t n);

/* Place the gangs that fit. */
int master_supply_gangs(struct master *master, struct err *err);

/* End the last gang that a rank began, unless it has ended. */
int master_end_gang(struct master *master, int32_t rank, struct err *err);

/* Take messages. */
int master_take_port(struct master *master, int32_t from, struct cursor *in, struct err *err);
int master_take_member_result(struct master *master, int32_t from, struct cursor *in,
                              struct err *err);

#endif
