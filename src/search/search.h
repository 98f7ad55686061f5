/* SPDX-License-Identifier: BSD-3-Clause */
/* A search: configurations are proposed, run in stages, and stopped, in steps. A step ends when all its trials
 * have ended; then the next is decided from their scores alone, so the steps are the same for any number of
 * ranks, after any kill, and when they are replayed. Pure.
 *
 *     propose, run stage 0     again and again, as long as the proposer has more
 *     decide, run stage 1      for those that are left
 *     decide, run stage 2      ... */
#ifndef SEARCH_SEARCH_H
#define SEARCH_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "grid/plan.h"
#include "search/proposer.h"

struct search;

#define SEARCH_ACTIONS(X) X(PROPOSE, "propose") X(KEEP, "keep") X(STOP, "stop")

enum search_action {
#define SEARCH_ACTION(id, name) SEARCH_##id,
    SEARCH_ACTIONS(SEARCH_ACTION)
#undef SEARCH_ACTION
        SEARCH_ACTION_COUNT
};

const char *search_action_name(enum search_action action);

struct search_decision {
    int32_t step;   /* from 1 */
    int32_t config; /* of the plan, from 0 */
    enum search_action action;
    int32_t rung; /* halving: the rung that was reached, race: trials that had run; 0: none */
    double value, threshold; /* NaN: none */
};

/* Where the scores come from. */
struct search_scores {
    /* The score of a trial at the end of its stage: larger is better; -INFINITY: failed or diverged; NaN: it has
     * no value. rung: of the stage. */
    double (*score)(void *arg, int64_t trial, int32_t rung);
    /* Core-seconds of a trial so far. NaN: unknown. */
    double (*seconds)(void *arg, int64_t trial);
    void *arg;
};

/* -1 and err: the allocator does not suit the plan: why, what is allowed, and what to do. */
int search_check(const struct plan *plan, struct err *err);

/* True if the sweep's settings ask for one: else all trials of the plan run at once. */
bool search_is_wanted(const struct settings *fixed);

/* plan and proposing are borrowed; rows of an adaptive proposer are appended to the plan. NULL and err: memory is
 * short. */
struct search *search_create(struct plan *plan, const struct proposing *proposing, struct err *err);
void search_destroy(struct search *search);

/* Begin the next step, after all trials of the last have ended. 1: it has trials to run; 0: the search is over;
 * -1 and err. */
int search_next(struct search *search, const struct search_scores *scores, struct err *err);

/* True if a trial belongs to the step. */
bool search_runs(const struct search *search, int64_t trial);
/* Its rung: trials of the step run so far (settings_rung_epochs()). */
int32_t search_rung(const struct search *search);
/* The share of a trial's epochs that the step runs, of trials that have waited at the rung before. */
double search_share(const struct search *search);

/* LEFT: the configuration runs, or has run to its end. */
enum search_fate { SEARCH_UNPROPOSED, SEARCH_LEFT, SEARCH_STOPPED };
enum search_fate search_fate(const struct search *search, int32_t config);

/* All decisions so far; borrowed until the next call of search_next(). */
const struct search_decision *search_decisions(const struct search *search, int64_t *n);

/* The share of the cost of all trials that a search is expected to take. each: trials of a configuration. */
double search_expected_share(const struct settings *fixed, int32_t each);

/* The most trials that may run, and how many epochs, in units of full trials: the cost at most, and expected. */
struct search_cost {
    double most, expected;
};
struct search_cost search_cost(const struct plan *plan);

#endif
