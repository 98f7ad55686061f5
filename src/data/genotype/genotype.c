#include <stdlib.h>
#include <string.h>

#include "data/core/covariates.h"
#include "data/core/membership.h"
#include "data/core/reader.h"
#include "data/genotype/genotable.h"
#include "data/genotype/panel.h"
#include "data/genotype/plink.h"

/* Genotypes of any kind of file, joined by id with a column of a table of phenotypes. */

struct genotype {
    const struct data_spec *spec;
    struct data_report *report;
    enum variants_kind kind;
    struct genotable table; /* VARIANTS_NONE, */
    struct panel panel;     /* or any other */
    struct filter filter;
    const struct names *all; /* the samples of the file */
    struct names subset;     /* the phenotyped ones, where they alone are taken */
    const struct names *ids; /* of the samples that are taken */
    struct phenotype phenotype;
    struct covariates covariates;
    struct target target;
    struct membership membership;
};

static void genotype_release(struct genotype *g)
{
    membership_release(&g->membership);
    target_release(&g->target);
    covariates_release(&g->covariates);
    phenotype_release(&g->phenotype);
    names_release(&g->subset);
    filter_release(&g->filter);
    panel_release(&g->panel);
    genotable_release(&g->table);
}

static bool is_given(const char *setting)
{
    return setting && *setting;
}

/* Settings that a file of this kind cannot follow. */
static int check_kind(const struct genotype *g, struct err *err)
{
    const struct data_filter *filter = &g->spec->filter;
    const char *path = g->spec->genotypes;
    bool is_table = g->kind == VARIANTS_NONE;

    if (is_table && g->filter.n_ranges)
        return err_set(err, "data.region needs positions: %s is a table and has none", path);
    if (is_table && filter->multiallelic == DATA_MULTIALLELIC_SKIP)
        return err_set(err, "data.multiallelic = skip needs sites: %s is a table and has none",
                       path);
    if (!is_table && is_given(g->spec->missing_genotype))
        return err_set(err,
                       "data.missing_genotype is of tables: %s says itself which calls are missing",
                       path);
    if (g->kind != VARIANTS_VCF && g->kind != VARIANTS_BCF && filter->dosage == DATA_DOSAGE_DS)
        return err_set(err, "data.dosage = DS needs a VCF or BCF: %s is %s", path,
                       is_table                    ? "a table"
                       : g->kind == VARIANTS_PLINK ? "PLINK's"
                                                   : "HapMap");
    return 0;
}

static int open_genotypes(struct genotype *g, struct err *err)
{
    const struct data_spec *spec = g->spec;
    int status;

    g->kind = variants_detect(spec->genotypes);
    /* A .fam has phenotypes of its own. */
    if (g->kind != VARIANTS_PLINK &&
        reader_need_path(spec->phenotypes, "phenotypes", "genotype", err) != 0) {
        g->report->unset = "phenotypes";
        return -1;
    }
    if (g->kind == VARIANTS_NONE) {
        g->all = &g->table.ids;
        status = genotable_read_markers(&g->table, spec, g->report, err);
        g->report->low = g->table.low;
        g->report->high = g->table.high;
    } else {
        g->all = &g->panel.variants.ids;
        status = panel_open(&g->panel, g->kind, spec, err);
    }
    g->report->n_genotyped = g->all->n;
    g->ids = g->all;
    return status == 0 ? check_kind(g, err) : -1;
}

/* ---- samples ---- */

static int read_phenotypes(struct genotype *g, struct err *err)
{
    const struct data_spec *spec = g->spec;
    struct data_report *r = g->report;
    struct joined_ids samples = {.ids = g->ids,
                                 .path = spec->genotypes,
                                 .columns = g->table.markers.name,
                                 .n_columns = g->table.markers.n_cols};
    struct data_spec again = *spec;

    phenotype_release(&g->phenotype);
    r->n_phenotyped = r->n_joined = r->n_phenotype_only = 0;
    r->is_foreign_id = false;
    if (g->ids != g->all)
        again.unmatched = NULL; /* listed by the first reading, of all samples */
    if (g->kind != VARIANTS_PLINK || (spec->phenotypes && *spec->phenotypes))
        return phenotype_read(&g->phenotype, &samples, &again, r, err);
    if (is_given(spec->covariates) || is_given(spec->missing) || is_given(spec->trait) ||
        is_given(spec->id)) {
        r->unset = "phenotypes";
        return err_set(err,
                       "data.phenotypes is not set: data.%s is about the columns of that table",
                       is_given(spec->covariates) ? "covariates"
                       : is_given(spec->missing)  ? "missing"
                       : is_given(spec->trait)    ? "trait"
                                                  : "id");
    }
    return plink_phenotypes(&g->phenotype.trait, &g->panel.variants, g->ids, spec->task, r, err);
}

struct place {
    int64_t line; /* of the table of phenotypes */
    int32_t sample;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;

    return (x->line > y->line) - (x->line < y->line);
}

/* Those with a value, in the order of the table of phenotypes. Returns how many. */
static int32_t find_phenotyped(struct place *place, const struct genotype *g, struct err *err)
{
    int32_t n = 0;

    for (int32_t i = 0; i < g->all->n; i++)
        if (g->phenotype.trait.text[i])
            place[n++] = (struct place){g->phenotype.trait.line[i], i};
    if (n == 0)
        return err_set(err, "%s: no sample of %s has a value: data.subset = phenotyped leaves none",
                       g->phenotype.trait.path, g->spec->genotypes);
    qsort(place, (size_t)n, sizeof *place, compare_places);
    return n;
}

static int take(struct genotype *g, const struct place *place, int32_t *sample, int32_t n,
                struct err *err)
{
    for (int32_t i = 0; i < n; i++) {
        sample[i] = place[i].sample;
        if (names_add(&g->subset, g->all->text[sample[i]], place[i].line, err) < 0)
            return -1;
    }
    g->ids = &g->subset;
    if (g->kind == VARIANTS_NONE)
        return genotable_select(&g->table, sample, n, err);
    variants_select(&g->panel.variants, sample, n);
    return 0;
}

static int read_samples(struct genotype *g, struct err *err)
{
    size_t n_all = (size_t)g->all->n;
    struct place *place;
    int32_t *sample, n;
    int status = -1;

    if (read_phenotypes(g, err) != 0)
        return -1;
    if (g->spec->subset == DATA_SUBSET_ALL)
        return 0;
    place = malloc(n_all * sizeof *place);
    sample = malloc(n_all * sizeof *sample);
    if (place && sample) {
        n = find_phenotyped(place, g, err);
        status = n > 0 ? take(g, place, sample, n, err) : -1;
    } else {
        err_nomem(err, "samples", n_all * sizeof *place);
    }
    free(place);
    free(sample);
    /* Once more, for those that are left, in their order. */
    return status == 0 ? read_phenotypes(g, err) : -1;
}

/* ---- together ---- */

static int read_markers(struct genotype *g, struct err *err)
{
    if (g->kind == VARIANTS_NONE)
        return genotable_filter(&g->table, &g->filter, g->report, err);
    return panel_read(&g->panel, &g->filter, g->report, err);
}

static int build(struct dataset *out, struct genotype *g, struct err *err)
{
    struct draft draft = {
        .n_samples = g->ids->n,
        .ids = g->ids->text,
    };

    target_into(&draft, &g->target);
    membership_into(&draft, &g->membership);
    if (g->kind == VARIANTS_NONE)
        genotable_into(&draft, &g->table);
    else
        panel_into(&draft, &g->panel);
    if (covariates_into(&draft, &g->covariates, err) != 0)
        return -1;
    return draft_build(out, &draft, err);
}

int genotype_load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                  struct err *err)
{
    struct genotype g = {.spec = spec, .report = report};
    int status = -1;

    if (reader_need_path(spec->genotypes, "genotypes", "genotype", err) == 0 &&
        filter_init(&g.filter, &spec->filter, err) == 0 && open_genotypes(&g, err) == 0 &&
        read_samples(&g, err) == 0 &&
        target_make(&g.target, &g.phenotype.trait, spec->task, report->is_case_control, err) == 0 &&
        covariates_make(&g.covariates, &g.phenotype, report, err) == 0 &&
        membership_read(&g.membership, spec, g.ids, spec->genotypes, g.all, &g.phenotype.group,
                        &g.target, err) == 0 &&
        read_markers(&g, err) == 0)
        status = build(out, &g, err);
    genotype_release(&g);
    return status;
}
