/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/block.h"

#include <stddef.h>

#include "base/hash.h"
#include "data/core/dataset.h"

uint64_t block_align(uint64_t bytes)
{
    return (bytes + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
}

void block_set_sizes(struct block_header *h)
{
    uint64_t n = (uint64_t)h->n_samples, nodes = (uint64_t)h->n_nodes;
    uint64_t edges = (uint64_t)h->n_edges;
    uint64_t nnz = (uint64_t)h->nnz;
    uint64_t features = (uint64_t)h->n_features;

    h->section[BLOCK_FEATURES].bytes =
        h->form == BLOCK_FLOATS ? nodes * features * sizeof(float) : 0;
    h->section[BLOCK_DOSAGE].bytes = h->form == BLOCK_DOSAGES ? nodes * features : 0;
    h->section[BLOCK_FILL].bytes = h->form == BLOCK_DOSAGES ? features * sizeof(float) : 0;
    h->section[BLOCK_ROW_START].bytes = h->form == BLOCK_SPARSE ? (nodes + 1) * sizeof(int64_t) : 0;
    h->section[BLOCK_COL].bytes = nnz * sizeof(int32_t);
    h->section[BLOCK_VAL].bytes = nnz * sizeof(float);
    h->section[BLOCK_TARGET].bytes = h->task == TASK_REGRESSION ? n * sizeof(float) : 0;
    h->section[BLOCK_LABEL].bytes = h->task == TASK_CLASSIFICATION ? n * sizeof(int32_t) : 0;
    h->section[BLOCK_GRAPH_START].bytes = h->has_graphs ? (n + 1) * sizeof(int64_t) : 0;
    h->section[BLOCK_EDGE_SOURCE].bytes = edges * sizeof(int32_t);
    h->section[BLOCK_EDGE_TARGET].bytes = edges * sizeof(int32_t);
    h->section[BLOCK_EDGE_WEIGHT].bytes = edges * sizeof(float);
    h->section[BLOCK_PART].bytes = h->has_part ? n : 0;
    h->section[BLOCK_GROUP].bytes = h->n_groups ? n * sizeof(int32_t) : 0;
    h->section[BLOCK_ID_START].bytes = (n + 1) * sizeof(uint32_t);
    h->section[BLOCK_FEATURE_START].bytes = (features + 1) * sizeof(uint32_t);
    h->section[BLOCK_CLASS_START].bytes = ((uint64_t)h->n_classes + 1) * sizeof(uint32_t);
    h->section[BLOCK_GROUP_START].bytes = ((uint64_t)h->n_groups + 1) * sizeof(uint32_t);
}

struct block_fixed block_fixed(const struct block_header *h)
{
    uint64_t n = (uint64_t)h->n_samples, q = (uint64_t)h->n_fixed;
    uint64_t end = h->section[BLOCK_N_SECTIONS - 1].offset + h->section[BLOCK_N_SECTIONS - 1].bytes;
    struct block_fixed at = {.value = block_align(end)};

    at.factor = at.value + block_align(n * q * sizeof(double));
    at.start = at.factor + block_align(q * sizeof(int32_t));
    at.text = at.start + block_align((q + 1) * sizeof(uint32_t));
    return at;
}

static struct block_texts texts_at(const struct block_header *h, uint64_t at)
{
    uint64_t n = (uint64_t)h->n_features + 1;

    return (struct block_texts){.start = at, .text = at + block_align(n * sizeof(uint32_t))};
}

struct block_texts block_alleles(const struct block_header *h)
{
    return texts_at(h, h->data_bytes);
}

static uint64_t allele_end(const struct block_header *h)
{
    return h->allele_bytes ? block_alleles(h).text + block_align(h->allele_bytes) : h->data_bytes;
}

struct block_texts block_marker_ids(const struct block_header *h)
{
    return texts_at(h, allele_end(h));
}

uint64_t block_whole_bytes(const struct block_header *h)
{
    return h->marker_id_bytes ? block_marker_ids(h).text + block_align(h->marker_id_bytes)
                              : allele_end(h);
}

/* Kinship depends on the ploidy. Version 0.2 knew 2 only, whose digests stay. */
static struct hash digest_of(const struct block_header *h)
{
    size_t skip = offsetof(struct block_header, data_bytes);
    struct hash hash = hash_bytes((const char *)h + skip, h->data_bytes - skip);

    hash.low ^= h->ploidy == 2 ? 0 : h->ploidy;
    return hash;
}

/* Covers the header's other fields outside the digest, too. */
static struct hash allele_hash_of(const struct block_header *h)
{
    struct hash hash =
        hash_bytes((const char *)h + h->data_bytes, block_whole_bytes(h) - h->data_bytes);

    hash.low ^= h->ploidy ^ (uint64_t)(uint8_t)h->base << 8;
    hash.high ^= (uint64_t)h->allele_bytes << 32 | h->marker_id_bytes;
    return hash;
}

void block_sign(void *block)
{
    struct block_header *h = block;
    struct hash digest = digest_of(h), alleles = allele_hash_of(h);

    h->digest_high = digest.high;
    h->digest_low = digest.low;
    h->allele_high = alleles.high;
    h->allele_low = alleles.low;
}

bool block_is_signed(const void *block)
{
    const struct block_header *h = block;

    return hash_equal(digest_of(h), (struct hash){h->digest_high, h->digest_low}) &&
           hash_equal(allele_hash_of(h), (struct hash){h->allele_high, h->allele_low});
}
