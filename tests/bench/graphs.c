/* SPDX-License-Identifier: BSD-3-Clause */
/* Seconds of training runs on BBBP, whose samples are graphs. tests/bench/training.sh compares them
 * with peer_graphs.py.
 * usage: graphs DATA HIDDEN EPOCHS BATCH RUNS [DUMP]
 * DATA is $ESPALIER_DATA; BATCH is molecules in a step. Prints a line for each run: seconds, peak
 * resident memory in MiB, ROC AUC of the held-out part. With DUMP, writes the peer's training data
 * there and stops: int32 graphs, nodes, features, edges; then start [graphs + 1], ends of edges
 * (both directions, not sorted) [2][edges], features (float), label, part (1 to 3). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "data/core/split.h"
#include "data/format.h"
#include "data/graph/graph.h"
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
        gcn_inputs_init(&p->inputs, &p->data, &p->adjacency, &(struct gcn_inputs_spec){0}, err))
        return -1;
    return split_make(&p->split, &p->data, &parts, err);
}

static void put(FILE *file, const int32_t *v, size_t n)
{
    fwrite(v, sizeof *v, n, file);
}

static void put_part(int32_t *part, const int32_t *samples, int32_t n, enum part which)
{
    for (int32_t i = 0; i < n; i++)
        part[samples[i]] = (int32_t)which;
}

static int dump(const struct problem *p, const char *path, struct err *err)
{
    const struct dataset *d = &p->data;
    const struct csr *a = &p->adjacency;
    const int32_t head[] = {d->n_samples, d->n_nodes, d->n_features, (int32_t)csr_nnz(a)};
    int32_t *part = calloc((size_t)d->n_samples, sizeof *part);
    struct mat x;
    FILE *file = fopen(path, "wb");

    if (!file || !part)
        return err_set(err, "cannot write %s", path);
    if (mat_init(&x, d->n_nodes, d->n_features, err))
        return -1;
    put_part(part, p->split.train, p->split.n_train, PART_TRAIN);
    put_part(part, p->split.val, p->split.n_val, PART_VAL);
    put_part(part, p->split.test, p->split.n_test, PART_TEST);
    put(file, head, 4);
    for (int32_t g = 0; g <= d->n_samples; g++)
        put(file, (const int32_t[]){(int32_t)d->graph_start[g]}, 1);
    for (int32_t i = 0; i < a->n_rows; i++)
        for (int64_t e = a->row_start[i]; e < a->row_start[i + 1]; e++)
            put(file, &i, 1);
    put(file, a->col, (size_t)csr_nnz(a));
    dataset_decode(&x, d, 0, 0);
    fwrite(x.v, sizeof *x.v, (size_t)mat_size(&x), file);
    put(file, d->label, (size_t)d->n_samples);
    put(file, part, (size_t)d->n_samples);
    mat_release(&x);
    free(part);
    return fclose(file) ? err_set(err, "cannot write %s", path) : 0;
}

static int run(const struct problem *p, const struct gcn_spec *spec, struct gcn_outcome *outcome,
               struct arena *scratch, struct err *err)
{
    double begun_s = clock_now(&clock_system);
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
    printf("%.5f %.1f %.4f\n", clock_now(&clock_system) - begun_s, (double)usage.ru_maxrss / 1024,
           outcome->metrics[PART_TEST][METRIC_ROC_AUC]);
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
                            .beta1 = 0.9,
                            .beta2 = 0.999,
                            .epsilon = 1e-8,
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
        rc = argc > 6 ? dump(&p, argv[6], &err) : run_all(&p, &spec, atoi(argv[5]), &err);
    if (rc)
        fprintf(stderr, "graphs: %s\n", err.text);
    split_release(&p.split);
    gcn_inputs_release(&p.inputs);
    csr_release(&p.adjacency);
    dataset_release(&p.data);
    return rc != 0;
}
