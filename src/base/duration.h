/* SPDX-License-Identifier: BSD-3-Clause */
/* Durations as people and batch systems write them. */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* "90s", "15m", "2h", "1h30m", "90" (seconds), "12:30" (minutes), "12:30:00", "1-12:00:00" to
 * seconds; the forms with colons are Slurm's. */
int duration_parse(double *out, const char *text, struct err *err);

/* The shortest text that reads back the same: "90s". */
void duration_format(struct buf *out, double seconds);

enum { DURATION_TEXT = 32 };

/* In the two largest units that are not zero, the smaller cut: "2 d 3 h", "3 h 58 min", "12 min",
 * "45 s", "1.5 s". Returns out. */
char *duration_words(char out[DURATION_TEXT], double seconds);

#endif
