/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/packed.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define ALIGNMENT 64

struct header {
    char magic[8];
    uint32_t version;
    uint32_t here; /* bit i: array i is present */
    uint64_t bytes;
    uint64_t digest_high;
    uint64_t digest_low;
};

struct packer {
    /* COUNT bytes, COPY arrays into the block, CLEAR pointers, POINT them into the block. */
    enum { COUNT, COPY, CLEAR, POINT } task;
    const struct dataset *data; /* of a view */
    char *block;
    size_t size; /* of the block */
    size_t at;
    uint32_t here;
    int i;
    bool failed;
};

static size_t aligned(size_t n)
{
    return (n + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static size_t begin_of_arrays(const struct packed_type *type)
{
    return aligned(sizeof(struct header) + type->size);
}

void packer_data(struct packer *p, const struct dataset **data, bool *is_view)
{
    *data = p->data;
    *is_view = p->task == POINT;
}

void packer_array(struct packer *p, void **array, size_t bytes)
{
    uint32_t bit = (uint32_t)1 << p->i++;

    if (p->task == POINT ? !(p->here & bit) : !*array) {
        *array = NULL;
        return;
    }
    p->here |= bit;
    if (p->task == COPY && bytes) {
        memcpy(p->block + p->at, *array, bytes);
        memset(p->block + p->at + bytes, 0, aligned(bytes) - bytes); /* hashed */
    }
    if (p->task == POINT) {
        p->failed = p->failed || bytes > p->size - p->at;
        *array = p->failed ? NULL : p->block + p->at;
    }
    if (p->task == CLEAR)
        *array = NULL;
    if (!p->failed)
        p->at += aligned(bytes);
}

void packer_mat(struct packer *p, struct mat *m)
{
    PACKER_ARRAY(p, m->v, mat_size(m));
}

void packer_csr(struct packer *p, struct csr *a)
{
    int64_t nnz;

    PACKER_ARRAY(p, a->row_start, a->n_rows + 1);
    nnz = a->row_start ? csr_nnz(a) : 0;
    PACKER_ARRAY(p, a->col, nnz);
    PACKER_ARRAY(p, a->val, nnz);
}

static void walk(struct packer *p, const struct packed_type *type, void *object)
{
    p->at = begin_of_arrays(type);
    p->i = 0;
    type->walk(p, object);
}

size_t packed_bytes(const struct packed_type *type, const void *object)
{
    _Alignas(ALIGNMENT) char copy[512];
    struct packer p = {.task = COUNT};

    assert(type->size <= sizeof copy);
    memcpy(copy, object, type->size);
    walk(&p, type, copy);
    return p.at;
}

static struct hash digest_of(const void *block, size_t bytes)
{
    size_t skip = sizeof(struct header);

    return hash_bytes((const char *)block + skip, bytes - skip);
}

void packed_write(void *block, const struct packed_type *type, const void *object)
{
    struct header *header = block;
    void *copy = header + 1;
    struct packer p = {.task = COPY, .block = block};
    struct hash digest;

    memset(block, 0, begin_of_arrays(type));
    memcpy(header->magic, type->magic, sizeof header->magic);
    header->version = type->version;
    memcpy(copy, object, type->size);
    walk(&p, type, copy);
    header->here = p.here;
    header->bytes = p.at;
    p.task = CLEAR;
    walk(&p, type, copy);
    digest = digest_of(block, header->bytes);
    header->digest_high = digest.high;
    header->digest_low = digest.low;
}

int packed_view(void *object, const struct packed_type *type, const struct dataset *data,
                const void *block, size_t bytes, struct err *err)
{
    const struct header *header = block;
    /* The structs have no const form; nobody writes to a view. */
    struct packer p = {
        .task = POINT, .data = data, .block = (char *)(uintptr_t)block, .size = bytes};

    if (bytes >= begin_of_arrays(type) &&
        memcmp(header->magic, type->magic, sizeof header->magic) == 0 &&
        header->version == type->version && header->bytes == bytes &&
        hash_equal(digest_of(header, bytes),
                   (struct hash){header->digest_high, header->digest_low})) {
        memcpy(object, header + 1, type->size);
        p.here = header->here;
        walk(&p, type, object);
        if (!p.failed && p.at == bytes)
            return 0;
    }
    memset(object, 0, type->size);
    return err_set(err, "inputs block: %zu bytes that are damaged or of another version", bytes);
}
