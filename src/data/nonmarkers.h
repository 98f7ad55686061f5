/* Columns of a table of genotypes that are no markers: the trait, and other columns of the table of
 * phenotypes. As markers they would give the target away. */
#ifndef DATA_NONMARKERS_H
#define DATA_NONMARKERS_H

#include "data/load.h"
#include "data/table.h"

struct nonmarkers {
    int32_t *shown; /* [n_shown] columns of the file that are left, ascending; NULL: all are */
    int32_t n_shown, n_all;
};

/* Find such columns of t, a table that is open at its header, and hide them: names and n_cols are
 * those of the rest from now on. Hidden are
 *   - the columns of spec's trait, covariates, group and ids, by name;
 *   - others that the table of phenotypes has too;
 *   - where this table has nearly all of the columns, and so the markers too (it may be the same
 *     file): columns of words, by the first rows, in the place of those others.
 * report  out  n_nonmarkers, nonmarker
 * Pair with nonmarkers_release(), also after a failure. -1 and err: nothing but ids is left, memory
 * is short. */
int nonmarkers_hide(struct nonmarkers *n, struct table *t, const struct data_spec *spec,
                    struct data_report *report, struct err *err);
void nonmarkers_release(struct nonmarkers *n); /* takes a zeroed one */

/* table_next() of a table from which columns are hidden. */
int nonmarkers_next(struct table *t, const struct nonmarkers *n, struct err *err);

#endif
