/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of allocators: how much of each configuration runs. One row and one file (allocate_NAME.c) for each;
 * no other code names one. Pure functions of scores.
 *
 * An allocation has stages. In stage s, each configuration that is left runs some of its trials, in their order
 * (replicate, then fold), up to a rung: the share of a trial's epochs at which it waits for a decision. After
 * each stage but the last, configurations are stopped.
 *
 * Example: halving with three rungs has the stages (all folds, epochs / 9), (all folds, epochs / 3) and (all
 * folds, to the end); a race over 5 folds has (folds 1 and 2), (fold 3), (fold 4), (fold 5), each to the end. */
#ifndef SEARCH_ALLOCATOR_H
#define SEARCH_ALLOCATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "grid/settings.h"

struct search_stage {
    int32_t end;  /* trials 0 .. end - 1 of a configuration have run after it */
    int32_t rung; /* for settings_rung_epochs(); SETTINGS_LAST_RUNG: to the end */
};

/* Input and output of the decision after a stage. */
struct allocation {
    const struct settings *fixed;
    int32_t n, each;    /* configurations; trials of each */
    int32_t stage, end; /* that ended; trials of each that have run */
    const double
        *scores;   /* (n, each) larger is better; -INFINITY: failed or diverged; NaN: no value */
    bool *is_left; /* [n] in: those that ran in this stage; out: those that run in the next */
    double *
        value; /* [n] out, for those that ran: what was compared (halving: the mean score; race: minus
                             the mean difference to the best), */
    double *threshold; /* [n] and the least value with which a configuration is kept */
};

struct allocator {
    const char *name;  /* choice of search.allocate */
    bool looks_at_all; /* its decisions compare all configurations */
    bool has_rungs;    /* its stages end at shares of a trial's epochs */

    /* NULL, all five: every trial runs to its end. */
    int32_t (*n_stages)(const struct settings *fixed, int32_t each);
    struct search_stage (*stage)(const struct settings *fixed, int32_t each, int32_t stage);
    /* -1 and err: memory is short. */
    int (*decide)(const struct allocation *allocation, struct err *err);
    /* The expected share of the cost of all trials. */
    double (*expected_share)(const struct settings *fixed, int32_t each);
    /* -1 and err: why these settings do not suit, what is allowed, and what to do. epochs: of a trial, the
     * fewest; 0: the model type has none. */
    int (*check)(const struct settings *fixed, int32_t n, int32_t each, int64_t epochs,
                 struct err *err);

    /* For reports; NULL if nothing is stopped. */
    /* Append the rule for a paper: "by successive halving ...". each: trials of a configuration. */
    void (*describe)(struct buf *out, const struct settings *fixed, int32_t each);
    const char *references[4]; /* of this text; then NULL */
    const char *against;       /* to which the others are compared: "the best one so far" */
    /* How many standard errors of the paired difference to it a configuration may lie behind at a rung. */
    double (*allowed)(const struct settings *fixed, int32_t each, int32_t rung);
    const char *doubt; /* how far a reader may trust that the best one was not stopped: sentences */
};

const struct allocator *allocator_of(const struct settings *fixed);
int32_t allocator_n_stages(const struct settings *fixed, int32_t each);
struct search_stage allocator_stage(const struct settings *fixed, int32_t each, int32_t stage);
/* The share of a full trial that a stage runs, of a trial that has waited at the rung before. */
double allocator_share(const struct settings *fixed, int32_t each, int32_t stage);

#endif
