/* A table of edges. */
#ifndef DATA_EDGES_H
#define DATA_EDGES_H

#include "data/load.h"
#include "data/names.h"

/* Each undirected edge once, source < target, sorted; all arrays owned. */
struct edges {
    int64_t n;
    int32_t *source; /* [n] */
    int32_t *target; /* [n] */
    float *weight;   /* [n] 1 where the table has no third column */
};

/* Two columns of ids of nodes, which are listed in the file `nodes_path`, and an optional third:
 * weight. A pair may be listed again, in either direction, with the same weight. Self loops and
 * repeats are dropped and counted in report.
 * Pair with edges_release(). -1 and err: an unknown node, a weight that is not positive, another
 * weight for a pair, a first row of ids where the header should be. */
int edges_read(struct edges *out, const char *path, const struct names *nodes,
               const char *nodes_path, struct data_report *report, struct err *err);
void edges_release(struct edges *edges); /* takes a zeroed one */

#endif
