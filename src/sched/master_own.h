/* The parts of the scheduler, between themselves: master.c (the loop), master_tell.c (to the
 * workers), master_hear.c (from the workers), master_sink.c (to the sink). */
#ifndef SCHED_MASTER_OWN_H
#define SCHED_MASTER_OWN_H

#include "base/fault.h"
#include "sched/channel.h"
#include "sched/master.h"
#include "sched/message.h"
#include "sched/seat.h"

struct master {
    struct dispatch *dispatch;
    const struct ledger *ledger; /* of dispatch */
    struct world world;
    struct runner runner;
    struct master_sink sink;
    struct master_options options;
    const struct clock *clock;

    struct mailbox inbox, outbox; /* from and to the worker thread */
    struct backoff backoff;
    struct seats seats;
    struct buf in, out;

    double began_s, progress_s, watch_s;
    double turn_s;        /* of the loop */
    double uncommitted_s; /* when the first of them came */
    int32_t n_uncommitted;
    double kept_s; /* since when checkpoints of so many bytes were taken: */
    size_t kept_bytes;
    int64_t finished;
    bool is_stopping;
    enum master_end end; /* why, where is_stopping and the ledger is not finished */
    double stop_s;       /* when trials under way must have ended, where is_stopping */
    bool has_failed;
    struct err err; /* the first fault */
};

/* -1 and err of all these: a fault of the run. */

/* ---- master_tell.c ---- */

int master_supply(struct master *master, int32_t seat, struct err *err);
/* Workers that hold nothing: at the start all. */
int master_supply_idle(struct master *master, struct err *err);
int master_tell_to_stop(struct master *master, int32_t seat, struct err *err);
/* Everybody is told, even after one could not be. Trials under way have until stop_s; a second
 * call may leave them less. */
int master_stop_workers(struct master *master, enum master_end end, double stop_s, struct err *err);
/* Look who is there, and say that we are. */
int master_watch(struct master *master, double now_s, struct err *err);
/* The end of the conversation: who got it depends on nobody any more. */
void master_say_bye(struct master *master);

/* ---- master_hear.c ---- */

/* The message in master->in. */
int master_handle(struct master *master, int32_t from, struct err *err);
void master_take_leave(struct master *master, int32_t seat);

/* ---- master_sink.c ---- */

/* Whether anything is to be made durable; *since_s: since when something waits for it. */
bool master_is_uncommitted(const struct master *master, double *since_s);
int master_commit(struct master *master, struct err *err);
int master_hand_on(struct master *master, const struct trial_result *r, struct err *err);
/* Of a trial that this seat runs; any other is dropped. */
int master_keep(struct master *master, int32_t seat, const struct trial_checkpoint *checkpoint,
                struct err *err);
/* A seat becomes one that is lost, with what it held. */
int master_lose(struct master *master, int32_t seat, enum seat_state state, const char *why,
                struct err *err);

#endif
