/* What a worker sees of its scheduler: one end of a wire, whatever the wire is made of. */
#ifndef SCHED_CHANNEL_H
#define SCHED_CHANNEL_H

#include <pthread.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"

/* Messages between two threads of a process: a queue, a lock and a condition. */

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

struct channel {
    /* Never blocks; the message is copied and stays the caller's. -1 and err. */
    int (*send)(const void *self, const struct buf *message, struct err *err);
    /* Waits up to timeout_s (0: not at all): 1 and the message (its old contents dropped), 0 none
     * came, -1 and err. */
    int (*receive)(const void *self, struct buf *message, double timeout_s, struct err *err);
    const void *self;
};

/* Another thread of this process. */
struct mailbox_pair {
    struct mailbox *out, *in; /* borrowed */
};

struct channel channel_of_mailboxes(const struct mailbox_pair *pair); /* borrowed */

#endif
