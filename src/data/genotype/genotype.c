/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/words.h"
#include "data/core/builder.h"
#include "data/core/data_report.h"
#include "data/core/filter.h"
#include "data/core/fixed_columns.h"
#include "data/core/membership.h"
#include "data/core/reader.h"
#include "data/genotype/genotype_table.h"
#include "data/genotype/markers.h"
#include "data/genotype/variants.h"

struct marker_panel {
    struct variants variants; /* select samples before reading */
    struct markers markers;
    bool is_ploidy_given;
    const struct filter *filter;
    struct filter_counts *counts;
    struct variants_contradicted contradicted;
    struct names elsewhere; /* chromosomes outside the regions */
};

enum { MOST_NAMED = 8 };

static bool has_outgrown(const struct marker_panel *p)
{
    return !p->is_ploidy_given && p->variants.found_ploidy > p->variants.ploidy;
}

static bool is_enough(const struct marker_panel *p)
{
    return p->filter->take == FILTER_FIRST && p->markers.n >= p->filter->n_take;
}

static int take_allele(struct marker_panel *p, const struct site *site, int32_t alt,
                       struct err *err)
{
    struct calls calls;
    struct tally tally;
    int32_t n = p->variants.n;
    double frequency;

    if (variants_read(&p->variants, alt, &calls, err))
        return -1;
    if (has_outgrown(p))
        return 0;
    p->counts->n_read++;
    tally = calls.packed   ? tally_packed(calls.packed, n)
            : calls.dosage ? tally_dosage(calls.dosage, n)
                           : tally_value(calls.value, n);
    frequency = tally.n_present ? tally.sum / ((double)p->variants.ploidy * tally.n_present) : 0;
    if (!filter_keeps(p->filter, &tally, n, frequency, p->counts))
        return 0;
    return markers_add(&p->markers, site, alt, &calls, &tally, err);
}

static int take_site(struct marker_panel *p, const struct site *site, struct err *err)
{
    if (!filter_has_region(p->filter, site->chrom, site->pos, site->end)) {
        p->counts->n_elsewhere++;
        return p->elsewhere.n < MOST_NAMED &&
                       names_find_or_add(&p->elsewhere, site->chrom, 1, err) < 0
                   ? -1
                   : 0;
    }
    if (site->odd) {
        variants_note_site(&p->variants, site);
        return 0;
    }
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

static int no_region(const struct marker_panel *p, struct err *err)
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

static int nothing_left(const struct marker_panel *p, struct err *err)
{
    const struct filter_counts *r = p->counts;
    char contradicted[80] = "", odd[880] = "", uncalled[40] = "";

    if (p->elsewhere.n && r->n_read == 0 && r->n_multiallelic == 0)
        return no_region(p, err);
    if (p->contradicted.n_dropped)
        snprintf(contradicted, sizeof contradicted, ", %lld with calls that contradict alleles",
                 (long long)p->contradicted.n_dropped);
    if (r->n_uncalled)
        snprintf(uncalled, sizeof uncalled, "%d without any call, ", r->n_uncalled);
    if (p->variants.doubts.sites.n)
        snprintf(odd, sizeof odd, ", %lld that cannot be used: %s",
                 (long long)p->variants.doubts.sites.n, p->variants.doubts.sites.text);
    return err_set(err,
                   "%s: no variant is left: %d read, %s%d monomorphic, %d with "
                   "too many missing calls, %d rare; %lld sites outside data.region, %lld "
                   "multi-allelic%s%s",
                   p->variants.path, r->n_read, uncalled, r->n_monomorphic, r->n_too_missing,
                   r->n_rare, (long long)r->n_elsewhere, (long long)r->n_multiallelic, contradicted,
                   odd);
}

/* A call with more alleles than all before it changes the scale of these: the file is read again. */
static int read_sites(struct marker_panel *p, struct err *err)
{
    struct site site;
    int status = 0;

    do {
        if (has_outgrown(p)) {
            *p->counts = (struct filter_counts){0};
            p->contradicted = (struct variants_contradicted){0};
            names_release(&p->elsewhere);
            markers_release(&p->markers);
            if (variants_restart(&p->variants, err))
                return -1;
        }
        if (markers_init(&p->markers, p->variants.n, err))
            return -1;
        while (!is_enough(p) && !has_outgrown(p) &&
               (status = variants_next(&p->variants, &site, err)) > 0)
            if (take_site(p, &site, err))
                return -1;
    } while (status >= 0 && has_outgrown(p));
    return status < 0 ? -1 : 0;
}

/* Reads the selected samples, once. -1 and err: FILE:LINE or the record, what was found; or no
 * variant is left. */
static int panel_read(struct marker_panel *p, const struct filter *filter,
                      struct filter_counts *counts, int64_t *n_missing, struct err *err)
{
    p->filter = filter;
    p->counts = counts;
    if (read_sites(p, err))
        return -1;
    p->counts->is_partly_read = is_enough(p);
    if (p->markers.n == 0)
        return nothing_left(p, err);
    if (p->filter->take == FILTER_THIN) {
        p->counts->n_thinned = p->markers.n;
        markers_thin(&p->markers, p->filter->n_take);
        p->counts->n_thinned -= p->markers.n;
    }
    if (markers_name(&p->markers, err))
        return -1;
    for (int32_t i = 0; i < p->markers.n; i++)
        *n_missing += p->markers.list[i].n_missing;
    return 0;
}

struct genotype {
    const struct data_spec *spec;
    struct data_report *report;
    const struct variants_kind *kind; /* NULL: a table */
    struct genotype_table table;
    struct marker_panel panel; /* for all kinds */
    struct filter filter;
    struct filter_counts counts;
    int64_t n_missing;       /* of the markers kept */
    const struct names *all; /* of the file */
    struct names subset;     /* phenotyped samples */
    const struct names *ids; /* samples that are used */
    struct phenotype phenotype;
    struct phenotype_report noticed;
    struct fixed_columns fixed;
    struct target target;
    struct membership membership;
};

static void genotype_release(struct genotype *g)
{
    membership_release(&g->membership);
    target_release(&g->target);
    fixed_columns_release(&g->fixed);
    phenotype_release(&g->phenotype);
    names_release(&g->subset);
    filter_release(&g->filter);
    names_release(&g->panel.elsewhere);
    markers_release(&g->panel.markers);
    variants_close(&g->panel.variants);
    genotype_table_release(&g->table);
}

static bool is_given(const char *setting)
{
    return setting && *setting;
}

static int check_kind(const struct genotype *g, struct err *err)
{
    const struct data_filter *filter = &g->spec->filter;
    const char *path = g->spec->genotypes;
    bool is_table = !g->kind;

    if (is_table && g->filter.n_ranges)
        return err_set(err, "data.region needs positions: %s is a table and has none", path);
    if (is_table && filter->multiallelic == DATA_MULTIALLELIC_SKIP)
        return err_set(err, "data.multiallelic = skip needs sites: %s is a table and has none",
                       path);
    if (!is_table && is_given(g->spec->missing_genotype))
        return err_set(
            err, "data.missing_genotype is only for tables: %s marks missing calls itself", path);
    if ((is_table || !g->kind->has_fields) && filter->dosage != DATA_DOSAGE_GT)
        return err_set(err, "data.dosage = %s needs a file with such a field, as a VCF: %s is %s",
                       variants_field(filter->dosage), path, is_table ? "a table" : g->kind->name);
    return 0;
}

static bool has_own_phenotypes(const struct genotype *g)
{
    return g->kind && g->kind->phenotypes;
}

static int open_genotypes(struct genotype *g, struct err *err)
{
    const struct data_spec *spec = g->spec;
    const struct variants_calls calls = {.dosage = spec->filter.dosage, .ploidy = spec->ploidy};
    int rc;

    g->kind = variants_detect(spec->genotypes);
    if (!has_own_phenotypes(g) && reader_need_path(spec, spec->phenotypes, "phenotypes", err)) {
        g->report->unset = "phenotypes";
        return -1;
    }
    if (!g->kind) {
        g->all = &g->table.ids;
        rc = genotype_table_read(&g->table, spec, err);
        g->report->low = g->table.low;
        g->report->high = g->table.high;
    } else {
        g->all = &g->panel.variants.ids;
        g->panel.is_ploidy_given = spec->ploidy > 0;
        if (g->kind->is_diploid && spec->ploidy && spec->ploidy != 2)
            rc = err_set(
                err,
                "%s: ploidy = %d: its calls have two alleles: remove [data] ploidy, or set it to 2",
                spec->genotypes, (int)spec->ploidy);
        else
            rc = variants_open(&g->panel.variants, g->kind, spec->genotypes, &calls, err);
    }
    g->report->n_samples = g->all->n;
    g->ids = g->all;
    return rc ? -1 : check_kind(g, err);
}

/* ---- samples ---- */

static int read_phenotypes(struct genotype *g, struct err *err)
{
    const struct data_spec *spec = g->spec;
    struct joined_ids samples = {.ids = g->ids,
                                 .path = spec->genotypes,
                                 .columns = g->table.markers.name,
                                 .n_columns = g->table.markers.n_cols};
    struct data_spec again = *spec;

    phenotype_release(&g->phenotype);
    if (g->ids != g->all)
        again.unmatched = NULL; /* the first reading listed them */
    if (!has_own_phenotypes(g) || (spec->phenotypes && *spec->phenotypes))
        return phenotype_read(&g->phenotype, &samples, &again, &g->noticed, err);
    if (is_given(spec->fixed) || is_given(spec->missing) || is_given(spec->trait) ||
        is_given(spec->id)) {
        g->noticed.unset = "phenotypes";
        return err_set(err,
                       "data.phenotypes is not set: data.%s is about the columns of that table",
                       is_given(spec->fixed)     ? "fixed"
                       : is_given(spec->missing) ? "missing"
                       : is_given(spec->trait)   ? "trait"
                                                 : "id");
    }
    return g->kind->phenotypes(&g->phenotype.trait, &g->panel.variants, g->ids, spec->task,
                               &g->noticed, err);
}

struct marker_place {
    int64_t line; /* of the phenotype table */
    int32_t sample;
};

static int compare_places(const void *a, const void *b)
{
    const struct marker_place *x = a, *y = b;

    return (x->line > y->line) - (x->line < y->line);
}

static int take(struct genotype *g, const struct marker_place *place, int32_t *sample, int32_t n,
                struct err *err)
{
    for (int32_t i = 0; i < n; i++) {
        sample[i] = place[i].sample;
        if (names_add(&g->subset, g->all->text[sample[i]], place[i].line, err) < 0)
            return -1;
    }
    g->ids = &g->subset;
    if (!g->kind)
        return columns_take_rows(&g->table.markers, sample, n, err);
    variants_select(&g->panel.variants, sample, n);
    return 0;
}

static int read_samples(struct genotype *g, struct err *err)
{
    size_t n_all = (size_t)g->all->n;
    struct marker_place *place;
    int32_t *sample, n = 0;
    int rc = -1;

    if (read_phenotypes(g, err))
        return -1;
    if (g->spec->subset == DATA_SUBSET_ALL)
        return 0;
    place = malloc(n_all * sizeof *place);
    sample = malloc(n_all * sizeof *sample);
    for (int32_t i = 0; place && i < g->all->n; i++)
        if (g->phenotype.trait.text[i])
            place[n++] = (struct marker_place){g->phenotype.trait.line[i], i};
    if (!place || !sample) {
        err_nomem(err, "samples", n_all * sizeof *place);
    } else if (n == 0) {
        err_set(err, "%s: no sample of %s has a value: data.subset = phenotyped leaves none",
                g->phenotype.trait.path, g->spec->genotypes);
    } else { /* in the order of the phenotype table */
        qsort(place, (size_t)n, sizeof *place, compare_places);
        rc = take(g, place, sample, n, err);
    }
    free(place);
    free(sample);
    /* The second reading is for the remaining samples in their order. */
    return rc ? -1 : read_phenotypes(g, err);
}

/* ---- together ---- */

static int make_targets(struct genotype *g, struct err *err)
{
    const struct data_spec *spec = g->spec;
    const struct phenotype *p = &g->phenotype;
    const struct membership_source source = {.spec = spec,
                                             .ids = g->ids,
                                             .path = spec->genotypes,
                                             .all = g->all,
                                             .cells = &p->cells,
                                             .target = &g->target,
                                             .report = g->report};

    return target_make(&g->target, &p->trait, spec->task, g->noticed.is_case_control, err) ||
                   fixed_columns_make(&g->fixed, p, err) ||
                   membership_read(&g->membership, &source, err)
               ? -1
               : 0;
}

static int build(struct dataset *out, struct genotype *g, struct err *err)
{
    struct draft draft = {.n_samples = g->ids->n, .ids = g->ids->text};
    struct markers *m = &g->panel.markers;

    target_into(&draft, &g->target);
    membership_into(&draft, &g->membership);
    if (!g->kind) {
        genotype_table_into(&draft, &g->table);
    } else {
        draft.n_features = m->n;
        draft.write = markers_write;
        draft.write_arg = m;
        draft.writes_dosage = !m->has_fractions;
        draft.feature_names = m->name;
        draft.alleles = m->allele;
        draft.marker_ids = m->has_ids ? m->id : NULL;
        draft.ploidy = g->panel.variants.ploidy;
    }
    fixed_columns_into(&draft, &g->fixed);
    return draft_build(out, &draft, err);
}

/* ---- report ---- */

static void put_ids(struct buf *out, const char ids[DATA_EXAMPLES][PHENOTYPE_ID], int32_t n)
{
    for (int32_t i = 0; i < n && i < DATA_EXAMPLES; i++) {
        char id[PHENOTYPE_ID];

        memcpy(id, ids[i], sizeof id);
        escape_terminal(id, false);
        buf_printf(out, "%s\"%s\"", i ? ", " : "", id);
    }
    if (n > DATA_EXAMPLES)
        buf_puts(out, " ...");
}

/* If all phenotypes joined, the other samples simply have none. */
static void warn_unjoined(struct data_report *r, const struct genotype *g)
{
    const struct phenotype_report *p = &g->noticed;
    bool is_many = p->n_left && (2 * p->n_left > p->n_valued || 2 * p->n_absent > r->n_samples);
    struct buf sides = {0};

    if (is_many) {
        buf_printf(&sides, "; %d have no genotypes (", p->n_left);
        put_ids(&sides, p->left, p->n_left);
        buf_printf(&sides, "), and %d of %d samples have no phenotype", p->n_absent, r->n_samples);
        buf_puts(&sides, p->n_absent ? " (" : "");
        put_ids(&sides, p->absent, p->n_absent);
        buf_puts(&sides, p->n_absent ? ")" : "");
    }
    reader_report_columns(r, &p->columns, g->spec->phenotypes);
    id_join_report(r, &p->loose, g->spec->phenotypes);
    target_report_spelled(r, &g->target.spelled, "classes");
    if (is_many || *p->unjoined)
        data_report_add(r, DATA_NOTE_WARNING, "unjoined", "%d of %d phenotypes joined%s: %s",
                        p->n_joined, p->n_valued, buf_text(&sides),
                        *p->unjoined ? p->unjoined
                                     : "no id resembles one of the other file: check that both "
                                       "are about the same samples");
    buf_release(&sides);
}

static void report_filters(struct data_report *r, const struct filter_counts *c)
{
    if (c->n_elsewhere || c->n_multiallelic || c->n_split)
        data_report_add(r, DATA_NOTE_FACT, "sites",
                        "%lld outside the region and %lld multi-allelic dropped, %lld split",
                        (long long)c->n_elsewhere, (long long)c->n_multiallelic,
                        (long long)c->n_split);
    if (c->n_too_missing || c->n_rare || c->n_thinned || c->is_partly_read)
        data_report_add(r, DATA_NOTE_FACT, "filters",
                        "%d marker%s with too many missing calls, %d rare and %d by thinning "
                        "dropped%s",
                        c->n_too_missing, plural(c->n_too_missing), c->n_rare, c->n_thinned,
                        c->is_partly_read ? "; the rest was not read" : "");
}

static void report_facts(struct data_report *r, const struct genotype *g)
{
    const struct letter_columns *l = &g->table.letters;
    struct buf ids = {0};

    r->filtered = g->counts;
    data_report_add(r, DATA_NOTE_FACT, "genotypes",
                    "%d sample%s, %d marker%s read, %d monomorphic dropped, %lld missing call%s "
                    "set to the marker mean",
                    r->n_samples, plural(r->n_samples), r->n_features, plural(r->n_features),
                    g->counts.n_monomorphic, (long long)r->n_missing, plural(r->n_missing));
    if (g->counts.n_uncalled)
        data_report_add(r, DATA_NOTE_FACT, "uncalled", "%d marker%s without any call dropped",
                        g->counts.n_uncalled, plural(g->counts.n_uncalled));
    if (l->n_cols)
        data_report_add(
            r, DATA_NOTE_FACT, "letters",
            "calls are letters: dosages count the allele that is later in the alphabet");
    variants_report_malformed(r, g->spec->genotypes, l->n_malformed, l->malformed);
    if (l->other.n)
        data_report_add(r, DATA_NOTE_WARNING, "alleles",
                        "%lld marker%s with more than two alleles dropped: %s",
                        (long long)l->other.n, plural(l->other.n), l->other.text);
    data_report_add(r, DATA_NOTE_FACT, "phenotypes",
                    "%d with a value, %d joined by id, %d without genotype dropped", r->n_valued,
                    r->n_joined, r->n_unjoined);
    put_ids(&ids, g->noticed.left, g->noticed.n_left);
    if (g->noticed.n_left)
        data_report_add(r, DATA_NOTE_FACT, "unmatched", "%s%s", buf_text(&ids),
                        g->noticed.is_foreign_id
                            ? " (ids that are not UTF-8: iconv -f CP1252 -t UTF-8 TABLE)"
                            : "");
    buf_release(&ids);
    if (r->low == -1 && r->high == 1)
        data_report_add(r, DATA_NOTE_FACT, "coding",
                        "calls from -1 to 1 are used as dosages; if -1 means a missing call, set "
                        "missing_genotype = -1");
    if (!g->kind && g->table.n_above)
        data_report_add(
            r, DATA_NOTE_WARNING, "ploidy",
            "%s: the largest dosage makes %d alleles in a call, but only %lld call%s above 2: "
            "correct %s if this is an error",
            g->spec->genotypes, g->table.ploidy, (long long)g->table.n_above,
            g->table.n_above == 1 ? " is" : "s are", g->table.n_above == 1 ? "it" : "them");
    if (!g->kind && !g->table.ploidy)
        data_report_add(r, DATA_NOTE_INFO, "coding",
                        "%s: numbers from %g to %g are no dosages: used as they are; predict needs "
                        "new samples that were scaled in the same way",
                        g->spec->genotypes, r->low, r->high);
    report_filters(r, &g->counts);
    fixed_columns_note(r, &g->fixed);
}

static void warn_suspects(struct data_report *r, const struct phenotype_report *p)
{
    struct buf cells = {0}, codes = {0};

    for (int32_t k = 0; k < p->n_suspects; k++) {
        const struct phenotype_suspect *s = &p->suspects[k];
        bool is_new = true;

        buf_printf(&cells, "%scolumn \"%s\" is %g in %d sample%s", k ? ", " : "", s->column,
                   s->value, s->n, plural(s->n));
        for (int32_t l = 0; l < k; l++)
            is_new = is_new && p->suspects[l].value != s->value;
        if (is_new)
            buf_printf(&codes, "%s%g", k ? ", " : "", s->value);
    }
    if (p->n_suspects)
        data_report_add(r, DATA_NOTE_WARNING, "suspect",
                        "%s and never negative otherwise: if that stands for a missing value, set "
                        "[data] missing = %s",
                        buf_text(&cells), buf_text(&codes))
            ->is_advice = true;
    buf_release(&cells);
    buf_release(&codes);
}

static void report_warnings(struct data_report *r, const struct genotype *g)
{
    const struct examples *hidden = &g->table.hidden.hidden, *repeated = &g->panel.markers.repeated;
    const struct variants_contradicted *c = &g->panel.contradicted;

    warn_suspects(r, &g->noticed);
    /* these columns would have revealed the target */
    if (hidden->n)
        data_report_add(r, DATA_NOTE_WARNING, "nonmarkers",
                        "%lld column%s of %s %s the phenotypes and not used as %s: %s",
                        (long long)hidden->n, plural(hidden->n), g->spec->genotypes,
                        hidden->n == 1 ? "is one of" : "are among",
                        hidden->n == 1 ? "a marker" : "markers", hidden->text)
            ->is_advice = true;
    if (g->noticed.is_case_control && g->target.n_classes)
        data_report_add(r, DATA_NOTE_INFO, "case control",
                        "1 and 2 in column 6 of the .fam mean control and case, as in PLINK; "
                        "[data] task = regression uses them as numbers")
            ->is_advice = true;
    warn_unjoined(r, g);
    /* the alleles column of HapMap files is often wrong */
    if (c->sites.n)
        data_report_add(r, DATA_NOTE_WARNING, "contradicted",
                        "%s: %lld sites have calls that contradict their column alleles (%s): "
                        "alleles taken from the calls: %lld, dropped because their calls do not "
                        "have two letters: %lld",
                        g->spec->genotypes, (long long)c->sites.n, c->sites.text,
                        (long long)c->n_taken, (long long)c->n_dropped);
    if (g->kind)
        variants_report(r, &g->panel.variants, g->counts.n_read);
    if (repeated->n)
        data_report_add(r, DATA_NOTE_WARNING, "repeated",
                        "%s: %lld marker%s dropped, since markers with the same id or place and "
                        "alleles come before: %s",
                        g->spec->genotypes, (long long)repeated->n, plural(repeated->n),
                        repeated->text);
}

static int load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                struct err *err)
{
    struct genotype g = {.spec = spec, .report = report};
    int rc = reader_need_path(spec, spec->genotypes, "genotypes", err) ||
             filter_init(&g.filter, &spec->filter, err) || open_genotypes(&g, err) ||
             read_samples(&g, err) || make_targets(&g, err) ||
             (g.kind ? panel_read(&g.panel, &g.filter, &g.counts, &g.n_missing, err)
                     : genotype_table_filter(&g.table, &g.filter, &g.counts, &g.n_missing, err)) ||
             build(out, &g, err);

    report->n_valued = g.noticed.n_valued;
    report->n_joined = g.noticed.n_joined;
    report->n_unjoined = g.noticed.n_left;
    report->n_features = g.counts.n_read;
    report->n_missing = g.n_missing;
    report->unset = g.noticed.unset ? g.noticed.unset : report->unset;
    if (!rc) {
        report_facts(report, &g);
        report_warnings(report, &g);
    }
    genotype_release(&g);
    return rc ? -1 : 0;
}

const struct data_format genotype_format = {
    .name = "genotype",
    .sample_word = "accessions",
    .feature_word = "markers",
    .samples = DATA_ROWS,
    .has_genotypes = true,
    .has_groups = true,
    .same = "markers",
    .settings = {{"genotypes", true, "markers of each sample"},
                 {.key = "subset"},
                 {.key = "dosage"},
                 {.key = "ploidy"},
                 {.key = "region"},
                 {.key = "multiallelic"},
                 {.key = "max_missing"},
                 {.key = "maf"},
                 {.key = "variants"},
                 /* a .fam has phenotypes */
                 {"phenotypes", false, "traits of each sample, joined by id"},
                 {.key = "trait"},
                 {.key = "fixed"},
                 {.key = "missing"},
                 {.key = "missing_genotype"},
                 {.key = "id"}},
    .load = load,
    .new_option = "genotypes",
    .files = {{"genotypes", "phenotypes",
               "genotypes: the phenotype table is missing (ids and a column for each trait)"}},
    .trait_table = "phenotypes",
    .proposal = {.epochs = 100,
                 .patience = "30",
                 .learning_rate = "0.003 0.01 0.001",
                 .dropout = "0.5 0.2 0.8",
                 .layers = "2",
                 .hidden_size = "64 16"},
};
