/* SPDX-License-Identifier: BSD-3-Clause */
/* Which columns of the tables `init` was given are the ids, the trait and the groups. */
#ifndef CLI_INIT_INIT_COLUMNS_H
#define CLI_INIT_INIT_COLUMNS_H

#include "base/buf.h"
#include "cli/init/init_files.h"

struct init_columns {
    const struct init_file *table; /* with the trait; borrowed; NULL: the format has no such */
    struct names ids;              /* of the genotypes */
    struct profile joined;         /* of the rows whose id is among them, or of all rows */
    int32_t id;                    /* numbers of columns in joined; -1: none */
    int32_t trait;
    int32_t group;      /* -1: none looks like one */
    bool has_code;      /* the table of genotypes has a number that can be no dosage */
    double code;        /* that number */
    bool is_unjoined;   /* the tables have no id in common: for the reader to explain */
    bool writes_id;     /* the readers would take another column for the ids */
    const char *number; /* of a TUDataset: the trait as asked for; borrowed; NULL: not asked */
};

/* trait: as it was asked for; NULL: the only one there is. Pair with init_columns_release(), also
 * after a failure; files are borrowed until then. -1 and faults, of usage where the trait is not
 * known: then they list what there is. */
int init_columns_read(struct init_columns *out, const struct init_files *files, const char *trait,
                      struct errlist *faults);
void init_columns_release(struct init_columns *columns); /* takes a zeroed one */

/* Append the columns that can be predicted, each with what it holds: `"FT10": 1058 numbers`. */
void init_columns_list(struct buf *out, const struct init_columns *columns, const char *apart);

/* Append the columns that are neither id, trait nor SMILES and can be covariates, as the setting
 * lists them; nothing where there are none. */
int init_columns_covariates(struct buf *out, const struct init_columns *columns, struct err *err);

/* classification: few words, or two whole numbers; of other formats than genotypes also few whole
 * numbers. regression: other numbers. auto: the reader decides, and refuses numbers with words
 * among them and words that are hardly ever the same. */
enum data_task init_columns_task(const struct init_columns *columns,
                                 const struct data_format *format);

#endif
