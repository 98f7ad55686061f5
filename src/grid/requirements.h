/* What must hold between the settings of a sweep: what the table, which looks at one setting at a
 * time, cannot say. */
#ifndef GRID_REQUIREMENTS_H
#define GRID_REQUIREMENTS_H

#include "grid/sweep.h"

/* Part of sweep_parse(). Adds each fault to errors as "path:line: ...". refused[id]: the setting's
 * value was faulty and has been reported; what depends on it is not looked at. */
void requirements_check(const struct sweep *sweep, const bool refused[P_COUNT],
                        struct errlist *errors);

/* What must hold between the settings and the data that were read. Points that `where` may leave
 * out are not looked at. -1 and each fault in errors, as above. */
int requirements_check_data(const struct sweep *sweep, const struct dataset *data,
                            struct errlist *errors);

#endif
