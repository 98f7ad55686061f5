/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes a table of calls in letters: AG, A/G, A:G, R, AB, H, 0/1. A dosage counts the allele that is
 * later in the alphabet, so other samples of the same marker are counted alike; a table in which a
 * marker has one allele is compared by letter (letter_columns_dosage()). */
#ifndef DATA_GENOTYPE_LETTER_COLUMNS_H
#define DATA_GENOTYPE_LETTER_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/core/columns.h"
#include "data/text/examples.h"
#include "data/text/table.h"

struct letter_columns {
    int32_t n_cols;        /* 0: the table has numbers */
    char (*allele)[2];     /* [n_cols] the second is counted; 0: not seen; LETTERS_OTHER in both */
    char (*text)[8];       /* [n_cols] as in dataset_alleles(), without a place */
    const char **texts;    /* [n_cols] */
    int64_t n_malformed;   /* calls set to missing */
    char malformed[200];   /* the first */
    struct examples other; /* markers of more than two alleles */
};

#define LETTERS_OTHER '?'

/* True for a call in letters that is not missing. */
bool letter_columns_is_call(const char *cell);

int letter_columns_init(struct letter_columns *l, int32_t n_cols, struct err *err);
void letter_columns_release(struct letter_columns *l);

/* Fill row i of c from the table's current row. A cell that is no call is missing, and counted. */
void letter_columns_read_row(struct letter_columns *l, struct columns *c, int32_t i,
                             const struct table *t);
/* After the last row. */
void letter_columns_finish(struct letter_columns *l, struct columns *c);
/* Pair with columns_keep(). */
void letter_columns_keep(struct letter_columns *l, const bool *keeps);

/* Returns the copies of `counted` in a call of column j that has this dosage, NaN if an allele is
 * neither of the two. */
float letter_columns_dosage(const struct letter_columns *l, int32_t j, int8_t dosage, char other,
                            char counted);

#endif
