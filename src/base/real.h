/* SPDX-License-Identifier: BSD-3-Clause */
/* Real numbers: decimal text, and comparison after storage in the database. */
#ifndef BASE_REAL_H
#define BASE_REAL_H

#include <stdbool.h>

#include "base/buf.h"

/* Parse exactly one finite decimal number; else -1. */
int real_parse(double *out, const char *text);
/* A whole number in digits, or with an exponent: 1000, 1e3, 1.5e3. Those beyond int64_t become its
 * limits. -1: it is no number, or not a whole one, or has a point but no exponent. */
int real_parse_whole(int64_t *out, const char *text);
/* Append the shortest decimal that reads back exactly. */
void real_format(struct buf *out, double value);

/* The number that the shortest decimal denotes that reads back as this float: 0.1, not
 * 0.10000000149. */
double real_of_float(float value);

/* True if equal to the bit, or both NaN, or -0 and 0: the database stores NaN as NULL and -0 as
 * 0. */
bool real_is_same(double a, double b);

#endif
