/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/words.h"
#include "cli/print/cli.h"
#include "cli/print/inputs.h"
#include "cli/print/output.h"
#include "data/core/data_report.h"
#include "data/core/label_summary.h"
#include "data/core/resemblance.h"
#include "data/format.h"
#include "data/graph/graph.h"
#include "gcn/reducer.h"
#include "report/answer.h"
#include "report/report.h"
#include "report/rows.h"
#include "run/advice.h"
#include "run/job.h"
#include "run/job_prepare.h"
#include "run/leaks.h"
#include "trial/spec.h"

struct inspect_options {
    struct common_options common;
    const char *splits, *unmatched, *duplicates; /* files to write, or NULL */
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

static void add_count(struct inspection *in, const char *name, int64_t value)
{
    rows_integer(&in->rows[DATA], name, value);
}

/* parent: scratch, [nodes of the graph]. */
static int32_t count_components(int32_t *parent, const struct dataset_graph *g)
{
    int32_t n = g->n_nodes;

    for (int32_t i = 0; i < g->n_nodes; i++)
        parent[i] = i;
    for (int64_t e = 0; e < g->n_edges; e++) {
        int32_t a = g->source[e] - g->edge_base, b = g->target[e] - g->edge_base;

        for (; parent[a] != a; a = parent[a])
            parent[a] = parent[parent[a]];
        for (; parent[b] != b; b = parent[b])
            parent[b] = parent[parent[b]];
        n -= a != b;
        parent[a] = b;
    }
    return n;
}

static int compare(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

    return (a > b) - (a < b);
}

/* Print a line, without its end, on a size of the graphs, and sort the sizes. */
static void print_sizes(struct inspection *in, const char *what, int64_t *size, int32_t n)
{
    int64_t sum = 0;

    qsort(size, (size_t)n, sizeof *size, compare);
    for (int32_t i = 0; i < n; i++)
        sum += size[i];
    answer_printf(&in->answer, "%-11s %lld; %lld to %lld in a graph, median %g", what,
                  (long long)sum, (long long)size[0], (long long)size[n - 1],
                  0.5 * (double)(size[n / 2] + size[(n - 1) / 2]));
    add_count(in, what, sum);
}

static void print_dropped(struct inspection *in)
{
    const struct data_report *r = &in->job->report;

    answer_printf(&in->answer, "%lld duplicate%s and %lld self loop%s dropped\n",
                  (long long)r->n_duplicate_edges, plural(r->n_duplicate_edges),
                  (long long)r->n_self_loops, plural(r->n_self_loops));
}

/* ---- what was read ---- */

static int print_graphs(struct inspection *in, struct err *err)
{
    const struct dataset *d = &in->job->data;
    size_t n = (size_t)d->n_samples;
    int64_t *nodes = malloc(n * sizeof *nodes), *edges = malloc(n * sizeof *edges);
    int32_t *parent = malloc((size_t)d->n_nodes * sizeof *parent);
    int32_t n_disconnected = 0, n_edgeless = 0;
    int rc = nodes && edges && parent ? 0 : err_nomem(err, "graphs", n * sizeof *nodes);

    for (int32_t i = 0; !rc && i < d->n_samples; i++) {
        struct dataset_graph g = dataset_graph(d, i);

        nodes[i] = g.n_nodes;
        edges[i] = g.n_edges;
        n_disconnected += count_components(parent, &g) > 1;
        n_edgeless += g.n_nodes > 1 && g.n_edges == 0;
    }
    if (!rc) {
        print_sizes(in, "nodes", nodes, d->n_samples);
        answer_printf(&in->answer, "\n");
        print_sizes(in, "edges", edges, d->n_samples);
        answer_printf(&in->answer, "; ");
        print_dropped(in);
        answer_printf(&in->answer,
                      "components  %d graph%s with more than one; %d without an edge\n",
                      n_disconnected, plural(n_disconnected), n_edgeless);
        add_count(in, "disconnected_graphs", n_disconnected);
        add_count(in, "edgeless_graphs", n_edgeless);
    }
    free(nodes);
    free(edges);
    free(parent);
    return rc;
}

#define MOST_GROUPS 5 /* in a line */

/* Each process needs this memory. */
static void print_features(struct inspection *in)
{
    const struct dataset *d = &in->job->data;
    double size = (double)(d->dosage ? sizeof *d->dosage : sizeof *d->features.v);
    double bytes = (double)d->n_nodes * d->n_features * size;
    char words[BYTES_TEXT];

    add_count(in, "features", d->n_features);
    if (d->is_sparse) {
        answer_printf(&in->answer, "features    %d, sparse\nnonzeros    %lld\n", d->n_features,
                      (long long)csr_nnz(&d->sparse_features));
        add_count(in, "nonzeros", csr_nnz(&d->sparse_features));
        return;
    }
    answer_printf(&in->answer, "features    %d%s, %s, %s\n", d->n_features,
                  d->graph_start ? " of each node" : "", d->dosage ? "small integers" : "floats",
                  bytes_words(words, bytes));
    rows_real(&in->rows[DATA], "feature_bytes", bytes);
}

static void add_note(struct inspection *in, const char *label, const char *text)
{
    rows_text(&in->rows[NOTES], "note", label);
    rows_text(&in->rows[NOTES], "text", text);
}

static void print_digest(struct inspection *in)
{
    char hex[HASH_HEX_SIZE];

    hash_hex(in->job->data.digest, hex);
    answer_printf(&in->answer, "digest      %s\n", hex);
    rows_text(&in->rows[DATA], "digest", hex);
}

static int print_data(struct inspection *in, struct err *err)
{
    const struct job *job = in->job;
    const struct dataset *d = &job->data;
    const struct data_report *r = &job->report;
    char words[DURATION_TEXT];

    answer_printf(&in->answer, "samples     %d%s\n", d->n_samples, d->graph_start ? " graphs" : "");
    add_count(in, "samples", d->n_samples);
    print_features(in);
    if (d->graph_start && print_graphs(in, err))
        return -1;
    for (int32_t i = 0; i < r->n_notes; i++)
        if (r->note[i].kind == DATA_NOTE_FACT) {
            answer_printf(&in->answer, "%-11s %s\n", r->note[i].label, r->note[i].text);
            add_note(in, r->note[i].label, r->note[i].text);
        }
    if (d->n_edges && !d->graph_start) {
        answer_printf(&in->answer, "edges       %lld given, ", (long long)d->n_edges);
        print_dropped(in);
        add_count(in, "edges", d->n_edges);
    }
    print_digest(in);
    answer_printf(&in->answer, "read in     %s\n", duration_words(words, job->load_s));
    rows_real(&in->rows[DATA], "read_s", job->load_s);
    return 0;
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
    struct rows *rows = &in->rows[DATA];
    const struct dataset *d = &in->job->data;
    double *sorted = malloc((size_t)d->n_samples * sizeof *sorted);
    struct target_summary t;

    if (!sorted)
        return;
    target_summarize(&t, sorted, d);
    free(sorted);
    answer_printf(&in->answer, "target      %d value%s, mean %.4g, sd %.4g, from %.4g to %.4g\n",
                  t.n, plural(t.n), t.mean, t.sd, t.min, t.max);
    rows_integer(rows, "target_values", t.n);
    rows_real(rows, "target_mean", t.mean);
    rows_real(rows, "target_sd", t.sd);
    rows_real(rows, "target_min", t.min);
    rows_real(rows, "target_max", t.max);
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

/* The graph is that of the first configuration that has one. Others may differ if [graph] is
 * swept. */
static int print_graph(struct inspection *in, struct err *err)
{
    const struct data_format *format = data_format_at(in->job->sweep.fixed.v[P_FORMAT].i);
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
    param_format(&build, P_BUILD, s.v[P_BUILD]);
    if (spec.build == GRAPH_KNN || spec.build == GRAPH_THRESHOLD) {
        buf_puts(&build, " by ");
        param_format(&build, P_METRIC, s.v[P_METRIC]);
        /* Tables and PLINK 1.9 differ in the allele that they count. */
        if (spec.metric == GRAPH_COSINE && format->has_genotypes && !format->is_simulated)
            buf_puts(&build,
                     " (of the counted allele; kinship does not depend on which one is counted)");
    }
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

/* Each reduction that a configuration has. */
static int print_reductions(struct inspection *in, struct err *err)
{
    const struct job *job = in->job;
    const struct dataset *d = &job->data;
    struct rows *rows = &in->rows[REDUCTIONS];
    int32_t n, n_columns;
    const union value *values = sweep_values(&job->sweep, P_REDUCE, &n);

    for (int32_t i = 0; i < n; i++) {
        struct buf name = {0};
        struct settings s;
        int32_t c = 0;

        do
            plan_settings(&job->plan, c, &s);
        while (s.v[P_REDUCE].i != values[i].i && ++c < job->plan.n_configs);
        if (values[i].i == REDUCE_NONE || c == job->plan.n_configs)
            continue;
        if (prepared_columns(&n_columns, job->prepared, &s, err))
            return -1;
        param_format(&name, P_REDUCE, values[i]);
        answer_printf(&in->answer, "reduced     %s: %d samples x %d features to %d column%s\n",
                      buf_text(&name), d->n_samples, d->n_features, n_columns, plural(n_columns));
        rows_text(rows, "reduce", buf_text(&name));
        rows_integer(rows, "samples", d->n_samples);
        rows_integer(rows, "features", d->n_features);
        rows_integer(rows, "columns", n_columns);
        buf_release(&name);
    }
    return 0;
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

static int print_splits(struct inspection *in, const struct settings *s, struct err *err)
{
    struct rows *rows = &in->rows[SPLITS];

    for (int32_t fold = 0; fold < in->job->plan.folds; fold++) {
        const struct split *split = prepared_split(in->job->prepared, s, 0, fold, err);

        if (!split)
            return -1;
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
    return 0;
}

/* A line of the text consists of a label, LABEL columns wide, and a note. */
static int print_leaks(struct inspection *in, struct err *err)
{
    enum { LABEL = 12 };
    struct buf text = {0};
    int rc = leaks_put(&text, in->job, err);
    char *lines = text.size && !buf_failed(&text) ? text.data : NULL;

    answer_printf(&in->answer, "%s", buf_text(&text));
    for (char *line = lines ? strtok(lines, "\n") : NULL; line; line = strtok(NULL, "\n")) {
        char label[LABEL] = "";
        bool has_label = strlen(line) > LABEL && line[LABEL - 1] == ' ';

        if (has_label)
            snprintf(label, sizeof label, "%.*s", (int)strcspn(line, " "), line);
        add_note(in, label, line + (has_label ? LABEL : 0));
    }
    buf_release(&text);
    return rc;
}

/* ---- files ---- */

/* Save the text if rc is 0, and release it. */
static int save(int rc, struct buf *text, const char *path, const struct inputs *inputs,
                struct err *err)
{
    if (!rc)
        rc = cli_save(path, text, inputs, err);
    buf_release(text);
    return rc;
}

static int put_ids(struct buf *out, const struct names *ids, const char *file,
                   const struct names *others, struct err *err)
{
    struct resemblance r;
    int rc = resemblance_init(&r, others, err);

    for (int32_t i = 0; !rc && i < ids->n; i++) {
        const char *like = resemblance_find(&r, ids->text[i]);

        report_put_csv(out, ids->text[i]);
        buf_putc(out, ',');
        report_put_csv(out, file);
        buf_putc(out, ',');
        report_put_csv(out, like ? like : "");
        buf_putc(out, '\n');
    }
    resemblance_release(&r);
    return rc;
}

static void put_part(struct buf *out, const struct dataset *d, const int32_t *nodes, int32_t n,
                     const char *prefix, enum part part)
{
    for (int32_t i = 0; i < n; i++) {
        report_put_csv(out, dataset_id(d, nodes[i]));
        buf_printf(out, ",%s,%s", prefix, part_name(part));
        if (d->group) {
            buf_putc(out, ',');
            report_put_csv(out, dataset_group_name(d, d->group[nodes[i]]));
        }
        buf_putc(out, '\n');
    }
}

/* id,replicate,fold,part and, with groups, group */
static int save_splits(const char *path, struct job *job, const struct settings *s,
                       const struct inputs *inputs, struct err *err)
{
    struct buf text = {0};
    char prefix[32];
    int rc = 0;

    buf_printf(&text, "id,replicate,fold,part%s\n", job->data.group ? ",group" : "");
    for (int32_t r = 0; r < job->plan.replicates; r++)
        for (int32_t f = 0; f < job->plan.folds && !rc; f++) {
            const struct split *split = prepared_split(job->prepared, s, r, f, err);

            if (!split) {
                rc = -1;
                continue;
            }
            snprintf(prefix, sizeof prefix, "%d,%d", r, f);
            put_part(&text, &job->data, split->train, split->n_train, prefix, PART_TRAIN);
            put_part(&text, &job->data, split->val, split->n_val, prefix, PART_VAL);
            put_part(&text, &job->data, split->test, split->n_test, prefix, PART_TEST);
            put_part(&text, &job->data, split->stop, split->n_stop, prefix, PART_STOP);
        }
    return save(rc, &text, path, inputs, err);
}

static void put_duplicate(void *arg, const struct leaks_member *m)
{
    struct buf *out = arg;

    buf_printf(out, "%d,", m->set);
    report_put_csv(out, m->id);
    buf_printf(out, ",%s,%d,%s\n", m->is_apart ? "yes" : "no", m->replicate, m->side);
}

/* ---- together ---- */

static int fill(struct inspection *in, const struct inspect_options *o, const struct inputs *inputs,
                struct err *err)
{
    struct job *job = in->job;
    const struct dataset *d = &job->data;
    struct settings s;
    struct buf text = {0};

    if (sweep_is_program(&job->sweep)) {
        advice_print(&job->advice, job->sweep.path);
        answer_printf(&in->answer, "program     reads its own data; inputs: %d file%s\n",
                      d->n_features, plural(d->n_features));
        add_count(in, "inputs", d->n_features);
        for (int32_t i = 0; i < d->n_features; i++) { /* the name has its path and hash */
            answer_printf(&in->answer, "input       %s\n", dataset_feature_name(d, i));
            add_note(in, "input", dataset_feature_name(d, i));
        }
        print_digest(in);
        return 0;
    }
    plan_settings_with(&job->plan, P_STOP, &s); /* ridge has no such part */
    if (d->graph_start && advice_plan(job, err))
        return -1;
    advice_print(&job->advice, job->sweep.path);
    if (print_data(in, err))
        return -1;
    if (d->task == TASK_CLASSIFICATION)
        print_classes(in);
    else if (d->task == TASK_REGRESSION)
        print_target(in);
    print_groups(in);
    if ((!d->graph_start && (print_graph(in, err) || print_reductions(in, err))) ||
        print_splits(in, &s, err) || print_leaks(in, err) ||
        (o->splits && save_splits(o->splits, job, &s, inputs, err)))
        return -1;
    if (!o->duplicates)
        return 0;
    buf_puts(&text, "set,id,both_sides,replicate,part\n");
    return save(leaks_each_duplicate(job, put_duplicate, &text, err), &text, o->duplicates, inputs,
                err);
}

static int inspect(struct job *job, const struct inspect_options *o, const struct inputs *inputs,
                   struct err *err)
{
    static const char *const classes[] = {"class", "samples"};
    static const char *const reductions[] = {"reduce", "samples", "features", "columns"};
    static const char *const splits[] = {"fold", "train", "val", "test", "stop"};
    static const char *const notes[] = {"note", "text"};
    struct inspection in = {.job = job, .is_wide = o->common.is_wide};
    bool is_for_people;
    int rc;

    rows_init(&in.rows[CLASSES], classes, 2);
    rows_init(&in.rows[REDUCTIONS], reductions, 4);
    rows_init(&in.rows[SPLITS], splits, 5);
    rows_init(&in.rows[NOTES], notes, 2);
    output_begin(&in.answer, &o->common, OUTPUT_DOCUMENT);
    is_for_people = answer_is_for_people(&in.answer) && !o->common.section;
    rc = fill(&in, o, inputs, err);
    for (int i = 0; i <= NOTES; i++) {
        if (!rc && !is_for_people)
            answer_table(&in.answer, &sections[i], rows_table(&in.rows[i]));
        rows_release(&in.rows[i]);
    }
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

/* If reading fails because no id joins, the ids are still listed: id,file,resembles. */
static int prepare(struct job *job, const char *path, const struct inputs *inputs,
                   struct errlist *faults)
{
    const struct given *s = &job->sweep.fixed;
    struct data_unmatched u = {0};
    struct buf text = {0};
    struct err err;
    int rc;

    job->unmatched = path ? &u : NULL;
    rc = job_load(job, faults);
    job->unmatched = NULL;
    buf_puts(&text, "id,file,resembles\n");
    if (path && (!rc || u.genotypes.n || u.phenotypes.n) &&
        save(put_ids(&text, &u.genotypes, s->v[P_GENOTYPES].s, &u.phenotypes, &err) ||
                 put_ids(&text, &u.phenotypes, s->v[P_PHENOTYPES].s, &u.genotypes, &err),
             &text, path, inputs, &err))
        rc = errlist_add_err(faults, &err);
    data_unmatched_release(&u);
    buf_release(&text);
    if (rc)
        return -1;
    return job->data.graph_start ? job_points(job, faults) : job_plan(job, faults);
}

static int run_inspect(struct call *call)
{
    const struct inspect_options *o = call->options;
    struct inputs inputs = {.is_forced = o->common.is_forced};
    struct job job = {0};
    struct errlist faults = {0};
    struct err err;
    int status = EXIT_OK;

    if (job_parse(&job, call->operands[0], &o->common.set, &faults))
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
    {OPTION_FORCE("Replace files that exist.")},
    {OPTION_SECTION("data|classes|graph|reductions|splits|notes")},
    {OPTION_SET(SET_SWEEP)},
    {0},
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
    .examples = {{"espalier inspect grid.ini", "Show samples, markers, joins, parts and warnings."},
                 {"espalier inspect grid.ini --unmatched lost.csv",
                  "List the ids that did not join."}},
    .see = "init, plan",
    .options = options,
    .common = COMMON_FORMAT | COMMON_WIDE,
    .options_size = sizeof(struct inspect_options),
    .multiplies = true,
    .run = run_inspect,
};
