/* SPDX-License-Identifier: BSD-3-Clause */
/* The layout of a dataset block. */
#ifndef DATA_CORE_BLOCK_H
#define DATA_CORE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLOCK_MAGIC "espalier" /* without its NUL */
#define BLOCK_VERSION 4
#define BLOCK_BYTE_ORDER 0x01020304
#define BLOCK_ALIGNMENT 64

/* How features are stored. */
enum block_form { BLOCK_FLOATS, BLOCK_DOSAGES, BLOCK_SPARSE };

/* Sections follow the header in this order, aligned; empty if not needed. Shapes as in struct
 * dataset. */
enum block_section {
    BLOCK_FEATURES, /* float   (M, F) BLOCK_FLOATS */
    BLOCK_DOSAGE,   /* int8    (M, F) BLOCK_DOSAGES */
    BLOCK_FILL,     /* float   [F] BLOCK_DOSAGES */
    BLOCK_EMPTY_1,  /* keeps the digest of version 4 */
    BLOCK_EMPTY_2,
    BLOCK_ROW_START, /* int64   [M + 1] BLOCK_SPARSE */
    BLOCK_COL,       /* int32   [nnz] BLOCK_SPARSE */
    BLOCK_VAL,       /* float   [nnz] BLOCK_SPARSE */
    BLOCK_EMPTY_3,
    BLOCK_TARGET,      /* float   [N] or empty */
    BLOCK_LABEL,       /* int32   [N] or empty */
    BLOCK_GRAPH_START, /* int64   [N + 1] or empty */
    BLOCK_EDGE_SOURCE, /* int32   [n_edges] */
    BLOCK_EDGE_TARGET, /* int32   [n_edges] */
    BLOCK_EDGE_WEIGHT, /* float   [n_edges] */
    BLOCK_PART,        /* uint8   [N] or empty */
    BLOCK_GROUP,       /* int32   [N] or empty */
    BLOCK_ID_TEXT,     /* names one after another, each with its NUL */
    BLOCK_ID_START,    /* uint32 [N + 1] offset of each name; the last is the text's size */
    BLOCK_FEATURE_TEXT,
    BLOCK_FEATURE_START, /* [F + 1] */
    BLOCK_CLASS_TEXT,
    BLOCK_CLASS_START, /* [C + 1] */
    BLOCK_GROUP_TEXT,
    BLOCK_GROUP_START, /* [n_groups + 1] */
    BLOCK_N_SECTIONS,
};

/* Fields have fixed widths and no holes, so that equal data are equal bytes.
 *
 * Fixed effects follow the last section, if any, so that they change the digest only of data that
 * have them: struct block_fixed.
 *
 * Alleles and marker ids follow data_bytes, if any, each aligned: uint32 [F + 1] offsets,
 * then the texts. They have a hash of their own and are outside the digest, because the same
 * dosages from a table without them are the same data. */
struct block_header {
    char magic[8];
    uint16_t version;
    uint8_t ploidy; /* of genotypes; 0: no dosages. Base is outside the digest, like alleles */
    int8_t base;
    uint32_t byte_order;
    uint64_t digest_high;
    uint64_t digest_low;
    uint32_t allele_bytes;    /* 0: no alleles */
    uint32_t marker_id_bytes; /* 0: no marker ids */
    uint64_t allele_high;     /* hash of the bytes after data_bytes */
    uint64_t allele_low;
    /* The digest covers everything from here to data_bytes. */
    uint64_t data_bytes; /* without alleles and marker ids */
    int64_t n_edges;
    int64_t nnz;
    int32_t n_samples;
    int32_t n_nodes;
    int32_t n_features;
    int32_t same_features; /* n_features again, and 0 below: both keep the digest of version 4 */
    int32_t n_classes;
    uint32_t task;
    uint32_t form; /* enum block_form */
    uint32_t has_part;
    uint32_t has_graphs;
    uint32_t zero;
    int32_t n_groups; /* 0: none */
    int32_t n_fixed;  /* q */
    struct {
        uint64_t offset;
        uint64_t bytes;
    } section[BLOCK_N_SECTIONS];
};

/* Computes all sizes but those of texts from the other fields. */
void block_set_sizes(struct block_header *header);

/* Where these begin, each aligned. The sections of the header must be sound. */
struct block_fixed {
    uint64_t value;  /* double [N q] */
    uint64_t factor; /* int32 [q] */
    uint64_t start;  /* uint32 [q + 1] offsets of the names; the last is the text's size */
    uint64_t text;   /* to data_bytes */
};
struct block_fixed block_fixed(const struct block_header *header);

struct block_texts {
    uint64_t start, text;
};
struct block_texts block_alleles(const struct block_header *header);
struct block_texts block_marker_ids(const struct block_header *header);

/* Includes the texts outside the digest. */
uint64_t block_whole_bytes(const struct block_header *header);

/* Sets digest and hash of a complete block. */
void block_sign(void *block);
/* Compares both with what block_sign() would set. */
bool block_is_signed(const void *block);

uint64_t block_align(uint64_t bytes);

#endif
