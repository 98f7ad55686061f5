/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a launch is fit for a sweep: what the ranks see (rank_info.h) and the checks of it
 * (checks.h), before `run` reads any data. */
#ifndef LAUNCH_PREFLIGHT_H
#define LAUNCH_PREFLIGHT_H

#include "grid/sweep.h"
#include "launch/checks.h"

/* The most threads that a trial of the sweep uses. */
int32_t preflight_threads(const struct sweep *sweep);

/* sweep is NULL where it is not known. Borrows db. */
void preflight_job(struct checks_job *job, const struct sweep *sweep, const char *db);

/* Whether the user has not switched the checks off (ESPALIER_CHECKS=off). */
bool preflight_is_on(void);

#endif
