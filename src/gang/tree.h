/* SPDX-License-Identifier: BSD-3-Clause */
/* The fixed tree of gcn/crew.h, cut between hosts.
 *
 * Each host adds up the largest nodes that lie within its workers (crew_tree_sum()) and sends only
 * these. Together the nodes of all hosts cover all workers once, and tree_sum() adds what is above
 * them, so that the result has the same bits as the sum of all workers. */
#ifndef GANG_TREE_H
#define GANG_TREE_H

#include <stddef.h>
#include <stdint.h>

struct tree {
    int32_t n;         /* workers */
    int32_t *end;      /* [n] worker after the node that begins with this worker; 0: none begins */
    const float **row; /* [n] that node's numbers; borrowed, set by the caller */
};

/* A zeroed struct may be released. -1: out of memory. No node is there yet. */
int tree_init(struct tree *tree, int32_t n);
void tree_release(struct tree *tree);

/* Add the largest nodes that lie within workers begin ... end - 1. Returns their number. */
int32_t tree_cover(struct tree *tree, int32_t begin, int32_t end);

/* out[i] = the tree's sum of all nodes' row[i], begin <= i < end. No row may overlap out. */
void tree_sum(float *out, const struct tree *tree, size_t begin, size_t end);

#endif
