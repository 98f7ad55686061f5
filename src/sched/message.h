/* SPDX-License-Identifier: BSD-3-Clause */
/* What scheduler and workers tell each other.
 *
 *     scheduler -> worker   ASSIGN, BEAT, STOP; the last message is one BYE
 *     worker -> scheduler   START, CHECKPOINT, RESULTS, GIVE_BACK, BEAT; the last message is one LEAVE
 *
 * The scheduler assigns without being asked: it sees from the results how much a worker has left.
 * A worker leaves when it is told to stop, or of itself with the error it met. Beats keep silence
 * from being taken for death: between ranks only, never between threads. A message is a header
 * (magic and version, kind) and its fields in base/buf's packing. */
#ifndef SCHED_MESSAGE_H
#define SCHED_MESSAGE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum message_kind {
    MESSAGE_ASSIGN,     /* trials: run them in this order; then the seconds expected of each; then,
                           where a single one goes on from a checkpoint, that, packed */
    MESSAGE_STOP,       /* seconds (f64) that the running trial may still take; give back the rest,
                           leave. A second one may shorten them */
    MESSAGE_START,      /* trial (i64) that begins now, Unix time (f64); not said of short ones */
    MESSAGE_RESULTS,    /* packed trial results up to the end of the message */
    MESSAGE_GIVE_BACK,  /* trials that were assigned and will not be run here */
    MESSAGE_LEAVE,      /* text: the error that made the worker leave; "" where it was told to */
    MESSAGE_BEAT,       /* nothing: still here */
    MESSAGE_BYE,        /* whether (u32) a rank was lost on the way: world_close() */
    MESSAGE_CHECKPOINT, /* packed: how far the running trial has come */
    MESSAGE_KIND_COUNT
};

/* Messages that say only that a rank is there, in the time of silence that counts as death. */
enum { MESSAGE_BEATS = 6 };

/* Begin a message: drops what the buffer held. Fields are added with the functions below, with
 * base/buf's, or trial_result_pack(). */
void message_begin(struct buf *out, enum message_kind kind);
void message_put_trials(struct buf *out, const int64_t *trials, uint32_t n);

/* Open a message that came: *in stands at its first field, and borrows the message. -1 and err
 * if it is not a message of this version. */
int message_open(struct cursor *in, enum message_kind *kind, const struct buf *message,
                 struct err *err);
/* The trials of ASSIGN and GIVE_BACK: their number, to be taken one by one with cursor_i64().
 * -1 and err if they are not all there. */
int64_t message_count_trials(struct cursor *in, struct err *err);

#endif
