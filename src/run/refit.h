/* SPDX-License-Identifier: BSD-3-Clause */
/* Missing models at the end of a sweep. The best configuration, or the choice of --rule 1se, lacks
 * models if a repeated trial or a later replicate made it the choice, or if it ran when no models
 * were kept. Its trials without a model are trained once more (equal key, equal bits), only for
 * their models: stored results and attempts do not change (doc/decisions/0029). */
#ifndef RUN_REFIT_H
#define RUN_REFIT_H

#include "data/core/dataset.h"
#include "grid/plan.h"
#include "store/store.h"

/* A chosen configuration. */
struct refit_config {
    int64_t id;
    bool is_best; /* false: chosen only by --rule 1se */
    int64_t n_due;
};

struct refit {
    bool *is_due;  /* [n_trials] trials to train again; NULL: not determined yet */
    double *value; /* [n_trials] stored score of each trial to train again */
    int64_t n_due;
    struct refit_config configs[2]; /* their configurations */
    int n_configs;
    bool has_warned;
};

enum { REFIT_TEXT = 128 };

/* Write "c3 is the best, and 4 of its trials have no model" to out and return it. */
const char *refit_text(char out[REFIT_TEXT], const struct refit_config *config);

void refit_release(struct refit *refit); /* accepts a zeroed one */

/* Find the trials to train again, by the store with its uncommitted changes. known: for the plan.
 * Skips trials whose model is too large to keep. */
int refit_find(struct refit *refit, struct store *store, const struct plan *plan,
               const struct dataset *data, const struct store_trials *known, struct err *err);

/* Count done trials without a model that would have one if they ran now. */
int refit_count_without(int64_t *n, struct store *store, const struct plan *plan,
                        const struct dataset *data, const struct store_trials *known,
                        struct err *err);

bool refit_has(const struct refit *refit, int64_t trial);

/* The result of a trial that was trained again: store its model if the score equals the stored one,
 * otherwise warn once. -1 and err from the store. */
int refit_take(struct refit *refit, struct store *store, int64_t trial_id,
               const struct trial_result *result, struct err *err);

#endif
