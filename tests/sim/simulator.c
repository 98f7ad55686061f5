/* SPDX-License-Identifier: BSD-3-Clause */
/* The scheduler is a single server: a message that arrives while it is busy waits. Trials and
 * results under way are in the worker's rings, in order; an event only gives their number. */
#include "simulator.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "events.h"
#include "sched/dispatch.h"

/* Constants of sched/worker.c. */
#define LOOK_S 0.02
#define GROUP_S 0.005
#define GROUP_RESULTS 64
#define HOARD_S 0.5

enum { RING = 2 * DISPATCH_MAX };

enum kind {
    ARRIVE, /* at a worker; LOOK, HOARD, HEARTBEAT and STARTED concern a trial */
    END,
    LOOK,
    HOARD,
    HEARTBEAT,
    DIE,
    HANG,
    RESULTS, /* at the scheduler, like all that follow */
    RETURNED,
    STARTED,
    NOTICE
};

struct ring {
    int32_t trials[RING];
    uint32_t head, tail; /* next to take, next to put */
};

struct worker {
    struct ring queue; /* assigned; those before `arrived` are here */
    struct ring out;   /* results and returned trials under way, then unsent results */
    uint32_t arrived;  /* position in queue */
    int32_t n_ready;
    double group_s;  /* begin of their first trial */
    int64_t running; /* -1: none */
    double began_s, idle_s;
    double wakes_s; /* hangs until then */
    bool is_dead;
    bool is_lost; /* to the scheduler */
};

struct state {
    const struct sim *sim;
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
    struct worker *workers;
    struct events events;
    double now_s, free_s; /* free_s: the scheduler has handled everything before */
    double busy_s;
    uint8_t *times; /* [n_trials] */
    float *off;     /* [n_trials] */
    struct sim_report report;
};

static void push(struct state *s, struct event event)
{
    events_push(&s->events, event);
}

static void ring_put(struct ring *ring, int64_t trial)
{
    assert(ring->tail - ring->head < RING);
    ring->trials[ring->tail++ % RING] = (int32_t)trial;
}

static int64_t ring_take(struct ring *ring)
{
    assert(ring->head != ring->tail);
    return ring->trials[ring->head++ % RING];
}

/* ---- the scheduler ---- */

/* A suspect runs alone, and not on worker 0 if another is alive. */
static bool may_be_there(const struct state *s, int32_t worker, int64_t trial)
{
    return !ledger_is_suspect(s->ledger, trial) ||
           (ledger_held(s->ledger, worker) == 1 && (worker || dispatch_n_alive(s->dispatch) == 1));
}

static void supply(struct state *s, int32_t worker)
{
    double left_s = s->sim->until_s > 0 ? s->sim->until_s - s->free_s : INFINITY;
    int64_t trials[DISPATCH_MAX];
    int32_t n = dispatch_assign(s->dispatch, worker, left_s, trials, NULL);

    for (int32_t i = 0; i < n; i++) {
        ring_put(&s->workers[worker].queue, trials[i]);
        s->report.n_wrong += !may_be_there(s, worker, trials[i]);
    }
    if (n > 0)
        push(s,
             (struct event){
                 .at_s = s->free_s + s->sim->latency_s, .worker = worker, .n = n, .kind = ARRIVE});
}

static void supply_idle(struct state *s)
{
    int32_t worker;

    while ((worker = dispatch_idle(s->dispatch)) >= 0)
        supply(s, worker);
}

static double true_seconds(const struct state *s, int32_t worker, int64_t trial)
{
    return s->sim->seconds(s->sim->arg, trial) * (s->sim->slowness ? s->sim->slowness[worker] : 1);
}

static void take_results(struct state *s, int32_t worker, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        int64_t trial = ring_take(&s->workers[worker].out);
        double seconds = true_seconds(s, worker, trial);

        double predicted = dispatch_predicted(s->dispatch, trial);

        s->off[trial] = isnan(predicted) ? INFINITY : (float)fabs(log(predicted / seconds));
        if (dispatch_finish(s->dispatch, worker, trial, TRIAL_DONE, seconds)) {
            s->times[trial]++;
            s->report.done_s += s->sim->seconds(s->sim->arg, trial);
        } else {
            s->report.n_duplicates++;
        }
    }
    supply(s, worker);
}

static void take_back(struct state *s, int32_t worker, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        dispatch_give_back(s->dispatch, worker, ring_take(&s->workers[worker].out));
    supply_idle(s);
}

static bool is_poison(const struct sim *sim, int64_t trial)
{
    return sim->is_poison && sim->is_poison(sim->arg, trial);
}

static void lose(struct state *s, int32_t worker)
{
    int64_t failed = dispatch_lose(s->dispatch, worker);

    s->workers[worker].is_lost = true;
    s->report.n_lost++;
    if (failed >= 0) {
        s->times[failed]++;
        s->report.n_failed++;
        s->report.n_innocent += !is_poison(s->sim, failed);
    }
    supply_idle(s);
}

/* The worker only seemed lost. */
static void welcome(struct state *s, int32_t worker)
{
    if (!s->workers[worker].is_lost || s->workers[worker].is_dead)
        return;
    s->workers[worker].is_lost = false;
    s->report.n_returned++;
    dispatch_return(s->dispatch, worker);
}

static void schedule(struct state *s, const struct event *event)
{
    double begun_s;

    s->free_s = fmax(s->free_s, s->now_s) + s->sim->message_s + event->n * s->sim->result_s;
    s->report.n_messages++;
    begun_s = clock_now(&clock_system);
    if (event->kind != NOTICE)
        welcome(s, event->worker);
    if (event->kind == RESULTS)
        take_results(s, event->worker, event->n);
    else if (event->kind == RETURNED)
        take_back(s, event->worker, event->n);
    else if (event->kind == STARTED)
        ledger_start(s->ledger, event->worker, event->trial);
    else
        lose(s, event->worker);
    s->report.scheduler_s += clock_now(&clock_system) - begun_s;
}

/* ---- a worker ---- */

static void send(struct state *s, int32_t worker, enum kind kind, int32_t n)
{
    if (n)
        push(s, (struct event){
                    .at_s = s->now_s + s->sim->latency_s, .worker = worker, .n = n, .kind = kind});
}

static void send_results(struct state *s, int32_t worker)
{
    send(s, worker, RESULTS, s->workers[worker].n_ready);
    s->workers[worker].n_ready = 0;
}

/* Unsent results go first: the ring keeps the order. */
static void give_back(struct state *s, int32_t worker)
{
    struct worker *w = &s->workers[worker];
    int32_t n = (int32_t)(w->arrived - w->queue.head);

    send_results(s, worker);
    for (int32_t i = 0; i < n; i++)
        ring_put(&w->out, ring_take(&w->queue));
    send(s, worker, RETURNED, n);
}

static void begin_next(struct state *s, int32_t worker)
{
    struct worker *w = &s->workers[worker];
    double seconds;

    if (w->queue.head == w->arrived) {
        send_results(s, worker);
        w->running = -1;
        w->idle_s = s->now_s;
        return;
    }
    w->running = ring_take(&w->queue);
    w->began_s = s->now_s;
    seconds = true_seconds(s, worker, w->running);
    s->busy_s += seconds;
    push(s, (struct event){.at_s = s->now_s + seconds, .worker = worker, .kind = END});
    if (seconds > LOOK_S && w->n_ready)
        push(s, (struct event){s->now_s + LOOK_S, worker, 0, w->running, LOOK});
    if (seconds > HOARD_S)
        push(s, (struct event){s->now_s + HOARD_S, worker, 0, w->running, HOARD});
    if (s->sim->heartbeat_s > 0 && seconds > s->sim->heartbeat_s)
        push(s, (struct event){s->now_s + s->sim->heartbeat_s, worker, 0, w->running, HEARTBEAT});
}

static void notice(struct state *s, int32_t worker)
{
    push(s, (struct event){.at_s = s->now_s + s->sim->notice_s, .worker = worker, .kind = NOTICE});
}

static void die(struct state *s, int32_t worker)
{
    s->workers[worker].is_dead = true;
    notice(s, worker);
}

static void hang(struct state *s, int32_t worker)
{
    s->workers[worker].wakes_s = s->now_s + s->sim->hang_s;
    notice(s, worker);
}

static void end_trial(struct state *s, int32_t worker)
{
    struct worker *w = &s->workers[worker];

    if (is_poison(s->sim, w->running)) {
        die(s, worker);
        return;
    }
    if (s->sim->until_s > 0 && s->now_s > s->sim->until_s) {
        s->report.n_late++;
        s->report.late_s += s->sim->until_s - w->began_s;
    }
    if (!w->n_ready)
        w->group_s = w->began_s;
    ring_put(&w->out, w->running);
    if (++w->n_ready >= GROUP_RESULTS || s->now_s - w->group_s >= GROUP_S)
        send_results(s, worker);
    begin_next(s, worker);
}

static void say_started(struct state *s, int32_t worker)
{
    send_results(s, worker);
    push(s, (struct event){s->now_s + s->sim->latency_s, worker, 0, s->workers[worker].running,
                           STARTED});
}

static void arrive(struct state *s, int32_t worker, int32_t n)
{
    struct worker *w = &s->workers[worker];

    w->arrived += (uint32_t)n;
    if (w->running < 0) {
        s->report.longest_wait_s = fmax(s->report.longest_wait_s, s->now_s - w->idle_s);
        begin_next(s, worker);
    } else if (s->now_s - w->began_s > HOARD_S) {
        give_back(s, worker);
    }
}

static void live(struct state *s, const struct event *event)
{
    bool is_running = s->workers[event->worker].running == event->trial;

    switch (event->kind) {
    case ARRIVE:
        arrive(s, event->worker, event->n);
        return;
    case END:
        end_trial(s, event->worker);
        return;
    case LOOK:
        if (is_running)
            send_results(s, event->worker);
        return;
    case HOARD:
        if (is_running)
            give_back(s, event->worker);
        return;
    case HEARTBEAT:
        if (is_running)
            say_started(s, event->worker);
        return;
    case DIE:
        die(s, event->worker);
        return;
    default:
        hang(s, event->worker);
    }
}

static void handle(struct state *s, const struct event *event)
{
    const struct worker *w = &s->workers[event->worker];
    struct event later = *event;

    if (event->kind >= RESULTS) {
        schedule(s, event);
    } else if (!w->is_dead && s->now_s < w->wakes_s) {
        later.at_s = w->wakes_s;
        push(s, later);
    } else if (!w->is_dead) {
        live(s, event);
    }
}

/* ---- a sweep ---- */

static int ascending(const void *a_, const void *b_)
{
    const float *a = a_, *b = b_;

    return (*a > *b) - (*a < *b);
}

static double dies_s(const struct sim *sim, int32_t worker)
{
    return sim->dies_s ? sim->dies_s[worker] : INFINITY;
}

static double speed(const struct sim *sim, int32_t worker)
{
    return sim->slowness ? 1 / sim->slowness[worker] : 1;
}

/* The shortest time in which the workers alive until then can do total_s of work. */
static double capacity(const struct sim *sim, double total_s)
{
    double low_s = 0, high_s = 1e9;

    for (int i = 0; i < 100; i++) {
        double at_s = (low_s + high_s) / 2, done_s = 0;

        for (int32_t w = 0; w < sim->n_workers; w++)
            done_s += speed(sim, w) * fmin(at_s, dies_s(sim, w));
        *(done_s < total_s ? &low_s : &high_s) = at_s;
    }
    return high_s < 0.99e9 ? high_s : INFINITY;
}

static void count_wrong(struct state *s)
{
    bool is_finished = ledger_is_finished(s->ledger);
    bool can_end = s->sim->until_s > 0 || dispatch_n_alive(s->dispatch) == 0;

    s->report.n_wrong += !is_finished && !can_end;
    s->report.n_wrong += ledger_counts(s->ledger).leased > 0;
    s->report.n_wrong += dispatch_check(s->dispatch, NULL) ? 1 : 0;
    for (int64_t i = 0; i < s->sim->n_trials; i++)
        s->report.n_wrong += s->times[i] != (ledger_state(s->ledger, i) != TRIAL_PENDING);
}

static void conclude(struct state *s)
{
    const struct sim *sim = s->sim;
    double total_s = 0, longest_s = 0, speeds = 0, fastest = 0;

    for (int64_t i = 0; i < sim->n_trials; i++) {
        double seconds = sim->seconds(sim->arg, i);

        total_s += seconds;
        longest_s = fmax(longest_s, seconds);
    }
    for (int32_t w = 0; w < sim->n_workers; w++) {
        speeds += speed(sim, w);
        fastest = fmax(fastest, speed(sim, w));
    }
    count_wrong(s);
    qsort(s->off, (size_t)sim->n_trials, sizeof *s->off, ascending);
    s->report.off = s->off[sim->n_trials / 2];
    s->report.makespan_s = s->free_s;
    s->report.bound_s = fmax(total_s / speeds, longest_s / fastest);
    s->report.capacity_s = fmax(capacity(sim, total_s), longest_s / fastest);
    s->report.idle = 1 - s->busy_s / (s->free_s * sim->n_workers);
}

static void push_faults(struct state *s)
{
    for (int32_t w = 0; w < s->sim->n_workers; w++) {
        if (isfinite(dies_s(s->sim, w)))
            push(s, (struct event){.at_s = dies_s(s->sim, w), .worker = w, .kind = DIE});
        if (s->sim->hangs_s && isfinite(s->sim->hangs_s[w]))
            push(s, (struct event){.at_s = s->sim->hangs_s[w], .worker = w, .kind = HANG});
    }
}

static void init(struct state *s, const struct sim *sim)
{
    *s = (struct state){.sim = sim};
    s->ledger = ledger_create(sim->n_trials, sim->group_size, NULL,
                              sim->crash_limit ? sim->crash_limit : 2, NULL);
    s->cost = cost_create(sim->work, ledger_n_groups(s->ledger), sim->n_workers, NULL);
    s->dispatch = dispatch_create(s->ledger, s->cost, sim->n_workers, NULL, false, NULL, NULL);
    s->workers = calloc((size_t)sim->n_workers, sizeof *s->workers);
    s->times = calloc((size_t)sim->n_trials, 1);
    s->off = calloc((size_t)sim->n_trials, sizeof *s->off);
    assert(s->dispatch && s->workers && s->times && s->off);
    for (int32_t w = 0; w < sim->n_workers; w++)
        s->workers[w].running = -1;
    push_faults(s);
}

struct sim_report sim_run(const struct sim *sim)
{
    struct state s;
    double begun_s = clock_now(&clock_system);

    init(&s, sim);
    supply_idle(&s);
    s.report.scheduler_s = clock_now(&clock_system) - begun_s;
    while (s.events.n) {
        struct event event = events_pop(&s.events);

        if ((event.kind == DIE || event.kind == HANG) && ledger_is_finished(s.ledger))
            continue;
        s.now_s = event.at_s;
        handle(&s, &event);
    }
    conclude(&s);
    dispatch_destroy(s.dispatch);
    cost_destroy(s.cost);
    ledger_destroy(s.ledger);
    free(s.workers);
    events_release(&s.events);
    free(s.times);
    free(s.off);
    return s.report;
}
