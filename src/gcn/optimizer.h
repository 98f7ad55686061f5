/* From gradients to weights. */
#ifndef GCN_OPTIMIZER_H
#define GCN_OPTIMIZER_H

#include "gcn/model.h"

struct optimizer_state {
    const struct gcn_spec *spec; /* borrowed */
    float *first;                /* [n_weights] mean gradient (adam), momentum (sgd) */
    float *second;               /* [n_weights] mean squared gradient; NULL for sgd */
    int64_t n_steps;
};

/* Memory from scratch. -1 and err when it is short. */
int optimizer_init(struct optimizer_state *optimizer, const struct gcn_spec *spec,
                   const struct model *model, struct arena *scratch, struct err *err);

/* One step along model->gradient, as torch.optim does it: weight decay is L2 on the gradient in
 * adam and sgd, decoupled in adamw, and never touches biases. */
void optimizer_step(struct optimizer_state *optimizer, struct model *model);

#endif
