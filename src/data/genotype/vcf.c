/* SPDX-License-Identifier: BSD-3-Clause */
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "data/genotype/variants.h"
#include "data/text/stream.h"
#include "data/text/table.h"
#include "data/text/textline.h"

/* htslib opens and unpacks the file. vcf_parse() is not used: it converts all FORMAT fields of
 * every sample, where one is needed, and prints errors to stderr. The fixed columns are cut with
 * NULs in place; samples are scanned when needed. */

enum { FIXED = 9 }; /* CHROM POS ID REF ALT QUAL FILTER INFO FORMAT */
enum { CHROM, POS, ID, REF, ALT, INFO = 7, FORMAT = 8 };

struct vcf {
    htsFile *file;
    struct textline line;
    const char *samples; /* separated by tabs */
    int gt, imputed;     /* place of the field in each sample, or NO_KEY */
    const char **alt;    /* [n_alts] */
    int32_t n_alts;
    size_t alt_capacity;
    struct variants_scratch scratch;
};

#define REFUSE(v, err, ...) \
    variants_fault(err, (v)->path, "", ((struct vcf *)(v)->state)->line.number, __VA_ARGS__)

static int read_hts(void *source, void *out, size_t *got, size_t n, struct err *err)
{
    struct variants *v = source;
    htsFile *file = ((struct vcf *)v->state)->file;
    ssize_t status =
        file->is_bgzf ? bgzf_read(file->fp.bgzf, out, n) : hread(file->fp.hfile, out, n);

    *got = status > 0 ? (size_t)status : 0;
    if (status >= 0)
        return 0;
    ((struct vcf *)v->state)->line.number++;
    return REFUSE(v, err, "cannot read: the file is damaged or cut off");
}

static int next_line(struct variants *v, struct err *err)
{
    struct vcf *vcf = v->state;
    int status;

    do
        status = textline_next(&vcf->line, err);
    while (status > 0 && vcf->line.text.size == 0);
    /* A message about a missing line names its place. */
    vcf->line.number += !status;
    return status;
}

/* ---- header ---- */

/* Returns NULL after the last column. */
static char *cut(char **at)
{
    char *column = *at;
    char *tab = column ? strchr(column, '\t') : NULL;

    if (tab)
        *tab = '\0';
    *at = tab ? tab + 1 : NULL;
    return column;
}

static int read_header(struct variants *v, struct err *err)
{
    struct vcf *vcf = v->state;
    char *at, *id;
    int status;

    while ((status = next_line(v, err)) > 0) {
        if (!strncmp(vcf->line.text.data, "#CHROM\t", strlen("#CHROM\t")))
            break;
        v->has_ds = v->has_ds || strstr(vcf->line.text.data, "##FORMAT=<ID=DS,");
        if (strncmp(vcf->line.text.data, "##", 2) != 0)
            return REFUSE(v, err, "\"%.40s\": the header must end with a line #CHROM ...",
                          vcf->line.text.data);
    }
    if (status <= 0)
        return status ? -1 : REFUSE(v, err, "the file ends before the line #CHROM ...");
    at = vcf->line.text.data;
    for (int i = 0; i < FIXED; i++)
        if (!cut(&at))
            break;
    while ((id = cut(&at)))
        if (variants_add_id(v, id, vcf->line.number, err))
            return -1;
    return v->ids.n ? 0 : REFUSE(v, err, "no samples after the column FORMAT");
}

/* ---- a site ---- */

/* The end is that of htslib. */
static int64_t find_end(const struct site *site, const char *info)
{
    int64_t end = site->pos + (int64_t)strlen(site->ref) - 1, given;

    for (const char *at = info; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL) {
        if (strncmp(at, "END=", strlen("END=")) != 0)
            continue;
        given = strtoll(at + strlen("END="), NULL, 10);
        return given >= site->pos ? given : end;
    }
    return end;
}

enum { NO_KEY = -1 };

/* FORMAT differs between lines. */
static int find_key(const char *format, const char *key)
{
    size_t n = strlen(key);

    for (int i = 0;; i++) {
        size_t length = strcspn(format, ":");

        if (length == n && !memcmp(format, key, n))
            return i;
        if (!format[length])
            return NO_KEY;
        format += length + 1;
    }
}

static int vcf_next(struct variants *v, struct site *site, struct err *err)
{
    struct vcf *vcf = v->state;
    int status = next_line(v, err);
    char *column[FIXED];
    char *at = vcf->line.text.data;
    bool has[DATA_DOSAGE_HDS + 1];
    size_t n;

    if (status <= 0)
        return status;
    for (int i = 0; i < FIXED; i++) {
        column[i] = cut(&at);
        if (!at)
            return REFUSE(v, err, "%d columns: must be %d and one for each of the %d samples",
                          i + 1, FIXED, v->ids.n);
    }
    variants_capitalise(column[REF]);
    *site = (struct site){.id = column[ID], .chrom = column[CHROM], .ref = column[REF]};
    if (!*column[REF])
        site->odd = "REF is empty";
    n = strlen(column[POS]);
    if (n < 1 || n > 18 || strspn(column[POS], "0123456789") != n)
        site->odd = "POS is no whole number";
    else
        site->pos = strtoll(column[POS], NULL, 10);
    vcf->n_alts = 0;
    for (char *text = strcmp(column[ALT], ".") != 0 ? column[ALT] : NULL, *comma; text;
         text = comma) {
        comma = strchr(text, ',');
        if (comma)
            *comma++ = '\0';
        if (!*text)
            site->odd = "an empty allele in ALT";
        variants_capitalise(text);
        if (array_extend(&vcf->alt, &vcf->alt_capacity, (size_t)vcf->n_alts, sizeof *vcf->alt,
                         "alleles", err))
            return -1;
        vcf->alt[vcf->n_alts++] = text;
    }
    site->end = find_end(site, column[INFO]);
    site->alt = vcf->alt;
    site->n_alts = vcf->n_alts;
    vcf->samples = at;
    vcf->gt = find_key(column[FORMAT], "GT");
    vcf->imputed =
        v->dosage == DATA_DOSAGE_GT ? NO_KEY : find_key(column[FORMAT], variants_field(v->dosage));
    if (!site->odd && vcf->gt == NO_KEY && vcf->imputed == NO_KEY) {
        for (int d = 0; d <= DATA_DOSAGE_HDS; d++)
            has[d] = find_key(column[FORMAT], variants_field((enum data_dosage)d)) != NO_KEY;
        site->odd = variants_no_gt(has);
    }
    return 1;
}

/* ---- calls ---- */

static bool is_end(char c)
{
    return c == ':' || c == '\t' || c == '\0';
}

/* Returns field `skip` of a sample that ends at `end`; NULL if trailing fields are omitted. */
static const char *find_field(const char *p, const char *end, int skip)
{
    for (; skip > 0; skip--) {
        p = memchr(p, ':', (size_t)(end - p));
        if (!p)
            return NULL;
        p++;
    }
    return p;
}

enum { MALFORMED = DOSAGE_MAX + 1 };

static int count_alleles(const char *p, int32_t allele, int32_t n_alts, int *n_alleles)
{
    int count = 0, n = 0;
    bool is_missing = false;

    for (;; p++) {
        int32_t number = 0;

        if (*p == '.') {
            is_missing = true;
            p++;
        } else if (*p < '0' || *p > '9') {
            return MALFORMED;
        } else {
            for (; *p >= '0' && *p <= '9'; p++)
                number = number <= n_alts ? 10 * number + (*p - '0') : number;
            if (number > n_alts)
                return MALFORMED;
            count += number == allele;
        }
        if (++n > DOSAGE_MAX)
            return MALFORMED;
        if (*p != '/' && *p != '|')
            break;
    }
    if (!is_end(*p))
        return MALFORMED;
    if (is_missing)
        return DOSAGE_MISSING;
    *n_alleles = n;
    return count;
}

static int read_gt(const char *p, int32_t allele, int32_t n_alts, int *n_alleles)
{
    /* Nearly every call has two alleles below ten. */
    int first = p[0] - '0', second;

    if (first >= 0 && first <= 9 && (p[1] == '|' || p[1] == '/')) {
        second = p[2] - '0';
        if (second >= 0 && second <= 9 && is_end(p[3]) && first <= n_alts && second <= n_alts) {
            *n_alleles = 2;
            return (first == allele) + (second == allele);
        }
    }
    return count_alleles(p, allele, n_alts, n_alleles);
}

/* Returns how many numbers the field has, NaN for points; -1 if it is malformed. */
static int read_numbers(float *out, const char *p)
{
    char text[32];
    double number;

    for (int i = 0; i < VARIANTS_FIELD; i++) {
        size_t n = strcspn(p, ",:\t");

        out[i] = NAN;
        if (n >= sizeof text)
            return -1;
        memcpy(text, p, n);
        text[n] = '\0';
        if (strcmp(text, ".") != 0) {
            if (!table_parse_number(&number, text))
                return -1;
            out[i] = (float)number;
        }
        if (p[n] != ',')
            return i + 1;
        p += n + 1;
    }
    return -1;
}

static void note_malformed(struct variants *v, int32_t sample, const char *p)
{
    variants_note_malformed(v, "line ", ((struct vcf *)v->state)->line.number, v->ids.text[sample],
                            p, (int)strcspn(p, ":\t"));
}

/* Store the hard call in scratch.dosage. p: GT, or NULL if it is missing. Returns false if it is
 * missing. */
static bool take_gt(struct variants *v, int32_t sample, int32_t alt, const char *p)
{
    struct vcf *vcf = v->state;
    int32_t slot = v->slot[sample];
    int n_alleles = 0;
    int count = p ? read_gt(p, alt + 1, vcf->n_alts, &n_alleles) : DOSAGE_MISSING;

    if (count == MALFORMED) {
        note_malformed(v, sample, p);
        count = DOSAGE_MISSING;
    }
    return variants_take_count(v, &vcf->scratch, slot, count, n_alleles);
}

/* Store a dosage in scratch.value. p, gt: the fields, or NULL if they are omitted. */
static void take_imputed(struct variants *v, int32_t sample, int32_t alt, const char *p,
                         const char *gt)
{
    struct vcf *vcf = v->state;
    float numbers[VARIANTS_FIELD], *value = &vcf->scratch.value[v->slot[sample]];
    int n = p ? read_numbers(numbers, p) : 0, n_alleles = 0;

    if (gt && read_gt(gt, 0, vcf->n_alts, &n_alleles) == MALFORMED)
        n_alleles = 0;
    *value = n > 0 ? variants_dosage(v, numbers, n, alt, vcf->n_alts, n_alleles) : NAN;
    if (n < 0 || *value < 0) {
        note_malformed(v, sample, p);
        *value = NAN;
    } else if (isnan(*value) && take_gt(v, sample, alt, gt)) {
        variants_take_hard(v, &vcf->scratch, v->slot[sample]);
    }
}

static int vcf_read(struct variants *v, int32_t alt, struct calls *calls, struct err *err)
{
    struct vcf *vcf = v->state;
    const char *p = vcf->samples, *end = vcf->line.text.data + vcf->line.text.size;
    bool is_imputed = vcf->imputed != NO_KEY;
    int32_t n = 0;

    for (; p && n < v->ids.n; n++) {
        const char *tab = memchr(p, '\t', (size_t)(end - p));
        const char *stop = tab ? tab : end;
        const char *gt = v->slot[n] >= 0 && vcf->gt != NO_KEY ? find_field(p, stop, vcf->gt) : NULL;

        if (v->slot[n] >= 0 && is_imputed)
            take_imputed(v, n, alt, find_field(p, stop, vcf->imputed), gt);
        else if (v->slot[n] >= 0)
            take_gt(v, n, alt, gt);
        p = tab ? tab + 1 : NULL;
    }
    if (n < v->ids.n || p)
        return REFUSE(v, err, "%s%d samples: the header has %d", p ? "more than " : "", n,
                      v->ids.n);
    variants_scratch_calls(calls, &vcf->scratch, v, is_imputed);
    return 0;
}

/* ---- file ---- */

static void vcf_close(struct variants *v)
{
    struct vcf *vcf = v->state;

    if (vcf->file)
        hts_close(vcf->file);
    textline_close(&vcf->line);
    free(vcf->alt);
    variants_scratch_release(&vcf->scratch);
    free(vcf);
}

static bool is_vcf(const char *path, const char *head, size_t n)
{
    (void)path;
    return variants_begins(head, n, "##") || variants_begins(head, n, "#CHROM\t") ||
           variants_begins(head, n, STREAM_MARK "##");
}

static int vcf_open_file(struct variants *v, struct err *err)
{
    static const char wanted[] = "##fileformat=VCF";
    struct vcf *vcf = calloc(1, sizeof *vcf);
    char head[64];
    size_t n;

    if (!vcf)
        return err_nomem(err, v->path, sizeof *vcf);
    v->state = vcf;
    /* Files that begin almost like a VCF would otherwise be read as tables. */
    n = stream_peek(head, sizeof head, v->path);
    if (n && stream_mark_bytes(head, n))
        return variants_fault(err, v->path, "", 1,
                              "begins with a byte order mark: a VCF must begin with %sv4; save it "
                              "as UTF-8 without the mark",
                              wanted);
    if (n)
        head[strcspn(head, "\r\n")] = '\0';
    if (n && strncmp(head, wanted, strlen(wanted)) != 0)
        return variants_fault(
            err, v->path, "", 1,
            "begins with \"%.40s\": the first line of a VCF must be %sv4.2 or another version",
            head, wanted);
    vcf->file = variants_open_hts(v, err);
    if (!vcf->file || textline_open_source(&vcf->line, v->path, read_hts, v, err) ||
        read_header(v, err))
        return -1;
    return variants_scratch_init(&vcf->scratch, v->ids.n, err);
}

const struct variants_kind VCF_variants = {
    .name = "VCF",
    .has_fields = true,
    .counts_ref = true,
    .is_kind = is_vcf,
    .open = vcf_open_file,
    .next = vcf_next,
    .read = vcf_read,
    .close = vcf_close,
};
