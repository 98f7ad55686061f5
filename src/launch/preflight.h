/* Whether a launch is fit for what it is to run: facts.h and checks.h, for a sweep. */
#ifndef LAUNCH_PREFLIGHT_H
#define LAUNCH_PREFLIGHT_H

#include "grid/sweep.h"
#include "launch/launch_checks.h"

/* In the environment of rank 0, "off": `run` neither warns nor refuses. */
#define READY_VARIABLE "ESPALIER_CHECKS"

/* The most threads that a trial of the sweep uses. */
int32_t preflight_threads(const struct sweep *sweep);

/* sweep is NULL where it is not known. Borrows db. */
void preflight_job(struct checks_job *job, const struct sweep *sweep, const char *db);

/* Before `run` reads data: warn of what is wrong. facts: [n], NULL where they are not known.
 * CLI_GO_ON or, what is refused having been printed, an exit status. */
int preflight_run(const struct facts *facts, int32_t n, const struct checks_job *job);

#endif
