/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds ids that did not join but likely mean the same sample: they differ only in case, blanks,
 * punctuation, zeros around a number or a repetition, as after R's make.names() ("33-16" and
 * "X33.16"), a spreadsheet ("007" and "7"), pandas ("7.0") or PLINK ("7_7"). */
#ifndef DATA_CORE_RESEMBLANCE_H
#define DATA_CORE_RESEMBLANCE_H

#include "base/buf.h"
#include "data/text/names.h"

struct resemblance {
    const struct names *ids; /* borrowed */
    struct names folded;
    int32_t *which; /* [folded.n] first id with this folded form */
};

/* Pair with resemblance_release(), also after a failure. */
int resemblance_init(struct resemblance *r, const struct names *ids, struct err *err);
void resemblance_release(struct resemblance *r);

/* The first id that resembles `id`, or equals it; NULL: none. */
const char *resemblance_find(const struct resemblance *r, const char *id);

/* One side of a join: a file and its ids. */
struct joined_ids {
    const struct names *ids;
    const char *path;
    const char *const *columns; /* [n_columns] names in the header after the id column */
    int32_t n_columns;
};

/* Append why the ids `left` of file `path` likely did not join with those of `other`, with counts
 * and three examples; nothing if no reason is found. Besides resemblance, reasons are a transposed
 * table and letters that all ids of one file have more. */
int resemblance_explain(struct buf *out, const struct names *left, const char *path,
                        const struct joined_ids *other, struct err *err);

#endif
