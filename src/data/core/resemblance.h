/* SPDX-License-Identifier: BSD-3-Clause */
/* Finds ids that did not join but likely mean the same sample: they differ only in case, blanks,
 * punctuation (R's "X33.16" for "33-16"), zeros around a number ("007", "7.0") or a repetition
 * (PLINK's "7_7"). Most ids that differ in case or zeros alone join (data/core/id_join.h). */
#ifndef DATA_CORE_RESEMBLANCE_H
#define DATA_CORE_RESEMBLANCE_H

#include "base/buf.h"
#include "data/text/names.h"

struct resemblance {
    const struct names *ids; /* borrowed */
    struct names folded;
    int32_t *which; /* [folded.n] first such id */
};

/* Pair with resemblance_release(), also after a failure. */
int resemblance_init(struct resemblance *r, const struct names *ids, struct err *err);
void resemblance_release(struct resemblance *r);

/* Returns the first id that resembles `id`, or NULL. */
const char *resemblance_find(const struct resemblance *r, const char *id);

/* One side of a join. */
struct joined_ids {
    const struct names *ids;
    const char *path;
    const char *const *columns; /* [n_columns] of the header, after the id */
    int32_t n_columns;
};

/* Append why the ids `left` of file `path` likely did not join with `other`, with counts and three
 * examples; nothing if no reason is found. */
int resemblance_explain(struct buf *out, const struct names *left, const char *path,
                        const struct joined_ids *other, struct err *err);

#endif
