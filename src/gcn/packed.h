/* SPDX-License-Identifier: BSD-3-Clause */
/* A struct and its arrays as one position-independent block of bytes: made once, then used where it
 * lies by every process that maps it.
 *
 *     header     magic, version, size, digest of all that follows
 *     object     the struct with its pointers empty
 *     sections   the arrays in the order of the walk, each 64-byte aligned
 *
 * A walk names each array of the struct. A member that is a number needs no line in it. */
#ifndef GCN_PACKED_H
#define GCN_PACKED_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tensor/csr.h"
#include "tensor/mat.h"

struct packer; /* one pass over the arrays of a struct */

struct packed_type {
    char magic[9]; /* 8 bytes, and a NUL */
    uint32_t version;
    size_t size; /* of the struct, a multiple of 8 */
    void (*walk)(struct packer *p, void *object);
};

/* For a walk: pass an array of `bytes` bytes. It may be NULL. */
void packer_array(struct packer *p, void **array, size_t bytes);
void packer_mat(struct packer *p, struct mat *m);
void packer_csr(struct packer *p, struct csr *a);
/* The same for a member that points to n elements. */
#define PACKER_ARRAY(p, member, n)                                  \
    do {                                                            \
        void *array_ = (member);                                    \
        packer_array((p), &array_, (size_t)(n) * sizeof *(member)); \
        (member) = array_;                                          \
    } while (0)

/* Bytes of the block. object: a copy of the struct, whose every byte is set. */
size_t packed_bytes(const struct packed_type *type, void *object);

/* block out [packed_bytes()], 64-byte aligned. object: likewise; other pointers than those to arrays
 * must be NULL in it. */
void packed_write(void *block, const struct packed_type *type, const void *object);

/* object out: views the block, which must outlive it. The digest is verified, nothing is copied. -1
 * and err if it is not a block of this type and program, or damaged. Local, thread-safe. */
int packed_view(void *object, const struct packed_type *type, const void *block, size_t bytes,
                struct err *err);

#endif
