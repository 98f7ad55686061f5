/* SPDX-License-Identifier: BSD-3-Clause */
/* The result of a trial of what its program reported. */
#ifndef TRIAL_PROGRAM_RESULT_H
#define TRIAL_PROGRAM_RESULT_H

#include "base/err.h"
#include "program/report.h"
#include "trial/result.h"

/* Take over what program_report_finish() found: state DONE, or DIVERGED with a reason if the objective
 * is not finite. -1 and err: out of memory. */
int program_result_take(struct trial_result *r, struct program_report *report,
                        const char *objective, struct err *err);

/* Take over the curve and the last values that a trial reported before it failed or was stopped; its
 * value is not set. Does nothing after program_result_take(). */
void program_result_take_unfinished(struct trial_result *r, struct program_report *report,
                                    const char *objective);

/* The number of reported epochs, which begin with 0 or 1. */
int64_t program_result_epochs(const int32_t *epochs, int32_t n);

/* Make r the result at a rung. is_cut: the program was stopped there, so its best value up to `until` epochs
 * counts; else the one that it ended with. */
void program_result_hold(struct trial_result *r, const struct settings *s, int64_t until,
                         bool is_cut);

#endif
