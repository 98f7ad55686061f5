/* SPDX-License-Identifier: BSD-3-Clause */
/* A queue of messages between two threads of a process. */
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

/* mailbox_release() drops the remaining messages. */
void mailbox_init(struct mailbox *box);
void mailbox_release(struct mailbox *box);

/* Append a copy. Any thread. */
int mailbox_put(struct mailbox *box, const struct buf *message, struct err *err);

/* Wait up to timeout_s (0: do not wait) for the oldest message. True: it replaces the old contents.
 * One thread at a time. */
bool mailbox_take(struct mailbox *box, struct buf *message, double timeout_s);

#endif
