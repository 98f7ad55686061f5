/* SPDX-License-Identifier: BSD-3-Clause */
/* What must hold between the settings of a sweep: what the table, which looks at one setting at a
 * time, cannot say. */
#ifndef GRID_REQUIREMENTS_H
#define GRID_REQUIREMENTS_H

#include "grid/sweep.h"

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
