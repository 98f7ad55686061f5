/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a trial that left nothing in it, for the next trial of this rank: two renames cost
 * a fifth of making and removing three folders. */
#ifndef TRIAL_SPARE_FOLDER_H
#define TRIAL_SPARE_FOLDER_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "program/folder.h"

/* Its name begins so. A killed rank leaves it; no session needs it. */
#define SPARE_FOLDER "spare."

/* A zeroed struct keeps nothing. */
struct spare_folder {
    struct buf path;
    bool is_there;
    bool knows;             /* how an empty folder looks when it is new */
    struct folder_look new; /* thus */
};

/* files: the folder of all trials; it need not exist. */
int spare_folder_init(struct spare_folder *s, const char *files, struct err *err);
void spare_folder_release(struct spare_folder *s);

/* Make it the folder of a trial, with two empty folders in it. False: there is none, or the trial
 * has a folder already. */
bool spare_folder_take(struct spare_folder *s, const char *folder);

/* `inner` was just made in the folder of a trial. */
void spare_folder_note(struct spare_folder *s, const char *inner);

/* Keep a folder that is as new: the two folders in it are empty, and nothing else is there. False:
 * it is not, and stays. */
bool spare_folder_keep(struct spare_folder *s, const char *folder, const char *first,
                       const char *second);

#endif
