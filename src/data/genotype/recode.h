/* SPDX-License-Identifier: BSD-3-Clause */
/* Codes genotypes of new samples like those of a data set: the same markers, counting the same
 * alleles.
 *
 * Markers are matched in this order:
 *   - By CHROM, POS, REF and ALT, if alleles are known. If a site with one alternative allele has
 *     the two swapped, REF is counted. With other alleles, such as those of the other strand, the
 *     marker is absent. (For A/T and C/G strands cannot be told apart.)
 *   - By name, if the data or the file (a table) have no alleles: a site's name is CHROM_POS.
 *     Dosages are taken to count the same allele.
 *   - By id (struct site), if the data or the file have ids; those of a table are names. Alleles
 *     must agree if both are known. A repeated id matches nothing.
 * An absent marker or missing call gets the data's mean.
 *
 * Example: the data count G of chr1:100 A>G. A new file that has 1:100 G>A gives the call 0/0 (two G) the
 * dosage 2; one that has 1:100 A>C lacks the marker.
 *
 * Dosages get the coding of the data: 0 to the ploidy, or -1 to 1. The range of a table's calls
 * determines its coding; if several are possible, that with the means nearest to those of the data.
 * A table in no coding is refused. Calls of variants have the ploidy of the data. Data that are no
 * dosages are matched with tables of numbers, which are taken as they are.
 *
 * If the alleles of a site are those of its calls (site.is_seen), each marker there counts its own
 * letter, and a call with any other letter is missing, so that the result does not depend on the
 * other samples. This site is never matched by name. */
#ifndef DATA_GENOTYPE_RECODE_H
#define DATA_GENOTYPE_RECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "data/genotype/coding.h"
#include "data/genotype/variants.h"
#include "data/text/names.h"

struct recode_report {
    int32_t n_found;   /* of n_markers of the data */
    int32_t n_flipped; /* with swapped alleles */
    int32_t n_by_name; /* without comparing alleles */
    int32_t n_by_id;
    int32_t n_other;     /* absent: the place has other alleles */
    int32_t n_respelled; /* with another name of the chromosome */
    char chrom[2][40];   /* the first such name in the file and in the data; if none, the first
                            chromosome that the data lack, and "" */
    struct variants_contradicted contradicted; /* matched by letter */
    int64_t n_missing;                         /* calls of found markers */
    int64_t n_recoded;                         /* from the coding of the file to that of the data */
    int64_t n_elsewhere;
};

struct recode_marker {
    bool has_own_id; /* no other marker has its id */
    bool is_found;
    bool is_other; /* the place has other alleles */
    bool is_flipped, is_by_name, is_by_id, is_respelled;
    uint8_t n_ids;     /* sites with its id, 2 for several */
    int32_t n_missing; /* calls */
};

/* Names of the data's chromosomes. The prefix chr and zeros before a number are ignored, unless
 * two names differ only in them. */
struct chroms {
    struct names name;
    struct names bare; /* without the prefix */
    bool is_mixed;     /* compare whole names */
};

struct recode {
    const struct dataset *data; /* borrowed, like path */
    const char *path;
    const char *missing; /* data.missing_genotype */
    struct variants_calls calls;
    struct coding here, there; /* of the data, of the file */
    struct coding other;       /* is_unsure: another that the file may have */
    bool is_unsure;
    int32_t n_without_alleles;        /* sites of unknown alleles with the id of a marker */
    const struct variants_kind *kind; /* NULL: a table */
    struct variants variants;
    bool is_read;                 /* the next reading opens it anew */
    struct genotype_table *table; /* NULL unless it is one */
    struct names sites, names;    /* of the data's markers, by number */
    struct names ids;             /* likewise, or empty */
    struct chroms chroms;         /* of the data */
    float *fill;                  /* [K] means of the data */
    struct recode_marker *marker; /* [K] */
    bool is_respelled;            /* at the current site */
    bool has_respelled;           /* at a marker that was found */
    int64_t n_sites;
};

/* Read the samples' ids. Pair with recode_close(), also after a failure. -1 and err like
 * variants_open() and genotype_table_read(). */
int recode_open(struct recode *r, const struct dataset *data, const char *path,
                enum data_dosage dosage, const char *missing, struct err *err);
void recode_close(struct recode *r);

/* True for a table of letters if the data were numbers, whose counted alleles are not known. */
bool recode_is_other_kind(const struct recode *r);

const struct names *recode_ids(const struct recode *r);

/* x out (n, K): markers of the samples sample[n], indices into the ids. May be called again: a file
 * of variants is read anew, so that x is the only large array. -1 and err if the file is faulty or
 * shares no chromosome with the data. */
int recode_read(struct mat *x, struct recode_report *report, struct recode *r,
                const int32_t *sample, int32_t n, struct err *err);

#endif
