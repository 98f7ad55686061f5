/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "cli/cli.h"
#include "cli/inputs.h"
#include "data/core/data_report.h"
#include "data/core/resemblance.h"
#include "data/format.h"
#include "data/graph/graph.h"
#include "gcn/reducer.h"
#include "run/job.h"
#include "run/job_prepare.h"
#include "run/job_warnings.h"
#include "run/leaks.h"
#include "trial/spec.h"

/* Append a cell of CSV, as in RFC 4180. */
static void inspect_put_cell(struct buf *out, const char *text)
{
    if (!strpbrk(text, ",\"\r\n")) {
        buf_puts(out, text);
        return;
    }
    buf_putc(out, '"');
    for (; *text; text++)
        buf_printf(out, *text == '"' ? "\"\"" : "%c", *text);
    buf_putc(out, '"');
}

static int put_ids(struct buf *out, const struct names *ids, const char *file,
                   const struct names *others, struct err *err)
{
    struct resemblance r;
    int rc = resemblance_init(&r, others, err);

    for (int32_t i = 0; !rc && i < ids->n; i++) {
        const char *like = resemblance_find(&r, ids->text[i]);

        inspect_put_cell(out, ids->text[i]);
        buf_putc(out, ',');
        inspect_put_cell(out, file);
        buf_putc(out, ',');
        inspect_put_cell(out, like ? like : "");
        buf_putc(out, '\n');
    }
    resemblance_release(&r);
    return rc;
}

/* Write "id,file,resembles" for each: the file that it stands in, and an unmatched id of the other
 * file that it differs from only in case, blanks or punctuation. -1 and err: as cli_save(). */
static int inspect_unmatched(const char *path, const struct data_unmatched *unmatched,
                             const struct settings *settings, const struct inputs *inputs,
                             struct err *err)
{
    const char *genotypes = settings->v[P_GENOTYPES].s;
    const char *phenotypes = settings->v[P_PHENOTYPES].s;
    struct buf text = {0};
    int rc;

    buf_puts(&text, "id,file,resembles\n");
    rc = put_ids(&text, &unmatched->genotypes, genotypes, &unmatched->phenotypes, err);
    if (!rc)
        rc = put_ids(&text, &unmatched->phenotypes, phenotypes, &unmatched->genotypes, err);
    if (!rc)
        rc = cli_save(path, &text, inputs, err);
    buf_release(&text);
    return rc;
}

/* Counts of every graph; NULL arrays where memory is short, and nothing is said. */
struct counts {
    int64_t *nodes; /* [n] */
    int64_t *edges; /* [n] */
    int32_t n;
    int32_t n_disconnected;
    int32_t n_edgeless; /* of more than one node */
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

/* parent: scratch of as many as the graph has nodes. */
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

        if (i == 0 || !d->is_alike)
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

/* Sorts them. */
static void print_range(const char *what, int64_t *count, int32_t n)
{
    int64_t sum = 0;

    qsort(count, (size_t)n, sizeof *count, compare);
    for (int32_t i = 0; i < n; i++)
        sum += count[i];
    cli_printf("%-11s %lld, in a graph %lld to %lld, median %g", what, (long long)sum,
               (long long)count[0], (long long)count[n - 1],
               0.5 * (double)(count[n / 2] + count[(n - 1) / 2]));
}

static void print_counts(struct counts *c, const struct data_report *r)
{
    print_range("nodes", c->nodes, c->n);
    cli_printf("\n");
    print_range("edges", c->edges, c->n);
    cli_printf("; %lld duplicates and %lld self loops dropped\n", (long long)r->n_duplicate_edges,
               (long long)r->n_self_loops);
    cli_printf("components  %d graph%s with more than one, %d of them without an edge\n",
               c->n_disconnected, c->n_disconnected == 1 ? "" : "s", c->n_edgeless);
}

/* ---- what was read ---- */

/* The memory is that of every process. */
static void print_graph_features(const struct dataset *d)
{
    double rows = d->n_nodes, width = d->n_markers;
    double bytes = rows * width * (d->dosage || d->code ? 1 : sizeof(float));
    const char *form = d->dosage ? "small integers" : d->code ? "bytes" : "floats";

    cli_printf("features    %d of a node, %s", d->n_features, form);
    if (d->n_markers < d->n_features)
        cli_printf(" (%d of them by place, held once)", d->n_features - d->n_markers);
    cli_printf(", %.1f MB\n", bytes / 1e6);
}

/* On stdout: features, nodes and edges of a graph, what was dropped or left out. */
static void inspect_graphs(const struct job *job)
{
    struct counts counts;

    print_graph_features(&job->data);
    if (count_all(&counts, &job->data))
        print_counts(&counts, &job->report);
    free(counts.nodes);
    free(counts.edges);
}

#define MOST_GROUPS 5 /* named in a line */

/* How many, how they are held, and the memory that takes in every process. */
static void print_features(const struct dataset *d)
{
    double n = (double)d->n_nodes * d->n_features;

    if (d->is_sparse) {
        cli_printf("features    %d, sparse\n", d->n_features);
        cli_printf("nonzeros    %lld\n", (long long)csr_nnz(&d->sparse_features));
    } else if (d->dosage) {
        cli_printf("features    %d, small integers, %.1f MB\n", d->n_features,
                   n * sizeof *d->dosage / 1e6);
    } else {
        cli_printf("features    %d, floats, %.1f MB\n", d->n_features,
                   n * sizeof *d->features.v / 1e6);
    }
}

/* In the words of the data's format. */
static void print_facts(const struct data_report *r)
{
    for (int32_t i = 0; i < r->n_notes; i++)
        if (r->note[i].kind == DATA_NOTE_FACT)
            cli_printf("%-11s %s\n", r->note[i].label, r->note[i].text);
}

static void print_data(const struct job *job)
{
    const struct dataset *d = &job->data;
    const struct data_report *r = &job->report;
    char hex[HASH_HEX_SIZE];

    cli_printf("samples     %d%s\n", d->n_samples, d->graph_start ? " graphs" : "");
    if (d->graph_start)
        inspect_graphs(job);
    else
        print_features(d);
    print_facts(r);
    if (d->n_edges && !d->graph_start)
        cli_printf("edges       %lld given, %lld duplicates and %lld self loops dropped\n",
                   (long long)d->n_edges, (long long)r->n_duplicate_edges,
                   (long long)r->n_self_loops);
    cli_printf("digest      %s\n", hash_hex(d->digest, hex));
    cli_printf("read in     %.2f s\n", job->load_s);
}

static void print_classes(const struct dataset *d)
{
    for (int32_t c = 0; c < d->n_classes; c++) {
        int32_t n = 0;

        for (int32_t i = 0; i < d->n_samples; i++)
            n += d->label[i] == c;
        cli_printf("class       %s: %d\n", dataset_class_name(d, c), n);
    }
}

static void print_target(const struct dataset *d)
{
    double sum = 0, squares = 0, low = INFINITY, high = -INFINITY;
    int32_t n = 0;

    for (int32_t i = 0; i < d->n_samples; i++) {
        if (!dataset_is_labelled(d, i))
            continue;
        n++;
        sum += d->target[i];
        squares += (double)d->target[i] * d->target[i];
        low = fmin(low, d->target[i]);
        high = fmax(high, d->target[i]);
    }
    sum /= n;
    cli_printf("target      %d values, mean %.4g, sd %.4g, from %.4g to %.4g\n", n, sum,
               sqrt(fmax(0, squares / n - sum * sum)), low, high);
}

static void print_groups(const struct job *job)
{
    const struct dataset *d = &job->data;
    int32_t *size = d->group ? calloc((size_t)d->n_groups, sizeof *size) : NULL;
    int32_t least = INT32_MAX, most = 0, n = 0;

    if (!size)
        return;
    for (int32_t i = 0; i < d->n_samples; i++)
        if (dataset_is_labelled(d, i))
            size[d->group[i]]++;
    for (int32_t g = 0; g < d->n_groups; g++) {
        if (size[g] == 0)
            continue;
        n++;
        least = size[g] < least ? size[g] : least;
        most = size[g] > most ? size[g] : most;
    }
    cli_printf("groups      %d by %s, of %d to %d samples with a value\n", n,
               job->sweep.fixed.v[P_GROUP].s, least, most);
    free(size);
}

/* Of the first configuration that has one; others may differ where [graph] is swept. */
static int print_graph(const struct job *job, struct err *err)
{
    struct settings s;
    struct buf build = {0};
    struct graph_spec spec;
    const struct data_format *format = data_format_at(job->sweep.fixed.v[P_FORMAT].i);
    struct csr a;
    int64_t least = INT64_MAX, most = 0;
    int32_t alone = 0;

    plan_settings_with(&job->plan, P_BUILD, &s);
    spec_graph(&spec, &s);
    if (graph_build(&a, &job->data, &spec, err))
        return -1;
    for (int32_t i = 0; i < a.n_rows; i++) {
        int64_t degree = a.row_start[i + 1] - a.row_start[i];

        least = degree < least ? degree : least;
        most = degree > most ? degree : most;
        alone += degree == 0;
    }
    param_format(&build, P_BUILD, s.v[P_BUILD]);
    if (spec.build == GRAPH_KNN || spec.build == GRAPH_THRESHOLD) {
        buf_puts(&build, " by ");
        param_format(&build, P_METRIC, s.v[P_METRIC]);
        /* As tables and PLINK 1.9 differ in which allele they count. */
        if (spec.metric == GRAPH_COSINE && format->has_genotypes && !format->is_simulated)
            buf_puts(&build, " (of the allele that is counted; kinship is the same of either)");
    }
    cli_printf("graph       %s: %lld edges, %lld to %lld neighbours, mean %.1f, %d samples alone, "
               "%d components\n",
               buf_text(&build), (long long)csr_nnz(&a) / 2, (long long)least, (long long)most,
               (double)csr_nnz(&a) / a.n_rows, alone, graph_components(&a, err));
    buf_release(&build);
    csr_release(&a);
    return 0;
}

/* One value of reduce: how many columns it leaves. */
static int print_reduction(struct job *job, const struct settings *s, struct err *err)
{
    const struct dataset *d = &job->data;
    struct buf name = {0};
    int32_t n_columns;

    if (s->v[P_REDUCE].i == REDUCE_NONE)
        return 0;
    if (prepared_columns(&n_columns, job->prepared, s, err))
        return -1;
    param_format(&name, P_REDUCE, s->v[P_REDUCE]);
    cli_printf("reduced     %s: %d samples x %d features to %d columns\n", buf_text(&name),
               d->n_samples, d->n_features, n_columns);
    buf_release(&name);
    return 0;
}

/* The first configuration with a value of reduce; false where `where` leaves none. */
static bool find_reduction(const struct job *job, int64_t reduce, struct settings *s)
{
    for (int32_t c = 0; c < job->plan.n_configs; c++) {
        plan_settings(&job->plan, c, s);
        if (s->v[P_REDUCE].i == reduce)
            return true;
    }
    return false;
}

static int print_reductions(struct job *job, struct err *err)
{
    const struct sweep *sweep = &job->sweep;
    struct settings s;

    for (size_t a = 0; a < sweep->n_axes; a++)
        for (int32_t i = 0; sweep->axes[a].id == P_REDUCE && i < sweep->axes[a].n; i++)
            if (find_reduction(job, sweep->axes[a].values[i].i, &s) &&
                print_reduction(job, &s, err))
                return -1;
    if (sweep->swept[P_REDUCE])
        return 0;
    plan_settings_with(&job->plan, P_REDUCE, &s);
    return print_reduction(job, &s, err);
}

/* The groups of the validation part, which tell folds apart. */
static void print_val_groups(const struct dataset *d, const struct split *split)
{
    bool *is_in = calloc((size_t)d->n_groups, sizeof *is_in);
    int32_t n = 0;

    if (!is_in)
        return;
    for (int32_t i = 0; i < split->n_val; i++)
        is_in[d->group[split->val[i]]] = true;
    for (int32_t g = 0; g < d->n_groups; g++)
        if (is_in[g] && n++ < MOST_GROUPS)
            cli_printf("%s%s", n == 1 ? "; val is " : ", ", dataset_group_name(d, g));
    if (n > MOST_GROUPS)
        cli_printf(" and %d groups more", n - MOST_GROUPS);
    free(is_in);
}

static int print_splits(struct job *job, const struct settings *s, struct err *err)
{
    for (int32_t fold = 0; fold < job->plan.folds; fold++) {
        const struct split *split = prepared_split(job->prepared, s, 0, fold, err);

        if (!split)
            return -1;
        cli_printf("split       ");
        if (job->plan.folds > 1)
            cli_printf("fold %d: ", fold);
        cli_printf("%d train, %d val, %d test", split->n_train, split->n_val, split->n_test);
        if (split->n_stop)
            cli_printf(", %d stop", split->n_stop);
        if (job->data.group)
            print_val_groups(&job->data, split);
        cli_printf("\n");
    }
    return 0;
}

static void put_part(struct buf *out, const struct dataset *d, const int32_t *nodes, int32_t n,
                     const char *prefix, enum part part)
{
    for (int32_t i = 0; i < n; i++) {
        inspect_put_cell(out, dataset_id(d, nodes[i]));
        buf_printf(out, ",%s,%s", prefix, part_name(part));
        if (d->group) {
            buf_putc(out, ',');
            inspect_put_cell(out, dataset_group_name(d, d->group[nodes[i]]));
        }
        buf_putc(out, '\n');
    }
}

static int put_splits(struct buf *out, struct job *job, const struct settings *s, struct err *err)
{
    char prefix[32];

    buf_printf(out, "id,replicate,fold,part%s\n", job->data.group ? ",group" : "");
    for (int32_t r = 0; r < job->plan.replicates; r++)
        for (int32_t f = 0; f < job->plan.folds; f++) {
            const struct split *split = prepared_split(job->prepared, s, r, f, err);

            if (!split)
                return -1;
            snprintf(prefix, sizeof prefix, "%d,%d", r, f);
            put_part(out, &job->data, split->train, split->n_train, prefix, PART_TRAIN);
            put_part(out, &job->data, split->val, split->n_val, prefix, PART_VAL);
            put_part(out, &job->data, split->test, split->n_test, prefix, PART_TEST);
            put_part(out, &job->data, split->stop, split->n_stop, prefix, PART_STOP);
        }
    return 0;
}

static int save_splits(const char *path, struct job *job, const struct settings *s,
                       const struct inputs *inputs, struct err *err)
{
    struct buf text = {0};
    int rc = put_splits(&text, job, s, err);

    if (!rc)
        rc = cli_save(path, &text, inputs, err);
    buf_release(&text);
    return rc;
}

static int print_leaks(struct job *job, struct err *err)
{
    struct buf text = {0};
    int rc = leaks_put(&text, job, err);

    cli_printf("%s", buf_text(&text));
    buf_release(&text);
    return rc;
}

static int inspect(struct job *job, const char *splits, const struct inputs *inputs,
                   struct err *err)
{
    struct settings s;

    plan_settings_with(&job->plan, P_STOP, &s); /* ridge does without that part */
    if (job->data.graph_start && job_warn_parts(job, err))
        return -1;
    print_data(job);
    if (job->data.task == TASK_CLASSIFICATION)
        print_classes(&job->data);
    else
        print_target(&job->data);
    print_groups(job);
    if (!job->data.graph_start && (print_graph(job, err) || print_reductions(job, err)))
        return -1;
    if (print_splits(job, &s, err) || print_leaks(job, err))
        return -1;
    return splits ? save_splits(splits, job, &s, inputs, err) : 0;
}

/* Before anything is read but the sweep file. */
static int check_outputs(struct inputs *inputs, const struct job *job, const char *splits,
                         const char *unmatched, struct err *err)
{
    inputs_add(inputs, job->sweep.path);
    inputs_add_settings(inputs, &job->sweep.fixed);
    return (splits && inputs_check(inputs, splits, err)) ||
                   (unmatched && inputs_check(inputs, unmatched, err))
               ? -1
               : 0;
}

/* Reads the data. Also where that fails because no id joins, the ids are listed. */
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
        inspect_unmatched(path, &unmatched, &job->sweep.fixed, inputs, &err))
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

struct inspect_options {
    struct common_options common;
    const char *splits, *unmatched;
    struct text_list set;
};

static int run_inspect(struct call *call)
{
    const struct inspect_options *o = call->options;
    struct inputs inputs = {0};
    struct job job = {.has_list = true};
    struct errlist faults = {0};
    struct err err;
    int status = EXIT_OK;

    if (job_parse(&job, call->operands[0], &o->set, &faults))
        status = cli_fail_all(&faults);
    else if (check_outputs(&inputs, &job, o->splits, o->unmatched, &err))
        status = cli_fail(&err);
    else if (prepare(&job, o->unmatched, &inputs, &faults))
        status = cli_fail_all(&faults);
    else if (inspect(&job, o->splits, &inputs, &err))
        status = cli_fail(&err);
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
    .about = "Shows samples, markers, joins, edges, classes, groups and parts, features that are "
             "likely to be the target itself, and samples with the same markers.",
    .examples = examples,
    .see = "init, plan",
    .options = options,
    .options_size = sizeof(struct inspect_options),
    .run = run_inspect,
};
