/* SPDX-License-Identifier: BSD-3-Clause */
#include "gcn/receptive_field.h"

#include <math.h>
#include <string.h>

#include "base/sorted.h"
#include "gcn/division.h"

int receptive_field_init(struct receptive_field *field, int32_t n_samples, int32_t n_layers,
                         struct arena *scratch, struct err *err)
{
    size_t n = (size_t)n_samples;
    size_t n_levels = (size_t)n_layers + 1;

    *field = (struct receptive_field){.n_layers = n_layers, .n_nodes = n_samples};
    field->level = arena_take_real(scratch, n_levels, sizeof *field->level);
    for (size_t l = 0; field->level && l < n_levels; l++) {
        field->level[l].rows = arena_take(scratch, n, sizeof(int32_t));
        field->level[l].pos = arena_take(scratch, n, sizeof(int32_t));
    }
    if (scratch->is_short)
        return err_nomem(err, "receptive field", 2 * n * n_levels * sizeof(int32_t));
    return 0;
}

int receptive_field_divide(struct receptive_field *field, const struct division *division,
                           struct arena *scratch, struct err *err)
{
    size_t n = (size_t)division->crew->n_workers + 1;

    field->division = division;
    for (int32_t l = 0; l <= field->n_layers; l++)
        field->level[l].first = arena_take(scratch, n, sizeof(int32_t));
    return scratch->is_short ? err_nomem(err, "rows of workers", n * sizeof(int32_t)) : 0;
}

static void divide(struct receptive_field *field)
{
    const struct division *division = field->division;

    for (int32_t l = 0; division && l <= field->n_layers; l++) {
        struct level *level = &field->level[l];

        for (int32_t w = 0; w <= division->crew->n_workers; w++) {
            int32_t first = division->first[w];

            level->first[w] = field->graph_start
                                  ? field->start[first]
                                  : (int32_t)sorted_below(level->rows, level->n, first);
        }
    }
}

/* Marks in pos are 0 (present) and -1 (absent). */
static void number(struct level *level, const struct csr *a_hat)
{
    level->n = 0;
    level->entries = 0;
    for (int32_t i = 0; i < a_hat->n_rows; i++) {
        if (level->pos[i] < 0)
            continue;
        level->pos[i] = level->n;
        level->rows[level->n++] = i;
        level->entries += a_hat->row_start[i + 1] - a_hat->row_start[i];
    }
}

/* 0xff bytes are -1 in every int32_t. */
static void mark(struct level *level, const struct csr *a_hat, bool are_present)
{
    memset(level->pos, are_present ? 0 : 0xff, (size_t)a_hat->n_rows * sizeof *level->pos);
}

static void expand(struct level *below, const struct level *above, const struct csr *a_hat)
{
    mark(below, a_hat, false);
    for (int32_t i = 0; i < above->n; i++) {
        int32_t r = above->rows[i];

        for (int64_t e = a_hat->row_start[r]; e < a_hat->row_start[r + 1]; e++)
            below->pos[a_hat->col[e]] = 0;
    }
    number(below, a_hat);
    if (below->n < a_hat->n_rows && below->n > RECEPTIVE_FIELD_WHOLE * a_hat->n_rows) {
        mark(below, a_hat, true);
        number(below, a_hat);
    }
}

void receptive_field_build(struct receptive_field *field, const struct csr *a_hat,
                           const int32_t *nodes, int32_t n)
{
    struct level *top = &field->level[field->n_layers];

    mark(top, a_hat, false);
    for (int32_t i = 0; i < n; i++)
        top->pos[nodes[i]] = 0;
    number(top, a_hat);
    for (int32_t l = field->n_layers; l > 0; l--)
        expand(&field->level[l - 1], &field->level[l], a_hat);
    divide(field);
}

/* Nodes of the n graphs with more than `size` nodes. */
static int64_t sum_larger(int32_t *n, const struct dataset *data, int32_t size)
{
    int64_t sum = 0;

    *n = 0;
    for (int32_t g = 0; g < data->n_samples; g++) {
        int64_t here = data->graph_start[g + 1] - data->graph_start[g];

        if (here > size) {
            sum += here;
            ++*n;
        }
    }
    return sum;
}

int32_t receptive_field_largest(const struct dataset *data, int32_t n)
{
    int32_t low = 0, high = data->n_nodes, larger;
    int64_t sum;

    /* the least size that at most n graphs exceed */
    while (low < high) {
        int32_t middle = low + (high - low) / 2;

        sum_larger(&larger, data, middle);
        if (larger > n)
            low = middle + 1;
        else
            high = middle;
    }
    sum = sum_larger(&larger, data, low) + (int64_t)(n - larger) * low;
    return sum < data->n_nodes ? (int32_t)sum : data->n_nodes;
}

int receptive_field_init_graphs(struct receptive_field *field, const struct dataset *data,
                                int32_t capacity, int32_t n_layers, struct arena *scratch,
                                struct err *err)
{
    size_t n_levels = (size_t)n_layers + 1, n = (size_t)data->n_nodes;
    size_t n_graphs = (size_t)data->n_samples;
    int32_t *rows = arena_take(scratch, (size_t)capacity, sizeof *rows);
    int32_t *pos = arena_take(scratch, n, sizeof *pos);

    *field = (struct receptive_field){
        .n_layers = n_layers, .n_nodes = data->n_nodes, .graph_start = data->graph_start};
    field->level = arena_take_real(scratch, n_levels, sizeof *field->level);
    field->start = arena_take(scratch, n_graphs + 1, sizeof *field->start);
    if (scratch->is_short)
        return err_nomem(err, "batch of graphs",
                         (n + n_graphs + (size_t)capacity) * sizeof(int32_t));
    for (size_t l = 0; l < n_levels; l++)
        field->level[l] = (struct level){.rows = rows, .pos = pos};
    return 0;
}

void receptive_field_build_graphs(struct receptive_field *field, const struct csr *a_hat,
                                  const int32_t *graphs, int32_t n)
{
    struct level all = field->level[0];

    all.n = 0;
    all.entries = 0;
    field->graphs = graphs;
    field->n_graphs = n;
    for (int32_t g = 0; g < n; g++) {
        int32_t begin = (int32_t)field->graph_start[graphs[g]];
        int32_t end = (int32_t)field->graph_start[graphs[g] + 1];

        field->start[g] = all.n;
        all.entries += a_hat->row_start[end] - a_hat->row_start[begin];
        for (int32_t i = begin; i < end; i++) {
            all.pos[i] = all.n;
            all.rows[all.n++] = i;
        }
    }
    field->start[n] = all.n;
    for (int32_t l = 0; l <= field->n_layers; l++) {
        all.first = field->level[l].first;
        field->level[l] = all;
    }
    divide(field);
}

/* All n miss a given sample with probability (1 - degree / N)^n. */
double receptive_field_expected(double n_samples, double degree, double n, int32_t down)
{
    double miss = fmax(1 - degree / n_samples, 0);

    for (int32_t i = 0; i < down; i++)
        n = n_samples * (1 - pow(miss, n));
    return n;
}

double receptive_field_expected_rows(double n_samples, double degree, double n, int32_t n_layers,
                                     int32_t level)
{
    double rows = receptive_field_expected(n_samples, degree, n, n_layers - level);

    rows = fmax(rows, n); /* a node is a neighbour of itself */
    return rows > RECEPTIVE_FIELD_WHOLE * n_samples && level < n_layers ? n_samples : rows;
}

static bool is_whole(const struct receptive_field *field, int32_t level)
{
    return !field->graph_start && field->level[level].n == field->n_nodes;
}

const int32_t *receptive_field_rows(const struct receptive_field *field, int32_t level)
{
    return is_whole(field, level) ? NULL : field->level[level].rows;
}

const int32_t *receptive_field_pos(const struct receptive_field *field, int32_t level)
{
    return is_whole(field, level) ? NULL : field->level[level].pos;
}

struct span receptive_field_span(const struct receptive_field *field, int32_t level, int32_t worker)
{
    const struct level *l = &field->level[level];
    int32_t begin;

    if (!field->division)
        return (struct span){0, l->n, receptive_field_rows(field, level)};
    begin = l->first[worker];
    return (struct span){begin, l->first[worker + 1] - begin, l->rows + begin};
}

struct span receptive_field_samples_span(const struct receptive_field *field, int32_t worker)
{
    const struct level *top = &field->level[field->n_layers];
    const int32_t *samples = field->graph_start ? field->graphs : top->rows, *first;

    if (!field->division)
        return (struct span){0, field->graph_start ? field->n_graphs : top->n, samples};
    first = field->graph_start ? field->division->first : top->first;
    return (struct span){first[worker], first[worker + 1] - first[worker], samples + first[worker]};
}
