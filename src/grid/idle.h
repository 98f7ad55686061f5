/* Settings that do nothing beside the others: momentum under adam, k without knn. */
#ifndef GRID_IDLE_H
#define GRID_IDLE_H

#include "grid/plan.h"

/* Whether another value of the setting would train the same model, as far as settings tell. s must
 * be resolved (settings_resolve). Settings that the type of model has not are not idle: they never
 * tell two configurations apart. */
bool setting_is_idle(const struct settings *s, enum param_id id);

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
