/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaks of the target: features that are the target (data/core/target_leaks.h), and samples with
 * the same markers on both sides of a split. */
#ifndef RUN_LEAKS_H
#define RUN_LEAKS_H

#include "base/buf.h"
#include "run/job.h"

/* Print one warning for each kind. Only genotypes are compared: other features may be equal by
 * nature. The job must have a plan. */
int leaks_warn(struct job *job, struct err *err);

/* Append the leaks with names, for `inspect`. */
int leaks_put(struct buf *out, struct job *job, struct err *err);

#endif
