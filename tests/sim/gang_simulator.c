/* SPDX-License-Identifier: BSD-3-Clause */
#include "gang_simulator.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/rng.h"
#include "events.h"

enum kind { TRIAL_END, GANG_END, DEATH };

struct actor {
    int64_t queue[2 * DISPATCH_MAX]; /* [at, end) */
    int32_t at, end;
    bool is_running, is_dead;
    double idle_s; /* since when */
};

struct state {
    const struct gang_sim *sim;
    struct rng rng;
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
    struct events events;
    double now_s;
    int32_t hosts[GANG_SIM_MOST_WORKERS];
    struct actor actors[GANG_SIM_MOST_WORKERS];
    int32_t n_events;
    struct gang_sim_report report;
};

static int32_t width_of(const struct state *s, int64_t trial)
{
    return s->sim->widths[trial / s->sim->group_size];
}

/* ---- workers ---- */

static void begin_next(struct state *s, int32_t w)
{
    struct actor *actor = &s->actors[w];
    int64_t trial;

    if (actor->at == actor->end) {
        actor->idle_s = s->now_s;
        return;
    }
    trial = actor->queue[actor->at++];
    actor->is_running = true;
    events_push(&s->events, (struct event){.at_s = s->now_s + s->sim->seconds[trial],
                                           .worker = w,
                                           .trial = trial,
                                           .kind = TRIAL_END});
}

static void note_idle(struct state *s, int32_t w)
{
    if (ledger_next(s->ledger, -1, INFINITY) >= 0)
        s->report.longest_idle_s = fmax(s->report.longest_idle_s, s->now_s - s->actors[w].idle_s);
}

static void supply(struct state *s, int32_t w)
{
    struct actor *actor = &s->actors[w];
    int64_t out[DISPATCH_MAX];
    int32_t n = dispatch_assign(s->dispatch, w, INFINITY, out, NULL);

    assert_true(n >= 0);
    if (actor->at == actor->end)
        actor->at = actor->end = 0;
    for (int32_t i = 0; i < n; i++) {
        assert_true(actor->end < 2 * DISPATCH_MAX);
        assert_int_equal(width_of(s, out[i]), 1);
        actor->queue[actor->end++] = out[i];
    }
    if (n && !actor->is_running) {
        note_idle(s, w);
        begin_next(s, w);
    }
}

static void begin_gang(struct state *s, const struct gang *gang)
{
    bool is_together = s->hosts[gang->workers[0]] == s->hosts[gang->workers[gang->n - 1]];

    assert_int_equal(gang->n, width_of(s, gang->trial));
    for (int32_t i = 0; i < gang->n; i++) {
        struct actor *actor = &s->actors[gang->workers[i]];

        if (actor->is_running || actor->at != actor->end || actor->is_dead)
            fail_msg("%s: worker %d is not free for gang %ld", s->sim->name, gang->workers[i],
                     (long)gang->number);
        actor->is_running = true;
        note_idle(s, gang->workers[i]);
    }
    s->report.n_wide++;
    s->report.widest = gang->n > s->report.widest ? gang->n : s->report.widest;
    s->report.n_gangs += gang->n <= s->sim->per_host;
    s->report.n_together += is_together;
    events_push(&s->events, (struct event){.at_s = s->now_s + s->sim->seconds[gang->trial],
                                           .worker = gang->workers[0],
                                           .n = (int32_t)gang->number,
                                           .trial = gang->trial,
                                           .kind = GANG_END});
}

static void supply_gangs(struct state *s)
{
    const struct gang *gang;
    int placed;

    while ((placed = dispatch_place(s->dispatch, INFINITY, &gang, NULL)) == 1)
        begin_gang(s, gang);
    assert_int_equal(placed, 0);
}

static void supply_idle(struct state *s)
{
    int32_t w;

    supply_gangs(s);
    while ((w = dispatch_idle(s->dispatch)) >= 0) {
        supply(s, w);
        supply_gangs(s);
    }
}

/* ---- events ---- */

static void end_trial(struct state *s, int32_t w, int64_t trial)
{
    double seconds = s->sim->seconds[trial];

    if (s->actors[w].is_dead)
        return;
    s->actors[w].is_running = false;
    s->report.area_s += seconds;
    assert_true(dispatch_finish(s->dispatch, w, trial, TRIAL_DONE, seconds));
    begin_next(s, w);
    supply_gangs(s);
    supply(s, w);
}

static void free_members(struct state *s, const struct gang *gang)
{
    for (int32_t i = 0; i < gang->n; i++) {
        int32_t w = gang->workers[i];

        if (s->actors[w].is_dead)
            continue;
        s->actors[w].is_running = false;
        s->actors[w].idle_s = s->now_s;
        dispatch_end_member(s->dispatch, w, gang->number);
    }
}

static void end_gang(struct state *s, const struct event *event)
{
    const struct gang *gang = dispatch_gang(s->dispatch, event->worker);

    double seconds;

    if (!gang || gang->number != event->n)
        return; /* a member died */
    seconds = s->sim->seconds[event->trial];
    s->report.area_s += seconds * gang->n;
    assert_true(dispatch_finish(s->dispatch, event->worker, event->trial, TRIAL_DONE, seconds));
    assert_true(gang->is_over);
    free_members(s, gang);
}

static void die(struct state *s, int32_t w)
{
    const struct gang *gang = dispatch_gang(s->dispatch, w);

    if (s->actors[w].is_dead)
        return;
    s->actors[w].is_dead = true;
    assert_int_equal(dispatch_lose(s->dispatch, w), -1);
    if (gang)
        free_members(s, gang);
}

static void handle(struct state *s, const struct event *event)
{
    struct err err = {""};

    if (event->kind == TRIAL_END)
        end_trial(s, event->worker, event->trial);
    else if (event->kind == GANG_END)
        end_gang(s, event);
    else
        die(s, event->worker);
    supply_idle(s);
    if (s->n_events++ % 512 == 0 && dispatch_check(s->dispatch, &err))
        fail_msg("%s: %s", s->sim->name, err.text);
}

static void push_deaths(struct state *s)
{
    for (uint32_t i = 0; i < (uint32_t)s->sim->n_deaths; i++)
        events_push(&s->events,
                    (struct event){.at_s = s->sim->deaths_s * rng_uniform(&s->rng, 5, i),
                                   .worker = 1 + (int32_t)(rng_uniform(&s->rng, 6, i) *
                                                           (s->sim->n_workers - 1)),
                                   .kind = DEATH});
}

static void run(struct state *s)
{
    supply_idle(s);
    while (s->events.n) {
        struct event event = events_pop(&s->events);

        if (event.kind == DEATH && ledger_is_finished(s->ledger))
            continue;
        s->now_s = event.at_s;
        dispatch_set_time(s->dispatch, s->now_s);
        handle(s, &event);
    }
}

static void init(struct state *s, const struct gang_sim *sim)
{
    int32_t n_groups;

    s->sim = sim;
    rng_init(&s->rng, hash_text(sim->name), RNG_SIMULATE);
    for (int32_t w = 0; w < sim->n_workers; w++)
        s->hosts[w] = w / sim->per_host;
    s->ledger = ledger_create(sim->n_trials, sim->group_size, NULL, 4, NULL);
    n_groups = ledger_n_groups(s->ledger);
    s->cost = cost_create(sim->work, n_groups, sim->n_workers, NULL);
    s->dispatch =
        dispatch_create(s->ledger, s->cost, sim->n_workers, sim->widths, false, s->hosts, NULL);
    assert_non_null(s->dispatch);
    push_deaths(s);
}

static void release(struct state *s)
{
    dispatch_destroy(s->dispatch);
    cost_destroy(s->cost);
    ledger_destroy(s->ledger);
    events_release(&s->events);
    free(s);
}

struct gang_sim_report gang_sim_run(const struct gang_sim *sim)
{
    struct state *s = calloc(1, sizeof *s);
    struct gang_sim_report report;
    double begun_s;

    assert_non_null(s);
    init(s, sim);
    begun_s = clock_now(&clock_system);
    run(s);
    report = s->report;
    report.real_s = clock_now(&clock_system) - begun_s;
    report.makespan_s = s->now_s;
    assert_int_equal(ledger_counts(s->ledger).done, sim->n_trials);
    assert_int_equal(dispatch_n_busy(s->dispatch), 0);
    release(s);
    return report;
}
