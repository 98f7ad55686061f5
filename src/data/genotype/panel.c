#include "data/genotype/panel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Chromosomes that a message names. */
enum { MOST_NAMED = 8 };

int panel_open(struct panel *p, enum variants_kind kind, const struct data_spec *spec,
               struct err *err)
{
    memset(p, 0, sizeof *p);
    return variants_open(&p->variants, kind, spec->genotypes, spec->filter.dosage, err);
}

void panel_release(struct panel *p)
{
    names_release(&p->elsewhere);
    markers_release(&p->markers);
    variants_close(&p->variants);
}

static struct tally tally_of(const struct calls *calls, int32_t n)
{
    if (calls->packed)
        return tally_packed(calls->packed, n);
    return calls->dosage ? tally_dosage(calls->dosage, n) : tally_value(calls->value, n);
}

static double frequency_of(const struct calls *calls, const struct tally *tally)
{
    /* Dosages are of two alleles, of more where they say so. */
    double ploidy = fmax(2, ceil(tally->high));
    double whole = calls->n_alleles ? (double)calls->n_alleles : ploidy * tally->n_present;

    return whole > 0 ? tally->sum / whole : 0;
}

static bool is_enough(const struct panel *p)
{
    return p->filter->take == FILTER_FIRST && p->markers.n >= p->filter->n_take;
}

static int take_allele(struct panel *p, const struct site *site, int32_t alt, struct err *err)
{
    struct calls calls;
    struct tally tally;
    int32_t n = p->variants.n;

    if (variants_read(&p->variants, alt, &calls, err))
        return -1;
    p->counts->n_read++;
    tally = tally_of(&calls, n);
    if (!filter_keeps(p->filter, &tally, n, frequency_of(&calls, &tally), p->counts))
        return 0;
    return markers_add(&p->markers, site, alt, &calls, &tally, err);
}

/* Kept for the message where nothing is left. */
static int leave_out(struct panel *p, const char *chrom, struct err *err)
{
    p->counts->n_elsewhere++;
    if (p->elsewhere.n == MOST_NAMED || names_find(&p->elsewhere, chrom) >= 0)
        return 0;
    return names_add(&p->elsewhere, chrom, 1, err) < 0 ? -1 : 0;
}

static int take_site(struct panel *p, const struct site *site, struct err *err)
{
    if (!filter_has_region(p->filter, site->chrom, site->pos, site->end))
        return leave_out(p, site->chrom, err);
    if (site->is_contradicted) {
        variants_note_contradicted(&p->contradicted, site, site->n_alts != 1);
        if (site->n_alts != 1)
            return 0;
    }
    if (site->n_alts > 1 && p->filter->skips_multiallelic) {
        p->counts->n_multiallelic++;
        return 0;
    }
    if (site->n_alts == 0) {
        p->counts->n_read++;
        p->counts->n_monomorphic++;
    }
    p->counts->n_split += site->n_alts > 1;
    for (int32_t alt = 0; alt < site->n_alts && !is_enough(p); alt++)
        if (take_allele(p, site, alt, err))
            return -1;
    return 0;
}

static int no_region(const struct panel *p, struct err *err)
{
    struct buf list = {0};

    for (int32_t i = 0; i < p->elsewhere.n; i++)
        buf_printf(&list, "%s\"%.40s\"", i ? ", " : "", p->elsewhere.text[i]);
    for (size_t i = 0; i < list.size; i++)
        if ((unsigned char)list.data[i] < ' ')
            list.data[i] = '?';
    err_set(err, "%s: no site is in data.region: %lld are elsewhere, on chromosomes %s%s",
            p->variants.path, (long long)p->counts->n_elsewhere, buf_text(&list),
            p->elsewhere.n == MOST_NAMED ? " ..." : "");
    buf_release(&list);
    return -1;
}

static int nothing_left(const struct panel *p, struct err *err)
{
    const struct filter_counts *r = p->counts;
    char contradicted[80] = "";

    if (p->elsewhere.n && r->n_read == 0 && r->n_multiallelic == 0)
        return no_region(p, err);
    if (p->contradicted.n_dropped)
        snprintf(contradicted, sizeof contradicted, ", %lld with calls that contradict alleles",
                 (long long)p->contradicted.n_dropped);
    return err_set(
        err,
        "%s: no variant is left: %d read, %d monomorphic, %d with too many missing calls, "
        "%d rare; %lld sites outside data.region, %lld multi-allelic%s",
        p->variants.path, r->n_read, r->n_monomorphic, r->n_too_missing, r->n_rare,
        (long long)r->n_elsewhere, (long long)r->n_multiallelic, contradicted);
}

int panel_read(struct panel *p, const struct filter *filter, struct filter_counts *counts,
               struct err *err)
{
    struct site site;
    int status = 0;

    p->filter = filter;
    p->counts = counts;
    if (markers_init(&p->markers, p->variants.n, err))
        return -1;
    while (!is_enough(p) && (status = variants_next(&p->variants, &site, err)) > 0)
        if (take_site(p, &site, err))
            return -1;
    if (status < 0)
        return -1;
    p->counts->is_partly_read = is_enough(p);
    if (p->markers.n == 0)
        return nothing_left(p, err);
    if (p->filter->take == FILTER_THIN) {
        p->counts->n_thinned = p->markers.n;
        markers_thin(&p->markers, p->filter->n_take);
        p->counts->n_thinned -= p->markers.n;
    }
    p->n_missing = markers_missing(&p->markers);
    return markers_name(&p->markers, p->variants.path, err);
}

static void write_markers(void *arg, int8_t *dosage, float *fill, float *features)
{
    markers_write(arg, dosage, fill, features);
}

void panel_into(struct draft *draft, struct panel *p)
{
    draft->n_features = p->markers.n;
    draft->write = write_markers;
    draft->write_arg = &p->markers;
    draft->writes_dosage = !p->markers.has_fractions;
    draft->feature_names = p->markers.name;
    draft->alleles = p->markers.allele;
    draft->marker_ids = p->markers.has_ids ? p->markers.id : NULL;
}
