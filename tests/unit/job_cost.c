/* SPDX-License-Identifier: BSD-3-Clause */
/* A job whose trials have unknown work, and the time kept for stopping them. */
#include <math.h>

#include "base/clock.h"
#include "run/calibrate.h"
#include "run/job_prepare.h"
#include "run/walltime.h"
#include "unit.h"

static const char ini[] = "[sweep]\nname = s\nfolds = 2\n"
                          "[data]\nformat = simulated\nsamples = 40\nmarkers = 60\n"
                          "[graph]\nbuild = knn\nk = 3\n"
                          "[grid]\nhidden_size = 4, 8, 16, 32\nactivation = relu, tanh\n"
                          "learning_rate = 0.001, 0.01\n";

struct fixture {
    struct job job;
    struct store_trials known;
    struct cost *cost;
};

/* The plan is made without work. */
static void set_up(struct fixture *f)
{
    struct errlist faults = {0};
    struct err err;

    *f = (struct fixture){.cost = NULL};
    if (job_parse_text(&f->job, "unit.ini", ini, &faults) || job_load(&f->job, &faults) ||
        job_points(&f->job, &faults))
        fail_msg("%s", faults.text[0]);
    assert_int_equal(f->job.plan.n_configs, 16);
    assert_int_equal(store_trials_init(&f->known, f->job.plan.n_trials, &err), 0);
    f->cost = cost_create(f->job.rank_work, f->job.plan.n_configs, 1, &err);
    assert_non_null(f->cost);
}

static void tear_down(struct fixture *f)
{
    cost_destroy(f->cost);
    store_trials_release(&f->known);
    job_release(&f->job);
}

static double truth(int32_t config)
{
    return 60 * pow(2, config / 4) * (config / 2 % 2 ? 3 : 1);
}

/* No trial runs only to be measured. */
static void test_nothing_is_tried(void **state)
{
    struct fixture f;
    struct err err;

    (void)state;
    set_up(&f);
    assert_int_equal(calibrate_cost(f.cost, &f.job, &f.known, 1, INFINITY, &err), 0);
    assert_false(cost_is_known(f.cost));
    tear_down(&f);
}

/* Configurations that were not run have the mean logarithm of the others. */
static void test_known_trials_teach(void **state)
{
    struct fixture f;
    double mean = 0;
    struct err err;

    (void)state;
    set_up(&f);
    for (int32_t config = 0; config < 8; config++) {
        mean += log(truth(config)) / 8;
        f.known.states[2 * config] = TRIAL_DONE;
        f.known.seconds[2 * config] = truth(config);
    }
    assert_int_equal(calibrate_cost(f.cost, &f.job, &f.known, 1, INFINITY, &err), 8);
    assert_true(cost_is_known(f.cost));
    for (int32_t config = 0; config < 8; config++)
        assert_float_equal(cost_seconds(f.cost, config) / truth(config), 1, 0.1);
    for (int32_t config = 8; config < 16; config++)
        assert_float_equal(cost_seconds(f.cost, config) / exp(mean), 1, 1e-6);
    tear_down(&f);
}

/* A trial on another number of ranks than it would have now teaches nothing. */
static void test_other_ranks(void **state)
{
    static const char model[] = "[sweep]\nname = s\n[data]\nformat = simulated\nsamples = 40\n"
                                "markers = 60\n[train]\nworkers = 2\nbatch_size = 4\n"
                                "[resources]\nranks = 2\n";
    struct errlist faults = {0};
    struct fixture f = {.cost = NULL};
    struct err err;

    (void)state;
    if (job_parse_text(&f.job, "unit.ini", model, &faults) || job_load(&f.job, &faults) ||
        job_points(&f.job, &faults))
        fail_msg("%s", faults.text[0]);
    f.job.rank_work = calloc(1, sizeof *f.job.rank_work);
    assert_non_null(f.job.rank_work);
    *f.job.rank_work = (struct gcn_cost){.flops = 1e9, .steps = 1000};
    assert_float_equal(job_rank_share(&f.job.fixed), 0.51, 1e-9);
    assert_int_equal(store_trials_init(&f.known, f.job.plan.n_trials, &err), 0);
    f.known.states[0] = TRIAL_DONE;
    f.known.seconds[0] = 30;
    f.known.ranks = calloc((size_t)f.job.plan.n_trials, sizeof *f.known.ranks);
    assert_non_null(f.known.ranks);
    for (int32_t ranks = 0; ranks <= 2; ranks++) {
        f.known.ranks[0] = ranks;
        f.cost = cost_create(f.job.rank_work, f.job.plan.n_configs, 1, &err);
        assert_int_equal(calibrate_cost(f.cost, &f.job, &f.known, 1, INFINITY, &err), ranks == 2);
        assert_int_equal(fabs(cost_seconds(f.cost, 0) - 30) < 1e-3, ranks == 2);
        cost_destroy(f.cost);
    }
    f.cost = NULL;
    tear_down(&f);
}

static void test_time_kept_for_stopping(void **state)
{
    double now_s = clock_now(&clock_system);
    struct walltime walltime;

    (void)state;
    walltime_begin(&walltime, 3600, now_s, 0);
    assert_float_equal(walltime.until_s - now_s, 3600 - 30, 0.5);
    walltime_begin(&walltime, 3600, now_s, 45);
    assert_float_equal(walltime.until_s - now_s, 3600 - 30 - 45, 0.5);
    assert_float_equal(walltime.whole_s, 3600 - 30 - 45, 0.5);
    walltime_begin(&walltime, 40, now_s, 45);
    assert_float_equal(walltime.until_s - now_s, 40 - 2 - 10, 0.5);
}

int main(void)
{
    static const char *const batch[] = {"SLURM_JOB_ID", "LSB_JOBID", "PBS_JOBID"};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_tried),
        cmocka_unit_test(test_known_trials_teach),
        cmocka_unit_test(test_other_ranks),
        cmocka_unit_test(test_time_kept_for_stopping),
    };

    for (size_t i = 0; i < sizeof batch / sizeof *batch; i++)
        unsetenv(batch[i]);
    return cmocka_run_group_tests_name("job_cost", tests, NULL, NULL);
}
