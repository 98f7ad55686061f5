/* Read data from files, or simulate them, into a dataset. */
#ifndef DATA_CORE_LOAD_H
#define DATA_CORE_LOAD_H

#include "data/core/dataset.h"
#include "data/core/simulate.h"
#include "data/text/names.h"

enum data_format { DATA_GENOTYPE, DATA_GRAPH, DATA_SIMULATED, DATA_TU, DATA_SMILES, DATA_IDX };
enum data_task { DATA_TASK_AUTO, DATA_TASK_REGRESSION, DATA_TASK_CLASSIFICATION };

enum data_dosage { DATA_DOSAGE_GT, DATA_DOSAGE_DS };
enum data_multiallelic { DATA_MULTIALLELIC_SPLIT, DATA_MULTIALLELIC_SKIP };
enum data_subset { DATA_SUBSET_ALL, DATA_SUBSET_PHENOTYPED };

/* What is taken of the genotypes; all of them, where it is zeroed. In the order of the members:
 * sites of the region, with one alternative allele or split; then those with few missing calls,
 * that vary, that are not rare; of what is left the first or a thinned part. */
struct data_filter {
    enum data_dosage dosage; /* VCF, BCF: GT counts alleles, DS is what imputation estimated */
    const char *region;      /* "1:1000-2000, 2"; NULL or "": everywhere */
    enum data_multiallelic multiallelic; /* split: each alternative allele a marker of its own */
    double call_rate;                    /* least share of the samples that have a call; 0: any */
    double maf;                          /* least frequency of the rarer allele; 0: any */
    const char *variants;                /* all, first:N, thin:N; NULL: all */
};

/* Ids of a genotype data set that did not join. Release takes a zeroed one. */
struct data_unmatched {
    struct names genotypes;  /* samples without a row in the table of phenotypes */
    struct names phenotypes; /* rows with a value, without a genotype */
};
void data_unmatched_release(struct data_unmatched *u);

/* Paths are absolute or relative to the working directory; NULL or "" where not given. Tables are
 * as in table.h: each has a header line. Ids are texts and are joined as such. */
struct data_spec {
    enum data_format format;
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
    const char *missing_genotype; /* the same in a table of genotypes; see genotable_read() */
    const char *edges;    /* two columns of node ids, an optional third: weight; may be absent */
    const char *features; /* (node, feature[, value]) sparse if the second column is so named, or
                             dense: node, f1, f2 ...; see nodefeatures.h */
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

/* So many of what was left out are named. */
enum { DATA_NAMED = 8, DATA_NONMARKERS = 3 };
/* A message shows at most this many examples. */
enum { DATA_EXAMPLES = 3 };

/* HapMap sites whose calls have letters that their column `alleles` does not name. */
struct data_contradicted {
    int64_t n_taken;               /* with the letters of their calls as alleles */
    int64_t n_dropped;             /* not two letters in their calls */
    char first[DATA_EXAMPLES][41]; /* names of the first of both, cut where they are longer */
};

/* What happened on the way in; for `inspect` and for the log of `run`. In a graph data set
 * samples are nodes, phenotypes labels and markers features. */
struct data_report {
    int32_t n_genotyped;        /* samples in the genotype table */
    int32_t n_phenotyped;       /* rows in the phenotype table with a value */
    int32_t n_joined;           /* of those, the ones with a genotype */
    int32_t n_phenotype_only;   /* of those, the ones without: dropped; the first are */
    char phenotype_only[3][41]; /* cut where they are longer */
    char unjoined[600];         /* why rows did not join, where that can be seen; else "" */
    bool is_foreign_id;         /* one of all those is not UTF-8 */
    int32_t n_nonmarkers;       /* columns of a genotype table that are left out as columns of the
                                   phenotype table; the first are */
    char nonmarker[DATA_NONMARKERS][41];
    int32_t n_markers_read; /* and judged by the filters */
    int64_t n_elsewhere;    /* sites outside the region */
    int64_t n_multiallelic; /* sites skipped; those split are in n_split */
    int64_t n_split;
    struct data_contradicted contradicted;
    int32_t n_too_missing; /* dropped, as are the next three */
    int32_t n_rare;
    int32_t n_thinned;
    double low, high;          /* least and largest call of a table; 0 of other files */
    bool is_case_control;      /* the phenotype is 1 and 2 of a .fam */
    bool is_partly_read;       /* variants = first:N had enough before the end */
    int32_t n_monomorphic;     /* dropped: the same call wherever there is one */
    int64_t n_missing;         /* calls of the markers kept, imputed to the marker mean */
    int64_t n_duplicate_edges; /* dropped: the same pair again, in either direction */
    int64_t n_self_loops;      /* dropped: every node gets one anyway */
    int64_t n_one_way_edges;   /* tu: listed in one direction alone */
    bool has_edge_labels;      /* tu: labels or attributes of edges, which are not used */
    int64_t n_unknown_labels;  /* tu: node labels that spec->like has not: the node has none */
    double unknown_label;      /* the first of them, and its line */
    int64_t unknown_line;
    int32_t n_skipped;                /* smiles: molecules that cannot be read */
    int64_t skipped_line[DATA_NAMED]; /* of the first ones, from 1 */
    int32_t n_bad_valence; /* smiles: atoms whose hydrogens cannot be told and count as none */
    int64_t n_images;      /* idx: in the file */
    int32_t image_rows, image_cols;
    int32_t n_covariates;        /* columns of the phenotype table that became features */
    int64_t n_covariate_missing; /* their missing cells, set to the mean */
    double suspect;    /* n_suspect cells of a column have this value, like -9, while the */
    int32_t n_suspect; /* others are not negative: is it a code for missing ones? 0: no */
    char suspect_column[81];
    const char *unset; /* of a load that failed: the key of [data] that is not given and that these
                          data cannot do without; NULL: the failure is another */
};

/* Pair with dataset_release(). -1 and err (file:line, what was found, what is allowed). Local. */
int data_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
              struct err *err);

#endif
