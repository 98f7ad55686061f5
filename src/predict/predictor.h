/* SPDX-License-Identifier: BSD-3-Clause */
/* Kept models (trial/kept.h) put to use: outputs for samples of the panel they were trained on, and
 * for samples that were never seen.
 *
 * Samples of the panel are nodes of the graph already. A new sample is joined to those of the panel
 * that the graph's rule gives it (data/graph/graph.h) by a row of its own below A^,
 *     a_ij = w_ij / sqrt(d_i d_j), j of the panel;    a_ii = 1 / d_i,    d_i = 1 + sum_j w_ij
 * with the panel's degrees d_j as they were trained. No row of the panel and no other new sample
 * has an entry for it: its prediction depends on itself and the panel, never on who else is in the
 * file, and the panel's own outputs stay what they were. This is the inductive use of a graph
 * convolution (Hamilton, Ying & Leskovec 2017, arXiv:1706.02216), with the weights of Kipf &
 * Welling 2017, arXiv:1609.02907, eq. 2. A model without a graph sees the new sample alone. */
#ifndef PREDICT_PREDICTOR_H
#define PREDICT_PREDICTOR_H

#include "base/arena.h"
#include "data/graph/graph.h"
#include "gcn/scale.h"
#include "grid/settings.h"
#include "trial/model_type.h"

struct predictor {
    const struct dataset *data;      /* borrowed, like the next */
    const struct dataset *asked;     /* whose samples are nodes: data, or new graphs; borrowed */
    const struct settings *settings; /* resolved; of one configuration */
    struct gcn_spec spec;
    struct gcn_inputs_spec made;
    struct graph_spec graph;
    const struct model_type *type;
    struct scaling scaling; /* of dense features, and of new samples */
    struct csr sparse;      /* (N, F) scaled sparse features */
    struct csr panel;       /* (N, N) A^ as trained; where samples are graphs, of one */
    int32_t one;            /* which graph that is */
    int32_t first_node;     /* of it, among the nodes of `asked` */
    struct csr joined;      /* (N + n, N + n) with rows for new samples; else empty */
    struct mat fresh;       /* (n, F) new samples, scaled */
    struct arena scratch;
};

/* Builds the graph of the panel, but where samples are graphs. Pair with predictor_release(), also
 * after a failure. -1 and err when memory is short. */
int predictor_init(struct predictor *p, const struct dataset *data, const struct settings *settings,
                   struct err *err);
void predictor_release(struct predictor *p); /* takes a zeroed one */

/* Outputs of a model: 1, or the classes. */
int32_t predictor_outputs(const struct predictor *p);
/* Whether these are probabilities of classes; they may be scores. */
bool predictor_has_probabilities(const struct predictor *p);

/* From now on these are the new samples, nodes N, N + 1, ..., in the place of others.
 *   x      in  (n, F) features as the data have them, missing ones filled in
 *   edges  in  where the graph was given as edges: theirs, without inverse_root; else not read
 * -1 and err: there are none then, memory is short. */
int predictor_join(struct predictor *p, const struct mat *x, const struct attached *edges,
                   struct err *err);

/* Where samples are graphs: from now on these are asked about, with the data's features
 * (data/format.h), in the place of the data's own. Borrowed. */
void predictor_ask_graphs(struct predictor *p, const struct dataset *graphs);

/* What a model says.
 *   out    out  (n, C) regression: in units of the target; classes: probabilities, or scores
 *   file   the kept model, of the predictor's configuration
 *   nodes  [n] ascending; graphs, where samples are those: outputs of one are the same bits
 *          whichever others are asked about
 * New samples need a model that is complete (kept_complete()). -1 and err: the model is damaged, of
 * other data or has no weights by features, memory is short. */
int predictor_predict(double *out, struct predictor *p, const void *file, size_t bytes,
                      const int32_t *nodes, int32_t n, struct err *err);

#endif
