/* A database that holds a part of a sweep looks like a whole one to whoever asks it. */
#ifndef CLI_INCOMPLETE_H
#define CLI_INCOMPLETE_H

#include "base/err.h"
#include "store/store.h"

/* Say on stderr of which sweeps (only: this one, or NULL for all) the file holds a part: one shard,
 * or some of them merged. */
int incomplete_note(struct store *store, const char *only, struct err *err);

#endif
