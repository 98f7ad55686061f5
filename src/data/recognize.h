/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognise a file or a folder by its content, where nobody says so. */
#ifndef DATA_RECOGNIZE_H
#define DATA_RECOGNIZE_H

#include "base/err.h"

enum data_kind {
    KIND_TABLE, /* text with a header (data/text/table.h); its columns say what it holds */
    KIND_VCF,
    KIND_BCF,
    KIND_PLINK, /* path is a .bed, .bim or .fam, or what the three names have in common */
    KIND_HAPMAP,
    KIND_SMI, /* molecules without a header (data/graph/smiles.h) */
    KIND_TU,  /* a folder */
    KIND_IDX_IMAGES,
    KIND_IDX_LABELS,
};

/* -1 and err, which names the kinds that are read: no such file, empty, a folder that is no
 * TUDataset, bytes that are no text and have none of the known beginnings. Reads 64 KiB at most. */
int recognize(enum data_kind *out, const char *path, struct err *err);

const char *recognize_name(enum data_kind kind); /* "VCF", "table" */

#endif
