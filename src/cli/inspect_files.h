/* SPDX-License-Identifier: BSD-3-Clause */
/* The files that `inspect` writes, as CSV with a header. Each function returns -1 and err as
 * cli_save() does, or for the reason given. */
#ifndef CLI_INSPECT_FILES_H
#define CLI_INSPECT_FILES_H

#include "cli/print/inputs.h"
#include "run/job.h"

/* id,file,resembles: each unmatched id, its file, and an unmatched id of the other file that
 * resembles it (data/core/resemblance.h). */
int inspect_save_unmatched(const char *path, const struct data_unmatched *unmatched,
                           const struct given *given, const struct inputs *inputs, struct err *err);

/* id,replicate,fold,part and, with groups, group: the part of each sample in each replicate and
 * fold. -1: a part is empty. */
int inspect_save_splits(const char *path, struct job *job, const struct settings *s,
                        const struct inputs *inputs, struct err *err);

/* set,id,both_sides,replicate,part: the samples that equal others (run/leaks.h). -1: samples of
 * this format are not compared. */
int inspect_save_duplicates(const char *path, struct job *job, const struct inputs *inputs,
                            struct err *err);

#endif
