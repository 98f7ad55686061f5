/* SPDX-License-Identifier: BSD-3-Clause */
/* Real numbers: as decimals in text, and as the database returns them. */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include <stdbool.h>

#include "base/buf.h"

/* A finite decimal number and nothing else; -1 if it is not one. */
int real_parse(double *out, const char *text);
/* The shortest decimal that reads back the same. */
void real_format(struct buf *out, double value);

/* Whether two results are the same, to the bit, but for NaNs, which the database has as NULL, and -0,
 * which it has as 0. */
bool real_is_same(double a, double b);

#endif
