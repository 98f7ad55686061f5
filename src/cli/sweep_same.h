/* Whether a run goes on with the sweep of its name, or must not. */
#ifndef CLI_SWEEP_SAME_H
#define CLI_SWEEP_SAME_H

#include "cli/job.h"

/* Before a job is registered: CLI_GO_ON where it goes on with the database's sweep, there is none,
 * or new_sweep makes that one NAME#1. Otherwise prints what is not the same and what to do, and
 * returns EXIT_USAGE (or, after a fault of the database, EXIT_ERROR). */
int sweep_same(struct store *store, const char *db, const struct job *job, bool new_sweep);

/* The same question of a command that runs nothing: warns, and says in *is_same whether the trials
 * of the database are those of the job. -1 and err. */
int sweep_same_warn(bool *is_same, struct store *store, const char *db, const struct job *job,
                    struct err *err);

#endif
