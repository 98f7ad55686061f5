/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/outcome.h"

#include <math.h>

void gcn_outcome_init(struct gcn_outcome *outcome)
{
    *outcome = (struct gcn_outcome){.status = GCN_DONE, .curve = outcome->curve, .value = NAN};
    for (int part = 0; part < PART_COUNT; part++) {
        outcome->losses[part] = NAN;
        for (int m = 0; m < METRIC_COUNT; m++)
            outcome->metrics[part][m] = NAN;
    }
}
