/* SPDX-License-Identifier: BSD-3-Clause */
/* Genotypes of the same samples, a site at a time, from what the field writes: VCF and BCF
 * (htslib), PLINK 1 (.bed, .bim, .fam) and HapMap. Readers give what the file says; what is kept of
 * it is data/core/filter's and data/genotype/genotype's.
 *
 * A dosage is the number of a site's alternative alleles of one kind in a call: of PLINK's A1, of
 * HapMap's second allele. A call that is missing in part is missing. */
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

/* One site; texts are borrowed until the next. */
struct site {
    const char *id; /* the file's name of it: rs# of HapMap, ID of VCF, column 2 of a .bim; "." or
                       "" where it has none */
    const char *chrom;
    int64_t pos; /* from 1 */
    int64_t end; /* of VCF and BCF: the last position of REF, or INFO/END; 0 of others */
    const char *ref;
    const char *const *alt; /* [n_alts] */
    int32_t n_alts;         /* 0: all samples are alike */
    bool is_seen; /* HapMap: the alleles are the letters of the calls, none is the reference */
    bool is_contradicted; /* HapMap: is_seen, because a call has a letter that the column `alleles`
                             does not name */
};

/* What HapMap writes for a base, an insertion and a deletion. */
#define VARIANTS_LETTERS "ACGT+-"
enum { VARIANTS_N_LETTERS = sizeof VARIANTS_LETTERS - 1 };

/* The calls of one alternative allele, of the samples that were selected, in their order; borrowed
 * until the next. One of the three arrays is not NULL. */
struct calls {
    const uint8_t *packed; /* two bits each as in a .bed, see data/genotype/markers.h */
    const int8_t *dosage;  /* DOSAGE_MISSING where missing */
    const float *value;    /* NaN where missing */
    int64_t n_alleles;     /* in the calls that are present: the whole that an allele's frequency is
                              a share of; 0: two in each */
};

struct variants_reader;

struct variants {
    const char *path; /* borrowed */
    struct names ids; /* the samples of the file, in its order; read-only */
    int32_t *slot;    /* [ids.n] the place of a sample among the selected ones, -1: left out */
    int32_t n;        /* selected */
    enum data_dosage dosage;
    const struct variants_reader *reader;
    void *state;
};

/* Takes a zeroed one. */
void variants_close(struct variants *v);

/* Take these samples, in this order, instead of all: sample[n] indices into ids, each once. */
void variants_select(struct variants *v, const int32_t *sample, int32_t n);

/* Step to the next site: 1, or 0 at the end. -1 and err: FILE:LINE or the record, what was found.
 */
int variants_next(struct variants *v, struct site *site, struct err *err);
/* The calls of the current site's alternative allele `alt`, in [0, n_alts). Of GT and HapMap also
 * VARIANTS_REF, which counts the other, and 0 where n_alts is 0, of which there are none. */
#define VARIANTS_REF (-1)
int variants_read(struct variants *v, int32_t alt, struct calls *calls, struct err *err);

/* HapMap sites whose calls have letters that their column `alleles` does not name. */
struct variants_contradicted {
    int64_t n_taken;               /* with the letters of their calls as alleles */
    int64_t n_dropped;             /* not two letters in their calls */
    char first[DATA_EXAMPLES][41]; /* names of the first of both, cut where they are longer */
};

/* Count a site whose calls contradict its alleles; append the names of the first, in quotes. */
void variants_note_contradicted(struct variants_contradicted *c, const struct site *site,
                                bool is_dropped);
void variants_put_contradicted(struct buf *out, const struct variants_contradicted *c);

/* ---- for the readers ---- */

/* One kind of file (data/genotype/readers.h). */
struct variants_reader {
    /* Fills ids and state. */
    int (*open)(struct variants *v, struct err *err);
    int (*next)(struct variants *v, struct site *site, struct err *err);
    int (*read)(struct variants *v, int32_t alt, struct calls *calls, struct err *err);
    void (*close)(struct variants *v);
};

/* A sample's id. line: where it stands. */
int variants_add_id(struct variants *v, const char *id, int64_t line, struct err *err);

/* An allele of bases (A, C, G, T, N) in capitals, in place: VCF and PLINK leave case open, and
 * small ones are how masked sequence is written. Others (<DEL>) stay. */
void variants_capitalise(char *allele);

/* Scratch of both widths for the calls of all samples. */
struct variants_scratch {
    int8_t *dosage; /* [n] */
    float *value;   /* [n] */
};

int variants_scratch_init(struct variants_scratch *s, int32_t n, struct err *err);
void variants_scratch_release(struct variants_scratch *s);
/* The first n values as calls: as dosages where all of them are whole. */
void variants_scratch_values(struct calls *calls, struct variants_scratch *s, int32_t n);

/* Write "PATH:PLACE: message", with control characters as ?. Always returns -1. */
int variants_fault(struct err *err, const char *path, const char *place, int64_t number,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
