/* SPDX-License-Identifier: BSD-3-Clause */
/* Seconds of training runs on BBBP, whose samples are graphs. tests/bench/training.sh compares them
 * with peer_graphs.py.
 * usage: graphs DATA HIDDEN EPOCHS BATCH RUNS [DUMP]
 * DATA is $ESPALIER_DATA; BATCH is molecules in a step. Prints a line for each run: seconds, peak
 * resident memory in MiB, ROC AUC of the held-out part, GFLOP/s of the matrix products over all
 * seconds. With DUMP, writes the peer's training data there (dump.h) and stops. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "../unit/toy.h"
#include "data/core/split.h"
#include "data/format.h"
#include "data/graph/graph.h"
#include "dump.h"
#include "gcn/train.h"

struct problem {
    struct dataset data;
    struct csr adjacency;
    struct gcn_inputs inputs;
    struct split split;
};

static int problem_init(struct problem *p, const char *root, struct err *err)
{
    struct split_spec parts = {.test = 0.1, .val = 0.18, .seed = 1};
    struct data_report report;
    char path[4096];

    snprintf(path, sizeof path, "%s/bbbp/bbbp_clean.csv", root);
    if (data_load(&p->data,
                  &(struct data_spec){.format = &smiles_format,
                                      .task = DATA_TASK_CLASSIFICATION,
                                      .molecules = path,
                                      .smiles = "smiles",
                                      .trait = "p_np",
                                      .id = ""},
                  &report, err) ||
        graph_build(&p->adjacency, &p->data, &(struct graph_spec){.build = GRAPH_FILE}, err) ||
        toy_make_inputs(&p->inputs, &p->data, &p->adjacency, &(struct gcn_inputs_spec){0}, err))
        return -1;
    return split_make(&p->split, &p->data, &parts, err);
}

static int run(const struct problem *p, const struct gcn_spec *spec, struct gcn_outcome *outcome,
               struct arena *scratch, struct err *err)
{
    double begun_s = clock_now(&clock_system), seconds;
    struct rusage usage;

    arena_reset(scratch);
    if (gcn_train(outcome,
                  &(struct gcn_training){.spec = spec,
                                         .inputs = &p->inputs,
                                         .split = &p->split,
                                         .key = hash_text("bench"),
                                         .threads = 1,
                                         .scratch = scratch,
                                         .clock = &clock_system},
                  err))
        return -1;
    getrusage(RUSAGE_SELF, &usage);
    seconds = clock_now(&clock_system) - begun_s;
    printf("%.5f %.1f %.4f %.1f\n", seconds, (double)usage.ru_maxrss / 1024,
           outcome->metrics[PART_TEST][METRIC_ROC_AUC], outcome->flops / seconds / 1e9);
    return 0;
}

static int run_all(const struct problem *p, const struct gcn_spec *spec, int n_runs,
                   struct err *err)
{
    struct gcn_outcome outcome = {.curve = calloc((size_t)spec->epochs + 1, sizeof *outcome.curve)};
    struct arena scratch = {0};
    int rc = 0;

    for (int i = 0; i < n_runs && !rc; i++)
        rc = run(p, spec, &outcome, &scratch, err);
    free(outcome.curve);
    arena_release(&scratch);
    return rc;
}

int main(int argc, char **argv)
{
    struct gcn_spec spec = {.layers = 3,
                            .pool = POOL_MEAN,
                            .dropout = 0.2,
                            .learning_rate = 0.003,
                            .weight_decay = 1e-4,
                            .objective = METRIC_ROC_AUC,
                            .maximize = true};
    struct problem p = {0};
    struct err err;
    int rc;

    if (argc < 6) {
        fprintf(stderr, "usage: graphs DATA HIDDEN EPOCHS BATCH RUNS [DUMP]\n");
        return 2;
    }
    spec.hidden_size = atoi(argv[2]);
    spec.epochs = atoi(argv[3]);
    spec.batch_size = atoi(argv[4]);
    rc = problem_init(&p, argv[1], &err);
    if (!rc)
        rc = argc > 6 ? dump_data(argv[6], &p.data, &p.adjacency, &p.split, &err)
                      : run_all(&p, &spec, atoi(argv[5]), &err);
    if (rc)
        fprintf(stderr, "graphs: %s\n", err.text);
    split_release(&p.split);
    gcn_inputs_release(&p.inputs);
    csr_release(&p.adjacency);
    dataset_release(&p.data);
    return rc != 0;
}
