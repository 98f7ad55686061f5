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

enum data_dosage { DATA_DOSAGE_GT, DATA_DOSAGE_DS };
enum data_multiallelic { DATA_MULTIALLELIC_SPLIT, DATA_MULTIALLELIC_SKIP };
enum data_subset { DATA_SUBSET_ALL, DATA_SUBSET_PHENOTYPED };

/* The filters of genotypes, applied in this order: region; multiallelic; call rate; variation
 * (constant variants are dropped); maf; variants. A zeroed struct keeps all. */
struct data_filter {
    enum data_dosage dosage; /* VCF, BCF: GT counts alleles; DS is estimated by imputation */
    const char *region;      /* "1:1000-2000, 2"; NULL or "": everywhere */
    enum data_multiallelic multiallelic; /* split: each alternative allele becomes a marker */
    double call_rate;                    /* least fraction of samples with a call; 0: any */
    double maf;                          /* least frequency of the rarer allele; 0: any */
    const char *variants;                /* all, first:N, thin:N; NULL: all */
};

/* A simulated panel (data/genotype/simulate.h). */
struct simulate_spec {
    int32_t samples;     /* 383 */
    int32_t markers;     /* 1000 */
    int32_t populations; /* 8 */
    double fst;          /* 0.2: differentiation in (0, 1); Balding & Nichols 1995 */
    int32_t causal;      /* 50 markers with an effect */
    double heritability; /* 0.6: genetic share of the trait variance, in [0, 1] */
    int64_t seed;
};

/* Paths are absolute or relative to the working directory; NULL or "" if not given. Tables are
 * those of data/text/table.h. Ids are compared as text. */
struct data_spec {
    const struct data_format *format; /* a row of data/core/data_format.h */
    enum data_task task;     /* auto: words are classes; whole numbers are numbers in genotype data
                                and classes in others; other numbers are numbers. Classes are sorted
                                by number if all are numbers, else by byte */
    const char *genotypes;   /* VCF, BCF, PLINK 1, HapMap, or a table of samples x markers with the
                                id first; plain or gzip; recognised by content */
    enum data_subset subset; /* phenotyped: only samples with a value, in the phenotypes' order */
    struct data_filter filter;
    const char *phenotypes; /* a table; its id column is `id`, or found by reader_id_column() */
    const char *trait;      /* column of phenotypes; NULL: the only other column */
    const char *covariates; /* "a, factor(b)": columns of phenotypes used as features; NULL or "":
                               none; see covariates.h */
    const char *missing;    /* "-9, x": cells of phenotypes that mean "missing" besides those of
                               table_is_missing(); NULL or "": none */
    const char *missing_genotype; /* the same for genotypes; see genotype_table_read() */
    const char *edges;            /* two columns of node ids, optionally a weight; may be absent */
    const char *features;         /* listed (node, feature[, value]) or dense: node_features.h */
    const char *labels;           /* node, label; lists every node, in the data set's order */
    const char *split; /* id, part (train | val | test | stop | none) and group, or two of them; see
                          membership.h */
    const char *group; /* column of the split file or of phenotypes: samples that belong together;
                          NULL or "": no groups */
    /* Samples are graphs. TUDataset (tu): a folder; trait is a column number. */
    const char *folder;
    /* SMILES (smiles): a table; trait is one of its columns. */
    const char *molecules;
    const char *smiles;   /* column with the SMILES; NULL: "smiles" */
    const char *id;       /* column of ids, here or in phenotypes; NULL: molecules are numbered */
    bool skip_invalid;    /* skip and count molecules that cannot be parsed */
    const char *images;   /* IDX (idx), with labels; plain or gzip */
    int32_t first_images; /* read only the first N images; 0: all */
    struct simulate_spec simulate;
    /* New samples are read for models of this data set: features are coded as in it; targets,
     * groups and parts are not read. For formats whose samples are graphs, and for tables of
     * covariates. NULL: these are the data themselves. Borrowed. */
    const struct dataset *like;
    /* Out, also if data_load() fails because few ids join. NULL: not wanted. Borrowed. */
    struct data_unmatched *unmatched;
};

#endif
