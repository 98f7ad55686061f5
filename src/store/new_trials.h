/* Trials that are registered, written many at once: a statement of 16 takes two thirds of the time
 * of 16 statements. Internal to src/store. */
#ifndef STORE_NEW_TRIALS_H
#define STORE_NEW_TRIALS_H

#include "store/db.h"

enum { TRIALS_AT_ONCE = 16 }; /* STATEMENT_TRIAL_INSERT_16 */

struct new_trial {
    int64_t trial_id, config_id;
    int32_t replicate, fold;
    char key[HASH_HEX_SIZE];
};

struct new_trials {
    int64_t last_id; /* the largest in the file, these included; -1 at first: unknown */
    int n;           /* that wait */
    struct new_trial of[TRIALS_AT_ONCE];
};

/* Add a trial, whose number is chosen and given back in trial_id: one above the largest there is.
 * It is in the file after new_trials_flush() at the latest. Inside one transaction of a writer. -1
 * and err: the database does not take it, or no number is left. */
int new_trials_add(struct new_trials *trials, struct store *store, const struct new_trial *trial,
                   int64_t *trial_id, struct err *err);
int new_trials_flush(struct new_trials *trials, struct store *store, struct err *err);

#endif
