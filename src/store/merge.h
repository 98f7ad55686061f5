/* SPDX-License-Identifier: BSD-3-Clause */
/* Merge databases of espalier, such as those of a sweep's shards. Rows are matched by identity,
 * never by number: sweeps by name, configurations and trials by key, sessions by host, process and
 * start, attempts by session and times. So the order of inputs does not matter, and merging one
 * twice changes nothing. Numbers of an input are kept if free in the output.
 *
 * A result beats none, and done or diverged beats failed; between equals the output's stays. All
 * attempts are kept. Damaged models are not copied; a sound one replaces a damaged one of the
 * output. Kept files of programs are linked or copied to the folder of the output
 * (store/trial_files.h). */
#ifndef STORE_MERGE_H
#define STORE_MERGE_H

#include <stdint.h>

#include "base/err.h"

struct merge_input {
    const char *path;
    int64_t n_trials;   /* out: in the input */
    int64_t n_new;      /* out: not in the output before */
    int64_t n_finished; /* out: in the output, finished by this input */
};

/* Merge inputs[n] into the database at `out`, created if needed, in one transaction. Each input is
 * read in one transaction; a run may be writing to it, and its schema may be older.
 *
 * A trial finished in both with different bits in value, metrics or curve is a conflict: equal keys
 * must give equal numbers. This does not hold for programs: of two results the output's stays.
 * `notes` gets a line for each conflict (at most MERGE_MAX_CONFLICTS an
 * input), for each damaged model and missing file, and those of store_released() for `out`.
 *
 * A trial that runs in an input is pending in the output, without an attempt. Attempts of dead
 * sessions are lost.
 *
 * -1 and err, with `out` unchanged or not created: a conflict; a sweep of the same name with
 * another objective, other data or other fixed settings; an error of store_open() or
 * store_open_reader(). */
#define MERGE_MAX_CONFLICTS 10
int merge_databases(const char *out, struct merge_input *inputs, size_t n, struct errlist *notes,
                    struct err *err);

#endif
