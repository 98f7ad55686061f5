#include "data/recode_match.h"

#include <string.h>

int32_t recode_find_alleles(const struct recode *r, struct buf *text, const struct site *site,
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

/* Compare the alleles of a site with those of marker j, which was found by a name or an id. */
static void compare_alleles(struct recode_match *m, const struct recode *r, int32_t j,
                            const struct site *site, const char *alt)
{
    const char *alleles = dataset_alleles(r->data, j);
    bool has_alt = !is_alike(site, alt);

    m->marker = j;
    m->is_by_name = !*alleles;
    if (!*alleles ||
        (has_allele(alleles, 2, site->ref) && (!has_alt || has_allele(alleles, 3, alt))))
        return;
    m->is_flipped = site->n_alts < 2 && has_allele(alleles, 3, site->ref) &&
                    (!has_alt || has_allele(alleles, 2, alt));
    m->is_other = !m->is_flipped;
}

/* By CHROM_POS, or CHROM_POS_REF_ALT. */
static int32_t find_name(const struct recode *r, struct buf *text, const struct site *site,
                         const char *alt)
{
    int32_t j;

    buf_clear(text);
    buf_printf(text, "%s_%lld", site->chrom, (long long)site->pos);
    j = names_find(&r->names, buf_text(text));
    if (j < 0) {
        buf_printf(text, "_%s_%s", site->ref, alt);
        j = names_find(&r->names, buf_text(text));
    }
    return j;
}

int32_t recode_find_id(const struct recode *r, const char *id)
{
    int32_t j = names_find(&r->ids, id);

    if (j >= 0)
        return r->marker[j].has_own_id ? j : -1;
    j = names_find(&r->names, id);
    return j >= 0 && !*dataset_alleles(r->data, j) ? j : -1;
}

struct recode_match recode_match_site(const struct recode *r, struct buf *text,
                                      const struct site *site, int32_t alt, int32_t id_marker)
{
    const char *allele = site->n_alts ? site->alt[alt] : "";
    struct recode_match m = {.marker = recode_find_alleles(r, text, site, site->ref, allele)};
    int32_t j;

    if (m.marker < 0 && site->n_alts == 1) {
        m.marker = recode_find_alleles(r, text, site, allele, site->ref);
        m.is_flipped = m.marker >= 0;
    }
    if (m.marker >= 0)
        return m;
    j = find_name(r, text, site, allele);
    m.is_by_id = j < 0 && id_marker >= 0;
    if (m.is_by_id)
        j = id_marker;
    if (j >= 0)
        compare_alleles(&m, r, j, site, allele);
    return m;
}
