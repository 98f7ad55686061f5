/* SPDX-License-Identifier: BSD-3-Clause */
/* Ids that do not join although they likely mean the same sample: they differ in case, in blanks or
 * in punctuation, as R's make.names() changes it ("33-16" to "X33.16"). */
#ifndef DATA_CORE_RESEMBLANCE_H
#define DATA_CORE_RESEMBLANCE_H

#include "base/buf.h"
#include "data/text/names.h"

struct resemblance {
    const struct names *ids; /* borrowed */
    struct names folded;
    int32_t *which; /* [folded.n] the first id of each */
};

/* Pair with resemblance_release(), also after a failure. -1 and err when memory is short. */
int resemblance_init(struct resemblance *r, const struct names *ids, struct err *err);
void resemblance_release(struct resemblance *r); /* takes a zeroed one */

/* The first of the ids that resembles this one, which may be the same; NULL: none. */
const char *resemblance_find(const struct resemblance *r, const char *id);

/* One side of a join: a file and its ids. */
struct joined_ids {
    const struct names *ids;
    const char *path;
    const char *const *columns; /* [n_columns] what the header of a table names behind its ids */
    int32_t n_columns;
};

/* Append why the ids `left` of the file `path` did not join with those of `other`, with counts and
 * three examples; nothing where no reason is seen. -1 and err when memory is short. */
int resemblance_explain(struct buf *out, const struct names *left, const char *path,
                        const struct joined_ids *other, struct err *err);

#endif
