/* SPDX-License-Identifier: BSD-3-Clause */
/* Sweeps of which some trials take longer than a run: they are trained in parts, by checkpoints
 * (doc/decisions/0017). A run is a batch job; the same command runs again until all is done. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/rng.h"
#include "sched/dispatch.h"

enum { MOST = 400, WORKERS = 8, MOST_RUNS = 60 };

#define WHOLE_S 3600.0

struct scene {
    int32_t n;
    double seconds[MOST];
    double trained_s[MOST]; /* in its checkpoint */
    bool is_done[MOST];
    struct gcn_cost work[MOST];
};

struct job {
    struct scene *scene;
    struct ledger *ledger;
    struct cost *cost;
    struct dispatch *dispatch;
    double now_s;
    int64_t running[WORKERS]; /* -1: none */
    double began_s[WORKERS];
    double used_s; /* of training, all workers */
};

/* n_long of n trials take 1.2 to 4 runs, the others up to a fifth of one. */
static void scene_init(struct scene *s, int32_t n, int32_t n_long)
{
    struct rng rng;

    rng_init(&rng, hash_text("parts"), RNG_SIMULATE);
    *s = (struct scene){.n = n};
    for (int32_t i = 0; i < n; i++) {
        double u = rng_uniform(&rng, 1, (uint32_t)i);

        s->seconds[i] = WHOLE_S * (i < n_long ? 1.2 + 2.8 * u : 0.02 + 0.18 * u);
        s->work[i] = (struct gcn_cost){.flops = 1e10 * s->seconds[i]};
    }
}

static void job_init(struct job *job, struct scene *s)
{
    *job = (struct job){.scene = s};
    job->ledger = ledger_create(s->n, 1, NULL, 2, NULL);
    job->cost = cost_create(s->work, s->n, WORKERS, NULL);
    assert_true(job->ledger && job->cost);
    for (int32_t i = 0; i < s->n; i++)
        if (s->is_done[i]) {
            cost_observe(job->cost, i, -1, s->seconds[i]);
            ledger_mark(job->ledger, i, TRIAL_DONE);
        }
    job->dispatch = dispatch_create(job->ledger, job->cost, WORKERS, NULL, false, NULL, NULL);
    assert_non_null(job->dispatch);
    dispatch_isolate(job->dispatch);
    dispatch_set_whole(job->dispatch, WHOLE_S);
    for (int32_t i = 0; i < s->n; i++)
        if (!s->is_done[i] && s->trained_s[i] > 0)
            dispatch_resume(job->dispatch, i, 1 - s->trained_s[i] / s->seconds[i]);
    for (int32_t w = 0; w < WORKERS; w++)
        job->running[w] = -1;
}

static void job_release(struct job *job)
{
    dispatch_destroy(job->dispatch);
    cost_destroy(job->cost);
    ledger_destroy(job->ledger);
}

static double ends_s(const struct job *job, int32_t w)
{
    int64_t trial = job->running[w];

    return trial < 0 ? INFINITY
                     : job->began_s[w] + job->scene->seconds[trial] - job->scene->trained_s[trial];
}

static void supply(struct job *job)
{
    int64_t trials[DISPATCH_MAX];
    int32_t w;

    while ((w = dispatch_idle(job->dispatch)) >= 0) {
        int32_t n = dispatch_assign(job->dispatch, w, WHOLE_S - job->now_s, trials, NULL);

        assert_in_range(n, 0, 1); /* long ones go out alone */
        if (n) {
            job->running[w] = trials[0];
            job->began_s[w] = job->now_s;
        }
    }
}

static int32_t next_to_end(const struct job *job)
{
    int32_t next = 0;

    for (int32_t w = 1; w < WORKERS; w++)
        if (ends_s(job, w) < ends_s(job, next))
            next = w;
    return next;
}

static void finish(struct job *job, int32_t w)
{
    int64_t trial = job->running[w];

    job->used_s += job->now_s - job->began_s[w];
    job->running[w] = -1;
    job->scene->is_done[trial] = true;
    assert_true(dispatch_finish(job->dispatch, w, trial, TRIAL_DONE, job->scene->seconds[trial]));
}

/* The time is up: what runs leaves a checkpoint. */
static void cut_off(struct job *job)
{
    for (int32_t w = 0; w < WORKERS; w++)
        if (job->running[w] >= 0) {
            job->scene->trained_s[job->running[w]] += WHOLE_S - job->began_s[w];
            job->used_s += WHOLE_S - job->began_s[w];
        }
}

static double run_job(struct scene *s)
{
    struct job job;

    job_init(&job, s);
    for (;;) {
        int32_t w;

        supply(&job);
        w = next_to_end(&job);
        if (job.running[w] < 0 || ends_s(&job, w) > WHOLE_S)
            break;
        job.now_s = ends_s(&job, w);
        finish(&job, w);
        assert_int_equal(dispatch_check(job.dispatch, NULL), 0);
    }
    cut_off(&job);
    job_release(&job);
    return job.used_s;
}

static int32_t count_done(const struct scene *s)
{
    int32_t n = 0;

    for (int32_t i = 0; i < s->n; i++)
        n += s->is_done[i];
    return n;
}

/* Runs until all is done, beside the fewest that could do it. */
static void test_parts(void **state)
{
    static const struct {
        int32_t n, n_long, most_more;
    } cases[] = {{100, 0, 1}, {100, 1, 1}, {100, 20, 2}, {8, 8, 1}, {40, 37, 2}, {400, 40, 2}};
    static struct scene s;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double total_s = 0, longest_s = 0, used_s = 0;
        int fewest, runs = 0;

        scene_init(&s, cases[i].n, cases[i].n_long);
        for (int32_t k = 0; k < s.n; k++) {
            total_s += s.seconds[k];
            longest_s = fmax(longest_s, s.seconds[k]);
        }
        fewest = (int)ceil(fmax(total_s / WORKERS, longest_s) / WHOLE_S);
        for (; count_done(&s) < s.n && runs < MOST_RUNS; runs++) {
            double used = run_job(&s);

            assert_true(used > 0); /* no run is in vain */
            used_s += used;
        }
        print_message("%d trials, %d of them longer than a run: %d runs, at least %d are needed; "
                      "%.3f of the work was done once\n",
                      (int)s.n, (int)cases[i].n_long, runs, fewest, total_s / used_s);
        assert_int_equal(count_done(&s), s.n);
        assert_in_range(runs, fewest, fewest + cases[i].most_more);
        assert_true(fabs(total_s - used_s) < 1e-6 * total_s); /* a checkpoint loses nothing */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parts)};

    return cmocka_run_group_tests_name("sim/parts", tests, NULL, NULL);
}
