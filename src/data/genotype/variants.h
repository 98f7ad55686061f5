/* SPDX-License-Identifier: BSD-3-Clause */
/* Genotypes site by site. Each kind of file is a row with its reader. Readers return what the file
 * contains; data/core/filter and data/genotype/genotype decide what is kept.
 *
 * A dosage is the number of copies of one alternative allele in a call of `ploidy` alleles; for
 * PLINK of A1, for HapMap of the second allele. A call of other ploidy is scaled: the haploid call 1
 * is 2 in a diploid file, like 1/1. A partly missing call is missing.
 *
 * With DS, GP or HDS the dosage is that of imputation: DS as it stands, the mean of the genotype
 * probabilities GP (also in the phred scale of VCF 4.2), the sum of the haplotype dosages HDS. A call
 * without the field counts the alleles of its GT. A value that cannot be read is a missing call, a site that cannot be used is
 * dropped; variants.doubts counts both. */
#ifndef DATA_GENOTYPE_VARIANTS_H
#define DATA_GENOTYPE_VARIANTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "data/core/data_report.h"
#include "data/core/data_spec.h"
#include "data/core/dataset.h"
#include "data/text/examples.h"
#include "data/text/names.h"

/* Texts are borrowed until the next site. */
struct site {
    const char *id; /* rs# of HapMap, ID of VCF, column 2 of a .bim; "." or "" */
    const char *chrom;
    int64_t pos; /* from 1 */
    int64_t end; /* VCF and BCF: last position of REF, or INFO/END; else 0 */
    const char *ref;
    const char *const *alt; /* [n_alts] */
    int32_t n_alts;         /* 0: all samples are equal */
    const char *odd;        /* why the site cannot be used; NULL: it can */
    bool is_seen;           /* HapMap: alleles are the letters of the calls */
    bool is_contradicted;   /* because the column `alleles` lacks a letter */
};

/* The letters of HapMap: bases, + insertion, - deletion. */
#define VARIANTS_LETTERS "ACGT+-"
enum { VARIANTS_N_LETTERS = sizeof VARIANTS_LETTERS - 1 };

/* Calls of one alternative allele for the selected samples. Borrowed until the next. One of the
 * arrays is not NULL. */
struct calls {
    const uint8_t *packed; /* data/genotype/markers.h */
    const int8_t *dosage;  /* DOSAGE_MISSING where missing */
    const float *value;    /* NaN where missing */
};

/* Counts calls and sites that cannot be taken as they stand. */
struct variants_doubts {
    int64_t n_hard;        /* calls without the field, counted from GT */
    int64_t n_phred;       /* calls whose GP is in phred scale */
    int64_t n_scaled;      /* calls of other ploidy than the file */
    int64_t n_malformed;   /* calls set to missing */
    char malformed[160];   /* the first: place, sample and text */
    struct examples sites; /* dropped: place and reason */
};

/* The kinds, separated by OR: each is a row NAME_variants. A file is of the last kind whose row
 * recognises it. */
#define VARIANTS_KINDS(X, OR) \
    X(VCF) OR X(BCF)          \
    OR X(HapMap)              \
    OR X(PLINK)

/* "VCF, BCF, ..." */
#define VARIANTS_NAME(name) #name
#define VARIANTS_NAMES VARIANTS_KINDS(VARIANTS_NAME, ", ")

struct variants_kind;

struct variants {
    const char *path; /* borrowed */
    struct names ids; /* of the file; read-only */
    int32_t *slot;    /* [ids.n] place among the selected samples, or -1 */
    int32_t n;        /* selected */
    bool has_ds;      /* the header of a VCF or BCF defines the field DS */
    enum data_dosage dosage;
    int ploidy;       /* of dosages; 0 before the first call */
    int found_ploidy; /* the most alleles of a call so far; above ploidy: variants_restart() */
    struct variants_doubts doubts;
    const struct variants_kind *kind;
    void *state;
};

/* The kind of a file; NULL: a table, unknown, or the file cannot be opened. */
const struct variants_kind *variants_detect(const char *path);

struct variants_calls {
    enum data_dosage dosage;
    int ploidy; /* of dosages, 0: of the file's first call; see variants_restart() */
};

/* Pair with variants_close(), also after a failure. -1 and err if the file cannot be read, has a
 * faulty header or no samples, or repeats an id. */
int variants_open(struct variants *v, const struct variants_kind *kind, const char *path,
                  const struct variants_calls *calls, struct err *err);

/* Begin anew with found_ploidy as the ploidy, and the same samples. */
int variants_restart(struct variants *v, struct err *err);
void variants_close(struct variants *v);

/* Select the samples sample[n], in this order, each at most once, instead of all. */
void variants_select(struct variants *v, const int32_t *sample, int32_t n);

/* Step to the next site: 1, or 0 at the end. -1 and err: FILE:LINE or the record, what was
 * found. */
int variants_next(struct variants *v, struct site *site, struct err *err);
/* Count a site that cannot be used, in the file's order. */
void variants_note_site(struct variants *v, const struct site *site);
/* Get the calls of alternative allele `alt`, in [0, n_alts). For GT also VARIANTS_REF if the kind
 * counts_ref, which counts the reference, and 0 if n_alts is 0, for which counts are 0. */
#define VARIANTS_REF (-1)
int variants_read(struct variants *v, int32_t alt, struct calls *calls, struct err *err);

/* Note calls that were recoded or set to missing, and sites that were dropped.
 *   n_markers  that were read */
void variants_report(struct data_report *r, const struct variants *v, int64_t n_markers);
void variants_report_malformed(struct data_report *r, const char *path, int64_t n,
                               const char *first);

struct variants_contradicted {
    int64_t n_taken;   /* with the letters of the calls as alleles */
    int64_t n_dropped; /* with other than two letters */
    struct examples sites;
};

void variants_note_contradicted(struct variants_contradicted *c, const struct site *site,
                                bool is_dropped);

/* ---- the rows ---- */

struct phenotype_report;
struct target_cells;

struct variants_kind {
    const char *name;
    bool is_diploid; /* each call has two alleles */
    bool has_fields; /* sites may have the fields DS, GP and HDS */
    bool counts_ref; /* read() accepts VARIANTS_REF */

    /* head [n]: the first bytes, plain or unpacked; n is 0 if the file cannot be opened. */
    bool (*is_kind)(const char *path, const char *head, size_t n);
    /* Sets ids and state. */
    int (*open)(struct variants *v, struct err *err);
    int (*next)(struct variants *v, struct site *site, struct err *err);
    int (*read)(struct variants *v, int32_t alt, struct calls *calls, struct err *err);
    void (*close)(struct variants *v);
    /* Make cells of the file's own phenotypes for the samples ids, some of v's. NULL: it has none.
     *   cells   out  pair with target_cells_release(), also after a failure; borrows from v
     *   report  out  n_valued, n_joined, is_case_control */
    int (*phenotypes)(struct target_cells *cells, const struct variants *v, const struct names *ids,
                      enum data_task task, struct phenotype_report *report, struct err *err);
};

#define VARIANTS_ROW(name) extern const struct variants_kind name##_variants;
VARIANTS_KINDS(VARIANTS_ROW, )
#undef VARIANTS_ROW

/* ---- for the readers ---- */

/* True if a file begins with the text. */
bool variants_begins(const char *head, size_t n, const char *text);

/* Open v->path with htslib, which then prints nothing. NULL and err: it cannot be opened, or is BGZF
 * without its end marker. */
struct htsFile *variants_open_hts(const struct variants *v, struct err *err);

/* line is the place of the id. */
int variants_add_id(struct variants *v, const char *id, int64_t line, struct err *err);

/* Capitalise an allele of bases (A, C, G, T, N), not others (<DEL>). VCF and PLINK permit lower
 * case for masked sequence. */
void variants_capitalise(char *allele);

/* Scratch for the calls of all samples. */
struct variants_scratch {
    int8_t *dosage; /* [n] */
    float *value;   /* [n] */
    bool has_fraction;
};

int variants_scratch_init(struct variants_scratch *s, int32_t n, struct err *err);
void variants_scratch_release(struct variants_scratch *s);
/* The calls of the selected samples are s->value, as dosages if all are whole numbers (has_field: the
 * site has the field that v->dosage names); else s->dosage. */
void variants_scratch_calls(struct calls *calls, struct variants_scratch *s, struct variants *v,
                            bool has_field);

/* Note the alleles of a call, or the largest dosage of one. */
void variants_see_ploidy(struct variants *v, int n_alleles);
/* Store a count of n_alleles alleles in s->dosage, scaled to the file's ploidy. */
void variants_scale(struct variants *v, struct variants_scratch *s, int32_t slot, int count,
                    int n_alleles);
/* Store a count, or DOSAGE_MISSING. Returns false if it is missing. */
static inline bool variants_take_count(struct variants *v, struct variants_scratch *s, int32_t slot,
                                       int count, int n_alleles)
{
    s->dosage[slot] = (int8_t)count;
    if (count == DOSAGE_MISSING)
        return false;
    if (n_alleles > v->found_ploidy)
        variants_see_ploidy(v, n_alleles);
    if (n_alleles != v->ploidy)
        variants_scale(v, s, slot, count, n_alleles);
    return true;
}
/* Store the count that variants_take_count() just took, of a call without the field, in s->value. */
void variants_take_hard(struct variants *v, struct variants_scratch *s, int32_t slot);

enum { VARIANTS_FIELD = 128 }; /* numbers of a field that are read */

/* The dosage of alternative allele alt from the n numbers of a field, NaN where missing.
 *   field      inout  phred scale becomes probabilities
 *   n_alleles  in     of the call by GT, 0: unknown
 * Returns NaN if the field does not give one, -1 if it is malformed. */
float variants_dosage(struct variants *v, float *field, int n, int32_t alt, int32_t n_alts,
                      int n_alleles);
const char *variants_field(enum data_dosage dosage); /* "GT", "DS", "GP" or "HDS" */
/* Why a site without GT cannot be read; has[] tells for each dosage whether the site has its field. */
const char *variants_no_gt(const bool has[DATA_DOSAGE_HDS + 1]);

/* place: "line " or "record ". */
void variants_note_malformed(struct variants *v, const char *place, int64_t number,
                             const char *sample, const char *text, int length);

/* The message is "PATH:PLACE: ...", with control characters as ?. Always -1. */
int variants_fault(struct err *err, const char *path, const char *place, int64_t number,
                   const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
