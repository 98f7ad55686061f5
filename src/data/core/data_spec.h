/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of [data] and [split] in the form in which the readers use them. */
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

/* The filters of genotypes. A zeroed struct keeps all variants. They apply in this order: region;
 * multiallelic; call rate; variation (constant variants are dropped); maf; variants. */
struct data_filter {
    enum data_dosage dosage; /* VCF, BCF: GT counts alleles; DS is the dosage estimated by
                                imputation */
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

/* Paths are absolute or relative to the working directory; NULL or "" where not given. Tables are
 * those of data/text/table.h, with a header line. Ids are compared as text. */
struct data_spec {
    const struct data_format *format; /* a row of data/core/data_format.h */
    enum data_task task;     /* auto: words are classes. Whole numbers are numbers in a genotype
                                data set and classes in others. Other numbers are numbers. Classes
                                are sorted by number if all are numbers, else by byte */
    const char *genotypes;   /* VCF, BCF, PLINK 1, HapMap, or a table of samples x markers with the
                                id in the first column; plain or gzip. The content decides which */
    enum data_subset subset; /* phenotyped: only samples with a value, in the order of the
                                phenotypes */
    struct data_filter filter;
    const char *phenotypes; /* a table; its id column is `id`, or found by reader_id_column() */
    const char *trait;      /* column of phenotypes; NULL: the only other column */
    const char *covariates; /* "a, factor(b)": columns of phenotypes that are features too; NULL or
                               "": none; see covariates.h */
    const char *missing;    /* "-9, x": cells of phenotypes that mean "missing", besides those of
                               table_is_missing(); NULL or "": none */
    const char *missing_genotype; /* the same for a table of genotypes; see genotype_table_read() */
    const char *edges; /* two columns of node ids, and optionally a weight; may be absent */
    const char
        *features; /* node, feature[, value]: sparse, if the second column is named "feature"; else
                     dense: node, f1, f2 ...; see node_features.h */
    const char *labels; /* node, label; lists every node, in the order of the data set */
    const char *split;  /* id and part (train | val | test | stop | none), or id and group, or all
                           three; see membership.h */
    const char *group;  /* column of the split file or of phenotypes that names samples that belong
                           together; NULL or "": no groups */
    /* For formats whose samples are graphs. TUDataset (tu): a folder; trait is the number of a
     * column. */
    const char *folder;
    /* SMILES (smiles): a table; trait is one of its columns. */
    const char *molecules;
    const char *smiles;   /* column with the SMILES; NULL: "smiles" */
    const char *id;       /* column of ids, here or in phenotypes; NULL: molecules are numbered */
    bool skip_invalid;    /* skip and count molecules that cannot be parsed */
    const char *images;   /* IDX (idx), with labels; plain or gzip */
    int32_t first_images; /* read only the first N images; 0: all */
    struct simulate_spec simulate;
    /* The data set of the models for which new samples are read. Features are coded as in it;
     * targets, groups and parts are not read. For formats whose samples are graphs, and for tables
     * of covariates. NULL: these are the data themselves. Borrowed. */
    const struct dataset *like;
    /* Out, also if data_load() fails because few ids join. NULL: not wanted. Borrowed. */
    struct data_unmatched *unmatched;
};

#endif
