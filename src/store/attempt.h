/* Rows of `attempt`: open while a trial runs, closed by what becomes of it. Internal to src/store.
 *
 * trial.attempts counts the rows; trial.state is 'running' while one is open and the trial has no
 * result of the session yet. */
#ifndef STORE_ATTEMPT_H
#define STORE_ATTEMPT_H

#include "store/store.h"

struct attempt {
    int64_t trial_id;
    struct store_place place;
    double started, finished; /* Unix seconds; started NaN: as the open row says */
    const char *outcome;      /* not 'running' */
    const char *error;        /* NULL: none */
};

/* The open attempt of a trial by a rank, in *open; 0: only other ranks have one; -1: none. */
int attempt_open(int64_t *open, struct store *store, int64_t trial_id, int32_t rank,
                 struct err *err);

/* Record how an attempt ended: in the row that attempt_open() has found, else in a new one (which
 * the caller counts). One without a result gives the trial back; a result ends what other ranks
 * have open of it: 'stopped'. */
int attempt_end(struct store *store, int64_t open, const struct attempt *attempt, struct err *err);

#endif
