/* What `inspect` says of samples that are graphs. */
#ifndef CLI_INSPECT_GRAPHS_H
#define CLI_INSPECT_GRAPHS_H

#include "cli/job.h"

/* On stdout: features, nodes and edges of a graph, what was dropped or left out. */
void inspect_graphs(const struct job *job);

#endif
