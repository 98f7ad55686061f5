/* Durations as people and batch systems write them. */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include "base/err.h"

/* "90s", "15m", "2h", "1h30m", "90" (seconds), "12:30" (minutes), "12:30:00", "1-12:00:00" to
 * seconds; the forms with colons are Slurm's. */
int duration_parse(double *out, const char *text, struct err *err);

#endif
