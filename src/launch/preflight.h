/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of a launch for a sweep, before `run` reads any data. */
#ifndef LAUNCH_PREFLIGHT_H
#define LAUNCH_PREFLIGHT_H

#include "grid/sweep.h"
#include "launch/checks.h"
#include "launch/gpu_share.h"

int32_t preflight_threads(const struct sweep *sweep);

struct gpu_wish preflight_gpus(const struct sweep *sweep);

/* sweep: NULL if unknown. Borrows db. */
void preflight_job(struct checks_job *job, const struct sweep *sweep, const char *db);

bool preflight_is_on(void);

#endif
