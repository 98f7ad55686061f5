#include "data/recode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "data/genotable.h"
#include "data/markers.h"

/* ---- the data's markers ---- */

/* Marker number j under a text, or under one that no file has where that is taken or empty: so that
 * numbers are those of the data. */
static int index_marker(struct names *names, const char *text, int32_t j, struct err *err)
{
    char none[32];

    snprintf(none, sizeof none, "\n%d", j);
    if (!*text || names_find(names, text) >= 0)
        text = none;
    return names_add(names, text, 1, err) < 0 ? -1 : 0;
}

/* How much of CHROM_POS is CHROM; 0: the name is none of those. */
static size_t chrom_length(const char *name)
{
    const char *last = strrchr(name, '_');

    return last && last[1] && !last[1 + strspn(last + 1, "0123456789")] ? (size_t)(last - name) : 0;
}

static int index_markers(struct recode *r, struct err *err)
{
    for (int32_t j = 0; j < r->data->n_markers; j++) {
        const char *alleles = dataset_alleles(r->data, j);
        const char *name = dataset_feature_name(r->data, j);
        size_t n = *alleles ? strcspn(alleles, "\t") : chrom_length(name);

        if (index_marker(&r->sites, alleles, j, err) || index_marker(&r->names, name, j, err) ||
            (n && chroms_add(&r->chroms, *alleles ? alleles : name, n, err)))
            return -1;
    }
    return 0;
}

/* Means of features that are not held as dosages, whose missing ones are the means already. */
static int find_means(struct recode *r, struct err *err)
{
    const struct dataset *d = r->data;
    struct mat row;
    double *sum;

    if (mat_init(&row, 1, d->n_markers, err))
        return -1;
    sum = calloc((size_t)d->n_markers, sizeof *sum);
    for (int32_t i = 0; sum && i < d->n_samples; i++) {
        dataset_decode(&row, d, i, 0);
        for (int32_t j = 0; j < d->n_markers; j++)
            sum[j] += (double)row.v[j];
    }
    for (int32_t j = 0; sum && j < d->n_markers; j++)
        r->fill[j] = (float)(sum[j] / d->n_samples);
    mat_release(&row);
    free(sum);
    return sum ? 0 : err_nomem(err, "means", (size_t)d->n_markers * sizeof *sum);
}

static int find_fill(struct recode *r, struct err *err)
{
    size_t n = (size_t)r->data->n_markers;

    r->fill = malloc(n * sizeof *r->fill);
    r->fate = malloc(n * sizeof *r->fate);
    if (!r->fill || !r->fate)
        return err_nomem(err, "means", n * sizeof *r->fill);
    if (!r->data->fill)
        return find_means(r, err);
    memcpy(r->fill, r->data->fill, n * sizeof *r->fill);
    return 0;
}

/* ---- file ---- */

static int open_file(struct recode *r, struct err *err)
{
    if (r->kind != VARIANTS_NONE)
        return variants_open(&r->variants, r->kind, r->path, r->dosage, err);
    r->table = calloc(1, sizeof *r->table);
    if (!r->table)
        return err_nomem(err, "table", sizeof *r->table);
    return genotable_read(r->table, r->path, r->missing, err);
}

int recode_open(struct recode *r, const struct dataset *data, const char *path,
                enum data_dosage dosage, const char *missing, struct err *err)
{
    *r = (struct recode){.data = data, .path = path, .dosage = dosage, .missing = missing};
    r->kind = variants_detect(path);
    if (open_file(r, err))
        return -1;
    return index_markers(r, err) || find_fill(r, err) ? -1 : 0;
}

void recode_close(struct recode *r)
{
    if (!r)
        return;
    variants_close(&r->variants);
    if (r->table)
        genotable_release(r->table);
    free(r->table);
    names_release(&r->sites);
    names_release(&r->names);
    chroms_release(&r->chroms);
    free(r->fill);
    free(r->fate);
    memset(r, 0, sizeof *r);
}

bool recode_is_below(double *low, const struct recode *r)
{
    bool is_below;

    *low = r->kind == VARIANTS_NONE ? r->table->low : 0;
    is_below = *low < 0;
    for (int32_t j = 0; is_below && j < r->data->n_markers; j++)
        is_below = r->fill[j] >= 0;
    return is_below;
}

const struct names *recode_ids(const struct recode *r)
{
    return r->kind == VARIANTS_NONE ? &r->table->ids : &r->variants.ids;
}

/* ---- a site ---- */

struct match {
    int32_t marker; /* -1: none */
    bool is_flipped;
    bool is_by_name;
    bool is_other; /* the marker is here, with other alleles */
};

static int32_t find_alleles(const struct recode *r, struct buf *text, const struct site *site,
                            const char *ref, const char *alt)
{
    buf_clear(text);
    buf_printf(text, "%s\t%lld\t%s\t%s", site->chrom, (long long)site->pos, ref, alt);
    return names_find(&r->sites, buf_text(text));
}

/* Whether no sample has another allele than REF: PLINK writes 0 for it, VCF a point. */
static bool is_alike(const struct site *site, const char *alt)
{
    return site->n_alts == 0 || !strcmp(alt, "0") || !strcmp(alt, ".");
}

/* Whether allele number 2 (REF) or 3 (ALT) of a marker is this one. */
static bool has_allele(const char *alleles, int column, const char *allele)
{
    size_t n;

    while (column-- > 0)
        alleles += strcspn(alleles, "\t") + 1;
    n = strcspn(alleles, "\t");
    return strlen(allele) == n && !strncmp(alleles, allele, n);
}

/* By CHROM_POS, or CHROM_POS_REF_ALT. */
static void match_name(struct match *m, const struct recode *r, struct buf *text,
                       const struct site *site, const char *alt)
{
    const char *alleles;
    int32_t j;

    buf_clear(text);
    buf_printf(text, "%s_%lld", site->chrom, (long long)site->pos);
    j = names_find(&r->names, buf_text(text));
    if (j < 0) {
        buf_printf(text, "_%s_%s", site->ref, alt);
        j = names_find(&r->names, buf_text(text));
    }
    if (j < 0)
        return;
    alleles = dataset_alleles(r->data, j);
    m->is_flipped = *alleles && is_alike(site, alt) && has_allele(alleles, 3, site->ref);
    m->is_by_name = !*alleles;
    m->is_other =
        *alleles && !m->is_flipped && !(is_alike(site, alt) && has_allele(alleles, 2, site->ref));
    m->marker = j;
}

static struct match match_site(const struct recode *r, struct buf *text, const struct site *site,
                               int32_t alt)
{
    const char *allele = site->n_alts ? site->alt[alt] : "";
    struct match m = {.marker = find_alleles(r, text, site, site->ref, allele)};

    if (m.marker < 0 && site->n_alts == 1) {
        m.marker = find_alleles(r, text, site, allele, site->ref);
        m.is_flipped = m.marker >= 0;
    }
    if (m.marker < 0)
        match_name(&m, r, text, site, allele);
    return m;
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

/* One matched marker of all samples into its column of x. */
static void take_calls(struct mat *x, struct recode_report *report, struct recode *r,
                       const struct match *m, const struct calls *calls, bool is_turned)
{
    int32_t j = m->marker;

    for (int32_t i = 0; i < x->n_rows; i++) {
        float v = call_of(calls, i);

        report->n_missing += isnan(v);
        if (!isnan(v))
            mat_row(x, i)[j] = is_turned ? 2 - v : v;
    }
    r->fate[j] = RECODE_FOUND;
    report->n_found++;
    report->n_flipped += m->is_flipped;
    report->n_by_name += m->is_by_name;
}

/* Of a site that is turned, REF is what the data count: where it can be counted that is right
 * whatever the ploidy of each call, else there are two alleles in each. */
static int read_match(struct mat *x, struct recode_report *report, struct recode *r,
                      const struct match *m, int32_t alt, struct err *err)
{
    bool counts_ref = m->is_flipped && r->dosage == DATA_DOSAGE_GT && r->kind != VARIANTS_PLINK;
    struct calls calls;

    if (variants_read(&r->variants, counts_ref ? VARIANTS_REF : alt, &calls, err))
        return -1;
    take_calls(x, report, r, m, &calls, m->is_flipped && !counts_ref);
    return 0;
}

/* here: what the data call it, or NULL. */
static void note_chrom(struct recode_report *report, const char *there, const char *here)
{
    if (report->chrom[1][0] || (report->chrom[0][0] && !here))
        return;
    snprintf(report->chrom[0], sizeof report->chrom[0], "%s", there);
    snprintf(report->chrom[1], sizeof report->chrom[1], "%s", here ? here : "");
}

/* ---- a site whose alleles are those of its calls ---- */

/* Which these are depends on who is in the file, and so must nothing else: a marker counts its
 * letter in each call that has no letter but those of the data there. */

enum { N_LETTERS = 6, MOST_LETTERED = N_LETTERS * (N_LETTERS - 1) };
static const char *const letters[N_LETTERS] = {"A", "C", "G", "T", "+", "-"};

/* The data's markers there. */
struct lettered {
    int32_t marker[MOST_LETTERED];
    int counted[MOST_LETTERED]; /* the letter of each */
    int n;
    bool is_theirs[N_LETTERS]; /* a letter of any of them */
    bool is_here;              /* one of those is in the file */
};

static void find_lettered(struct lettered *out, const struct recode *r, struct buf *text,
                          const struct site *site)
{
    *out = (struct lettered){0};
    for (int ref = 0; ref < N_LETTERS; ref++)
        for (int alt = 0; alt < N_LETTERS; alt++) {
            int32_t j = ref == alt ? -1 : find_alleles(r, text, site, letters[ref], letters[alt]);

            if (j < 0 || r->fate[j] == RECODE_FOUND)
                continue;
            out->marker[out->n] = j;
            out->counted[out->n++] = alt;
            out->is_theirs[ref] = out->is_theirs[alt] = true;
        }
}

/* Among the site's alleles; n_alts where it is none of them. */
static int32_t place_of(const struct site *site, const char *allele)
{
    int32_t alt = VARIANTS_REF;

    while (alt < site->n_alts && strcmp(alt < 0 ? site->ref : site->alt[alt], allele) != 0)
        alt++;
    return alt;
}

/* count (N_LETTERS, n): of each of their letters in each call, NaN where that is missing. */
static int count_letters(struct mat *count, struct lettered *l, struct recode *r,
                         const struct site *site, struct err *err)
{
    for (int k = 0; k < N_LETTERS; k++) {
        int32_t alt = l->is_theirs[k] ? place_of(site, letters[k]) : site->n_alts;
        struct calls calls;

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

static void take_lettered(struct mat *x, struct recode_report *report, struct recode *r,
                          const struct lettered *l, int at, struct mat *count)
{
    int32_t j = l->marker[at];

    r->fate[j] = l->is_here ? RECODE_FOUND : RECODE_OTHER;
    report->n_found += l->is_here;
    for (int32_t i = 0; l->is_here && i < x->n_rows; i++) {
        float sum = 0;

        for (int k = 0; k < N_LETTERS; k++)
            sum += mat_row(count, k)[i];
        if (sum == 2)
            mat_row(x, i)[j] = mat_row(count, l->counted[at])[i];
        else
            report->n_missing++;
    }
}

static int take_letters(struct mat *x, struct recode_report *report, struct recode *r,
                        struct buf *text, const struct site *site, struct err *err)
{
    struct mat count = {0};
    struct lettered l;
    int rc;

    find_lettered(&l, r, text, site);
    if (!l.n)
        return 0;
    rc = mat_init(&count, N_LETTERS, x->n_rows, err);
    if (!rc) {
        memset(count.v, 0, (size_t)mat_size(&count) * sizeof *count.v);
        rc = count_letters(&count, &l, r, site, err);
    }
    for (int at = 0; !rc && at < l.n; at++)
        take_lettered(x, report, r, &l, at, &count);
    mat_release(&count);
    return rc;
}

static int take_alleles(struct mat *x, struct recode_report *report, struct recode *r,
                        struct buf *text, const struct site *site, struct err *err)
{
    int32_t n = site->n_alts ? site->n_alts : 1;

    if (site->n_alts == 0 && r->dosage == DATA_DOSAGE_DS) /* there are none */
        return 0;
    for (int32_t alt = 0; alt < n; alt++) {
        struct match m = match_site(r, text, site, alt);

        if (m.marker < 0 || r->fate[m.marker] == RECODE_FOUND) /* a site comes twice: the first */
            continue;
        if (m.is_other) {
            r->fate[m.marker] = RECODE_OTHER;
            continue;
        }
        if (read_match(x, report, r, &m, alt, err))
            return -1;
    }
    return buf_failed(text) ? err_nomem(err, "names", text->size) : 0;
}

/* By the data's name of its chromosome, where they have it. */
static int take_site(struct mat *x, struct recode_report *report, struct recode *r,
                     struct buf *text, const struct site *site, struct err *err)
{
    const char *here = chroms_find(&r->chroms, site->chrom);
    int32_t n_found = report->n_found;
    struct site named = *site;

    report->n_elsewhere += !here;
    if (here)
        named.chrom = here;
    if ((site->is_seen ? take_letters : take_alleles)(x, report, r, text, &named, err))
        return -1;
    n_found = report->n_found - n_found;
    if (!here)
        note_chrom(report, site->chrom, NULL);
    else if (n_found && strcmp(here, site->chrom) != 0) {
        note_chrom(report, site->chrom, here);
        report->n_respelled += n_found;
    }
    return 0;
}

static int none_here(const struct recode *r, const struct recode_report *report, struct err *err)
{
    return err_set(err,
                   "%s: none of its chromosomes is one of the data that were trained on: the first "
                   "is \"%.40s\", theirs is \"%.40s\" (the prefix chr makes no difference)",
                   r->path, report->chrom[0], r->chroms.name.text[0]);
}

static int read_variants(struct mat *x, struct recode_report *report, struct recode *r,
                         const int32_t *sample, int32_t n, struct err *err)
{
    struct buf text = {0};
    struct site site;
    int64_t n_sites = 0;
    int status = 0;

    if (r->is_read) {
        variants_close(&r->variants);
        status = variants_open(&r->variants, r->kind, r->path, r->dosage, err);
    }
    r->is_read = true;
    if (status == 0)
        variants_select(&r->variants, sample, n);
    for (; status == 0 && (status = variants_next(&r->variants, &site, err)) > 0; n_sites++)
        status = take_site(x, report, r, &text, &site, err);
    buf_release(&text);
    if (status == 0 && report->n_elsewhere && report->n_elsewhere == n_sites && !report->n_found &&
        r->chroms.name.n)
        return none_here(r, report, err);
    return status;
}

/* ---- table ---- */

static float cell_of(const struct columns *c, int32_t row, int32_t col)
{
    int64_t at = (int64_t)row * c->n_cols + col;

    if (c->v)
        return c->v[at];
    return c->dosage[at] == DOSAGE_MISSING ? NAN : (float)c->dosage[at];
}

static void read_table(struct mat *x, struct recode_report *report, struct recode *r,
                       const int32_t *sample, int32_t n)
{
    const struct columns *c = &r->table->markers;

    for (int32_t col = 0; col < c->n_cols; col++) {
        int32_t j = names_find(&r->names, c->name[col]);

        if (j < 0)
            continue;
        for (int32_t i = 0; i < n; i++) {
            float v = cell_of(c, sample[i], col);

            report->n_missing += isnan(v);
            if (!isnan(v))
                mat_row(x, i)[j] = v;
        }
        report->n_found++;
        report->n_by_name++;
    }
}

int recode_read(struct mat *x, struct recode_report *report, struct recode *r,
                const int32_t *sample, int32_t n, struct err *err)
{
    size_t n_markers = (size_t)r->data->n_markers;
    int status = 0;

    *report = (struct recode_report){0};
    memset(r->fate, RECODE_ABSENT, n_markers);
    for (int32_t i = 0; i < n; i++)
        memcpy(mat_row(x, i), r->fill, n_markers * sizeof *r->fill);
    if (r->kind == VARIANTS_NONE)
        read_table(x, report, r, sample, n);
    else
        status = read_variants(x, report, r, sample, n, err);
    for (size_t j = 0; j < n_markers; j++)
        report->n_other += r->fate[j] == RECODE_OTHER;
    return status;
}
