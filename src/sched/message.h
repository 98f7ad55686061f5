/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between scheduler and workers.
 *
 *     scheduler -> worker   ASSIGN, ROWS, GANG_OPEN, GANG_RUN, GANG_END, BEAT, STOP; last, one BYE
 *     worker -> scheduler   START, CHECKPOINT, RESULTS, GIVE_BACK, GANG_PORT, GANG_RESULT, BEAT;
 *                           last, maybe UNABLE, and one LEAVE
 *
 * The scheduler assigns without requests, since results show how much a worker has left. A worker
 * leaves when told to stop, by itself with its error, which ends the run, or after UNABLE. Only ranks send beats.
 *
 * A gang begins when its leader has found a port: OPEN, PORT, then RUN to each member. Each member
 * that got RUN sends one RESULT. Messages of a gang begin with its number (i64); those of a gang
 * that is over are ignored.
 *
 * A message is a header (magic and version, kind) and fields in base/buf's packing; a gang is sent as
 * the struct, since all ranks run the same program. */
#ifndef SCHED_MESSAGE_H
#define SCHED_MESSAGE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "trial/result.h"

enum message_kind {
    MESSAGE_ASSIGN,    /* trials, to run in this order; their numbers in the database (i64); their
                         * expected seconds; their rung (i64); for a single one that resumes, its packed
                         * checkpoint */
    MESSAGE_ROWS,      /* rows of the plan that were proposed since (plan_pack_rows()) */
    MESSAGE_STOP,      /* a deadline, in seconds from now (f64): until the running trial is asked to
                         * end, and is killed, which a second STOP may shorten; give back the rest and
                         * leave */
    MESSAGE_START,     /* trial (i64) that begins now, Unix time (f64); not sent for short ones */
    MESSAGE_RESULTS,   /* packed trial results up to the end of the message */
    MESSAGE_GIVE_BACK, /* assigned trials that will not run here */
    MESSAGE_LEAVE,     /* text: the worker's error; "" if it was told to leave; from other
                         * ranks, their packed counters without this message (sched/traffic.h) */
    MESSAGE_UNABLE,    /* text: why no trial can run on this rank any more; before LEAVE. It has
                          * given all back, and other ranks go on */
    MESSAGE_BEAT,      /* still here; from a worker's rank: the same counters */
    MESSAGE_BYE,       /* u32: 1 if a rank was lost (world_close) */
    MESSAGE_CHECKPOINT,  /* packed checkpoint of the running trial */
    MESSAGE_REPORT,      /* packed result of the running trial, PENDING: what it reported so far */
    MESSAGE_GANG_OPEN,   /* to the leader: number of ranks of the launch (u32) */
    MESSAGE_GANG_PORT,   /* free port on the leader's host (u32) and the host's name (text) */
    MESSAGE_GANG_RUN,    /* struct message_gang; maybe the trial's packed checkpoint */
    MESSAGE_GANG_END,    /* number of the gang (i64): it is over, end at once */
    MESSAGE_GANG_RESULT, /* packed result of the member; PENDING: it was told to end */
    MESSAGE_KIND_COUNT
};

/* Beats sent within the time of silence that counts as death. */
enum { MESSAGE_BEATS = 6 };
/* A loop that sleeps milliseconds was held up if a turn takes this long; others were not silent. */
#define MESSAGE_STALL_S 1.0

/* Begin a message in place of the buffer's contents. */
void message_begin(struct buf *out, enum message_kind kind);
void message_put_trials(struct buf *out, const int64_t *trials, uint32_t n);

/* A member's part of a gang. */
struct message_gang {
    int64_t number;
    int64_t trial, id; /* number in the plan, and in the database */
    double expected_s;
    int32_t rung;
    struct trial_gang part;
};
void message_put_gang(struct buf *out, const struct message_gang *gang);
void message_take_gang(struct message_gang *gang, struct cursor *in);

/* Open a received message: *in borrows it, at its first field. -1 and err: another version. */
int message_open(struct cursor *in, enum message_kind *kind, const struct buf *message,
                 struct err *err);
/* False for a message that message_open() refuses, too. */
bool message_is(const struct buf *message, enum message_kind wanted);
/* Read the number of trials of ASSIGN or GIVE_BACK; cursor_i64() reads each. -1: fewer follow. */
int64_t message_count_trials(struct cursor *in);

#endif
