/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises a file of variants and opens it with the reader of its kind. */
#ifndef DATA_GENOTYPE_VARIANTS_OPEN_H
#define DATA_GENOTYPE_VARIANTS_OPEN_H

#include "data/genotype/variants.h"

/* The kinds of file. */
enum variants_kind {
    VARIANTS_NONE, /* a table, or unknown */
    VARIANTS_VCF,
    VARIANTS_BCF,
    VARIANTS_PLINK,
    VARIANTS_HAPMAP
};

/* The first bytes decide, plain or unpacked, for HapMap the names of the columns, for PLINK also an ending .bed, .bim or .fam, or a file
 * NAME.bed. PLINK files that no reader opens count as PLINK, too. VARIANTS_NONE if the file cannot
 * be opened. */
enum variants_kind variants_detect(const char *path);

/* PLINK's codes and pairs of letters have two alleles. */
bool variants_is_diploid(enum variants_kind kind);

struct variants_calls {
    enum data_dosage dosage;
    int ploidy; /* of dosages, 0: of the file's first call; see variants_restart() */
};

/* For any kind but VARIANTS_NONE. Pair with variants_close(), also after a failure. -1 and err if
 * the file cannot be read, has a faulty header or no samples, or repeats an id. */
int variants_open(struct variants *v, enum variants_kind kind, const char *path,
                  const struct variants_calls *calls, struct err *err);

/* Begin anew with found_ploidy as the ploidy, and the same samples. */
int variants_restart(struct variants *v, enum variants_kind kind, struct err *err);

#endif
