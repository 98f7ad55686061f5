/* SPDX-License-Identifier: BSD-3-Clause */
/* The part K of N of a sweep that one element of a job array owns.
 *
 * A trial belongs to part 1 + (key modulo N). A growing grid moves no trial to another part
 * (doc/decisions/0013). */
#ifndef GRID_SHARD_H
#define GRID_SHARD_H

#include "grid/plan.h"

#define SHARD_MAX 100000

struct shard {
    int32_t k; /* 1 .. n */
    int32_t n; /* 1 .. SHARD_MAX; 1: the whole sweep */
};

/* Parse "K/N". -1 and err: the form is wrong or a number is out of range. */
int shard_parse(struct shard *shard, const char *text, struct err *err);

bool shard_owns(const struct shard *shard, struct hash key);

/* ours out [n_trials]: hashes every trial, unless the shard is the whole sweep. -1 and err:
 * memory is short. */
int shard_mark(bool *ours, const struct shard *shard, const struct plan *plan,
               const struct dataset *data, struct err *err);

#endif
