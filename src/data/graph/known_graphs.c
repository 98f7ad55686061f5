/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/known_graphs.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/colouring.h"

static int compare(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

    return (a > b) - (a < b);
}

int known_graphs_init(struct known_graphs *k, const struct dataset *data, struct err *err)
{
    size_t n = (size_t)data->n_samples;
    struct colouring c;
    int rc = colouring_init(&c, data, err);

    *k = (struct known_graphs){.n = data->n_samples};
    if (!rc) {
        k->colour = malloc(n * sizeof *k->colour);
        rc = k->colour ? 0 : err_nomem(err, "colours of graphs", n * sizeof *k->colour);
    }
    for (int32_t i = 0; !rc && i < k->n; i++)
        k->colour[i] = colouring_graph(&c, i);
    if (!rc)
        qsort(k->colour, n, sizeof *k->colour, compare);
    colouring_release(&c);
    return rc;
}

void known_graphs_release(struct known_graphs *k)
{
    if (!k)
        return;
    free(k->colour);
    memset(k, 0, sizeof *k);
}

int32_t known_graphs_count(const struct known_graphs *k, const struct dataset *graphs,
                           struct err *err)
{
    struct colouring c;
    int32_t count = colouring_init(&c, graphs, err);

    for (int32_t i = 0; count >= 0 && i < graphs->n_samples; i++) {
        uint64_t found = colouring_graph(&c, i);

        count += bsearch(&found, k->colour, (size_t)k->n, sizeof found, compare) != NULL;
    }
    colouring_release(&c);
    return count;
}
