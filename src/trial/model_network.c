/* SPDX-License-Identifier: BSD-3-Clause */
/* gcn, and mlp: the same network without a graph (gcn/train.h). */
#include <math.h>
#include <string.h>

#include "trial/kept.h"
#include "trial/model_type.h"
#include "trial/spec.h"

/* ---- inputs: struct gcn_inputs ---- */

/* With ten neighbours or more, A^X may be cheaper than codes for batches below 1 / SMALL_SHARE of
 * the samples; product_order.h decides. */
#define SMALL_SHARE 8

struct network_outline {
    struct gcn_outline gcn;
    struct csr adjacency; /* until the inputs are made; empty if it is quick to rebuild */
};

static int make_key(struct inputs_key *key, const struct dataset *data, const struct settings *s,
                    struct err *err)
{
    struct gcn_inputs_spec *spec = &key->spec;
    int64_t batch_size = s->v[P_BATCH_SIZE].i;

    spec_inputs(spec, s);
    if (reducer_check(spec, data, err))
        return -1;
    spec_graph(&key->graph, s);
    if (reducer_keeps(data, spec->reduce))
        spec->reduce = REDUCE_NONE;
    spec->small_batches = batch_size && batch_size < data->n_samples / SMALL_SHARE;
    if (data->is_sparse || spec->reduce != REDUCE_NONE) /* the same inputs serve all trials */
        spec->drops_inputs = spec->small_batches = false;
    return 0;
}

static bool is_reduced(const struct inputs_key *key)
{
    return key->spec.reduce != REDUCE_NONE;
}

static int find_outline(void *outline_, struct derived *derived, const struct inputs_key *key,
                        struct err *err)
{
    struct network_outline *outline = outline_;
    const struct dataset *data = derived->data;
    const struct mat *l;

    if (derived_graph(&outline->adjacency, derived, &key->graph, err))
        return -1;
    if (is_reduced(key)) {
        l = derived_features(derived, &key->spec, err);
        if (l)
            outline->gcn = gcn_outline_reduced(data, &outline->adjacency, l);
        return l ? 0 : -1;
    }
    if (gcn_outline_find(&outline->gcn, data, &outline->adjacency, &key->spec, err))
        return -1;
    if (key->graph.build == GRAPH_FILE || key->graph.build == GRAPH_NONE) /* may be large */
        csr_release(&outline->adjacency);
    return 0;
}

static void forget_outline(void *outline)
{
    csr_release(&((struct network_outline *)outline)->adjacency);
}

static double inputs_bytes(const void *outline)
{
    return gcn_outline_bytes(&((const struct network_outline *)outline)->gcn);
}

static int make(void *inputs, void *outline_, struct derived *derived, const struct inputs_key *key,
                struct err *err)
{
    struct network_outline *outline = outline_;
    const struct mat *l = NULL;
    int rc = 0;

    if (!outline->adjacency.row_start)
        rc = derived_graph(&outline->adjacency, derived, &key->graph, err);
    if (!rc && is_reduced(key)) {
        l = derived_features(derived, &key->spec, err);
        rc = l ? gcn_inputs_init_reduced(inputs, derived->data, &outline->adjacency, l, err) : -1;
    } else if (!rc) {
        rc = gcn_inputs_make(inputs, &outline->gcn, &outline->adjacency, &key->spec, err);
    }
    csr_release(&outline->adjacency);
    return rc;
}

static void release(void *inputs)
{
    gcn_inputs_release(inputs);
}

static const struct inputs_type network_inputs = {
    .size = sizeof(struct gcn_inputs),
    .outline_size = sizeof(struct network_outline),
    .key = make_key,
    .outline = find_outline,
    .forget = forget_outline,
    .bytes = inputs_bytes,
    .make = make,
    .release = release,
    .packed = &gcn_inputs_packed,
};

/* ---- trials ---- */

/* Blocks of matrices that OpenBLAS 0.3 copies, in each thread, measured for large products. */
#define PACKED_BYTES 9e6

static void cost(struct gcn_cost *work, double *bytes, const struct settings *s,
                 const struct dataset *data, const void *outline_, const struct split *split)
{
    const struct gcn_outline *outline = &((const struct network_outline *)outline_)->gcn;
    struct gcn_spec spec;

    spec_gcn(&spec, s);
    *work = gcn_cost(&spec, outline, split);
    *bytes = gcn_train_bytes(&spec, outline, split, (int32_t)s->v[P_RANKS].i) +
             kept_bytes(s, data, outline->n_inputs);
    if (keep_of(s->v) != KEEP_NONE) /* the predictor copies A^ */
        *bytes = fmax(*bytes, 8 * (double)outline->entries_a);
    *bytes += (double)s->v[P_THREADS].i * fmin(PACKED_BYTES, *bytes / 2);
}

static int train(struct gcn_outcome *outcome, struct model_training *training, struct err *err)
{
    const struct gcn_inputs *inputs = training->inputs;
    struct gcn_inputs_spec made;
    struct gcn_spec spec;
    const struct gcn_training network = {
        .spec = &spec,
        .inputs = inputs,
        .split = training->split,
        .key = training->seed,
        .threads = (int)training->settings->v[P_THREADS].i,
        .scratch = training->scratch,
        .clock = training->clock,
        .observer = training->observer,
        .crew = training->crew,
    };

    spec_gcn(&spec, training->settings);
    spec_inputs(&made, training->settings);
    if (!reducer_keeps(training->data, made.reduce))
        training->coordinates = &inputs->x;
    return gcn_train(outcome, &network, err);
}

const struct model_type model_gcn = {
    .name = "gcn",
    .words = "graph convolutional network",
    .source = "Kipf & Welling 2017",
    .reference = "Kipf TN, Welling M (2017) Semi-supervised classification with graph "
                 "convolutional networks. International Conference on Learning Representations.",
    .trains = true,
    .draws_random = true,
    .has_epochs = true,
    .gives_probabilities = true,
    .uses_graph = true,
    .proposal = "",
    .inputs = &network_inputs,
    .cost = cost,
    .train = train,
};

const struct model_type model_mlp = {
    .name = "mlp",
    .words = "multilayer perceptron",
    .trains = true,
    .draws_random = true,
    .has_epochs = true,
    .gives_probabilities = true,
    .proposal = "the same network without a graph",
    .inputs = &network_inputs,
    .cost = cost,
    .train = train,
};
