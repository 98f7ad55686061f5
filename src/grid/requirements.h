/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks between settings; the parameter table checks each setting alone. */
#ifndef GRID_REQUIREMENTS_H
#define GRID_REQUIREMENTS_H

#include "grid/sweep.h"

/* Part of sweep_parse(). Adds each fault to errors as "path:line: ..."; a missing setting has the
 * line of its section. is_file: data.format must be given. refused[id]: the value was faulty and
 * reported; checks that depend on it are skipped. */
void requirements_check(const struct sweep *sweep, bool is_file, bool refused[P_MAX],
                        struct errlist *errors);

/* format: an index of the choices of data.format. */
bool requirements_format_has(enum param_id id, int64_t format);

/* Append "path:line" of the setting's section, or "path" if the file lacks it. */
void requirements_put_place(struct buf *out, const struct sweep *sweep, enum param_id id);

/* Check against the data, except points that `where` may drop. Returns -1 and adds faults as
 * above. */
int requirements_check_data(const struct sweep *sweep, const struct dataset *data,
                            struct errlist *errors);

/* Check the workers of a configuration whose smallest training part has n_train samples: their
 * number, the ranks that share them, and the learning rate that they scale; likewise. */
int requirements_check_workers(const struct sweep *sweep, const struct settings *s, int32_t n_train,
                               struct errlist *errors);

#endif
