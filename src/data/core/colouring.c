/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/colouring.h"

#include <stdlib.h>

/* The most layers of a model. */
#define ROUNDS 8

void colouring_release(struct colouring *c)
{
    mat_release(&c->row);
    free(c->now);
    free(c->next);
}

int colouring_init(struct colouring *c, const struct dataset *data, struct err *err)
{
    int64_t most = 0;

    *c = (struct colouring){.data = data};
    for (int32_t i = 0; i < data->n_samples; i++) {
        int64_t n = data->graph_start[i + 1] - data->graph_start[i];

        most = n > most ? n : most;
    }
    c->now = malloc((size_t)most * sizeof *c->now);
    c->next = malloc((size_t)most * sizeof *c->next);
    if (!c->now || !c->next)
        return err_nomem(err, "colours of nodes", (size_t)most * sizeof *c->now);
    return mat_init(&c->row, 1, data->n_features, err);
}

/* The finaliser of SplitMix64 (Steele, Lea & Flood 2014, OOPSLA). */
static uint64_t mix(uint64_t v)
{
    v = (v ^ v >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    v = (v ^ v >> 27) * UINT64_C(0x94d049bb133111eb);
    return v ^ v >> 31;
}

uint64_t colouring_graph(struct colouring *c, int32_t i)
{
    struct dataset_graph g = dataset_graph(c->data, i);
    uint64_t sum = (uint64_t)g.n_nodes;

    for (int32_t k = 0; k < g.n_nodes; k++) {
        dataset_decode(&c->row, c->data, g.first_node + k, 0);
        c->now[k] = hash_bytes(c->row.v, (size_t)c->row.n_cols * sizeof *c->row.v).low;
    }
    for (int round = 0; round < ROUNDS; round++) {
        uint64_t *swap = c->now;

        for (int32_t k = 0; k < g.n_nodes; k++)
            c->next[k] = mix(c->now[k] + UINT64_C(0x9e3779b97f4a7c15));
        /* The sum of the neighbours' colours does not depend on their order. */
        for (int64_t e = 0; e < g.n_edges; e++) {
            int32_t a = g.source[e] - g.edge_base, b = g.target[e] - g.edge_base;

            c->next[a] += mix(c->now[b]);
            c->next[b] += mix(c->now[a]);
        }
        c->now = c->next;
        c->next = swap;
    }
    for (int32_t k = 0; k < g.n_nodes; k++)
        sum += mix(c->now[k]);
    return sum;
}
