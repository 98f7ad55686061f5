/* SPDX-License-Identifier: BSD-3-Clause */
/* The folder of a trial that left nothing in it, for the next trial of this rank: two renames and a
 * truncated file cost a fifth of making and removing three folders and a file. */
#ifndef TRIAL_SPARE_FOLDER_H
#define TRIAL_SPARE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "program/folder.h"

/* Names begin so. Killed ranks leave them; no session needs them. */
#define SPARE_FOLDER "spare." /* among the folders of trials */

/* scratch contains results, which is a file; folder contains scratch and checkpoint. */
struct trial_paths {
    const char *folder, *scratch, *results, *checkpoint;
};

/* A zeroed struct keeps nothing. */
struct spare_folder {
    struct buf path;
    bool is_there;
    bool knows; /* how they look when they are new: */
    struct folder_look scratch, checkpoint;
    uint32_t file_mode;
};

/* files: the folder of all trials; it need not exist. */
int spare_folder_init(struct spare_folder *s, const char *files, struct err *err);
void spare_folder_release(struct spare_folder *s);

/* Make it the folder of a trial, with all its paths. False: there is none, or the trial has a folder
 * already. */
bool spare_folder_take(struct spare_folder *s, const char *folder);

/* All was just made; checkpoint may be older. */
void spare_folder_note(struct spare_folder *s, const struct trial_paths *paths);

/* Keep a folder in which nothing is left but an ordinary results file, which is emptied. False: the
 * folder stays. */
bool spare_folder_keep(struct spare_folder *s, const struct trial_paths *paths);

#endif
