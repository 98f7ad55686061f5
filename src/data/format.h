/* SPDX-License-Identifier: BSD-3-Clause */
/* All data formats: their rows, and loading data. */
#ifndef DATA_FORMAT_H
#define DATA_FORMAT_H

#include "data/core/data_format.h"
#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/core/dataset.h"

/* New samples that are graphs, for models of a data set: read like the data, without targets. A
 * table of molecules has the data's columns of ids and molecules, a TU folder the data's node
 * files. A TU label that no node of the data has becomes zeros. */

struct new_graphs {
    struct data_spec spec;     /* with the new path */
    void *pieces;              /* of data_format.pieces; NULL: the file is read at once */
    struct data_report report; /* of everything read so far */
    bool is_read;
};

/* path, data and what spec borrows must outlive n. Pair with new_graphs_close(), also after a
 * failure. -1 and err if the samples of the data are not graphs or the file is faulty. */
int new_graphs_open(struct new_graphs *n, const struct dataset *data, const struct data_spec *spec,
                    const char *path, struct err *err);
void new_graphs_close(struct new_graphs *n);

/* Read at most `most` graphs. Pair with dataset_release(). Returns 1, or 0 after the last. -1 and
 * err like data_load(). */
int new_graphs_next(struct dataset *out, struct new_graphs *n, int32_t most, struct err *err);

const struct data_format *data_format_at(int64_t choice);

/* Returns NULL after the last. */
const struct data_format *data_format_next(size_t i);

/* The property that samples share which models cannot tell apart, after "the same ". */
const char *data_format_same(const struct data_format *format);

/* An option of `predict` names samples of another kind. Always -1. */
int data_format_refuse(const struct data_format *format, const char *option, const char *kind,
                       struct err *err);

/* NULL if the format does not have the setting. */
const struct data_setting *data_format_setting(const struct data_format *format, const char *key);

/* Read or simulate data. Pair with dataset_release(). -1 and err: file:line, what was found, what
 * is allowed. Local. */
int data_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
              struct err *err);

#endif
