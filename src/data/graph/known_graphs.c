/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/known_graphs.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/colouring.h"
#include "data/text/equality.h"

/* Training comes first, and no part last. */
static int order(enum part part)
{
    return part == PART_NONE ? PART_COUNT : (int)part;
}

static int compare_colours(const void *left, const void *right)
{
    const struct known_graph *a = left, *b = right;

    return (a->colour > b->colour) - (a->colour < b->colour);
}

static int compare(const void *left, const void *right)
{
    const struct known_graph *a = left, *b = right;
    int by_colour = compare_colours(left, right);

    return by_colour ? by_colour : order(a->part) - order(b->part);
}

int known_graphs_init(struct known_graphs *k, const struct dataset *data, const uint8_t *part,
                      struct err *err)
{
    size_t n = (size_t)data->n_samples;
    struct colouring c;
    int rc = colouring_init(&c, data, err);

    *k = (struct known_graphs){.data = data, .n = data->n_samples};
    if (!rc) {
        k->graph = malloc(n * sizeof *k->graph);
        rc = k->graph ? 0 : err_nomem(err, "colours of graphs", n * sizeof *k->graph);
    }
    for (int32_t i = 0; !rc && i < k->n; i++)
        k->graph[i] = (struct known_graph){colouring_graph(&c, i), i, part[i]};
    if (!rc)
        qsort(k->graph, n, sizeof *k->graph, compare);
    colouring_release(&c);
    return rc;
}

void known_graphs_release(struct known_graphs *k)
{
    if (!k)
        return;
    free(k->graph);
    memset(k, 0, sizeof *k);
}

/* found: the first with its colour. */
static enum part part_of(const struct known_graphs *k, const struct known_graph *found,
                         const char *id)
{
    const struct known_graph *end = k->graph + k->n;

    for (const struct known_graph *g = found; g < end && g->colour == found->colour; g++)
        if (equality_pick(&(const char *){dataset_id(k->data, g->sample)}, 1, -1, id) == 0)
            return g->part;
    return found->part;
}

int32_t known_graphs_find(uint8_t *part, const struct known_graphs *k, const struct dataset *graphs,
                          struct err *err)
{
    struct colouring c;
    int32_t count = colouring_init(&c, graphs, err);

    for (int32_t i = 0; count >= 0 && i < graphs->n_samples; i++) {
        const struct known_graph asked = {.colour = colouring_graph(&c, i)};
        const struct known_graph *found =
            bsearch(&asked, k->graph, (size_t)k->n, sizeof asked, compare_colours);

        while (found && found > k->graph && found[-1].colour == asked.colour)
            found--;
        part[i] = (uint8_t)(found ? part_of(k, found, dataset_id(graphs, i)) : PART_NONE);
        count += found != NULL;
    }
    colouring_release(&c);
    return count;
}
