/* Read data from files, or simulate them, into a dataset. */
#ifndef DATA_LOAD_H
#define DATA_LOAD_H

#include "data/dataset.h"
#include "data/simulate.h"

enum data_format { DATA_GENOTYPE, DATA_GRAPH, DATA_SIMULATED };
enum data_task { DATA_TASK_AUTO, DATA_TASK_REGRESSION, DATA_TASK_CLASSIFICATION };

/* Paths are absolute or relative to the working directory; NULL or "" where not given. */
struct data_spec {
    enum data_format format;
    enum data_task task;    /* auto: classification if every target is an integer-free label or
                               has at most 20 distinct integer values in a graph data set;
                               genotypes: regression unless a target is not a number */
    const char *genotypes;  /* samples x markers, first column the id; csv/tsv, plain or gzip */
    const char *phenotypes; /* a table whose first column is the id */
    const char *trait;      /* column of phenotypes; NULL: the only other column */
    const char *edges;      /* two columns of node ids, an optional third: weight */
    const char *features;   /* (node, feature[, value]) sparse triples, or dense: node, f1, f2 ... */
    const char *labels;     /* node, label; lists every node */
    const char *split;      /* node, part (train | val | test); unlisted nodes are in none */
    struct simulate_spec simulate;
};

/* What happened on the way in; for `inspect` and for the log of `run`. */
struct data_report {
    int32_t n_genotyped;    /* samples in the genotype table */
    int32_t n_phenotyped;   /* rows in the phenotype table with a value */
    int32_t n_joined;       /* in both */
    int32_t n_phenotype_only; /* dropped: no genotype */
    int32_t n_markers_read;
    int32_t n_monomorphic;  /* dropped */
    int64_t n_missing;      /* calls imputed to the marker mean */
    int64_t n_duplicate_edges; /* dropped: the same pair again */
    int64_t n_self_loops;   /* dropped: every node gets one anyway */
};

/* Pair with dataset_release(). -1 and err (file:line, what was found, what is allowed). Local. */
int data_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
              struct err *err);

#endif
