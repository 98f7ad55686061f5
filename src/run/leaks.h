/* SPDX-License-Identifier: BSD-3-Clause */
/* Features and samples that give the answer away: features that are the target
 * (data/core/target_leaks.h), and samples with the same markers on both sides of a split, so that a
 * model is tested on what it has seen in training.
 */
#ifndef RUN_LEAKS_H
#define RUN_LEAKS_H

#include "base/buf.h"
#include "run/job.h"

/* One warning of each kind where there are such. Samples are compared in genotypes alone, for other
 * features may be alike. The job has a plan. -1 and err when memory is short. */
int leaks_warn(struct job *job, struct err *err);

/* Append the same for `inspect`, with names. */
int leaks_put(struct buf *out, struct job *job, struct err *err);

#endif
