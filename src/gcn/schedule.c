#include "gcn/schedule.h"

#include <math.h>

double schedule_rate(const struct gcn_spec *spec, int32_t epoch)
{
    double rate = spec->learning_rate;
    int32_t since = epoch - spec->warmup_epochs - 1; /* epochs at the full rate or after it */

    if (since < 0)
        return rate * epoch / (spec->warmup_epochs + 1.0);
    switch (spec->schedule) {
    case SCHEDULE_COSINE:
        return rate * 0.5 * (1 + cos(M_PI * since / (spec->epochs - spec->warmup_epochs)));
    case SCHEDULE_STEP:
        return rate * pow(spec->step_gamma, since / spec->step_size);
    default:
        return rate;
    }
}
