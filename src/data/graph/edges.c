/* SPDX-License-Identifier: BSD-3-Clause */
#include "data/graph/edges.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/err.h"
#include "data/core/builder.h"
#include "data/core/data_report.h"
#include "data/core/reader.h"
#include "data/text/names.h"
#include "tensor/bucket_sort.h"

/* ---- edges between numbers of nodes ---- */

void edges_release(struct edges *edges)
{
    if (!edges)
        return;
    free(edges->item);
    free(edges->source);
    free(edges->target);
    free(edges->weight);
    memset(edges, 0, sizeof *edges);
}

/* line: in the table, or 0 */
static int add(struct edges *edges, int32_t from, int32_t to, float weight, int64_t line,
               struct err *err)
{
    bool is_backward = from > to;

    if (from == to) {
        edges->n_self_loops++;
        return 0;
    }
    if (array_extend(&edges->item, &edges->capacity, (size_t)edges->n, sizeof *edges->item, "edges",
                     err))
        return -1;
    edges->item[edges->n++] =
        (struct edge){.low = is_backward ? to : from,
                      .high = is_backward ? from : to,
                      .weight = weight,
                      .line = line < EDGE_LINE_MAX ? (uint32_t)line : EDGE_LINE_MAX,
                      .is_backward = is_backward};
    return 0;
}

int edges_add(struct edges *edges, int32_t from, int32_t to, struct err *err)
{
    return add(edges, from, to, 1, 0, err);
}

static int compare(const void *left, const void *right)
{
    const struct edge *a = left, *b = right;

    if (a->low != b->low)
        return a->low < b->low ? -1 : 1;
    if (a->high != b->high)
        return a->high < b->high ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (int)a->is_backward - (int)b->is_backward;
}

static void drop_repeats(struct edges *edges)
{
    int64_t n = 0;

    for (int64_t e = 0; e < edges->n;) {
        const struct edge first = edges->item[e];
        int64_t count = 0;
        bool both = false;

        for (; e < edges->n && edges->item[e].low == first.low && edges->item[e].high == first.high;
             e++, count++)
            both = both || edges->item[e].is_backward != first.is_backward;
        edges->n_one_way += !both;
        edges->n_duplicates += count - 1 - both;
        edges->item[n++] = first;
    }
    edges->n = n;
}

static void sort(struct edges *edges)
{
    bucket_sort(edges->item, (size_t)edges->n, sizeof *edges->item, compare);
}

/* After sort(). */
static int to_arrays(struct edges *edges, struct err *err)
{
    size_t n;

    drop_repeats(edges);
    n = (size_t)edges->n;
    if (n == 0)
        return 0;
    edges->source = malloc(n * sizeof *edges->source);
    edges->target = malloc(n * sizeof *edges->target);
    edges->weight = malloc(n * sizeof *edges->weight);
    if (!edges->source || !edges->target || !edges->weight)
        return err_nomem(err, "edges", n * sizeof *edges->source);
    for (size_t e = 0; e < n; e++) {
        edges->source[e] = edges->item[e].low;
        edges->target[e] = edges->item[e].high;
        edges->weight[e] = edges->item[e].weight;
    }
    free(edges->item);
    edges->item = NULL;
    edges->capacity = 0;
    return 0;
}

int edges_finish(struct edges *edges, struct err *err)
{
    sort(edges);
    return to_arrays(edges, err);
}

void edges_into(struct draft *draft, const struct edges *edges)
{
    draft->n_edges = edges->n;
    draft->edge_source = edges->source;
    draft->edge_target = edges->target;
    draft->edge_weight = edges->weight;
}

/* ---- a table of edges ---- */

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

static int read_rows(struct edges *edges, struct table *t, struct id_join *nodes,
                     const char *nodes_path, struct err *err)
{
    int status;

    while ((status = table_next(t, err)) > 0) {
        int32_t a = reader_known_id(nodes, t, 0, nodes_path, err);
        int32_t b = a < 0 ? -1 : reader_known_id(nodes, t, 1, nodes_path, err);
        double weight = 1;

        if (b < 0)
            return -1;
        if (t->n_cols == 3 && (!table_parse_number(&weight, t->cell[2]) || !((float)weight > 0)))
            return table_fault(err, t,
                               "column \"%.80s\" = \"%.80s\": a weight must be a positive number",
                               t->name[2], t->cell[2]);
        if (add(edges, a, b, (float)weight, t->line, err))
            return -1;
    }
    return status;
}

/* The edges are sorted. */
static int check_weights(const struct edges *edges, const char *path, const struct names *nodes,
                         struct err *err)
{
    for (int64_t e = 1; e < edges->n; e++) {
        const struct edge *a = &edges->item[e - 1], *b = &edges->item[e];

        if (a->low == b->low && a->high == b->high && a->weight != b->weight)
            return err_set(
                err, "%s:%u: edge \"%.80s\" to \"%.80s\" has weight %g, but weight %g on line %u",
                path, b->line, nodes->text[b->low], nodes->text[b->high], (double)b->weight,
                (double)a->weight, a->line);
    }
    return 0;
}

int edges_read(struct edges *out, const char *path, const struct names *nodes,
               const char *nodes_path, struct data_report *report, struct err *err)
{
    struct id_join join = {.ids = nodes, .path = path, .n_cols = 2};
    struct table t;
    int64_t n;
    int rc;

    memset(out, 0, sizeof *out);
    if (table_open(&t, path, err))
        return -1;
    rc = check_header(&t, nodes, err) || read_rows(out, &t, &join, nodes_path, err);
    n = out->n;
    if (!rc) {
        sort(out);
        rc = check_weights(out, path, nodes, err) || to_arrays(out, err);
    }
    report->n_self_loops += out->n_self_loops;
    report->n_duplicate_edges += n - out->n;
    if (rc)
        edges_release(out);
    else
        id_join_report(report, &join.count, path);
    id_join_release(&join);
    table_close(&t);
    return rc ? -1 : 0;
}
