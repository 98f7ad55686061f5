/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/genotype/variants.h"

#include <errno.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "data/text/stream.h"

static const struct variants_kind *const kinds[] = {
#define VARIANTS_ROW(name) &name##_variants,
    VARIANTS_KINDS(VARIANTS_ROW, )
#undef VARIANTS_ROW
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

bool variants_begins(const char *head, size_t n, const char *text)
{
    return n >= strlen(text) && !memcmp(head, text, strlen(text));
}

const struct variants_kind *variants_detect(const char *path)
{
    char head[64];
    size_t n = stream_peek(head, sizeof head, path);

    for (int i = N_KINDS - 1; i >= 0; i--)
        if (kinds[i]->is_kind(path, head, n))
            return kinds[i];
    return NULL;
}

static int open_kind(struct variants *v, const struct variants_kind *kind, const char *path,
                     enum data_dosage dosage, struct err *err)
{
    *v = (struct variants){.path = path, .dosage = dosage, .kind = kind};
    if (kind->open(v, err))
        return -1;
    if (v->ids.n == 0)
        return err_set(err, "%s: no samples", path);
    return 0;
}

int variants_open(struct variants *v, const struct variants_kind *kind, const char *path,
                  const struct variants_calls *calls, struct err *err)
{
    if (open_kind(v, kind, path, calls->dosage, err))
        return -1;
    v->ploidy = kind->is_diploid ? 2 : calls->ploidy;
    v->slot = malloc((size_t)v->ids.n * sizeof *v->slot);
    if (!v->slot)
        return err_nomem(err, "samples", (size_t)v->ids.n * sizeof *v->slot);
    for (int32_t i = 0; i < v->ids.n; i++)
        v->slot[i] = i;
    v->n = v->ids.n;
    return 0;
}

/* Ids stay where they are, since others borrow them, and so does v, which readers point to. */
int variants_restart(struct variants *v, struct err *err)
{
    struct variants old = *v;
    int rc;

    v->ids = (struct names){0};
    v->slot = NULL;
    variants_close(v);
    rc = open_kind(v, old.kind, old.path, old.dosage, err);
    if (!rc && v->ids.n != old.ids.n)
        rc = err_set(err, "%s: changed while it was read", old.path);
    names_release(&v->ids);
    v->ids = old.ids;
    v->slot = old.slot;
    v->n = old.n;
    v->ploidy = v->found_ploidy = old.found_ploidy;
    return rc;
}

void variants_close(struct variants *v)
{
    if (!v)
        return;
    if (v->state)
        v->kind->close(v);
    names_release(&v->ids);
    free(v->slot);
    memset(v, 0, sizeof *v);
}

struct htsFile *variants_open_hts(const struct variants *v, struct err *err)
{
    htsFile *file;

    hts_set_log_level(HTS_LOG_OFF); /* espalier reports errors itself */
    errno = 0;
    file = hts_open(v->path, "r");
    if (!file) {
        /* what htslib sets for a format that it does not know */
        bool is_unknown = errno == ENOEXEC || errno == 0;

        err_set(err, "%s: cannot open: %s", v->path,
                is_unknown ? "neither VCF nor BCF" : strerror(errno));
        return NULL;
    }
    /* A BGZF file cut off between two blocks lacks only its end marker. */
    if (file->format.compression != bgzf || hts_check_EOF(file))
        return file;
    err_set(err, "%s: truncated: the end marker of a BGZF file is missing", v->path);
    hts_close(file);
    return NULL;
}

int variants_add_id(struct variants *v, const char *id, int64_t line, struct err *err)
{
    int32_t known = names_find(&v->ids, id);

    if (!*id)
        return err_set(err, "%s:%lld: the id of sample %d is empty", v->path, (long long)line,
                       v->ids.n + 1);
    if (known >= 0)
        return err_set(err, "%s:%lld: sample \"%.80s\" occurs twice, first as sample %d", v->path,
                       (long long)line, id, known + 1);
    return names_add(&v->ids, id, line, err) < 0 ? -1 : 0;
}

void variants_select(struct variants *v, const int32_t *sample, int32_t n)
{
    for (int32_t i = 0; i < v->ids.n; i++)
        v->slot[i] = -1;
    for (int32_t i = 0; i < n; i++)
        v->slot[sample[i]] = i;
    v->n = n;
}

int variants_next(struct variants *v, struct site *site, struct err *err)
{
    return v->kind->next(v, site, err);
}

void variants_note_site(struct variants *v, const struct site *site)
{
    bool has_id = site->id && *site->id && strcmp(site->id, ".") != 0;
    char pos[24] = "";

    if (!has_id && site->pos > 0)
        snprintf(pos, sizeof pos, ":%lld", (long long)site->pos);
    examples_add(&v->doubts.sites, ", ", "\"%.40s%s\" (%.60s)", has_id ? site->id : site->chrom,
                 pos, site->odd);
}

int variants_read(struct variants *v, int32_t alt, struct calls *calls, struct err *err)
{
    *calls = (struct calls){0};
    return v->kind->read(v, alt, calls, err);
}

void variants_report_malformed(struct data_report *r, const char *path, int64_t n,
                               const char *first)
{
    if (n)
        data_report_add(r, DATA_NOTE_WARNING, "malformed",
                        "%s: %lld call%s cannot be read and count%s as missing; the first is %s",
                        path, (long long)n, n == 1 ? "" : "s", n == 1 ? "s" : "", first);
}

void variants_report(struct data_report *r, const struct variants *v, int64_t n_markers)
{
    const struct variants_doubts *d = &v->doubts;

    variants_report_malformed(r, v->path, d->n_malformed, d->malformed);
    if (d->n_hard && d->n_hard >= (int64_t)v->n * n_markers)
        data_report_add(
            r, DATA_NOTE_WARNING, "dosage",
            "%s: no call has %s: all dosages are the numbers of alleles in GT; check [data] "
            "dosage",
            v->path, variants_field(v->dosage));
    else if (d->n_hard)
        data_report_add(r, DATA_NOTE_INFO, "dosage",
                        "%s: %lld calls have no %s: their dosage is the number of alleles in GT",
                        v->path, (long long)d->n_hard, variants_field(v->dosage));
    if (d->n_phred)
        data_report_add(r, DATA_NOTE_INFO, "GP",
                        "%s: %lld calls have GP in phred scale, converted to probabilities",
                        v->path, (long long)d->n_phred);
    if (d->n_scaled)
        data_report_add(
            r, DATA_NOTE_INFO, "ploidy",
            "%s: %lld calls have another number of alleles than %d and are scaled to it", v->path,
            (long long)d->n_scaled, v->ploidy);
    if (d->sites.n)
        data_report_add(r, DATA_NOTE_WARNING, "odd sites",
                        "%s: %lld site%s dropped, which cannot be used: %s", v->path,
                        (long long)d->sites.n, plural(d->sites.n), d->sites.text);
}

void variants_note_contradicted(struct variants_contradicted *c, const struct site *site,
                                bool is_dropped)
{
    examples_add(&c->sites, ", ", "\"%.40s\"", site->id);
    c->n_dropped += is_dropped;
    c->n_taken += !is_dropped;
}

/* ---- for the readers ---- */

void variants_capitalise(char *allele)
{
    if (allele[strspn(allele, "ACGTNacgtn")])
        return;
    for (; *allele; allele++)
        *allele &= ~0x20;
}

int variants_scratch_init(struct variants_scratch *s, int32_t n, struct err *err)
{
    s->dosage = malloc((size_t)n);
    s->value = malloc((size_t)n * sizeof *s->value);
    if (!s->dosage || !s->value)
        return err_nomem(err, "genotypes of a variant", (size_t)n * (1 + sizeof *s->value));
    return 0;
}

void variants_scratch_release(struct variants_scratch *s)
{
    free(s->dosage);
    free(s->value);
    memset(s, 0, sizeof *s);
}

void variants_note_malformed(struct variants *v, const char *place, int64_t number,
                             const char *sample, const char *text, int length)
{
    struct variants_doubts *d = &v->doubts;

    if (d->n_malformed++ == 0)
        snprintf(d->malformed, sizeof d->malformed, "%s%lld, sample \"%.40s\": \"%.*s\"", place,
                 (long long)number, sample, length < 40 ? length : 40, text);
}

void variants_see_ploidy(struct variants *v, int n_alleles)
{
    if (v->ploidy == 0)
        v->ploidy = n_alleles;
    if (n_alleles > v->found_ploidy)
        v->found_ploidy = n_alleles;
}

enum { FRACTION = DOSAGE_MISSING + 1 };

void variants_scale(struct variants *v, struct variants_scratch *s, int32_t slot, int count,
                    int n_alleles)
{
    int scaled = count * v->ploidy;

    v->doubts.n_scaled++;
    if (scaled % n_alleles == 0) {
        s->dosage[slot] = (int8_t)(scaled / n_alleles);
        return;
    }
    s->dosage[slot] = FRACTION;
    s->value[slot] = (float)scaled / (float)n_alleles;
    s->has_fraction = true;
}

void variants_take_hard(struct variants *v, struct variants_scratch *s, int32_t slot)
{
    v->doubts.n_hard++;
    if (s->dosage[slot] != FRACTION)
        s->value[slot] = (float)s->dosage[slot];
    s->has_fraction = false;
}

const char *variants_field(enum data_dosage dosage)
{
    static const char *const field[] = {
        [DATA_DOSAGE_GT] = "GT",
        [DATA_DOSAGE_DS] = "DS",
        [DATA_DOSAGE_GP] = "GP",
        [DATA_DOSAGE_HDS] = "HDS",
    };

    return field[dosage];
}

const char *variants_no_gt(const bool has[DATA_DOSAGE_HDS + 1])
{
    return has[DATA_DOSAGE_DS]    ? "no GT, but DS: [data] dosage = DS reads both"
           : has[DATA_DOSAGE_GP]  ? "no GT, but GP: [data] dosage = GP reads both"
           : has[DATA_DOSAGE_HDS] ? "no GT, but HDS: [data] dosage = HDS reads both"
                                  : "no GT";
}

enum { MOST_ALLELES = 16 }; /* of a call whose genotypes have probabilities */

/* The alleles of a call that has so many genotypes of m alleles; 0: none. */
static int alleles_of_call(int n_genotypes, int32_t m)
{
    int64_t n = 1; /* genotypes of `ploidy` alleles: binomial(ploidy + m - 1, ploidy) */

    for (int ploidy = 1; ploidy <= MOST_ALLELES; ploidy++) {
        n = n * (ploidy + m - 1) / ploidy;
        if (n >= n_genotypes)
            return n == n_genotypes ? ploidy : 0;
    }
    return 0;
}

/* Returns the alleles of a call, 0 if the number of probabilities fits none. */
static int mean_of_genotypes(float *mean, float *p, int n, int32_t alt, int32_t n_alts,
                             int64_t *n_phred)
{
    int ploidy = alleles_of_call(n, n_alts + 1);
    int32_t allele[MOST_ALLELES] = {0};
    bool is_scaled = false;
    double sum = 0, whole = 0;

    /* The phred scale of VCF 4.2 is -10 log10 p, of which one is above 1 if the p sum to 1. */
    for (int i = 0; i < n; i++)
        is_scaled = is_scaled || p[i] > 1.01F;
    for (int i = 0; i < n; i++) {
        if (!(p[i] >= 0))
            return isnan(p[i]) ? 0 : -1;
        p[i] = is_scaled ? powf(10, -p[i] / 10) : p[i];
        whole += (double)p[i];
    }
    if (is_scaled && !(whole > 0.5 && whole < 2))
        return -1;
    *n_phred += is_scaled;
    if (!(whole > 0.5) || !ploidy)
        return 0;
    for (int i = 0; i < n; i++) {
        int count = 0, next = 0;

        for (int k = 0; k < ploidy; k++)
            count += allele[k] == alt + 1;
        sum += count * (double)p[i];
        /* In the order of VCF (4.3, 1.6.2) the first allele varies fastest. */
        while (next < ploidy - 1 && allele[next] == allele[next + 1])
            next++;
        allele[next]++;
        memset(allele, 0, (size_t)next * sizeof *allele);
    }
    *mean = (float)(sum / whole);
    return ploidy;
}

/* Dosages that imputation rounds may exceed the ploidy by this. */
#define SLACK 0.01F

float variants_dosage(struct variants *v, float *field, int n, int32_t alt, int32_t n_alts,
                      int n_alleles)
{
    float dosage = NAN;
    int own = n_alleles;

    if (v->dosage == DATA_DOSAGE_DS) {
        if (alt < n)
            dosage = field[alt];
        else if (n_alts > 1 && n == 1 && isnan(field[0]))
            dosage = NAN;
        else
            return -1;
        if (dosage < 0 || dosage > DOSAGE_MAX)
            return -1;
        if (!isnan(dosage) && (own == 0 || dosage > (float)own + SLACK))
            own = (int)fmaxf(own ? 0 : 2, ceilf(dosage - SLACK));
    } else if (v->dosage == DATA_DOSAGE_GP) {
        own = mean_of_genotypes(&dosage, field, n, alt, n_alts, &v->doubts.n_phred);
        if (own < 0)
            return -1;
    } else if (n_alts == 1) {
        double sum = 0;

        for (int i = 0; i < n; i++) {
            if (!(field[i] >= 0 && field[i] <= 1.01F))
                return isnan(field[i]) ? NAN : -1;
            sum += (double)field[i];
        }
        dosage = (float)sum;
        own = n;
    }
    if (isnan(dosage))
        return dosage;
    variants_see_ploidy(v, own);
    if (own == v->ploidy || (own < v->ploidy && n_alleles == 0 && v->dosage == DATA_DOSAGE_DS))
        return dosage;
    v->doubts.n_scaled++;
    return dosage * (float)v->ploidy / (float)own;
}

void variants_scratch_calls(struct calls *calls, struct variants_scratch *s, struct variants *v,
                            bool has_field)
{
    bool has_fraction = s->has_fraction;

    s->has_fraction = false;
    calls->dosage = s->dosage;
    if (!has_field) {
        v->doubts.n_hard += v->dosage != DATA_DOSAGE_GT ? v->n : 0;
        if (!has_fraction)
            return;
        for (int32_t i = 0; i < v->n; i++)
            if (s->dosage[i] != FRACTION)
                s->value[i] = s->dosage[i] == DOSAGE_MISSING ? NAN : (float)s->dosage[i];
    }
    for (int32_t i = 0; i < v->n; i++) {
        float value = s->value[i];

        if (isnan(value)) {
            s->dosage[i] = DOSAGE_MISSING;
        } else if (has_field && fabsf(value) <= DOSAGE_MAX && value == (float)(int)value) {
            s->dosage[i] = (int8_t)value;
        } else {
            calls->dosage = NULL;
            calls->value = s->value;
            return;
        }
    }
}

int variants_fault(struct err *err, const char *path, const char *place, int64_t number,
                   const char *format, ...)
{
    va_list args;

    va_start(args, format);
    err_vset_at(err, path, place, number, format, args);
    va_end(args);
    return -1;
}
