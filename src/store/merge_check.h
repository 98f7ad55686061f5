/* SPDX-License-Identifier: BSD-3-Clause */
/* What keeps an input from being merged. Over the temporary tables of merge.c; internal to it. */
#ifndef STORE_MERGE_CHECK_H
#define STORE_MERGE_CHECK_H

#include <stdint.h>

#include "store/store.h"

/* -1 and err where a replicate or fold of the input is out of its range, which no table checks. */
int merge_check_ranges(struct store *store, const char *path, struct err *err);

/* -1 and err where a sweep of the input has the name of one in the output, and is not that. */
int merge_check_sweeps(struct store *store, const char *path, struct err *err);

/* Trials that both have finished with other bits: their number in *count, a line for each of the
 * first `most` added to conflicts. -1 and err only when the database fails. */
int merge_check_conflicts(struct store *store, const char *path, int most,
                          struct errlist *conflicts, int64_t *count, struct err *err);

#endif
