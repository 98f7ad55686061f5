/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads a table of samples x markers, ids first. */
#ifndef DATA_GENOTYPE_GENOTYPE_TABLE_H
#define DATA_GENOTYPE_GENOTYPE_TABLE_H

#include "data/core/builder.h"
#include "data/core/columns.h"
#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/core/filter.h"
#include "data/core/profile.h"
#include "data/genotype/letter_columns.h"
#include "data/text/names.h"
#include "data/text/table.h"

/* Columns that are not markers and would reveal the target: the trait, and others of the phenotype
 * table. */
struct nonmarkers {
    int32_t *shown; /* [n_shown] kept, ascending; NULL: all */
    int32_t n_shown, n_all;
    struct examples hidden;
};

struct genotype_table {
    struct table table; /* owns names of markers */
    struct nonmarkers hidden;
    struct columns markers;
    struct letter_columns letters; /* of calls in letters */
    struct names ids;
    struct names missing; /* words for a missing call */
    double low, high;     /* of present values; low > high if none */
    int64_t n_above;      /* calls above 2, if less than 1 % say that there are more alleles */
    int ploidy;           /* 0: numbers that are no dosages, such as scaled ones */
};

/* Read spec->genotypes; columns that are not markers are hidden. Pair with genotype_table_release(),
 * also after a failure. -1 and err if the file is no table or has no samples, a marker or sample occurs
 * twice, a cell is not a number (or most are calls in letters), a number looks like a code for
 * "missing" (not checked if spec->missing_genotype lists only words), or the dosages contradict
 * spec->ploidy. */
int genotype_table_read(struct genotype_table *g, const struct data_spec *spec, struct err *err);
void genotype_table_release(struct genotype_table *g);

/* True if a value of the table is unlikely as a dosage beside the others. genotype_table_read() refuses it
 * unless missing_genotype lists it. */
bool genotype_table_find_code(double *code, const struct profile *table);

/* NaN if missing. */
float genotype_table_cell(const struct genotype_table *g, int32_t row, int32_t col);

/* Apply the filter without regions, count what it drops, and fill in *n_missing missing values. -1
 * and err if no marker is left, or for maf of numbers that are no dosages. */
int genotype_table_filter(struct genotype_table *g, const struct filter *filter,
                          struct filter_counts *counts, int64_t *n_missing, struct err *err);

void genotype_table_into(struct draft *draft,
                         const struct genotype_table *g); /* lends the arrays */

#endif
