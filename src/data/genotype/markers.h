/* SPDX-License-Identifier: BSD-3-Clause */
/* Collects markers variant by variant and writes them into a block sample by sample. A genotype
 * takes two bits if dosages are 0, 1 and 2, a byte if they are other whole numbers, else a float. How
 * many variants pass the filters is known only at the end; two passes would parse a VCF twice.
 * The memory returns to the system while the block is written. */
#ifndef DATA_GENOTYPE_MARKERS_H
#define DATA_GENOTYPE_MARKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "data/core/filter.h"
#include "data/genotype/variants.h"

/* Codes as in a PLINK .bed, the first sample in the lowest bits. */
enum { PACKED_TWO, PACKED_MISSING, PACKED_ONE, PACKED_ZERO };
#define PACKED_PAD 0x55 /* four missing genotypes */

/* Returns the size of packed in struct calls: more than n / 4 bytes, padded with PACKED_PAD. */
int64_t markers_packed_bytes(int32_t n);

struct marker_chunk;

struct marker {
    uint64_t text; /* offset in markers.text */
    int32_t came;  /* in order of adding */
    int32_t n_missing;
    float fill; /* mean of the present genotypes */
};

struct markers {
    int32_t n_samples;
    int32_t n; /* markers */
    size_t capacity;
    struct marker *list;        /* [n] */
    struct marker_chunk *chunk; /* [n_chunks] */
    int32_t n_chunks;
    size_t chunk_capacity;
    bool has_fractions; /* the block holds floats */
    bool has_ids;
    struct examples repeated; /* dropped by markers_name() */
    struct buf text;          /* "CHROM\tPOS\tREF\tALT" and the id, each with its NUL */
    struct buf name_text;
    const char **name;   /* [n] after markers_name() */
    const char **allele; /* [n] after markers_name() */
    const char **id;     /* [n] likewise, "" where a marker has none */
    int8_t *dosage; /* scratch, like packed and value: calls of a marker, padded to whole blocks */
    uint8_t *packed;
    float *value;
};

int markers_init(struct markers *m, int32_t n_samples, struct err *err);
void markers_release(struct markers *m);

/* -1 and err: no memory, or 2^31 markers. */
int markers_add(struct markers *m, const struct site *site, int32_t alt, const struct calls *calls,
                const struct tally *tally, struct err *err);

/* The markers left are evenly spaced. */
void markers_thin(struct markers *m, int32_t n);

/* Name the markers: CHROM_POS, or the id if the place is unknown (markers_has_place()); with
 * _REF_ALT, and then the id, behind it where names are equal. A marker that equals an earlier one
 * in place, alleles and id is dropped; either may lack the id. */
int markers_name(struct markers *m, struct err *err);

/* False on chromosome 0 or UN, without a chromosome, and at position 0. */
bool markers_has_place(const char *chrom, int64_t pos);
bool markers_is_placed(const char *allele); /* of "CHROM\tPOS\tREF\tALT" */

/* draft.write(): write all genotypes, row-major, and free them: dosage and fill (struct dataset), or
 * features if has_fractions, with missing values filled in. The other arrays are NULL. Only once. */
void markers_write(void *markers, int8_t *dosage, float *fill, float *features);

#endif
