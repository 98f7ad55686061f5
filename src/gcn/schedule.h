/* The learning rate of each epoch. */
#ifndef GCN_SCHEDULE_H
#define GCN_SCHEDULE_H

#include "gcn/train.h"

/* Rate of epoch e = 1, 2, ..., E = epochs, W = warmup_epochs, rate r = learning_rate:
 *     e <= W    r e / (W + 1)                             torch.optim LinearLR, Goyal et al. 2017,
 *                                                         arXiv:1706.02677, section 2.2
 *     constant  r
 *     cosine    r (1 + cos(pi (e - W - 1) / (E - W))) / 2 CosineAnnealingLR, Loshchilov & Hutter
 *                                                         2017, arXiv:1608.03983, eq. 5, no restart
 *     step      r step_gamma^floor((e - W - 1) / step_size)                              StepLR
 * The first epoch after the warm-up has r; nothing ever has 0. A function of the epoch alone: a
 * training that was broken off needs no memory of it. */
double schedule_rate(const struct gcn_spec *spec, int32_t epoch);

#endif
