/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/new_nodes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/buf.h"
#include "data/core/reader.h"
#include "data/graph/edges.h"
#include "data/graph/node_features.h"

/* ---- nodes ---- */

/* Returns the node's number among the new ones. -1 and *status 0 for a node of the data; -1,
 * *status -1 and err on failure. */
static int32_t node_of(int *status, struct new_nodes *n, const struct table *t, struct err *err)
{
    int32_t n_known = n->data->n_samples;
    int32_t i;

    *status = id_join_find(&i, &n->join, t->cell[0], err);
    if (*status)
        return -1;
    if (i < 0 && !t->cell[0][0])
        *status = table_fault(err, t, "the id of a node is empty");
    else if (i < 0)
        i = names_add(&n->nodes, t->cell[0], t->line, err);
    if (i < 0)
        *status = -1;
    n->n_known += i >= 0 && i < n_known;
    n->n = n->nodes.n - n_known;
    return i < n_known ? -1 : i - n_known;
}

/* ---- which form ---- */

static int check_form(const struct new_nodes *n, const struct table *t, struct err *err)
{
    static const char *const forms[] = {"a full table", "listed (node, feature)"};
    bool is_listed = node_features_is_listed(t);

    if (is_listed == n->data->is_sparse)
        return 0;
    return table_fault(err, t, "features are %s: must be %s, as in the training data",
                       forms[is_listed], forms[!is_listed]);
}

/* ---- listed features ---- */

static int index_features(struct names *columns, const struct dataset *d, struct err *err)
{
    for (int32_t j = 0; j < d->n_features; j++) {
        const char *name = dataset_feature_name(d, j);
        char number[16];

        snprintf(number, sizeof number, "%d", j);
        if (names_add(columns, *name ? name : number, 0, err) < 0)
            return -1;
    }
    return 0;
}

static int list_nodes(struct new_nodes *n, const char *path, struct err *err)
{
    struct table t;
    int status;

    if (table_open(&t, path, err))
        return -1;
    status = check_form(n, &t, err);
    while (!status && (status = table_next(&t, err)) > 0)
        node_of(&status, n, &t, err);
    table_close(&t);
    return status;
}

static int add_listed(struct triplets *list, struct new_nodes *n, const struct node_features *f,
                      const struct names *columns, struct err *err)
{
    const struct csr *a = &f->sparse;
    int32_t n_known = n->data->n_samples;

    for (int32_t i = 0; i < n->n; i++)
        for (int64_t e = a->row_start[n_known + i]; e < a->row_start[n_known + i + 1]; e++) {
            struct triplet t = {.row = i, .val = a->val[e]};
            char number[16];

            snprintf(number, sizeof number, "%d", a->col[e]);
            t.col = names_find(columns, f->name ? f->name[a->col[e]] : number);
            n->n_unknown += t.col < 0;
            if (t.col >= 0 && triplets_add(list, t, err))
                return -1;
        }
    return 0;
}

static int read_listed(struct new_nodes *n, const char *path, struct err *err)
{
    struct data_report unused = {0};
    struct triplets list = {0};
    struct node_features f;
    struct names columns = {0};
    int rc = -1;

    if (list_nodes(n, path, err) || node_features_read(&f, path, &n->nodes, path, &unused, err))
        return -1;
    if (!index_features(&columns, n->data, err) && !add_listed(&list, n, &f, &columns, err))
        rc = csr_from_triplets(&n->listed, n->n, n->data->n_features, list.item, list.n, err);
    triplets_release(&list);
    names_release(&columns);
    node_features_release(&f);
    return rc;
}

/* ---- a full table ---- */

struct full {
    struct table t;
    int32_t *col; /* [F] columns of the table */
    float *mean;  /* [F] */
    size_t capacity;
};

/* The first of two columns with the same name is used. */
static int find_columns(struct full *full, const struct dataset *d, struct err *err)
{
    struct names columns = {0}; /* with their number as the line */
    int rc = 0;

    for (int32_t j = 1; !rc && j < full->t.n_cols; j++)
        rc = names_find_or_add(&columns, full->t.name[j], j, err) < 0 ? -1 : 0;
    for (int32_t j = 0; !rc && j < d->n_features; j++) {
        int32_t found = names_find(&columns, dataset_feature_name(d, j));

        full->col[j] = found >= 0 ? (int32_t)names_line(&columns, found)
                                  : table_column(&full->t, dataset_feature_name(d, j), 0, NULL);
        if (full->col[j] < 0)
            rc = table_fault(err, &full->t,
                             "no column \"%.80s\": must have every feature of the training data",
                             dataset_feature_name(d, j));
    }
    names_release(&columns);
    return rc;
}

static int full_open(struct full *full, const struct new_nodes *nodes, const char *path,
                     struct err *err)
{
    const struct dataset *d = nodes->data;
    size_t n = (size_t)d->n_features;

    if (table_open(&full->t, path, err) || check_form(nodes, &full->t, err))
        return -1;
    full->col = malloc(n * sizeof *full->col);
    full->mean = malloc(n * sizeof *full->mean);
    if (!full->col || !full->mean)
        return err_nomem(err, "features", n * sizeof *full->mean);
    return find_columns(full, d, err) ? -1 : dataset_means(full->mean, d, err);
}

static int read_row(struct new_nodes *n, struct full *full, struct err *err)
{
    int32_t before = n->n, node, width = n->data->n_features;
    int rc;

    node = node_of(&rc, n, &full->t, err);
    if (node < 0)
        return rc;
    if (n->n == before)
        return table_fault(err, &full->t, "node \"%.80s\" occurs twice", full->t.cell[0]);
    if (array_extend(&n->table, &full->capacity, (size_t)before, (size_t)width * sizeof *n->table,
                     "features", err))
        return -1;
    for (int32_t j = 0; j < width; j++) {
        double v;

        if (table_number(&v, &full->t, full->col[j], err))
            return -1;
        n->n_missing += isnan(v);
        n->table[(int64_t)node * width + j] = isnan(v) ? full->mean[j] : (float)v;
    }
    return 0;
}

static int read_full(struct new_nodes *n, const char *path, struct err *err)
{
    struct full full = {0};
    int status = full_open(&full, n, path, err);

    while (!status && (status = table_next(&full.t, err)) > 0)
        status = read_row(n, &full, err);
    if (!status)
        reader_report_columns(&n->report, table_spelled(&full.t), path);
    free(full.col);
    free(full.mean);
    table_close(&full.t);
    return status;
}

/* ---- edges ---- */

static void count_edges(struct new_nodes *n, const struct edges *e)
{
    int32_t n_known = n->data->n_samples;

    for (int64_t i = 0; i < e->n; i++) {
        bool is_joining = e->source[i] < n_known && e->target[i] >= n_known;

        n->n_between += e->source[i] >= n_known;
        n->n_within += e->target[i] < n_known;
        if (is_joining)
            n->edges.start[e->target[i] - n_known + 1]++;
    }
    for (int32_t i = 0; i < n->n; i++) {
        n->n_alone += n->edges.start[i + 1] == 0;
        n->edges.start[i + 1] += n->edges.start[i];
    }
}

/* Edges are sorted by the data's node, the smaller one, so each row comes out sorted. */
static int put_edges(struct new_nodes *n, const struct edges *e, struct err *err)
{
    int64_t *start = n->edges.start;
    int32_t n_known = n->data->n_samples;
    size_t size = (size_t)start[n->n] + 1;
    int64_t *next = malloc(((size_t)n->n + 1) * sizeof *next);

    n->edges.edge = malloc(size * sizeof *n->edges.edge);
    if (!next || !n->edges.edge) {
        free(next);
        return err_nomem(err, "edges", size * sizeof *n->edges.edge);
    }
    memcpy(next, start, ((size_t)n->n + 1) * sizeof *next);
    for (int64_t i = 0; i < e->n; i++)
        if (e->source[i] < n_known && e->target[i] >= n_known)
            n->edges.edge[next[e->target[i] - n_known]++] =
                (struct attached_edge){e->source[i], e->weight[i]};
    free(next);
    return 0;
}

static int read_edges(struct new_nodes *n, const char *features, const char *path, struct err *err)
{
    struct edges edges = {0};
    struct buf known = {0};
    int rc = 0;

    n->edges.start = calloc((size_t)n->n + 1, sizeof *n->edges.start);
    if (!n->edges.start)
        return err_nomem(err, "edges", ((size_t)n->n + 1) * sizeof *n->edges.start);
    if (path) {
        buf_printf(&known, "%s nor in the training data", features);
        rc = edges_read(&edges, path, &n->nodes, buf_text(&known), &n->report, err);
        buf_release(&known);
    }
    if (!rc) {
        count_edges(n, &edges);
        rc = put_edges(n, &edges, err);
    }
    edges_release(&edges);
    return rc;
}

/* ---- together ---- */

int new_nodes_read(struct new_nodes *out, const struct dataset *data, const char *features,
                   const char *edges, struct err *err)
{
    *out = (struct new_nodes){.data = data,
                              .join = {.ids = &out->nodes, .path = features, .n_cols = 1}};
    for (int32_t i = 0; i < data->n_samples; i++)
        if (names_add(&out->nodes, dataset_id(data, i), 0, err) < 0)
            return -1;
    if ((data->is_sparse ? read_listed : read_full)(out, features, err))
        return -1;
    if (out->n == 0)
        return err_set(err, "%s: no new node: %lld rows are of nodes of the training data",
                       features, (long long)out->n_known);
    id_join_report(&out->report, &out->join.count, features);
    return read_edges(out, features, edges, err);
}

void new_nodes_release(struct new_nodes *n)
{
    if (!n)
        return;
    id_join_release(&n->join);
    names_release(&n->nodes);
    csr_release(&n->listed);
    free(n->table);
    attached_release(&n->edges);
    memset(n, 0, sizeof *n);
}

void new_nodes_take(struct mat *x, struct attached *edges, const struct new_nodes *n, int32_t first)
{
    int64_t from = n->edges.start[first];

    for (int32_t i = 0; i < x->n_rows; i++) {
        float *row = mat_row(x, i);
        size_t width = (size_t)x->n_cols;

        edges->start[i + 1] = n->edges.start[first + i + 1] - from;
        if (n->table) {
            memcpy(row, n->table + (size_t)(first + i) * width, width * sizeof *row);
            continue;
        }
        memset(row, 0, width * sizeof *row);
        for (int64_t e = n->listed.row_start[first + i]; e < n->listed.row_start[first + i + 1];
             e++)
            row[n->listed.col[e]] = n->listed.val[e];
    }
    edges->start[0] = 0;
    edges->edge = n->edges.edge + from;
}
