/* SPDX-License-Identifier: BSD-3-Clause */
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/hts_log.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/genotype/readers.h"
#include "data/text/lines.h"
#include "data/text/stream.h"
#include "data/text/table.h"

/* htslib opens and unpacks the file. vcf_parse() is not used: it converts all FORMAT fields of
 * every sample, where one is needed, and prints errors to stderr. The fixed columns are cut with
 * NULs in place; samples are scanned when needed. */

enum { FIXED = 9 }; /* CHROM POS ID REF ALT QUAL FILTER INFO FORMAT */
enum { CHROM, POS, ID, REF, ALT, INFO = 7, FORMAT = 8 };

struct vcf {
    htsFile *file;
    struct textline line;
    const char *format;
    const char *samples; /* separated by tabs */
    const char **alt;    /* [n_alts] */
    int32_t n_alts;
    int32_t alt_capacity;
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
    struct buf *text = &vcf->line.text;
    int status;

    do {
        status = textline_next(&vcf->line, err);
        if (text->size && text->data[text->size - 1] == '\r')
            buf_cut(text, text->size - 1);
    } while (status > 0 && text->size == 0);
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

static int read_samples(struct variants *v, struct err *err)
{
    struct vcf *vcf = v->state;
    char *at = vcf->line.text.data, *id = NULL;

    for (int i = 0; i < FIXED; i++)
        if (!cut(&at))
            break;
    while ((id = cut(&at)))
        if (variants_add_id(v, id, vcf->line.number, err))
            return -1;
    return v->ids.n ? 0 : REFUSE(v, err, "no samples after the column FORMAT");
}

static int read_header(struct variants *v, struct err *err)
{
    struct vcf *vcf = v->state;
    int status;

    while ((status = next_line(v, err)) > 0) {
        if (!strncmp(vcf->line.text.data, "#CHROM\t", strlen("#CHROM\t")))
            return read_samples(v, err);
        if (strncmp(vcf->line.text.data, "##", 2) != 0)
            return REFUSE(v, err, "\"%.40s\": the header must end with a line #CHROM ...",
                          vcf->line.text.data);
    }
    return status ? -1 : REFUSE(v, err, "the file ends before the line #CHROM ...");
}

/* ---- a site ---- */

static int add_alt(struct variants *v, char *alt, struct err *err)
{
    struct vcf *vcf = v->state;

    if (!*alt)
        return REFUSE(v, err, "an empty allele in column ALT");
    variants_capitalise(alt);
    if (vcf->n_alts == vcf->alt_capacity) {
        int32_t capacity = vcf->alt_capacity ? 2 * vcf->alt_capacity : 8;
        const char **grown = realloc(vcf->alt, (size_t)capacity * sizeof *grown);

        if (!grown)
            return err_nomem(err, "alleles", (size_t)capacity * sizeof *grown);
        vcf->alt = grown;
        vcf->alt_capacity = capacity;
    }
    vcf->alt[vcf->n_alts++] = alt;
    return 0;
}

static int cut_alts(struct variants *v, char *text, struct err *err)
{
    struct vcf *vcf = v->state;

    vcf->n_alts = 0;
    if (!strcmp(text, "."))
        return 0;
    for (char *comma; text; text = comma) {
        comma = strchr(text, ',');
        if (comma)
            *comma++ = '\0';
        if (add_alt(v, text, err))
            return -1;
    }
    return 0;
}

static int read_position(struct variants *v, int64_t *pos, const char *text, struct err *err)
{
    size_t n = strlen(text);

    if (n < 1 || n > 18 || strspn(text, "0123456789") != n)
        return REFUSE(v, err, "POS = \"%.40s\": must be a whole number", text);
    *pos = strtoll(text, NULL, 10);
    return 0;
}

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

static int vcf_next(struct variants *v, struct site *site, struct err *err)
{
    struct vcf *vcf = v->state;
    int status = next_line(v, err);
    char *column[FIXED];
    char *at = vcf->line.text.data;

    if (status <= 0)
        return status;
    for (int i = 0; i < FIXED; i++) {
        column[i] = cut(&at);
        if (!at)
            return REFUSE(v, err, "%d columns: must be %d and one for each of the %d samples",
                          i + 1, FIXED, v->ids.n);
    }
    if (!*column[CHROM] || !*column[REF])
        return REFUSE(v, err, "the column %s is empty", *column[CHROM] ? "REF" : "CHROM");
    variants_capitalise(column[REF]);
    *site = (struct site){.id = column[ID], .chrom = column[CHROM], .ref = column[REF]};
    if (read_position(v, &site->pos, column[POS], err) || cut_alts(v, column[ALT], err))
        return -1;
    site->end = find_end(site, column[INFO]);
    site->alt = vcf->alt;
    site->n_alts = vcf->n_alts;
    vcf->format = column[FORMAT];
    vcf->samples = at;
    return 1;
}

/* ---- calls ---- */

/* FORMAT differs between lines. */
static int find_key(struct variants *v, const char *key, struct err *err)
{
    const char *format = ((struct vcf *)v->state)->format;
    size_t n = strlen(key);

    for (int i = 0;; i++) {
        size_t length = strcspn(format, ":");

        if (length == n && !memcmp(format, key, n))
            return i;
        if (!format[length])
            break;
        format += length + 1;
    }
    return REFUSE(v, err, "FORMAT = \"%.80s\" has no %s%s", ((struct vcf *)v->state)->format, key,
                  v->dosage == DATA_DOSAGE_DS ? ": data.dosage = DS needs it" : "");
}

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

static int count_alleles(const char *p, int32_t allele, int32_t n_alts, int64_t *n_alleles)
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
    *n_alleles += n;
    return count;
}

static int read_gt(const char *p, int32_t allele, int32_t n_alts, int64_t *n_alleles)
{
    /* Nearly every call has two alleles below ten. */
    int first = p[0] - '0', second;

    if (first >= 0 && first <= 9 && (p[1] == '|' || p[1] == '/')) {
        second = p[2] - '0';
        if (second >= 0 && second <= 9 && is_end(p[3]) && first <= n_alts && second <= n_alts) {
            *n_alleles += 2;
            return (first == allele) + (second == allele);
        }
    }
    return count_alleles(p, allele, n_alts, n_alleles);
}

/* Returns false if dosage number `skip` is no number. */
static bool read_ds(float *value, const char *p, int32_t skip)
{
    char text[32];
    double number;
    size_t n;

    *value = NAN;
    if (p[0] == '.' && is_end(p[1]))
        return true;
    for (; skip > 0; skip--) {
        p += strcspn(p, ",:\t");
        if (*p++ != ',')
            return false;
    }
    n = strcspn(p, ",:\t");
    if (n == 1 && *p == '.')
        return true;
    if (n >= sizeof text)
        return false;
    memcpy(text, p, n);
    text[n] = '\0';
    if (!table_parse_number(&number, text) || number < 0 || number > DOSAGE_MAX)
        return false;
    *value = (float)number;
    return true;
}

static int field_fault(struct variants *v, int32_t sample, const char *p, struct err *err)
{
    struct vcf *vcf = v->state;
    int n = (int)strcspn(p, ":\t");

    n = n < 40 ? n : 40;
    if (v->dosage == DATA_DOSAGE_DS)
        return REFUSE(v, err,
                      "sample \"%.80s\": DS = \"%.*s\": must be a number in [0, %d] for each of %d "
                      "alleles in ALT, or a point where missing",
                      v->ids.text[sample], n, p, DOSAGE_MAX, vcf->n_alts);
    return REFUSE(v, err,
                  "sample \"%.80s\": GT = \"%.*s\": must be allele numbers up to %d or points, "
                  "separated by / or |",
                  v->ids.text[sample], n, p, vcf->n_alts);
}

/* p is NULL for an omitted field, which is missing. */
static int take_field(struct variants *v, int32_t sample, int32_t alt, const char *p,
                      struct calls *calls, struct err *err)
{
    struct vcf *vcf = v->state;
    int32_t slot = v->slot[sample];

    if (v->dosage == DATA_DOSAGE_DS) {
        vcf->scratch.value[slot] = NAN;
        if (p && !read_ds(&vcf->scratch.value[slot], p, alt))
            return field_fault(v, sample, p, err);
    } else {
        int count = p ? read_gt(p, alt + 1, vcf->n_alts, &calls->n_alleles) : DOSAGE_MISSING;

        if (count == MALFORMED)
            return field_fault(v, sample, p, err);
        vcf->scratch.dosage[slot] = (int8_t)count;
    }
    return 0;
}

static int vcf_read(struct variants *v, int32_t alt, struct calls *calls, struct err *err)
{
    struct vcf *vcf = v->state;
    const char *p = vcf->samples, *end = vcf->line.text.data + vcf->line.text.size;
    int skip = find_key(v, v->dosage == DATA_DOSAGE_DS ? "DS" : "GT", err);
    int32_t n = 0;

    if (skip < 0)
        return -1;
    for (; p && n < v->ids.n; n++) {
        const char *tab = memchr(p, '\t', (size_t)(end - p));

        if (v->slot[n] >= 0 &&
            take_field(v, n, alt, find_field(p, tab ? tab : end, skip), calls, err))
            return -1;
        p = tab ? tab + 1 : NULL;
    }
    if (n < v->ids.n || p)
        return REFUSE(v, err, "%s%d samples: the header has %d", p ? "more than " : "", n,
                      v->ids.n);
    if (v->dosage == DATA_DOSAGE_DS)
        variants_scratch_values(calls, &vcf->scratch, v->n);
    else
        calls->dosage = vcf->scratch.dosage;
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

/* Files that begin almost like a VCF would otherwise be read as tables. */
static int check_begin(const char *path, struct err *err)
{
    static const char wanted[] = "##fileformat=VCF";
    char head[64];
    size_t n = stream_peek(head, sizeof head, path);

    if (n == 0)
        return 0;
    if (stream_mark_bytes(head, n))
        return variants_fault(err, path, "", 1,
                              "begins with a byte order mark: a VCF must begin with %sv4; save it "
                              "as UTF-8 without the mark",
                              wanted);
    head[strcspn(head, "\r\n")] = '\0';
    if (strncmp(head, wanted, strlen(wanted)) != 0)
        return variants_fault(
            err, path, "", 1,
            "begins with \"%.40s\": the first line of a VCF must be %sv4.2 or another version",
            head, wanted);
    return 0;
}

static int vcf_open_file(struct variants *v, struct err *err)
{
    struct vcf *vcf = calloc(1, sizeof *vcf);

    if (!vcf)
        return err_nomem(err, v->path, sizeof *vcf);
    v->state = vcf;
    if (check_begin(v->path, err))
        return -1;
    hts_set_log_level(HTS_LOG_OFF); /* espalier reports errors itself */
    errno = 0;
    vcf->file = hts_open(v->path, "r");
    if (!vcf->file)
        return variants_fail_open(v, err);
    /* A BGZF file cut off between two blocks lacks only its end marker. */
    if (vcf->file->format.compression == bgzf && !hts_check_EOF(vcf->file))
        return err_set(err, "%s: truncated: the end marker of a BGZF file is missing", v->path);
    if (textline_open(&vcf->line, v->path, read_hts, v, err) || read_header(v, err))
        return -1;
    return variants_scratch_init(&vcf->scratch, v->ids.n, err);
}

const struct variants_reader vcf_reader = {vcf_open_file, vcf_next, vcf_read, vcf_close};
