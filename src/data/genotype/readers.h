/* SPDX-License-Identifier: BSD-3-Clause */
/* The readers of genotype files. */
#ifndef DATA_GENOTYPE_READERS_H
#define DATA_GENOTYPE_READERS_H

#include "data/core/phenotype.h"
#include "data/genotype/variants.h"

extern const struct variants_reader vcf_reader, bcf_reader, plink_reader, hapmap_reader;

/* True if the first columns of a table are those of HapMap, in any case and with other punctuation
 * (R writes rs. for rs#). */
bool hapmap_is_header(const char *path);

/* Returns the command that makes a .bed of a PLINK file that is not read (.pgen, .ped ...), or
 * NULL. */
const char *plink_other_files(const char *path);

/* Make cells of column 6 of the .fam for these samples, some of v's. -9 and NA are missing. Unless
 * task is regression, a column of only 0, 1, 2 and -9 is case-control, and 0 is missing too.
 *   cells   out  pair with target_cells_release(), also after a failure; borrows from v
 *   report  out  n_valued, n_joined, is_case_control */
int plink_phenotypes(struct target_cells *cells, const struct variants *v, const struct names *ids,
                     enum data_task task, struct phenotype_report *report, struct err *err);

#endif
