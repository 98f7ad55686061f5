/* SPDX-License-Identifier: BSD-3-Clause */
/* The numbered trials of a sweep. A configuration is its values: a row with a value for each axis,
 * made by a proposer (grid/grid_rows.h). Configurations 0 .. n_configs - 1 have replicates, and these
 * have folds:
 *
 *   trial = (config * replicates + replicate) * max(folds, 1) + fold */
#ifndef GRID_PLAN_H
#define GRID_PLAN_H

#include "base/buf.h"
#include "grid/grid_rows.h"
#include "grid/sweep.h"

#define PLAN_MAX_TRIALS 100000000 /* more are refused as a mistake */

struct plan {
    const struct sweep *sweep; /* borrowed */
    struct settings fixed;     /* its settings, resolved; those of axes count for nothing */
    int32_t n_configs; /* at most; rows.n are known, and those behind them repeat the first */
    int32_t replicates;
    int32_t folds; /* at least 1 */
    int64_t n_trials;
    struct grid_rows rows; /* owned */
};

struct plan_trial {
    int32_t config;
    int32_t replicate;
    int32_t fold;
};

/* Pair with plan_release(). -1 and err: as grid_rows_make(), or too many trials. The rows are those of the
 * grid. */
int plan_init(struct plan *plan, const struct sweep *sweep, const struct settings *fixed,
              const struct predicate *predicate, struct err *err);
/* Take over rows of any proposer, of which at most n_configs will be known. Frees rows->v also on -1. */
int plan_init_rows(struct plan *plan, const struct sweep *sweep, const struct settings *fixed,
                   struct grid_rows *rows, int32_t n_configs, struct err *err);
void plan_release(struct plan *plan);

/* Append "6 configurations x 1 replicate x 5 folds = 30 trials" */
void plan_put_size(struct buf *out, const struct plan *plan);

struct plan_trial plan_trial(const struct plan *plan, int64_t trial);

/* The most ranks that run one trial. */
int32_t plan_widest(const struct plan *plan);

/* The fixed settings and the configuration's values, trimmed to the model type. */
void plan_settings(const struct plan *plan, int32_t config, struct settings *out);

/* The number of the configuration's value among those of an axis; -1: it has none, or the axis is a range. */
int32_t plan_level(const struct plan *plan, int32_t config, size_t axis);

/* Those of the first configuration whose model type has setting `id`, or else of the last. */
void plan_settings_with(const struct plan *plan, enum param_id id, struct settings *out);

/* Other ranks lack the sweep file, the environment and the `where` expression. */

void plan_pack(struct buf *out, const struct plan *plan);

/* Fill plan and sweep, which is given what the plan has; plan borrows sweep. PATH settings come back empty. -1 and err: the message
 * is truncated or from another version. Pair with plan_release() and sweep_release(). */
int plan_unpack(struct plan *plan, struct sweep *sweep, struct cursor *in, struct err *err);

/* Rows from `first` on, for other ranks, which take them at the same place. -1: damaged, too many, or out of memory. */
void plan_pack_rows(struct buf *out, const struct plan *plan, int32_t first);
int plan_take_rows(struct plan *plan, struct cursor *in);

/* True if other values of a setting would train the same model. A setting that
 * the model type lacks is not idle: it distinguishes no configurations. */
bool plan_setting_is_idle(const struct settings *s, enum param_id id);

/* Configurations in which an axis has no effect, and that differ from others only in such axes:
 * ranking them ranks chance. 0 if memory is short. */
int32_t plan_count_idle(const struct plan *plan, size_t axis);

/* Append why points were dropped, for each model type: "k and metric do nothing for mlp". */
void plan_put_repeats(struct buf *out, const struct plan *plan);

/* Append the values of axes that `where` leaves to no configuration: "k = 3, 5; layers = 2". */
void plan_put_emptied(struct buf *out, const struct plan *plan);

/* Append the axes whose condition holds for no configuration: "m, if opt = 'SGD'". */
void plan_put_unmet(struct buf *out, const struct plan *plan);

/* Append the settings of [search] that were given but that its methods do not use: "eta and rungs do nothing with
 * propose = grid and allocate = race". */
void plan_put_unused(struct buf *out, const struct plan *plan);

/* As plan_put_repeats() for fixed settings that were given but that no model type of the sweep has. */
void plan_put_strays(struct buf *out, const struct plan *plan);

#endif
