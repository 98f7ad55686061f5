/* SPDX-License-Identifier: BSD-3-Clause */
/* The methods and results of a sweep as a paragraph for a paper. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/words.h"
#include "data/core/data_format.h"
#include "data/format.h"
#include "grid/plan.h"
#include "report/page/html.h"
#include "report/page/panel_methods.h"
#include "trial/model_type.h"

/* Longer axes are given by their ends; more classes and input files are only counted. */
enum { LEVELS_LISTED = 8, FACTS_LISTED = 10 };

/* True for an axis of several values. */
static bool is_varied_name(const struct sweep_data *d, const char *name)
{
    for (int32_t a = 0; a < d->n_axes; a++)
        if (!strcmp(d->axes[a].name, name))
            return d->axes[a].n > 1;
    return false;
}

static bool is_varied(const struct sweep_data *d, enum param_id id)
{
    return is_varied_name(d, param_table[id].key);
}

/* True if all configurations have this setting and value. */
static bool is_fixed(const struct methods *m, enum param_id id)
{
    return m->s && !is_varied(m->d, id);
}

static bool is_choice(const struct settings *s, enum param_id id, const char *name)
{
    return s->v[id].i == param_choice(id, name);
}

/* ---- a program: espalier does not know its data and training ---- */

/* The command line as the sweep file has it, and what did not vary in it. */
static void put_command_line(struct methods *m)
{
    const struct settings *s = m->s;
    const char *gap = "The fixed values were ";

    if (!s)
        return;
    buf_printf(&m->text, "A trial ran the command: %s", s->v[P_COMMAND].s);
    buf_puts(&m->text, strchr(s->v[P_COMMAND].s, '{')
                           ? " (a name in braces stands for its value). "
                           : " (it got the values by environment variables). ");
    for (int id = P_COUNT; id < settings_end(s); id++) {
        const char *name = settings_row(s, id)->key;

        if (is_varied_name(m->d, name) || !s->v[id].s)
            continue;
        buf_printf(&m->text, "%s%s %s", gap, name, s->v[id].s);
        gap = ", ";
    }
    buf_puts(&m->text, *gap == ',' ? ". " : "");
}

static int32_t count_facts(const struct sweep_data *d, const char *topic)
{
    int32_t n = 0;

    for (int32_t f = 0; f < d->n_facts; f++)
        n += !strcmp(d->facts[f].topic, topic);
    return n;
}

/* Append ": a (12), b (3) and c", the names and numbers of the facts of a topic, if they are few. */
static void put_facts_of(struct methods *m, const char *topic)
{
    const struct sweep_data *d = m->d;
    int32_t n = count_facts(d, topic), i = 0;

    for (int32_t f = 0; n <= FACTS_LISTED && f < d->n_facts; f++) {
        const struct sweep_fact *fact = &d->facts[f];

        if (strcmp(fact->topic, topic) != 0)
            continue;
        buf_printf(&m->text, "%s%s", i ? words_between(i, n) : ": ", fact->name);
        if (!isnan(fact->number))
            buf_printf(&m->text, " (%.0f)", fact->number);
        i++;
    }
}

/* How many trials there are, at the end of a sentence. */
static void put_trials(struct methods *m)
{
    const struct sweep_data *d = m->d;
    long long lost = d->failed + d->diverged;

    buf_printf(&m->text, ": %lld trial%s %s", (long long)d->planned, plural(d->planned),
               d->search.n_stopped ? "at most" : "in all");
    if (d->search.n_stopped)
        buf_printf(&m->text, ", of which the search ran %lld to the end",
                   (long long)d->done + lost);
    if (lost)
        buf_printf(&m->text, ", of which %lld failed or diverged", lost);
    buf_puts(&m->text, ". ");
}

/* espalier does not know what a program does with the number of its fold. */
static void put_program_scheme(struct methods *m)
{
    const struct sweep_data *d = m->d;

    buf_printf(&m->text, "%s configuration%s was run ", d->n_configs == 1 ? "The" : "Each",
               d->search.n_stopped ? " that was not stopped" : "");
    if (d->folds > 1)
        buf_printf(&m->text, "for each of %d folds", (int)d->folds);
    if (d->replicates > 1)
        buf_printf(&m->text, "%s%d times with other seeds", d->folds > 1 ? ", " : "",
                   (int)d->replicates);
    if (d->folds <= 1 && d->replicates <= 1)
        buf_puts(&m->text, "once");
    put_trials(m);
    if (d->n_curves)
        buf_printf(&m->text, "Of each trial, the epoch with the best %s counted. ", d->objective);
}

/* ---- what was searched ---- */

static void put_axis(struct buf *out, const struct sweep_axis *axis)
{
    buf_puts(out, axis->name);
    if (axis->is_numeric && axis->n > LEVELS_LISTED) {
        buf_printf(out, " (%d values from %s to %s)", (int)axis->n, axis->label[0],
                   axis->label[axis->n - 1]);
        return;
    }
    for (int32_t l = 0; l < axis->n; l++) {
        const char *quote = strchr(axis->label[l], ',') || !*axis->label[l] ? "'" : "";

        buf_printf(out, "%s%s%s%s", l ? ", " : " (", quote, axis->label[l], quote);
    }
    buf_puts(out, ")");
}

static void put_axes(struct methods *m)
{
    const struct sweep_data *d = m->d;
    int32_t n = 0, i = 0, n_configs = panel_planned_configs(d);
    double combinations = 1; /* of the levels of all axes */
    bool is_partial = false; /* some configuration lacks a value of a varied axis */

    for (int32_t a = 0; a < d->n_axes; a++) {
        n += d->axes[a].n > 1;
        combinations *= d->axes[a].n;
    }
    buf_printf(&m->text, "The searched setting%s ", n == 1 ? " was" : "s were");
    for (int32_t a = 0; a < d->n_axes; a++)
        if (d->axes[a].n > 1) {
            buf_puts(&m->text, words_between(i++, n));
            put_axis(&m->text, &d->axes[a]);
        }
    for (i = 0; i < d->n_configs * d->n_axes; i++)
        is_partial |= d->level[i] < 0 && d->axes[i % d->n_axes].n > 1;
    if (!d->search.is_listed) {
        buf_printf(&m->text, "; %d configurations were %s. ", (int)n_configs,
                   d->search.proposer->words ? d->search.proposer->words
                                             : d->search.proposer->name);
        return;
    }
    buf_printf(&m->text, ", which gave %d configurations", (int)n_configs);
    if (n_configs < combinations)
        buf_printf(&m->text, " out of %.0f combinations%s", combinations,
                   is_partial ? ", because no model type has all of these settings" : "");
    buf_puts(&m->text, ". ");
}

static void put_types(struct methods *m)
{
    const struct sweep_data *d = m->d;

    buf_printf(&m->text, "The model%s ", d->n_types == 1 ? " was a" : "s were:");
    for (int32_t t = 0; t < d->n_types; t++) {
        const struct settings *s = sweep_data_settings(d, t);
        const struct model_type *type = s ? model_type_of(s) : NULL;

        buf_puts(&m->text, words_between(t, d->n_types));
        if (type)
            buf_printf(&m->text, "%s (", type->words);
        buf_puts(&m->text, d->types[t]);
        if (type && type->source) {
            buf_printf(&m->text, "; %s", type->source);
            methods_cite(m, type->reference);
        }
        buf_puts(&m->text, type ? ")" : "");
    }
    buf_puts(&m->text, ". ");
}

/* Append the names of the types for which `is` holds: "gcn and mlp". Return how many they are. out:
 * NULL to only count them. */
static int32_t put_types_that(struct buf *out, const struct sweep_data *d,
                              bool (*is)(const struct settings *s))
{
    int32_t n = 0, i = 0;

    for (int32_t t = 0; t < d->n_types; t++)
        n += sweep_data_settings(d, t) && is(sweep_data_settings(d, t));
    for (int32_t t = 0; t < d->n_types; t++)
        if (out && sweep_data_settings(d, t) && is(sweep_data_settings(d, t)))
            buf_printf(out, "%s%s", words_between(i++, n), d->types[t]);
    return n;
}

static bool has_epochs(const struct settings *s)
{
    return model_type_of(s)->has_epochs;
}

static bool trains_at_once(const struct settings *s)
{
    return model_type_of(s)->trains && !model_type_of(s)->has_epochs;
}

static bool has_shrinkage(const struct settings *s)
{
    return model_type_of(s)->trains && settings_has(s, P_LAMBDA);
}

static bool has_fixed_effects(const struct methods *m)
{
    return m->s && *m->s->v[P_FIXED].s;
}

static void put_loss(struct methods *m)
{
    const struct data_format *format = m->s ? data_format_at(m->s->v[P_FORMAT].i) : NULL;
    int32_t n = put_types_that(&m->text, m->d, has_epochs);
    int32_t n_shrunk = put_types_that(NULL, m->d, has_shrinkage);

    if (n)
        buf_printf(
            &m->text, " %s trained to minimize the %s. ", n == 1 ? "was" : "were",
            m->d->is_classification ? "cross-entropy of the classes"
            : has_fixed_effects(m)
                ? "mean squared error of what least squares on the fixed effects left of the trait "
                  "in the training samples, which was standardized"
                : "mean squared error of the trait, which was standardized by the mean and "
                  "standard deviation of the training samples");
    if (n_shrunk) {
        buf_puts(&m->text, "lambda is the penalty of ");
        put_types_that(&m->text, m->d, has_shrinkage);
        if (format && format->has_genotypes && !m->d->is_classification)
            buf_puts(&m->text, ", with standardized markers the ratio of the residual to the "
                               "genetic variance");
        buf_puts(&m->text, ". ");
    }
    if (has_fixed_effects(m))
        buf_printf(&m->text, "Fixed effects were not penalised%s. ",
                   n_shrunk ? ": ridge fits them by generalised least squares" : "");
}

static void put_stops(struct methods *m)
{
    const struct sweep_searched *search = &m->d->search;

    if (!search->settings || !search->allocator->describe)
        return;
    buf_puts(&m->text, "Configurations were stopped early ");
    search->allocator->describe(&m->text, search->settings, m->d->n_slots);
    if (search->n_stopped) {
        buf_puts(&m->text, "; ");
        panel_put_stops(&m->text, m->d);
    }
    buf_puts(&m->text, ". ");
    for (int i = 0; search->allocator->references[i]; i++)
        methods_cite(m, search->allocator->references[i]);
}

static void put_search(struct methods *m)
{
    const struct sweep_data *d = m->d;
    int32_t n_files = count_facts(d, "input");

    if (d->n_configs == 1) {
        buf_printf(&m->text,
                   "One configuration was %s with espalier %s, without a search of "
                   "hyperparameters. ",
                   d->task == TASK_NONE ? "run" : "trained", m->version);
    } else {
        buf_printf(&m->text, "Hyperparameters were searched%s with espalier %s. ",
                   d->search.is_grid && !d->search.settings ? " on a grid" : "", m->version);
        put_axes(m);
        put_stops(m);
    }
    if (d->task == TASK_NONE) {
        put_command_line(m);
        if (n_files) {
            buf_printf(&m->text, "The content of %d input file%s identified the trials",
                       (int)n_files, plural(n_files));
            put_facts_of(m, "input");
            buf_puts(&m->text, ". ");
        }
    } else {
        put_types(m);
        put_loss(m);
    }
}

/* ---- fixed settings ---- */

/* True for a setting of a model or its training that has one value, an effect, and is not off. */
static bool is_worth_listing(const struct sweep_data *d, const struct settings *s, enum param_id id,
                             const char *value)
{
    const char *section = param_table[id].section;

    return (!strcmp(section, "model") || !strcmp(section, "train")) && id != P_TYPE &&
           settings_has(s, id) && !is_varied(d, id) && !plan_setting_is_idle(s, id) &&
           strcmp(value, "0") != 0 && strcmp(value, "no") != 0 && strcmp(value, "none") != 0 &&
           (id != P_WORKERS || s->v[id].i > 1);
}

static void put_fixed_of(struct buf *out, const struct sweep_data *d, int32_t type)
{
    const struct settings *s = sweep_data_settings(d, type);
    struct buf value = {0};

    for (int id = 0; s && id < P_COUNT; id++) {
        buf_clear(&value);
        param_format(&value, (enum param_id)id, s->v[id]);
        if (is_worth_listing(d, s, (enum param_id)id, buf_text(&value)))
            buf_printf(out, "%s%s %s", out->size ? ", " : "", param_table[id].key,
                       buf_text(&value));
    }
    out->failed |= buf_failed(&value);
    buf_release(&value);
}

/* Types with the same fixed settings share a sentence. */
static void put_fixed(struct methods *m)
{
    const struct sweep_data *d = m->d;
    struct buf *lists = calloc((size_t)d->n_types + 1, sizeof *lists);
    bool is_listed = false;

    m->text.failed |= !lists;
    for (int32_t t = 0; lists && t < d->n_types; t++) {
        put_fixed_of(&lists[t], d, t);
        m->text.failed |= buf_failed(&lists[t]);
    }
    for (int32_t t = 0; lists && t < d->n_types; t++) {
        const char *list = buf_text(&lists[t]), *gap = " of ";
        bool is_new = *list;

        for (int32_t u = 0; u < t; u++)
            is_new &= strcmp(list, buf_text(&lists[u])) != 0;
        if (!is_new)
            continue;
        buf_puts(&m->text, "The fixed settings");
        for (int32_t u = t; d->n_types > 1 && u < d->n_types; u++)
            if (!strcmp(list, buf_text(&lists[u]))) {
                buf_printf(&m->text, "%s%s", gap, d->types[u]);
                gap = " and ";
            }
        buf_printf(&m->text, " were %s. ", list);
        is_listed = true;
    }
    if (is_listed)
        buf_puts(&m->text, "Settings that are not listed were off. ");
    for (int32_t t = 0; lists && t < d->n_types; t++)
        buf_release(&lists[t]);
    free(lists);
}

/* ---- the data ---- */

static void put_simulated(struct methods *m)
{
    const struct settings *s = m->s;

    buf_printf(&m->text,
               "The data were simulated: %lld accessions of %lld populations (F_ST %g) with %lld "
               "SNPs, of which %lld affect the trait with a heritability of %g (seed %lld). ",
               (long long)m->d->samples, (long long)s->v[P_POPULATIONS].i, s->v[P_FST].f,
               (long long)s->v[P_MARKERS].i, (long long)s->v[P_CAUSAL].i, s->v[P_HERITABILITY].f,
               (long long)s->v[P_SIMULATION_SEED].i);
}

/* True for a setting by which other samples or features would be read, and of which no other
 * sentence is about. */
static bool is_choice_of_data(const struct settings *s, enum param_id id)
{
    static const enum param_id told[] = {P_FORMAT, P_TASK, P_TRAIT,  P_SCALE,
                                         P_MAF,    P_ID,   P_SMILES, P_MAX_MISSING};

    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (told[i] == id)
            return false;
    return !strcmp(param_table[id].section, "data") && param_table[id].type != PARAM_PATH &&
           !param_equal(id, s->v[id], param_default(id));
}

/* Samples that are the same make scores too good where they stand on both sides of a split. */
static void put_duplicates(struct methods *m, const struct data_format *format)
{
    const struct sweep_data *d = m->d;
    double sets = panel_fact(d, "duplicate", "sets");
    double apart = panel_fact(d, "duplicate", "sets_on_both_sides");

    if (!(sets > 0))
        return;
    buf_printf(&m->text, "%.0f %s are in %.0f set%s with the same %s",
               panel_fact(d, "duplicate", "samples"), m->samples, sets, plural((int64_t)sets),
               data_format_same(format));
    if (apart > 0)
        buf_printf(&m->text,
                   "; %.0f of these sets had members on both sides of a split, which makes the "
                   "scores too good",
                   apart);
    buf_puts(&m->text, ". ");
}

static void put_read(struct methods *m, const struct data_format *format)
{
    const struct sweep_data *d = m->d;
    double markers = panel_fact(d, "data", "markers"), labelled = panel_fact(d, "data", "labelled");
    int64_t n = format && format->has_genotypes && markers > 0 ? (int64_t)markers : d->features;
    const char *gap = "Settings of the data were ";

    buf_printf(&m->text, "The data were %lld %s with %lld %s", (long long)d->samples, m->samples,
               (long long)n, format ? format->feature_word : "features");
    if (n < d->features)
        buf_printf(&m->text, " and %lld covariate%s", (long long)(d->features - n),
                   plural(d->features - n));
    if (has_fixed_effects(m))
        buf_printf(&m->text, " and the fixed effects %.200s", m->s->v[P_FIXED].s);
    if (labelled < (double)d->samples)
        buf_printf(&m->text, ", of which %.0f have a %s", labelled,
                   d->is_classification ? "class" : "value of the trait");
    buf_puts(&m->text, ". ");
    if (format && format->has_genotypes && m->s->v[P_MAF].f > 0)
        buf_printf(&m->text, "Markers with a minor allele frequency below %g were dropped. ",
                   m->s->v[P_MAF].f);
    if (format && format->has_genotypes && m->s->v[P_MAX_MISSING].f < 1)
        buf_printf(&m->text, "Markers with more than %g %% missing calls were dropped. ",
                   100 * m->s->v[P_MAX_MISSING].f);
    for (int id = 0; m->s && id < P_COUNT; id++)
        if (is_choice_of_data(m->s, (enum param_id)id)) {
            buf_printf(&m->text, "%s%s ", gap, param_table[id].key);
            param_format(&m->text, (enum param_id)id, m->s->v[id]);
            gap = ", ";
        }
    buf_puts(&m->text, *gap == ',' ? ". " : "");
    put_duplicates(m, format);
}

static void put_target(struct methods *m)
{
    const struct sweep_data *d = m->d;
    const char *trait = m->s ? m->s->v[P_TRAIT].s : "";
    double mean = panel_fact(d, "target", "mean"), sd = panel_fact(d, "target", "sd");

    if (d->is_classification) {
        buf_printf(&m->text, "The target%s%s had %lld classes", *trait ? " " : "", trait,
                   (long long)d->classes);
        put_facts_of(m, "class");
        buf_puts(&m->text, ". ");
        return;
    }
    if (!*trait && isnan(mean))
        return;
    buf_printf(&m->text, "The trait%s%s", *trait ? " was " : "", trait);
    if (!isnan(mean))
        buf_printf(&m->text,
                   "%s a mean of %.4g and a standard deviation of %.4g in the unit of the data",
                   *trait ? ", with" : " had", mean, sd);
    buf_puts(&m->text, ". ");
}

static void put_scaling(struct methods *m)
{
    if (!m->s || is_choice(m->s, P_SCALE, "auto"))
        return;
    if (is_choice(m->s, P_SCALE, "standardize"))
        buf_printf(&m->text,
                   "Each feature was scaled to mean 0 and standard deviation 1 over all %s. ",
                   m->samples);
    else if (is_choice(m->s, P_SCALE, "row"))
        buf_puts(&m->text, "The features of each sample were divided by their sum. ");
    else
        buf_puts(&m->text, "Features were not scaled. ");
}

/* ---- the graph ---- */

static void put_similarity(struct methods *m, const struct settings *s)
{
    if (is_varied(m->d, P_METRIC)) {
        buf_puts(&m->text, "the similarity that metric names");
    } else if (is_choice(s, P_METRIC, "cosine")) {
        buf_puts(&m->text, "the cosine similarity of features");
    } else if (is_choice(s, P_METRIC, "correlation")) {
        buf_puts(&m->text, "the Pearson correlation of features");
    } else {
        buf_puts(&m->text, "genomic relationship (VanRaden 2008)");
        methods_cite(
            m, "VanRaden PM (2008) Efficient methods to compute genomic predictions. Journal of "
               "Dairy Science 91, 4414-4423.");
    }
}

static void put_similar(struct methods *m, const struct settings *s)
{
    if (is_choice(s, P_BUILD, "knn") && is_varied(m->d, P_K))
        buf_printf(&m->text, "The graph joined each of the %s to the k most similar ones by ",
                   m->samples);
    else if (is_choice(s, P_BUILD, "knn"))
        buf_printf(&m->text, "The graph joined each of the %s to the %lld most similar ones by ",
                   m->samples, (long long)s->v[P_K].i);
    else
        buf_printf(&m->text, "The graph joined %s that reach a threshold of ", m->samples);
    put_similarity(m, s);
    if (is_choice(s, P_BUILD, "threshold") && !is_varied(m->d, P_THRESHOLD))
        buf_printf(&m->text, " (%g)", s->v[P_THRESHOLD].f);
    if (!is_varied(m->d, P_WEIGHTS))
        buf_printf(&m->text, "; an edge had %s as its weight",
                   is_choice(s, P_WEIGHTS, "binary") ? "1" : "the similarity");
    buf_puts(&m->text, ". ");
}

static void put_graph_of(struct methods *m, const struct settings *s)
{
    bool is_joined = !is_choice(s, P_BUILD, "none");

    if (is_varied(m->d, P_BUILD))
        return;
    if (settings_pool(s)) {
        buf_printf(&m->text, "Each sample was a graph of its own%s. ",
                   is_joined ? "" : ", of which only the nodes were used");
        return;
    }
    if (is_choice(s, P_BUILD, "file"))
        buf_puts(&m->text, "The graph was given with the data. ");
    else if (is_joined)
        put_similar(m, s);
    else
        buf_printf(&m->text, "No edges joined the %s. ", m->samples);
    if (is_joined)
        buf_printf(&m->text,
                   "It contained the %s of all parts, so that training used the features, but not "
                   "the %s, of validation and test %s. ",
                   m->samples, m->d->is_classification ? "classes" : "trait values", m->samples);
}

static void put_graph(struct methods *m)
{
    for (int32_t t = 0; t < m->d->n_types; t++) {
        const struct settings *s = sweep_data_settings(m->d, t);

        if (s && model_type_of(s)->uses_graph) {
            put_graph_of(m, s);
            return;
        }
    }
}

/* ---- the parts ---- */

static double size_of(const struct sweep_data *d, const char *part, const char *end)
{
    char name[32];

    snprintf(name, sizeof name, "%s_%s", part, end);
    return panel_fact(d, "part", name);
}

enum { RANGE_TEXT = 48 };

/* "61 to 62". False if the sizes are unknown. */
static bool range_words(char out[RANGE_TEXT], double least, double most)
{
    if (most > least)
        snprintf(out, RANGE_TEXT, "%.0f to %.0f", least, most);
    else
        snprintf(out, RANGE_TEXT, "%.0f", least);
    return least > 0;
}

static bool size_words(char out[RANGE_TEXT], const struct sweep_data *d, const char *part)
{
    return range_words(out, size_of(d, part, "min"), size_of(d, part, "max"));
}

static void put_test_part(struct methods *m)
{
    bool is_given = m->d->has_given_parts;
    char size[RANGE_TEXT];

    if (is_given)
        buf_puts(&m->text, "A file gave the parts of the data. ");
    if (size_words(size, m->d, "test"))
        buf_printf(&m->text, "A test part of %s %s", size, m->samples);
    else if (!is_given && is_fixed(m, P_TEST) && m->s->v[P_TEST].f > 0)
        buf_printf(&m->text, "A test part of %g %% of the %s", 100 * m->s->v[P_TEST].f, m->samples);
    else
        return;
    buf_printf(&m->text,
               " was set aside; their %s took no part in training or in the choice of a "
               "configuration. ",
               m->d->is_classification ? "classes" : "trait values");
}

static void put_sizes(struct methods *m)
{
    const struct sweep_data *d = m->d;
    double least = size_of(d, "train", "min"), most = size_of(d, "train", "max");
    char train[RANGE_TEXT], val[RANGE_TEXT];

    if (m->has_stop_part) { /* the samples that choose the epoch count as training samples */
        least += size_of(d, "stop", "min");
        most += size_of(d, "stop", "max");
    }
    if (range_words(train, least, most) && size_words(val, d, "val"))
        buf_printf(&m->text, " (training parts of %s and validation parts of %s %s)", train, val,
                   m->samples);
}

static void put_division(struct methods *m)
{
    const struct sweep_data *d = m->d;
    const char *group = m->s ? m->s->v[P_GROUP].s : "";
    bool is_by_group = true; /* each fold validates a single group */

    for (int32_t s = 0; s < d->n_slots; s++)
        is_by_group &= d->slots[s].group != NULL;
    if (d->folds > 1 && *group && is_by_group)
        buf_printf(&m->text, "leave-one-group-out cross-validation over %d groups (%s)",
                   (int)d->folds, group);
    else if (d->folds > 1)
        buf_printf(&m->text, "%d-fold cross-validation%s%s%s", (int)d->folds,
                   *group ? " that keeps groups together (" : "", group, *group ? ")" : "");
    else if (d->has_given_parts)
        buf_puts(&m->text, "the given parts");
    else if (d->replicates > 1)
        buf_printf(&m->text, "%d random holdout splits", (int)d->replicates);
    else
        buf_puts(&m->text, "one random holdout split");
    put_sizes(m);
    if ((d->folds > 1 || d->has_given_parts) && d->replicates > 1)
        buf_printf(&m->text, ", repeated %d times with other random numbers", (int)d->replicates);
}

/* Which samples of the training part fit the weights of which type. False: unknown sizes. */
static bool put_stop_part(struct methods *m)
{
    int32_t n_others = put_types_that(NULL, m->d, trains_at_once);
    char fit[RANGE_TEXT], stop[RANGE_TEXT];

    if (!m->has_stop_part || !size_words(fit, m->d, "train") || !size_words(stop, m->d, "stop"))
        return false;
    if (n_others) {
        buf_puts(&m->text, "For ");
        put_types_that(&m->text, m->d, has_epochs);
        buf_puts(&m->text, ", ");
    }
    buf_printf(&m->text,
               "%s %s of each training part chose the epoch%s the weights were fitted on the other "
               "%s",
               stop, m->samples, n_others ? ", and" : ";", fit);
    if (n_others) {
        buf_puts(&m->text, "; ");
        put_types_that(&m->text, m->d, trains_at_once);
        buf_printf(&m->text, " %s fitted on all of them", n_others == 1 ? "was" : "were");
    }
    buf_puts(&m->text, ". ");
    return true;
}

static void put_epoch(struct methods *m)
{
    const struct sweep_data *d = m->d;

    if (!d->n_curves || is_varied(d, P_STOP) || put_stop_part(m))
        return;
    for (int32_t t = 0; t < d->n_types; t++) {
        const struct settings *s = sweep_data_settings(d, t);

        if (!s || !model_type_of(s)->has_epochs)
            continue;
        if (s->v[P_STOP].f > 0)
            buf_printf(&m->text, "%g %% of the training samples chose the epoch. ",
                       100 * s->v[P_STOP].f);
        else
            buf_puts(&m->text, "The validation part also chose the epoch of each trial, which "
                               "makes its scores optimistic. ");
        return;
    }
}

static void put_scheme(struct methods *m)
{
    put_test_part(m);
    buf_printf(&m->text, "%s configuration%s was trained and validated by ",
               m->d->n_configs == 1 ? "The" : "Each",
               m->d->search.n_stopped ? " that was not stopped" : "");
    put_division(m);
    put_trials(m);
    put_epoch(m);
}

static void put_software(struct methods *m)
{
    if (is_fixed(m, P_SEED))
        buf_printf(&m->text, "%s followed from the seed %lld. ",
                   m->d->task == TASK_NONE ? "The seeds that the program got"
                                           : "All random numbers",
                   (long long)m->s->v[P_SEED].i);
    panel_put_runs(&m->text, m->d);
}

/* Move the text into a paragraph. */
static void end_paragraph(struct buf *out, struct methods *m)
{
    html_element(out, "p", "%s", buf_text(&m->text));
    out->failed |= buf_failed(&m->text);
    buf_clear(&m->text);
}

static void put_references(struct buf *out, const struct methods *m)
{
    buf_puts(out, "<h3>References</h3>\n<ul class=\"references\">\n");
    for (int i = 0; i < m->n_references; i++)
        html_element(out, "li", "%s", m->references[i]);
    html_element(out, "li",
                 "the espalier authors. espalier: hyperparameter search for graph convolutional "
                 "networks. Version %s.",
                 m->version);
    buf_puts(out, "</ul>\n");
}

static void put_methods(struct buf *out, const struct page *page)
{
    const struct sweep_data *d = page->data;
    int32_t chosen = sweep_data_find(d, d->chosen);
    struct methods m = {.page = page, .d = d, .samples = "samples", .version = page->version};
    const struct data_format *format;

    m.s = sweep_data_settings(d, chosen < 0 ? 0 : d->configs[chosen].type);
    format = m.s ? data_format_at(m.s->v[P_FORMAT].i) : NULL;
    if (format)
        m.samples = format->sample_word;
    if (d->sessions.n_rows)
        m.version = result_table_text(&d->sessions, d->sessions.n_rows - 1, "version");
    m.has_stop_part = panel_fact(d, "part", "stop_min") > 0 && !is_varied(d, P_STOP);
    buf_puts(out, "<h3>Methods and results, to copy</h3>\n<blockquote class=\"methods copy\">");
    if (panel_left(d))
        buf_printf(&m.text,
                   "PRELIMINARY: %lld of %lld trials are left, so the choice and all numbers may "
                   "still change. ",
                   (long long)panel_left(d), (long long)d->planned);
    if (d->task != TASK_NONE) {
        if (format && format->is_simulated)
            put_simulated(&m);
        else
            put_read(&m, format);
        put_target(&m);
        put_scaling(&m);
        end_paragraph(out, &m);
    }
    put_search(&m);
    if (d->task != TASK_NONE) {
        put_fixed(&m);
        put_graph(&m);
    }
    put_software(&m);
    end_paragraph(out, &m);
    if (d->task == TASK_NONE)
        put_program_scheme(&m);
    else
        put_scheme(&m);
    end_paragraph(out, &m);
    methods_put_results(&m);
    end_paragraph(out, &m);
    buf_puts(out, "</blockquote>\n");
    put_references(out, &m);
    buf_release(&m.text);
}

static void put_verdict(struct buf *out, const struct page *page)
{
    panel_put_verdict(out, page);
    if (page->data->n_scored)
        put_methods(out, page);
}

const struct panel panel_verdict = {
    .id = "verdict",
    .heading = "Verdict",
    .put = put_verdict,
};
