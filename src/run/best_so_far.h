/* What the database has of a sweep when a run begins, for the best so far: the leaderboard ranks
 * all of it, also trials and configurations that this run's plan has not. */
#ifndef RUN_BEST_SO_FAR_H
#define RUN_BEST_SO_FAR_H

#include "run/progress.h"
#include "store/store.h"

/* Tell progress, whose plan has been registered. known: of that plan. -1 and err. */
int best_so_far_read(struct progress *progress, struct store *store,
                     const struct store_trials *known, struct err *err);

#endif
