/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a dataset block, for the two that know it: the builder and dataset_open(). */
#ifndef DATA_CORE_BLOCK_H
#define DATA_CORE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_MAGIC "espalier" /* without its NUL */
#define BLOCK_VERSION 3        /* 3: samples may be graphs; covariates, alleles */
#define BLOCK_BYTE_ORDER 0x01020304
#define BLOCK_ALIGNMENT 64

/* How the features are held. */
enum block_form { BLOCK_FLOATS, BLOCK_DOSAGES, BLOCK_SPARSE, BLOCK_CODES };

/* Sections follow the header in this order, each aligned; shapes as in struct dataset: M nodes, K
 * markers. A section that a dataset has not is empty. */
enum block_section {
    BLOCK_FEATURES,    /* float   (M, K) BLOCK_FLOATS only */
    BLOCK_DOSAGE,      /* int8    (M, K) BLOCK_DOSAGES only, as is the next */
    BLOCK_FILL,        /* float   [K] */
    BLOCK_CODE,        /* uint8   (M, K) BLOCK_CODES only, as is the next */
    BLOCK_LEVEL,       /* float   [BLOCK_LEVELS] */
    BLOCK_ROW_START,   /* int64   [M + 1] BLOCK_SPARSE only, as are the next two */
    BLOCK_COL,         /* int32   [nnz] */
    BLOCK_VAL,         /* float   [nnz] */
    BLOCK_COVARIATES,  /* float   (M, F - K), (M / N, F - K) where graphs are alike */
    BLOCK_TARGET,      /* float   [N]; empty for classification */
    BLOCK_LABEL,       /* int32   [N]; empty for regression */
    BLOCK_GRAPH_START, /* int64   [N + 1]; empty where samples are nodes */
    BLOCK_EDGE_SOURCE, /* int32   [n_edges] */
    BLOCK_EDGE_TARGET, /* int32   [n_edges] */
    BLOCK_EDGE_WEIGHT, /* float   [n_edges] */
    BLOCK_PART,        /* uint8   [N]; empty without a split file */
    BLOCK_GROUP,       /* int32   [N]; empty without groups */
    BLOCK_ID_TEXT,     /* names, each with its NUL, one after another */
    BLOCK_ID_START,    /* uint32  [N + 1] where each name starts in the text; the last: its size */
    BLOCK_FEATURE_TEXT,
    BLOCK_FEATURE_START, /* [F + 1] */
    BLOCK_CLASS_TEXT,
    BLOCK_CLASS_START, /* [C + 1] */
    BLOCK_GROUP_TEXT,
    BLOCK_GROUP_START, /* [n_groups + 1] */
    BLOCK_N_SECTIONS,
};

#define BLOCK_LEVELS 256

/* Fixed-width fields without holes, so that equal data are equal bytes.
 *
 * Alleles and marker ids follow the last section, each if there are any and each aligned: uint32
 * [F + 1] where each starts in the text, then the text. They are outside the digest, because the
 * same dosages from a table without them are the same data; a hash of their own guards them. */
struct block_header {
    char magic[8];
    uint32_t version;
    uint32_t byte_order;
    uint64_t digest_high;
    uint64_t digest_low;
    uint32_t allele_bytes;    /* of the text; 0: there are none */
    uint32_t marker_id_bytes; /* likewise */
    uint64_t allele_high;     /* the hash of what follows data_bytes */
    uint64_t allele_low;
    /* All that follows is digested, up to data_bytes. */
    uint64_t data_bytes; /* without alleles and marker ids */
    int64_t n_edges;
    int64_t nnz;
    int32_t n_samples;
    int32_t n_nodes;
    int32_t n_features;
    int32_t n_markers;
    int32_t n_classes;
    uint32_t task;
    uint32_t form; /* enum block_form */
    uint32_t has_part;
    uint32_t has_graphs;
    uint32_t is_alike;
    int32_t n_groups; /* 0: none */
    uint32_t unused;  /* 0 */
    struct {
        uint64_t offset;
        uint64_t bytes;
    } section[BLOCK_N_SECTIONS];
};

/* Set the byte counts of all sections but the texts, whose counts are left alone, from the other
 * fields. */
void block_set_sizes(struct block_header *header);

/* Where the texts begin that are outside the digest: their starts, and the text itself. */
struct block_texts {
    uint64_t start, text;
};
struct block_texts block_alleles(const struct block_header *header);
struct block_texts block_marker_ids(const struct block_header *header);

/* Bytes of the whole block, those texts included. */
uint64_t block_whole_bytes(const struct block_header *header);

/* Set digest and hash in the header at the beginning of a block that is otherwise complete. */
void block_sign(void *block);
/* Whether they are what block_sign() would set. */
bool block_is_signed(const void *block);

/* What is a multiple of the alignment and not less than bytes. */
uint64_t block_align(uint64_t bytes);

#endif
