/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises the kind of a file or folder by its content. */
#ifndef DATA_RECOGNIZE_H
#define DATA_RECOGNIZE_H

#include "base/err.h"
#include "data/genotype/variants.h"

enum data_kind {
    KIND_TABLE, /* text with a header (data/text/table.h) */
    KIND_GENOTYPES,
    KIND_SMI, /* data/graph/smiles.h */
    KIND_TU,  /* a folder */
};

/* variants: the kind of genotypes, or NULL. -1 and err if the file is missing, empty or binary of an unknown kind, or a folder is no
 * TUDataset. Reads at most 64 KiB. */
int recognize(enum data_kind *out, const struct variants_kind **variants, const char *path,
              struct err *err);

#endif
