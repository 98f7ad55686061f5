/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a program that outlive its trial ([program] keep_files). */
#ifndef TRIAL_PROGRAM_FILES_H
#define TRIAL_PROGRAM_FILES_H

#include "program/log_tail.h"
#include "trial/result.h"
#include "trial/spare_folder.h"

/* Link or copy files, by a list of names, from the scratch folder to the trial's; add them to r. A
 * file that is missing is noted in the log. -1 and err. */
int program_files_keep(struct trial_result *r, struct log_tail *log,
                       const struct trial_paths *paths, const char *list, struct err *err);

#endif
