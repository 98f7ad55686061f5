/* What must hold between the settings of a sweep: what the table, which looks at one setting at a
 * time, cannot say. Part of sweep_parse(). */
#ifndef GRID_REQUIREMENTS_H
#define GRID_REQUIREMENTS_H

#include "grid/sweep.h"

/* Adds each fault to errors as "path:line: ...". refused[id]: the setting's value was faulty and
 * has been reported; what depends on it is not looked at. */
void requirements_check(const struct sweep *sweep, const bool refused[P_COUNT],
                        struct errlist *errors);

#endif
