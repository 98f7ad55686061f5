/* SPDX-License-Identifier: BSD-3-Clause */
/* Merge databases of espalier into one, such as those of the shards of a sweep.
 *
 * Rows are matched by identity, never by number: sweeps by name (objective, direction, data and
 * fixed settings must agree), configurations and trials by key, sessions by host, process and
 * start, attempts by session and times. So the order of the inputs does not matter, and merging one
 * twice changes nothing. A number of an input is kept if it is free in the output.
 *
 * A result beats none, and done or diverged beats failed; between equals the output's stays. The
 * attempts of both are kept. Damaged models are not copied, and a sound one replaces a damaged one
 * of the output. */
#ifndef STORE_MERGE_H
#define STORE_MERGE_H

#include <stdint.h>

#include "base/err.h"

struct merge_input {
    const char *path;
    int64_t n_trials;   /* out: trials in the input */
    int64_t n_new;      /* out: those that the output did not have */
    int64_t n_finished; /* out: those that the output had and this input finishes */
};

/* Merge inputs[n] into the database at `out`, in one transaction; creates `out` if needed. Each
 * input is opened for reading, one after the other, and read in one transaction. A run may be
 * writing to it, and its schema may be older.
 *
 * A trial finished in both with different bits in value, metrics or curve is a conflict: equal keys
 * must give equal numbers. `notes` receives a line for each conflict, at most MERGE_MAX_CONFLICTS
 * of each input, with the difference, its place and the sessions. It also receives the lines of
 * store_released() for the output, and one for each damaged model.
 *
 * A trial that runs in an input is pending in the output, without an attempt, until it is merged
 * again after its end. Attempts of a dead session are lost.
 *
 * -1 and err, with `out` unchanged or not created: a conflict; a sweep of the same name with
 * another objective, other data or other fixed settings; any error of store_open() or
 * store_open_reader(). */
#define MERGE_MAX_CONFLICTS 10
int merge_databases(const char *out, struct merge_input *inputs, size_t n, struct errlist *notes,
                    struct err *err);

#endif
