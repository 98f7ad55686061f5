/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/new_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/words.h"
#include "data/format.h"
#include "trial/spec.h"

static int check_data(const struct dataset *data, const struct settings *settings,
                      const char *phenotypes, struct err *err)
{
    const struct data_format *format = data_format_at(settings->v[P_FORMAT].i);

    if (!format->has_genotypes)
        return data_format_refuse(format, "genotypes", "genotypes", err);
    if (data->n_fixed && !phenotypes)
        return err_set(err,
                       "--genotypes: the models have fixed effects: give a table with %.200s of "
                       "the new samples: --phenotypes FILE",
                       settings->v[P_FIXED].s);
    if (!data->n_fixed && phenotypes)
        return err_set(err, "--phenotypes: the models have no fixed effects (data.fixed)");
    return 0;
}

static int choose(struct new_samples *n, const struct dataset *data, bool takes_known,
                  struct err *err)
{
    const struct names *ids = recode_ids(&n->recode);
    struct names panel = {0};
    int rc = 0;

    for (int32_t i = 0; !rc && i < data->n_samples; i++)
        rc = names_add(&panel, dataset_id(data, i), 1, err) < 0 ? -1 : 0;
    n->sample = malloc(((size_t)ids->n + 1) * sizeof *n->sample);
    n->id = malloc(((size_t)ids->n + 1) * sizeof *n->id);
    n->known = malloc(((size_t)ids->n + 1) * sizeof *n->known);
    if (!rc && (!n->sample || !n->id || !n->known))
        rc = err_nomem(err, "samples", (size_t)ids->n * sizeof *n->id);
    for (int32_t i = 0; !rc && i < ids->n; i++) {
        int32_t at = names_find(&panel, ids->text[i]);

        if (at >= 0 && !takes_known && dataset_is_labelled(data, at)) {
            n->n_known++;
            continue;
        }
        n->n_twice += at >= 0;
        n->sample[n->n] = i;
        n->known[n->n] = at;
        n->id[n->n++] = strdup(ids->text[i]);
        if (!n->id[n->n - 1])
            rc = err_nomem(err, "samples", strlen(ids->text[i]));
    }
    names_release(&panel);
    return rc;
}

int new_samples_open(struct new_samples *n, const struct dataset *data,
                     const struct settings *settings, const char *path, const char *phenotypes,
                     bool takes_known, struct err *err)
{
    struct graph_spec graph;
    struct data_spec spec;

    spec_graph(&graph, settings);
    *n = (struct new_samples){.has_graph = graph.build != GRAPH_NONE, .phenotypes = phenotypes};
    if (check_data(data, settings, phenotypes, err) ||
        recode_open(&n->recode, data, path, (enum data_dosage)settings->v[P_DOSAGE].i,
                    settings->v[P_MISSING_GENOTYPE].s, err) ||
        choose(n, data, takes_known, err))
        return -1;
    if (n->n == 0)
        return err_set(err,
                       "%s: all %d samples have a phenotype in the training data; --all predicts "
                       "them too",
                       path, n->n_known);
    if (!phenotypes)
        return 0;
    spec_data(&spec, settings->v);
    spec.phenotypes = phenotypes;
    spec.like = n->recode.data;
    return fixed_columns_read_new(
        &n->fixed, &n->fixed_report, &spec,
        &(struct joined_ids){.ids = recode_ids(&n->recode), .path = n->recode.path}, n->sample,
        n->n, err);
}

void new_samples_close(struct new_samples *n)
{
    if (!n)
        return;
    for (int32_t i = 0; i < n->n; i++)
        free((char *)(uintptr_t)n->id[i]);
    free(n->id);
    free(n->sample);
    free(n->fixed);
    free(n->known);
    recode_close(&n->recode);
    memset(n, 0, sizeof *n);
}

/* ---- reading ---- */

/* Unlike in training, no site is dropped: the alleles are those of the training data. */
static void tell_contradicted(const struct new_samples *n)
{
    const struct variants_contradicted *c = &n->report.contradicted;

    if (c->n_taken)
        log_warn("%s: %lld sites have calls that contradict their column alleles (%s): their calls "
                 "are matched by letter with the alleles of the training data",
                 n->recode.path, (long long)c->n_taken, c->sites.text);
}

static void tell_coding(const struct new_samples *n)
{
    const struct recode *r = &n->recode;
    const struct coding *here = &r->here, *there = &r->there, *other = &r->other;

    if (n->report.n_recoded)
        log_info("%s: %lld calls from %g to %g recoded to the range of the training data, %g to %g",
                 r->path, (long long)n->report.n_recoded, there->base, there->base + there->span,
                 here->base, here->base + here->span);
    if (r->is_unsure)
        log_warn(
            "%s: the calls may be dosages from %g to %g, or from %g to %g: taken as the former, "
            "with which they are more like the training data; a file with more samples or "
            "markers would decide",
            r->path, there->base, there->base + there->span, other->base,
            other->base + other->span);
}

void new_samples_report_notes(const struct data_report *r, const char *before)
{
    for (int32_t i = 0; i < r->n_notes; i++)
        if (r->note[i].kind == DATA_NOTE_WARNING)
            log_warn("%s%s", before, r->note[i].text);
        else if (r->note[i].kind == DATA_NOTE_INFO)
            log_info("%s%s", before, r->note[i].text);
}

static void tell_doubts(const struct new_samples *n)
{
    struct data_report notes = {0};

    variants_report(&notes, &n->recode.variants, n->report.n_found);
    new_samples_report_notes(&notes, "");
}

static void tell_markers(const struct new_samples *n)
{
    const struct recode_report *r = &n->report;
    const char *path = n->recode.path;
    char by_id[40] = "", skipped[80] = "";

    if (n->n_known)
        snprintf(skipped, sizeof skipped, ", %d skipped: the training data have their phenotypes",
                 n->n_known);
    log_info("%s: %d sample%s to predict%s", path, n->n, plural(n->n), skipped);
    /* the nearest neighbour of such a sample may be its own copy */
    if (n->n_twice && n->has_graph)
        log_warn("%s: %d of these samples %s also in the training data: a graph joins such samples "
                 "to their own copies; without --genotypes they are predicted as nodes of the "
                 "training graph",
                 path, n->n_twice, n->n_twice == 1 ? "is" : "are");
    if (r->n_by_id)
        snprintf(by_id, sizeof by_id, " and %d by their ids", r->n_by_id);
    log_info("%s: %d of %d markers found, %d of them with REF and ALT swapped%s; %d absent, %d of "
             "them with other alleles",
             path, r->n_found, n->recode.data->n_features, r->n_flipped, by_id,
             n->recode.data->n_features - r->n_found, r->n_other);
    if (r->n_found < n->recode.data->n_features - r->n_found)
        log_warn("%s: less than half of the markers found: the predictions may be far off", path);
    tell_contradicted(n);
    if (r->n_respelled)
        log_info("%s: %d of them on chromosomes with another name: \"%s\" matches \"%s\" of the "
                 "training data (the prefix chr and zeros before a number are ignored)",
                 path, r->n_respelled, r->chrom[0], r->chrom[1]);
    if (r->n_by_name)
        log_warn("%s: %d marker%s found only by name or id: the allele that their dosages count is "
                 "not known and taken to be that of the training data; predictions are wrong where "
                 "it is the other one",
                 path, r->n_by_name, plural(r->n_by_name));
    tell_coding(n);
    tell_doubts(n);
}

static int32_t count_marker_ids(const struct new_samples *n)
{
    const struct names *ids = recode_ids(&n->recode);
    int32_t found = 0;

    for (int32_t i = 0; i < ids->n; i++)
        found += names_find(&n->recode.names, ids->text[i]) >= 0 ||
                 names_find(&n->recode.ids, ids->text[i]) >= 0;
    return found;
}

static int check_found(const struct new_samples *n, bool accepts_few, struct err *err)
{
    const struct recode_report *r = &n->report;
    const struct dataset *data = n->recode.data;

    if (r->n_found && (accepts_few || r->n_found >= n->recode.data->n_features - r->n_found))
        return 0;
    tell_doubts(n);
    if (count_marker_ids(n) > r->n_found)
        return err_set(err,
                       "%s: %d of its %d rows have names of markers of the training data: the "
                       "table is transposed: it must have a row for each sample and a column for "
                       "each marker",
                       n->recode.path, count_marker_ids(n), recode_ids(&n->recode)->n);
    if (!r->n_found && recode_is_other_kind(&n->recode))
        return err_set(
            err,
            "%s: its calls are letters and those of the training data are numbers, whose "
            "counted alleles are not known: give dosages that count the same alleles",
            n->recode.path);
    if (!r->n_found && n->recode.n_without_alleles)
        return err_set(
            err,
            "%s: has %d markers of the training data, but does not name their alleles, so it is "
            "not known which one counts: write them in the column \"alleles\" (A/G)",
            n->recode.path, n->recode.n_without_alleles);
    return err_set(err,
                   "%s: contains %d of the %d markers of the training data, the first of which is "
                   "\"%.80s\" (%d with other alleles): must contain %s",
                   n->recode.path, r->n_found, n->recode.data->n_features,
                   dataset_feature_name(data, 0), r->n_other,
                   r->n_found ? "at least half, or give --few-markers" : "some of them");
}

int new_samples_read(struct mat *x, struct new_samples *n, int32_t first, int32_t count,
                     bool accepts_few, struct err *err)
{
    int64_t n_missing = n->report.n_missing;

    if (recode_read(x, &n->report, &n->recode, n->sample + first, count, err))
        return -1;
    n->report.n_missing += n_missing;
    if (check_found(n, accepts_few, err))
        return -1;
    if (!n->is_read)
        tell_markers(n);
    n->is_read = true;
    return 0;
}

const double *new_samples_fixed(const struct new_samples *n, int32_t first)
{
    return n->fixed ? n->fixed + (int64_t)first * n->recode.data->n_fixed : NULL;
}

void new_samples_report_missing(const struct new_samples *n)
{
    const struct recode_report *r = &n->report;
    const struct fixed_report *f = &n->fixed_report;

    if (n->phenotypes)
        log_info("%s: fixed effects: %d sample%s without a row and %lld missing cell%s take the "
                 "mean of the training data",
                 n->phenotypes, f->n_absent, plural(f->n_absent), (long long)f->n_missing,
                 plural(f->n_missing));
    if (f->n_unknown)
        log_warn("%s: %lld cell%s with a level that the training data do not have, taken as "
                 "missing: the first is \"%s\" in column \"%s\", line %lld",
                 n->phenotypes, (long long)f->n_unknown, plural(f->n_unknown), f->word, f->column,
                 (long long)f->line);
    if (r->n_missing || r->n_found < n->recode.data->n_features)
        log_info("%s: absent markers and %lld missing call%s (%.2g %% of those found) set to the "
                 "mean of the training data",
                 n->recode.path, (long long)r->n_missing, plural(r->n_missing),
                 100 * (double)r->n_missing / ((double)r->n_found * n->n));
}
