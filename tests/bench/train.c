/* Seconds of one training run on real data, for tests/bench/bench.sh: loading and preparing are
 * not in them. usage: train cora|ft10 DATA HIDDEN EPOCHS BATCH [RUNS]
 * Prints a line for each run: seconds, the peak of resident memory in MiB, the test score
 * and the kernel that OpenBLAS picked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "data/graph.h"
#include "data/load.h"
#include "data/split.h"
#include "gcn/train.h"
#include "tensor/gemm.h"

static int die(const struct err *err)
{
    fprintf(stderr, "train: %s\n", err->text);
    return 1;
}

static int load(struct dataset *data, bool is_cora, const char *root, struct err *err)
{
    char paths[4][4096];
    struct data_spec spec = {.format = is_cora ? DATA_GRAPH : DATA_GENOTYPE};
    struct data_report report;
    static const char *const cora[] = {"edges", "features", "labels", "split"};
    static const char *const ft10[] = {"geno", "pheno"};

    for (int i = 0; i < (is_cora ? 4 : 2); i++)
        snprintf(paths[i], sizeof paths[i],
                 is_cora ? "%s/cora/%s.csv" : "%s/arabidopsis/ft10_%s.csv", root,
                 is_cora ? cora[i] : ft10[i]);
    if (is_cora) {
        spec.task = DATA_TASK_CLASSIFICATION;
        spec.edges = paths[0];
        spec.features = paths[1];
        spec.labels = paths[2];
        spec.split = paths[3];
    } else {
        spec.genotypes = paths[0];
        spec.phenotypes = paths[1];
        spec.trait = "FT10";
    }
    return data_load(data, &spec, &report, err);
}

static struct gcn_spec make_spec(bool is_cora, int hidden, int epochs, int batch)
{
    return (struct gcn_spec){
        .layers = 2,
        .hidden_size = hidden,
        .dropout = 0.5,
        .epochs = epochs,
        .optimizer = OPTIMIZER_ADAM,
        .learning_rate = 0.01,
        .weight_decay = 5e-4,
        .beta1 = 0.9,
        .beta2 = 0.999,
        .epsilon = 1e-8,
        .batch_size = batch,
        .objective = is_cora ? METRIC_ACCURACY : METRIC_PEARSON,
        .maximize = true,
    };
}

static int prepare(struct dataset *data, struct gcn_inputs *inputs, struct split *split,
                   bool is_cora, const char *root, struct err *err)
{
    struct graph_spec graph = {.build = is_cora ? GRAPH_FILE : GRAPH_KNN, .k = 10};
    struct split_spec parts = {.test = 0.2, .val = 0.2, .seed = 1};
    struct csr adjacency = {0};
    int status;

    if (load(data, is_cora, root, err) || graph_build(&adjacency, data, &graph, err))
        return -1;
    status = gcn_inputs_init(
        inputs, data, &adjacency,
        &(struct gcn_inputs_spec){.scale = is_cora ? SCALE_ROW : SCALE_STANDARDIZE}, err);
    csr_release(&adjacency);
    return status ? status : split_make(split, data, &parts, err);
}

int main(int argc, char **argv)
{
    bool is_cora = argc > 1 && strcmp(argv[1], "cora") == 0;
    struct dataset data = {0};
    struct gcn_inputs inputs = {0};
    struct split split = {0};
    struct arena scratch = {0};
    struct gcn_outcome outcome = {0};
    struct gcn_spec spec;
    struct err err;

    if (argc < 6) {
        fprintf(stderr, "usage: train cora|ft10 DATA HIDDEN EPOCHS BATCH [RUNS]\n");
        return 2;
    }
    if (prepare(&data, &inputs, &split, is_cora, argv[2], &err))
        return die(&err);
    spec = make_spec(is_cora, atoi(argv[3]), atoi(argv[4]), atoi(argv[5]));
    outcome.curve = calloc((size_t)spec.epochs + 1, sizeof *outcome.curve);
    for (int run = 0; run < (argc > 6 ? atoi(argv[6]) : 1); run++) {
        double begun_s = clock_now(&clock_system);
        struct rusage usage;

        arena_reset(&scratch);
        if (gcn_train(&outcome, &spec, &inputs, &split, hash_text("bench"), 1, &scratch,
                      &clock_system, NULL, &err))
            return die(&err);
        getrusage(RUSAGE_SELF, &usage);
        printf("%.5f %.1f %.4f %s\n", clock_now(&clock_system) - begun_s,
               (double)usage.ru_maxrss / 1024, outcome.metrics[PART_TEST][spec.objective],
               gemm_kernel());
    }
    free(outcome.curve);
    arena_release(&scratch);
    split_release(&split);
    gcn_inputs_release(&inputs);
    dataset_release(&data);
    return 0;
}
