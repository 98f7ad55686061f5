/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/mailbox.h"

#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"

struct letter {
    struct letter *next;
    struct buf message;
};

int mailbox_init(struct mailbox *box, struct err *err)
{
    pthread_condattr_t monotonic;
    int code;

    memset(box, 0, sizeof *box);
    code = pthread_mutex_init(&box->lock, NULL);
    if (code)
        return err_set(err, "mailbox: %s", strerror(code));
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    code = pthread_cond_init(&box->arrived, &monotonic);
    pthread_condattr_destroy(&monotonic);
    if (!code)
        return 0;
    pthread_mutex_destroy(&box->lock);
    return err_set(err, "mailbox: %s", strerror(code));
}

static void letter_destroy(struct letter *letter)
{
    buf_release(&letter->message);
    free(letter);
}

void mailbox_release(struct mailbox *box)
{
    while (box->first) {
        struct letter *letter = box->first;

        box->first = letter->next;
        letter_destroy(letter);
    }
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

static struct timespec deadline_after(double seconds)
{
    struct timespec t;
    double whole = floor(seconds);

    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += (time_t)whole;
    t.tv_nsec += (long)((seconds - whole) * 1e9);
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

/* Call with the lock held. NULL: none came. */
static struct letter *wait_for_letter(struct mailbox *box, double timeout_s)
{
    struct letter *letter;

    if (!box->first && timeout_s > 0) {
        struct timespec deadline = deadline_after(timeout_s);

        while (!box->first)
            if (pthread_cond_timedwait(&box->arrived, &box->lock, &deadline))
                break;
    }
    letter = box->first;
    if (letter)
        box->first = letter->next;
    if (!box->first)
        box->last = NULL;
    return letter;
}

bool mailbox_take(struct mailbox *box, struct buf *message, double timeout_s)
{
    struct letter *letter;
    struct buf old = *message;

    pthread_mutex_lock(&box->lock);
    letter = wait_for_letter(box, timeout_s);
    pthread_mutex_unlock(&box->lock);
    if (!letter)
        return false;
    *message = letter->message;
    letter->message = old;
    letter_destroy(letter);
    return true;
}
