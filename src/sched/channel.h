/* What a worker sees of its scheduler: one end of a wire, whatever the wire is made of. */
#ifndef SCHED_CHANNEL_H
#define SCHED_CHANNEL_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "sched/mailbox.h"
#include "sched/world.h"

struct channel {
    /* Never blocks; the message is copied and stays the caller's. -1 and err. */
    int (*send)(const void *self, const struct buf *message, struct err *err);
    /* Waits up to timeout_s (0: not at all): 1 and the message (its old contents dropped), 0 none
     * came, -1 and err. */
    int (*receive)(const void *self, struct buf *message, double timeout_s, struct err *err);
    const void *self;
};

/* How long to sleep before looking again: short after something came, longer while nothing does.
 * MPI cannot wake a sleeper, and waiting inside MPI would burn a core. */
struct backoff {
    double sleep_s;  /* the last */
    double silent_s; /* all since something came */
};

void backoff_reset(struct backoff *backoff);
double backoff_next(struct backoff *backoff); /* seconds */

/* Rank 0, from another rank. world is borrowed; for the thread that owns MPI. */
struct channel channel_of_world(const struct world *world);

/* Another thread of this process. */
struct mailbox_pair {
    struct mailbox *out, *in; /* borrowed */
};

struct channel channel_of_mailboxes(const struct mailbox_pair *pair); /* borrowed */

#endif
