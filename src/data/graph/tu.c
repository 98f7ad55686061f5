/* SPDX-License-Identifier: BSD-3-Clause */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "data/core/data_report.h"
#include "data/core/membership.h"
#include "data/core/reader.h"
#include "data/core/target.h"
#include "data/graph/edges.h"
#include "data/graph/tu_nodes.h"
#include "data/text/file_names.h"
#include "data/text/table.h"

/* Reads a folder of the TUDataset collection (Morris et al. 2020, arXiv:2007.08663): files with a
 * common prefix whose rows are graphs, nodes or edges, numbered from 1. */

#define INDICATOR FILE_NAMES_TU_INDICATOR

enum {
    GRAPHS, /* of nodes */
    EDGES,
    GRAPH_LABELS,
    GRAPH_ATTRIBUTES,
    NODE_LABELS,
    NODE_ATTRIBUTES,
    EDGE_LABELS,
    EDGE_ATTRIBUTES,
    N_FILES
};

struct tu {
    bool needs_trait;    /* several columns qualify */
    bool has_classes;    /* the target is from labels */
    bool has_numbers;    /* although there are attributes, too */
    char *prefix;        /* FOLDER/DS */
    char *path[N_FILES]; /* owned */
    bool has[N_FILES];   /* the file exists */
    const char *target_path, *labels_path, *attributes_path; /* among these; NULL: not used */
    const char *trait;                                       /* data.trait */
    int32_t column;                                          /* of the target file */
    struct names graphs;
    struct target_cells cells;
    struct target target;
    int64_t *graph_start; /* [n_graphs + 1] */
    int32_t *graph_of;    /* [n_nodes] */
    int32_t n_nodes;
    size_t capacity;
    struct tu_nodes nodes;
    struct edges edges;
    struct membership membership;
};

static void tu_release(struct tu *tu)
{
    membership_release(&tu->membership);
    edges_release(&tu->edges);
    tu_nodes_release(&tu->nodes);
    free(tu->graph_of);
    free(tu->graph_start);
    target_release(&tu->target);
    target_cells_release(&tu->cells);
    names_release(&tu->graphs);
    for (int f = 0; f < N_FILES; f++)
        free(tu->path[f]);
    free(tu->prefix);
}

/* ---- which files ---- */

static int take_prefix(struct tu *tu, const char *folder, const char *name, struct err *err)
{
    size_t n = strlen(name) - strlen(INDICATOR);

    if (tu->prefix) {
        const char *slash = strrchr(tu->prefix, '/');

        return err_set(err, "%s: contains %s" INDICATOR " and %s: must be one data set", folder,
                       slash + 1, name);
    }
    if (asprintf(&tu->prefix, "%s/%.*s", folder, (int)n, name) >= 0)
        return 0;
    tu->prefix = NULL;
    return err_nomem(err, folder, strlen(folder) + n);
}

static int find_prefix(struct tu *tu, const char *folder, struct err *err)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    int rc = 0;

    if (!dir)
        return err_set(err, "%s: cannot open the folder: %s", folder, strerror(errno));
    while (!rc && (entry = readdir(dir)))
        if (file_names_end_in(entry->d_name, INDICATOR))
            rc = take_prefix(tu, folder, entry->d_name, err);
    closedir(dir);
    if (!rc && !tu->prefix)
        return err_set(err,
                       "%s: no file ends in " INDICATOR
                       ": must be a folder with DS_A.txt, DS" INDICATOR
                       " and DS_graph_labels.txt or DS_graph_attributes.txt",
                       folder);
    return rc;
}

/* Numbers come from attributes, even whole ones, and classes from labels. If only one file exists, it
 * is used. */
static int choose_target(struct tu *tu, enum data_task task, struct err *err)
{
    if (!tu->has[GRAPH_LABELS] && !tu->has[GRAPH_ATTRIBUTES])
        return err_set(err, "%s: needs %s or %s", tu->path[GRAPHS], tu->path[GRAPH_LABELS],
                       tu->path[GRAPH_ATTRIBUTES]);
    tu->has_classes =
        tu->has[GRAPH_LABELS] && (!tu->has[GRAPH_ATTRIBUTES] || task != DATA_TASK_REGRESSION);
    tu->has_numbers = tu->has_classes && tu->has[GRAPH_ATTRIBUTES];
    tu->target_path = tu->path[tu->has_classes ? GRAPH_LABELS : GRAPH_ATTRIBUTES];
    return 0;
}

/* New graphs have the files of the training data. */
static int find_files(struct tu *tu, const struct data_spec *spec, struct err *err)
{
    static const char *const suffix[N_FILES] = {
        [GRAPHS] = INDICATOR,
        [EDGES] = "_A.txt",
        [GRAPH_LABELS] = "_graph_labels.txt",
        [GRAPH_ATTRIBUTES] = "_graph_attributes.txt",
        [NODE_LABELS] = "_node_labels.txt",
        [NODE_ATTRIBUTES] = "_node_attributes.txt",
        [EDGE_LABELS] = "_edge_labels.txt",
        [EDGE_ATTRIBUTES] = "_edge_attributes.txt",
    };
    int32_t n_labels, n_attributes;

    if (find_prefix(tu, spec->folder, err))
        return -1;
    for (int f = 0; f < N_FILES; f++) {
        if (asprintf(&tu->path[f], "%s%s", tu->prefix, suffix[f]) < 0) {
            tu->path[f] = NULL;
            return err_nomem(err, suffix[f], strlen(tu->prefix));
        }
        tu->has[f] = access(tu->path[f], F_OK) == 0;
    }
    n_labels = tu->has[NODE_LABELS];
    n_attributes = tu->has[NODE_ATTRIBUTES];
    if (spec->like)
        tu_nodes_columns(&n_labels, &n_attributes, spec->like);
    tu->labels_path = n_labels ? tu->path[NODE_LABELS] : NULL;
    tu->attributes_path = n_attributes ? tu->path[NODE_ATTRIBUTES] : NULL;
    return spec->like ? 0 : choose_target(tu, spec->task, err);
}

/* ---- graphs ---- */

static int find_column(struct tu *tu, const struct table *t, struct err *err)
{
    char *end;
    long n;

    if (!tu->trait || !*tu->trait) {
        tu->needs_trait = t->n_cols > 1;
        return tu->needs_trait
                   ? err_set(err, "%s: %d columns: data.trait must be the number of one, from 1",
                             t->path, t->n_cols)
                   : 0;
    }
    n = strtol(tu->trait, &end, 10);
    if (*end || n < 1 || n > t->n_cols)
        return err_set(err,
                       "data.trait = %.80s: must be the number of a column of %s, from 1 to %d",
                       tu->trait, t->path, t->n_cols);
    tu->column = (int32_t)n - 1;
    return 0;
}

static int take_target(void *arg, const struct table *t, struct err *err)
{
    struct tu *tu = arg;
    char id[16];

    if (tu->graphs.n == 0 && find_column(tu, t, err))
        return -1;
    snprintf(id, sizeof id, "%d", tu->graphs.n + 1);
    return names_add(&tu->graphs, id, t->line, err) < 0
               ? -1
               : target_cells_set(&tu->cells, tu->cells.n, t->cell[tu->column], t->line, err);
}

static int read_target(struct tu *tu, const struct data_spec *spec, struct err *err)
{
    tu->trait = spec->trait;
    if (target_cells_init(&tu->cells, 0, tu->target_path, "graph label", err) ||
        table_read_rows(tu->target_path, take_target, tu, err))
        return -1;
    if (tu->graphs.n == 0)
        return err_set(err, "%s: is empty: must have a row for each graph", tu->target_path);
    return target_make(&tu->target, &tu->cells, spec->task, tu->has_classes, err);
}

static int count_graph(void *arg, const struct table *t, struct err *err)
{
    struct tu *tu = arg;
    char next[16];

    snprintf(next, sizeof next, "%d", tu->graphs.n + 1);
    return strcmp(t->cell[0], next) == 0 && names_add(&tu->graphs, next, t->line, err) < 0 ? -1 : 0;
}

/* Targets of new graphs are not read: the largest number in the indicator counts. read_indicator()
 * reports errors in it. */
static int count_graphs(struct tu *tu, struct err *err)
{
    if (table_read_rows(tu->path[GRAPHS], count_graph, tu, err))
        return -1;
    if (tu->graphs.n == 0)
        return err_set(err, "%s: must begin with graph 1", tu->path[GRAPHS]);
    return target_absent(&tu->target, tu->graphs.n, err);
}

/* ---- nodes ---- */

static int add_node(void *arg, const struct table *t, struct err *err)
{
    struct tu *tu = arg;
    int32_t graph, last = tu->n_nodes ? tu->graph_of[tu->n_nodes - 1] + 1 : 0;

    if (table_whole(&graph, t, 0, 1, INT32_MAX, "graph", err))
        return -1;
    if (graph < last)
        return table_fault(err, t, "graph %d after graph %d: nodes must be in the order of graphs",
                           graph, last);
    if (graph > last + 1)
        return table_fault(err, t, "graph %d after graph %d: graph %d has no nodes", graph, last,
                           last + 1);
    if (graph > tu->graphs.n)
        return table_fault(err, t, "graph %d has no row in %s, which has %d", graph,
                           tu->target_path, tu->graphs.n);
    if (tu->n_nodes == INT32_MAX)
        return err_set(err, "%s: more than %d nodes", t->path, tu->n_nodes);
    if (array_extend(&tu->graph_of, &tu->capacity, (size_t)tu->n_nodes, sizeof *tu->graph_of,
                     t->path, err))
        return -1;
    if (graph > last)
        tu->graph_start[graph - 1] = tu->n_nodes;
    tu->graph_of[tu->n_nodes++] = graph - 1;
    return 0;
}

static int read_indicator(struct tu *tu, struct err *err)
{
    int32_t n_graphs = tu->graphs.n, last;

    tu->graph_start = calloc((size_t)n_graphs + 1, sizeof *tu->graph_start);
    if (!tu->graph_start)
        return err_nomem(err, "graphs", ((size_t)n_graphs + 1) * sizeof *tu->graph_start);
    if (table_read_rows(tu->path[GRAPHS], add_node, tu, err))
        return -1;
    last = tu->n_nodes ? tu->graph_of[tu->n_nodes - 1] + 1 : 0;
    if (last < n_graphs)
        return err_set(err, "%s: ends with graph %d: %s has %d graphs", tu->path[GRAPHS], last,
                       tu->target_path, n_graphs);
    tu->graph_start[n_graphs] = tu->n_nodes;
    return 0;
}

/* ---- edges ---- */

static int add_edge(void *arg, const struct table *t, struct err *err)
{
    struct tu *tu = arg;
    int32_t a, b;

    if (t->n_cols != 2)
        return table_fault(err, t, "%d cell%s: an edge has two (from, to)", t->n_cols,
                           t->n_cols == 1 ? "" : "s");
    if (table_whole(&a, t, 0, 1, tu->n_nodes, "node", err) ||
        table_whole(&b, t, 1, 1, tu->n_nodes, "node", err))
        return -1;
    if (tu->graph_of[a - 1] != tu->graph_of[b - 1])
        return table_fault(err, t,
                           "edge %d, %d joins graphs %d and %d: both nodes must be in one graph", a,
                           b, tu->graph_of[a - 1] + 1, tu->graph_of[b - 1] + 1);
    return edges_add(&tu->edges, a - 1, b - 1, err);
}

/* ---- together ---- */

static int build(struct dataset *out, const struct tu *tu, struct err *err)
{
    struct draft draft = {
        .n_samples = tu->graphs.n,
        .n_nodes = tu->n_nodes,
        .graph_start = tu->graph_start,
        .ids = tu->graphs.text,
    };

    tu_nodes_into(&draft, &tu->nodes);
    edges_into(&draft, &tu->edges);
    target_into(&draft, &tu->target);
    membership_into(&draft, &tu->membership);
    return draft_build(out, &draft, err);
}

static void report_notes(struct data_report *report, const struct tu *tu, bool is_for_model)
{
    int64_t n_one_way = tu->edges.n_one_way;
    int32_t n_empty = 0;

    for (int32_t i = 0; i < tu->cells.n; i++)
        n_empty += !tu->cells.text[i];
    if (n_empty)
        data_report_add(report, DATA_NOTE_WARNING, "empty",
                        "%s: %d of %d graphs have no value and belong to no part", tu->target_path,
                        n_empty, tu->graphs.n);

    target_report_spelled(report, &tu->target.spelled, "classes");
    if (n_one_way)
        data_report_add(report, is_for_model ? DATA_NOTE_INFO : DATA_NOTE_FACT, "one way",
                        "%lld edge%s listed in one direction only, and used in both",
                        (long long)n_one_way, n_one_way == 1 ? " is" : "s are");
    if (!tu->edges.n && !tu->edges.n_self_loops)
        data_report_add(report, DATA_NOTE_WARNING, "no edges",
                        "%s: no edges: none of the %d graphs (%d nodes) has one, so a gcn learns "
                        "no more than an mlp; is the file complete?",
                        tu->path[EDGES], tu->graphs.n, tu->n_nodes);
    if ((tu->has[EDGE_LABELS] || tu->has[EDGE_ATTRIBUTES]) && !is_for_model)
        data_report_add(report, DATA_NOTE_FACT, "not used", "labels or attributes of edges");
    if (tu->has_numbers)
        data_report_add(report, DATA_NOTE_FACT, "not used",
                        "the numbers in %s: task = regression predicts them",
                        tu->path[GRAPH_ATTRIBUTES]);
    if (tu->nodes.n_unknown)
        data_report_add(report, DATA_NOTE_WARNING, "unknown",
                        "%lld node%s with a label that does not occur in the training data, "
                        "treated as unlabelled: the first is %.0f, of node %lld",
                        (long long)tu->nodes.n_unknown, tu->nodes.n_unknown == 1 ? "" : "s",
                        tu->nodes.unknown, (long long)tu->nodes.unknown_row);
}

static int load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                struct err *err)
{
    struct tu tu = {0};
    struct membership_source source = {
        .spec = spec, .ids = &tu.graphs, .target = &tu.target, .report = report};
    int rc = reader_need_path(spec, spec->folder, "folder", err) || find_files(&tu, spec, err) ||
             (spec->like ? count_graphs(&tu, err) : read_target(&tu, spec, err)) ||
             read_indicator(&tu, err) || table_read_rows(tu.path[EDGES], add_edge, &tu, err) ||
             edges_finish(&tu.edges, err) ||
             (tu.labels_path || tu.attributes_path
                  ? tu_nodes_read(&tu.nodes, tu.labels_path, tu.attributes_path, tu.n_nodes,
                                  tu.path[GRAPHS], spec->like, err)
                  : tu_nodes_degrees(&tu.nodes, &tu.edges, tu.n_nodes, err)) ||
             (source.path = tu.target_path,
              !spec->like && membership_read(&tu.membership, &source, err)) ||
             build(out, &tu, err);

    report->unset = tu.needs_trait ? "trait" : NULL;
    report->n_self_loops = tu.edges.n_self_loops;
    report->n_duplicate_edges = tu.edges.n_duplicates;
    if (!rc)
        report_notes(report, &tu, spec->like != NULL);
    tu_release(&tu);
    return rc ? -1 : 0;
}

static void set_new_path(struct data_spec *spec, const char *path)
{
    spec->folder = path;
}

const struct data_format tu_format = {
    .name = "tu",
    .sample_word = "graphs",
    .feature_word = "features of nodes",
    .samples = DATA_GRAPHS,
    .has_attributes = true,
    .settings = {{"folder", true, "a TUDataset: each sample is a graph"}, {.key = "trait"}},
    .load = load,
    .new_option = "graphs",
    .set_new_path = set_new_path,
    .files = {{.first = "folder"}},
    .has_trait_number = true,
    .proposal = {.learning_rate = "0.003 0.01",
                 .dropout = "0.2",
                 .layers = "3 2",
                 .pool = "sum mean",
                 .hidden_size = "32"},
};
