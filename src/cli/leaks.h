/* Features and samples that give the answer away: features that are the target (data/proxies.h),
 * and samples with the same markers on both sides of a split, so that a model is tested on what it
 * has seen in training.
 */
#ifndef CLI_LEAKS_H
#define CLI_LEAKS_H

#include "cli/job.h"

/* One warning of each kind where there are such. Samples are compared in genotypes alone, for other
 * features may be alike. The job has a plan. -1 and err when memory is short. */
int leaks_warn(struct job *job, struct err *err);

/* The same for `inspect`, on stdout, with names. */
int leaks_print(struct job *job, struct err *err);

#endif
