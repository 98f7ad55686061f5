/* From a hidden layer's product to what the next layer takes, and the way back.
 *
 * Hidden layer l = 1 .. L - 1 (where samples are graphs: 1 .. L, model.h), with the product Z^l
 * over the rows of its level: U^l = Z^l + b^l, or BN(Z^l) + b^l with batch normalisation H^l =
 * dropout(act(U^l)) + S^l S^l = H^(l-1) for l >= 2 with residual, otherwise 0: a skip connection
 * around each hidden layer whose input is a hidden layer, which is as wide. There is none around
 * layer 1, whose input is features, nor around one whose output is C wide; so a network has L - 2
 * of them, L - 1 where samples are graphs. The sum is after the activation (Kipf & Welling 2017,
 * arXiv:1609.02907, appendix B), and what skips is not dropped once more.
 *
 * BN normalises each column (tensor/batchnorm.h). In training by mean and variance of the rows of
 * the layer's level in the batch's receptive field: every sample whose H^l the batch's logits
 * depend on, each once, and no other (but where a level was rounded up to all samples, field.h,
 * all). In full batch these are the training nodes and their neighbours up to L - l steps away; so
 * a mini-batch is normalised by other numbers than a full one, and its gradient is exact for its
 * own loss, statistics included. In evaluation by the running ones, which every training pass
 * moves. */
#ifndef GCN_HIDDEN_H
#define GCN_HIDDEN_H

#include "gcn/field.h"
#include "gcn/model.h"

struct hidden {
    const struct gcn_spec *spec; /* borrowed */
    int32_t layer;               /* l - 1: 0 is the first */
    bool has_skip;
    float *h;    /* (capacity, H) what the next layer takes */
    float *kept; /* (capacity, H) what activation_back() takes; h itself where that is the same */
    uint16_t *bits;    /* decisions of dropout */
    float *normalized; /* (capacity, H) with batch normalisation: BN without its scale */
    float *mean;       /* [H] what was taken off */
    float *inverse;    /* [H] 1 / what it was divided by */
    double *moments;   /* [2 H] mean and variance of the batch */
};

/* capacity: most rows of a level. -1 when scratch memory is short. */
int hidden_init(struct hidden *hidden, const struct gcn_spec *spec, int32_t layer, int32_t capacity,
                bool drops, struct arena *scratch);

/* h over a field. */
struct mat hidden_view(const struct hidden *hidden, const struct field *field);

/* One pass through the layer.
 *   field    the rows
 *   weights  of the layer; its running statistics move in training
 *   dropout  NULL: none; step addresses it
 *   below    h of the hidden layer below, where there is a skip connection */
struct hidden_pass {
    const struct field *field;
    struct layer *weights;
    const struct dropout *dropout;
    uint32_t step;
    const struct mat *below;
    bool is_training;
};

/* h from the product: row i is z[z_rows[i]] (NULL: z[i]). y: scratch (n, H), or z itself where
 * z_rows is NULL. */
void hidden_forward(struct hidden *hidden, const struct hidden_pass *pass, const struct mat *z,
                    const int32_t *z_rows, struct mat *y);

/* d in: gradient by h; out: by the product. The gradients of bias and scale into d_weights. After
 * hidden_forward() in training; with the same dropout. The skip connection is the caller's. */
void hidden_back(const struct hidden *hidden, struct mat *d, struct layer *d_weights,
                 const struct layer *weights, const struct dropout *dropout);

#endif
