/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial/derived.h"

#include "base/process.h"
#include "grid/param.h"

void derived_init(struct derived *derived, const struct dataset *data)
{
    *derived = (struct derived){.data = data, .limit_bytes = memory_limit_bytes()};
}

static void release_reduced(struct derived *derived)
{
    reducer_release(&derived->reducer);
    for (int i = 0; i < DERIVED_REDUCED; i++) {
        mat_release(&derived->reduced[i].l);
        derived->reduced[i].reduce = REDUCE_NONE;
    }
    derived->has_reducer = false;
    derived->next = 0;
}

void derived_release(struct derived *derived)
{
    if (!derived)
        return;
    for (size_t i = 0; i < GRAPH_METRICS; i++)
        neighbours_release(&derived->neighbours[i]);
    release_reduced(derived);
}

int derived_graph(struct csr *out, struct derived *derived, const struct graph_spec *spec,
                  struct err *err)
{
    struct neighbours *n = &derived->neighbours[spec->metric];

    if (spec->build != GRAPH_KNN)
        return graph_build(out, derived->data, spec, err);
    if (neighbours_grow(n, derived->data, spec->metric, spec->k, err))
        return -1;
    return graph_cut(out, n, spec->k, spec->weights, err);
}

/* ---- reduced features ---- */

/* Beyond this limit the kernel would kill the process without a message. */
static int check_memory(const struct derived *derived, int32_t reduce, struct err *err)
{
    const struct dataset *data = derived->data;
    double bytes = reducer_bytes(data, reduce) + (double)data->block_bytes;
    struct buf name = {0};

    if (bytes <= derived->limit_bytes)
        return 0;
    param_format(&name, P_REDUCE, (union value){.i = reduce});
    err_set(err,
            "reduce = %s: needs %.1f GB for the products of all pairs of the %d %s, but this "
            "process may use %.1f GB: set reduce = none or use a machine with more memory",
            buf_text(&name), bytes * 1e-9,
            data->n_samples <= data->n_features ? data->n_samples : data->n_features,
            data->n_samples <= data->n_features ? "samples" : "features",
            derived->limit_bytes * 1e-9);
    buf_release(&name);
    return -1;
}

const struct mat *derived_features(struct derived *derived, const struct gcn_inputs_spec *spec,
                                   struct err *err)
{
    int place;

    if (check_memory(derived, spec->reduce, err))
        return NULL;
    if (!derived->has_reducer || derived->scale != spec->scale) {
        release_reduced(derived);
        if (reducer_init(&derived->reducer, derived->data, spec->scale, 0, err))
            return NULL;
        derived->scale = spec->scale;
        derived->has_reducer = true;
    }
    for (int i = 0; i < DERIVED_REDUCED; i++)
        if (derived->reduced[i].reduce == spec->reduce)
            return &derived->reduced[i].l;
    place = derived->next;
    mat_release(&derived->reduced[place].l);
    derived->reduced[place].reduce = REDUCE_NONE;
    if (reducer_make(&derived->reduced[place].l, &derived->reducer, spec->reduce, err))
        return NULL;
    derived->reduced[place].reduce = spec->reduce;
    derived->next = (place + 1) % DERIVED_REDUCED;
    return &derived->reduced[place].l;
}
