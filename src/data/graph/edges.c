/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/edges.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "data/core/builder.h"
#include "data/core/data_report.h"
#include "data/core/reader.h"
#include "data/text/names.h"
#include "tensor/bucket_sort.h"

/* ---- pairs of nodes ---- */

void pairs_release(struct pairs *pairs)
{
    if (!pairs)
        return;
    free(pairs->item);
    free(pairs->source);
    free(pairs->target);
    free(pairs->weight);
    memset(pairs, 0, sizeof *pairs);
}

int pairs_add(struct pairs *pairs, int32_t from, int32_t to, struct err *err)
{
    if (from == to) {
        pairs->n_self_loops++;
        return 0;
    }
    if (pairs->n == pairs->capacity) {
        int64_t capacity = pairs->capacity ? 2 * pairs->capacity : 1024;
        struct pair *grown = realloc(pairs->item, (size_t)capacity * sizeof *grown);

        if (!grown)
            return err_nomem(err, "edges", (size_t)capacity * sizeof *grown);
        pairs->item = grown;
        pairs->capacity = capacity;
    }
    pairs->item[pairs->n++] =
        from < to ? (struct pair){from, to, false} : (struct pair){to, from, true};
    return 0;
}

static int compare_pairs(const void *left, const void *right)
{
    const struct pair *a = left, *b = right;

    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    return a->is_backward - b->is_backward;
}

static bool is_same(const struct pair *a, const struct pair *b)
{
    return a->low == b->low && a->high == b->high;
}

static void drop_repeated_pairs(struct pairs *pairs)
{
    int64_t n = 0;

    for (int64_t e = 0; e < pairs->n;) {
        const struct pair first = pairs->item[e];
        int64_t count = 0;
        bool both;

        for (; e < pairs->n && is_same(&first, &pairs->item[e]); e++)
            count++;
        both = first.is_backward != pairs->item[e - 1].is_backward;
        pairs->n_one_way += !both;
        pairs->n_duplicates += count - 1 - both;
        pairs->item[n++] = first;
    }
    pairs->n = n;
}

int pairs_finish(struct pairs *pairs, struct err *err)
{
    size_t n;

    bucket_sort(pairs->item, (size_t)pairs->n, sizeof *pairs->item, compare_pairs);
    drop_repeated_pairs(pairs);
    n = (size_t)pairs->n;
    if (n == 0)
        return 0;
    pairs->source = malloc(n * sizeof *pairs->source);
    pairs->target = malloc(n * sizeof *pairs->target);
    pairs->weight = malloc(n * sizeof *pairs->weight);
    if (!pairs->source || !pairs->target || !pairs->weight)
        return err_nomem(err, "edges", n * sizeof *pairs->source);
    for (size_t e = 0; e < n; e++) {
        pairs->source[e] = pairs->item[e].low;
        pairs->target[e] = pairs->item[e].high;
        pairs->weight[e] = 1;
    }
    free(pairs->item);
    pairs->item = NULL;
    pairs->capacity = 0;
    return 0;
}

void pairs_into(struct draft *draft, const struct pairs *pairs)
{
    draft->n_edges = pairs->n;
    draft->edge_source = pairs->source;
    draft->edge_target = pairs->target;
    draft->edge_weight = pairs->weight;
}

/* ---- a table of edges ---- */

struct listed_edge {
    int32_t source; /* < target */
    int32_t target;
    float weight;
    int64_t line;
};

struct edge_list {
    struct listed_edge *edge;
    int64_t n;
    int64_t capacity;
};

static int append(struct edge_list *list, struct listed_edge edge, struct err *err)
{
    if (list->n == list->capacity) {
        int64_t capacity = list->capacity ? 2 * list->capacity : 1024;
        struct listed_edge *grown = realloc(list->edge, (size_t)capacity * sizeof *grown);

        if (!grown)
            return err_nomem(err, "edges", (size_t)capacity * sizeof *grown);
        list->edge = grown;
        list->capacity = capacity;
    }
    list->edge[list->n++] = edge;
    return 0;
}

static int check_header(const struct table *t, const struct names *nodes, struct err *err)
{
    if (t->has_row_names)
        return table_fault(err, t, "%d names for %d columns: the header must name each column",
                           t->n_cols - 1, t->n_cols);
    if (t->n_cols != 2 && t->n_cols != 3)
        return table_fault(
            err, t, "%d column%s: a table of edges has two or three (source, target, weight)",
            t->n_cols, t->n_cols == 1 ? "" : "s");
    if (names_find(nodes, t->name[0]) >= 0 && names_find(nodes, t->name[1]) >= 0)
        return table_fault(err, t,
                           "a header is missing: the first line must name the columns, "
                           "\"%.80s\" and \"%.80s\" are nodes",
                           t->name[0], t->name[1]);
    return 0;
}

static int read_weight(float *weight, const struct table *t, struct err *err)
{
    double v = 1;

    if (t->n_cols == 3 && (!table_parse_number(&v, t->cell[2]) || !((float)v > 0)))
        return table_fault(err, t,
                           "column \"%.80s\" = \"%.80s\": a weight must be a positive number",
                           t->name[2], t->cell[2]);
    *weight = (float)v;
    return 0;
}

static int read_rows(struct edge_list *list, struct table *t, struct id_join *nodes,
                     const char *nodes_path, struct data_report *report, struct err *err)
{
    int status;

    while ((status = table_next(t, err)) > 0) {
        int32_t a = reader_known_id(nodes, t, 0, nodes_path, err);
        int32_t b = a < 0 ? -1 : reader_known_id(nodes, t, 1, nodes_path, err);
        struct listed_edge edge = {
            .source = a < b ? a : b, .target = a < b ? b : a, .line = t->line};

        if (b < 0 || read_weight(&edge.weight, t, err))
            return -1;
        if (a == b)
            report->n_self_loops++;
        else if (append(list, edge, err))
            return -1;
    }
    return status;
}

static int compare(const void *left, const void *right)
{
    const struct listed_edge *a = left, *b = right;

    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    if (a->target != b->target)
        return a->target < b->target ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static int drop_repeats(struct edge_list *list, const struct table *t, const struct names *nodes,
                        struct data_report *report, struct err *err)
{
    int64_t n = 0;

    bucket_sort(list->edge, (size_t)list->n, sizeof *list->edge, compare);
    for (int64_t e = 0; e < list->n; e++) {
        const struct listed_edge *now = &list->edge[e];
        const struct listed_edge *kept = n ? &list->edge[n - 1] : NULL;

        if (!kept || kept->source != now->source || kept->target != now->target) {
            list->edge[n++] = *now;
            continue;
        }
        report->n_duplicate_edges++;
        if (kept->weight != now->weight)
            return err_set(
                err,
                "%s:%lld: edge \"%.80s\" to \"%.80s\" has weight %g, but weight %g on line %lld",
                t->path, (long long)now->line, nodes->text[now->source], nodes->text[now->target],
                (double)now->weight, (double)kept->weight, (long long)kept->line);
    }
    list->n = n;
    return 0;
}

static int to_arrays(struct edges *out, const struct edge_list *list, struct err *err)
{
    size_t n = (size_t)list->n;

    out->n = list->n;
    if (n == 0)
        return 0;
    out->source = malloc(n * sizeof *out->source);
    out->target = malloc(n * sizeof *out->target);
    out->weight = malloc(n * sizeof *out->weight);
    if (!out->source || !out->target || !out->weight)
        return err_nomem(err, "edges", n * sizeof *out->source);
    for (size_t e = 0; e < n; e++) {
        out->source[e] = list->edge[e].source;
        out->target[e] = list->edge[e].target;
        out->weight[e] = list->edge[e].weight;
    }
    return 0;
}

int edges_read(struct edges *out, const char *path, const struct names *nodes,
               const char *nodes_path, struct data_report *report, struct err *err)
{
    struct id_join join = {.ids = nodes, .path = path, .n_cols = 2};
    struct edge_list list = {0};
    struct table t;
    int rc;

    memset(out, 0, sizeof *out);
    if (table_open(&t, path, err))
        return -1;
    rc = check_header(&t, nodes, err) || read_rows(&list, &t, &join, nodes_path, report, err) ||
         drop_repeats(&list, &t, nodes, report, err) || to_arrays(out, &list, err);
    if (rc)
        edges_release(out);
    else
        id_join_report(report, &join.count, path);
    id_join_release(&join);
    free(list.edge);
    table_close(&t);
    return rc ? -1 : 0;
}

void edges_release(struct edges *edges)
{
    if (!edges)
        return;
    free(edges->source);
    free(edges->target);
    free(edges->weight);
    memset(edges, 0, sizeof *edges);
}
