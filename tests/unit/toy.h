/* SPDX-License-Identifier: BSD-3-Clause */
/* A small graph with features and targets, and a plain twin of the network in double. */
#ifndef TESTS_UNIT_TOY_H
#define TESTS_UNIT_TOY_H

#include "gcn/train.h"
#include "gcn/trainer.h"

enum { TOY_SAMPLES = 40, TOY_FEATURES = 13, TOY_CLASSES = 3 };

struct toy {
    struct dataset data;
    struct gcn_inputs inputs;
    struct split split; /* 20 train, 10 val, 8 test; two samples in no part */
};

/* gcn_inputs_make() after gcn_outline_find(). */
int toy_make_inputs(struct gcn_inputs *inputs, const struct dataset *data,
                    const struct csr *adjacency, const struct gcn_inputs_spec *spec,
                    struct err *err);

void toy_init(struct toy *toy, enum task task, bool is_sparse);
void toy_release(struct toy *toy);

/* Move six samples of the training part into a stop part. */
void toy_part_stop(struct toy *toy);

/* Two layers of 9, relu, no dropout, full batch, adam at 0.01, 5 epochs. */
struct gcn_spec toy_spec(enum task task);

/* Returns trainer_init() without a crew. */
int toy_trainer_init(struct trainer *trainer, const struct gcn_spec *spec,
                     const struct gcn_inputs *inputs, const struct split *split, struct hash key,
                     struct arena *scratch);

/* gcn_train() with one thread and without a crew, which must succeed. observer may be NULL. */
void toy_train(struct gcn_outcome *outcome, const struct gcn_spec *spec,
               const struct gcn_inputs *inputs, const struct split *split, struct hash key,
               const struct gcn_observer *observer, struct arena *scratch);

/* Mean loss of nodes[n]. weights: of a struct model. standardized: the regression target; step < 0:
 * no dropout. */
double toy_loss(const struct toy *toy, const struct gcn_spec *spec, const double *weights,
                const float *standardized, const int32_t *nodes, int32_t n, struct hash key,
                int64_t step);

#endif
