/* SPDX-License-Identifier: BSD-3-Clause */
/* The files in [program] inputs, as they are now. */
#ifndef DATA_INPUTS_H
#define DATA_INPUTS_H

#include "base/err.h"
#include "base/hash.h"
#include "data/core/data_spec.h"

/* A hash of the files' names, inodes, sizes and times: if it is the same as before, so are their
 * contents. Nothing is read. -1 and err like data_load(). */
int inputs_state(struct hash *out, const struct data_spec *spec, struct err *err);

#endif
