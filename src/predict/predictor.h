/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs kept models (trial/kept.h) on the panel that they were trained on, and on new samples.
 *
 * Samples of the panel are nodes of the graph. A row below A^ joins a new sample to its neighbours
 * in the panel, which the graph's rule chooses (data/graph/graph.h):
 *     a_ij = w_ij / sqrt(d_i d_j), j of the panel;    a_ii = 1 / d_i,    d_i = 1 + sum_j w_ij
 * with the panel's degrees d_j from training. No other row has an entry for the sample, so its
 * prediction depends only on itself and the panel. Sources: Hamilton, Ying & Leskovec 2017,
 * arXiv:1706.02216; weights of Kipf & Welling 2017, arXiv:1609.02907, eq. 2. */
#ifndef PREDICT_PREDICTOR_H
#define PREDICT_PREDICTOR_H

#include "base/arena.h"
#include "data/graph/graph.h"
#include "gcn/scale.h"
#include "grid/settings.h"
#include "trial/model_type.h"
#include "trial/prepared.h"

struct predictor {
    const struct dataset *data;      /* borrowed, like the next */
    const struct dataset *asked;     /* its samples are the nodes: data, or new graphs */
    const struct settings *settings; /* of one configuration */
    struct gcn_spec spec;
    struct gcn_inputs_spec made;
    struct graph_spec graph;
    const struct model_type *type;
    struct scaling scaling; /* of dense features */
    struct csr sparse;      /* (N, F) scaled */
    struct csr panel;       /* (N, N) A^ as trained, or of one graph */
    int32_t one;            /* the place of that graph */
    int32_t first_node;     /* its first node in `asked` */
    struct csr joined;      /* (N + n, N + n) with new samples, or empty */
    struct mat fresh;       /* (n, F) new samples, scaled */
    const double *fixed;    /* (n, q) their fixed effects; borrowed, NULL without */
    double unit;            /* of the last outputs: sd of the target in training; classes: 1 */
    struct arena scratch;
};

/* prepared: of the data, or NULL; it spares the search for similar samples. Pair with
 * predictor_release(), also after a failure. -1 and err: no memory. */
int predictor_init(struct predictor *p, const struct dataset *data, struct prepared *prepared,
                   const struct settings *settings, struct err *err);
void predictor_release(struct predictor *p);

/* 1, or the number of classes. */
int32_t predictor_outputs(const struct predictor *p);
/* False: outputs of classes are scores. */
bool predictor_has_probabilities(const struct predictor *p);

/* Set the new samples, nodes N, N + 1, ..., in place of earlier ones.
 *
 *   x      in  (n, F) features as in the data, missing values filled in
 *   fixed  in  (n, q) as in the data; NULL without. Borrowed until the next call
 *   edges  in  their edges, if the graph comes from a file; else not read
 *
 * -1 and err: such edges are missing, or no memory. */
int predictor_join(struct predictor *p, const struct mat *x, const double *fixed,
                   const struct attached *edges, struct err *err);

/* If samples are graphs: predict these from now on, in place of the data's own. They have the
 * data's features. Borrowed. */
void predictor_ask_graphs(struct predictor *p, const struct dataset *graphs);

/* Compute the outputs of a model.
 *
 *   out    out  (n, C) regression: in units of the target; classes: probabilities, or scores
 *   file   the kept model, of the predictor's configuration
 *   nodes  [n] ascending; or graphs, whose outputs do not depend on which others are predicted
 *
 * New samples need a complete model (kept_complete()). -1 and err: the model is damaged, belongs to
 * other data or has no weights for features, or memory is short. */
int predictor_predict(double *out, struct predictor *p, const void *file, size_t bytes,
                      const int32_t *nodes, int32_t n, struct err *err);

#endif
