/* SPDX-License-Identifier: BSD-3-Clause */
/* Codings of dosages: 0, 1, 2; -1, 0, 1; 0, 1 of inbred lines. The range of a table's calls and the
 * means of its markers show its coding. */
#ifndef DATA_GENOTYPE_CODING_H
#define DATA_GENOTYPE_CODING_H

#include <stdbool.h>

#include "data/genotype/genotype_table.h"

/* Dosages in [base, base + span]: 0 to the ploidy, or -1 to 1. */
struct coding {
    double base, span;
};

bool coding_is_same(const struct coding *a, const struct coding *b);
float coding_convert(const struct coding *to, const struct coding *from, float v);

/* Choose the coding of a table of new samples.
 *
 *   out    out  the likeliest coding
 *   other  out  the second, only if 1 is returned
 *   mean   in   [columns] a marker's mean in the data, NaN if the data lack it
 *   data   in   the data's coding, which is replaced only by one that fits far better
 *
 * Returns 0; 1 if two codings fit nearly as well; -1 if the calls are in the range of none. */
int coding_choose(struct coding *out, struct coding *other, const struct genotype_table *t,
                  const float *mean, const struct coding *data);

#endif
