/* SPDX-License-Identifier: BSD-3-Clause */
/* The folders of trials beside a database, DB.files/t345: files that a program left and that are
 * kept (table `file`), and of an unfinished trial what it continues from (checkpoint/) and its output
 * so far (log). */
#ifndef STORE_TRIAL_FILES_H
#define STORE_TRIAL_FILES_H

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "store/store.h"

/* Append the folder of these folders as an absolute path: "/home/ann/r.db.files". */
void trial_files_put_absolute(struct buf *out, const char *db);

/* Append "DB.files/t345". */
void trial_files_put_folder(struct buf *out, const char *db, int64_t trial_id);

/* Remove, after a commit, the folders of store->dropped, and checkpoints, curves and times of
 * store->ended, and forget both. A folder that cannot be removed stays until
 * store_remove_leftovers(). Internal to src/store. */
void trial_files_remove_old(struct store *store);

/* Remove what processes of gangs wrote after the result of their trial was on disk. */
void trial_files_remove_gangs(struct store *store);

/* Append the id (int64_t) of each trial of which a program left a checkpoint. */
void trial_files_put_checkpoints(struct buf *out, const char *db);

/* The last epoch that a program reported in attempts before the current one, -1: unknown; and the
 * seconds of all attempts that it goes on from, 0: unknown. */
int32_t trial_files_epoch(const char *db, int64_t trial_id);
double trial_files_seconds(const char *db, int64_t trial_id);

/* Unix seconds of the last change of a program's checkpoint; 0: there is none. */
double trial_files_saved(const char *db, int64_t trial_id);

/* Link or copy a kept file to the folder of a trial of another database. 1: it does not exist. */
int trial_files_take(const char *to_db, int64_t to_id, const char *from_db, int64_t from_id,
                     const char *name, struct err *err);

#endif
