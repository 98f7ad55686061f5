/* What scheduler and workers tell each other.
 *
 *     scheduler -> worker   ASSIGN trials ..., then one STOP, the last message
 *     worker -> scheduler   RESULTS ..., GIVE_BACK trials ..., then one LEAVE, the last message
 *
 * The scheduler assigns without being asked: it sees from the results how much a worker has left.
 * A worker leaves when it is told to stop, or of itself with the error it met. A message is a
 * header (magic and version, kind) and its fields in base/buf's packing. */
#ifndef SCHED_MESSAGE_H
#define SCHED_MESSAGE_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum message_kind {
    MESSAGE_ASSIGN,    /* trials: run them in this order */
    MESSAGE_STOP,      /* end the running trial, give back the rest, leave */
    MESSAGE_RESULTS,   /* packed trial results up to the end of the message */
    MESSAGE_GIVE_BACK, /* trials that were assigned and will not be run here */
    MESSAGE_LEAVE,     /* text: the error that made the worker leave; "" where it was told to */
    MESSAGE_KIND_COUNT
};

/* Begin a message: drops what the buffer held. Fields are added with the functions below, or
 * trial_result_pack(). */
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
