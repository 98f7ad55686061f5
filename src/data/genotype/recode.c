/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/genotype/recode.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "data/genotype/coding.h"
#include "data/genotype/genotype_table.h"
#include "data/genotype/markers.h"
#include "data/genotype/variants.h"
#include "data/text/names.h"

/* ---- chromosomes ---- */

/* "1", "01", "chr1" and "Chr01" are the same, unless the data have two of them. plink2 matches
 * like this; bcftools does not. */

static const char *skip_prefix(const char *name)
{
    static const char prefix[] = "chr";
    size_t n = strlen(prefix);

    if (!strncasecmp(name, prefix, n) && name[n])
        name += n;
    while (*name == '0' && isdigit((unsigned char)name[1]))
        name++;
    return name;
}

static int chroms_add(struct chroms *c, const char *text, size_t n, struct err *err)
{
    char *name = strndup(text, n);
    int rc = 0;

    if (!name)
        return err_nomem(err, "chromosomes", n);
    if (names_find(&c->name, name) < 0) {
        const char *bare = skip_prefix(name);

        c->is_mixed = c->is_mixed || names_find(&c->bare, bare) >= 0;
        rc = names_find_or_add(&c->bare, bare, 0, err) < 0 || names_add(&c->name, name, 0, err) < 0
                 ? -1
                 : 0;
    }
    free(name);
    return rc;
}

/* Returns the data's name for a chromosome of another file, or NULL. */
static const char *chroms_find(const struct chroms *c, const char *chrom)
{
    int32_t i = names_find(&c->name, chrom);

    if (i < 0 && !c->is_mixed) /* both sets number them alike */
        i = names_find(&c->bare, skip_prefix(chrom));
    return i < 0 ? NULL : c->name.text[i];
}

/* ---- matching a site with a marker ---- */

struct match {
    int32_t marker; /* -1: none */
    bool is_flipped;
    bool is_by_name;
    bool is_by_id;
    bool is_other; /* it has other alleles */
};

/* Returns the marker with these alleles at the site's place, or -1. text: scratch; the caller
 * checks buf_failed(). */
static int32_t find_alleles(const struct recode *r, struct buf *text, const struct site *site,
                            const char *ref, const char *alt)
{
    buf_clear(text);
    buf_printf(text, "%s\t%lld\t%s\t%s", site->chrom, (long long)site->pos, ref, alt);
    return names_find(&r->sites, buf_text(text));
}

/* column: 2 is REF, 3 is ALT. */
static bool has_allele(const char *alleles, int column, const char *allele)
{
    size_t n;

    while (column-- > 0)
        alleles += strcspn(alleles, "\t") + 1;
    n = strcspn(alleles, "\t");
    return strlen(allele) == n && !strncmp(alleles, allele, n);
}

static void compare_alleles(struct match *m, const struct recode *r, int32_t j,
                            const struct site *site, const char *alt)
{
    const char *alleles = dataset_alleles(r->data, j);
    /* if all samples have only REF, PLINK writes 0 as the other allele, VCF a point */
    bool has_alt = site->n_alts && strcmp(alt, "0") != 0 && strcmp(alt, ".") != 0;

    m->marker = j;
    /* 0 stands for an unknown allele, as in PLINK's .bim; two of them say nothing */
    m->is_by_name = !*alleles || (has_allele(alleles, 2, "0") && has_allele(alleles, 3, "0")) ||
                    (!has_alt && !strcmp(site->ref, "0"));
    if (m->is_by_name ||
        (has_allele(alleles, 2, site->ref) && (!has_alt || has_allele(alleles, 3, alt))))
        return;
    m->is_flipped = site->n_alts < 2 && has_allele(alleles, 3, site->ref) &&
                    (!has_alt || has_allele(alleles, 2, alt));
    m->is_other = !m->is_flipped;
}

static int32_t find_name(const struct recode *r, struct buf *text, const struct site *site,
                         const char *alt)
{
    int32_t j;

    /* Without a place the id is the identity, but a panel without ids may number such sites. */
    if (!markers_has_place(site->chrom, site->pos) &&
        (site->pos <= 0 || !table_is_missing(site->id)))
        return -1;
    buf_clear(text);
    buf_printf(text, "%s_%lld", site->chrom, (long long)site->pos);
    j = names_find(&r->names, buf_text(text));
    if (j < 0) {
        buf_printf(text, "_%s_%s", site->ref, alt);
        j = names_find(&r->names, buf_text(text));
    }
    return j;
}

/* Returns the marker with this id, or with this name if the data have no place; -1 if there is
 * none or several. */
static int32_t find_id(const struct recode *r, const char *id)
{
    int32_t j = names_find(&r->ids, id);

    if (j >= 0)
        return r->marker[j].has_own_id ? j : -1;
    j = names_find(&r->names, id);
    return j >= 0 && !markers_is_placed(dataset_alleles(r->data, j)) ? j : -1;
}

/* Place goes before name, name before id_marker (the marker with the site's id, or -1). */
static struct match match_site(const struct recode *r, struct buf *text, const struct site *site,
                               int32_t alt, int32_t id_marker)
{
    const char *allele = site->n_alts ? site->alt[alt] : "";
    struct match m = {.marker = find_alleles(r, text, site, site->ref, allele)};
    int32_t j;

    if (m.marker < 0 && site->n_alts == 1) {
        m.marker = find_alleles(r, text, site, allele, site->ref);
        m.is_flipped = m.marker >= 0;
    }
    if (m.marker >= 0) {
        if (id_marker >= 0 &&
            !strcmp(dataset_alleles(r->data, id_marker), dataset_alleles(r->data, m.marker)))
            m.marker = id_marker; /* several markers have this place and these alleles */
        return m;
    }
    j = find_name(r, text, site, allele);
    m.is_by_id = j < 0 && id_marker >= 0;
    if (m.is_by_id)
        j = id_marker;
    if (j >= 0)
        compare_alleles(&m, r, j, site, allele);
    return m;
}

/* ---- the markers of the data ---- */

/* A marker whose text is empty or taken gets one that occurs in no file, so that numbers stay those
 * of the data. */
static int index_marker(struct names *names, const char *text, int32_t j, struct err *err)
{
    char none[32];

    snprintf(none, sizeof none, "\n%d", j);
    if (!*text || names_find(names, text) >= 0)
        text = none;
    return names_add(names, text, 1, err) < 0 ? -1 : 0;
}

/* Returns 0 if the name is not CHROM_POS. */
static size_t chrom_length(const char *name)
{
    const char *last = strrchr(name, '_');

    return last && last[1] && !last[1 + strspn(last + 1, "0123456789")] ? (size_t)(last - name) : 0;
}

/* recode_close() releases what this makes of r->data. In features other than dosages, missing values
 * already are the means. */
static int index_data(struct recode *r, struct err *err)
{
    size_t n = (size_t)r->data->n_features;

    r->marker = calloc(n, sizeof *r->marker);
    r->fill = malloc(n * sizeof *r->fill);
    if (!r->marker || !r->fill)
        return err_nomem(err, "markers", n * sizeof *r->marker);
    for (int32_t j = 0; j < r->data->n_features; j++) {
        const char *alleles = dataset_alleles(r->data, j);
        const char *name = dataset_feature_name(r->data, j);
        size_t length = *alleles ? strcspn(alleles, "\t") : chrom_length(name);

        if (index_marker(&r->sites, markers_is_placed(alleles) ? alleles : "", j, err) ||
            index_marker(&r->names, name, j, err) ||
            (length && chroms_add(&r->chroms, *alleles ? alleles : name, length, err)))
            return -1;
    }
    /* An id of several markers matches none of them. */
    for (int32_t j = 0; r->data->const_marker_ids && j < r->data->n_features; j++) {
        const char *id = dataset_marker_id(r->data, j);
        int32_t known = *id ? names_find(&r->ids, id) : -1;

        r->marker[j].has_own_id = *id && known < 0;
        if (known >= 0)
            r->marker[known].has_own_id = false;
        if (index_marker(&r->ids, id, j, err))
            return -1;
    }
    if (!r->data->fill)
        return dataset_means(r->fill, r->data, err);
    memcpy(r->fill, r->data->fill, n * sizeof *r->fill);
    return 0;
}

/* ---- file ---- */

void recode_close(struct recode *r)
{
    if (!r)
        return;
    variants_close(&r->variants);
    if (r->table)
        genotype_table_release(r->table);
    free(r->table);
    names_release(&r->sites);
    names_release(&r->names);
    names_release(&r->ids);
    names_release(&r->chroms.name);
    names_release(&r->chroms.bare);
    free(r->fill);
    free(r->marker);
    memset(r, 0, sizeof *r);
}

const struct names *recode_ids(const struct recode *r)
{
    return !r->kind ? &r->table->ids : &r->variants.ids;
}

bool recode_is_other_kind(const struct recode *r)
{
    return r->table && r->table->letters.n_cols && !*dataset_alleles(r->data, 0);
}

/* ---- codings ---- */

/* Finds the data's mean of each column of the table, NaN for one that they lack. */
static int choose_coding(struct recode *r, struct err *err)
{
    const struct columns *c = &r->table->markers;
    float *mean = malloc((size_t)c->n_cols * sizeof *mean);
    int rc;

    if (!mean)
        return err_nomem(err, "means", (size_t)c->n_cols * sizeof *mean);
    for (int32_t col = 0; col < c->n_cols; col++) {
        int32_t j = names_find(&r->names, c->name[col]);

        if (j < 0)
            j = find_id(r, c->name[col]);
        mean[col] = j < 0 ? NAN : r->fill[j];
    }
    rc = coding_choose(&r->there, &r->other, r->table, mean, &r->here);
    free(mean);
    if (rc < 0)
        return err_set(err,
                       "%s: calls from %g to %g are in no coding of dosages: those of the training "
                       "data are from %g to %g",
                       r->path, r->table->low, r->table->high, r->here.base,
                       r->here.base + r->here.span);
    r->is_unsure = rc > 0;
    return 0;
}

static int find_codings(struct recode *r, struct err *err)
{
    const struct genotype_table *t = r->table;
    int base = r->data->base;

    if (!r->data->ploidy && (r->kind || t->letters.n_cols || (t->markers.dosage && t->low >= 0)))
        return err_set(err,
                       "%s: genotypes, but the training data are numbers that are no dosages: give "
                       "a table of numbers that were scaled in the same way",
                       r->path);
    r->here = (struct coding){base, base ? 2 : r->calls.ploidy};
    r->there = (struct coding){0, r->variants.ploidy};
    if (!r->data->ploidy)
        r->there = r->here;
    if (!r->data->ploidy || r->kind)
        return 0;
    r->there.span = 2;
    return t->letters.n_cols ? 0 : choose_coding(r, err);
}

int recode_open(struct recode *r, const struct dataset *data, const char *path,
                enum data_dosage dosage, const char *missing, struct err *err)
{
    *r = (struct recode){.data = data,
                         .path = path,
                         .missing = missing,
                         .calls = {.dosage = dosage, .ploidy = data->ploidy ? data->ploidy : 2}};
    r->kind = variants_detect(path);
    if (!r->kind) {
        r->table = calloc(1, sizeof *r->table);
        if (!r->table)
            return err_nomem(err, "table", sizeof *r->table);
    }
    return (r->kind ? variants_open(&r->variants, r->kind, r->path, &r->calls, err)
                    : genotype_table_read(
                          r->table,
                          &(struct data_spec){.genotypes = r->path, .missing_genotype = r->missing},
                          err)) ||
                   index_data(r, err) || find_codings(r, err)
               ? -1
               : 0;
}

/* ---- calls ---- */

static float call_of(const struct calls *calls, int32_t i)
{
    static const float of_code[] = {
        [PACKED_ZERO] = 0, [PACKED_ONE] = 1, [PACKED_TWO] = 2, [PACKED_MISSING] = NAN};

    if (calls->packed)
        return of_code[calls->packed[i / 4] >> 2 * (i % 4) & 3];
    if (calls->dosage)
        return calls->dosage[i] == DOSAGE_MISSING ? NAN : (float)calls->dosage[i];
    return calls->value[i];
}

/* A match ends if its id occurs again in the file, or the marker's own place is found too. */
static void forget(struct mat *x, struct recode *r, int32_t j)
{
    struct recode_marker *marker = &r->marker[j];

    for (int32_t i = 0; i < x->n_rows; i++)
        mat_row(x, i)[j] = r->fill[j];
    *marker = (struct recode_marker){.has_own_id = marker->has_own_id, .n_ids = marker->n_ids};
}

/* A match by place replaces one by id. */
static bool is_open(const struct recode *r, int32_t j, bool is_by_id)
{
    const struct recode_marker *marker = &r->marker[j];

    return is_by_id ? !marker->is_found && marker->n_ids < 2
                    : !marker->is_found || marker->is_by_id;
}

static void take_calls(struct mat *x, struct recode *r, const struct match *m,
                       const struct calls *calls, bool is_turned)
{
    int32_t j = m->marker;
    struct recode_marker *marker = &r->marker[j];

    forget(x, r, j);
    for (int32_t i = 0; i < x->n_rows; i++) {
        float v = call_of(calls, i);

        marker->n_missing += isnan(v);
        if (!isnan(v))
            mat_row(x, i)[j] =
                coding_convert(&r->here, &r->there, is_turned ? (float)r->there.span - v : v);
    }
    marker->is_found = true;
    marker->is_flipped = m->is_flipped;
    marker->is_by_name = m->is_by_name;
    marker->is_by_id = m->is_by_id;
    marker->is_respelled = r->is_respelled && !m->is_by_id;
    r->has_respelled = r->has_respelled || marker->is_respelled;
}

/* ---- sites whose alleles are those of their calls ---- */

/* Which alleles these are depends on the samples in the file; nothing else may. A marker counts its
 * letter in each call that has only letters of the data's markers there. */

enum { N_LETTERS = VARIANTS_N_LETTERS, MOST_LETTERED = N_LETTERS * (N_LETTERS - 1) };
static const char letters[] = VARIANTS_LETTERS;

/* The data's markers at a site. */
struct lettered {
    int32_t marker[MOST_LETTERED];
    int counted[MOST_LETTERED]; /* letter of each */
    int n;
    bool is_theirs[N_LETTERS]; /* a letter of any */
    bool is_here;              /* one of these is in the file */
};

/* count (N_LETTERS, n): copies of each letter in each call, NaN if missing. */
static int count_letters(struct mat *count, struct lettered *l, struct recode *r,
                         const struct site *site, struct err *err)
{
    for (int k = 0; k < N_LETTERS; k++) {
        const char letter[] = {letters[k], '\0'};
        int32_t alt = l->is_theirs[k] ? VARIANTS_REF : site->n_alts;
        struct calls calls;

        while (alt < site->n_alts && strcmp(alt < 0 ? site->ref : site->alt[alt], letter) != 0)
            alt++;
        if (alt == site->n_alts)
            continue;
        if (variants_read(&r->variants, alt, &calls, err))
            return -1;
        l->is_here = true;
        for (int32_t i = 0; i < count->n_cols; i++)
            mat_row(count, k)[i] = call_of(&calls, i);
    }
    return 0;
}

static int take_letters(struct mat *x, struct recode *r, struct buf *text, const struct site *site,
                        struct err *err)
{
    struct mat count = {0};
    struct lettered l = {0};
    int rc;

    for (int ref = 0; ref < N_LETTERS; ref++)
        for (int alt = 0; alt < N_LETTERS; alt++) {
            const char ref_text[] = {letters[ref], '\0'}, alt_text[] = {letters[alt], '\0'};
            int32_t j = ref == alt ? -1 : find_alleles(r, text, site, ref_text, alt_text);

            if (j < 0 || !is_open(r, j, false))
                continue;
            l.marker[l.n] = j;
            l.counted[l.n++] = alt;
            l.is_theirs[ref] = l.is_theirs[alt] = true;
        }
    if (!l.n) {
        r->n_without_alleles += !table_is_missing(site->id) && find_id(r, site->id) >= 0;
        return 0;
    }
    rc = mat_init(&count, N_LETTERS, x->n_rows, err);
    if (!rc) {
        memset(count.v, 0, (size_t)mat_size(&count) * sizeof *count.v);
        rc = count_letters(&count, &l, r, site, err);
    }
    for (int at = 0; !rc && at < l.n; at++) {
        int32_t j = l.marker[at];
        struct recode_marker *marker = &r->marker[j];

        if (!l.is_here) {
            marker->is_other = !marker->is_found;
            continue;
        }
        forget(x, r, j);
        marker->is_found = true;
        marker->is_respelled = r->is_respelled;
        r->has_respelled = r->is_respelled;
        for (int32_t i = 0; i < x->n_rows; i++) {
            float sum = 0;

            for (int k = 0; k < N_LETTERS; k++)
                sum += mat_row(&count, k)[i];
            if (sum == 2)
                mat_row(x, i)[j] =
                    coding_convert(&r->here, &r->there, mat_row(&count, l.counted[at])[i]);
            else
                marker->n_missing++;
        }
    }
    mat_release(&count);
    return rc;
}

/* Returns the marker with the site's id, or -1. A second such site drops the calls of the first, so
 * that neither matches. */
static int32_t note_id(struct mat *x, struct recode *r, const struct site *site)
{
    int32_t j = table_is_missing(site->id) ? -1 : find_id(r, site->id);
    struct recode_marker *marker;

    if (j < 0)
        return -1;
    marker = &r->marker[j];
    marker->n_ids += marker->n_ids < 2;
    if (marker->n_ids < 2 && site->n_alts < 2)
        return j;
    marker->n_ids = 2;
    if (marker->is_by_id)
        forget(x, r, j);
    return -1;
}

static int take_alleles(struct mat *x, struct recode *r, struct buf *text, const struct site *site,
                        struct err *err)
{
    int32_t n = site->n_alts ? site->n_alts : 1;
    int32_t id_marker = note_id(x, r, site);

    if (site->n_alts == 0 && r->calls.dosage != DATA_DOSAGE_GT) /* no dosage to read */
        return 0;
    for (int32_t alt = 0; alt < n; alt++) {
        struct match m = match_site(r, text, site, alt, id_marker);
        struct calls calls;
        bool counts_ref;

        if (m.marker < 0 || !is_open(r, m.marker, m.is_by_id)) /* repeated: the first counts */
            continue;
        if (m.is_other) {
            r->marker[m.marker].is_other = !r->marker[m.marker].is_found;
            continue;
        }
        /* At a turned site the data count REF. */
        counts_ref = m.is_flipped && r->calls.dosage == DATA_DOSAGE_GT && r->kind->counts_ref;
        if (variants_read(&r->variants, counts_ref ? VARIANTS_REF : alt, &calls, err))
            return -1;
        take_calls(x, r, &m, &calls, m.is_flipped && !counts_ref);
    }
    return buf_failed(text) ? err_nomem(err, "names", text->size) : 0;
}

/* The site gets the data's name of its chromosome. */
static int take_site(struct mat *x, struct recode_report *report, struct recode *r,
                     struct buf *text, const struct site *site, struct err *err)
{
    const char *here = chroms_find(&r->chroms, site->chrom);
    struct site named = *site;

    report->n_elsewhere += !here;
    if (site->odd) {
        variants_note_site(&r->variants, site);
        return 0;
    }
    if (site->is_contradicted)
        variants_note_contradicted(&report->contradicted, site, false);
    if (here)
        named.chrom = here;
    r->is_respelled = here && strcmp(here, site->chrom) != 0;
    r->has_respelled = false;
    if ((site->is_seen ? take_letters : take_alleles)(x, r, text, &named, err))
        return -1;
    if (report->chrom[1][0] || !(here ? r->has_respelled : !report->chrom[0][0]))
        return 0;
    snprintf(report->chrom[0], sizeof report->chrom[0], "%s", site->chrom);
    snprintf(report->chrom[1], sizeof report->chrom[1], "%s", here ? here : "");
    return 0;
}

static int read_variants(struct mat *x, struct recode_report *report, struct recode *r,
                         const int32_t *sample, int32_t n, struct err *err)
{
    struct buf text = {0};
    struct site site;
    int status = 0;

    if (r->is_read) {
        variants_close(&r->variants);
        status = variants_open(&r->variants, r->kind, r->path, &r->calls, err);
    }
    r->is_read = true;
    r->n_sites = 0;
    if (!status)
        variants_select(&r->variants, sample, n);
    for (; !status && (status = variants_next(&r->variants, &site, err)) > 0; r->n_sites++)
        status = take_site(x, report, r, &text, &site, err);
    buf_release(&text);
    return status;
}

/* ---- table ---- */

/* Alleles of letters are compared with those of the data; 0 and 1 are numbers. */
static bool has_letters(const struct recode *r, int32_t col)
{
    const struct letter_columns *l = &r->table->letters;

    return l->n_cols && l->allele[col][0] && l->allele[col][0] != '0';
}

static float table_call(const struct recode *r, int32_t j, int32_t row, int32_t col)
{
    const char *alleles = dataset_alleles(r->data, j);
    float v = genotype_table_cell(r->table, row, col);
    size_t n = strlen(alleles);
    bool is_letter_pair = n > 4 && alleles[n - 4] == '\t' && alleles[n - 2] == '\t';

    if (isnan(v) || !has_letters(r, col))
        return v;
    return is_letter_pair ? letter_columns_dosage(&r->table->letters, col, (int8_t)v,
                                                  alleles[n - 3], alleles[n - 1])
                          : NAN;
}

static void take_column(struct mat *x, struct recode *r, int32_t j, int32_t col, bool is_by_id,
                        const int32_t *sample)
{
    struct recode_marker *marker = &r->marker[j];
    bool has_call = false, is_used = false;

    /* Another column has calls, each with a letter that the data's marker lacks. All rows are asked,
     * so that the answer is the same for any samples. */
    for (int32_t row = 0; !is_used && row < r->table->markers.n_rows; row++) {
        is_used = !isnan(table_call(r, j, row, col));
        has_call = has_call || !isnan(genotype_table_cell(r->table, row, col));
    }
    marker->is_other = has_call && !is_used;
    if (marker->is_other)
        return;
    for (int32_t i = 0; i < x->n_rows; i++) {
        float v = table_call(r, j, sample[i], col);

        marker->n_missing += isnan(v);
        if (!isnan(v))
            mat_row(x, i)[j] = coding_convert(&r->here, &r->there, v);
    }
    marker->is_found = true;
    marker->is_by_name = !has_letters(r, col);
    marker->is_by_id = is_by_id;
}

static void read_table(struct mat *x, struct recode *r, const int32_t *sample)
{
    const struct columns *c = &r->table->markers;

    for (int32_t col = 0; col < c->n_cols; col++) {
        int32_t j = names_find(&r->names, c->name[col]);

        if (j >= 0)
            take_column(x, r, j, col, false, sample);
    }
    for (int32_t col = 0; r->ids.n && col < c->n_cols; col++) {
        int32_t j = names_find(&r->names, c->name[col]) < 0 ? find_id(r, c->name[col]) : -1;

        if (j >= 0 && !r->marker[j].is_found && !r->marker[j].is_other)
            take_column(x, r, j, col, true, sample);
    }
}

int recode_read(struct mat *x, struct recode_report *report, struct recode *r,
                const int32_t *sample, int32_t n, struct err *err)
{
    size_t n_markers = (size_t)r->data->n_features;

    *report = (struct recode_report){0};
    for (size_t j = 0; j < n_markers; j++)
        r->marker[j] = (struct recode_marker){.has_own_id = r->marker[j].has_own_id};
    for (int32_t i = 0; i < n; i++)
        memcpy(mat_row(x, i), r->fill, n_markers * sizeof *r->fill);
    if (!r->kind)
        read_table(x, r, sample);
    else if (read_variants(x, report, r, sample, n, err))
        return -1;
    for (size_t j = 0; j < n_markers; j++) {
        const struct recode_marker *m = &r->marker[j];

        report->n_found += m->is_found;
        report->n_flipped += m->is_flipped;
        report->n_by_name += m->is_by_name;
        report->n_by_id += m->is_by_id;
        report->n_other += m->is_other;
        report->n_respelled += m->is_respelled;
        report->n_missing += m->n_missing;
        report->n_recoded +=
            coding_is_same(&r->here, &r->there) || !m->is_found ? 0 : n - m->n_missing;
    }
    if (report->n_elsewhere && report->n_elsewhere == r->n_sites && !report->n_found &&
        r->chroms.name.n)
        return err_set(
            err,
            "%s: none of its chromosomes is in the training data: the first is "
            "\"%.40s\", that of the training data is \"%.40s\" (the prefix chr and zeros "
            "before a number make no difference)",
            r->path, report->chrom[0], r->chroms.name.text[0]);
    return 0;
}
