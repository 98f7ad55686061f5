/* SPDX-License-Identifier: BSD-3-Clause */
/* The trials of a sweep, numbered.
 *
 * Points are in row-major order of the axes as they stand in the file, the last axis fastest;
 * points that `where` refuses are left out, and of those that train the same model, since they
 * differ in settings alone that their type of model has not (settings_has), all but the first.
 * Those kept are configurations 0 .. n_configs - 1. Within a configuration replicates, within a
 * replicate folds: trial = (config * replicates + replicate) * max(folds, 1) + fold */
#ifndef GRID_PLAN_H
#define GRID_PLAN_H

#include "base/buf.h"
#include "grid/sweep.h"

#define PLAN_MAX_POINTS 10000000  /* a grid beyond this is a mistake; refused by count */
#define PLAN_MAX_TRIALS 100000000 /* likewise, replicates and folds included */

/* A filter on points: 1 keep, 0 leave out, -1 and err. NULL function: keep all. */
struct predicate {
    int (*keep)(void *arg, const struct sweep *sweep, const struct settings *point,
                struct err *err);
    void *arg;
};

struct plan {
    const struct sweep *sweep; /* borrowed */
    int32_t n_configs;
    int32_t replicates;
    int32_t folds; /* at least 1 */
    int64_t n_trials;
    int32_t *points;   /* [n_configs] owned: index in the full grid */
    int32_t n_repeats; /* points left out because one that is kept trains the same model */
};

struct plan_trial {
    int32_t config;
    int32_t replicate;
    int32_t fold;
};

/* Pair with plan_release(). -1 and err: too many points (with the count, before any memory is
 * taken), a predicate that fails, no point left. */
int plan_init(struct plan *plan, const struct sweep *sweep, const struct predicate *predicate,
              struct err *err);
void plan_release(struct plan *plan);

/* Append "6 configurations x 1 replicate x 5 folds = 30 trials". */
void plan_put_size(struct buf *out, const struct plan *plan);

struct plan_trial plan_trial(const struct plan *plan, int64_t trial);

/* The settings of a configuration: fixed ones with the axes' values put in, trimmed to the type of
 * model (settings_trim). */
void plan_settings(const struct plan *plan, int32_t config, struct settings *out);

/* Of the first configuration whose type of model has such a setting; where there is none, of the
 * last. */
void plan_settings_with(const struct plan *plan, enum param_id id, struct settings *out);

/* Of the first configuration whose type of model has a later revision (settings_revision()); where
 * there is none, of the last. */
void plan_settings_revised(const struct plan *plan, struct settings *out);

/* A plan as bytes, so that every rank expands the same one without reading the sweep file, the
 * environment or the `where` expression again. */

void plan_pack(struct buf *out, const struct plan *plan);

/* Fills both; plan borrows sweep. PATH settings are not sent (they come back empty): the data
 * travel as a block. Texts are, since kept models name some (trial/kept.h). -1 and err for a
 * message of another version or a truncated one. Pair with plan_release() and sweep_release(). */
int plan_unpack(struct plan *plan, struct sweep *sweep, struct cursor *in, struct err *err);

/* Settings that do nothing beside the others: momentum under adam, k without knn. */

/* Configurations in which an axis of the plan's sweep is idle: they differ from others by their
 * random numbers alone, and ranking them is ranking chance. */
int32_t plan_count_idle(const struct plan *plan, const struct axis *axis);

/* Configurations with batch normalisation that sees one row at a time, of which it leaves nothing:
 * batch_size = 1 where no edge brings others along. They learn from their biases alone. */
int32_t plan_count_one_row(const struct plan *plan);

/* Why the plan has repeats, out: "k and metric do nothing for mlp", a part for each type of model
 * that has not all of the axes with more than one value. */
void plan_put_repeats(struct buf *out, const struct plan *plan);

/* Fixed settings that were given and that no type of model of the sweep has, out, in the same
 * words; nothing where there are none. */
void plan_put_strays(struct buf *out, const struct plan *plan);

#endif
