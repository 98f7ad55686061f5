/* SPDX-License-Identifier: BSD-3-Clause */
/* Widths: on how many ranks the pending trials of each group will run (doc/decisions/0055).
 *
 * - A program runs on exactly its ranks.
 * - A training with a fixed number of ranks runs on fewer if fewer are alive.
 * - If the scheduler may choose: while there is much work for each rank, a trial runs on one rank,
 *   or on the fewest on which it ends with the others. Once few trials are pending, widths are
 *   chosen so that all end early (sched/allot.h).
 *
 * Widths never change numbers. Those of running trials never change. Part of dispatch; pure. */
#ifndef SCHED_ELASTIC_H
#define SCHED_ELASTIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sched/allot.h"
#include "sched/cost.h"
#include "sched/ledger.h"
#include "sched/speedup.h"

/* How many ranks may run a trial of a group. */
struct elastic_rule {
    int32_t fewest, most;   /* programs: equal */
    bool is_chosen;         /* any number between them; false: most, or as many as are alive */
    struct speedup speedup; /* the cost model has the seconds on one rank; programs: zero, and it
                             * has those on their ranks */
};

struct elastic {
    struct ledger *ledger;
    const struct cost *cost;
    struct elastic_rule *rules; /* [n_groups] */
    struct allot allot;
    int32_t n_alive;
    int32_t widest;   /* most ranks of rules with fewest < most; 0: there are none */
    bool has_chosen;  /* a rule has is_chosen */
    int64_t n_before; /* finished trials at the beginning */
    int64_t n_chosen; /* at the last choice */
    bool is_stale;    /* the number of live ranks has changed since */
};

/* Set all widths: fixed ones, or the fewest. rules: [n_groups] copied; ledger and cost are borrowed.
 * per_host: ranks of the largest host. */
struct elastic *elastic_create(struct ledger *ledger, const struct cost *cost,
                               const struct elastic_rule *rules, int32_t n_ranks, int32_t per_host,
                               struct err *err);
void elastic_destroy(struct elastic *elastic);

/* Return the expected seconds of one trial of a group on so many average ranks. */
double elastic_seconds(const struct elastic *elastic, int32_t group, int32_t ranks);
/* Return what the cost model should learn from the seconds of a trial; NaN: nothing. ranks: on which
 * it ran; 0: unknown. */
double elastic_one_s(const struct elastic *elastic, int32_t group, double seconds, int32_t ranks);

/* The number of live ranks has changed. O(groups) if some width depends on it. */
void elastic_set_alive(struct elastic *elastic, int32_t n_alive);

/* True if widths should be chosen again: an 8th of what is pending has ended, or, while seconds are
 * learnt, as many trials as before the last choice. O(1). */
bool elastic_is_due(const struct elastic *elastic);
/* True if so few trials are pending that elastic_choose() needs elastic->allot.free. O(1). */
bool elastic_is_end(const struct elastic *elastic, double each_s);
/* Choose widths and set expected seconds; true if a width has changed.
 *
 *   each_s  seconds of work left for each rank
 *   most_s  no trial should take longer; INFINITY: any time */
bool elastic_choose(struct elastic *elastic, double each_s, double most_s);

int elastic_check(const struct elastic *elastic, struct err *err);

#endif
