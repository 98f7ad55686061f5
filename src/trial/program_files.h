/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a program that outlive its trial ([program] keep_files). */
#ifndef TRIAL_PROGRAM_FILES_H
#define TRIAL_PROGRAM_FILES_H

#include "data/text/names.h"
#include "program/log_tail.h"
#include "trial/result.h"

/* Link or copy files, and all files in folders, by a list of names, from a folder to the trial's; add
 * them to r. A name without a file is noted in the log. -1 and err. */
int program_files_keep(struct trial_result *r, struct log_tail *log, const char *to,
                       const char *from, const char *list, struct err *err);

/* How many done trials did not write each file of a list: often a name is wrong. */
struct program_files_missing {
    struct names names;
    int64_t *trials;  /* [names.n] */
    int64_t *example; /* [names.n] smallest number among them */
};

int program_files_missing_init(struct program_files_missing *m, const char *list, struct err *err);
void program_files_missing_release(struct program_files_missing *m);
/* number: of the trial, for messages. */
void program_files_missing_note(struct program_files_missing *m, const struct trial_result *r,
                                int64_t number);

#endif
