/* A proposed sweep and the time it may take. */
#ifndef CLI_INIT_FIT_H
#define CLI_INIT_FIT_H

#include "cli/init_propose.h"
#include "cli/job.h"

/* Shrink the proposal until its core-seconds are within the budget, or nothing is left to take
 * away.
 *   seconds  out  what it takes then: more than the budget where that is too small
 *   job      in   planned from the whole proposal; some of its configurations are tried for a
 *                 moment, as `plan` does
 * -1 and err when memory is short. */
int init_fit(struct proposal *p, double *seconds, struct job *job, double budget_s,
             struct err *err);

#endif
