/* SPDX-License-Identifier: BSD-3-Clause */
/* Genotypes of new samples, coded as those of a data set: the same markers, counting the same
 * allele.
 *
 * Where a marker's alleles are known it is found by CHROM, POS, REF and ALT. A site of one
 * alternative allele that has the two the other way round is turned: REF is counted. Other alleles
 * (another strand among them, which cannot be told of A/T and C/G) make it absent. Where alleles
 * are not known, of the data or of the file (a table), it is found by its name, CHROM_POS of a
 * site, and its dosages are taken as they are. What is absent or missing is the mean of the data.
 *
 * A marker that is not found so is found by its id (struct site), where the data, the file or both
 * have ids: a column or a marker of a table has its name as id. Alleles, where both are known, must
 * agree. An id that several markers of the data or several sites of the file have matches nothing.
 *
 * At a site whose alleles are those of its calls (site.is_seen) each marker there counts its letter
 * by itself, and a call with a letter that none of them has is missing: so who else is in the file
 * makes no difference. Such a site is found by no name.
 */
#ifndef DATA_GENOTYPE_RECODE_H
#define DATA_GENOTYPE_RECODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "data/genotype/variants_open.h"
#include "data/text/names.h"

struct recode_report {
    int32_t n_found;     /* markers of the data, of n_markers */
    int32_t n_flipped;   /* of them, turned */
    int32_t n_by_name;   /* of them, alleles not compared */
    int32_t n_by_id;     /* of them, found by id */
    int32_t n_other;     /* absent: other alleles at their place */
    int32_t n_respelled; /* of them, with another name of the chromosome */
    char chrom[2][40];   /* the first of those names: in the file, in the data; if there is none,
                            the first that the data have not, and "" */
    struct variants_contradicted contradicted; /* sites of the file; all are matched by letter */
    int64_t n_missing;   /* calls of what was found, of the samples that were read */
    int64_t n_elsewhere; /* sites of chromosomes that the data have not */
};

/* One marker of the data, in the last reading of the file. */
struct recode_marker {
    bool has_own_id; /* an id that no other marker of the data has */
    bool is_found;
    bool is_other; /* not found: other alleles at its place */
    bool is_flipped, is_by_name, is_by_id, is_respelled;
    uint8_t n_ids;     /* sites with its id: 0, 1, or 2 where there are several */
    int32_t n_missing; /* calls of those who were read */
};

struct genotype_table;

/* What the data call their chromosomes. The prefix chr makes no difference, unless the data have
 * two chromosomes that differ in it alone. */
struct chroms {
    struct names name;
    struct names bare; /* the same without prefix */
    bool is_mixed;     /* two are the same without: only whole names are compared */
};

struct recode {
    const struct dataset *data; /* borrowed, like the next */
    const char *path;
    const char *missing; /* as genotype_table_read() takes it */
    enum data_dosage dosage;
    enum variants_kind kind;
    struct variants variants;     /* of any kind but VARIANTS_NONE */
    bool is_read;                 /* a file of variants is read from its beginning each time */
    struct genotype_table *table; /* VARIANTS_NONE */
    struct names sites, names;    /* of the data's markers, with their numbers */
    struct names ids;             /* likewise; empty where the data have none */
    struct chroms chroms;         /* of those, from alleles or names CHROM_POS */
    float *fill;                  /* [K] means of the data */
    struct recode_marker *marker; /* [K] */
    bool is_respelled;            /* the current site's chromosome is */
    bool has_respelled;           /* and a marker was found there */
    int64_t n_sites;              /* of the last reading */
};

/* Reads the samples' ids. Pair with recode_close(), also after a failure. -1 and err: as
 * variants_open() and genotype_table_read(). */
int recode_open(struct recode *r, const struct dataset *data, const char *path,
                enum data_dosage dosage, const char *missing, struct err *err);
void recode_close(struct recode *r); /* takes a zeroed one */

/* Whether a table has dosages below 0 (the lowest: *low) while no marker of the data has a mean
 * there: it is coded otherwise (-1, 0, 1), most probably. */
bool recode_is_below(double *low, const struct recode *r);

/* The file's samples. */
const struct names *recode_ids(const struct recode *r);

/* x out (n, K): markers of these samples, indices into the ids. May be asked again for others: a
 * file of variants is then read again, so that memory is x alone. -1 and err: the file is faulty,
 * or none of its chromosomes is one of the data's.
 */
int recode_read(struct mat *x, struct recode_report *report, struct recode *r,
                const int32_t *sample, int32_t n, struct err *err);

#endif
