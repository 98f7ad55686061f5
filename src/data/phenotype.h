/* The table of phenotypes: its rows joined with samples by id. */
#ifndef DATA_PHENOTYPE_H
#define DATA_PHENOTYPE_H

#include "data/names.h"
#include "data/target.h"

/* The cells of spec->trait, one for each id, absent where the table has none.
 *   cells   out  pair with target_cells_release(), also after a failure; borrows spec->phenotypes
 *   ids     in   the samples, at least one; they come from the file `source`
 *   report  out  n_phenotyped, n_joined, n_phenotype_only
 * -1 and err: no such trait, an id twice, no id in common. */
int phenotype_read(struct target_cells *cells, const struct names *ids, const char *source,
                   const struct data_spec *spec, struct data_report *report, struct err *err);

#endif
