/* SPDX-License-Identifier: BSD-3-Clause */
/* noop: trains nothing, to measure the cost of scheduling and storing. */
#include "trial/model_type.h"

static int train(struct gcn_outcome *outcome, struct model_training *training, struct err *err)
{
    (void)training;
    (void)err;
    gcn_outcome_init(outcome);
    outcome->value = 0;
    return 0;
}

const struct model_type model_noop = {
    .name = "noop", .words = "placeholder without training", .train = train};
