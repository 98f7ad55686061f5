/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises the kind of a file or folder by its content. */
#ifndef DATA_RECOGNIZE_H
#define DATA_RECOGNIZE_H

#include "base/err.h"

enum data_kind {
    KIND_TABLE, /* text with a header (data/text/table.h); its columns show what it is */
    KIND_VCF,
    KIND_BCF,
    KIND_PLINK, /* path is a .bed, .bim or .fam, or their common part */
    KIND_HAPMAP,
    KIND_SMI, /* molecules without a header (data/graph/smiles.h) */
    KIND_TU,  /* a folder */
    KIND_IDX_IMAGES,
    KIND_IDX_LABELS,
};

/* -1 and err, which names the supported kinds, if the file is missing or empty, a folder is not a
 * TUDataset, or a binary file is unknown. Reads at most 64 KiB. */
int recognize(enum data_kind *out, const char *path, struct err *err);

const char *recognize_name(enum data_kind kind); /* "VCF", "table" */

#endif
