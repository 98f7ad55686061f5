/* SPDX-License-Identifier: BSD-3-Clause */
/* Decides from results whether a failing sweep should stop; pure. */
#ifndef TRIAL_FAILURES_H
#define TRIAL_FAILURES_H

#include "trial/result.h"

/* Failures with one reason, before any success, that show a cause outside the trials: of trials of so
 * many configurations, since all folds of a bad one fail alike. Two could be the two ranks of a bad
 * node. */
#define FAILURES_IN_A_ROW 3

/* A limit that nobody has set: only failures that are all alike stop the sweep. */
#define FAILURES_ALIKE (-1)

enum failures_verdict {
    FAILURES_GO_ON,
    FAILURES_TOO_MANY,
    FAILURES_ALL_ALIKE /* FAILURES_IN_A_ROW configurations failed, or all if there are fewer */
};

struct failures {
    int64_t limit;      /* stop after this many; 0: never; or FAILURES_ALIKE */
    int32_t n_needed;   /* configurations that must fail alike */
    bool has_succeeded; /* a trial is done or has diverged */
    int64_t n;
    int32_t in_a_row;                   /* the last ones with similar reasons */
    int32_t configs[FAILURES_IN_A_ROW]; /* [n_configs] different ones of these */
    int32_t n_configs;
    int64_t trial;
    char reason[256];
    enum failures_verdict verdict; /* keeps the first verdict to stop */
};

/* Append a reason without its digits and points, since numbers differ between attempts ("1.2 s"). Reasons that differ in nothing else are one. */
void failures_stem(struct buf *out, const char *reason);

/* n_configs: of the sweep. has_succeeded: in an earlier run. */
void failures_init(struct failures *f, int64_t limit, int32_t n_configs, bool has_succeeded);

/* config: of the trial. */
enum failures_verdict failures_note(struct failures *f, int32_t config,
                                    const struct trial_result *result);

#endif
