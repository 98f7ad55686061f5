/* A growing list of triplets, for csr_from_triplets(). */
#ifndef DATA_CORE_TRIPLETS_H
#define DATA_CORE_TRIPLETS_H

#include <stdint.h>

#include "base/err.h"
#include "tensor/csr.h"

struct triplets {
    struct triplet *item; /* [n] owned */
    int64_t n;
    int64_t capacity;
};

/* Zero-initialise to begin. */
void triplets_release(struct triplets *list); /* takes a zeroed one */
int triplets_add(struct triplets *list, struct triplet item, struct err *err);

#endif
