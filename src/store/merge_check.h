/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of an input before it is merged, on the temporary tables of merge.c. */
#ifndef STORE_MERGE_CHECK_H
#define STORE_MERGE_CHECK_H

#include <stdint.h>

#include "store/store.h"

/* -1 and err if a replicate or fold is out of range, which no table checks. */
int merge_check_ranges(struct store *store, const char *path, struct err *err);

/* -1 and err if sweeps of one name differ. */
int merge_check_sweeps(struct store *store, const char *path, struct err *err);

/* Count trials that both finished with different bits, with a line in conflicts for each of the
 * first `most`. */
int merge_check_conflicts(struct store *store, const char *path, int most,
                          struct errlist *conflicts, int64_t *count, struct err *err);

#endif
