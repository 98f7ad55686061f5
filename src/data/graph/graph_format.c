/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/core/data_report.h"
#include "data/core/membership.h"
#include "data/core/reader.h"
#include "data/core/target.h"
#include "data/graph/edges.h"
#include "data/graph/node_features.h"

/* Labels are read first: they list the nodes. */

struct graph_tables {
    struct names nodes, missing; /* missing: codes of data.missing */
    int32_t label;               /* column of the labels */
    struct target_cells cells;
    struct target target;
    struct node_features features;
    struct edges edges;
    struct equality_count spelled;    /* columns of the labels */
    struct membership_cells division; /* of split.part and split.group */
    struct membership membership;
};

static void graph_tables_release(struct graph_tables *g)
{
    membership_release(&g->membership);
    membership_cells_release(&g->division);
    edges_release(&g->edges);
    node_features_release(&g->features);
    target_release(&g->target);
    target_cells_release(&g->cells);
    names_release(&g->missing);
    names_release(&g->nodes);
}

/* Columns that split.part and split.group name may stand beside the label. */
static int find_columns(struct graph_tables *g, const struct table *t, const struct data_spec *spec,
                        struct err *err)
{
    int32_t n = 0;

    if (membership_cells_find(&g->division, t, spec, 0, 0, err))
        return -1;
    for (int32_t j = 1; j < t->n_cols; j++)
        if (!membership_cells_have(&g->division, j)) {
            g->label = j;
            n++;
        }
    g->spelled = *table_spelled(t);
    if (n != 1)
        return table_fault(err, t,
                           "%d column%s: a table of labels has two (node, label), and those that "
                           "split.part and split.group name",
                           t->n_cols, t->n_cols == 1 ? "" : "s");
    return target_cells_init(&g->cells, 0, t->path, t->name[g->label], err);
}

static int read_rows(struct graph_tables *g, struct table *t, struct err *err)
{
    int status;

    while ((status = table_next(t, err)) > 0) {
        int32_t i = reader_new_id(&g->nodes, t, 0, err);

        if (i < 0 || reader_keep_cell(&g->cells, i, t, g->label, &g->missing, err) ||
            membership_cells_read(&g->division, i, t, &g->missing, err))
            return -1;
    }
    if (!status && g->nodes.n == 0)
        return err_set(err, "%s: no nodes after the header", t->path);
    return status;
}

static int read_labels(struct graph_tables *g, const struct data_spec *spec, struct err *err)
{
    struct table t;
    int rc;

    if (table_open(&t, spec->labels, err))
        return -1;
    rc = find_columns(g, &t, spec, err);
    if (!rc)
        rc = read_rows(g, &t, err);
    if (!rc)
        rc = target_read_decimal(&g->cells, t.separator, err);
    table_close(&t);
    return rc;
}

static int build(struct dataset *out, const struct graph_tables *g, struct err *err)
{
    const struct node_features *f = &g->features;
    struct draft draft = {
        .n_samples = g->nodes.n,
        .n_features = f->n,
        .features = f->dense.v,
        .dosage = f->dense.dosage,
        .sparse = f->is_sparse ? &f->sparse : NULL,
        .ids = g->nodes.text,
        .feature_names = f->name,
    };

    edges_into(&draft, &g->edges);
    target_into(&draft, &g->target);
    membership_into(&draft, &g->membership);
    return draft_build(out, &draft, err);
}

static void report_nodes(struct data_report *report, const struct graph_tables *g)
{
    reader_report_columns(report, &g->spelled, g->cells.path);
    report->n_samples = g->nodes.n;
    for (int32_t i = 0; i < g->cells.n; i++)
        report->n_valued += g->cells.text[i] != NULL;
    report->n_joined = report->n_valued;
    report->n_features = g->features.n;
    target_report_spelled(report, &g->target.spelled, "classes");
}

static int load(struct dataset *out, const struct data_spec *spec, struct data_report *report,
                struct err *err)
{
    struct graph_tables g = {0};
    const struct membership_source source = {.spec = spec,
                                             .ids = &g.nodes,
                                             .path = spec->labels,
                                             .cells = &g.division,
                                             .target = &g.target,
                                             .report = report};
    int rc = reader_need_path(spec, spec->labels, "labels", err) ||
             names_split(&g.missing, spec->missing, "data.missing", err) ||
             reader_need_path(spec, spec->features, "features", err) ||
             read_labels(&g, spec, err) ||
             target_make(&g.target, &g.cells, spec->task, true, err) ||
             node_features_read(&g.features, spec->features, &g.nodes, spec->labels, report, err) ||
             (spec->edges && *spec->edges &&
              edges_read(&g.edges, spec->edges, &g.nodes, spec->labels, report, err)) ||
             membership_read(&g.membership, &source, err) || build(out, &g, err);

    report_nodes(report, &g);
    graph_tables_release(&g);
    return rc ? -1 : 0;
}

const struct data_format graph_format = {
    .name = "graph",
    .sample_word = "nodes",
    .feature_word = "features",
    .samples = DATA_NODES,
    .has_attributes = true,
    .has_groups = true,
    .settings = {{"edges", false, "which nodes are joined"},
                 {"features", true, "features of each node"},
                 {"labels", true, "value or class of each node; empty where unknown"},
                 {.key = "missing"}},
    .load = load,
    .new_option = "features",
    .files = {{"features", "labels",
               "features of nodes: the table of labels is missing (node, label)"},
              {"features", "edges",
               "features of nodes: the table of edges is missing (source, target)"},
              {"edges", "features",
               "edges: the table of features is missing (node, feature[, value]; or node and a "
               "column for each feature)"}},
    .trait_table = "labels",
    .proposal = {.epochs = 200,
                 .patience = "50",
                 .learning_rate = "0.01 0.003",
                 .dropout = "0.5 0.2",
                 .layers = "2",
                 .hidden_size = "64 16"},
};
