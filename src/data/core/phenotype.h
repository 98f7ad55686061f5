/* The table of phenotypes: its rows joined with samples by id. */
#ifndef DATA_CORE_PHENOTYPE_H
#define DATA_CORE_PHENOTYPE_H

#include "data/core/resemblance.h"
#include "data/core/target.h"
#include "data/text/names.h"

/* Columns of the table, one cell for each sample, absent where the table has none or it stands for
 * a missing value. */
struct phenotype {
    struct target_cells trait;
    struct target_cells *covariate; /* [n_covariates] in the order of spec->covariates */
    bool *is_factor;                /* [n_covariates] written as factor(NAME): words, even if of
                                       digits */
    int32_t n_covariates;
    struct target_cells group; /* column NULL: none is asked for, or the table has no such */
};

/* What spec asks for, of each id; of spec->like's new samples covariates alone.
 *   p       out  pair with phenotype_release(), also after a failure; borrows spec->phenotypes
 *   source  in   the samples, at least one, and their file
 *   report  out  n_phenotyped, n_joined, n_phenotype_only, unjoined, suspect
 * -1 and err: no such column (a group may be in the split file instead, if there is one), the trait
 * among the covariates, an id twice, no id in common. */
int phenotype_read(struct phenotype *p, const struct joined_ids *source,
                   const struct data_spec *spec, struct data_report *report, struct err *err);
void phenotype_release(struct phenotype *p); /* takes a zeroed one */

/* The name in factor(NAME), in place; otherwise all of the text. */
char *phenotype_strip_factor(char *text, bool *is_factor);

#endif
