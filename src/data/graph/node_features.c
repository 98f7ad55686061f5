/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/node_features.h"

#include <stdlib.h>
#include <string.h>

#include "data/core/reader.h"

/* ---- sparse: the column of a triplet is first an index into node_features.listed ---- */

static int read_listed(struct triplets *list, struct node_features *f, struct id_join *nodes,
                       const char *nodes_path, struct err *err)
{
    struct table *t = &f->table;
    int status;

    while ((status = table_next(t, err)) > 0) {
        struct triplet triplet = {.row = reader_known_id(nodes, t, 0, nodes_path, err)};

        double value = 1;

        if (triplet.row < 0)
            return -1;
        if (t->n_cols == 3 && !table_parse_number(&value, t->cell[2]))
            return table_fault(err, t, "column \"%.80s\" = \"%.80s\": must be a number", t->name[2],
                               t->cell[2]);
        triplet.val = (float)value;
        if (!t->cell[1][0])
            return table_fault(err, t, "the feature of node \"%.80s\" is empty", t->cell[0]);
        triplet.col = names_find_or_add(&f->listed, t->cell[1], t->line, err);
        /* a listed 0 equals a value that is not listed */
        if (triplet.col < 0 || (triplet.val != 0 && triplets_add(list, triplet, err)))
            return -1;
    }
    if (!status && f->listed.n == 0)
        return err_set(err, "%s: no features after the header", t->path);
    return status;
}

static int32_t feature_number(const char *text)
{
    size_t digits = strspn(text, "0123456789");

    if (!digits || text[digits] || digits > 7 || (text[0] == '0' && digits > 1))
        return -1;
    return atoi(text);
}

static void number_columns(struct node_features *f, struct triplets *list)
{
    int32_t largest = 0;

    for (int32_t i = 0; i < f->listed.n; i++) {
        int32_t number = feature_number(f->listed.text[i]);

        if (number < 0) {
            f->n = f->listed.n;
            f->name = f->listed.text;
            return;
        }
        largest = number > largest ? number : largest;
    }
    f->n = largest + 1;
    for (int64_t e = 0; e < list->n; e++)
        list->item[e].col = feature_number(f->listed.text[list->item[e].col]);
}

static int find_repeat(const struct node_features *f, const struct triplets *list,
                       const struct names *nodes, struct err *err)
{
    for (int64_t e = 1; e < list->n; e++) {
        const struct triplet *a = &list->item[e - 1], *b = &list->item[e];

        if (a->row != b->row || a->col != b->col)
            continue;
        if (f->name)
            return err_set(err, "%s: node \"%.80s\" has feature \"%.80s\" twice", f->table.path,
                           nodes->text[a->row], f->name[a->col]);
        return err_set(err, "%s: node \"%.80s\" has feature %d twice", f->table.path,
                       nodes->text[a->row], a->col);
    }
    return 0;
}

static int read_sparse(struct node_features *f, struct id_join *join, const char *nodes_path,
                       struct err *err)
{
    const struct names *nodes = join->ids;
    struct triplets list = {0};
    int rc = -1;

    f->is_sparse = true;
    if (!read_listed(&list, f, join, nodes_path, err)) {
        number_columns(f, &list);
        rc = csr_from_triplets(&f->sparse, nodes->n, f->n, list.item, list.n, err);
    }
    if (!rc && csr_nnz(&f->sparse) < list.n)
        rc = find_repeat(f, &list, nodes, err);
    triplets_release(&list);
    return rc;
}

/* ---- dense ---- */

static int read_rows(struct node_features *f, struct names *listed, bool *has_row,
                     struct id_join *nodes, const char *nodes_path, struct err *err)
{
    struct table *t = &f->table;
    int status;

    while ((status = table_next(t, err)) > 0) {
        int32_t i = reader_known_id(nodes, t, 0, nodes_path, err);

        if (i < 0 || reader_new_id(listed, t, 0, err) < 0 || columns_read_row(&f->dense, i, t, err))
            return -1;
        has_row[i] = true;
    }
    for (int32_t i = 0; !status && i < nodes->ids->n; i++)
        if (!has_row[i])
            return err_set(err, "%s: no row for node \"%.80s\" of %s", t->path, nodes->ids->text[i],
                           nodes_path);
    return status;
}

static int read_dense(struct node_features *f, struct id_join *nodes, const char *nodes_path,
                      struct data_report *report, struct err *err)
{
    size_t n = (size_t)nodes->ids->n;
    bool *has_row = calloc(n + 1, sizeof *has_row);
    struct names listed = {0};
    int rc;

    if (!has_row)
        return err_nomem(err, "nodes", n);
    rc = columns_init(&f->dense, &f->table, nodes->ids->n, err);
    f->n = f->dense.n_cols;
    f->name = f->dense.name;
    if (!rc)
        rc = read_rows(f, &listed, has_row, nodes, nodes_path, err);
    names_release(&listed);
    free(has_row);
    if (!rc && columns_impute(&f->dense, &report->n_missing, err))
        rc = err_wrap(err, "%s", f->table.path);
    return rc;
}

bool node_features_is_listed(const struct table *t)
{
    return (t->n_cols == 2 || t->n_cols == 3) &&
           equality_pick(&(const char *){t->name[1]}, 1, -1, "feature") == 0;
}

int node_features_read(struct node_features *out, const char *path, const struct names *nodes,
                       const char *nodes_path, struct data_report *report, struct err *err)
{
    struct id_join join = {.ids = nodes, .path = path, .n_cols = 1};
    struct table *t = &out->table;
    int rc;

    memset(out, 0, sizeof *out);
    if (table_open(t, path, err))
        return -1;
    if (node_features_is_listed(t))
        rc = read_sparse(out, &join, nodes_path, err);
    else
        rc = read_dense(out, &join, nodes_path, report, err);
    if (rc)
        node_features_release(out);
    else
        id_join_report(report, &join.count, path);
    id_join_release(&join);
    return rc;
}

void node_features_release(struct node_features *features)
{
    if (!features)
        return;
    columns_release(&features->dense);
    csr_release(&features->sparse);
    names_release(&features->listed);
    table_close(&features->table);
    memset(features, 0, sizeof *features);
}
