/* SPDX-License-Identifier: BSD-3-Clause */
/* A table of samples x markers on its way into a dataset: a row for each sample, its id first. */
#ifndef DATA_GENOTYPE_GENOTYPE_TABLE_H
#define DATA_GENOTYPE_GENOTYPE_TABLE_H

#include "data/core/builder.h"
#include "data/core/columns.h"
#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/core/filter.h"
#include "data/text/names.h"
#include "data/text/table.h"

/* Columns of a table of genotypes that are no markers: the trait, and other columns of the table of
 * phenotypes. As markers they would give the target away. */
struct nonmarkers {
    int32_t *shown; /* [n_shown] columns of the file that are left, ascending; NULL: all are */
    int32_t n_shown, n_all;
    int32_t n; /* that are hidden; the first are */
    char first[DATA_EXAMPLES][41];
};

struct genotype_table {
    struct table table; /* open to the end: it owns the markers' names */
    struct nonmarkers hidden;
    struct columns markers;
    struct names ids;
    struct names missing; /* words for a missing call */
    double low, high;     /* of all that are not missing; low > high without any */
};

/* Read all of it. missing: "-9, x", what stands for a missing call beside what table_is_missing()
 * knows; NULL or "": nothing. Pair with genotype_table_release(), also after a failure. -1 and err:
 * no table, a marker or a sample that is there twice, a cell that is no number, no samples; a
 * number that looks like such a code, unless all that `missing` lists are words. */
int genotype_table_read(struct genotype_table *g, const char *path, const char *missing,
                        struct err *err);

/* The same of spec->genotypes, without the columns that are no markers, in `hidden`. */
int genotype_table_read_markers(struct genotype_table *g, const struct data_spec *spec,
                                struct err *err);
void genotype_table_release(struct genotype_table *g); /* takes a zeroed one */

/* Whether one of these values, each of the table, is no dosage beside the others: what
 * genotype_table_read() refuses until it is listed. */
bool genotype_table_find_code(double *code, const double *values, int32_t n);

/* Keep these samples, in this order: sample[n] indices into ids, each once. ids stay as they are.
 */
int genotype_table_select(struct genotype_table *g, const int32_t *sample, int32_t n,
                          struct err *err);

/* Drop what the filter leaves out, counted, and fill in missing values: *n_missing of them. -1 and
 * err: nothing is left. Regions of the filter mean nothing here. */
int genotype_table_filter(struct genotype_table *g, const struct filter *filter,
                          struct filter_counts *counts, int64_t *n_missing, struct err *err);

void genotype_table_into(struct draft *draft,
                         const struct genotype_table *g); /* lends the arrays */

#endif
