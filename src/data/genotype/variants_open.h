/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognise a file of variants and open it with the reader of its kind. */
#ifndef DATA_GENOTYPE_VARIANTS_OPEN_H
#define DATA_GENOTYPE_VARIANTS_OPEN_H

#include "data/genotype/variants.h"

/* What may stand in data.genotypes. */
enum variants_kind {
    VARIANTS_NONE, /* a table (data/text/table.h), or nothing that is known */
    VARIANTS_VCF,
    VARIANTS_BCF,
    VARIANTS_PLINK,
    VARIANTS_HAPMAP
};

/* By content: the first bytes, plain or unpacked. PLINK also by a name that ends in .bed, .bim or
 * .fam, or that does so with .bed behind it; and what PLINK 1 or 2 writes besides, which is then
 * refused. What cannot be opened is VARIANTS_NONE. */
enum variants_kind variants_detect(const char *path);

/* Of a kind but VARIANTS_NONE. Pair with variants_close(), also after a failure. -1 and err: not
 * readable, cut off, a header that is faulty, no samples, two with the same id. */
int variants_open(struct variants *v, enum variants_kind kind, const char *path,
                  enum data_dosage dosage, struct err *err);

#endif
