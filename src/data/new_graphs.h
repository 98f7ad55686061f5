/* New samples that are graphs, for the models of a data set: read as its own were (data.format),
 * with the same features, and no targets.
 *
 *   smiles  a table of molecules with the columns of ids and molecules that the data's has
 *   tu      a folder; of nodes it needs the files that the data's has. A label that no node of the
 *           data has becomes zeros, as if the node had none
 *   idx     images of the data's size */
#ifndef DATA_NEW_GRAPHS_H
#define DATA_NEW_GRAPHS_H

#include "data/format.h"

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

#endif
