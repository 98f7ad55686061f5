/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of [data] and [split] for the readers. */
#ifndef DATA_CORE_DATA_SPEC_H
#define DATA_CORE_DATA_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "data/core/data_format.h"

struct data_unmatched;
struct dataset;

enum data_task { DATA_TASK_AUTO, DATA_TASK_REGRESSION, DATA_TASK_CLASSIFICATION };

enum data_dosage { DATA_DOSAGE_GT, DATA_DOSAGE_DS, DATA_DOSAGE_GP, DATA_DOSAGE_HDS };
enum data_multiallelic { DATA_MULTIALLELIC_SPLIT, DATA_MULTIALLELIC_SKIP };
enum data_subset { DATA_SUBSET_ALL, DATA_SUBSET_PHENOTYPED };

/* The filters of genotypes, applied in this order: region, multiallelic, call rate, variation, maf,
 * variants. A zeroed struct keeps all. */
struct data_filter {
    enum data_dosage dosage;             /* GT counts alleles; others are those of imputation */
    const char *region;                  /* "1:1000-2000, 2"; "": everywhere */
    enum data_multiallelic multiallelic; /* split: a marker for each alternative allele */
    double call_rate;                    /* least fraction of samples with a call */
    double maf;                          /* least frequency of the rarer allele */
    const char *variants;                /* all, first:N, thin:N; NULL: all */
};

/* A simulated panel (data/genotype/simulate.h). */
struct simulate_spec {
    int32_t samples;     /* 383 */
    int32_t markers;     /* 1000 */
    int32_t populations; /* 8 */
    double fst;          /* 0.2: differentiation (Balding & Nichols 1995) */
    int32_t causal;      /* 50 markers with an effect */
    double heritability; /* 0.6: genetic share of the trait's variance */
    int64_t seed;
};

/* Paths and texts are NULL or "" if not given. Tables are those of data/text/table.h. Ids and
 * names of columns are compared by data/text/equality.h. */
struct data_spec {
    const struct data_format *format;
    enum data_task task;     /* auto: words are classes; whole numbers are numbers in genotype data
                                and classes in others; other numbers are numbers */
    const char *genotypes;   /* VCF, BCF, PLINK 1, HapMap, or a table of samples x markers */
    int32_t ploidy;          /* alleles of a call, for dosages and frequencies; 0: the file's */
    enum data_subset subset; /* phenotyped: in the order of the phenotypes */
    struct data_filter filter;
    const char *phenotypes;       /* a table; ids as in reader_id_column() */
    const char *trait;            /* column; NULL: the only other one */
    const char *fixed;            /* "a, factor(b)": columns of phenotypes */
    const char *missing;          /* "-9, x": further texts that mean "missing" in phenotypes */
    const char *missing_genotype; /* the same for genotypes */
    const char *edges;            /* two columns of nodes, optionally a weight */
    const char *features;         /* node_features.h */
    const char *labels;           /* node, label; lists every node, in the data set's order */
    const char *split;            /* membership.h */
    const char *group;            /* column of the split file or of the table with the trait */
    const char *part;             /* the same for the parts */
    /* TUDataset: a folder; trait is a column number. */
    const char *folder;
    /* SMILES: a table; trait is one of its columns. */
    const char *molecules;
    const char *smiles; /* column; NULL: "smiles" */
    const char *id;     /* column of ids; NULL: molecules are numbered */
    bool skip_invalid;
    const char *inputs;            /* files and patterns of a program, separated by commas */
    const char *command;           /* of a program; files that it names are inputs, too */
    const struct errlist *written; /* paths among these that the program writes; NULL: none */
    const char *inputs_folder;     /* where relative ones start, with its last slash */
    struct simulate_spec simulate;
    /* The data of the model for which new samples are read: features are coded as in it; targets,
     * groups and parts are not read. NULL: these are the data themselves. Borrowed. */
    const struct dataset *like;
    /* Out, also if data_load() fails because few ids join. May be NULL. Borrowed. */
    struct data_unmatched *unmatched;
};

#endif
