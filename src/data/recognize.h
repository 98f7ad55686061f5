/* SPDX-License-Identifier: BSD-3-Clause */
/* Recognises the kind of a file or folder by its content. */
#ifndef DATA_RECOGNIZE_H
#define DATA_RECOGNIZE_H

#include "base/err.h"

enum data_kind {
    KIND_TABLE, /* text with a header (data/text/table.h) */
    KIND_VCF,
    KIND_BCF,
    KIND_PLINK, /* one of the three files, or their common part */
    KIND_HAPMAP,
    KIND_SMI, /* data/graph/smiles.h */
    KIND_TU,  /* a folder */
};

/* -1 and err if the file is missing, empty or binary of an unknown kind, or a folder is no
 * TUDataset. Reads at most 64 KiB. */
int recognize(enum data_kind *out, const char *path, struct err *err);

const char *recognize_name(enum data_kind kind); /* "VCF", "table" */

#endif
