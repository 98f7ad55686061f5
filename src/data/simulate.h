/* A seeded synthetic panel: structured populations, linked markers, a polygenic trait. */
#ifndef DATA_SIMULATE_H
#define DATA_SIMULATE_H

#include <stdint.h>

#include "base/err.h"
#include "tensor/mat.h"

struct simulate_spec {
    int32_t samples;     /* 383 */
    int32_t markers;     /* 1000 */
    int32_t populations; /* 8 */
    double fst;          /* 0.2: differentiation, in (0, 1); Balding & Nichols 1995 */
    int32_t causal;      /* 50 markers with an effect */
    double heritability; /* 0.6: share of trait variance that is genetic, in [0, 1] */
    int64_t seed;
};

/* genotypes out (samples, markers): dosages 0 or 2 (inbred lines), no monomorphic marker.
 * trait     out [samples]: mean 80, sd 15 (days to flowering). Caller allocates both. */
int simulate_panel(struct mat *genotypes, float *trait, const struct simulate_spec *spec,
                   struct err *err);

#endif
