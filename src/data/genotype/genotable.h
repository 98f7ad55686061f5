/* A table of samples x markers on its way into a dataset: a row for each sample, its id first. */
#ifndef DATA_GENOTYPE_GENOTABLE_H
#define DATA_GENOTYPE_GENOTABLE_H

#include "data/core/builder.h"
#include "data/core/columns.h"
#include "data/core/filter.h"
#include "data/core/load.h"
#include "data/text/names.h"
#include "data/text/table.h"

/* Columns of a table of genotypes that are no markers: the trait, and other columns of the table of
 * phenotypes. As markers they would give the target away. */

struct nonmarkers {
    int32_t *shown; /* [n_shown] columns of the file that are left, ascending; NULL: all are */
    int32_t n_shown, n_all;
};

struct genotable {
    struct table table; /* open to the end: it owns the markers' names */
    struct nonmarkers hidden;
    struct columns markers;
    struct names ids;
    struct names missing; /* words for a missing call */
    double low, high;     /* of all that are not missing; low > high without any */
};

/* Read all of it. missing: "-9, x", what stands for a missing call beside what table_is_missing()
 * knows; NULL or "": nothing. Pair with genotable_release(), also after a failure. -1 and err: no
 * table, a marker or a sample that is there twice, a cell that is no number, no samples; a number
 * that looks like such a code, unless all that `missing` lists are words. */
int genotable_read(struct genotable *g, const char *path, const char *missing, struct err *err);

/* The same of spec->genotypes, without the columns that nonmarkers_hide() finds. */
int genotable_read_markers(struct genotable *g, const struct data_spec *spec,
                           struct data_report *report, struct err *err);
void genotable_release(struct genotable *g); /* takes a zeroed one */

/* Whether one of these values, each of the table, is no dosage beside the others: what
 * genotable_read() refuses until it is listed. */
bool genotable_find_code(double *code, const double *values, int32_t n);

/* Keep these samples, in this order: sample[n] indices into ids, each once. ids stay as they are.
 */
int genotable_select(struct genotable *g, const int32_t *sample, int32_t n, struct err *err);

/* Drop what the filter leaves out, counted in report, and fill in missing values. -1 and err:
 * nothing is left. Regions of the filter mean nothing here. */
int genotable_filter(struct genotable *g, const struct filter *filter, struct data_report *report,
                     struct err *err);

void genotable_into(struct draft *draft, const struct genotable *g); /* lends the arrays */

#endif
