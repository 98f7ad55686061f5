/* SPDX-License-Identifier: BSD-3-Clause */
/* The columns of the tables given to `init` that hold the ids, the trait and the groups. */
#ifndef CLI_INIT_INIT_COLUMNS_H
#define CLI_INIT_INIT_COLUMNS_H

#include "base/buf.h"
#include "cli/init/init_files.h"

struct init_columns {
    const struct init_file *table; /* with the trait; borrowed, or NULL */
    const struct names *ids;       /* of the genotypes; borrowed, or `read_ids` */
    struct names read_ids;
    struct profile rows; /* of the table's rows whose id is among `ids`, or of all rows */
    int32_t id;          /* these are columns in rows; -1: none */
    int32_t trait;
    int32_t group;      /* its name is typical for groups */
    bool is_sure_group; /* of relatives or of one environment, which a split must not divide */
    int32_t part;       /* -1 also if a split file has the parts */
    bool has_code;      /* the genotypes have a number that is no dosage */
    double code;        /* that number */
    bool has_ds;        /* the genotypes have imputed dosages */
    bool writes_id;     /* the readers would use another column for the ids */
    const char *number; /* of a TUDataset: the trait after --trait; borrowed, or NULL */
};

/* trait: after --trait, or NULL. Pair with init_columns_release(), also after a failure; files are
 * borrowed. -1 and faults. A missing or unknown trait is a fault of usage. */
int init_columns_read(struct init_columns *out, const struct init_files *files, const char *trait,
                      struct errlist *faults);
void init_columns_release(struct init_columns *columns);

/* Append the columns of the design (sex, block, year ...) as data.fixed lists them, but not a group
 * that is used. */
void init_columns_design(struct buf *out, const struct init_columns *columns, bool uses_group);

/* The task that the trait's values suggest.
 *   classification  few different words, or two whole numbers (without genotypes: a few)
 *   regression      other numbers
 *   auto            the reader decides, or refuses */
enum data_task init_columns_task(const struct init_columns *columns,
                                 const struct data_format *format);

#endif
