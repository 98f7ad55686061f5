/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether a sweep that fails is worth going on with. Fed with results, says when to stop; pure. */
#ifndef TRIAL_FAILURES_H
#define TRIAL_FAILURES_H

#include "trial/result.h"

/* So many in a row with one reason, and nothing that came through before: the cause is not in the
 * trials. Two could be the two ranks of a bad node. */
#define FAILURES_IN_A_ROW 3

enum failures_verdict {
    FAILURES_GO_ON,
    FAILURES_TOO_MANY, /* as many as the limit */
    FAILURES_ALL_ALIKE /* FAILURES_IN_A_ROW */
};

struct failures {
    int64_t limit;                 /* stop after so many; 0: never */
    bool has_succeeded;            /* a trial came through: it is done, or has diverged */
    int64_t n;                     /* failed trials */
    int32_t in_a_row;              /* of them, the last ones that are alike */
    int64_t trial;                 /* the last one; number in the plan */
    char reason[256];              /* its reason */
    enum failures_verdict verdict; /* stays once it says stop */
};

/* has_succeeded: the database knows of a trial that came through. */
void failures_init(struct failures *f, int64_t limit, bool has_succeeded);

/* A result of this run. Reasons are alike that differ in numbers only ("1.2 s", "1.3 s"). */
enum failures_verdict failures_note(struct failures *f, const struct trial_result *result);

#endif
