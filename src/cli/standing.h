/* What the database has of a sweep when a run begins, for the best so far: the leaderboard ranks
 * all of it, also trials and configurations that this run's plan has not. */
#ifndef CLI_STANDING_H
#define CLI_STANDING_H

#include "cli/progress.h"
#include "store/store.h"

/* Tell progress, whose plan has been registered. known: of that plan. -1 and err. */
int standing_tell(struct progress *progress, struct store *store, const struct store_trials *known,
                  struct err *err);

#endif
