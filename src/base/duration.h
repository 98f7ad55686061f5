/* SPDX-License-Identifier: BSD-3-Clause */
/* Durations as people and batch systems write them. */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Parse seconds: "90s", "15m", "2h", "1h30m", "90", or Slurm's "12:30" (minutes), "12:30:00",
 * "1-12:00:00". */
int duration_parse(double *out, const char *text, struct err *err);

/* Append the shortest text that reads back exactly, such as "90s". */
void duration_format(struct buf *out, double seconds);

enum { DURATION_TEXT = 32 };

/* Format the two largest nonzero units, as in "2 d 3 h", "12 min" or "1.5 s". Returns out. */
char *duration_words(char out[DURATION_TEXT], double seconds);

#endif
