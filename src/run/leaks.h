/* SPDX-License-Identifier: BSD-3-Clause */
/* Leaks of the target: features that are the target (data/core/target_leaks.h), and samples with
 * the same markers on both sides of a split. */
#ifndef RUN_LEAKS_H
#define RUN_LEAKS_H

#include "base/buf.h"
#include "run/job.h"

/* Apply the rules of both kinds, and note the duplicates in the job, which has a plan. Only genotypes
 * and molecules are compared: other features may be equal by nature. */
int leaks_advise(struct job *job, struct err *err);

/* Append the leaks with names, for `inspect`. */
int leaks_put(struct buf *out, struct job *job, struct err *err);

/* A sample that equals others. */
struct leaks_member {
    int32_t set; /* from 1: samples of a set are equal */
    const char *id;
    bool is_apart;     /* the set is on two sides in a replicate that was examined, */
    int32_t replicate; /* the first such one, else 0 */
    const char *side;  /* "train", "fold 2", "no part" ... in this replicate; valid in the call */
};

typedef void leaks_visit(void *arg, const struct leaks_member *member);

/* Visit the members of all sets, set by set. -1 and err: samples of this format are not compared,
 * or no memory. */
int leaks_each_duplicate(struct job *job, leaks_visit *visit, void *arg, struct err *err);

#endif
