/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/mailbox.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

struct letter {
    struct letter *next;
    struct buf message;
};

void mailbox_init(struct mailbox *box)
{
    *box = (struct mailbox){.lock = PTHREAD_MUTEX_INITIALIZER, .arrived = PTHREAD_COND_INITIALIZER};
}

void mailbox_release(struct mailbox *box)
{
    struct buf message = {0};

    while (mailbox_take(box, &message, 0))
        continue;
    buf_release(&message);
    pthread_cond_destroy(&box->arrived);
    pthread_mutex_destroy(&box->lock);
}

int mailbox_put(struct mailbox *box, const struct buf *message, struct err *err)
{
    struct letter *letter = calloc(1, sizeof *letter);

    if (letter)
        buf_add(&letter->message, message->data, message->size);
    if (!letter || buf_failed(&letter->message)) {
        free(letter);
        return err_nomem(err, "message", message->size);
    }
    pthread_mutex_lock(&box->lock);
    if (box->last)
        box->last->next = letter;
    else
        box->first = letter;
    box->last = letter;
    pthread_cond_signal(&box->arrived);
    pthread_mutex_unlock(&box->lock);
    return 0;
}

bool mailbox_take(struct mailbox *box, struct buf *message, double timeout_s)
{
    struct letter *letter;
    struct timespec until;
    double whole_s;

    pthread_mutex_lock(&box->lock);
    if (!box->first && timeout_s > 0) {
        clock_gettime(CLOCK_MONOTONIC, &until);
        timeout_s = modf(timeout_s + 1e-9 * (double)until.tv_nsec, &whole_s);
        until.tv_sec += (time_t)whole_s;
        until.tv_nsec = (long)(timeout_s * 1e9);
        while (!box->first)
            if (pthread_cond_clockwait(&box->arrived, &box->lock, CLOCK_MONOTONIC, &until))
                break;
    }
    letter = box->first;
    if (letter)
        box->first = letter->next;
    if (!box->first)
        box->last = NULL;
    pthread_mutex_unlock(&box->lock);
    if (!letter)
        return false;
    buf_release(message);
    *message = letter->message;
    free(letter);
    return true;
}
