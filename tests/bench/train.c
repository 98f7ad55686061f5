/* SPDX-License-Identifier: BSD-3-Clause */
/* Seconds of training runs on real data, which tests/bench/training.sh compares with peer_torch.py.
 * usage: train CASE DATA HIDDEN EPOCHS BATCH [RUNS]
 * The cases are in the table below; DATA is $ESPALIER_DATA; BATCH is training nodes in a step, 0
 * for all. Prints a line for each run: seconds, peak resident memory in MiB, test score. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../unit/toy.h"
#include "data/core/split.h"
#include "data/format.h"
#include "data/graph/graph.h"
#include "gcn/reducer.h"
#include "gcn/train.h"

/* Seconds include making the inputs of layer 1 if these are reduced, but not reading files or
 * building the graph. */
struct bench_case {
    const char *name;
    bool is_cora;
    const char *files, *trait; /* a genotype data set, as in "%s/arabidopsis/FILES_geno.csv" */
    const char *suffix;        /* of the genotypes */
    double input_dropout;
    enum decay_scope decay_scope;
    bool is_reduced;
};

static const struct bench_case cases[] = {
    {.name = "cora", .is_cora = true},
    {.name = "cora-kipf", .is_cora = true, .input_dropout = 0.5, .decay_scope = DECAY_FIRST},
    {.name = "ft10", .files = "ft10", .trait = "FT10", .suffix = ""},
    {.name = "ft16", .files = "ft16_chr5", .trait = "FT16", .suffix = ".gz", .is_reduced = true},
};

struct problem {
    struct dataset data;
    struct csr adjacency;
    struct gcn_inputs inputs;
    struct split split;
};

static const struct bench_case *find_case(const char *name)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (strcmp(cases[i].name, name) == 0)
            return &cases[i];
    return NULL;
}

static int load_cora(struct dataset *data, const char *root, struct err *err)
{
    char edges[4096], features[4096], labels[4096], split[4096];
    struct data_report report;

    snprintf(edges, sizeof edges, "%s/cora/edges.csv", root);
    snprintf(features, sizeof features, "%s/cora/features.csv", root);
    snprintf(labels, sizeof labels, "%s/cora/labels.csv", root);
    snprintf(split, sizeof split, "%s/cora/split.csv", root);
    return data_load(data,
                     &(struct data_spec){.format = &graph_format,
                                         .task = DATA_TASK_CLASSIFICATION,
                                         .edges = edges,
                                         .features = features,
                                         .labels = labels,
                                         .split = split},
                     &report, err);
}

static int load_panel(struct dataset *data, const struct bench_case *c, const char *root,
                      struct err *err)
{
    char genotypes[4096], phenotypes[4096];
    struct data_report report;

    snprintf(genotypes, sizeof genotypes, "%s/arabidopsis/%s_geno.csv%s", root, c->files,
             c->suffix);
    snprintf(phenotypes, sizeof phenotypes, "%s/arabidopsis/%s_pheno.csv", root, c->files);
    return data_load(data,
                     &(struct data_spec){.format = &genotype_format,
                                         .genotypes = genotypes,
                                         .phenotypes = phenotypes,
                                         .trait = c->trait},
                     &report, err);
}

static int problem_init(struct problem *p, const struct bench_case *c, const char *root,
                        struct err *err)
{
    struct graph_spec graph = {.build = c->is_cora ? GRAPH_FILE : GRAPH_KNN, .k = 10};
    struct split_spec parts = {.test = 0.2, .val = 0.2, .seed = 1};

    memset(p, 0, sizeof *p);
    if (c->is_cora ? load_cora(&p->data, root, err) : load_panel(&p->data, c, root, err))
        return -1;
    if (graph_build(&p->adjacency, &p->data, &graph, err))
        return -1;
    return split_make(&p->split, &p->data, &parts, err);
}

static void problem_release(struct problem *p)
{
    split_release(&p->split);
    gcn_inputs_release(&p->inputs);
    csr_release(&p->adjacency);
    dataset_release(&p->data);
}

static int make_reduced(struct problem *p, struct err *err)
{
    struct reducer reducer = {0};
    struct mat l = {0};
    int rc = reducer_init(&reducer, &p->data, SCALE_STANDARDIZE, 0, err);

    if (!rc)
        rc = reducer_make(&l, &reducer, REDUCE_EXACT, err);
    if (!rc)
        rc = gcn_inputs_init_reduced(&p->inputs, &p->data, &p->adjacency, &l, err);
    mat_release(&l);
    reducer_release(&reducer);
    return rc;
}

static int make_inputs(struct problem *p, const struct bench_case *c, struct err *err)
{
    struct gcn_inputs_spec spec = {.scale = c->is_cora ? SCALE_ROW : SCALE_STANDARDIZE,
                                   .drops_inputs = c->input_dropout > 0};

    gcn_inputs_release(&p->inputs);
    return c->is_reduced ? make_reduced(p, err)
                         : toy_make_inputs(&p->inputs, &p->data, &p->adjacency, &spec, err);
}

static struct gcn_spec make_spec(const struct bench_case *c, int hidden, int epochs, int batch)
{
    return (struct gcn_spec){
        .layers = 2,
        .hidden_size = hidden,
        .dropout = 0.5,
        .input_dropout = c->input_dropout,
        .epochs = epochs,
        .optimizer = OPTIMIZER_ADAM,
        .learning_rate = 0.01,
        .weight_decay = 5e-4,
        .decay_scope = c->decay_scope,
        .batch_size = batch,
        .objective = c->is_cora ? METRIC_ACCURACY : METRIC_PEARSON,
        .maximize = true,
    };
}

static int run(struct problem *p, const struct bench_case *c, const struct gcn_spec *spec,
               struct gcn_outcome *outcome, struct arena *scratch, struct err *err)
{
    double begun_s = clock_now(&clock_system);
    struct rusage usage;

    arena_reset(scratch);
    if (c->is_reduced && make_inputs(p, c, err))
        return -1;
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
           outcome->metrics[PART_TEST][spec->objective]);
    return 0;
}

static int run_all(const struct bench_case *c, const char *root, const struct gcn_spec *spec,
                   int n_runs, struct err *err)
{
    struct gcn_outcome outcome = {.curve = calloc((size_t)spec->epochs + 1, sizeof *outcome.curve)};
    struct arena scratch = {0};
    struct problem p;
    int rc = problem_init(&p, c, root, err);

    if (!rc && !c->is_reduced)
        rc = make_inputs(&p, c, err);
    for (int i = 0; i < n_runs && !rc; i++)
        rc = run(&p, c, spec, &outcome, &scratch, err);
    free(outcome.curve);
    arena_release(&scratch);
    problem_release(&p);
    return rc;
}

int main(int argc, char **argv)
{
    const struct bench_case *c = argc > 1 ? find_case(argv[1]) : NULL;
    struct gcn_spec spec;
    struct err err;

    if (!c || argc < 6) {
        fprintf(stderr, "usage: train cora|cora-kipf|ft10|ft16 DATA HIDDEN EPOCHS BATCH [RUNS]\n");
        return 2;
    }
    spec = make_spec(c, atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
    if (run_all(c, argv[2], &spec, argc > 6 ? atoi(argv[6]) : 1, &err)) {
        fprintf(stderr, "train: %s\n", err.text);
        return 1;
    }
    return 0;
}
