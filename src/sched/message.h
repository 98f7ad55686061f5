/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between scheduler and workers.
 *
 *     scheduler -> worker   ASSIGN, BEAT, STOP; last, one BYE
 *     worker -> scheduler   START, CHECKPOINT, RESULTS, GIVE_BACK, BEAT; last, one LEAVE
 *
 * The scheduler assigns without requests, since results show how much a worker has left. A worker
 * leaves when told to stop, or by itself with its error. Only ranks send beats. A message is a
 * header (magic and version, kind) and fields in base/buf's packing. */
#ifndef SCHED_MESSAGE_H
#define SCHED_MESSAGE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum message_kind {
    MESSAGE_ASSIGN,     /* trials, to run in this order; their expected seconds; for a single one
                         * that resumes, its packed checkpoint */
    MESSAGE_STOP,       /* seconds (f64) that the running trial may still take, which a second STOP
                         * may shorten; give back the rest and leave */
    MESSAGE_START,      /* trial (i64) that begins now, Unix time (f64); not sent for short ones */
    MESSAGE_RESULTS,    /* packed trial results up to the end of the message */
    MESSAGE_GIVE_BACK,  /* assigned trials that will not run here */
    MESSAGE_LEAVE,      /* text: the worker's error; "" if it was told to leave; from other
                         * ranks, their packed counters without this message (sched/traffic.h) */
    MESSAGE_BEAT,       /* still here; from a worker's rank: the same counters */
    MESSAGE_BYE,        /* u32: 1 if a rank was lost (world_close) */
    MESSAGE_CHECKPOINT, /* packed checkpoint of the running trial */
    MESSAGE_KIND_COUNT
};

/* Beats sent within the time of silence that counts as death. */
enum { MESSAGE_BEATS = 6 };

/* Begin a message in place of the buffer's contents. */
void message_begin(struct buf *out, enum message_kind kind);
void message_put_trials(struct buf *out, const int64_t *trials, uint32_t n);

/* Open a received message: *in borrows it, at its first field. -1 and err: another version. */
int message_open(struct cursor *in, enum message_kind *kind, const struct buf *message,
                 struct err *err);
/* Read the number of trials of ASSIGN or GIVE_BACK; cursor_i64() reads each. */
int64_t message_count_trials(struct cursor *in, struct err *err);

#endif
