/* What must hold between the settings of a sweep: what the table, which looks at one setting at a
 * time, cannot say. */
#ifndef GRID_REQUIREMENTS_H
#define GRID_REQUIREMENTS_H

#include "grid/plan.h"
#include "grid/sweep.h"

/* Settings that do nothing beside the others: momentum under adam, k without knn. */

/* Configurations in which an axis of the plan's sweep is idle: they differ from others by their
 * random numbers alone, and ranking them is ranking chance. */
int32_t requirements_count_idle(const struct plan *plan, const struct axis *axis);

/* Configurations with batch normalisation that sees one row at a time, of which it leaves nothing:
 * batch_size = 1 where no edge brings others along. They learn from their biases alone. */
int32_t requirements_count_one_row(const struct plan *plan);

/* Why the plan has repeats, out: "k and metric do nothing for mlp", a part for each type of model
 * that has not all of the axes with more than one value. */
void requirements_put_repeats(struct buf *out, const struct plan *plan);

/* Fixed settings that were given and that no type of model of the sweep has, out, in the same
 * words; nothing where there are none. */
void requirements_put_strays(struct buf *out, const struct plan *plan);

/* Part of sweep_parse(). Adds each fault to errors as "path:line: ..."; where a setting is missing
 * the line is that of its section. is_file: data.format must be given (sweep_load()). refused[id]:
 * the setting's value was faulty and has been reported; what depends on it is not looked at. */
void requirements_check(const struct sweep *sweep, bool is_file, bool refused[P_COUNT],
                        struct errlist *errors);

/* Whether a data format (an index of the choices of data.format) has such a setting. */
bool requirements_format_has(enum param_id id, int64_t format);

/* "path:line", the place where a setting that is missing would stand; "path" where the file has no
 * such section. */
void requirements_put_place(struct buf *out, const struct sweep *sweep, enum param_id id);

/* What must hold between the settings and the data that were read. Points that `where` may leave
 * out are not looked at. -1 and each fault in errors, as above. */
int requirements_check_data(const struct sweep *sweep, const struct dataset *data,
                            struct errlist *errors);

#endif
