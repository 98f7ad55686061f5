/* SPDX-License-Identifier: BSD-3-Clause */
/* Which variants are kept: the settings maf, max_missing, region, variants and multiallelic of
 * [data], for whatever kind of file has them. */
#ifndef DATA_CORE_FILTER_H
#define DATA_CORE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/core/data_spec.h"

/* The genotypes of a variant in numbers. */
struct tally {
    int32_t n_present;
    double sum;
    double low, high; /* of the present ones; low > high without any */
};

/* Each over n samples, as in struct calls of data/genotype/variants.h. */
struct tally tally_packed(const uint8_t *packed, int32_t n);
struct tally tally_dosage(const int8_t *dosage, int32_t n);
struct tally tally_value(const float *value, int32_t n);

enum filter_take { FILTER_ALL, FILTER_FIRST, FILTER_THIN };

/* What data.variants says: all, first:N, thin:N. -1 and err: anything else. */
int filter_parse_take(enum filter_take *take, int32_t *n, const char *text, struct err *err);

struct filter_range {
    char *chrom; /* owned */
    int64_t from, to;
};

struct filter {
    double maf;
    double call_rate;
    bool skips_multiallelic;
    enum filter_take take;
    int32_t n_take;
    struct filter_range *range; /* [n_ranges]; none: everywhere */
    int32_t n_ranges;
};

/* What the filters left out of a file. */
struct filter_counts {
    int32_t n_read;         /* markers that were judged */
    int64_t n_elsewhere;    /* sites outside the region */
    int64_t n_multiallelic; /* sites skipped; those split are in n_split */
    int64_t n_split;
    int32_t n_too_missing; /* markers dropped, as are the next three */
    int32_t n_monomorphic; /* the same call wherever there is one */
    int32_t n_rare;
    int32_t n_thinned;
    bool is_partly_read; /* variants = first:N had enough before the end */
};

/* From the settings. Pair with filter_release(), also after a failure. -1 and err: a region that is
 * none. */
int filter_init(struct filter *f, const struct data_filter *spec, struct err *err);
void filter_release(struct filter *f); /* takes a zeroed one */

/* Whether a site is in one of the regions, or reaches into it from before. */
bool filter_has_region(const struct filter *f, const char *chrom, int64_t pos, int64_t end);

/* Whether a variant is kept; what speaks against it is counted. frequency: of the counted
 * allele, where a call is present. */
bool filter_keeps(const struct filter *f, const struct tally *tally, int32_t n_samples,
                  double frequency, struct filter_counts *counts);

#endif
