/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages between two threads of a process: a queue, a lock and a condition. */
#ifndef SCHED_MAILBOX_H
#define SCHED_MAILBOX_H

#include <pthread.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct letter;

struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    struct letter *first, *last;
};

/* -1 and err when the system has no more locks. Release drops what was not taken. */
int mailbox_init(struct mailbox *box, struct err *err);
void mailbox_release(struct mailbox *box);

/* Any thread. The message is copied. -1 and err when memory is short. */
int mailbox_put(struct mailbox *box, const struct buf *message, struct err *err);

/* Waits up to timeout_s (0: not at all) for a message, oldest first; true and the message (its
 * old contents dropped), or false. One thread at a time. */
bool mailbox_take(struct mailbox *box, struct buf *message, double timeout_s);

#endif
