/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/tu_nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/text/table.h"

/* ---- a file of numbers, one row for each node ---- */

struct numbers {
    double *v; /* (n_nodes, n_cols) */
    int32_t n_cols, n_rows, n_nodes;
    bool is_whole;
    const char *nodes_path;
};

static int take_row(void *arg, const struct table *t, struct err *err)
{
    struct numbers *m = arg;
    double *out;

    if (m->n_rows == m->n_nodes)
        return table_fault(err, t, "one row more than the %d nodes of %s", m->n_nodes,
                           m->nodes_path);
    if (m->n_rows == 0) {
        m->n_cols = t->n_cols;
        m->v = malloc((size_t)m->n_nodes * (size_t)m->n_cols * sizeof *m->v);
        if (!m->v)
            return err_nomem(err, t->path, (size_t)m->n_nodes * sizeof *m->v);
    }
    out = m->v + (int64_t)m->n_rows++ * m->n_cols;
    for (int32_t j = 0; j < m->n_cols; j++) {
        int32_t whole;

        if (m->is_whole) {
            if (table_whole(&whole, t, j, INT32_MIN, INT32_MAX, "label", err))
                return -1;
            out[j] = whole;
        } else if (!table_parse_number(&out[j], t->cell[j])) {
            return table_fault(err, t, "attribute \"%.80s\": must be a number", t->cell[j]);
        }
    }
    return 0;
}

static int read_numbers(struct numbers *m, const char *path, struct err *err)
{
    if (!path)
        return 0;
    if (table_read_rows(path, take_row, m, err))
        return -1;
    return m->n_rows == m->n_nodes ? 0
                                   : err_set(err, "%s: %d rows: %s has %d nodes", path, m->n_rows,
                                             m->nodes_path, m->n_nodes);
}

/* ---- one-hot ---- */

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

struct tu_values {
    double *v;
    int32_t *start; /* [n_cols + 1] into v */
};

static int find_values(struct tu_values *out, const struct numbers *m, int32_t n_nodes,
                       struct err *err)
{
    out->v = malloc((size_t)n_nodes * (size_t)m->n_cols * sizeof *out->v);
    out->start = calloc((size_t)m->n_cols + 1, sizeof *out->start);
    if (!out->v || !out->start)
        return err_nomem(err, "node labels", (size_t)n_nodes * (size_t)m->n_cols * sizeof *out->v);
    for (int32_t j = 0; j < m->n_cols; j++) {
        double *v = out->v + out->start[j];
        int32_t n = 1;

        for (int32_t i = 0; i < n_nodes; i++)
            v[i] = m->v[(int64_t)i * m->n_cols + j];
        qsort(v, (size_t)n_nodes, sizeof *v, compare);
        for (int32_t i = 1; i < n_nodes; i++)
            if (v[i] > v[n - 1])
                v[n++] = v[i];
        out->start[j + 1] = out->start[j] + n;
        if (out->start[j + 1] > TU_MAX_LABELS)
            return err_set(err,
                           "more than %d different node labels, each of which becomes a feature: "
                           "put measured numbers in the file of node attributes",
                           TU_MAX_LABELS);
    }
    return 0;
}

/* ---- columns of the model's data ---- */

/* "label3=7" gives 3 and 7, "label=7" 1 and 7. */
static bool parse_label(int32_t *column, double *value, const char *name)
{
    *column = 1;
    return sscanf(name, "label=%lf", value) == 1 || sscanf(name, "label%d=%lf", column, value) == 2;
}

void tu_nodes_columns(int32_t *n_labels, int32_t *n_attributes, const struct dataset *like)
{
    *n_labels = *n_attributes = 0;
    for (int32_t j = 0; j < like->n_features; j++) {
        const char *name = dataset_feature_name(like, j);
        int32_t column;
        double value;

        if (parse_label(&column, &value, name))
            *n_labels = column;
        else
            *n_attributes += strncmp(name, "attribute", strlen("attribute")) == 0;
    }
}

/* In the model's data labels come first, column by column. */
static int take_values(struct tu_values *out, const struct dataset *like, int32_t n_cols,
                       struct err *err)
{
    size_t bytes = (size_t)like->n_features * sizeof *out->v;
    int32_t column;

    out->v = malloc(bytes);
    out->start = calloc((size_t)n_cols + 1, sizeof *out->start);
    if (!out->v || !out->start)
        return err_nomem(err, "node labels", bytes);
    for (int32_t j = 0; j < like->n_features; j++)
        if (parse_label(&column, &out->v[j], dataset_feature_name(like, j)))
            out->start[column] = j + 1;
    return 0;
}

/* ---- ones ---- */

static void set_ones(struct tu_nodes *out, const struct numbers *m, const struct tu_values *values,
                     int32_t n_nodes)
{
    for (int32_t i = 0; i < n_nodes; i++)
        for (int32_t j = 0; j < m->n_cols; j++) {
            double label = m->v[(int64_t)i * m->n_cols + j];
            const double *first = values->v + values->start[j];
            const double *found =
                bsearch(&label, first, (size_t)(values->start[j + 1] - values->start[j]),
                        sizeof *first, compare);
            int64_t at = (int64_t)i * out->n_features + (found ? found - values->v : 0);

            if (!found && !out->n_unknown++) {
                out->unknown = label;
                out->unknown_row = i + 1;
            }
            if (found && out->v)
                out->v[at] = 1;
            else if (found)
                out->one_hot[at] = 1;
        }
}

/* ---- together ---- */

static int init(struct tu_nodes *out, int32_t n_features, bool is_one_hot, int32_t n_nodes,
                struct err *err)
{
    size_t n = (size_t)n_features * (size_t)n_nodes;

    out->n_features = n_features;
    if (is_one_hot)
        out->one_hot = calloc(n, sizeof *out->one_hot);
    else
        out->v = calloc(n, sizeof *out->v);
    return out->v || out->one_hot
               ? 0
               : err_nomem(err, "node features", n * (is_one_hot ? 1 : sizeof *out->v));
}

static int name_all(struct tu_nodes *out, const struct numbers *labels,
                    const struct tu_values *values, const struct numbers *attributes,
                    struct err *err)
{
    char name[32];

    for (int32_t j = 0; j < labels->n_cols; j++)
        for (int32_t k = values->start[j]; k < values->start[j + 1]; k++) {
            if (labels->n_cols > 1)
                snprintf(name, sizeof name, "label%d=%.0f", j + 1, values->v[k]);
            else
                snprintf(name, sizeof name, "label=%.0f", values->v[k]);
            if (names_add(&out->name, name, 0, err) < 0)
                return -1;
        }
    for (int32_t j = 0; j < attributes->n_cols; j++) {
        snprintf(name, sizeof name, "attribute%d", j + 1);
        if (names_add(&out->name, name, 0, err) < 0)
            return -1;
    }
    return 0;
}

static int assemble(struct tu_nodes *out, const struct numbers *labels,
                    const struct numbers *attributes, int32_t n_nodes, const struct dataset *like,
                    struct err *err)
{
    struct tu_values values = {0};
    int32_t n_hot = 0, n_labels, n_attributes;
    int rc = 0;

    if (like) {
        tu_nodes_columns(&n_labels, &n_attributes, like);
        if (labels->n_cols != n_labels || attributes->n_cols != n_attributes)
            return err_set(err,
                           "%d labels and %d attributes of a node: must be %d and %d, as in the "
                           "training data",
                           labels->n_cols, attributes->n_cols, n_labels, n_attributes);
    }
    if (labels->v)
        rc = like ? take_values(&values, like, labels->n_cols, err)
                  : find_values(&values, labels, n_nodes, err);
    if (!rc && labels->v)
        n_hot = values.start[labels->n_cols];
    if (!rc)
        rc = init(out, n_hot + attributes->n_cols, !attributes->v, n_nodes, err);
    if (!rc) {
        set_ones(out, labels, &values, n_nodes);
        for (int64_t i = 0; i < n_nodes; i++)
            for (int32_t j = 0; j < attributes->n_cols; j++)
                out->v[i * out->n_features + n_hot + j] =
                    (float)attributes->v[i * attributes->n_cols + j];
        rc = name_all(out, labels, &values, attributes, err);
    }
    free(values.v);
    free(values.start);
    return rc;
}

int tu_nodes_read(struct tu_nodes *out, const char *labels, const char *attributes, int32_t n_nodes,
                  const char *nodes_path, const struct dataset *like, struct err *err)
{
    struct numbers l = {.n_nodes = n_nodes, .nodes_path = nodes_path, .is_whole = true};
    struct numbers a = {.n_nodes = n_nodes, .nodes_path = nodes_path};
    int rc = -1;

    memset(out, 0, sizeof *out);
    if (!read_numbers(&l, labels, err) && !read_numbers(&a, attributes, err)) {
        rc = assemble(out, &l, &a, n_nodes, like, err);
        if (rc)
            err_wrap(err, "%s", labels ? labels : attributes);
    }
    if (rc)
        tu_nodes_release(out);
    free(l.v);
    free(a.v);
    return rc;
}

int tu_nodes_degrees(struct tu_nodes *out, const struct edges *edges, int32_t n_nodes,
                     struct err *err)
{
    memset(out, 0, sizeof *out);
    if (init(out, 1, false, n_nodes, err) || names_add(&out->name, "degree", 0, err) < 0) {
        tu_nodes_release(out);
        return -1;
    }
    for (int64_t e = 0; e < edges->n; e++) {
        out->v[edges->source[e]]++;
        out->v[edges->target[e]]++;
    }
    return 0;
}

void tu_nodes_release(struct tu_nodes *nodes)
{
    if (!nodes)
        return;
    names_release(&nodes->name);
    free(nodes->one_hot);
    free(nodes->v);
    memset(nodes, 0, sizeof *nodes);
}

void tu_nodes_into(struct draft *draft, const struct tu_nodes *nodes)
{
    draft->n_features = nodes->n_features;
    draft->dosage = nodes->one_hot;
    draft->features = nodes->v;
    draft->feature_names = nodes->name.text;
}
