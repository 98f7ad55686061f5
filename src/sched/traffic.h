/* SPDX-License-Identifier: BSD-3-Clause */
/* Counters of one rank: where the time of its two threads goes, and its messages by size.
 *
 * The thread that owns MPI is in one activity at a time, so that its seconds add up to its whole
 * time. An activity inside another one (a commit while results are stored) counts for itself only.
 * Seconds of a message are those spent in calls of MPI, not those on the network. */
#ifndef SCHED_TRAFFIC_H
#define SCHED_TRAFFIC_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/clock.h"
#include "gang/gang.h"
#include "sched/world.h"

#define TRAFFIC_TABLE(X)                                                               \
    X(SEND, "send")         /* messages handed to MPI */                               \
    X(RECEIVE, "receive")   /* messages taken from MPI */                              \
    X(SUM, "sum")           /* the training thread: sums of a gang (gcn/crew.h) */     \
    X(SHARE, "share")       /* the same: rows that all members see */                  \
    X(AGREE, "agree")       /* the same: whether all go on */                          \
    X(MEMBERS, "members")   /* the same: waiting for other members, meetings too */    \
    X(COMPUTE, "compute")   /* the training thread: in attempts (calls), gangs' too */ \
    X(IDLE, "idle")         /* the training thread: waiting for a trial */             \
    X(POLL, "poll")         /* looks that found no message */                          \
    X(WAIT, "wait")         /* asleep until there may be a message */                  \
    X(START, "start")       /* rank 0: from the session's row to the first trial */    \
    X(STORE, "store")       /* rank 0: results and checkpoints, before their commit */ \
    X(COMMIT, "commit")     /* rank 0 */                                               \
    X(SCHEDULE, "schedule") /* the rest; on other ranks, passing messages on */

enum traffic_activity {
#define TRAFFIC_ENUM(id, name) TRAFFIC_##id,
    TRAFFIC_TABLE(TRAFFIC_ENUM)
#undef TRAFFIC_ENUM
        TRAFFIC_ACTIVITIES
};

/* The first activities are counted by size, up to 64 B, 256 B, 1 KiB ... 1 GiB, the largest message.
 * A cell is a class of one of these, or another activity. */
enum {
    TRAFFIC_SIZES = GANG_SIZES,
    TRAFFIC_SIZED = TRAFFIC_AGREE + 1,
    TRAFFIC_CELLS = TRAFFIC_SIZED * TRAFFIC_SIZES + TRAFFIC_ACTIVITIES - TRAFFIC_SIZED,
    /* The cells of the training thread follow each other. */
    TRAFFIC_TRAINING = TRAFFIC_SUM * TRAFFIC_SIZES,
    TRAFFIC_TRAINING_CELLS =
        TRAFFIC_SIZED * TRAFFIC_SIZES + TRAFFIC_IDLE + 1 - TRAFFIC_SIZED - TRAFFIC_TRAINING
};

struct traffic_count {
    int64_t calls, bytes;
    double seconds;
};

/* Everything since the rank began. A zeroed struct has counted nothing. */
struct traffic {
    struct traffic_count of[TRAFFIC_CELLS];
};

/* bytes: of a message or call; ignored for activities without sizes. */
int traffic_cell(enum traffic_activity activity, size_t bytes);
/* Return the activity's name, and the most bytes of the class; 0 for activities without sizes. */
const char *traffic_cell_name(int cell, int64_t *size);
/* Return the cell with this name and size; size -1: the first with this name. -1: none. */
int traffic_find_cell(const char *activity, int64_t size);

/* Wire format: the struct. Unpacking returns -1 for a truncated message. */
void traffic_pack(struct buf *out, const struct traffic *traffic);
int traffic_unpack(struct traffic *traffic, struct cursor *in);

/* Counters of the calling thread, with the activity it is in. */
struct traffic_meter {
    struct traffic traffic;
    const struct clock *clock; /* borrowed */
    enum traffic_activity now;
    double since_s; /* time up to which seconds are counted */
};

/* Begin in an activity that was entered at since_s by the clock. */
void traffic_begin(struct traffic_meter *meter, const struct clock *clock,
                   enum traffic_activity activity, double since_s);
/* Enter an activity. Returns the one that was left, for traffic_leave(), which counts a call. */
enum traffic_activity traffic_enter(struct traffic_meter *meter, enum traffic_activity activity);
void traffic_leave(struct traffic_meter *meter, enum traffic_activity back);
/* Count the time up to now. */
void traffic_update(struct traffic_meter *meter);

/* Count a message whose seconds are unknown. */
void traffic_add_message(struct traffic *traffic, enum traffic_activity activity, size_t bytes);

/* world_send() and world_receive(), counted if they succeed. */
int traffic_send(struct traffic_meter *meter, const struct world *world, int32_t to,
                 const struct buf *message, struct err *err);
int traffic_receive(struct traffic_meter *meter, const struct world *world, int32_t *from,
                    struct buf *message, struct err *err);

#endif
