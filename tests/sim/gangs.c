/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole sweeps of gangs and single trials over the real ledger, cost model and dispatch policy: how
 * close they come to the best possible schedule. The wire takes no time; workers may die. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/rng.h"
#include "events.h"
#include "sched/dispatch.h"

#define GROUP 5
#define MOST_TRIALS 40000
#define MOST_WORKERS 1000

enum kind { TRIAL_END, GANG_END, DEATH };

struct scene {
    const char *name;
    int32_t n_workers, per_host;
    int64_t n_trials;
    int32_t most_width; /* widths are 1 to this, evenly */
    double mean_s, sd;  /* lognormal seconds; sd of the logarithm */
    double quirk;       /* sd of the logarithm by configuration, unknown to the cost model */
    int32_t n_deaths;
    double least; /* utilisation wanted */
};

struct actor {
    int64_t queue[2 * DISPATCH_MAX]; /* [at, end) */
    int32_t at, end;
    bool is_running, is_dead;
    double idle_s; /* since when */
};

struct state {
    const struct scene *scene;
    struct rng rng;
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
    struct events events;
    double now_s;
    double seconds[MOST_TRIALS];
    struct gcn_cost work[MOST_TRIALS / GROUP];
    struct elastic_rule rules[MOST_TRIALS / GROUP];
    int32_t hosts[MOST_WORKERS];
    struct actor actors[MOST_WORKERS];
    int32_t n_events;
    int64_t n_gangs, n_together; /* gangs that one host could hold; that one host had */
    double longest_idle_s;       /* of a live worker while a single trial was pending */
};

/* ---- sweeps ---- */

static void init(struct state *s, const struct scene *scene)
{
    s->scene = scene;
    rng_init(&s->rng, hash_text(scene->name), RNG_SIMULATE);
    for (uint32_t c = 0; c < scene->n_trials / GROUP; c++) {
        double sd = scene->sd;
        double base_s = scene->mean_s * exp(sd * rng_normal(&s->rng, 1, c) - sd * sd / 2);
        double quirk = exp(scene->quirk * rng_normal(&s->rng, 2, c));
        int32_t width = 1 + (int32_t)(rng_uniform(&s->rng, 3, c) * scene->most_width);

        s->rules[c] = (struct elastic_rule){.fewest = width, .most = width};
        s->work[c] = (struct gcn_cost){.flops = base_s * 1e10};
        for (uint32_t i = c * GROUP; i < (c + 1) * GROUP; i++)
            s->seconds[i] = base_s * quirk * exp(0.05 * rng_normal(&s->rng, 4, i));
    }
    for (int32_t w = 0; w < scene->n_workers; w++)
        s->hosts[w] = w / scene->per_host;
    s->ledger = ledger_create(scene->n_trials, GROUP, NULL, 4, NULL);
    s->cost = cost_create(s->work, ledger_n_groups(s->ledger), scene->n_workers, NULL);
    s->dispatch = dispatch_create(s->ledger, s->cost, scene->n_workers, s->rules, s->hosts, NULL);
    assert_non_null(s->dispatch);
}

static void release(struct state *s)
{
    dispatch_destroy(s->dispatch);
    cost_destroy(s->cost);
    ledger_destroy(s->ledger);
    events_release(&s->events);
    free(s);
}

/* No schedule is shorter. Gangs wider than half of the ranks run one
 * after another. */
static double bound_s(const struct state *s)
{
    double area = 0, longest_s = 0, wide_s = 0;

    for (int64_t i = 0; i < s->scene->n_trials; i++) {
        area += s->seconds[i] * s->rules[i / GROUP].most;
        longest_s = fmax(longest_s, s->seconds[i]);
        wide_s += 2 * s->rules[i / GROUP].most > s->scene->n_workers ? s->seconds[i] : 0;
    }
    return fmax(fmax(area / s->scene->n_workers, longest_s), wide_s);
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
    events_push(&s->events, (struct event){.at_s = s->now_s + s->seconds[trial],
                                           .worker = w,
                                           .trial = trial,
                                           .kind = TRIAL_END});
}

static void note_idle(struct state *s, int32_t w)
{
    if (ledger_next(s->ledger, -1, INFINITY) >= 0)
        s->longest_idle_s = fmax(s->longest_idle_s, s->now_s - s->actors[w].idle_s);
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
        assert_int_equal(s->rules[out[i] / GROUP].most, 1);
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

    assert_int_equal(gang->n, s->rules[gang->trial / GROUP].most);
    for (int32_t i = 0; i < gang->n; i++) {
        struct actor *actor = &s->actors[gang->workers[i]];

        if (actor->is_running || actor->at != actor->end || actor->is_dead)
            fail_msg("%s: worker %d is not free for gang %ld", s->scene->name, gang->workers[i],
                     (long)gang->number);
        actor->is_running = true;
        note_idle(s, gang->workers[i]);
    }
    s->n_gangs += gang->n <= s->scene->per_host;
    s->n_together += is_together;
    events_push(&s->events, (struct event){.at_s = s->now_s + s->seconds[gang->trial],
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
    if (s->actors[w].is_dead)
        return;
    s->actors[w].is_running = false;
    assert_int_equal(dispatch_finish(s->dispatch, w, trial, TRIAL_DONE, s->seconds[trial]),
                     LEDGER_ACCEPTED);
    begin_next(s, w);
    supply_gangs(s);
    supply(s, w);
}

static void free_members(struct state *s, const struct gang *gang)
{
    int64_t number = gang->number;
    int32_t n = gang->n, members[MOST_WORKERS];

    for (int32_t i = 0; i < n; i++)
        members[i] = gang->workers[i];
    for (int32_t i = 0; i < n; i++) {
        if (s->actors[members[i]].is_dead)
            continue;
        s->actors[members[i]].is_running = false;
        s->actors[members[i]].idle_s = s->now_s;
        dispatch_end_member(s->dispatch, members[i], number);
    }
}

static void end_gang(struct state *s, const struct event *event)
{
    const struct gang *gang = dispatch_gang(s->dispatch, event->worker);

    if (!gang || gang->number != event->n)
        return; /* a member died */
    assert_int_equal(dispatch_finish(s->dispatch, event->worker, event->trial, TRIAL_DONE,
                                     s->seconds[event->trial]),
                     LEDGER_ACCEPTED);
    assert_true(gang->is_over);
    free_members(s, gang);
}

static void die(struct state *s, int32_t w)
{
    const struct gang *gang = dispatch_gang(s->dispatch, w);
    int64_t failed[DISPATCH_MAX];

    if (s->actors[w].is_dead)
        return;
    s->actors[w].is_dead = true;
    if (gang && gang->n_here == 1)
        gang = NULL; /* the loss frees it */
    assert_int_equal(dispatch_lose(s->dispatch, w, DISPATCH_MAX, failed), 0);
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
        fail_msg("%s: %s", s->scene->name, err.text);
}

static void push_deaths(struct state *s, double most_s)
{
    for (uint32_t i = 0; i < (uint32_t)s->scene->n_deaths; i++)
        events_push(&s->events, (struct event){.at_s = most_s * rng_uniform(&s->rng, 5, i),
                                               .worker = 1 + (int32_t)(rng_uniform(&s->rng, 6, i) *
                                                                       (s->scene->n_workers - 1)),
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

static void play(const struct scene *scene)
{
    struct state *s = calloc(1, sizeof *s);
    double best_s, begun_s, utilisation;

    assert_non_null(s);
    init(s, scene);
    best_s = bound_s(s);
    push_deaths(s, 0.8 * best_s);
    begun_s = clock_now(&clock_system);
    run(s);
    begun_s = clock_now(&clock_system) - begun_s;
    assert_int_equal(ledger_counts(s->ledger).done, scene->n_trials);
    assert_int_equal(dispatch_n_busy(s->dispatch), 0);
    utilisation = best_s / s->now_s;
    print_message("%s: utilisation %.4f of the bound of %.0f s; one host for %.3f of the gangs "
                  "that fit one; idle beside single trials for at most %.1f s; %.1f us a trial\n",
                  scene->name, utilisation, best_s,
                  (double)s->n_together / (double)(s->n_gangs ? s->n_gangs : 1), s->longest_idle_s,
                  begun_s * 1e6 / (double)scene->n_trials);
    if (utilisation < scene->least)
        fail_msg("%s: utilisation %.4f, wanted %.4f", scene->name, utilisation, scene->least);
    release(s);
}

static void test_utilisation(void **state)
{
    static const struct scene scenes[] = {
        {"1,000 ranks, gangs of 1 to 16", 1000, 40, 20000, 16, 60, 0.94, 0.2, 0, 0.98},
        {"alike", 1000, 40, 6000, 16, 60, 0, 0, 0, 0.95},
        {"short", 1000, 40, 6000, 16, 0.2, 0.94, 0.2, 0, 0.95},
        {"one host", 1000, 1000, 6000, 16, 60, 0.94, 0.2, 0, 0.95},
        {"hosts of 10", 1000, 10, 6000, 16, 60, 0.94, 0.2, 0, 0.95},
        {"deaths", 1000, 40, 10000, 16, 60, 0.94, 0.2, 40, 0.95},
        {"pairs on 3 ranks", 3, 3, 300, 2, 60, 0.94, 0.2, 0, 0.95},
        {"up to 8 on 8 ranks", 8, 4, 400, 8, 60, 0.94, 0.2, 0, 0.95},
        {"up to 16 on 32 ranks", 32, 8, 2000, 16, 10, 0.94, 0.2, 0, 0.93},
    };

    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        play(&scenes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_utilisation),
    };

    return cmocka_run_group_tests_name("sim/gangs", tests, NULL, NULL);
}
