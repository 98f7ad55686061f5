/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/words.h"
#include "cli/inspect_files.h"
#include "cli/print/cli.h"
#include "cli/print/inputs.h"
#include "cli/print/output.h"
#include "data/core/data_report.h"
#include "data/core/label_summary.h"
#include "data/format.h"
#include "data/graph/graph.h"
#include "gcn/reducer.h"
#include "report/answer.h"
#include "report/rows.h"
#include "run/advice.h"
#include "run/job.h"
#include "run/job_prepare.h"
#include "run/leaks.h"
#include "trial/spec.h"

struct inspect_options {
    struct common_options common;
    const char *splits, *unmatched, *duplicates; /* files to write, or NULL */
    bool is_forced;
    const char *section;
    struct text_list set;
};

enum { DATA, CLASSES, GRAPH, REDUCTIONS, SPLITS, NOTES };
static const struct answer_section sections[] = {
    [DATA] = {"data", NULL, true, NULL, NULL},
    [CLASSES] = {"classes", "classes", false, NULL, NULL},
    [GRAPH] = {"graph", "graph", true, NULL, NULL},
    [REDUCTIONS] = {"reductions", "reductions", false, NULL, NULL},
    [SPLITS] = {"splits", "splits", false, NULL, NULL},
    [NOTES] = {"notes", "notes", false, NULL, NULL},
};

/* Lines for people go into the answer at once, the same facts for programs into rows. */
struct inspection {
    struct job *job;
    bool is_wide; /* all classes */
    struct answer answer;
    struct rows rows[NOTES + 1];
};

static void inspection_init(struct inspection *in, struct job *job)
{
    static const char *const classes[] = {"class", "samples"};
    static const char *const reductions[] = {"reduce", "samples", "features", "columns"};
    static const char *const splits[] = {"fold", "train", "val", "test", "stop"};
    static const char *const notes[] = {"note", "text"};

    memset(in->rows, 0, sizeof in->rows);
    in->job = job;
    rows_init(&in->rows[CLASSES], classes, 2);
    rows_init(&in->rows[REDUCTIONS], reductions, 4);
    rows_init(&in->rows[SPLITS], splits, 5);
    rows_init(&in->rows[NOTES], notes, 2);
}

static void inspection_release(struct inspection *in)
{
    for (int s = 0; s <= NOTES; s++)
        rows_release(&in->rows[s]);
}

static void add_fact(struct inspection *in, const char *name, double value)
{
    rows_real(&in->rows[DATA], name, value);
}

static void add_count(struct inspection *in, const char *name, int64_t value)
{
    rows_integer(&in->rows[DATA], name, value);
}

/* The arrays are NULL if memory was short; the counts are then left out. */
struct counts {
    int64_t *nodes; /* [n] */
    int64_t *edges; /* [n] */
    int32_t n;
    int32_t n_disconnected;
    int32_t n_edgeless; /* with several nodes */
};

/* ---- components ---- */

static int32_t root_of(int32_t *parent, int32_t node)
{
    while (parent[node] != node) {
        parent[node] = parent[parent[node]];
        node = parent[node];
    }
    return node;
}

/* parent: scratch, [nodes of the graph]. */
static int32_t count_components(int32_t *parent, const struct dataset_graph *g)
{
    int32_t n = g->n_nodes;

    for (int32_t i = 0; i < g->n_nodes; i++)
        parent[i] = i;
    for (int64_t e = 0; e < g->n_edges; e++) {
        int32_t a = root_of(parent, g->source[e] - g->edge_base);
        int32_t b = root_of(parent, g->target[e] - g->edge_base);

        n -= a != b;
        parent[a] = b;
    }
    return n;
}

/* ---- counts ---- */

static bool count_all(struct counts *c, const struct dataset *d)
{
    int32_t *parent, n_components = 0;

    *c = (struct counts){.n = d->n_samples};
    c->nodes = malloc((size_t)c->n * sizeof *c->nodes);
    c->edges = malloc((size_t)c->n * sizeof *c->edges);
    parent = malloc((size_t)d->n_nodes * sizeof *parent);
    for (int32_t i = 0; c->nodes && c->edges && parent && i < c->n; i++) {
        struct dataset_graph g = dataset_graph(d, i);

        n_components = count_components(parent, &g);
        c->nodes[i] = g.n_nodes;
        c->edges[i] = g.n_edges;
        c->n_disconnected += n_components > 1;
        c->n_edgeless += g.n_nodes > 1 && g.n_edges == 0;
    }
    free(parent);
    return c->nodes && c->edges && parent;
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

static double median(const int64_t *sorted, int32_t n)
{
    return 0.5 * (double)(sorted[n / 2] + sorted[(n - 1) / 2]);
}

static void print_range(struct inspection *in, const char *what, int64_t *count, int32_t n)
{
    int64_t sum = 0;

    qsort(count, (size_t)n, sizeof *count, compare);
    for (int32_t i = 0; i < n; i++)
        sum += count[i];
    answer_printf(&in->answer, "%-11s %lld; %lld to %lld in a graph, median %g", what,
                  (long long)sum, (long long)count[0], (long long)count[n - 1], median(count, n));
    add_count(in, what, sum);
}

static void print_counts(struct inspection *in, struct counts *c)
{
    const struct data_report *r = &in->job->report;

    print_range(in, "nodes", c->nodes, c->n);
    answer_printf(&in->answer, "\n");
    print_range(in, "edges", c->edges, c->n);
    answer_printf(&in->answer, "; %lld duplicate%s and %lld self loop%s dropped\n",
                  (long long)r->n_duplicate_edges, plural(r->n_duplicate_edges),
                  (long long)r->n_self_loops, plural(r->n_self_loops));
    answer_printf(&in->answer, "components  %d graph%s with more than one; %d without an edge\n",
                  c->n_disconnected, plural(c->n_disconnected), c->n_edgeless);
    add_count(in, "disconnected_graphs", c->n_disconnected);
    add_count(in, "edgeless_graphs", c->n_edgeless);
}

/* ---- what was read ---- */

/* Each process needs this memory. */
static void print_graph_features(struct inspection *in)
{
    const struct dataset *d = &in->job->data;
    double bytes = (double)d->n_nodes * d->n_features * (d->dosage ? 1 : sizeof(float));
    char words[BYTES_TEXT];

    answer_printf(&in->answer, "features    %d of each node, %s, %s\n", d->n_features,
                  d->dosage ? "small integers" : "floats", bytes_words(words, bytes));
    add_count(in, "features", d->n_features);
    add_fact(in, "feature_bytes", bytes);
}

static void print_graphs(struct inspection *in)
{
    struct counts counts;

    print_graph_features(in);
    if (count_all(&counts, &in->job->data))
        print_counts(in, &counts);
    free(counts.nodes);
    free(counts.edges);
}

#define MOST_GROUPS 5 /* in a line */

static void print_features(struct inspection *in)
{
    const struct dataset *d = &in->job->data;
    double n = (double)d->n_nodes * d->n_features;
    double bytes = n * (double)(d->dosage ? sizeof *d->dosage : sizeof *d->features.v);
    char words[BYTES_TEXT];

    add_count(in, "features", d->n_features);
    if (d->is_sparse) {
        answer_printf(&in->answer, "features    %d, sparse\n", d->n_features);
        answer_printf(&in->answer, "nonzeros    %lld\n", (long long)csr_nnz(&d->sparse_features));
        add_count(in, "nonzeros", csr_nnz(&d->sparse_features));
        return;
    }
    answer_printf(&in->answer, "features    %d, %s, %s\n", d->n_features,
                  d->dosage ? "small integers" : "floats", bytes_words(words, bytes));
    add_fact(in, "feature_bytes", bytes);
}

static void add_note(struct inspection *in, const char *label, const char *text)
{
    rows_text(&in->rows[NOTES], "note", label);
    rows_text(&in->rows[NOTES], "text", text);
}

static void print_facts(struct inspection *in)
{
    const struct data_report *r = &in->job->report;

    for (int32_t i = 0; i < r->n_notes; i++)
        if (r->note[i].kind == DATA_NOTE_FACT) {
            answer_printf(&in->answer, "%-11s %s\n", r->note[i].label, r->note[i].text);
            add_note(in, r->note[i].label, r->note[i].text);
        }
}

static void print_edges(struct inspection *in)
{
    const struct data_report *r = &in->job->report;
    int64_t n = in->job->data.n_edges;

    answer_printf(&in->answer,
                  "edges       %lld given, %lld duplicate%s and %lld self loop%s dropped\n",
                  (long long)n, (long long)r->n_duplicate_edges, plural(r->n_duplicate_edges),
                  (long long)r->n_self_loops, plural(r->n_self_loops));
    add_count(in, "edges", n);
}

static void print_data(struct inspection *in)
{
    const struct job *job = in->job;
    const struct dataset *d = &job->data;
    char hex[HASH_HEX_SIZE], words[DURATION_TEXT];

    answer_printf(&in->answer, "samples     %d%s\n", d->n_samples, d->graph_start ? " graphs" : "");
    add_count(in, "samples", d->n_samples);
    if (d->graph_start)
        print_graphs(in);
    else
        print_features(in);
    print_facts(in);
    if (d->n_edges && !d->graph_start)
        print_edges(in);
    hash_hex(d->digest, hex);
    answer_printf(&in->answer, "digest      %s\n", hex);
    answer_printf(&in->answer, "read in     %s\n", duration_words(words, job->load_s));
    rows_text(&in->rows[DATA], "digest", hex);
    add_fact(in, "read_s", job->load_s);
}

/* The name of an input has its path and hash. */
static void print_inputs(struct inspection *in)
{
    const struct dataset *d = &in->job->data;
    char hex[HASH_HEX_SIZE];

    answer_printf(&in->answer, "program     reads its own data; inputs: %d file%s\n", d->n_features,
                  plural(d->n_features));
    add_count(in, "inputs", d->n_features);
    for (int32_t i = 0; i < d->n_features; i++) {
        const char *name = dataset_feature_name(d, i);

        answer_printf(&in->answer, "input       %s\n", name);
        add_note(in, "input", name);
    }
    hash_hex(d->digest, hex);
    answer_printf(&in->answer, "digest      %s\n", hex);
    rows_text(&in->rows[DATA], "digest", hex);
}

#define MOST_CLASSES 10 /* in the lines for people */

static void print_classes(struct inspection *in)
{
    const struct dataset *d = &in->job->data;
    int64_t *count = calloc((size_t)d->n_classes, sizeof *count);

    if (!count)
        return;
    label_class_sizes(count, d);
    for (int32_t c = 0; c < d->n_classes; c++) {
        const char *name = dataset_class_name(d, c);

        rows_text(&in->rows[CLASSES], "class", name);
        rows_integer(&in->rows[CLASSES], "samples", count[c]);
        if (c < MOST_CLASSES || in->is_wide)
            answer_printf(&in->answer, "class       %s: %lld\n", name, (long long)count[c]);
    }
    if (d->n_classes > MOST_CLASSES && !in->is_wide)
        answer_printf(&in->answer, "class       %d more: --wide prints all\n",
                      d->n_classes - MOST_CLASSES);
    free(count);
}

static void print_target(struct inspection *in)
{
    const struct dataset *d = &in->job->data;
    double *sorted = malloc((size_t)d->n_samples * sizeof *sorted);
    struct target_summary t;

    if (!sorted)
        return;
    target_summarize(&t, sorted, d);
    free(sorted);
    answer_printf(&in->answer, "target      %d value%s, mean %.4g, sd %.4g, from %.4g to %.4g\n",
                  t.n, plural(t.n), t.mean, t.sd, t.min, t.max);
    add_count(in, "target_values", t.n);
    add_fact(in, "target_mean", t.mean);
    add_fact(in, "target_sd", t.sd);
    add_fact(in, "target_min", t.min);
    add_fact(in, "target_max", t.max);
}

static void print_groups(struct inspection *in)
{
    const struct dataset *d = &in->job->data;
    int64_t *size = d->group ? calloc((size_t)d->n_groups, sizeof *size) : NULL;
    int64_t least = INT64_MAX, most = 0;
    int32_t n = 0;

    if (!size)
        return;
    label_group_sizes(size, d);
    for (int32_t g = 0; g < d->n_groups; g++) {
        if (size[g] == 0)
            continue;
        n++;
        least = size[g] < least ? size[g] : least;
        most = size[g] > most ? size[g] : most;
    }
    answer_printf(&in->answer, "groups      %d by %s, of %lld to %lld samples with a value\n", n,
                  in->job->sweep.fixed.v[P_GROUP].s, (long long)least, (long long)most);
    add_count(in, "groups", n);
    free(size);
}

/* "knn by cosine" */
static void put_build(struct buf *out, const struct inspection *in, const struct graph_spec *spec,
                      const struct settings *s)
{
    const struct data_format *format = data_format_at(in->job->sweep.fixed.v[P_FORMAT].i);

    param_format(out, P_BUILD, s->v[P_BUILD]);
    if (spec->build != GRAPH_KNN && spec->build != GRAPH_THRESHOLD)
        return;
    buf_puts(out, " by ");
    param_format(out, P_METRIC, s->v[P_METRIC]);
    /* Tables and PLINK 1.9 differ in the allele that they count. */
    if (spec->metric == GRAPH_COSINE && format->has_genotypes && !format->is_simulated)
        buf_puts(out, " (of the counted allele; kinship does not depend on which one is counted)");
}

/* The graph is that of the first configuration that has one. Others may differ if [graph] is
 * swept. */
static int print_graph(struct inspection *in, struct err *err)
{
    struct rows *rows = &in->rows[GRAPH];
    struct settings s;
    struct buf build = {0};
    struct graph_spec spec;
    struct graph_degrees degrees;
    struct csr a;
    int32_t components;

    plan_settings_with(&in->job->plan, P_BUILD, &s);
    spec_graph(&spec, &s);
    if (graph_build(&a, &in->job->data, &spec, err))
        return -1;
    components = graph_components(&a, err);
    if (components < 0) {
        csr_release(&a);
        return -1;
    }
    graph_count_degrees(&degrees, NULL, &a);
    put_build(&build, in, &spec, &s);
    answer_printf(&in->answer,
                  "graph       %s: %lld edges, %lld to %lld neighbours, mean %.1f, %d sample%s "
                  "alone, %d component%s\n",
                  buf_text(&build), (long long)csr_nnz(&a) / 2, (long long)degrees.least,
                  (long long)degrees.most, (double)csr_nnz(&a) / a.n_rows, degrees.n_alone,
                  plural(degrees.n_alone), components, plural(components));
    rows_text(rows, "build", buf_text(&build));
    rows_integer(rows, "edges", csr_nnz(&a) / 2);
    rows_integer(rows, "neighbours_min", degrees.least);
    rows_integer(rows, "neighbours_max", degrees.most);
    rows_real(rows, "neighbours_mean", (double)csr_nnz(&a) / a.n_rows);
    rows_integer(rows, "alone", degrees.n_alone);
    rows_integer(rows, "components", components);
    buf_release(&build);
    csr_release(&a);
    return 0;
}

static int print_reduction(struct inspection *in, const struct settings *s, struct err *err)
{
    const struct dataset *d = &in->job->data;
    struct rows *rows = &in->rows[REDUCTIONS];
    struct buf name = {0};
    int32_t n_columns;

    if (s->v[P_REDUCE].i == REDUCE_NONE)
        return 0;
    if (prepared_columns(&n_columns, in->job->prepared, s, err))
        return -1;
    param_format(&name, P_REDUCE, s->v[P_REDUCE]);
    answer_printf(&in->answer, "reduced     %s: %d samples x %d features to %d column%s\n",
                  buf_text(&name), d->n_samples, d->n_features, n_columns, plural(n_columns));
    rows_text(rows, "reduce", buf_text(&name));
    rows_integer(rows, "samples", d->n_samples);
    rows_integer(rows, "features", d->n_features);
    rows_integer(rows, "columns", n_columns);
    buf_release(&name);
    return 0;
}

/* Returns false if `where` leaves no configuration with this value. */
static bool find_reduction(const struct job *job, int64_t reduce, struct settings *s)
{
    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, s);
        if (s->v[P_REDUCE].i == reduce)
            return true;
    }
    return false;
}

static int print_reductions(struct inspection *in, struct err *err)
{
    const struct job *job = in->job;
    const struct sweep *sweep = &job->sweep;
    struct settings s;

    for (size_t a = 0; a < sweep->n_axes; a++)
        for (int32_t i = 0; sweep->axes[a].id == P_REDUCE && i < sweep->axes[a].n; i++)
            if (find_reduction(job, sweep->axes[a].values[i].i, &s) && print_reduction(in, &s, err))
                return -1;
    if (sweep->swept[P_REDUCE])
        return 0;
    plan_settings_with(&job->plan, P_REDUCE, &s);
    return print_reduction(in, &s, err);
}

/* Folds differ in their validation parts. */
static void print_val_groups(struct inspection *in, const struct split *split)
{
    const struct dataset *d = &in->job->data;
    bool *is_in = calloc((size_t)d->n_groups, sizeof *is_in);
    int32_t n = 0;

    if (!is_in)
        return;
    for (int32_t i = 0; i < split->n_val; i++)
        is_in[d->group[split->val[i]]] = true;
    for (int32_t g = 0; g < d->n_groups; g++)
        if (is_in[g] && n++ < MOST_GROUPS)
            answer_printf(&in->answer, "%s%s", n == 1 ? "; val is " : ", ",
                          dataset_group_name(d, g));
    if (n > MOST_GROUPS)
        answer_printf(&in->answer, " and %d more group%s", n - MOST_GROUPS,
                      plural(n - MOST_GROUPS));
    free(is_in);
}

static void print_split(struct inspection *in, const struct split *split, int32_t fold)
{
    struct rows *rows = &in->rows[SPLITS];

    answer_printf(&in->answer, "split       ");
    if (in->job->plan.folds > 1)
        answer_printf(&in->answer, "fold %d: ", fold);
    answer_printf(&in->answer, "%d train, %d val, %d test", split->n_train, split->n_val,
                  split->n_test);
    if (split->n_stop)
        answer_printf(&in->answer, ", %d stop", split->n_stop);
    if (in->job->data.group)
        print_val_groups(in, split);
    answer_printf(&in->answer, "\n");
    rows_integer(rows, "fold", fold);
    rows_integer(rows, "train", split->n_train);
    rows_integer(rows, "val", split->n_val);
    rows_integer(rows, "test", split->n_test);
    rows_integer(rows, "stop", split->n_stop);
}

static int print_splits(struct inspection *in, const struct settings *s, struct err *err)
{
    for (int32_t fold = 0; fold < in->job->plan.folds; fold++) {
        const struct split *split = prepared_split(in->job->prepared, s, 0, fold, err);

        if (!split)
            return -1;
        print_split(in, split, fold);
    }
    return 0;
}

/* A line consists of a label, LABEL columns wide, and a text. */
static void add_lines(struct inspection *in, char *lines)
{
    enum { LABEL = 12 };

    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
        char label[LABEL] = "";
        bool has_label = strlen(line) > LABEL && line[LABEL - 1] == ' ';

        if (has_label)
            snprintf(label, sizeof label, "%.*s", (int)strcspn(line, " "), line);
        add_note(in, label, line + (has_label ? LABEL : 0));
    }
}

static int print_leaks(struct inspection *in, struct err *err)
{
    struct buf text = {0};
    int rc = leaks_put(&text, in->job, err);

    answer_printf(&in->answer, "%s", buf_text(&text));
    if (text.size && !buf_failed(&text))
        add_lines(in, text.data);
    buf_release(&text);
    return rc;
}

static int fill(struct inspection *in, struct err *err)
{
    struct job *job = in->job;
    struct settings s;

    if (sweep_is_program(&job->sweep)) {
        advice_print(&job->advice, job->sweep.path);
        print_inputs(in);
        return 0;
    }
    plan_settings_with(&job->plan, P_STOP, &s); /* ridge has no such part */
    if (job->data.graph_start && advice_plan(job, err))
        return -1;
    advice_print(&job->advice, job->sweep.path);
    print_data(in);
    if (job->data.task == TASK_CLASSIFICATION)
        print_classes(in);
    else if (job->data.task == TASK_REGRESSION)
        print_target(in);
    print_groups(in);
    if (!job->data.graph_start && (print_graph(in, err) || print_reductions(in, err)))
        return -1;
    return print_splits(in, &s, err) || print_leaks(in, err) ? -1 : 0;
}

static int inspect(struct job *job, const struct inspect_options *o, const struct inputs *inputs,
                   struct err *err)
{
    struct inspection in;
    struct settings s;
    int rc;

    inspection_init(&in, job);
    in.is_wide = o->common.is_wide;
    output_begin(&in.answer, &o->common, o->section, OUTPUT_DOCUMENT);
    rc = fill(&in, err);
    for (int i = 0; !rc && (!answer_is_for_people(&in.answer) || o->section) && i <= NOTES; i++)
        answer_table(&in.answer, &sections[i], rows_table(&in.rows[i]));
    plan_settings_with(&job->plan, P_STOP, &s);
    if (!rc && o->splits)
        rc = inspect_save_splits(o->splits, job, &s, inputs, err);
    if (!rc && o->duplicates)
        rc = inspect_save_duplicates(o->duplicates, job, inputs, err);
    inspection_release(&in);
    return output_end(rc, &in.answer, err);
}

/* Files to write are checked before any data are read. */
static int check_outputs(struct inputs *inputs, const struct job *job,
                         const struct inspect_options *o, struct err *err)
{
    if (sweep_is_program(&job->sweep) && (o->splits || o->unmatched || o->duplicates))
        return err_set(err, "%s: a program reads and divides its own data: no samples to list",
                       job->sweep.path);
    inputs_add(inputs, job->sweep.path);
    inputs_add_settings(inputs, job->sweep.fixed.v);
    return (o->splits && inputs_check(inputs, o->splits, err)) ||
                   (o->unmatched && inputs_check(inputs, o->unmatched, err)) ||
                   (o->duplicates && inputs_check(inputs, o->duplicates, err))
               ? -1
               : 0;
}

/* If reading fails because no id joins, the ids are still listed. */
static int load(struct job *job, const char *path, const struct inputs *inputs,
                struct errlist *faults)
{
    struct data_unmatched unmatched = {0};
    struct err err;
    int rc;

    job->unmatched = path ? &unmatched : NULL;
    rc = job_load(job, faults);
    job->unmatched = NULL;
    if (path && (!rc || unmatched.genotypes.n || unmatched.phenotypes.n) &&
        inspect_save_unmatched(path, &unmatched, &job->sweep.fixed, inputs, &err))
        rc = errlist_add_err(faults, &err);
    data_unmatched_release(&unmatched);
    return rc;
}

static int prepare(struct job *job, const char *unmatched, const struct inputs *inputs,
                   struct errlist *faults)
{
    if (load(job, unmatched, inputs, faults))
        return -1;
    return job->data.graph_start ? job_points(job, faults) : job_plan(job, faults);
}

static int run_inspect(struct call *call)
{
    const struct inspect_options *o = call->options;
    struct inputs inputs = {.is_forced = o->is_forced};
    struct job job = {0};
    struct errlist faults = {0};
    struct err err;
    int status = EXIT_OK;

    if (job_parse(&job, call->operands[0], &o->set, &faults))
        status = cli_fail_all(&faults);
    else if (check_outputs(&inputs, &job, o, &err))
        status = cli_fail(&err);
    else if (prepare(&job, o->unmatched, &inputs, &faults))
        status = cli_fail_all(&faults);
    else
        status = inspect(&job, o, &inputs, &err);
    inputs_release(&inputs);
    job_release(&job);
    return status;
}

static const struct option_row options[] = {
    {0, "splits", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct inspect_options, splits),
     .help = "Write the part of each sample in every replicate and fold to FILE, as csv: "
             "id,replicate,fold,part and, with split.group, group."},
    {0, "unmatched", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct inspect_options, unmatched),
     .help = "Write the ids that are in one file only to FILE, as csv: id,file,resembles."},
    {0, "duplicates", "FILE", OPTION_TEXT, VALUE_FILE, offsetof(struct inspect_options, duplicates),
     .help =
         "Write the samples that equal others to FILE, as csv: set,id,both_sides,replicate,part "
         "(genotypes and molecules)."},
    {0, "force", NULL, OPTION_FLAG, .into = offsetof(struct inspect_options, is_forced),
     .help = "Replace files that exist."},
    {0, "section", "NAME", OPTION_TEXT, .into = offsetof(struct inspect_options, section),
     .help = "Print only this part of the answer.",
     .choices = "data|classes|graph|reductions|splits|notes"},
    {0, "set", "[S.]K=V", OPTION_LIST, VALUE_SETTING, offsetof(struct inspect_options, set),
     .help = "Override a setting of the sweep file, or with grid.K=V,V an axis. May be repeated."},
    {0},
};

static const struct example examples[] = {
    {"espalier inspect grid.ini", "Show samples, markers, joins, parts and warnings."},
    {"espalier inspect grid.ini --unmatched lost.csv", "List the ids that did not join."},
    {NULL, NULL},
};

const struct command command_inspect = {
    .name = "inspect",
    .group = GROUP_PREPARE,
    .operands = "GRID.ini",
    .min_operands = 1,
    .max_operands = 1,
    .operand_kind = VALUE_GRID,
    .summary = "Show what the data of a sweep look like.",
    .about =
        "Shows samples, markers, joins, edges, classes, groups and parts, features that are "
        "likely to be the target itself, and samples that are equal. Of a sweep with [program] it "
        "shows the files in inputs.",
    .examples = examples,
    .see = "init, plan",
    .options = options,
    .common = COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct inspect_options),
    .multiplies = true,
    .run = run_inspect,
};
