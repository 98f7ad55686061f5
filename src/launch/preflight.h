/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks a launch for a sweep before `run` reads any data, from what the ranks see (rank_info.h)
 * and the checks on it (checks.h). */
#ifndef LAUNCH_PREFLIGHT_H
#define LAUNCH_PREFLIGHT_H

#include "grid/sweep.h"
#include "launch/checks.h"

/* The most threads that a trial of the sweep uses. */
int32_t preflight_threads(const struct sweep *sweep);

/* Fill job. sweep: NULL if unknown. Borrows db. */
void preflight_job(struct checks_job *job, const struct sweep *sweep, const char *db);

/* False if the user switched the checks off (ESPALIER_CHECKS=off). */
bool preflight_is_on(void);

#endif
