/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of a trial from what a program reported. */
#ifndef TRIAL_PROGRAM_RESULT_H
#define TRIAL_PROGRAM_RESULT_H

#include "program/report.h"
#include "trial/result.h"

/* Take over what program_report_finish() found: state DONE, or DIVERGED with a reason if the objective
 * is not finite. -1 and err: out of memory. */
int program_result_take(struct trial_result *r, struct program_report *report,
                        const char *objective, struct err *err);

/* Take over the curve and the last values that a trial reported before it failed or was stopped; its
 * value is not set. Does nothing if program_result_take() was called. */
void program_result_take_failed(struct trial_result *r, struct program_report *report,
                                const char *objective);

#endif
