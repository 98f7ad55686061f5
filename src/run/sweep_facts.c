/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/sweep_facts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/real.h"
#include "data/core/label_summary.h"
#include "data/format.h"
#include "run/job_prepare.h"
#include "store/data_fact.h"
#include "store/query/query.h"
#include "trial/model_type.h"
#include "trial/spec.h"

#define BINS 20          /* of the target, and of many different degrees */
#define MOST_DEGREES 100 /* with a row of their own */
#define MOST_GROUPS 1000 /* with a row of their own */
#define MOST_SIMILAR 2e9 /* products to search for similar samples: a tenth of a second */

/* After a failure the rest is left out. */
struct facts {
    struct job *job;
    const struct dataset *d;
    struct data_facts to;
    struct err *err;
    int rc;
};

static void put(struct facts *f, const char *topic, const char *name, const struct cell *value)
{
    if (!f->rc)
        f->rc = data_facts_put(&f->to, topic, name, value, f->err);
}

static void put_count(struct facts *f, const char *topic, const char *name, int64_t n)
{
    put(f, topic, name, &(struct cell){.type = CELL_INTEGER, .i = n});
}

static void put_real(struct facts *f, const char *topic, const char *name, double value)
{
    put(f, topic, name, &(struct cell){.type = CELL_REAL, .f = value});
}

static void put_text(struct facts *f, const char *topic, const char *name, const char *text)
{
    put(f, topic, name, &(struct cell){.type = CELL_TEXT, .s = text});
}

static void *take(struct facts *f, size_t n, size_t size)
{
    void *room = f->rc ? NULL : calloc(n + 1, size);

    if (!room && !f->rc)
        f->rc = err_nomem(f->err, "facts", n * size);
    return room;
}

/* ---- what was read ---- */

static void put_data(struct facts *f)
{
    const struct dataset *d = f->d;
    const struct data_report *r = &f->job->report;
    char digest[HASH_HEX_SIZE];

    put_text(f, "data", "format", data_format_at(f->job->sweep.fixed.v[P_FORMAT].i)->name);
    put_text(f, "data", "task", task_name(d->task));
    put_text(f, "data", "digest", hash_hex(d->digest, digest));
    put_count(f, "data", "samples", d->n_samples);
    put_count(f, "data", "labelled", dataset_count_labelled(d));
    put_count(f, "data", "features", d->n_features);
    put_count(f, "data", "effects", d->n_fixed);
    put_text(f, "data", "form", d->is_sparse ? "sparse" : d->dosage ? "small integers" : "floats");
    put_count(f, "data", "missing", r->n_missing);
    put_count(f, "data", "skipped", r->n_skipped);
    put_count(f, "data", "groups", d->n_groups);
    if (r->n_valued) {
        put_count(f, "data", "rows_with_value", r->n_valued);
        put_count(f, "data", "rows_joined", r->n_joined);
        put_count(f, "data", "rows_unjoined", r->n_unjoined);
    }
    if (d->graph_start)
        put_count(f, "data", "nodes", d->n_nodes);
    if (!d->n_edges)
        return;
    put_count(f, "data", "edges", d->n_edges);
    put_count(f, "data", "duplicate_edges", r->n_duplicate_edges);
    put_count(f, "data", "self_loops", r->n_self_loops);
}

static void put_markers(struct facts *f)
{
    const struct filter_counts *c = &f->job->report.filtered;

    if (!c->n_read)
        return;
    put_count(f, "marker", "read", c->n_read);
    put_count(f, "marker", "kept", f->d->n_features);
    put_count(f, "marker", "monomorphic", c->n_monomorphic);
    put_count(f, "marker", "too_missing", c->n_too_missing);
    put_count(f, "marker", "rare", c->n_rare);
    put_count(f, "marker", "thinned", c->n_thinned);
    put_count(f, "marker", "sites_elsewhere", c->n_elsewhere);
    put_count(f, "marker", "sites_multiallelic", c->n_multiallelic);
    put_count(f, "marker", "sites_split", c->n_split);
}

/* ---- labels ---- */

static void put_classes(struct facts *f)
{
    const struct dataset *d = f->d;
    int64_t *size = take(f, (size_t)d->n_classes, sizeof *size);

    if (!size)
        return;
    label_class_sizes(size, d);
    for (int32_t c = 0; c < d->n_classes; c++)
        put_count(f, "class", dataset_class_name(d, c), size[c]);
    free(size);
}

/* Bins of equal width; the last one has both edges. */
static void put_bins(struct facts *f, const double *sorted, int32_t n)
{
    double low = sorted[0], width = (sorted[n - 1] - low) / BINS;
    int32_t n_bins = width > 0 ? BINS : 1, at = 0;
    struct buf name = {0};

    for (int32_t b = 0; b < n_bins; b++) {
        int32_t first = at;

        while (at < n && (b == n_bins - 1 || sorted[at] < low + (b + 1) * width))
            at++;
        buf_clear(&name);
        real_format(&name, real_of_float((float)(low + b * width)));
        put_count(f, "target_bin", buf_text(&name), at - first);
    }
    buf_release(&name);
}

static void put_target(struct facts *f)
{
    double *sorted = take(f, (size_t)f->d->n_samples, sizeof *sorted);
    struct target_summary t;

    if (!sorted)
        return;
    target_summarize(&t, sorted, f->d);
    if (t.n) {
        const struct {
            const char *name;
            double value;
        } values[] = {{"min", t.min},
                      {"quartile_1", t.quartile_1},
                      {"median", t.median},
                      {"quartile_3", t.quartile_3},
                      {"max", t.max}};

        put_count(f, "target", "n", t.n);
        put_real(f, "target", "mean", t.mean);
        put_real(f, "target", "sd", t.sd);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++)
            put_real(f, "target", values[i].name, real_of_float((float)values[i].value));
        put_bins(f, sorted, t.n);
    }
    free(sorted);
}

static void put_groups(struct facts *f)
{
    const struct dataset *d = f->d;
    int64_t *size = d->group ? take(f, (size_t)d->n_groups, sizeof *size) : NULL;

    if (!size)
        return;
    label_group_sizes(size, d);
    for (int32_t g = 0; g < d->n_groups && g < MOST_GROUPS; g++)
        put_count(f, "group", dataset_group_name(d, g), size[g]);
    free(size);
}

/* ---- the graph ---- */

/* One row for each degree, or for each range of degrees if there are many. */
static void put_histogram(struct facts *f, const int64_t *degree, int64_t n)
{
    int64_t most = 0, width;
    int64_t *count;
    char name[48];

    for (int64_t i = 0; i < n; i++)
        most = degree[i] > most ? degree[i] : most;
    width = most <= MOST_DEGREES ? 1 : (most + BINS) / BINS;
    count = take(f, (size_t)(most / width) + 1, sizeof *count);
    for (int64_t i = 0; count && i < n; i++)
        count[degree[i] / width]++;
    for (int64_t b = 0; count && b <= most / width; b++) {
        if (width == 1)
            snprintf(name, sizeof name, "%lld", (long long)b);
        else
            snprintf(name, sizeof name, "%lld-%lld", (long long)(b * width),
                     (long long)((b + 1) * width - 1));
        put_count(f, "degree", name, count[b]);
    }
    free(count);
}

static void put_degrees_of_graphs(struct facts *f)
{
    const struct dataset *d = f->d;
    int64_t n = d->graph_start[d->n_samples];
    int64_t *degree = take(f, (size_t)n, sizeof *degree);

    for (int32_t g = 0; degree && g < d->n_samples; g++) {
        struct dataset_graph one = dataset_graph(d, g);

        for (int64_t e = 0; e < one.n_edges; e++) {
            degree[one.first_node + one.source[e] - one.edge_base]++;
            degree[one.first_node + one.target[e] - one.edge_base]++;
        }
    }
    if (degree)
        put_histogram(f, degree, n);
    free(degree);
}

static void put_choice(struct facts *f, const char *topic, enum param_id id,
                       const struct settings *s)
{
    struct buf word = {0};

    param_format(&word, id, s->v[id]);
    put_text(f, topic, param_table[id].key, buf_text(&word));
    buf_release(&word);
}

static void put_adjacency(struct facts *f, const struct csr *a)
{
    int64_t *degree = take(f, (size_t)a->n_rows, sizeof *degree);
    int32_t components = degree ? graph_components(a, f->err) : 0;
    struct graph_degrees degrees;

    if (!degree)
        return;
    f->rc = components < 0 ? -1 : 0;
    graph_count_degrees(&degrees, degree, a);
    put_count(f, "graph", "edges", csr_nnz(a) / 2);
    put_count(f, "graph", "components", components);
    put_count(f, "graph", "alone", degrees.n_alone);
    put_histogram(f, degree, a->n_rows);
    free(degree);
}

/* The graph is that of the first configuration that has one. */
static void put_graph(struct facts *f)
{
    double n = f->d->n_samples;
    struct settings s;
    struct graph_spec spec;
    struct csr a;

    plan_settings_with(&f->job->plan, P_BUILD, &s);
    spec_graph(&spec, &s);
    /* Planning searched for the neighbours already, but not for all similar samples. */
    if (f->rc || !model_type_of(&s)->uses_graph ||
        (spec.build == GRAPH_THRESHOLD && n * n * f->d->n_features >= MOST_SIMILAR))
        return;
    f->rc = prepared_graph(&a, f->job->prepared, &spec, f->err);
    if (f->rc)
        return;
    put_choice(f, "graph", P_BUILD, &s);
    if (spec.build == GRAPH_KNN)
        put_choice(f, "graph", P_K, &s);
    if (spec.build == GRAPH_THRESHOLD)
        put_choice(f, "graph", P_THRESHOLD, &s);
    if (spec.build != GRAPH_FILE)
        put_choice(f, "graph", P_METRIC, &s);
    put_adjacency(f, &a);
    csr_release(&a);
}

/* ---- parts ---- */

/* Over the folds of the first replicate, as `inspect` prints them. */
static void put_parts(struct facts *f)
{
    static const enum part parts[] = {PART_TRAIN, PART_STOP, PART_VAL, PART_TEST};
    int32_t least[PART_COUNT] = {0}, most[PART_COUNT] = {0};
    struct settings s;
    char name[32];

    plan_settings_with(&f->job->plan, P_STOP, &s);
    for (int32_t fold = 0; !f->rc && fold < f->job->plan.folds; fold++) {
        const struct split *split = prepared_split(f->job->prepared, &s, 0, fold, f->err);
        int32_t size[PART_COUNT] = {0};

        f->rc = split ? 0 : -1;
        if (!split)
            return;
        size[PART_TRAIN] = split->n_train;
        size[PART_STOP] = split->n_stop;
        size[PART_VAL] = split->n_val;
        size[PART_TEST] = split->n_test;
        for (int part = 0; part < PART_COUNT; part++) {
            least[part] = !fold || size[part] < least[part] ? size[part] : least[part];
            most[part] = size[part] > most[part] ? size[part] : most[part];
        }
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!most[parts[i]])
            continue;
        snprintf(name, sizeof name, "%s_min", part_name(parts[i]));
        put_count(f, "part", name, least[parts[i]]);
        snprintf(name, sizeof name, "%s_max", part_name(parts[i]));
        put_count(f, "part", name, most[parts[i]]);
    }
}

/* Input files of a program with their hashes. */
static void put_inputs(struct facts *f)
{
    const struct errlist *accepted = &f->job->accepted;

    for (size_t i = 0; i < accepted->n; i += 2)
        put_text(f, "accepted", accepted->text[i], accepted->text[i + 1]);
    for (int32_t i = 0; i < f->d->n_features; i++) {
        char path[PATH_MAX];
        const char *hash = inputs_split(path, dataset_feature_name(f->d, i));

        if (!errlist_has(&f->job->written, path))
            put_text(f, "input", path, hash);
    }
}

/* Print what earlier runs of the sweep have not printed. */
static void put_advice(struct facts *f)
{
    const struct errlist *advice = &f->job->advice;
    struct result_table known;

    if (!f->rc)
        f->rc = query_table(&known, f->to.store, QUERY_DATA_FACTS, f->to.sweep_id, f->err);
    if (f->rc)
        return;
    f->rc = data_facts_drop(&f->to, f->err);
    for (size_t i = 0; i < advice->n; i++) {
        bool is_known = false;

        for (int64_t r = 0; r < known.n_rows; r++)
            is_known |= !strcmp(result_table_text(&known, r, "topic"), "advice") &&
                        !strcmp(result_table_text(&known, r, "value"), advice->text[i]);
        if (!is_known)
            log_warn("%s: %s", f->job->sweep.path, advice->text[i]);
        put_text(f, "advice", "plan", advice->text[i]);
    }
    result_table_release(&known);
}

static void put_facts(struct facts *f)
{
    put_advice(f);
    if (f->d->task == TASK_NONE) {
        put_inputs(f);
        return;
    }
    put_data(f);
    put_markers(f);
    for (int32_t i = 0; i < f->job->report.n_notes; i++)
        if (f->job->report.note[i].kind == DATA_NOTE_FACT)
            put_text(f, "note", f->job->report.note[i].label, f->job->report.note[i].text);
    if (f->job->duplicates.is_known) {
        put_count(f, "duplicate", "sets", f->job->duplicates.n_sets);
        put_count(f, "duplicate", "samples", f->job->duplicates.n_samples);
        put_count(f, "duplicate", "sets_on_both_sides", f->job->duplicates.n_straddling);
    }
    put_parts(f);
    put_groups(f);
    if (f->d->task == TASK_CLASSIFICATION)
        put_classes(f);
    else
        put_target(f);
    if (f->d->graph_start)
        put_degrees_of_graphs(f);
    else
        put_graph(f);
}

int sweep_facts_store(struct store *store, struct job *job, struct err *err)
{
    struct facts f = {.job = job, .d = &job->data, .err = err};

    f.rc = data_facts_begin(&f.to, store, job->sweep.fixed.v[P_SWEEP_NAME].s, err);
    put_facts(&f);
    return f.rc;
}
