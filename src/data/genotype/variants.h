/* SPDX-License-Identifier: BSD-3-Clause */
/* Genotypes of the same samples, site by site, from the usual files: VCF and BCF (htslib), PLINK 1
 * (.bed, .bim, .fam) and HapMap. Readers return what the file contains; data/core/filter and
 * data/genotype/genotype decide what is kept.
 *
 * A dosage is the number of copies of one alternative allele in a call; for PLINK of A1, for HapMap
 * of the second allele. A partly missing call is missing. */
#ifndef DATA_GENOTYPE_VARIANTS_H
#define DATA_GENOTYPE_VARIANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/core/dataset.h"
#include "data/text/names.h"

/* One site. Texts are borrowed until the next. */
struct site {
    const char *id; /* id in the file: rs# of HapMap, ID of VCF, column 2 of a .bim; "." or "" where
                       it has none */
    const char *chrom;
    int64_t pos; /* from 1 */
    int64_t end; /* VCF and BCF: the last position of REF, or INFO/END; else 0 */
    const char *ref;
    const char *const *alt; /* [n_alts] */
    int32_t n_alts;         /* 0: all samples are equal */
    bool is_seen; /* HapMap: the alleles are the letters of the calls; none is the reference */
    bool is_contradicted; /* HapMap: is_seen, because a call has a letter that the column `alleles`
                             does not contain */
};

/* The letters of HapMap: the bases, + for an insertion and - for a deletion. */
#define VARIANTS_LETTERS "ACGT+-"
enum { VARIANTS_N_LETTERS = sizeof VARIANTS_LETTERS - 1 };

/* Calls of one alternative allele for the selected samples, in their order. Borrowed until the
 * next. Exactly one of the three arrays is not NULL. */
struct calls {
    const uint8_t *packed; /* two-bit codes as in a .bed, see data/genotype/markers.h */
    const int8_t *dosage;  /* DOSAGE_MISSING where missing */
    const float *value;    /* NaN where missing */
    int64_t n_alleles;     /* number of alleles in the present calls, the denominator of an allele's
                              frequency; 0: two in each call */
};

struct variants_reader;

struct variants {
    const char *path; /* borrowed */
    struct names ids; /* samples of the file, in its order; read-only */
    int32_t *slot;    /* [ids.n] index of a sample among the selected ones, -1: not selected */
    int32_t n;        /* selected */
    enum data_dosage dosage;
    const struct variants_reader *reader;
    void *state;
};

/* Close a file. */
void variants_close(struct variants *v);

/* Select the samples sample[n], in this order, instead of all. They are indices into ids, each at
 * most once. */
void variants_select(struct variants *v, const int32_t *sample, int32_t n);

/* Step to the next site: 1, or 0 at the end. -1 and err: FILE:LINE or the record, what was
 * found. */
int variants_next(struct variants *v, struct site *site, struct err *err);
/* Read the calls of the current site's alternative allele `alt`, in [0, n_alts). For GT and HapMap
 * also VARIANTS_REF, which counts the reference, and 0 if n_alts is 0, for which all counts are
 * 0. */
#define VARIANTS_REF (-1)
int variants_read(struct variants *v, int32_t alt, struct calls *calls, struct err *err);

/* HapMap sites whose calls have letters that their column `alleles` does not contain. */
struct variants_contradicted {
    int64_t n_taken;               /* kept, with the letters of their calls as alleles */
    int64_t n_dropped;             /* dropped, because their calls do not have two letters */
    char first[DATA_EXAMPLES][41]; /* names of the first of both kinds, possibly cut */
};

/* Count a site whose calls contradict its alleles. */
void variants_note_contradicted(struct variants_contradicted *c, const struct site *site,
                                bool is_dropped);
/* Append the first names, in quotes. */
void variants_put_contradicted(struct buf *out, const struct variants_contradicted *c);

/* ---- for the readers ---- */

/* Functions of one kind of file (data/genotype/readers.h). */
struct variants_reader {
    /* sets ids and state */
    int (*open)(struct variants *v, struct err *err);
    int (*next)(struct variants *v, struct site *site, struct err *err);
    int (*read)(struct variants *v, int32_t alt, struct calls *calls, struct err *err);
    void (*close)(struct variants *v);
};

/* Append a sample's id, found in line `line`. */
int variants_add_id(struct variants *v, const char *id, int64_t line, struct err *err);

/* Capitalise an allele of bases (A, C, G, T, N) in place; leave others (<DEL>) unchanged. VCF and
 * PLINK permit lower case, which marks masked sequence. */
void variants_capitalise(char *allele);

/* Scratch of both types for the calls of all samples. */
struct variants_scratch {
    int8_t *dosage; /* [n] */
    float *value;   /* [n] */
};

int variants_scratch_init(struct variants_scratch *s, int32_t n, struct err *err);
void variants_scratch_release(struct variants_scratch *s);
/* Set calls to the first n values, as dosages if all of them are whole numbers. */
void variants_scratch_values(struct calls *calls, struct variants_scratch *s, int32_t n);

/* Set err to "PATH:PLACE: message", with control characters as ?. Always returns -1. */
int variants_fault(struct err *err, const char *path, const char *place, int64_t number,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
