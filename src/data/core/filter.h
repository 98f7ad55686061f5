/* SPDX-License-Identifier: BSD-3-Clause */
/* Applies struct data_filter to every kind of file. */
#ifndef DATA_CORE_FILTER_H
#define DATA_CORE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/core/data_spec.h"

/* The genotypes of a variant. */
struct tally {
    int32_t n_present;
    double sum;
    double low, high; /* low > high without genotypes */
};

/* The forms are those of struct calls (data/genotype/variants.h). */
struct tally tally_packed(const uint8_t *packed, int32_t n);
struct tally tally_dosage(const int8_t *dosage, int32_t n);
struct tally tally_value(const float *value, int32_t n);

enum filter_take { FILTER_ALL, FILTER_FIRST, FILTER_THIN };

/* Parse all, first:N or thin:N. */
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
    struct filter_range *range; /* [n_ranges] none: everywhere */
    int32_t n_ranges;
};

/* Counts of dropped variants. */
struct filter_counts {
    int32_t n_read;         /* markers that were tested */
    int64_t n_elsewhere;    /* sites outside the region */
    int64_t n_multiallelic; /* skipped; those split are in n_split */
    int64_t n_split;
    int32_t n_uncalled; /* markers without any call, dropped like the next four */
    int32_t n_too_missing;
    int32_t n_monomorphic;
    int32_t n_rare;
    int32_t n_thinned;
    bool is_partly_read; /* variants = first:N was satisfied before the end */
};

/* Pair with filter_release(), also after a failure. -1 and err if the region is malformed. */
int filter_init(struct filter *f, const struct data_filter *spec, struct err *err);
void filter_release(struct filter *f);

/* A site may extend into a region from before. */
bool filter_has_region(const struct filter *f, const char *chrom, int64_t pos, int64_t end);

/* counts gets the reason if the variant is dropped. frequency is that of the counted allele among
 * present calls. */
bool filter_keeps(const struct filter *f, const struct tally *tally, int32_t n_samples,
                  double frequency, struct filter_counts *counts);

#endif
