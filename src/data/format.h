/* SPDX-License-Identifier: BSD-3-Clause */
/* Data formats: their rows, and reading data of any of them. */
#ifndef DATA_FORMAT_H
#define DATA_FORMAT_H

#include "data/core/data_format.h"
#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/core/dataset.h"

/* New samples that are graphs, for the models of a data set: read as its own were (data.format),
 * with the same features, and no targets.
 *
 *   smiles  a table of molecules with the columns of ids and molecules that the data's has
 *   tu      a folder; of nodes it needs the files that the data's has. A label that no node of the
 *           data has becomes zeros, as if the node had none
 *   idx     images of the data's size */

struct new_graphs {
    struct data_spec spec;     /* the data's, with the new path */
    void *pieces;              /* of data_format.pieces; NULL: the file is read at once */
    struct data_report report; /* of all that was read so far */
    bool is_read;
};

/* path must outlive n, as data and what spec borrows. Pair with new_graphs_close(), also after a
 * failure. -1 and err: the samples of the data are no graphs, the file is faulty. */
int new_graphs_open(struct new_graphs *n, const struct dataset *data, const struct data_spec *spec,
                    const char *path, struct err *err);
void new_graphs_close(struct new_graphs *n); /* takes a zeroed one */

/* out: the next graphs, at most `most` of a file that is read in pieces; pair with
 * dataset_release(). 1, or 0 after the last. -1 and err: as data_load(). */
int new_graphs_next(struct dataset *out, struct new_graphs *n, int32_t most, struct err *err);

/* The format of a choice of data.format. */
const struct data_format *data_format_at(int64_t choice);

/* Format number i of all, from 0; NULL after the last. */
const struct data_format *data_format_next(size_t i);

/* The setting of [data], NULL: the format has no such. */
const struct data_setting *data_format_setting(const struct data_format *format, const char *key);

/* Read data from files, or simulate them, into a dataset. Pair with dataset_release(). -1 and err:
 * file:line, what was found, what is allowed. Local. */
int data_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
              struct err *err);

#endif
