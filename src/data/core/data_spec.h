/* SPDX-License-Identifier: BSD-3-Clause */
/* The settings of [data] and [split] as the readers take them. */
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

/* The filters of genotypes; a zeroed struct keeps all. They apply in the order of the members:
 * sites of the region, with one alternative allele or split; then sites with few missing calls,
 * that vary, that are not rare; of the rest the first sites or a thinned part. */
struct data_filter {
    enum data_dosage dosage; /* VCF, BCF: GT counts alleles, DS is what imputation estimated */
    const char *region;      /* "1:1000-2000, 2"; NULL or "": everywhere */
    enum data_multiallelic multiallelic; /* split: each alternative allele a marker of its own */
    double call_rate;                    /* least share of the samples that have a call; 0: any */
    double maf;                          /* least frequency of the rarer allele; 0: any */
    const char *variants;                /* all, first:N, thin:N; NULL: all */
};

/* A simulated panel (data/genotype/simulate.h). */
struct simulate_spec {
    int32_t samples;     /* 383 */
    int32_t markers;     /* 1000 */
    int32_t populations; /* 8 */
    double fst;          /* 0.2: differentiation, in (0, 1); Balding & Nichols 1995 */
    int32_t causal;      /* 50 markers with an effect */
    double heritability; /* 0.6: share of trait variance that is genetic, in [0, 1] */
    int64_t seed;
};

/* Paths are absolute or relative to the working directory; NULL or "" where not given. Tables are
 * as in table.h: each has a header line. Ids are texts and are joined as such. */
struct data_spec {
    const struct data_format *format; /* a row of data/core/data_format.h */
    enum data_task task;     /* auto: words are classes; whole numbers are numbers in a genotype
                                data set and classes in others; other numbers are numbers.
                                Classes are sorted, by number if all are numbers, else by byte */
    const char *genotypes;   /* VCF, BCF, PLINK 1, HapMap, or a table of samples x markers, first
                                column the id, plain or gzip: by its content */
    enum data_subset subset; /* phenotyped: samples with a value alone, in the order of theirs */
    struct data_filter filter;
    const char
        *phenotypes;   /* a table; its column of ids is id, or as reader_id_column() finds it */
    const char *trait; /* column of phenotypes; NULL: the only other column */
    const char *covariates; /* "a, factor(b)": columns of phenotypes that are features too; NULL or
                               "": none; see covariates.h */
    const char *missing;    /* "-9, x": cells of phenotypes that stand for a missing value, beside
                               those of table_is_missing(); NULL or "": none */
    const char *missing_genotype; /* the same in a table of genotypes; see genotype_table_read() */
    const char *edges;    /* two columns of node ids, an optional third: weight; may be absent */
    const char *features; /* (node, feature[, value]) sparse if the second column is so named, or
                             dense: node, f1, f2 ...; see node_features.h */
    const char *labels;   /* node, label; lists every node, in the order of the data set */
    const char *split;    /* id, part (train | val | test | stop | none), or the group, or both; see
                             membership.h */
    const char *group;    /* column of the split file, or of phenotypes: samples that belong
                             together; NULL or "": none do */
    /* Samples are graphs. TUDataset (tu): a folder; trait is the number of a column there. */
    const char *folder;
    /* SMILES (smiles), a table; trait is a column of it as well. */
    const char *molecules;
    const char *smiles;   /* its column; NULL: "smiles" */
    const char *id;       /* its column of ids, or that of phenotypes; NULL: rows are numbered */
    bool skip_invalid;    /* count molecules that cannot be read and leave them out */
    const char *images;   /* IDX (idx), and labels; plain or gzip */
    int32_t first_images; /* only so many; 0: all */
    struct simulate_spec simulate;
    /* New samples for models of these data: features are made as theirs; targets, groups and parts
     * are not read. Of the formats whose samples are graphs, and of tables of covariates. NULL:
     * these are the data. Borrowed. */
    const struct dataset *like;
    /* Out: filled in also where data_load() fails because few ids join. NULL: not asked for.
     * Borrowed. */
    struct data_unmatched *unmatched;
};

#endif
