/* The layout of a dataset block, for the two that know it: the builder and dataset_open(). */
#ifndef DATA_BLOCK_H
#define DATA_BLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"

#define BLOCK_MAGIC "espalier" /* without its NUL */
#define BLOCK_VERSION 2        /* 2: features may be small integers */
#define BLOCK_BYTE_ORDER 0x01020304
#define BLOCK_ALIGNMENT 64

/* How the features are held. */
enum block_form { BLOCK_FLOATS, BLOCK_DOSAGES, BLOCK_SPARSE };

/* Sections follow the header in this order, each aligned; shapes as in struct dataset. A section
 * that a dataset has not is empty. */
enum block_section {
    BLOCK_FEATURES,    /* float   (N, F) BLOCK_FLOATS only */
    BLOCK_DOSAGE,      /* int8    (N, F) BLOCK_DOSAGES only, as is the next */
    BLOCK_FILL,        /* float   [F] */
    BLOCK_ROW_START,   /* int64   [N + 1] BLOCK_SPARSE only, as are the next two */
    BLOCK_COL,         /* int32   [nnz] */
    BLOCK_VAL,         /* float   [nnz] */
    BLOCK_TARGET,      /* float   [N]; empty for classification */
    BLOCK_LABEL,       /* int32   [N]; empty for regression */
    BLOCK_EDGE_SOURCE, /* int32 [n_edges] */
    BLOCK_EDGE_TARGET, /* int32 [n_edges] */
    BLOCK_EDGE_WEIGHT, /* float [n_edges] */
    BLOCK_PART,        /* uint8 [N]; empty without a split file */
    BLOCK_ID_TEXT,     /* names, each with its NUL, one after another */
    BLOCK_ID_START,    /* uint32 [N + 1] where each name starts in the text; the last: its size */
    BLOCK_FEATURE_TEXT,
    BLOCK_FEATURE_START, /* [F + 1] */
    BLOCK_CLASS_TEXT,
    BLOCK_CLASS_START, /* [C + 1] */
    BLOCK_N_SECTIONS,
};

/* Fixed-width fields without holes, so that equal data are equal bytes. */
struct block_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t digest_high;
    uint64_t digest_low;
    /* All that follows is digested. */
    uint64_t block_bytes;
    int64_t n_edges;
    int64_t nnz;
    int32_t n_samples;
    int32_t n_features;
    int32_t n_classes;
    uint32_t task;
    uint32_t form; /* enum block_form */
    uint32_t has_part;
    struct {
        uint64_t offset;
        uint64_t bytes;
    } section[BLOCK_N_SECTIONS];
};

/* Set the byte counts of all sections but the texts, whose counts are left alone, from the other
 * fields. */
void block_set_sizes(struct block_header *header);

/* Of everything after the digest. bytes must be at least a header. */
struct hash block_digest(const void *block, size_t bytes);

#endif
