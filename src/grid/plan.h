/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbered trials of a sweep.
 *
 * Points follow the axes in row-major order as they stand in the file, the last axis fastest. The
 * plan drops points that `where` refuses. It also drops points that train the same model as an
 * earlier point, because they differ only in settings that do not apply to their model type
 * (settings_has). The remaining points are configurations 0 .. n_configs - 1. Each configuration
 * has replicates, and each replicate has folds:
 *
 *   trial = (config * replicates + replicate) * max(folds, 1) + fold */
#ifndef GRID_PLAN_H
#define GRID_PLAN_H

#include "base/buf.h"
#include "grid/sweep.h"

#define PLAN_MAX_POINTS 10000000  /* plan_init() refuses a larger grid as a mistake */
#define PLAN_MAX_TRIALS 100000000 /* likewise, counting replicates and folds */

/* A filter on points. keep() returns 1 to keep a point, 0 to drop it, -1 and err on failure. NULL:
 * keep all. */
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
    int32_t n_repeats; /* points dropped because a kept point trains the same model */
};

struct plan_trial {
    int32_t config;
    int32_t replicate;
    int32_t fold;
};

/* Make the plan; pair with plan_release(). Returns -1 and err if there are too many points (err
 * gives the count; no memory is allocated), if the predicate fails, or if no point is left. */
int plan_init(struct plan *plan, const struct sweep *sweep, const struct predicate *predicate,
              struct err *err);
void plan_release(struct plan *plan);

/* Append "6 configurations x 1 replicate x 5 folds = 30 trials". */
void plan_put_size(struct buf *out, const struct plan *plan);

struct plan_trial plan_trial(const struct plan *plan, int64_t trial);

/* The settings of a configuration: the fixed settings and its values of the axes, trimmed to the
 * model type (settings_trim). */
void plan_settings(const struct plan *plan, int32_t config, struct settings *out);

/* The settings of the first configuration whose model type has setting `id`, or of the last
 * configuration if there is none. */
void plan_settings_with(const struct plan *plan, enum param_id id, struct settings *out);

/* The settings of the first configuration whose model type has a later revision
 * (settings_revision()), or of the last configuration if there is none. */
void plan_settings_revised(const struct plan *plan, struct settings *out);

/* A plan as bytes. With it every rank makes the same plan without reading the sweep file, the
 * environment or the `where` expression again. */

void plan_pack(struct buf *out, const struct plan *plan);

/* Fill plan and sweep; plan borrows sweep. PATH settings are not sent and come back empty, since
 * the data travel as a block. TEXT settings are sent, since kept models contain some
 * (trial/kept.h). Returns -1 and err for a message from another version or a truncated one. Pair
 * with plan_release() and sweep_release(). */
int plan_unpack(struct plan *plan, struct sweep *sweep, struct cursor *in, struct err *err);

/* Settings without effect beside the others: momentum under adam, k without knn. */

/* Count the configurations in which an axis has no effect. They differ from others only in their
 * random numbers, so ranking them ranks chance. */
int32_t plan_count_idle(const struct plan *plan, const struct axis *axis);

/* Count the configurations whose batch normalisation sees one row at a time, which it turns into
 * zeros: batch_size = 1, and no edge that adds rows. They learn only from their biases. */
int32_t plan_count_one_row(const struct plan *plan);

/* Append why the plan drops repeats: "k and metric do nothing for mlp", one part for each model
 * type that lacks axes with more than one value. */
void plan_put_repeats(struct buf *out, const struct plan *plan);

/* Append, in the same words, the fixed settings that were given although no model type of the sweep
 * has them. Appends nothing if there are none. */
void plan_put_strays(struct buf *out, const struct plan *plan);

#endif
