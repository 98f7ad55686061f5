/* The markers of a data set, as data/recode looks for them: for that file alone. */
#ifndef DATA_RECODE_INDEX_H
#define DATA_RECODE_INDEX_H

#include "data/recode.h"

/* Fill sites, names, ids, chroms, fill and marker of r from r->data. recode_close() releases them,
 * also after a failure. -1 and err when memory is short. */
int recode_index(struct recode *r, struct err *err);

#endif
