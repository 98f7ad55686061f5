/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/worker.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fault.h"
#include "gang/gang.h"
#include "program/port.h"
#include "sched/message.h"

/* Seconds between polls of the channel during a trial; a poll costs about 1 us. */
#define LOOK_S 0.02
/* Results of short trials go in groups, since a message costs as much as 10 no-op trials. Longer
 * trials are reported when they start, so that a crash is blamed on them. */
#define GROUP_S 0.005
#define GROUP_RESULTS 64
#define GROUP_BYTES ((size_t)1 << 20) /* fewer results with models: a message has at most 2 GB */
/* A trial that runs this long was misjudged; other workers should get those behind it. */
#define HOARD_S 0.5
#define WAIT_S 1.0

struct assigned {
    int64_t trial, id; /* id: in the database */
    double expected_s; /* on this rank; NaN: unknown */
    int32_t rung;      /* struct trial_watch */
};

struct worker {
    const struct worker_channel *channel;
    const struct runner *runner;
    const struct clock *clock;
    int32_t rank, pid;
    char host[64];

    struct assigned *queue; /* [at, end) not begun */
    size_t at, end;
    struct message_gang next, gang; /* to begin; running. number 0: none */
    bool is_gang_over;              /* the running one */
    struct buf in, out;
    struct buf state;             /* received with a trial that resumes */
    struct trial_checkpoint from; /* a view of it; state NULL: none */

    struct buf results;
    int32_t n_results;
    double group_s; /* when the group's first trial began */

    int64_t running;
    double started; /* Unix seconds */
    double began_s; /* by the clock */
    double ends_s;  /* expected; NaN: unknown */
    bool is_announced;
    double looked_s;        /* last poll of the channel during a trial */
    double waited_s;        /* for an assignment, since the last trial */
    struct traffic counted; /* so far, without the running trial */
    bool is_stopping;
    struct deadline deadline; /* of the running trial */
    bool has_failed;
    const char *unable; /* why no trial can run here any more; "": they can */
    struct err *err;
};

/* ---- counting ---- */

void worker_time_read(struct traffic *traffic, struct worker_time *time)
{
    for (int i = 0; i < TRAFFIC_TRAINING_CELLS; i++)
        traffic->of[TRAFFIC_TRAINING + i] = (struct traffic_count){
            .calls = atomic_load_explicit(&time->of[i].calls, memory_order_relaxed),
            .bytes = atomic_load_explicit(&time->of[i].bytes, memory_order_relaxed),
            .seconds = atomic_load_explicit(&time->of[i].seconds, memory_order_relaxed)};
}

/* Show what was counted in a cell, and `more` in the running trial. */
static void show(const struct worker *worker, int cell, struct traffic_count more)
{
    struct worker_time *time = worker->channel->time;
    const struct traffic_count *so_far = &worker->counted.of[cell];
    int i = cell - TRAFFIC_TRAINING;

    atomic_store_explicit(&time->of[i].calls, so_far->calls + more.calls, memory_order_relaxed);
    atomic_store_explicit(&time->of[i].bytes, so_far->bytes + more.bytes, memory_order_relaxed);
    atomic_store_explicit(&time->of[i].seconds, so_far->seconds + more.seconds,
                          memory_order_relaxed);
}

/* Time between members is time of the attempt, too. */
static void show_gang(void *arg, const struct gang_counts *counts)
{
    struct traffic all = {0};
    struct traffic_count *waiting = &all.of[traffic_cell(TRAFFIC_MEMBERS, 0)];

    *waiting = (struct traffic_count){.calls = 1, .seconds = counts->meeting_s};
    for (int call = 0; call < GANG_CALLS; call++) {
        for (int class = 0; class < GANG_SIZES; class ++) {
            const struct gang_count *count = &counts->of[call][class];

            all.of[(TRAFFIC_SUM + call) * TRAFFIC_SIZES + class] = (struct traffic_count){
                count->calls, count->bytes, fmax(count->seconds - count->waiting_s, 0)};
            waiting->calls += count->calls;
            waiting->seconds += count->waiting_s;
        }
    }
    for (int cell = TRAFFIC_TRAINING; cell <= traffic_cell(TRAFFIC_MEMBERS, 0); cell++)
        show(arg, cell, all.of[cell]);
}

static void add(struct worker *worker, enum traffic_activity activity, double seconds)
{
    int cell = traffic_cell(activity, 0);

    worker->counted.of[cell].calls++;
    worker->counted.of[cell].seconds += seconds;
    show(worker, cell, (struct traffic_count){0});
}

/* ---- sending ---- */

static int post(struct worker *worker, const struct buf *message)
{
    if (buf_failed(message))
        return err_nomem(worker->err, "message", message->size);
    return worker->channel->send(worker->channel->self, message, worker->err);
}

static int send_results(struct worker *worker)
{
    if (!worker->n_results)
        return 0;
    worker->n_results = 0;
    return post(worker, &worker->results);
}

static int give_back(struct worker *worker, const struct assigned *trials, size_t n)
{
    message_begin(&worker->out, MESSAGE_GIVE_BACK);
    buf_put_u32(&worker->out, (uint32_t)n);
    for (size_t i = 0; i < n; i++)
        buf_put_i64(&worker->out, trials[i].trial);
    return post(worker, &worker->out);
}

/* Send results first: a crash of the rank would take them with it. */
static int announce(struct worker *worker)
{
    worker->is_announced = true;
    if (send_results(worker))
        return -1;
    message_begin(&worker->out, MESSAGE_START);
    buf_put_i64(&worker->out, worker->running);
    buf_put_f64(&worker->out, worker->started);
    return post(worker, &worker->out);
}

static int give_back_queue(struct worker *worker)
{
    size_t n = worker->end - worker->at;

    worker->end = worker->at;
    return n ? give_back(worker, worker->queue + worker->at, n) : 0;
}

static int send_member_result(struct worker *worker, int64_t gang, const struct trial_result *r)
{
    message_begin(&worker->out, MESSAGE_GANG_RESULT);
    buf_put_i64(&worker->out, gang);
    trial_result_pack(&worker->out, r);
    return post(worker, &worker->out);
}

/* Only the leader's result counts, and the reason for which another ended first. */
static int report_member(struct worker *worker, const struct message_gang *gang,
                         const struct trial_result *r)
{
    struct trial_result ended;

    if (gang->part.rank == 0 || r->state == TRIAL_FAILED ||
        (r->state == TRIAL_PENDING && *r->error))
        return send_member_result(worker, gang->number, r);
    trial_result_init(&ended, gang->trial);
    ended.state = r->state;
    return send_member_result(worker, gang->number, &ended);
}

/* Report that a gang that has not begun will not run here. */
static int give_back_gang(struct worker *worker)
{
    struct trial_result r;
    int64_t number = worker->next.number;

    if (!number)
        return 0;
    worker->next.number = 0;
    trial_result_init(&r, worker->next.trial);
    r.state = TRIAL_PENDING;
    return send_member_result(worker, number, &r);
}

/* Begin a message on the running trial, which goes after its announcement. False: the worker has failed. */
static bool begin_message(struct worker *worker, enum message_kind kind)
{
    worker->has_failed = worker->has_failed || (!worker->is_announced && announce(worker));
    if (!worker->has_failed)
        message_begin(&worker->out, kind);
    return !worker->has_failed;
}

static void post_message(struct worker *worker)
{
    if (!buf_failed(&worker->out)) /* no harm without it */
        worker->has_failed = post(worker, &worker->out) != 0;
    buf_release(&worker->out);
}

static void save(void *arg, const struct trial_checkpoint *checkpoint)
{
    struct worker *worker = arg;

    if (!begin_message(worker, MESSAGE_CHECKPOINT))
        return;
    trial_checkpoint_pack(&worker->out, checkpoint);
    post_message(worker);
}

static void report(void *arg, const struct trial_result *so_far)
{
    struct worker *worker = arg;

    if (!begin_message(worker, MESSAGE_REPORT))
        return;
    trial_result_pack(&worker->out, so_far);
    post_message(worker);
}

static int leave(struct worker *worker, const char *error)
{
    if (!*error && *worker->unable) {
        message_begin(&worker->out, MESSAGE_UNABLE);
        buf_put_text(&worker->out, worker->unable);
        if (post(worker, &worker->out))
            return -1;
    }
    message_begin(&worker->out, MESSAGE_LEAVE);
    buf_put_text(&worker->out, error);
    return post(worker, &worker->out);
}

static int add_result(struct worker *worker, const struct trial_result *r, double now_s)
{
    if (!worker->n_results) {
        message_begin(&worker->results, MESSAGE_RESULTS);
        worker->group_s = worker->began_s;
    }
    trial_result_pack(&worker->results, r);
    worker->n_results++;
    if (worker->n_results < GROUP_RESULTS && worker->results.size < GROUP_BYTES &&
        now_s - worker->group_s < GROUP_S)
        return 0;
    return send_results(worker);
}

/* ---- receiving ---- */

/* The scheduler of the same program sends no such message. */
static int damaged(struct worker *worker, const struct cursor *in)
{
    return err_set(worker->err, "message of %zu bytes is damaged before byte %zu", in->size,
                   in->at);
}

static int take_checkpoint(struct worker *worker, struct cursor *in)
{
    struct cursor kept;

    buf_release(&worker->state);
    buf_add(&worker->state, in->data + in->at, in->size - in->at);
    kept = (struct cursor){.data = worker->state.data, .size = worker->state.size};
    if (buf_failed(&worker->state))
        return err_nomem(worker->err, "checkpoint", in->size - in->at);
    return trial_checkpoint_unpack(&worker->from, &kept) ? damaged(worker, in) : 0;
}

static int take_assignment(struct worker *worker, struct cursor *in)
{
    int64_t n = message_count_trials(in);
    size_t left = worker->end - worker->at;
    struct assigned *queue, *added;
    int32_t rung;

    if (n < 0)
        return damaged(worker, in);
    if (left)
        memmove(worker->queue, worker->queue + worker->at, left * sizeof *queue);
    worker->at = 0;
    worker->end = left;
    queue = realloc(worker->queue, (left + (size_t)n + 1) * sizeof *queue);
    if (!queue)
        return err_nomem(worker->err, "assigned trials", (left + (size_t)n) * sizeof *queue);
    worker->queue = queue;
    added = queue + left;
    for (int64_t i = 0; i < n; i++)
        added[i].trial = cursor_i64(in);
    for (int64_t i = 0; i < n; i++)
        added[i].id = cursor_i64(in);
    for (int64_t i = 0; i < n; i++)
        added[i].expected_s = cursor_f64(in);
    rung = (int32_t)cursor_i64(in);
    for (int64_t i = 0; i < n; i++)
        added[i].rung = rung;
    FAULT("worker: an assignment came");
    if (in->failed)
        return damaged(worker, in);
    worker->end += (size_t)n;
    return in->at < in->size ? take_checkpoint(worker, in) : 0;
}

static int open_gang(struct worker *worker, struct cursor *in)
{
    int64_t number = cursor_i64(in);
    int32_t port = port_find(worker->rank, (int32_t)cursor_u32(in), number);

    if (in->failed)
        return damaged(worker, in);
    message_begin(&worker->out, MESSAGE_GANG_PORT);
    buf_put_i64(&worker->out, number);
    buf_put_u32(&worker->out, (uint32_t)port);
    buf_put_text(&worker->out, worker->host);
    return post(worker, &worker->out);
}

static int take_gang(struct worker *worker, struct cursor *in)
{
    if (give_back_gang(worker))
        return -1;
    message_take_gang(&worker->next, in);
    if (in->failed)
        return damaged(worker, in);
    return in->at < in->size ? take_checkpoint(worker, in) : 0;
}

static int end_gang(struct worker *worker, struct cursor *in)
{
    int64_t number = cursor_i64(in);

    if (number == worker->gang.number)
        worker->is_gang_over = true;
    return number == worker->next.number ? give_back_gang(worker) : 0;
}

/* Let the running trial go on only if it is expected to end in time, or is overdue. One of unknown
 * time stops at once: a program may need the time to save its state. */
static int take_stop(struct worker *worker, struct cursor *in)
{
    double now_s = clock_now(worker->clock);

    FAULT("worker: is told to stop");
    worker->is_stopping = true;
    worker->deadline.ask_s = now_s + cursor_f64(in);
    worker->deadline.kill_s = now_s + cursor_f64(in);
    if (!(worker->ends_s <= worker->deadline.ask_s))
        worker->deadline.ask_s = fmin(worker->deadline.ask_s, now_s);
    return in->failed ? damaged(worker, in) : 0;
}

static int handle(struct worker *worker)
{
    struct cursor in;
    enum message_kind kind;

    if (message_open(&in, &kind, &worker->in, worker->err))
        return -1;
    switch (kind) {
    case MESSAGE_ASSIGN:
        return take_assignment(worker, &in);
    case MESSAGE_ROWS:
        return worker->runner->rows(worker->runner->self, &in) ? damaged(worker, &in) : 0;
    case MESSAGE_GANG_OPEN:
        return open_gang(worker, &in);
    case MESSAGE_GANG_RUN:
        return take_gang(worker, &in);
    case MESSAGE_GANG_END:
        return end_gang(worker, &in);
    case MESSAGE_STOP:
        return take_stop(worker, &in);
    default:
        return damaged(worker, &in);
    }
}

/* Take all waiting messages; wait for the first. */
static int look(struct worker *worker, double timeout_s)
{
    const struct worker_channel *channel = worker->channel;
    int got;

    while ((got = channel->receive(channel->self, &worker->in, timeout_s, worker->err)) > 0) {
        if (handle(worker))
            return -1;
        timeout_s = 0;
    }
    return got;
}

/* ---- working ---- */

/* Only leaders report the start of a gang's trial. */
static bool leads(const struct worker *worker)
{
    return !worker->gang.number || worker->gang.part.rank == 0;
}

/* False: something is wrong, or the gang is over. */
static bool look_and_go_on(struct worker *worker, double now_s)
{
    double so_far_s = now_s - worker->began_s;

    if (!worker->has_failed && now_s - worker->looked_s >= LOOK_S) {
        worker->looked_s = now_s;
        show(worker, traffic_cell(TRAFFIC_COMPUTE, 0), (struct traffic_count){.seconds = so_far_s});
        worker->has_failed = look(worker, 0) || send_results(worker) ||
                             (!worker->is_announced && leads(worker) && announce(worker)) ||
                             (so_far_s > HOARD_S && give_back_queue(worker));
    }
    return !worker->has_failed && !worker->is_gang_over;
}

static bool keep_going(void *arg)
{
    struct worker *worker = arg;
    double now_s = clock_now(worker->clock);

    return look_and_go_on(worker, now_s) && now_s < worker->deadline.ask_s;
}

static bool keep_waiting(void *arg)
{
    struct worker *worker = arg;

    return look_and_go_on(worker, clock_now(worker->clock));
}

/* Run a trial alone, or as a member of the running gang. */
static int run(struct worker *worker, struct trial_result *r, const struct assigned *next)
{
    const struct runner *runner = worker->runner;
    const struct trial_gang *gang = worker->gang.number ? &worker->gang.part : NULL;
    bool resumes = worker->from.state && worker->from.trial == next->trial;
    struct trial_watch watch = {.keep_going = keep_going,
                                .keep_waiting = keep_waiting,
                                .deadline = &worker->deadline,
                                .save = leads(worker) ? save : NULL,
                                .report = leads(worker) ? report : NULL,
                                .count = show_gang,
                                .arg = worker,
                                .from = resumes ? &worker->from : NULL,
                                .id = next->id,
                                .rung = next->rung,
                                .gang = gang};
    double now_s;

    trial_result_init(r, next->trial);
    r->rung = next->rung;
    r->rank = worker->rank;
    r->pid = worker->pid;
    memcpy(r->host, worker->host, sizeof r->host);
    worker->running = next->trial;
    r->started = worker->started = clock_unix();
    worker->is_announced = false;
    /* one expected to be short begins unreported */
    if (!(next->expected_s < GROUP_S) && leads(worker) && announce(worker))
        return -1;
    FAULT("worker: a trial begins");
    worker->began_s = worker->looked_s = clock_now(worker->clock);
    worker->ends_s = worker->began_s + next->expected_s;
    runner->run(runner->self, r, next->trial, &watch);
    if (runner->unable)
        worker->unable = runner->unable(runner->self);
    FAULT("worker: a trial has ended");
    now_s = clock_now(worker->clock);
    add(worker, TRAFFIC_COMPUTE, now_s - worker->began_s);
    if (gang)
        worker_time_read(&worker->counted, worker->channel->time);
    r->finished = clock_unix();
    r->seconds = r->earlier_s + now_s - worker->began_s;
    r->timing[PHASE_WAITING] = worker->waited_s;
    worker->waited_s = 0;
    if (resumes) {
        buf_release(&worker->state);
        worker->from.state = NULL;
    }
    return worker->has_failed ? -1 : 0;
}

static int run_next(struct worker *worker)
{
    struct assigned next = worker->queue[worker->at++];
    struct trial_result r = {0};
    int rc = run(worker, &r, &next);

    if (!rc && r.state == TRIAL_PENDING && !r.n_restarts && !r.n_curve && !r.n_reported)
        rc = give_back(worker, &next, 1);
    else if (!rc)
        rc = add_result(worker, &r, worker->began_s + r.seconds - r.earlier_s);
    trial_result_release(&r);
    return rc;
}

static int run_gang(struct worker *worker)
{
    struct assigned next = {worker->next.trial, worker->next.id, worker->next.expected_s,
                            worker->next.rung};
    struct trial_result r = {0};
    int rc = send_results(worker);

    worker->gang = worker->next;
    worker->next.number = 0;
    if (!rc)
        rc = run(worker, &r, &next);
    if (!rc)
        rc = report_member(worker, &worker->gang, &r);
    worker->gang.number = 0;
    worker->is_gang_over = false;
    trial_result_release(&r);
    return rc;
}

static int wait_for_work(struct worker *worker)
{
    double from_s = clock_now(worker->clock), seconds;

    if (send_results(worker) || look(worker, WAIT_S))
        return -1;
    seconds = clock_now(worker->clock) - from_s;
    worker->waited_s += seconds;
    add(worker, TRAFFIC_IDLE, seconds);
    return 0;
}

static int work(struct worker *worker)
{
    for (;;) {
        int rc;

        if (look(worker, 0))
            return -1;
        if (worker->is_stopping || *worker->unable)
            break;
        if (worker->at < worker->end)
            rc = run_next(worker);
        else
            rc = worker->next.number ? run_gang(worker) : wait_for_work(worker);
        if (rc)
            return -1;
    }
    return send_results(worker) || give_back_queue(worker) || give_back_gang(worker) ? -1 : 0;
}

int worker_run(const struct worker_channel *channel, const struct runner *runner, int32_t rank,
               const struct clock *clock, struct err *err)
{
    struct err own = {""};
    struct worker worker = {.channel = channel,
                            .runner = runner,
                            .clock = clock,
                            .rank = rank,
                            .pid = getpid(),
                            .deadline = {INFINITY, INFINITY},
                            .unable = "",
                            .err = &own};
    int rc;

    gethostname(worker.host, sizeof worker.host - 1);
    rc = work(&worker);
    FAULT("worker: before it leaves");
    rc = leave(&worker, rc ? own.text : "");
    FAULT("worker: has said that it leaves");
    if (rc)
        err_set(err, "%s", own.text);
    free(worker.queue);
    buf_release(&worker.in);
    buf_release(&worker.state);
    buf_release(&worker.out);
    buf_release(&worker.results);
    return rc;
}
