/* SPDX-License-Identifier: BSD-3-Clause */
/* Models that the best configuration, or the one that --rule 1se chooses, lacks when its sweep
 * ends: it has come to be chosen by a trial that was run again or by a replicate that came later,
 * or ran when no models were kept. Its trials without one are trained once more (equal key, equal
 * bits) for their models alone: they stay as they are, with the attempts they had
 * (doc/decisions/0029). */
#ifndef RUN_REFIT_H
#define RUN_REFIT_H

#include "data/core/dataset.h"
#include "grid/plan.h"
#include "store/store.h"

/* One that is chosen. */
struct refit_config {
    int64_t id;
    bool is_best; /* else the choice of --rule 1se alone */
    int64_t n_due;
};

struct refit {
    bool *is_due;  /* [n_trials] NULL: nobody has looked yet */
    double *value; /* [n_trials] what a trial that is due has scored */
    int64_t n_due;
    struct refit_config configs[2]; /* theirs */
    int n_configs;
    bool has_warned;
};

enum { REFIT_TEXT = 128 };

/* "c3 is the best, and 4 of its trials have no model" */
const char *refit_text(char out[REFIT_TEXT], const struct refit_config *config);

void refit_release(struct refit *refit); /* takes a zeroed one */

/* Which trials of the plan are due, by what the store holds, also what is not committed. known: of
 * the plan. Those that have no model by right (too large a one) are not. -1 and err. */
int refit_find(struct refit *refit, struct store *store, const struct plan *plan,
               const struct dataset *data, const struct store_trials *known, struct err *err);

/* How many trials of the plan are done and have no model, but would have one were they run now. */
int refit_count_without(int64_t *n, struct store *store, const struct plan *plan,
                        const struct dataset *data, const struct store_trials *known,
                        struct err *err);

bool refit_has(const struct refit *refit, int64_t trial);

/* The result of a trial that was due: its model is put into the store if it is that of the scores
 * there. Otherwise one warning. -1 and err of the store. */
int refit_take(struct refit *refit, struct store *store, int64_t trial_id,
               const struct trial_result *result, struct err *err);

#endif
