/* Events in a binary heap by time. The scheduler is one server: a message that comes while it is
 * busy waits its turn. What is under way between two ends lies in the worker's rings, in order; an
 * event only says how many of it arrive. */
#include "simulator.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sched/dispatch.h"

/* As in sched/worker.c. */
#define LOOK_S 0.02
#define GROUP_S 0.005
#define GROUP_RESULTS 64
#define HOARD_S 0.5

enum { RING = 2 * DISPATCH_MAX };

enum kind { ARRIVE, END, LOOK, HOARD, RESULTS, RETURNED };

struct event {
    double at_s;
    int32_t worker;
    int32_t n;     /* trials */
    int64_t trial; /* that LOOK and HOARD are about */
    enum kind kind;
};

struct ring {
    int32_t trials[RING];
    uint32_t head, tail; /* taken, put */
};

struct worker {
    struct ring queue; /* assigned; `arrived` of it are here */
    struct ring out;   /* results and returned trials under way, and results not yet sent */
    uint32_t arrived;  /* a position in queue */
    int32_t n_ready;   /* results not yet sent */
    double group_s;    /* when the first trial of them began */
    int64_t running;   /* -1: none */
    double began_s, idle_s;
};

struct state {
    const struct sim *sim;
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
    struct worker *workers;
    struct event *heap;
    int32_t n, capacity;
    double now_s, free_s; /* the scheduler has handled all before */
    double busy_s;
    uint8_t *times; /* [n_trials] results */
    float *off;     /* [n_trials] */
    struct sim_report report;
};

static void push(struct state *s, struct event event)
{
    int32_t at = s->n++;

    if (s->n > s->capacity) {
        s->capacity = 2 * s->n;
        s->heap = realloc(s->heap, (size_t)s->capacity * sizeof *s->heap);
        assert(s->heap);
    }
    for (; at && s->heap[(at - 1) / 2].at_s > event.at_s; at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = event;
}

static struct event pop(struct state *s)
{
    struct event first = s->heap[0], last = s->heap[--s->n];
    int32_t at = 0;

    for (;;) {
        int32_t child = 2 * at + 1;

        if (child + 1 < s->n && s->heap[child + 1].at_s < s->heap[child].at_s)
            child++;
        if (child >= s->n || s->heap[child].at_s >= last.at_s)
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
    return first;
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

static void supply(struct state *s, int32_t worker)
{
    int64_t trials[DISPATCH_MAX];
    int32_t n = dispatch_assign(s->dispatch, worker, INFINITY, trials, NULL);

    for (int32_t i = 0; i < n; i++)
        ring_put(&s->workers[worker].queue, trials[i]);
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

        s->off[trial] = (float)fabs(log(dispatch_predicted(s->dispatch, trial) / seconds));
        if (dispatch_finish(s->dispatch, worker, trial, TRIAL_DONE, seconds) == LEDGER_ACCEPTED)
            s->times[trial]++;
    }
    supply(s, worker);
}

static void take_back(struct state *s, int32_t worker, int32_t n)
{
    for (int32_t i = 0; i < n; i++)
        dispatch_give_back(s->dispatch, worker, ring_take(&s->workers[worker].out));
    supply_idle(s);
}

static void schedule(struct state *s, const struct event *event)
{
    double begun_s;

    s->free_s = fmax(s->free_s, s->now_s) + s->sim->message_s + event->n * s->sim->result_s;
    s->report.n_messages++;
    begun_s = clock_now(&clock_system);
    if (event->kind == RESULTS)
        take_results(s, event->worker, event->n);
    else
        take_back(s, event->worker, event->n);
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

/* Results not yet sent go before it: the ring keeps the order. */
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
}

static void end_trial(struct state *s, int32_t worker)
{
    struct worker *w = &s->workers[worker];

    if (!w->n_ready)
        w->group_s = w->began_s;
    ring_put(&w->out, w->running);
    if (++w->n_ready >= GROUP_RESULTS || s->now_s - w->group_s >= GROUP_S)
        send_results(s, worker);
    begin_next(s, worker);
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

static void handle(struct state *s, const struct event *event)
{
    struct worker *w = &s->workers[event->worker];

    switch (event->kind) {
    case ARRIVE:
        arrive(s, event->worker, event->n);
        return;
    case END:
        end_trial(s, event->worker);
        return;
    case LOOK:
        if (w->running == event->trial)
            send_results(s, event->worker);
        return;
    case HOARD:
        if (w->running == event->trial)
            give_back(s, event->worker);
        return;
    default:
        schedule(s, event);
    }
}

/* ---- a sweep ---- */

static int ascending(const void *a_, const void *b_)
{
    const float *a = a_, *b = b_;

    return (*a > *b) - (*a < *b);
}

static void conclude(struct state *s)
{
    const struct sim *sim = s->sim;
    double total_s = 0, longest_s = 0, speed = 0, fastest = 0;

    for (int64_t i = 0; i < sim->n_trials; i++) {
        double seconds = sim->seconds(sim->arg, i);

        total_s += seconds;
        longest_s = fmax(longest_s, seconds);
        s->report.n_wrong += s->times[i] != 1;
    }
    for (int32_t w = 0; w < sim->n_workers; w++) {
        double own = sim->slowness ? 1 / sim->slowness[w] : 1;

        speed += own;
        fastest = fmax(fastest, own);
    }
    qsort(s->off, (size_t)sim->n_trials, sizeof *s->off, ascending);
    s->report.off = s->off[sim->n_trials / 2];
    s->report.makespan_s = s->free_s;
    s->report.bound_s = fmax(total_s / speed, longest_s / fastest);
    s->report.idle = 1 - s->busy_s / (s->free_s * sim->n_workers);
}

static void init(struct state *s, const struct sim *sim)
{
    *s = (struct state){.sim = sim};
    s->ledger = ledger_create(sim->n_trials, sim->group_size, NULL, 2, NULL);
    s->cost = cost_create(sim->work, ledger_n_groups(s->ledger), sim->n_workers, NULL);
    s->dispatch = dispatch_create(s->ledger, s->cost, sim->n_workers, NULL);
    s->workers = calloc((size_t)sim->n_workers, sizeof *s->workers);
    s->times = calloc((size_t)sim->n_trials, 1);
    s->off = calloc((size_t)sim->n_trials, sizeof *s->off);
    assert(s->dispatch && s->workers && s->times && s->off);
    for (int32_t w = 0; w < sim->n_workers; w++)
        s->workers[w].running = -1;
}

struct sim_report sim_run(const struct sim *sim)
{
    struct state s;
    double begun_s = clock_now(&clock_system);

    init(&s, sim);
    supply_idle(&s);
    s.report.scheduler_s = clock_now(&clock_system) - begun_s;
    while (s.n) {
        struct event event = pop(&s);

        s.now_s = event.at_s;
        handle(&s, &event);
    }
    s.report.n_wrong += !ledger_is_finished(s.ledger) || !ledger_check(s.ledger, NULL);
    conclude(&s);
    dispatch_destroy(s.dispatch);
    cost_destroy(s.cost);
    ledger_destroy(s.ledger);
    free(s.workers);
    free(s.heap);
    free(s.times);
    free(s.off);
    return s.report;
}
