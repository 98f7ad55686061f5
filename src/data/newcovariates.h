/* Covariates of new samples, as features for the models of a data set: the same columns in the same
 * order. A number is taken as it is, a word sets the feature of its own; what is missing is the
 * mean of the data in every feature of the column, as it was there (data/covariates.h), and so is a
 * word that the data have not. */
#ifndef DATA_NEWCOVARIATES_H
#define DATA_NEWCOVARIATES_H

#include "data/load.h"
#include "data/names.h"

struct newcovariates_report {
    int32_t n_absent;          /* samples without a row */
    int64_t n_missing;         /* cells of the others, those with an unknown word not counted */
    int64_t n_unknown;         /* cells with a word that the data have not */
    char column[81], word[81]; /* of the first of them */
    int64_t line;
};

/* out (n, F - K): of the samples ids[sample[i]], which come from the file `source`. spec: the
 * data's with a table of its own in phenotypes. Pair with mat_release(), also after a failure. -1
 * and err: the table is faulty, has not one of the columns, has nobody of ids or a word among
 * numbers. */
int newcovariates_read(struct mat *out, struct newcovariates_report *report,
                       const struct dataset *data, const struct data_spec *spec,
                       const struct names *ids, const int32_t *sample, int32_t n,
                       const char *source, struct err *err);

#endif
