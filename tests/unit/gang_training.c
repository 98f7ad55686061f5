/* SPDX-License-Identifier: BSD-3-Clause */
/* Trainings of a toy by the ranks of a gang have the same bits as those of one rank. */
#include <math.h>

#include "crowd.h"
#include "ranks.h"
#include "unit.h"

/* Rank processes have these by fork(). */
static const struct toy *toy;
static const struct gcn_spec *spec;

/* Part of a hash of all that a training computes. */
static int64_t digest(struct crew *crew)
{
    struct gcn_epoch curve[RANKS_EPOCHS] = {0};
    struct gcn_outcome outcome = {.curve = curve};
    struct arena scratch = {0};
    struct hash weights, losses;

    if (gcn_train(&outcome,
                  &(struct gcn_training){.spec = spec,
                                         .inputs = &toy->inputs,
                                         .split = &toy->split,
                                         .key = ranks_key(),
                                         .threads = 1,
                                         .scratch = &scratch,
                                         .clock = &clock_system,
                                         .crew = crew},
                  NULL) ||
        outcome.status != GCN_DONE || outcome.epochs_run != RANKS_EPOCHS)
        return 0;
    for (int e = 0; e < RANKS_EPOCHS; e++)
        curve[e].seconds = 0;
    weights = hash_bytes(outcome.weights, (size_t)outcome.n_weights * sizeof(float));
    losses = hash_bytes(curve, sizeof curve);
    arena_release(&scratch);
    return (int64_t)(weights.low ^ losses.high);
}

static void act(const struct crowd *crowd, struct gang_member *gang, struct crowd_report *report)
{
    (void)crowd;
    report->progress = digest(gang_crew(gang));
}

static void check_ranks(int32_t n_ranks, int32_t n_hosts, int64_t want)
{
    struct crowd crowd = {
        .size = n_ranks, .n_hosts = n_hosts, .n_workers = spec->workers, .act = act};

    crowd_run(&crowd);
    for (int32_t r = 0; r < n_ranks; r++) {
        assert_string_equal(crowd.reports[r].why, "");
        assert_true(crowd.reports[r].progress == want);
    }
}

static void check_training(void)
{
    int64_t want = digest(NULL);

    assert_true(want != 0);
    for (int32_t n_ranks = 1; n_ranks <= 4 && n_ranks <= spec->workers; n_ranks++)
        check_ranks(n_ranks, 1, want);
    check_ranks(3, 2, want);
}

static struct gcn_spec make_spec(int options, int32_t workers)
{
    struct gcn_spec made = ranks_spec(TASK_REGRESSION, workers);

    ranks_set_options(&made, options);
    made.layers = 3;
    made.batch_size = 0;
    return made;
}

/* Options 6 normalise batches and drop inputs, options 1 have skip connections and A^X. */
static void test_full_batch_of_nodes(void **state)
{
    static const int options[] = {6, 1};
    struct toy nodes;

    (void)state;
    toy_init(&nodes, TASK_REGRESSION, false);
    toy = &nodes;
    for (int i = 0; i < 2; i++) {
        struct gcn_spec made = make_spec(options[i], 4 + i);

        spec = &made;
        check_training();
    }
    toy_release(&nodes);
}

static void test_full_batch_of_graphs(void **state)
{
    struct gcn_spec made = make_spec(6, 4);
    struct toy graphs;

    (void)state;
    ranks_graphs_init(&graphs, TASK_REGRESSION);
    made.pool = POOL_MEAN;
    toy = &graphs;
    spec = &made;
    check_training();
    toy_release(&graphs);
}

static void test_mini_batches(void **state)
{
    struct gcn_spec made = make_spec(6, 4);
    struct toy nodes;

    (void)state;
    toy_init(&nodes, TASK_REGRESSION, false);
    made.batch_size = 2;
    toy = &nodes;
    spec = &made;
    check_training();
    toy_release(&nodes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full_batch_of_nodes),
        cmocka_unit_test(test_full_batch_of_graphs),
        cmocka_unit_test(test_mini_batches),
    };

    return cmocka_run_group_tests_name("gang_training", tests, NULL, NULL);
}
