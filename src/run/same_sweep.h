/* Whether a run goes on with the sweep of its name, or must not. */
#ifndef RUN_SAME_SWEEP_H
#define RUN_SAME_SWEEP_H

#include "base/err.h"
#include "run/job.h"
#include "store/store.h"

/* A database that holds a part of a sweep looks like a whole one to whoever asks it. */

/* Say on stderr of which sweeps (only: this one, or NULL for all) the file holds a part: one shard,
 * or some of them merged. */
int incomplete_note(struct store *store, const char *only, struct err *err);

/* Before a job is registered: CLI_GO_ON where it goes on with the database's sweep, there is none,
 * or new_sweep makes that one NAME#1. Otherwise prints what is not the same and what to do, and
 * returns EXIT_USAGE (or, after a fault of the database, EXIT_ERROR). */
int same_sweep_check(struct store *store, const char *db, const struct job *job, bool new_sweep);

/* The same question of a command that runs nothing: warns, and says in *is_same whether the trials
 * of the database are those of the job. -1 and err. */
int same_sweep_warn(bool *is_same, struct store *store, const char *db, const struct job *job,
                    struct err *err);

#endif
