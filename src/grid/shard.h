/* SPDX-License-Identifier: BSD-3-Clause */
/* A shard: the part K of N of a sweep that one element of a job array owns.
 *
 * A trial belongs to part 1 + (key modulo N). The key says what the trial is, not where it stands:
 * a grid that grows moves no trial to another part, and no part needs to know of the others. */
#ifndef GRID_SHARD_H
#define GRID_SHARD_H

#include "grid/plan.h"

#define SHARD_MAX 100000

struct shard {
    int32_t k; /* 1 .. n */
    int32_t n; /* 1 .. SHARD_MAX; 1: the whole sweep */
};

/* "K/N". -1 and err: not of this form, or out of range. */
int shard_parse(struct shard *shard, const char *text, struct err *err);

bool shard_owns(const struct shard *shard, struct hash key);

/* Which trials of a plan a shard owns.
 *   ours  out  [n_trials]
 * Hashes every trial, unless the shard is the whole. -1 and err: memory is short, or the objective
 * is none of the task. */
int shard_mark(bool *ours, const struct shard *shard, const struct plan *plan,
               const struct dataset *data, struct err *err);

#endif
