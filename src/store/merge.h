/* SPDX-License-Identifier: BSD-3-Clause */
/* Databases joined into one: those of the shards of a sweep, or any others of espalier.
 *
 * What is equal is told by identity, never by number: sweeps by name (objective, direction, data
 * and fixed settings must agree), configurations and trials by key, sessions by host, process and
 * start, attempts by session and times. So the order of the inputs does not matter, and merging one
 * twice changes nothing. A number of an input is kept where it is free in the output.
 *
 * A result beats none, and done or diverged beats failed; between two that are alike the one that
 * is there stays. The attempts of both are kept. A damaged model is never taken along, and one of
 * the output gives way to a whole one of the same trial. */
#ifndef STORE_MERGE_H
#define STORE_MERGE_H

#include <stdint.h>

#include "base/err.h"

struct merge_input {
    const char *path;
    int64_t n_trials;   /* out: in the input */
    int64_t n_new;      /* out: of those, that the output did not have */
    int64_t n_finished; /* out: that it had, and that are finished by this input */
};

/* Merge inputs[n] into the database at `out`, which is made if it is not there, in one transaction.
 * Inputs are opened for reading, one after the other, each read as of one moment; a run may be
 * writing to them, and their schema may be an older one.
 *
 * The same trial finished in both, but with other bits in value, metrics or curve, is a conflict:
 * equal keys must give equal numbers. At most MERGE_MAX_CONFLICTS of each input are added to
 * `notes`, a line each that says what, where and by whom; so is what store_released() says of the
 * output, and each damaged model.
 *
 * What runs in an input is pending in the output and has no attempt yet: both come with a merge
 * after its end. What was running in a session that is gone is lost.
 *
 * -1 and err, with `out` as it was (or not there): a conflict; a sweep of the same name with
 * another objective, other data or other fixed settings; whatever store_open() and
 * store_open_reader() refuse. */
#define MERGE_MAX_CONFLICTS 10
int merge_databases(const char *out, struct merge_input *inputs, size_t n, struct errlist *notes,
                    struct err *err);

#endif
