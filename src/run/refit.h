/* SPDX-License-Identifier: BSD-3-Clause */
/* Missing models at the end of a sweep: the best configuration, or the choice of --rule 1se, may
 * have been chosen late, or have run when no models were kept. Its trials without a model are
 * trained once more; stored results and attempts do not change (doc/decisions/0029). */
#ifndef RUN_REFIT_H
#define RUN_REFIT_H

#include "data/core/dataset.h"
#include "grid/plan.h"
#include "store/store.h"

struct refit_config {
    int64_t id;
    bool is_best; /* false: chosen only by --rule 1se */
    int64_t n_due;
};

struct refit {
    bool *is_due;  /* [n_trials] to train again; NULL: not determined yet */
    double *value; /* [n_trials] stored score */
    int64_t n_due;
    struct refit_config configs[2];
    int n_configs;
    bool has_warned;
};

enum { REFIT_TEXT = 128 };

/* "c3 is the best, and 4 of its trials have no model" */
const char *refit_text(char out[REFIT_TEXT], const struct refit_config *config);

void refit_release(struct refit *refit);

/* Read the store with its uncommitted changes. Skips trials whose model is too large to keep. */
int refit_find(struct refit *refit, struct store *store, const struct plan *plan,
               const struct dataset *data, const struct store_trials *known, struct err *err);

/* False if no configuration of the plan has a model that is kept. */
bool refit_has_models(const struct plan *plan, const struct dataset *data);

/* Count done trials without a model that would have one if they ran now. */
int refit_count_without(int64_t *n, struct store *store, const struct plan *plan,
                        const struct dataset *data, const struct store_trials *known,
                        struct err *err);

bool refit_has(const struct refit *refit, int64_t trial);

/* Store the model if the score equals the stored one; otherwise warn once. */
int refit_take(struct refit *refit, struct store *store, int64_t trial_id,
               const struct trial_result *result, struct err *err);

#endif
