/* SPDX-License-Identifier: BSD-3-Clause */
/* A struct and its arrays as one position-independent block, which processes map and use in place.
 *
 *     header     magic, version, size, digest of all that follows
 *     object     the struct with NULL pointers
 *     sections   the arrays in the order of the walk, each 64-byte aligned */
#ifndef GCN_PACKED_H
#define GCN_PACKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "data/core/dataset.h"
#include "tensor/csr.h"
#include "tensor/mat.h"

struct packer;

struct packed_type {
    char magic[9]; /* 8 bytes and a NUL */
    uint32_t version;
    size_t size; /* of the struct, a multiple of 8 */
    void (*walk)(struct packer *p, void *object);
};

/* A walk passes each array of the struct, which may be NULL, and what is not packed: the data to which
 * the struct belongs, and whether its arrays are borrowed. */
void packer_data(struct packer *p, const struct dataset **data, bool *is_view);
void packer_array(struct packer *p, void **array, size_t bytes);
void packer_mat(struct packer *p, struct mat *m);
void packer_csr(struct packer *p, struct csr *a);
/* Pass a member that points to n elements. */
#define PACKER_ARRAY(p, member, n)                                  \
    do {                                                            \
        void *array_ = (member);                                    \
        packer_array((p), &array_, (size_t)(n) * sizeof *(member)); \
        (member) = array_;                                          \
    } while (0)

/* object: the struct, with every byte set because padding is hashed. */
size_t packed_bytes(const struct packed_type *type, const void *object);

/* block out [packed_bytes()], 64-byte aligned. Pointers that the walk does not pass must be NULL. */
void packed_write(void *block, const struct packed_type *type, const void *object);

/* object out: a view of the block. Block and data must outlive it. -1 and err: the digest is wrong, or the
 * block is of another type or program. Local, thread-safe. */
int packed_view(void *object, const struct packed_type *type, const struct dataset *data,
                const void *block, size_t bytes, struct err *err);

#endif
