/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of the tables given to `init` that hold the ids, the trait and the groups. */
#ifndef CLI_INIT_INIT_COLUMNS_H
#define CLI_INIT_INIT_COLUMNS_H

#include "base/buf.h"
#include "cli/init/init_files.h"

struct init_columns {
    const struct init_file *table; /* with the trait; borrowed; NULL: the format has none */
    struct names ids;              /* of the genotypes */
    struct profile joined;         /* of the rows whose id is among `ids`, or of all rows */
    int32_t id;                    /* id, trait and group: columns in joined; -1: none */
    int32_t trait;
    int32_t group;
    bool has_code;      /* the table of genotypes has a number that cannot be a dosage */
    double code;        /* that number */
    bool is_unjoined;   /* the tables have no id in common; the reader reports it */
    bool writes_id;     /* without a setting the readers would use another column for the ids */
    const char *number; /* of a TUDataset: the trait as --trait gives it; borrowed, or NULL */
};

/* trait: from --trait; NULL: there must be only one. Pair with init_columns_release(), also after a
 * failure; files are borrowed until then. -1 and faults. If the trait is unknown, the fault is one
 * of usage and lists the traits. */
int init_columns_read(struct init_columns *out, const struct init_files *files, const char *trait,
                      struct errlist *faults);
void init_columns_release(struct init_columns *columns); /* takes a zeroed one */

/* Append the columns that can be predicted and their contents: `"FT10": 1058 numbers`. */
void init_columns_list(struct buf *out, const struct init_columns *columns, const char *apart);

/* Append the columns that can be covariates, as the setting lists them. They are neither id, trait
 * nor SMILES. */
int init_columns_covariates(struct buf *out, const struct init_columns *columns, struct err *err);

/* The task that the trait's values suggest.
 *   classification  few different words, or two whole numbers; in formats without genotypes also a
 *                   few whole numbers
 *   regression      other numbers
 *   auto            the reader decides. It refuses numbers mixed with words, and words that are
 *                   nearly all different. */
enum data_task init_columns_task(const struct init_columns *columns,
                                 const struct data_format *format);

#endif
