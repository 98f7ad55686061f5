/* From arrays to a dataset block. */
#ifndef DATA_BUILDER_H
#define DATA_BUILDER_H

#include "data/dataset.h"

/* What a reader gathered; shapes and meanings as in struct dataset. Everything is borrowed. */
struct draft {
    int32_t n_samples;
    int32_t n_features;
    int32_t n_classes;        /* 0: regression */
    const float *features;    /* (N, F); exactly one of this and the next two is not NULL */
    const int8_t *dosage;     /* (N, F), DOSAGE_MISSING where missing: the builder finds the fill */
    const struct csr *sparse; /* (N, F) */
    const float *target;      /* [N] regression, else NULL */
    const int32_t *label;     /* [N] classification, else NULL */
    int64_t n_edges;
    const int32_t *edge_source;
    const int32_t *edge_target;
    const float *edge_weight;
    const uint8_t *part;              /* [N] or NULL */
    const char *const *ids;           /* [N] */
    const char *const *feature_names; /* [F]; NULL: features have none */
    const char *const *class_names;   /* [C] */
};

/* Copy a draft into a block and open it. Pair with dataset_release(). -1 and err when memory is
 * short, names take over 4 GiB, or a value breaks what dataset_open() checks (a column without any
 * dosage has no mean). */
int draft_build(struct dataset *out, const struct draft *draft, struct err *err);

#endif
