/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/relay.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#include "sched/mailbox.h"
#include "sched/message.h"
#include "sched/worker.h"

/* seconds between checks of a rank 0 on this host */
#define WATCH_S 0.25

struct relay {
    const struct world *world;
    const struct runner *runner;
    const struct relay_options *options;
    const struct clock *clock;
    struct mailbox to_worker, from_worker;
    sem_t has_said; /* posted when rank 0 was told that a trial begins */
    struct backoff backoff;
    struct buf message;
    double heard_s, beat_s, watch_s; /* time of the last of each */
    struct traffic_meter meter;
    struct worker_time worker;
    double turn_s;
    bool leader_is_here;
    bool is_over;
    atomic_bool has_failed; /* the worker could not report that it leaves */
    struct err err;
};

/* ---- the worker thread ---- */

/* Return only when MPI has a START, or a crash at once would be blamed on the previous trial. */
static int send_up(const void *self, const struct buf *message, struct err *err)
{
    struct relay *relay = (struct relay *)self;

    if (mailbox_put(&relay->from_worker, message, err))
        return -1;
    while (message_is(message, MESSAGE_START) && sem_wait(&relay->has_said))
        continue;
    return 0;
}

static int receive_down(const void *self, struct buf *message, double timeout_s, struct err *err)
{
    struct relay *relay = (struct relay *)self;

    (void)err;
    return mailbox_take(&relay->to_worker, message, timeout_s);
}

static void *run_thread(void *arg)
{
    struct relay *relay = arg;
    struct worker_channel channel = {send_up, receive_down, relay, &relay->worker};

    if (worker_run(&channel, relay->runner, relay->world->rank, relay->clock, &relay->err))
        relay->has_failed = true;
    return NULL;
}

/* ---- forwarding ---- */

/* 1: forwarded, 0: no message, -1 and err */
static int pass_down(struct relay *relay, struct err *err)
{
    int32_t from;
    struct cursor in;
    enum message_kind kind;
    int got = traffic_receive(&relay->meter, relay->world, &from, &relay->message, err);

    if (got <= 0)
        return got;
    relay->heard_s = clock_now(relay->clock);
    if (message_open(&in, &kind, &relay->message, err))
        return -1;
    if (kind != MESSAGE_BEAT) /* others are often followed by more */
        backoff_reset(&relay->backoff);
    if (kind == MESSAGE_BYE) {
        relay->is_over = true;
        if (cursor_u32(&in))
            world_lost_rank();
    } else if (kind != MESSAGE_BEAT && mailbox_put(&relay->to_worker, &relay->message, err)) {
        return -1;
    }
    return 1;
}

static int send_with_counters(struct relay *relay, struct err *err)
{
    traffic_update(&relay->meter);
    worker_time_read(&relay->meter.traffic, &relay->worker);
    traffic_pack(&relay->message, &relay->meter.traffic);
    if (buf_failed(&relay->message))
        return err_nomem(err, "message", relay->message.size);
    return traffic_send(&relay->meter, relay->world, 0, &relay->message, err);
}

static int pass_up(struct relay *relay, double timeout_s, struct err *err)
{
    enum traffic_activity back = relay->meter.now;
    bool got;

    if (timeout_s > 0)
        traffic_enter(&relay->meter, TRAFFIC_WAIT);
    got = mailbox_take(&relay->from_worker, &relay->message, timeout_s);
    if (timeout_s > 0)
        traffic_leave(&relay->meter, back);
    if (!got)
        return 0;
    backoff_reset(&relay->backoff);
    if (message_is(&relay->message, MESSAGE_LEAVE))
        return send_with_counters(relay, err);
    if (traffic_send(&relay->meter, relay->world, 0, &relay->message, err))
        return -1;
    if (message_is(&relay->message, MESSAGE_START))
        sem_post(&relay->has_said);
    return 0;
}

/* On this host rank 0's silence proves nothing: a disk may hold it up for minutes. */
static int watch(struct relay *relay, double now_s, struct err *err)
{
    const struct process *leader = &relay->world->processes[0];

    if (now_s - relay->watch_s < WATCH_S)
        return 0;
    relay->watch_s = now_s;
    if (relay->leader_is_here && process_is_alive(leader))
        return 0;
    if (relay->leader_is_here)
        return err_set(err, "rank 0 (pid %ld) is gone", (long)leader->pid);
    if (now_s - relay->heard_s > relay->options->silence_s)
        return err_set(err, "no message from rank 0 (%s) for %.0f s", leader->host,
                       relay->options->silence_s);
    return 0;
}

static int pass_messages(struct relay *relay, struct err *err)
{
    while (!relay->is_over) {
        int down = pass_down(relay, err);
        double now_s;

        if (down < 0 || pass_up(relay, down ? 0 : backoff_next(&relay->backoff), err))
            return -1;
        now_s = clock_now(relay->clock);
        /* Time in which this process was held up is no silence of rank 0. */
        if (now_s - relay->turn_s > MESSAGE_STALL_S)
            relay->heard_s += now_s - relay->turn_s;
        relay->turn_s = now_s;
        /* Other messages do not replace a beat, because only beats carry counters. */
        if (now_s - relay->beat_s >= relay->options->silence_s / MESSAGE_BEATS) {
            relay->beat_s = now_s;
            message_begin(&relay->message, MESSAGE_BEAT);
            if (send_with_counters(relay, err))
                return -1;
        }
        if (!down && watch(relay, now_s, err))
            return -1;
        if (relay->has_failed)
            return err_set(err, "%s", relay->err.text);
    }
    return 0;
}

int relay_serve(const struct world *world, const struct runner *runner,
                const struct relay_options *options, const struct clock *clock, struct err *err)
{
    struct relay relay = {
        .world = world, .runner = runner, .options = options, .clock = clock, .err = {""}};
    pthread_t thread;
    int code;

    relay.heard_s = relay.beat_s = relay.watch_s = relay.turn_s = clock_now(clock);
    traffic_begin(&relay.meter, clock, TRAFFIC_SCHEDULE, relay.turn_s);
    relay.leader_is_here = process_is_here(&world->processes[0]);
    mailbox_init(&relay.to_worker);
    mailbox_init(&relay.from_worker);
    sem_init(&relay.has_said, 0, 0);
    code = pthread_create(&thread, NULL, run_thread, &relay);
    if (!code && pass_messages(&relay, err))
        options->cut_off(err);
    if (!code)
        pthread_join(thread, NULL);
    sem_destroy(&relay.has_said);
    mailbox_release(&relay.to_worker);
    mailbox_release(&relay.from_worker);
    buf_release(&relay.message);
    return code ? err_set(err, "thread of the worker: %s", strerror(code)) : 0;
}
