/* Samples with the same markers on both sides of a split: what a model is tested on, it has then
 * seen while it was trained. */
#ifndef CLI_LEAKS_H
#define CLI_LEAKS_H

#include "cli/job.h"

/* One warning where there are such; of genotypes alone, for other features are alike by right. The
 * job has a plan. -1 and err when memory is short. */
int leaks_warn(struct job *job, struct err *err);

/* The same for `inspect`, on stdout, with names. */
int leaks_print(struct job *job, struct err *err);

#endif
