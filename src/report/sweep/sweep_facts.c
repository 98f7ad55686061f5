/* SPDX-License-Identifier: BSD-3-Clause */
/* Facts about the data of a sweep (src/run/sweep_facts.c stores them), in words. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/sweep/sweep_read.h"

struct words {
    const char *topic;
    const char *name, *label; /* label NULL: a detail of the program, which is left out */
};

static const struct words topics[] = {
    {"accepted", NULL, "Changes of input files that --accept-inputs allowed"},
    {"class", NULL, "Classes"},
    {"data", NULL, "Data"},
    {"degree", NULL, "Nodes by number of neighbours in this graph"},
    {"duplicate", NULL, "Samples that are alike"},
    {"graph", NULL, "Graph (of the first configuration that has one)"},
    {"group", NULL, "Groups"},
    {"length_scale", NULL,
     "Length scale of an axis, in units of its range (short: scores change fast)"},
    {"input", NULL, "Input files of the program, and hashes of their content"},
    {"marker", NULL, "Markers"},
    {"note", NULL, "Files"},
    {"part", NULL, "Samples in each part of a fold"},
    {"target", NULL, "Observed values"},
    {"target_bin", NULL, "Histogram of the observed values, by lower end"},
};

static const struct words names[] = {
    {"data", "format", "Format of the files"},
    {"data", "task", "Task"},
    {"data", "digest", "Checksum (digest) of the data"},
    {"data", "samples", "Samples"},
    {"data", "labelled", "Samples with an observed value or class"},
    {"data", "features", "Features of each sample"},
    {"data", "markers", "Markers among the features"},
    {"data", "effects", "Columns of fixed effects"},
    {"data", "form", NULL},
    {"data", "missing", "Missing values"},
    {"data", "skipped", "Samples that could not be read"},
    {"data", "groups", "Groups"},
    {"data", "rows_with_value", "Rows with an observed value"},
    {"data", "rows_joined", "Rows with a partner in the other table"},
    {"data", "rows_unjoined", "Rows without a partner in the other table"},
    {"data", "nodes", "Nodes"},
    {"data", "edges", "Edges"},
    {"data", "duplicate_edges", "Edges given more than once"},
    {"data", "self_loops", "Edges from a node to itself"},
    {"marker", "read", "Read"},
    {"marker", "kept", "Kept"},
    {"marker", "monomorphic", "Dropped: the same in all samples"},
    {"marker", "too_missing", "Dropped: too many missing values"},
    {"marker", "rare", "Dropped: rare allele"},
    {"marker", "thinned", "Dropped: thinned out"},
    {"marker", "sites_elsewhere", "Sites outside the region"},
    {"marker", "sites_multiallelic", "Sites with several alternative alleles, skipped"},
    {"marker", "sites_split", "Sites with several alternative alleles, split"},
    {"note", "coding", "Coding"},
    {"note", "covariates", "Covariates"}, /* of earlier versions: among the features */
    {"note", "filters", "Filters"},
    {"note", "effects", "Fixed effects"},
    {"note", "genotypes", "Genotypes"},
    {"note", "not used", "Not used"},
    {"note", "one way", "Edges in one direction"},
    {"note", "phenotypes", "Phenotypes"},
    {"note", "sites", "Sites"},
    {"note", "skipped", "Molecules left out"},
    {"note", "unmatched", "Ids without a partner"},
    {"note", "valences", "Valences"},
    {"duplicate", "sets", "Sets of samples that are alike"},
    {"duplicate", "samples", "Samples in these sets"},
    {"duplicate", "sets_on_both_sides", "Sets on both sides of a split"},
    {"part", "train", "Training"},
    {"part", "stop", "Choice of the epoch"},
    {"part", "val", "Validation"},
    {"part", "test", "Test"},
    {"target", "n", "Samples"},
    {"target", "mean", "Mean"},
    {"target", "sd", "Standard deviation"},
    {"target", "min", "Smallest"},
    {"target", "quartile_1", "First quartile"},
    {"target", "median", "Median"},
    {"target", "quartile_3", "Third quartile"},
    {"target", "max", "Largest"},
    {"graph", "build", "Rule for the edges"},
    {"graph", "k", "Nearest neighbours of each sample (k)"},
    {"graph", "threshold", "Smallest similarity of an edge (threshold)"},
    {"graph", "metric", "Similarity"},
    {"graph", "edges", "Edges"},
    {"graph", "components", "Connected parts"},
    {"graph", "alone", "Samples without a neighbour"},
};

#define COUNT(list) (sizeof(list) / sizeof *(list))

const char *sweep_fact_topic(const char *topic)
{
    for (size_t i = 0; i < COUNT(topics); i++)
        if (!strcmp(topics[i].topic, topic))
            return topics[i].label;
    return topic;
}

/* Names of classes, groups and degrees are their own labels. */
static const char *label_of(const char *topic, const char *name)
{
    for (size_t i = 0; i < COUNT(names); i++)
        if (!strcmp(names[i].topic, topic) && !strcmp(names[i].name, name))
            return names[i].label;
    return name;
}

static bool is_range(const struct sweep_fact *least, const struct sweep_fact *most)
{
    const char *from = strstr(least->name, "_min"), *to = strstr(most->name, "_max");

    return !strcmp(most->topic, "part") && !strcmp(least->topic, "part") && from && !from[4] &&
           to && !to[4];
}

/* "val_min" and "val_max" of the topic `part`, in this order, become "val". */
static int join_range(struct sweep_fact *least, const struct sweep_fact *most,
                      struct sweep_data *data, struct err *err)
{
    char name[16], text[48];

    snprintf(name, sizeof name, "%.*s", (int)strlen(least->name) - 4, least->name);
    snprintf(text, sizeof text, "%.0f to %.0f", least->number, most->number);
    least->text = least->number == most->number ? "" : sweep_copy(data, text, err);
    least->name = sweep_copy(data, name, err);
    least->number = most->number;
    if (!least->text || !least->name)
        return -1;
    least->label = label_of(least->topic, least->name);
    return 0;
}

static bool is_fact(const struct sweep_fact *fact, const char *topic, const char *name)
{
    return !strcmp(fact->topic, topic) && !strcmp(fact->name, name);
}

/* Nothing happened for this reason, or the markers are all features: not worth a line. */
static bool is_idle(const struct sweep_fact *fact, const struct sweep_fact *before)
{
    if (is_fact(fact, "data", "markers"))
        return fact->number == before->number;
    return fact->number == 0 &&
           (!strcmp(fact->topic, "marker") || is_fact(fact, "data", "skipped") ||
            is_fact(fact, "data", "groups") || is_fact(fact, "data", "duplicate_edges") ||
            is_fact(fact, "data", "self_loops"));
}

static int show_facts(struct sweep_data *data, struct err *err)
{
    int32_t n = 0;

    data->shown_facts = sweep_take(data, (size_t)data->n_facts, sizeof *data->shown_facts, err);
    if (!data->shown_facts)
        return -1;
    for (int32_t i = 0; i < data->n_facts; i++) {
        struct sweep_fact *fact = &data->shown_facts[n];

        *fact = data->facts[i];
        if (n && is_range(fact - 1, fact)) {
            if (join_range(fact - 1, fact, data, err))
                return -1;
        } else if (!n || !is_idle(fact, fact - 1)) {
            n += fact->label != NULL;
        }
    }
    data->n_shown_facts = n;
    return 0;
}

int sweep_take_facts(struct sweep_data *data, const struct result_table *rows, struct err *err)
{
    data->facts = sweep_take(data, (size_t)rows->n_rows, sizeof *data->facts, err);
    if (!data->facts)
        return -1;
    for (int64_t r = 0; r < rows->n_rows; r++) {
        struct sweep_fact *fact = &data->facts[r];

        fact->number = result_table_real(rows, r, "value");
        fact->text = isnan(fact->number) ? sweep_copy_cell(data, rows, r, "value", err) : "";
        fact->topic = sweep_copy_cell(data, rows, r, "topic", err);
        fact->name = sweep_copy_cell(data, rows, r, "name", err);
        if (!fact->text || !fact->topic || !fact->name)
            return -1;
        fact->label = strcmp(fact->topic, "advice") ? label_of(fact->topic, fact->name) : NULL;
    }
    data->n_facts = (int32_t)rows->n_rows;
    return show_facts(data, err);
}
