/* The phenotypes of a PLINK 1 data set. */
#ifndef DATA_GENOTYPE_PLINK_H
#define DATA_GENOTYPE_PLINK_H

#include "data/core/phenotype.h"
#include "data/genotype/variants.h"

/* Column 6 of the .fam as the cells of these samples, some of v's: -9 and NA are missing, and 0 is
 * where there are no others than 1 and 2 (case and control), unless a regression is asked for.
 *   cells   out  pair with target_cells_release(), also after a failure; borrows from v
 *   report  out  n_valued, n_joined, is_case_control */
int plink_phenotypes(struct target_cells *cells, const struct variants *v, const struct names *ids,
                     enum data_task task, struct phenotype_report *report, struct err *err);

#endif
