/* SPDX-License-Identifier: BSD-3-Clause */
/* Markers while they are read, variant by variant, and on their way into a block, sample by sample.
 *
 * They wait in two bits a genotype where their dosages are 0, 1 and 2, in a byte where they are
 * other whole numbers, in a float where they are none; and are given back to the system while the
 * block is written. So what a data set takes while it is read is little more than its block. */
#ifndef DATA_GENOTYPE_MARKERS_H
#define DATA_GENOTYPE_MARKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "data/core/filter.h"
#include "data/genotype/variants.h"

/* The two bits of a genotype are those of a PLINK .bed, the first sample of a byte in the lowest.
 */
enum { PACKED_TWO, PACKED_MISSING, PACKED_ONE, PACKED_ZERO };
#define PACKED_PAD 0x55 /* four missing ones: what packed bytes end with */

/* How many bytes struct calls' packed has for n samples: more than n / 4, the rest PACKED_PAD. */
int64_t markers_packed_bytes(int32_t n);

struct marker_chunk;

struct marker {
    uint64_t text; /* where it starts in markers.text */
    int32_t came;  /* its number as it came: others may have been left out since */
    int32_t n_missing;
    float fill; /* mean of the present genotypes */
};

struct markers {
    int32_t n_samples;
    int32_t n; /* markers */
    int32_t capacity;
    struct marker *list;        /* [n] */
    struct marker_chunk *chunk; /* [n_chunks] where their genotypes wait */
    int32_t n_chunks;
    bool has_fractions; /* the block holds floats */
    bool has_ids;
    struct buf text; /* "CHROM\tPOS\tREF\tALT" and the id, each with its NUL */
    struct buf name_text;
    const char **name;   /* [n] after markers_name() */
    const char **allele; /* [n] likewise */
    const char **id;     /* [n] likewise, "" where a marker has none */
    int8_t *dosage;      /* scratch, [n_samples] rounded up */
    uint8_t *packed;     /* scratch */
};

int markers_init(struct markers *m, int32_t n_samples, struct err *err);
void markers_release(struct markers *m); /* takes a zeroed one */

/* Append a marker. tally: of its calls. -1 and err when memory is short, or there are 2^31. */
int markers_add(struct markers *m, const struct site *site, int32_t alt, const struct calls *calls,
                const struct tally *tally, struct err *err);

/* Keep n of them, evenly spaced. */
void markers_thin(struct markers *m, int32_t n);
int64_t markers_missing(const struct markers *m); /* calls */

/* Name them CHROM_POS, and those that would have the same name CHROM_POS_REF_ALT. -1 and err: two
 * are the same to the letter; path is named. */
int markers_name(struct markers *m, const char *path, struct err *err);

/* Write all genotypes, row-major, and let go of them: dosages and what stands in for missing ones
 * (struct dataset), or where has_fractions features, missing ones filled in. What is not used is
 * NULL. Only once. */
void markers_write(struct markers *m, int8_t *dosage, float *fill, float *features);

#endif
