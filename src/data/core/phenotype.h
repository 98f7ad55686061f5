/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of phenotypes: its rows joined with samples by id. */
#ifndef DATA_CORE_PHENOTYPE_H
#define DATA_CORE_PHENOTYPE_H

#include "data/core/data_report.h"
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

/* What was noticed in the table. The caller zeroes it; a second reading, of fewer samples, counts
 * anew and keeps what the first noted of `unjoined` and `suspect`. */
struct phenotype_report {
    int32_t n_valued;             /* rows with a value */
    int32_t n_joined;             /* of those, the ones of a sample */
    int32_t n_left;               /* of those, the others: dropped; the first are */
    char left[DATA_EXAMPLES][41]; /* cut where they are longer */
    bool is_foreign_id;           /* one of all those is not UTF-8 */
    char unjoined[600];           /* why rows did not join, where that can be seen; else "" */
    double suspect;               /* n_suspect cells of a column have this value, like -9, */
    int32_t n_suspect;            /* while the others are not negative: is it a code for */
    char suspect_column[81];      /* missing ones? 0: no */
    bool is_case_control;         /* values are 1 and 2 of a .fam */
    const char *unset;            /* as in struct data_report */
};

/* What spec asks for, of each id; of spec->like's new samples covariates alone.
 *   p       out  pair with phenotype_release(), also after a failure; borrows spec->phenotypes
 *   source  in   the samples, at least one, and their file
 *   report  inout
 * -1 and err: no such column (a group may be in the split file instead, if there is one), the trait
 * among the covariates, an id twice, no id in common. */
int phenotype_read(struct phenotype *p, const struct joined_ids *source,
                   const struct data_spec *spec, struct phenotype_report *report, struct err *err);
void phenotype_release(struct phenotype *p); /* takes a zeroed one */

/* The name in factor(NAME), in place; otherwise all of the text. */
char *phenotype_strip_factor(char *text, bool *is_factor);

#endif
